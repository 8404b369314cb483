//! The latest requests of many keys where each costs 1.

use super::amounts::Counts;
use super::batch::{Answers, Batch};
use super::forwards::Verdicts;
use super::past::{Asked, Past};
use super::rings::{Blocks, first_of};
use crate::units::Limit;
use std::hint::black_box;

/// For each key the instants at which its latest requests leave the window, in a ring that is
/// overwritten from its oldest on and grows when that one has not left yet.
///
/// A key's requests are forwarded in order, so the window that ends at f holds more than k requests
/// just when the k-th latest before this one has not left at f: whether a limit or the highest count
/// so far is exceeded is one comparison each, without counting. What is not in the ring has left.
#[derive(Clone, Debug)]
pub struct Recent {
    window: u64,
    limit: u64,
    blocks: Blocks<u64>,
    keys: Vec<Ends>,
}

/// One key's ring.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    place: u32,
    /// Entries of its block, a power of two; 0 before the first request.
    room: u32,
    /// Where the next entry goes; the oldest one is there.
    next: u32,
    /// The most requests that a window has held.
    peak: u32,
}

impl Ends {
    /// Where the k-th latest entry lies, for k from 1 to the room.
    const fn latest(&self, k: u32) -> usize {
        let within = self.next.wrapping_sub(k) & self.room.wrapping_sub(1);
        first_of(self.place) + within as usize
    }
}

impl Recent {
    /// Whether the k-th latest request of a key, from 1 on, is in the window that ends at `at`.
    #[inline]
    fn holds(&self, key: &Ends, k: u64, at: u64) -> bool {
        let k = u32::try_from(k).unwrap_or(u32::MAX);
        k <= key.room && self.blocks.entries[key.latest(k)] > at
    }

    /// How many of a key's requests leave after `at`.
    fn count(&self, key: &Ends, at: u64) -> u32 {
        if key.room == 0 {
            return 0;
        }
        // The entries rise from the oldest on: how many have left is found by halving.
        let left = |oldest: u32| self.blocks.entries[key.latest(key.room - oldest)] <= at;
        let (mut gone, mut step) = (0, key.room / 2);
        while step > 0 {
            gone += if left(gone + step - 1) { step } else { 0 };
            step /= 2;
        }
        gone += u32::from(left(gone));
        key.room - gone
    }

    /// Notes a request that came at `now` and is forwarded at `at`.
    #[inline]
    fn forward(&mut self, slot: usize, now: u64, at: u64) {
        let key = &self.keys[slot];
        if key.room == 0 || self.blocks.entries[key.latest(key.room)] > now {
            self.grow(slot);
        }
        let key = &mut self.keys[slot];
        let peak = key.peak;
        let rises = peak == 0 || self.blocks.entries[key.latest(peak)] > at;
        key.peak += u32::from(rises);
        self.blocks.entries[key.latest(key.room)] = at.saturating_add(self.window);
        key.next = key.next.wrapping_add(1);
    }

    /// Moves a key whose oldest entry is still wanted to a block of twice the size.
    #[cold]
    fn grow(&mut self, slot: usize) {
        let old = self.keys[slot];
        let (place, room) = self.blocks.larger(old.room);
        let entries = &mut self.blocks.entries;
        for index in 0..old.room {
            entries[first_of(place) + index as usize] = entries[old.latest(old.room - index)];
        }
        self.blocks.give_back(old.place, old.room);
        self.keys[slot] = Ends {
            place,
            room,
            next: old.room,
            peak: old.peak,
        };
    }

    /// Reads what judging requests of these keys will read, so that the reads, which depend on
    /// nothing, wait for memory together and not one after the other.
    fn touch(&self, slots: &[u32]) {
        let k = u32::try_from(self.limit).unwrap_or(u32::MAX);
        let touched = slots.iter().fold(0, |sum, slot| {
            let key = &self.keys[*slot as usize];
            let entry = self.blocks.entries.get(key.latest(k.min(key.room)));
            sum ^ entry.copied().unwrap_or_default()
        });
        black_box(touched);
    }
}

impl Past<Counts> for Recent {
    fn new(limit: Limit) -> Self {
        Self {
            window: limit.window.get(),
            limit: limit.units,
            blocks: Blocks::default(),
            keys: Vec::new(),
        }
    }

    fn reach(&mut self, keys: usize) {
        self.keys.resize(keys, Ends::default());
    }

    fn judge(
        &mut self,
        batch: &Batch,
        answers: &Answers,
        asked: Asked,
        verdicts: &mut Verdicts<Counts>,
    ) {
        let delays = !answers.waits.is_empty();
        let mut highest = 0;
        let mut edges = batch.edges.iter().copied().peekable();
        for run in batch.runs() {
            self.touch(&batch.slots[run.clone()]);
            for index in run {
                if edges.next_if_eq(&index).is_some() {
                    highest = 0;
                }
                let (slot, now) = (batch.slots[index] as usize, batch.times[index]);
                let key = &self.keys[slot];
                // What is still to be forwarded lies behind what the window of now holds.
                let later = match delays && (asked.before || !answers.admitted[index]) {
                    true => self.count(key, now.saturating_add(self.window)),
                    false => 0,
                };
                if asked.before {
                    verdicts.before[index] = (self.count(key, now) - later).into();
                }
                let at = answers.forwarded(index, now);
                let (k, end) = match (answers.admitted[index], at) {
                    (false, _) => (self.limit.saturating_add(later.into()), now),
                    (true, Some(at)) => (self.limit, at),
                    (true, None) => {
                        verdicts.note(index, false, true);
                        continue;
                    }
                };
                let exceeds = self.limit == 0 || self.holds(key, k, end);
                verdicts.note(index, exceeds, answers.admitted[index]);
                if !answers.admitted[index] {
                    continue;
                }
                // A bucket of the series asks for its highest count alone; what is forwarded later
                // may belong to any bucket.
                if asked.counts && (delays || highest == 0 || self.holds(key, highest, end)) {
                    highest = u64::from(self.count(key, end)) + 1;
                    verdicts.counts[index] = highest;
                }
                self.forward(slot, now, end);
            }
        }
    }

    fn sum(&mut self, slot: usize, now: u64) -> u64 {
        self.count(&self.keys[slot], now).into()
    }

    fn note(&mut self, slot: usize, now: u64, _: u64) {
        self.forward(slot, now, now);
    }

    fn peak(&self, slot: usize) -> u64 {
        self.keys[slot].peak.into()
    }
}
