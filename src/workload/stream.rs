//! The arrivals of a block that a rule makes, or of the part of it that falls to one shard.

use super::cost::CostStream;
use super::demand::Demand;
use super::{Arrival, MarkId};
use crate::units::{KeyId, SimTime};

/// A position in the order of a run's arrivals: time, then traffic block.
pub(super) type Turn = (SimTime, u16);

/// The position behind all arrivals.
pub(super) const NO_BOUND: Turn = (SimTime::MAX, u16::MAX);

/// The most requests that a stream draws ahead.
const AHEAD: usize = 128;

/// The arrivals of one block, or a shard's part of them, in order.
///
/// Instants and keys are drawn ahead, many at a call; the first calls ask for few, since a scenario can
/// have many streams of few requests.
pub(super) struct Stream {
    demand: Demand,
    instants: Vec<u64>,
    keys: Vec<KeyId>,
    /// How many of those drawn have been given. Not all, unless the demand has ended.
    given: usize,
    costs: CostStream,
    mark: MarkId,
    block: u16,
    /// The seq of the next arrival, and how many more each next one has: parts of a block do not
    /// share numbers.
    seq: u64,
    step: u64,
}

impl Stream {
    /// A stream whose arrivals are numbered from `seq` on in steps of `step`.
    pub(super) fn new(
        demand: Demand,
        costs: CostStream,
        mark: MarkId,
        block: u16,
        (seq, step): (u64, u64),
    ) -> Self {
        let mut stream = Self {
            demand,
            instants: Vec::new(),
            keys: Vec::new(),
            given: 0,
            costs,
            mark,
            block,
            seq,
            step,
        };
        stream.draw();
        stream
    }

    /// Draws the next requests once all that were drawn have been given.
    fn draw(&mut self) {
        let room = (2 * self.instants.len()).clamp(8, AHEAD);
        self.instants.resize(room, 0);
        self.keys.resize(room, KeyId::default());
        let drawn = self.demand.fill(&mut self.instants, &mut self.keys);
        self.instants.truncate(drawn);
        self.keys.truncate(drawn);
        self.given = 0;
    }

    /// When the next arrival has its turn.
    pub(super) fn turn(&self) -> Option<Turn> {
        let next = self.instants.get(self.given)?;
        Some((SimTime::from_nanos(*next), self.block))
    }

    /// Appends the arrivals before `bound`, at most `room`; gives the turn of the next one.
    pub(super) fn run(
        &mut self,
        bound: Turn,
        mut room: usize,
        into: &mut Vec<Arrival>,
    ) -> Option<Turn> {
        // At the bound's own instant the earlier block goes first. No instant is the clock's end.
        let end = bound.0.as_nanos();
        let end = end.saturating_add(u64::from(self.block < bound.1));
        loop {
            let ahead = &self.instants[self.given..];
            let ahead = &ahead[..ahead.len().min(room)];
            let count = match ahead.last() {
                Some(last) if *last < end => ahead.len(),
                _ => ahead.iter().take_while(|at| **at < end).count(),
            };
            self.give(count, into);
            room -= count;
            if self.given < self.instants.len() || count == 0 {
                return self.turn();
            }
            self.draw();
            if room == 0 {
                return self.turn();
            }
        }
    }

    /// Appends the next `count` of those drawn.
    fn give(&mut self, count: usize, into: &mut Vec<Arrival>) {
        let those = self.given..self.given + count;
        let requests = self.instants[those.clone()].iter().zip(&self.keys[those]);
        let (mark, step) = (self.mark, self.step);
        let mut seq = self.seq;
        let mut arrival = |(at, key): (&u64, &KeyId), cost| {
            let arrival = Arrival {
                at: SimTime::from_nanos(*at),
                cost,
                seq,
                key: *key,
                mark,
            };
            seq += step;
            arrival
        };
        match &mut self.costs {
            CostStream::Fixed(cost) => into.extend(requests.map(|request| arrival(request, *cost))),
            drawn => into.extend(requests.map(|request| arrival(request, drawn.draw()))),
        }
        self.seq = seq;
        self.given += count;
    }
}
