//! All arrivals of a run in one order, for those who cannot decide shard by shard.

use super::{Arrival, Rounds, ShardFeed};
use crate::error::Result;
use crate::units::SimTime;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::Arc;

/// The most arrivals that `work` is given at a time.
const CHUNK: usize = 1 << 14;

/// The most arrivals of a shard that are drawn ahead: those of all shards lie in a near cache.
const AHEAD: usize = 1 << 7;

/// The place of an arrival in a run: time, block, place within the block, shard.
type Place = (SimTime, u16, u64, usize);

/// One shard's next arrivals.
#[derive(Default)]
struct Head {
    drawn: Vec<Arrival>,
    given: usize,
}

/// Merges the shards' feeds.
struct Merge {
    /// The block of each mark.
    blocks: Arc<[u16]>,
    shards: Vec<Head>,
    heads: BinaryHeap<Reverse<Place>>,
}

impl Merge {
    /// The place of a shard's next arrival, drawn if need be; `None` at the end of the slice.
    fn place(&mut self, feeds: &mut [ShardFeed], shard: usize) -> Option<Place> {
        let head = &mut self.shards[shard];
        if head.given == head.drawn.len() {
            head.given = 0;
            feeds[shard].fill_up_to(AHEAD, &mut head.drawn);
        }
        let next = head.drawn.get(head.given)?;
        let block = self.blocks[next.mark.0 as usize];
        Some((next.at, block, next.seq, shard))
    }

    /// Begins a slice, of which nothing has been given.
    fn begin(&mut self, feeds: &mut [ShardFeed]) {
        for shard in 0..feeds.len() {
            let place = self.place(feeds, shard);
            self.heads.extend(place.map(Reverse));
        }
    }

    /// Puts the next arrivals into a chunk, up to its size; false when the slice has no more.
    fn fill(&mut self, feeds: &mut [ShardFeed], chunk: &mut Vec<Arrival>) -> bool {
        chunk.clear();
        while chunk.len() < CHUNK {
            let Some(Reverse((.., shard))) = self.heads.peek().copied() else {
                break;
            };
            let head = &mut self.shards[shard];
            chunk.push(head.drawn[head.given]);
            head.given += 1;
            let next = self.place(feeds, shard);
            let mut top = self.heads.peek_mut().expect("as just seen");
            match next {
                Some(place) => *top = Reverse(place),
                None => {
                    PeekMut::pop(top);
                }
            }
        }
        !chunk.is_empty()
    }
}

impl Rounds {
    /// Gives `work` all arrivals in order of (time, block, place within the block, shard), a few
    /// thousand at a time.
    ///
    /// Fails when a trace can no longer be read.
    pub fn work_off_in_order(self, mut work: impl FnMut(&[Arrival]) + Send) -> Result<()> {
        let mut merge = Merge {
            blocks: self.blocks(),
            shards: Vec::new(),
            heads: BinaryHeap::new(),
        };
        let (mut chunk, mut next) = (Vec::new(), Vec::new());
        self.work_off(|feeds, _| {
            merge.shards.resize_with(feeds.len(), Head::default);
            merge.begin(feeds);
            let mut more = merge.fill(feeds, &mut chunk);
            while more {
                // The next chunk is drawn beside the work on this one.
                (more, ()) = rayon::join(|| merge.fill(feeds, &mut next), || work(&chunk));
                std::mem::swap(&mut chunk, &mut next);
            }
        })
    }
}
