//! Rounds: a workload's arrivals, slice by slice, cut into shards.
//!
//! Blocks that split are made within the shards and need no memory. The others are sequences: each
//! slice takes a bounded number of their arrivals in order and deals them out to the shards. A slice
//! ends at a position (time, block) of the run's order, where the next sequential arrival stands; the
//! shards' own streams stop there too, so that everything in a slice comes before everything in the
//! next one, however many requests share an instant.

use super::Arrival;
use super::feed::{NO_BOUND, ShardFeed, Turn};
use crate::error::Result;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most arrivals of sequential blocks in a slice.
const SLICE: usize = 1 << 18;

/// The arrivals of one run, to be worked off slice by slice.
pub struct Rounds {
    sequences: Vec<Sequence>,
    /// The next arrival of each sequence that has one.
    heads: BinaryHeap<Reverse<(Turn, usize)>>,
    feeds: Vec<ShardFeed>,
    progress: Progress,
    slice: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    NotBegun,
    Underway,
    /// The current slice is the last.
    Ending,
}

/// The arrivals of one sequential block in order.
pub(super) type Arrivals = Box<dyn Iterator<Item = Result<Arrival>> + Send>;

pub(super) struct Sequence {
    pub(super) block: u16,
    pub(super) arrivals: Arrivals,
    /// The arrival that its head in the heap stands for.
    pub(super) next: Option<Arrival>,
}

impl Sequence {
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
}

impl Rounds {
    pub(super) fn new(sequences: Vec<Sequence>, feeds: Vec<ShardFeed>) -> Self {
        Self {
            sequences,
            heads: BinaryHeap::new(),
            feeds,
            progress: Progress::NotBegun,
            slice: SLICE,
        }
    }

    /// Goes on to the next slice; false at the end. Every feed must have been emptied before.
    ///
    /// Fails when a trace can no longer be read.
    pub fn advance(&mut self) -> Result<bool> {
        match self.progress {
            Progress::Ending => return Ok(false),
            Progress::Underway => {}
            Progress::NotBegun => {
                for (index, sequence) in self.sequences.iter_mut().enumerate() {
                    if let Some(turn) = sequence.draw()? {
                        self.heads.push(Reverse((turn, index)));
                    }
                }
                self.progress = Progress::Underway;
            }
        }
        for feed in &mut self.feeds {
            feed.begin();
        }
        let end = self.deal()?;
        for feed in &mut self.feeds {
            feed.end_at(end);
        }
        if end == NO_BOUND {
            self.progress = Progress::Ending;
        }
        Ok(true)
    }

    /// Whether the present slice is the last.
    pub fn is_last(&self) -> bool {
        self.progress == Progress::Ending
    }

    /// Deals a slice's arrivals out to the shards; gives the turn of the first one that is left.
    fn deal(&mut self) -> Result<Turn> {
        let mut room = self.slice;
        while let Some(Reverse((turn, index))) = self.heads.pop() {
            if room == 0 {
                self.heads.push(Reverse((turn, index)));
                return Ok(turn);
            }
            let bound = self.heads.peek().map_or(NO_BOUND, |head| head.0.0);
            let sequence = &mut self.sequences[index];
            let mut turn = Some(turn);
            while let Some(here) = turn.filter(|turn| room > 0 && *turn < bound)
                && let Some(arrival) = sequence.next
            {
                debug_assert_eq!(arrival.at, here.0);
                self.feeds[arrival.key.shard() as usize].push(arrival);
                room -= 1;
                turn = sequence.draw()?;
            }
            if let Some(turn) = turn {
                self.heads.push(Reverse((turn, index)));
            }
        }
        Ok(NO_BOUND)
    }

    /// The shards' feeds for the current slice, by shard; they can be emptied in parallel.
    pub fn feeds(&mut self) -> &mut [ShardFeed] {
        &mut self.feeds
    }
}
