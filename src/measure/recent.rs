//! The latest requests of many keys where each costs 1.

use super::Grid;
use super::amounts::Counts;
use super::batch::{Answers, Batch, Columns, ahead};
use super::forwards::Verdicts;
use super::past::{Past, TOUCHED};
use super::rings::{Blocks, first_of};
use crate::units::{Limit, SimTime};
use std::hint::black_box;

/// For each key the instants at which its latest requests leave the window, in a ring that is
/// overwritten from its oldest on and grows when that one has not left yet.
///
/// A key's instants are kept in order, so the window that ends at f holds more than k requests
/// just when the k-th latest before this one has not left at f: whether a limit or the highest count
/// so far is exceeded is one comparison each, without counting. What is not in the ring has left.
#[derive(Clone, Debug)]
pub struct Recent {
    window: u64,
    limit: u64,
    blocks: Blocks<u64>,
    keys: Vec<Ends>,
    /// How many of each key's latest requests were in the window when its sum was last asked for, and
    /// how many were noted since: followed where sums are asked for at every request.
    present: Vec<u32>,
    grid: Option<Grid>,
    tops: Vec<u64>,
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
    #[inline(always)]
    fn forward(&mut self, slot: usize, now: u64, at: u64) {
        let key = &self.keys[slot];
        if key.room == 0 || self.blocks.entries[key.latest(key.room)] > now {
            self.grow(slot);
        }
        let key = &mut self.keys[slot];
        let entries = self.blocks.entries.as_mut_slice();
        let rises = key.peak == 0 || entries[key.latest(key.peak)] > at;
        key.peak += u32::from(rises);
        entries[key.latest(key.room)] = at.saturating_add(self.window);
        key.next = key.next.wrapping_add(1);
    }

    /// The same of a request that is forwarded before the `behind` latest ones: their windows hold it
    /// too.
    #[cold]
    fn squeeze_in(&mut self, slot: usize, now: u64, at: u64, behind: u32) {
        let key = &self.keys[slot];
        if self.blocks.entries[key.latest(key.room)] > now {
            self.grow(slot);
        }
        let mut key = self.keys[slot];
        let entries = &mut self.blocks.entries;
        for k in 1..=behind {
            entries[key.latest(k - 1)] = entries[key.latest(k)];
        }
        entries[key.latest(behind)] = at.saturating_add(self.window);
        key.next = key.next.wrapping_add(1);
        for k in (1..=behind + 1).rev() {
            let end = self.blocks.entries[key.latest(k)] - self.window;
            if end - at >= self.window {
                break;
            }
            key.peak += u32::from(self.holds(&key, u64::from(k) + u64::from(key.peak), end));
            let bucket = self.bucket_of(end);
            if let Some(top) = self.tops.get(bucket as usize) {
                let until = self.count(&key, end) - (k - 1);
                self.tops[bucket as usize] = (*top).max(until.into());
            }
        }
        self.keys[slot] = key;
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

    /// Raises the top of the bucket in which a request is forwarded at `at`, where its window exceeds
    /// that: what does not need no counting.
    #[inline]
    fn raise(&mut self, slot: usize, at: u64, bucket: u32) {
        let Some(top) = self.tops.get(bucket as usize) else {
            return;
        };
        let key = &self.keys[slot];
        if *top == 0 || self.holds(key, *top, at) {
            self.tops[bucket as usize] = u64::from(self.count(key, at)) + 1;
        }
    }
}

impl Recent {
    /// The bucket of an instant.
    fn bucket_of(&self, at: u64) -> u32 {
        let bucket = self
            .grid
            .and_then(|grid| grid.bucket(SimTime::from_nanos(at)));
        let bucket = bucket.and_then(|bucket| u32::try_from(bucket).ok());
        bucket.unwrap_or(Batch::NO_BUCKET)
    }

    /// Judges a candidate that forwards everything as it comes.
    fn judge_at_once(
        &mut self,
        batch: &Columns,
        answers: &Answers,
        verdicts: &mut Verdicts<Counts>,
    ) {
        let requests = batch.times.iter().zip(batch.slots);
        let answered = answers.admitted.iter().zip(&mut verdicts.wrong);
        for (index, ((now, slot), (admitted, wrong))) in requests.zip(answered).enumerate() {
            if index % TOUCHED == 0 {
                self.touch(ahead(batch.slots, index));
            }
            let (slot, now) = (*slot as usize, *now);
            if let Some(before) = verdicts.before.get_mut(index) {
                *before = self.sum(slot, now);
                self.present[slot] += u32::from(*admitted);
            }
            let exceeds = self.limit == 0 || self.holds(&self.keys[slot], self.limit, now);
            *wrong = exceeds == *admitted;
            if *admitted {
                if let Some(bucket) = batch.buckets.get(index) {
                    self.raise(slot, now, *bucket);
                }
                self.forward(slot, now, now);
            }
        }
    }

    /// Judges a candidate that forwards some requests later.
    fn judge_later(&mut self, batch: &Columns, answers: &Answers, verdicts: &mut Verdicts<Counts>) {
        for index in 0..batch.len() {
            let (slot, now) = (batch.slots[index] as usize, batch.times[index]);
            let (key, admitted) = (&self.keys[slot], answers.admitted[index]);
            // What is still to be forwarded lies behind what the window of now holds.
            let later = match !admitted || !verdicts.before.is_empty() {
                true => self.count(key, now.saturating_add(self.window)),
                false => 0,
            };
            if let Some(before) = verdicts.before.get_mut(index) {
                *before = (self.count(key, now) - later).into();
            }
            if !admitted {
                let k = self.limit.saturating_add(later.into());
                verdicts.wrong[index] = self.limit > 0 && !self.holds(key, k, now);
                continue;
            }
            let Some(at) = answers.forwarded(index, now) else {
                verdicts.wrong[index] = false;
                continue;
            };
            let behind = match self.holds(key, 1, at.saturating_add(self.window)) {
                true => self.count(key, at.saturating_add(self.window)),
                false => 0,
            };
            let k = self.limit.saturating_add(behind.into());
            verdicts.wrong[index] = self.limit == 0 || self.holds(key, k, at);
            if behind > 0 {
                self.squeeze_in(slot, now, at, behind);
                continue;
            }
            self.raise(slot, at, self.bucket_of(at));
            self.forward(slot, now, at);
        }
    }
}

impl Past<Counts> for Recent {
    fn new(limit: Limit, tops: Option<Grid>) -> Self {
        Self {
            window: limit.window.get(),
            limit: limit.units,
            blocks: Blocks::default(),
            keys: Vec::new(),
            present: Vec::new(),
            grid: tops,
            tops: vec![0; tops.map_or(0, Grid::count)],
        }
    }

    fn reach(&mut self, keys: usize) {
        self.keys.resize(keys, Ends::default());
        self.present.resize(keys, 0);
    }

    fn judge(&mut self, batch: &Columns, answers: &Answers, verdicts: &mut Verdicts<Counts>) {
        if answers.waits.is_empty() {
            self.judge_at_once(batch, answers, verdicts);
        } else {
            self.judge_later(batch, answers, verdicts);
        }
    }

    #[inline]
    fn sum(&mut self, slot: usize, now: u64) -> u64 {
        let key = &self.keys[slot];
        let present = &mut self.present[slot];
        while *present > 0 && self.blocks.entries[key.latest(*present)] <= now {
            *present -= 1;
        }
        (*present).into()
    }

    #[inline]
    fn note(&mut self, slot: usize, now: u64, _: u64) {
        self.forward(slot, now, now);
        self.present[slot] += 1;
    }

    fn touch(&self, slots: &[u32]) {
        let touched = slots.iter().fold(0, |sum, slot| {
            let key = &self.keys[*slot as usize];
            let oldest = self.blocks.entries.get(key.latest(key.room));
            sum ^ oldest.copied().unwrap_or_default()
        });
        black_box(touched);
    }

    fn peak(&self, slot: usize) -> u64 {
        self.keys[slot].peak.into()
    }

    fn highest(&self) -> u64 {
        let peaks = self.keys.iter().map(|key| key.peak);
        peaks.max().unwrap_or(0).into()
    }

    fn tops(&self) -> &[u64] {
        &self.tops
    }
}
