//! The arrivals of one shard: what the lanes of that shard are fed with.

use super::cost::CostStream;
use super::demand::Demand;
use super::{Arrival, MarkId};
use crate::units::{KeyId, SHARDS, SimTime};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The most arrivals in a batch.
pub const BATCH: usize = 1 << 15;

/// A position in the order of a run's arrivals: time, then traffic block.
pub(super) type Turn = (SimTime, u16);

/// The position behind all arrivals.
pub(super) const NO_BOUND: Turn = (SimTime::MAX, u16::MAX);

/// The arrivals of one shard in order.
///
/// They come from two sides: what the sequential blocks put into this shard's buffer for the current
/// slice, and the streams that the shard makes itself. Both are merged by (time, block); within a
/// block they keep their order.
pub struct ShardFeed {
    /// From the sequential blocks, merged.
    buffer: Vec<Arrival>,
    /// How many of these have been given.
    given: usize,
    streams: Vec<Stream>,
    /// The next turn of each stream that has one.
    heads: BinaryHeap<Reverse<(Turn, usize)>>,
    /// Where the current slice ends for the streams.
    end: Turn,
    /// The block of each mark.
    blocks: Arc<[u16]>,
}

impl ShardFeed {
    pub(super) fn new(streams: Vec<Stream>, blocks: Arc<[u16]>) -> Self {
        let heads = streams
            .iter()
            .enumerate()
            .filter_map(|(index, stream)| Some(Reverse((stream.turn()?, index))))
            .collect();
        Self {
            buffer: Vec::new(),
            given: 0,
            streams,
            heads,
            end: NO_BOUND,
            blocks,
        }
    }

    /// Begins a slice with an empty buffer.
    pub(super) fn begin(&mut self) {
        self.buffer.clear();
        self.given = 0;
    }

    /// Puts the next arrival of the sequential blocks into the buffer.
    pub(super) fn push(&mut self, arrival: Arrival) {
        self.buffer.push(arrival);
    }

    /// States where the slice ends: streams stop before it.
    pub(super) fn end_at(&mut self, end: Turn) {
        self.end = end;
    }

    /// Puts up to [`BATCH`] of the next arrivals into `batch`, which is cleared first. False, with an
    /// empty batch, when the slice has no more.
    pub fn fill(&mut self, batch: &mut Vec<Arrival>) -> bool {
        batch.clear();
        while batch.len() < BATCH {
            let buffered = self.buffered();
            match self.heads.peek() {
                Some(Reverse((turn, _))) if *turn < buffered.min(self.end) => {
                    self.take_from_stream(buffered, batch);
                }
                _ if buffered < NO_BOUND => self.take_from_buffer(batch),
                _ => break,
            }
        }
        !batch.is_empty()
    }

    /// The turn of the buffer's next arrival.
    fn buffered(&self) -> Turn {
        let next = self.buffer.get(self.given);
        next.map_or(NO_BOUND, |arrival| self.turn_of(arrival))
    }

    fn turn_of(&self, arrival: &Arrival) -> Turn {
        (arrival.at, self.blocks[arrival.mark.0 as usize])
    }

    /// Takes from the earliest stream until something else comes before it.
    fn take_from_stream(&mut self, buffered: Turn, batch: &mut Vec<Arrival>) {
        let Some(Reverse((_, index))) = self.heads.pop() else {
            return;
        };
        let other = self.heads.peek().map_or(NO_BOUND, |head| head.0.0);
        let bound = other.min(buffered).min(self.end);
        let stream = &mut self.streams[index];
        if let Some(turn) = stream.run(bound, batch) {
            self.heads.push(Reverse((turn, index)));
        }
    }

    /// Takes from the buffer until a stream comes before it.
    fn take_from_buffer(&mut self, batch: &mut Vec<Arrival>) {
        let rest = &self.buffer[self.given..];
        let rest = &rest[..rest.len().min(BATCH - batch.len())];
        let count = match self.heads.peek() {
            Some(Reverse((stream, _))) if *stream < self.end => rest
                .iter()
                .take_while(|arrival| self.turn_of(arrival) < *stream)
                .count(),
            _ => rest.len(),
        };
        batch.extend_from_slice(&rest[..count]);
        self.given += count;
    }
}

/// The part of a splitting block that falls to one shard: it makes its own arrivals.
pub(super) struct Stream {
    demand: Demand,
    next: Option<(SimTime, KeyId)>,
    costs: CostStream,
    mark: MarkId,
    block: u16,
    /// The seq of the next arrival: the shard, and `SHARDS` more with each, so that the parts of a
    /// block do not share numbers.
    seq: u64,
}

impl Stream {
    pub(super) fn new(
        mut demand: Demand,
        costs: CostStream,
        mark: MarkId,
        block: u16,
        shard: u32,
    ) -> Self {
        let next = demand.next();
        Self {
            demand,
            next,
            costs,
            mark,
            block,
            seq: u64::from(shard),
        }
    }

    fn turn(&self) -> Option<Turn> {
        self.next.map(|(at, _)| (at, self.block))
    }

    /// Puts the arrivals before `bound` into the batch as far as there is room; gives the next turn.
    fn run(&mut self, bound: Turn, batch: &mut Vec<Arrival>) -> Option<Turn> {
        while let Some((at, key)) = self.next {
            if (at, self.block) >= bound || batch.len() == BATCH {
                break;
            }
            batch.push(Arrival {
                at,
                cost: self.costs.draw(),
                seq: self.seq,
                key,
                mark: self.mark,
            });
            self.seq += u64::from(SHARDS);
            self.next = self.demand.next();
        }
        self.turn()
    }
}
