//! Traffic: who asks, when, for how much.
//!
//! A [`Workload`] is read from the `[[traffic]]` blocks of a scenario. A run works off its
//! [`Rounds`]: slices of time, each cut into the shards' feeds, so that any number of threads meets
//! the same arrivals in the same order (time, block, place within the block).

mod arrival;
mod feed;
mod keys;
mod pattern;
mod poisson_rates;
mod random;
mod read;
mod rounds;
#[cfg(test)]
mod tests;
mod trace;

pub use arrival::{Arrival, Mark, MarkId};
pub use feed::{BATCH, ShardFeed};
pub use pattern::{
    Field, Instants, Pattern, Reading, Setting, TrafficRow, read_burst, read_poisson, read_script,
    read_steady,
};
pub use read::{Request, Resolved};
pub use rounds::Rounds;
pub use trace::{Files, Stated, Survey, read as read_trace};

use crate::units::{Cost, SHARDS, SimTime};
use feed::Stream;
use keys::Keys;
use random::{Purpose, WHOLE, generator};
use read::MAX_COST;
use rounds::{Arrivals, Sequence};
use std::sync::Arc;
use trace::Trace;

/// The fields that blocks of every pattern have.
pub const COMMON_FIELDS: &[Field] = &[
    Field {
        name: "from",
        meaning: "no request comes before: a duration since the start or a clock time (0s)",
    },
    Field {
        name: "to",
        meaning: "no request comes at or after (the end of the run)",
    },
    Field {
        name: "keys",
        meaning: "a name, or { count, popularity = \"uniform\" or \"zipf\", exponent, prefix } \
                  (one key, \"all\")",
    },
    Field {
        name: "endpoint",
        meaning: "what is asked for (none)",
    },
    Field {
        name: "method",
        meaning: "how it is asked for, such as GET (none)",
    },
    Field {
        name: "cost",
        meaning: "what each request takes from the limit, a whole number (1)",
    },
    Field {
        name: "label",
        meaning: "a name for the block in reports (none)",
    },
    Field {
        name: "legitimate",
        meaning: "whether its requests ought to pass: true or false (not said)",
    },
];

/// The traffic of a scenario.
pub struct Workload {
    blocks: Vec<Block>,
    keys: Arc<Vec<String>>,
    marks: Vec<Mark>,
}

/// One `[[traffic]]` block.
pub struct Block {
    /// Its pattern.
    pub pattern: &'static str,
    /// Its name in reports.
    pub label: Option<String>,
    /// Whether its requests ought to pass.
    pub legitimate: Option<bool>,
    origin: Origin,
}

/// Where a block's arrivals come from.
enum Origin {
    /// A rule makes the instants; keys and cost are the block's.
    Made {
        pattern: Box<dyn Pattern>,
        keys: Keys,
        cost: Cost,
        mark: MarkId,
    },
    /// The records of a file.
    Recorded(Arc<Trace>),
}

impl Origin {
    /// The latest instant at which a request can come.
    fn last(&self) -> Option<SimTime> {
        match self {
            Self::Made { pattern, .. } => pattern.last(),
            Self::Recorded(trace) => trace.last(),
        }
    }
}

impl Workload {
    /// How many requests come: exact for scripted and recorded blocks, the mean (rounded up) for
    /// random ones.
    pub fn expected_requests(&self) -> u64 {
        let each = self.blocks.iter().map(|block| match &block.origin {
            Origin::Made { pattern, .. } => pattern.expected(),
            Origin::Recorded(trace) => trace.requests(),
        });
        each.fold(0, u64::saturating_add)
    }

    /// The names of the keys, by [`crate::units::KeyId`].
    pub fn keys(&self) -> Arc<Vec<String>> {
        self.keys.clone()
    }

    /// What the arrivals' marks stand for, by [`MarkId`].
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The blocks, as [`Mark::block`] counts them.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The arrivals of a run with this seed.
    pub fn rounds(&self, seed: u64) -> Rounds {
        let mut sequences = Vec::new();
        let mut streams: Vec<Vec<Stream>> = (0..SHARDS).map(|_| Vec::new()).collect();
        for (block, index) in self.blocks.iter().zip(0..) {
            match &block.origin {
                Origin::Made {
                    pattern,
                    keys,
                    cost,
                    mark,
                } if pattern.splits() => {
                    for (shard, share, keys) in keys.split(seed, index) {
                        let random = generator(seed, index, shard, Purpose::Instants);
                        let instants = pattern.instants(share, random);
                        let stream = Stream::new(instants, keys, *cost, *mark, index, shard);
                        streams[shard as usize].push(stream);
                    }
                }
                origin => sequences.push(Sequence::new(index, origin.sequence(seed, index))),
            }
        }
        let blocks: Arc<[u16]> = self.marks.iter().map(|mark| mark.block).collect();
        let feeds = streams
            .into_iter()
            .map(|streams| ShardFeed::new(streams, blocks.clone()));
        Rounds::new(sequences, feeds.collect())
    }
}

impl Origin {
    /// The arrivals of block `index` as one sequence.
    fn sequence(&self, seed: u64, index: u16) -> Arrivals {
        match self {
            Self::Recorded(trace) => Trace::arrivals(trace, seed, index),
            Self::Made {
                pattern,
                keys,
                cost,
                mark,
            } => {
                let random = generator(seed, index, WHOLE, Purpose::Instants);
                let mut keys = keys.whole(seed, index);
                let (cost, mark) = (*cost, *mark);
                let instants = pattern.instants(1.0, random);
                Box::new(instants.zip(0..).map(move |(at, seq)| {
                    Ok(Arrival {
                        at: SimTime::from_nanos(at),
                        cost,
                        seq,
                        key: keys.draw(),
                        mark,
                    })
                }))
            }
        }
    }
}
