//! Rounds: a workload's arrivals, slice by slice, cut into shards.
//!
//! Blocks that split are made within the shards and need no memory. The others are sequences: each
//! slice takes a bounded number of their arrivals in order and deals them out to the shards. A slice
//! ends at a position (time, block) of the run's order, where the next sequential arrival stands; the
//! shards' own streams stop there too, so that everything in a slice comes before everything in the
//! next one, however many requests share an instant.

use super::Arrival;
use super::feed::ShardFeed;
use super::stream::{NO_BOUND, Stream, Turn};
use crate::error::Result;
use crate::units::SHARDS;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The most arrivals of sequential blocks in a slice.
const SLICE: usize = 1 << 18;

/// The arrivals of one run, to be worked off slice by slice.
pub struct Rounds {
    dealer: Dealer,
    /// The next slice for each shard, and where it ends; `None` before it is dealt and after the last.
    dealt: Vec<Vec<Arrival>>,
    end: Option<Turn>,
    feeds: Vec<ShardFeed>,
    /// Whether the last slice has been dealt.
    is_last: bool,
}

/// Deals the arrivals of sequential blocks out to the shards.
struct Dealer {
    sequences: Vec<Sequence>,
    /// The next turn of each sequence that has one; `None` before they have begun.
    heads: Option<BinaryHeap<Reverse<(Turn, usize)>>>,
    /// What one sequence gave before another one's turn.
    run: Vec<Arrival>,
}

/// The arrivals of one recorded block in order.
pub(super) type Arrivals = Box<dyn Iterator<Item = Result<Arrival>> + Send>;

/// The arrivals of one sequential block in order.
pub(super) enum Sequence {
    Made(Stream),
    Recorded(Recorded),
}

/// A sequence whose arrivals can fail.
pub(super) struct Recorded {
    block: u16,
    arrivals: Arrivals,
    next: Option<Arrival>,
}

impl Recorded {
    pub(super) fn new(block: u16, arrivals: Arrivals) -> Self {
        Self {
            block,
            arrivals,
            next: None,
        }
    }

    /// Draws the next arrival and gives its turn.
    fn draw(&mut self) -> Result<Option<Turn>> {
        self.next = self.arrivals.next().transpose()?;
        Ok(self.next.map(|arrival| (arrival.at, self.block)))
    }

    /// As [`Stream::run`].
    fn run(&mut self, bound: Turn, room: usize, into: &mut Vec<Arrival>) -> Result<Option<Turn>> {
        let most = into.len() + room;
        while let Some(arrival) = self.next {
            let turn = (arrival.at, self.block);
            if into.len() == most || turn >= bound {
                return Ok(Some(turn));
            }
            into.push(arrival);
            self.draw()?;
        }
        Ok(None)
    }
}

impl Sequence {
    /// The turn of the first arrival.
    fn begin(&mut self) -> Result<Option<Turn>> {
        match self {
            Self::Made(stream) => Ok(stream.turn()),
            Self::Recorded(recorded) => recorded.draw(),
        }
    }

    fn run(&mut self, bound: Turn, room: usize, into: &mut Vec<Arrival>) -> Result<Option<Turn>> {
        match self {
            Self::Made(stream) => Ok(stream.run(bound, room, into)),
            Self::Recorded(recorded) => recorded.run(bound, room, into),
        }
    }
}

impl Dealer {
    fn new(sequences: Vec<Sequence>) -> Self {
        Self {
            sequences,
            heads: None,
            run: Vec::new(),
        }
    }

    /// The next turn of each sequence at the beginning.
    fn begin(&mut self) -> Result<BinaryHeap<Reverse<(Turn, usize)>>> {
        let mut heads = BinaryHeap::new();
        for (index, sequence) in self.sequences.iter_mut().enumerate() {
            if let Some(turn) = sequence.begin()? {
                heads.push(Reverse((turn, index)));
            }
        }
        Ok(heads)
    }

    /// Deals a slice's arrivals out to the shards; gives the turn of the first one that is left.
    fn deal(&mut self, shards: &mut [Vec<Arrival>]) -> Result<Turn> {
        let mut heads = match self.heads.take() {
            Some(heads) => heads,
            None => self.begin()?,
        };
        let mut room = SLICE;
        let mut end = NO_BOUND;
        while let Some(Reverse((turn, index))) = heads.pop() {
            if room == 0 {
                heads.push(Reverse((turn, index)));
                end = turn;
                break;
            }
            let bound = heads.peek().map_or(NO_BOUND, |head| head.0.0);
            self.run.clear();
            let next = self.sequences[index].run(bound, room, &mut self.run)?;
            room -= self.run.len();
            for arrival in &self.run {
                shards[arrival.key.shard() as usize].push(*arrival);
            }
            heads.extend(next.map(|turn| Reverse((turn, index))));
        }
        self.heads = Some(heads);
        Ok(end)
    }
}

impl Rounds {
    pub(super) fn new(sequences: Vec<Sequence>, feeds: Vec<ShardFeed>) -> Self {
        Self {
            dealer: Dealer::new(sequences),
            dealt: (0..SHARDS).map(|_| Vec::new()).collect(),
            end: None,
            feeds,
            is_last: false,
        }
    }

    /// The block of each mark.
    pub(super) fn blocks(&self) -> Arc<[u16]> {
        self.feeds
            .first()
            .map(ShardFeed::blocks)
            .unwrap_or_default()
    }

    /// Goes on to the next slice; false at the end. Every feed must have been emptied before.
    ///
    /// Fails when a trace can no longer be read.
    pub fn advance(&mut self) -> Result<bool> {
        let end = match self.end.take() {
            Some(end) => end,
            None if self.is_last => return Ok(false),
            None => self.dealer.deal(&mut self.dealt)?,
        };
        for (feed, dealt) in self.feeds.iter_mut().zip(&mut self.dealt) {
            feed.begin(dealt, end);
        }
        self.is_last = end == NO_BOUND;
        Ok(true)
    }

    /// Gives `work` the feeds of one slice after another, to be emptied, and whether it is the last;
    /// while it does so, the next slice is dealt out on another thread if there is one.
    ///
    /// Fails when a trace can no longer be read.
    pub fn work_off(mut self, mut work: impl FnMut(&mut [ShardFeed], bool) + Send) -> Result<()> {
        while self.advance()? {
            if self.is_last {
                work(&mut self.feeds, true);
                continue;
            }
            let (feeds, dealt) = (&mut self.feeds, &mut self.dealt);
            let ((), end) = rayon::join(|| work(feeds, false), || self.dealer.deal(dealt));
            self.end = Some(end?);
        }
        Ok(())
    }

    /// The shards' feeds for the current slice, by shard; they can be emptied in parallel.
    pub fn feeds(&mut self) -> &mut [ShardFeed] {
        &mut self.feeds
    }
}
