//! The arrivals of one shard: what the lanes of that shard are fed with.

use super::Arrival;
use super::stream::{NO_BOUND, Stream, Turn};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::sync::Arc;

/// The most arrivals in a batch.
pub const BATCH: usize = 1 << 16;

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

    /// The block of each mark.
    pub(super) fn blocks(&self) -> Arc<[u16]> {
        self.blocks.clone()
    }

    /// Begins a slice: `dealt` is what the sequential blocks have for this shard, and streams stop
    /// before `end`. The emptied buffer of the last slice is given in exchange.
    pub(super) fn begin(&mut self, dealt: &mut Vec<Arrival>, end: Turn) {
        self.buffer.clear();
        std::mem::swap(&mut self.buffer, dealt);
        self.given = 0;
        self.end = end;
    }

    /// Puts up to [`BATCH`] of the next arrivals into `batch`, which is cleared first. False, with an
    /// empty batch, when the slice has no more.
    pub fn fill(&mut self, batch: &mut Vec<Arrival>) -> bool {
        self.fill_up_to(BATCH, batch)
    }

    /// As [`ShardFeed::fill`], with batches of up to `most` arrivals.
    pub(super) fn fill_up_to(&mut self, most: usize, batch: &mut Vec<Arrival>) -> bool {
        batch.clear();
        while batch.len() < most {
            let buffered = self.buffered();
            match self.heads.peek() {
                Some(Reverse((turn, _))) if *turn < buffered.min(self.end) => {
                    self.take_from_stream(buffered, most, batch);
                }
                _ if buffered < NO_BOUND => self.take_from_buffer(most, batch),
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
    fn take_from_stream(&mut self, buffered: Turn, most: usize, batch: &mut Vec<Arrival>) {
        // In a heap the second is one of the first one's two children.
        let heads = self.heads.as_slice();
        let others = heads.iter().skip(1).take(2).map(|head| head.0.0);
        let bound = others.fold(buffered.min(self.end), Turn::min);
        let Some(mut head) = self.heads.peek_mut() else {
            return;
        };
        let index = head.0.1;
        match self.streams[index].run(bound, most - batch.len(), batch) {
            Some(turn) => *head = Reverse((turn, index)),
            None => {
                PeekMut::pop(head);
            }
        }
    }

    /// Takes from the buffer until a stream comes before it.
    fn take_from_buffer(&mut self, most: usize, batch: &mut Vec<Arrival>) {
        let rest = &self.buffer[self.given..];
        let rest = &rest[..rest.len().min(most - batch.len())];
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
