//! Traffic: who asks, when, for how much.
//!
//! A [`Workload`] is read from the `[[traffic]]` blocks of a scenario. A run works off its
//! [`Rounds`]: slices of time, each cut into the shards' feeds, so that any number of threads meets
//! the same arrivals in the same order (time, block, place within the block).

mod arrival;
mod cost;
mod demand;
mod distribution;
mod feed;
mod identity;
mod in_order;
mod keys;
mod made;
mod pattern;
mod poisson_rates;
pub(crate) mod random;
mod read;
mod rounds;
#[cfg(test)]
mod statistics;
mod stream;
#[cfg(test)]
mod tests;
mod trace;

pub use arrival::{Arrival, Mark, MarkId};
pub use cost::Costs;
pub use distribution::Distribution;
pub use feed::{BATCH, ShardFeed};
pub use identity::{IDENTITY_FIELDS, Identities, Identity, PartId, PartNames};
pub use keys::Names;
pub use pattern::{
    Division, Field, Instants, Pattern, Reading, Setting, TrafficRow, point, read_burst,
    read_diurnal, read_on_off, read_poisson, read_ramp, read_renewal, read_script, read_steady,
};
pub use read::{Request, Resolved};
pub use rounds::Rounds;
pub use trace::{Files, Stated, Survey, read as read_trace};

use crate::units::{SHARDS, SimTime};
use cost::MAX_COST;
use keys::Keys;
use made::Made;
use rounds::{Recorded, Sequence};
use std::sync::Arc;
use stream::Stream;
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
        meaning: "a name, or { count, popularity = \"uniform\", \"zipf\" (with exponent), \
                  \"lognormal\" (with sigma) or \"hot\" (with share), prefix or \
                  network } (one key, \"all\")",
    },
    Field {
        name: "ip",
        meaning: "the address that each request comes from, for rules: as `keys`, or { count, \
                  network = \"2001:db8::/48\" } (the request's key)",
    },
    Field {
        name: "user",
        meaning: "the user that makes it, for rules: as `keys` (the request's key)",
    },
    Field {
        name: "api_key",
        meaning: "the API key that it shows, for rules: as `keys` (the request's key)",
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
        meaning: "what each request takes from the limit: a whole number or a distribution (1)",
    },
    Field {
        name: "label",
        meaning: "a name for the block in reports (none)",
    },
    Field {
        name: "legitimate",
        meaning: "whether its requests ought to pass: true or false (not said)",
    },
    Field {
        name: "client",
        meaning: "what its clients do that are refused: a table (the deployment's, else the scenario's)",
    },
];

/// The traffic of a scenario.
pub struct Workload {
    blocks: Vec<Block>,
    keys: Arc<Names>,
    parts: Arc<PartNames>,
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
    /// Where its requests' addresses, users and API keys are drawn from, where it says so.
    identity: [Option<Keys>; 3],
    origin: Origin,
}

impl Block {
    /// Whether it says who its requests are beyond their key.
    pub fn says_who(&self) -> bool {
        self.identity.iter().any(Option::is_some)
    }
}

/// Where a block's arrivals come from.
enum Origin {
    /// A rule makes the instants; keys and costs are the block's.
    Made(Made),
    /// The records of a file.
    Recorded(Arc<Trace>),
}

impl Origin {
    /// The latest instant at which a request can come.
    fn last(&self) -> Option<SimTime> {
        match self {
            Self::Made(made) => made.pattern.last(),
            Self::Recorded(trace) => trace.last(),
        }
    }
}

impl Workload {
    /// How many requests come: exact for scripted and recorded blocks, the mean (rounded up) for
    /// random ones.
    pub fn expected_requests(&self) -> u64 {
        let each = self.blocks.iter().map(|block| match &block.origin {
            Origin::Made(made) => made.pattern.expected(),
            Origin::Recorded(trace) => trace.requests(),
        });
        each.fold(0, u64::saturating_add)
    }

    /// Whether every request costs 1.
    pub fn has_unit_costs(&self) -> bool {
        self.blocks.iter().all(|block| match &block.origin {
            Origin::Made(made) => made.costs.is_unit(),
            Origin::Recorded(trace) => trace.has_unit_costs(),
        })
    }

    /// The names of the keys, by [`crate::units::KeyId`].
    pub fn keys(&self) -> Arc<Names> {
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
            let sequence = match &block.origin {
                Origin::Made(made) if made.pattern.division() == Division::Whole => {
                    Sequence::Made(made.sequence(seed, index))
                }
                Origin::Made(made) => {
                    for (shard, stream) in made.streams(seed, index) {
                        streams[shard as usize].push(stream);
                    }
                    continue;
                }
                Origin::Recorded(trace) => {
                    let arrivals = Trace::arrivals(trace, seed, index);
                    Sequence::Recorded(Recorded::new(index, arrivals))
                }
            };
            sequences.push(sequence);
        }
        let blocks: Arc<[u16]> = self.marks.iter().map(|mark| mark.block).collect();
        let feeds = streams
            .into_iter()
            .map(|streams| ShardFeed::new(streams, blocks.clone()));
        Rounds::new(sequences, feeds.collect())
    }
}
