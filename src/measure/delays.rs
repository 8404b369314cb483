//! How long admitted requests wait.

use crate::units::Nanos;
use std::collections::BTreeMap;

/// A count of waits, from which quantiles follow by nearest rank.
///
/// Waits are kept exactly up to a stated number of distinct ones; beyond that each is rounded up at its 14th
/// binary digit, which is less than 0.013 % of it. The longest is always exact, and no quantile is
/// above it.
#[derive(Clone, Debug)]
pub struct Delays {
    exact: usize,
    none: u64,
    waits: BTreeMap<u64, u64>,
    coarse: bool,
    longest: u64,
}

impl Default for Delays {
    fn default() -> Self {
        Self::keeping(Self::EXACT)
    }
}

impl Delays {
    /// Distinct waits that the count of a whole run keeps exactly.
    const EXACT: usize = 1 << 16;
    const DIGITS: u32 = 14;

    /// A count of nothing that keeps this many distinct waits exactly.
    pub const fn keeping(exact: usize) -> Self {
        Self {
            exact,
            none: 0,
            waits: BTreeMap::new(),
            coarse: false,
            longest: 0,
        }
    }

    /// Counts one admitted request.
    pub fn add(&mut self, delay: Nanos) {
        if delay == Nanos::ZERO {
            self.none += 1;
            return;
        }
        self.longest = self.longest.max(delay.get());
        let wait = if self.coarse {
            Self::coarsened(delay.get())
        } else {
            delay.get()
        };
        *self.waits.entry(wait).or_default() += 1;
        if !self.coarse && self.waits.len() > self.exact {
            self.coarsen();
        }
    }

    fn coarsened(wait: u64) -> u64 {
        let drop = (u64::BITS - wait.leading_zeros()).saturating_sub(Self::DIGITS);
        let mask = (1u64 << drop) - 1;
        wait.checked_add(mask).map_or(u64::MAX, |sum| sum & !mask)
    }

    fn coarsen(&mut self) {
        self.coarse = true;
        for (wait, count) in std::mem::take(&mut self.waits) {
            *self.waits.entry(Self::coarsened(wait)).or_default() += count;
        }
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.none += other.none;
        self.longest = self.longest.max(other.longest);
        for (wait, count) in &other.waits {
            *self.waits.entry(*wait).or_default() += count;
        }
        if self.coarse || other.coarse || self.waits.len() > self.exact {
            self.coarsen();
        }
    }

    /// Admitted requests counted.
    pub fn count(&self) -> u64 {
        self.none + self.waits.values().sum::<u64>()
    }

    /// Waits in order of length, each with how many admitted requests had it; the first is none at all
    /// where some were forwarded at once.
    pub fn waits(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        let none = (self.none > 0).then_some((Nanos::ZERO, self.none));
        let waits = self.waits.iter();
        none.into_iter()
            .chain(waits.map(|(wait, count)| (Nanos::new(*wait), *count)))
    }

    /// The smallest wait that at least `share_percent` of the admitted requests do not exceed.
    /// `None` when there are none.
    pub fn percentile(&self, share_percent: u64) -> Option<Nanos> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        let rank = (u128::from(count) * u128::from(share_percent))
            .div_ceil(100)
            .max(1);
        let mut seen = u128::from(self.none);
        if rank <= seen {
            return Some(Nanos::ZERO);
        }
        for (wait, many) in &self.waits {
            seen += u128::from(*many);
            if rank <= seen {
                return Some(Nanos::new(self.longest.min(*wait)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_waits_that_occurred() {
        let mut delays = Delays::default();
        assert_eq!(delays.percentile(50), None);
        for seconds in 0..5 {
            delays.add(Nanos::from_secs(seconds));
        }
        assert_eq!(delays.percentile(50), Some(Nanos::from_secs(2)));
        assert_eq!(delays.percentile(99), Some(Nanos::from_secs(4)));
        assert_eq!(delays.percentile(100), Some(Nanos::from_secs(4)));
        assert_eq!(delays.percentile(20), Some(Nanos::ZERO));
        delays.add(Nanos::from_secs(4));
        let waits: Vec<_> = delays
            .waits()
            .map(|(wait, count)| (wait.as_secs_f64(), count))
            .collect();
        assert_eq!(waits, [(0.0, 1), (1.0, 1), (2.0, 1), (3.0, 1), (4.0, 2)]);
    }

    #[test]
    fn many_distinct_waits_keep_four_digits() {
        let mut delays = Delays::default();
        for wait in 1..=200_000u64 {
            delays.add(Nanos::new(wait * 1_000));
        }
        let median = delays.percentile(50).unwrap().get();
        assert!((100_000_000..100_013_000).contains(&median), "{median}");
        assert_eq!(delays.percentile(100), Some(Nanos::new(200_000_000)));
    }
}
