//! Counts of decisions by key.

use super::KeyTally;
use super::amounts::Amounts;
use super::batch::{Answers, Batch};
use super::forwards::Verdicts;
use crate::units::SimTime;

/// One candidate's counts for every key of a shard.
#[derive(Clone, Debug, Default)]
pub struct PerKey<A: Amounts> {
    keys: Vec<Counted<A>>,
}

#[derive(Clone, Copy, Debug)]
struct Counted<A: Amounts> {
    allowed: u64,
    /// The end of the clock where none was.
    first_denied: u64,
    peak: A::Sum,
}

impl<A: Amounts> Default for Counted<A> {
    fn default() -> Self {
        Self {
            allowed: 0,
            first_denied: u64::MAX,
            peak: A::Sum::default(),
        }
    }
}

impl<A: Amounts> PerKey<A> {
    /// Makes room for `keys` keys.
    pub fn reach(&mut self, keys: usize) {
        self.keys.resize_with(keys, Counted::default);
    }

    /// Adds a batch of decisions.
    pub fn observe(&mut self, batch: &Batch, answers: &Answers, verdicts: &Verdicts<A>) {
        let requests = batch.times.iter().zip(&batch.slots).zip(&answers.admitted);
        for ((now, slot), admitted) in requests {
            let key = &mut self.keys[*slot as usize];
            key.allowed += u64::from(*admitted);
            let denied = if *admitted { u64::MAX } else { *now };
            key.first_denied = key.first_denied.min(denied);
        }
        for (slot, count) in batch.slots.iter().zip(&verdicts.counts) {
            let key = &mut self.keys[*slot as usize];
            key.peak = key.peak.max(*count);
        }
    }

    /// The tallies by slot, of keys that came as often as `requests` says.
    pub fn into_tallies(self, requests: &[u64]) -> Vec<KeyTally> {
        let keys = self.keys.into_iter().zip(requests);
        let tally = |(key, requests): (Counted<A>, &u64)| KeyTally {
            requests: *requests,
            allowed: key.allowed,
            denied: requests - key.allowed,
            peak_in_window: key.peak.into(),
            first_denied: (key.first_denied < u64::MAX)
                .then(|| SimTime::from_nanos(key.first_denied)),
        };
        keys.map(tally).collect()
    }
}
