//! How long admitted requests wait.

use super::batch::{Answers, count};
use crate::units::Nanos;
use std::collections::BTreeMap;

/// A count of waits, from which quantiles follow by nearest rank.
///
/// Waits are kept exactly up to a stated number of distinct ones; beyond that each is rounded up at
/// its 14th binary digit, which is less than 0.013 % of it. The longest is always exact, and no
/// quantile is above it.
#[derive(Clone, Debug)]
pub struct Delays {
    exact: usize,
    none: u64,
    waits: Waits,
    longest: u64,
}

/// How often each wait occurred.
#[derive(Clone, Debug)]
enum Waits {
    Exact(BTreeMap<u64, u64>),
    Coarse(Digits),
}

impl Default for Delays {
    fn default() -> Self {
        Self::keeping(Self::EXACT)
    }
}

impl Delays {
    /// Distinct waits that the count of a whole run keeps exactly.
    const EXACT: usize = 1 << 16;

    /// A count of nothing that keeps this many distinct waits exactly.
    pub const fn keeping(exact: usize) -> Self {
        Self {
            exact,
            none: 0,
            waits: Waits::Exact(BTreeMap::new()),
            longest: 0,
        }
    }

    /// Counts the admitted requests of a batch.
    pub fn observe(&mut self, answers: &Answers) {
        if answers.waits.is_empty() {
            self.none += count(&answers.admitted);
            return;
        }
        for (wait, admitted) in answers.waits.iter().zip(&answers.admitted) {
            if *admitted {
                self.add(Nanos::new(*wait));
            }
        }
    }

    /// Counts one admitted request.
    pub fn add(&mut self, delay: Nanos) {
        if delay == Nanos::ZERO {
            self.none += 1;
        } else {
            self.longest = self.longest.max(delay.get());
            self.count_wait(delay.get(), 1);
        }
    }

    fn count_wait(&mut self, wait: u64, count: u64) {
        match &mut self.waits {
            Waits::Coarse(digits) => digits.add(wait, count),
            Waits::Exact(waits) => {
                *waits.entry(wait).or_default() += count;
                if waits.len() > self.exact {
                    self.coarsen();
                }
            }
        }
    }

    fn coarsen(&mut self) {
        if let Waits::Exact(waits) = &self.waits {
            let mut digits = Digits::default();
            for (wait, count) in waits {
                digits.add(*wait, *count);
            }
            self.waits = Waits::Coarse(digits);
        }
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        self.none += other.none;
        self.longest = self.longest.max(other.longest);
        if let Waits::Coarse(_) = other.waits {
            self.coarsen();
        }
        for (wait, count) in other.waits.iter() {
            self.count_wait(wait, count);
        }
    }

    /// Admitted requests counted.
    pub fn count(&self) -> u64 {
        self.none + self.waits.iter().map(|(_, count)| count).sum::<u64>()
    }

    /// Waits in order of length, each with how many admitted requests had it; the first is none at all
    /// where some were forwarded at once.
    pub fn waits(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        let none = (self.none > 0).then_some((Nanos::ZERO, self.none));
        let waits = self.waits.iter();
        none.into_iter()
            .chain(waits.map(|(wait, count)| (Nanos::new(wait), count)))
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
        for (wait, many) in self.waits.iter() {
            seen += u128::from(many);
            if rank <= seen {
                return Some(Nanos::new(self.longest.min(wait)));
            }
        }
        None
    }
}

impl Waits {
    fn iter(&self) -> Box<dyn Iterator<Item = (u64, u64)> + '_> {
        match self {
            Self::Exact(waits) => Box::new(waits.iter().map(|(wait, count)| (*wait, *count))),
            Self::Coarse(digits) => Box::new(digits.iter()),
        }
    }
}

/// Counts of numbers rounded up to their first binary digits: a table per power of two, made when it
/// is needed.
#[derive(Clone, Debug, Default)]
struct Digits {
    tables: Vec<Vec<u64>>,
}

impl Digits {
    /// Digits that are kept.
    const KEPT: u32 = 14;
    /// Numbers of one length that can be told apart.
    const EACH: u64 = 1 << (Self::KEPT - 1);

    fn add(&mut self, number: u64, count: u64) {
        let dropped = (u64::BITS - number.leading_zeros()).saturating_sub(Self::KEPT);
        let rest = number & ((1 << dropped) - 1);
        let digits = (number >> dropped) + u64::from(rest > 0);
        // Rounding up may have made one digit more, all others 0.
        let (dropped, digits) = match digits {
            digits if digits == 2 * Self::EACH => (dropped + 1, Self::EACH),
            digits => (dropped, digits),
        };
        // The first table holds all numbers that lose no digit, the others those from EACH on.
        let (table, place) = match dropped {
            0 => (0, digits),
            _ => (dropped as usize, digits - Self::EACH),
        };
        if self.tables.len() <= table {
            self.tables.resize_with(table + 1, Vec::new);
        }
        let table = &mut self.tables[table];
        if table.is_empty() {
            let places = if dropped == 0 { 2 } else { 1 } * Self::EACH;
            table.resize(usize::try_from(places).expect("a few thousand"), 0);
        }
        table[usize::try_from(place).expect("within the table")] += count;
    }

    /// The numbers that occurred, in order, with their counts.
    fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0u32..).zip(&self.tables).flat_map(|(dropped, table)| {
            let first = if dropped == 0 { 0 } else { Self::EACH };
            let counts = (first..).zip(table).filter(|(_, count)| **count > 0);
            counts.map(move |(digits, count)| {
                let number = digits.saturating_mul(1 << dropped);
                (number, *count)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn rounding_up_keeps_fourteen_digits(wait in 1u64.., shift in 0u32..64) {
            let wait = (wait >> shift).max(1);
            let mut digits = Digits::default();
            digits.add(wait, 3);
            let kept: Vec<_> = digits.iter().collect();
            prop_assert_eq!(kept.len(), 1);
            let (rounded, count) = kept[0];
            prop_assert_eq!(count, 3);
            prop_assert!(rounded >= wait && rounded - wait <= wait >> 13, "{} for {}", rounded, wait);
        }
    }
}
