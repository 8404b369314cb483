//! What each key had in the trailing window: the sum of what was noted in (t − w, t].

use super::amounts::Amounts;
use super::rings::{Ring, Rings};
use crate::units::{Cost, Nanos};
use std::hint::black_box;

/// The requests of many keys within their trailing windows, in order of time.
#[derive(Clone, Debug)]
pub struct Windows<A: Amounts> {
    window: u64,
    rings: Rings<A::Entry>,
    keys: Vec<Trailing<A>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Trailing<A: Amounts> {
    ring: Ring,
    sum: A::Sum,
}

impl<A: Amounts> Windows<A> {
    /// No key has anything yet.
    pub fn new(window: Nanos) -> Self {
        Self {
            window: window.get(),
            rings: Rings::default(),
            keys: Vec::new(),
        }
    }

    /// Makes room for `keys` keys.
    pub fn reach(&mut self, keys: usize) {
        self.keys.resize_with(keys, Trailing::default);
    }

    /// Reads what questions about these keys will read, so that the reads, which depend on nothing,
    /// wait for memory together and not one after the other.
    #[inline]
    pub fn touch(&self, slots: &[u32]) {
        let touched = slots.iter().fold(0, |sum, slot| {
            let ring = &self.keys[*slot as usize].ring;
            sum ^ A::at(self.rings.peek(ring, 0))
        });
        black_box(touched);
    }

    /// The sum in (now − w, now], where `now` is not before any earlier one of the key.
    #[inline]
    pub fn sum(&mut self, slot: usize, now: u64) -> A::Sum {
        let key = &mut self.keys[slot];
        while let Some(entry) = self.rings.front(&key.ring) {
            if now - A::at(entry) < self.window {
                break;
            }
            key.sum -= A::cost_of(entry).into();
            key.ring.pop_front();
        }
        key.sum
    }

    /// Notes a request at `now`, for which the sum has just been asked.
    #[inline]
    pub fn note(&mut self, slot: usize, now: u64, cost: Cost) {
        let key = &mut self.keys[slot];
        self.rings.push_back(&mut key.ring, A::entry(now, cost));
        key.sum += cost.into();
    }
}
