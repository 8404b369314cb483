//! What a candidate that delays has forwarded and will forward.

use super::amounts::Amounts;
use super::batch::{Answers, Batch};
use super::forwards::Verdicts;
use super::rings::{Ring, Rings};
use crate::units::{Cost, Limit, Nanos};

/// What a candidate that delays forwarded, and will forward, for each key of a shard.
///
/// It forwards each key's requests in the order of their arrival, so three places in that order that
/// only move forward answer every question: what has left the window of now, what has left the window
/// of the latest forward, and what is still to be forwarded.
#[derive(Clone, Debug)]
pub struct Departures<A: Amounts> {
    window: u64,
    rings: Rings<A::Entry>,
    keys: Vec<Queue<A>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Queue<A: Amounts> {
    ring: Ring,
    /// Entries at the front that lie in (t − w, t].
    due: u32,
    /// Entries at the front that have left the window of the latest forward.
    passed: u32,
    due_cost: A::Sum,
    /// Cost of the entries that have not.
    recent_cost: A::Sum,
}

impl<A: Amounts> Departures<A> {
    pub(super) fn new(window: Nanos) -> Self {
        Self {
            window: window.get(),
            rings: Rings::default(),
            keys: Vec::new(),
        }
    }

    pub(super) fn reach(&mut self, keys: usize) {
        self.keys.resize_with(keys, Queue::default);
    }

    /// Judges the decision at `index` of a batch and notes what it forwards.
    pub(super) fn judge(
        &mut self,
        limit: Limit,
        batch: &Batch,
        answers: &Answers,
        index: usize,
        verdicts: &mut Verdicts<A>,
    ) {
        let (slot, now) = (batch.slots[index] as usize, batch.times[index]);
        let cost = A::cost(&batch.costs, index);
        let bound = A::Sum::from(limit.units);
        self.move_to(slot, now);
        let before = self.keys[slot].due_cost;
        verdicts.before.push(before);
        if !answers.admitted[index] {
            let mut sum = before;
            sum += cost.into();
            verdicts.push(sum > bound, false, cost, A::Sum::default());
            return;
        }
        let count = match answers.forwarded(index, now) {
            Some(at) if cost > 0 => self.forward(slot, now, at, cost),
            _ => A::Sum::default(),
        };
        verdicts.push(count > bound, true, cost, count);
    }

    /// Drops what left the window of `now` and takes in what was forwarded by `now`.
    fn move_to(&mut self, slot: usize, now: u64) {
        let key = &mut self.keys[slot];
        while let Some(entry) = self.rings.get(&key.ring, key.due) {
            if A::at(entry) > now {
                break;
            }
            key.due_cost += A::cost_of(entry).into();
            key.due += 1;
        }
        while let Some(entry) = self.rings.front(&key.ring) {
            let at = A::at(entry);
            if now.saturating_sub(at) < self.window || at > now {
                break;
            }
            let cost = A::Sum::from(A::cost_of(entry));
            key.due -= 1;
            key.due_cost -= cost;
            if key.passed > 0 {
                key.passed -= 1;
            } else {
                key.recent_cost -= cost;
            }
            key.ring.pop_front();
        }
    }

    /// Notes a forward at `at` of a request that came at `now`; gives the cost in (at − w, at].
    fn forward(&mut self, slot: usize, now: u64, at: u64, cost: Cost) -> A::Sum {
        let key = &mut self.keys[slot];
        self.rings.push_back(&mut key.ring, A::entry(at, cost));
        key.recent_cost += cost.into();
        while let Some(entry) = self.rings.get(&key.ring, key.passed) {
            if at.saturating_sub(A::at(entry)) < self.window {
                break;
            }
            key.recent_cost -= A::cost_of(entry).into();
            key.passed += 1;
        }
        if at == now {
            key.due = key.ring.len();
            key.due_cost += cost.into();
        }
        key.recent_cost
    }
}
