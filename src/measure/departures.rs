//! What a candidate that delays has forwarded and will forward.

use super::amounts::Amounts;
use super::batch::{Answers, Batch};
use super::forwards::Verdicts;
use super::rings::{Ring, Rings};
use crate::units::{Cost, Limit, Nanos};
use std::hint::black_box;

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

    /// Judges a batch of decisions and notes what they forward.
    pub(super) fn judge(
        &mut self,
        limit: Limit,
        batch: &Batch,
        answers: &Answers,
        verdicts: &mut Verdicts<A>,
    ) {
        let bound = A::Sum::from(limit.units);
        for run in batch.runs() {
            self.touch(&batch.slots[run.clone()]);
            for index in run {
                let (slot, now) = (batch.slots[index] as usize, batch.times[index]);
                let cost = A::cost(&batch.costs, index);
                let admitted = answers.admitted[index];
                self.move_to(slot, now);
                let mut sum = self.keys[slot].due_cost;
                verdicts.before[index] = sum;
                let mut count = A::Sum::default();
                if admitted {
                    if let Some(at) = answers.forwarded(index, now).filter(|_| cost > 0) {
                        count = self.forward(slot, now, at, cost);
                    }
                    sum = count;
                } else {
                    sum += cost.into();
                }
                verdicts.note(index, (sum > bound, admitted), cost, count);
            }
        }
    }

    /// Reads what judging requests of these keys will read; see [`super::Windows::touch`].
    fn touch(&self, slots: &[u32]) {
        let touched = slots.iter().fold(0, |sum, slot| {
            let key = &self.keys[*slot as usize];
            let at = |index| A::at(self.rings.peek(&key.ring, index));
            sum ^ at(0) ^ at(key.due) ^ at(key.passed)
        });
        black_box(touched);
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
