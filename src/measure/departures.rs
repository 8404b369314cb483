//! The forwarded requests of many keys where each has a cost of its own.

use super::Grid;
use super::amounts::Sums;
use super::batch::{Answers, Columns, ahead};
use super::forwards::Verdicts;
use super::past::{Past, TOUCHED};
use super::rings::{Ring, Rings};
use crate::units::{Cost, Limit, SimTime};
use std::hint::black_box;

/// For each key what was forwarded, and is still to be, with its costs.
///
/// A queue forwards its requests in the order of their answers, so three places in that order that only
/// move forward answer every question: what has left the window of now, what has left the window of the
/// latest forward, and what is still to be forwarded. Where several queues forward the same key, a
/// request finds its place between those that are to be forwarded later.
#[derive(Clone, Debug)]
pub struct Departures {
    window: u64,
    limit: u64,
    rings: Rings<(u64, Cost)>,
    keys: Vec<Queue>,
    grid: Option<Grid>,
    tops: Vec<u128>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    ring: Ring,
    /// Entries at the front that lie in (t − w, t].
    due: u32,
    /// Entries at the front that have left the window of the latest forward.
    passed: u32,
    due_cost: u128,
    /// Cost of the entries that have not.
    recent_cost: u128,
    /// The highest that this has been.
    peak: u128,
}

impl Departures {
    /// Drops what left the window of `now` and takes in what was forwarded by `now`.
    fn move_to(&mut self, slot: usize, now: u64) {
        let key = &mut self.keys[slot];
        while let Some((at, cost)) = self.rings.get(&key.ring, key.due) {
            if at > now {
                break;
            }
            key.due_cost += u128::from(cost);
            key.due += 1;
        }
        while let Some((at, cost)) = self.rings.front(&key.ring) {
            if now.saturating_sub(at) < self.window || at > now {
                break;
            }
            key.due -= 1;
            key.due_cost -= u128::from(cost);
            if key.passed > 0 {
                key.passed -= 1;
            } else {
                key.recent_cost -= u128::from(cost);
            }
            key.ring.pop_front();
        }
    }

    /// Notes a forward at `at` of a request that came at `now`; gives the cost in (at − w, at].
    fn forward(&mut self, slot: usize, now: u64, at: u64, cost: Cost) -> u128 {
        let key = &mut self.keys[slot];
        if self
            .rings
            .back(&key.ring)
            .is_some_and(|(last, _)| last > at)
        {
            return self.squeeze_in(slot, now, at, cost);
        }
        self.rings.push_back(&mut key.ring, (at, cost));
        key.recent_cost += u128::from(cost);
        while let Some((earlier, left)) = self.rings.get(&key.ring, key.passed) {
            if at.saturating_sub(earlier) < self.window {
                break;
            }
            key.recent_cost -= u128::from(left);
            key.passed += 1;
        }
        if at == now {
            key.due = key.ring.len();
            key.due_cost += u128::from(cost);
        }
        key.peak = key.peak.max(key.recent_cost);
        key.recent_cost
    }

    /// The same of a forward that comes before others that have been noted: their windows hold it too.
    fn squeeze_in(&mut self, slot: usize, now: u64, at: u64, cost: Cost) -> u128 {
        let (window, key) = (self.window, &mut self.keys[slot]);
        let mut place = key.ring.len();
        let entry = |ring: &Ring, rings: &Rings<(u64, Cost)>, index| {
            rings.get(ring, index).expect("an entry of the ring")
        };
        while place > 0 && entry(&key.ring, &self.rings, place - 1).0 > at {
            place -= 1;
        }
        self.rings.insert(&mut key.ring, place, (at, cost));
        if at == now {
            key.due += 1;
            key.due_cost += u128::from(cost);
        }
        let last = key.ring.len() - 1;
        if entry(&key.ring, &self.rings, last).0 - at < window {
            key.recent_cost += u128::from(cost);
        } else {
            key.passed += 1;
        }
        let (mut first, mut sum) = (place, u128::from(cost));
        while first > 0 {
            let (earlier, cost) = entry(&key.ring, &self.rings, first - 1);
            if at - earlier >= window {
                break;
            }
            sum += u128::from(cost);
            first -= 1;
        }
        let own = sum;
        key.peak = key.peak.max(own);
        for index in place + 1..=last {
            let (later, cost) = entry(&key.ring, &self.rings, index);
            if later - at >= window {
                break;
            }
            sum += u128::from(cost);
            while let (earlier, left) = entry(&key.ring, &self.rings, first)
                && later - earlier >= window
            {
                sum -= u128::from(left);
                first += 1;
            }
            key.peak = key.peak.max(sum);
            let bucket = self
                .grid
                .and_then(|grid| grid.bucket(SimTime::from_nanos(later)));
            if let Some(bucket) = bucket {
                self.tops[bucket] = self.tops[bucket].max(sum);
            }
        }
        own
    }
}

impl Departures {
    /// Takes in what was forwarded at `at`, having come at `now`, before anyone was to be held to the limit:
    /// windows to come hold it, and it raises no peak.
    pub fn recall(&mut self, slot: usize, now: u64, at: u64, cost: Cost) {
        self.move_to(slot, now);
        let peak = self.keys[slot].peak;
        self.forward(slot, now, at, cost);
        self.keys[slot].peak = peak;
    }
}

impl Past<Sums> for Departures {
    fn new(limit: Limit, tops: Option<Grid>) -> Self {
        Self {
            window: limit.window.get(),
            limit: limit.units,
            rings: Rings::default(),
            keys: Vec::new(),
            grid: tops,
            tops: vec![0; tops.map_or(0, Grid::count)],
        }
    }

    fn reach(&mut self, keys: usize) {
        self.keys.resize(keys, Queue::default());
    }

    fn judge(&mut self, batch: &Columns, answers: &Answers, verdicts: &mut Verdicts<Sums>) {
        let bound = u128::from(self.limit);
        for index in 0..batch.len() {
            if index % TOUCHED == 0 {
                self.touch(ahead(batch.slots, index));
            }
            let (slot, now) = (batch.slots[index] as usize, batch.times[index]);
            let cost = batch.costs[index];
            self.move_to(slot, now);
            let before = self.keys[slot].due_cost;
            if let Some(noted) = verdicts.before.get_mut(index) {
                *noted = before;
            }
            if !answers.admitted[index] {
                verdicts.wrong[index] = before + u128::from(cost) <= bound;
                continue;
            }
            let at = answers.forwarded(index, now).filter(|_| cost > 0);
            let count = at.map_or(0, |at| self.forward(slot, now, at, cost));
            verdicts.wrong[index] = count > bound;
            let bucket = at
                .zip(self.grid)
                .and_then(|(at, grid)| grid.bucket(SimTime::from_nanos(at)));
            if let Some(bucket) = bucket {
                self.tops[bucket] = self.tops[bucket].max(count);
            }
        }
    }

    fn sum(&mut self, slot: usize, now: u64) -> u128 {
        self.move_to(slot, now);
        self.keys[slot].due_cost
    }

    fn touch(&self, slots: &[u32]) {
        let touched = slots.iter().fold(0, |sum, slot| {
            let oldest = self.rings.front(&self.keys[*slot as usize].ring);
            sum ^ oldest.unwrap_or_default().0
        });
        black_box(touched);
    }

    fn note(&mut self, slot: usize, now: u64, cost: Cost) {
        self.forward(slot, now, now, cost);
    }

    fn peak(&self, slot: usize) -> u128 {
        self.keys[slot].peak
    }

    fn highest(&self) -> u128 {
        let peaks = self.keys.iter().map(|key| key.peak);
        peaks.max().unwrap_or(0)
    }

    fn tops(&self) -> &[u128] {
        &self.tops
    }
}
