//! Counts of decisions by key.

use super::KeyTally;
use super::batch::{Answers, Columns};
use crate::units::SimTime;

/// One candidate's counts for every key of a shard.
#[derive(Clone, Debug, Default)]
pub struct PerKey {
    keys: Vec<Counted>,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    allowed: u64,
    errors: u64,
    /// The end of the clock where none was.
    first_denied: u64,
}

impl Default for Counted {
    fn default() -> Self {
        Self {
            allowed: 0,
            errors: 0,
            first_denied: u64::MAX,
        }
    }
}

impl PerKey {
    /// Makes room for `keys` keys.
    pub fn reach(&mut self, keys: usize) {
        self.keys.resize_with(keys, Counted::default);
    }

    /// Adds a batch of decisions.
    pub fn observe(&mut self, batch: &Columns, answers: &Answers) {
        let requests = batch.times.iter().zip(batch.slots).zip(&answers.admitted);
        for (index, ((now, slot), admitted)) in requests.enumerate() {
            let key = &mut self.keys[*slot as usize];
            key.allowed += u64::from(*admitted);
            let failed = answers.failed.get(index).copied().unwrap_or_default();
            key.errors += u64::from(failed);
            let denied = if *admitted | failed { u64::MAX } else { *now };
            key.first_denied = key.first_denied.min(denied);
        }
    }

    /// The tallies by slot, of keys that came as often as `requests` says, were tried as often as
    /// `attempts` does, and whose highest windows `peak` knows.
    pub fn into_tallies(
        self,
        requests: &[u64],
        attempts: &[u64],
        peak: impl Fn(usize) -> u128,
    ) -> Vec<KeyTally> {
        let came = requests.iter().zip(attempts);
        let keys = self.keys.into_iter().zip(came).enumerate();
        let tally =
            |(slot, (key, (requests, attempts))): (usize, (Counted, (&u64, &u64)))| KeyTally {
                requests: *requests,
                attempts: *attempts,
                allowed: key.allowed,
                denied: attempts - key.allowed - key.errors,
                errors: key.errors,
                peak_in_window: peak(slot),
                first_denied: (key.first_denied < u64::MAX)
                    .then(|| SimTime::from_nanos(key.first_denied)),
            };
        keys.map(tally).collect()
    }
}
