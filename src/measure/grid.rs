//! The time buckets of a run's series.

use crate::units::{Divisor, Nanos, SimTime};

/// Equal time buckets [k·width, (k+1)·width) that cover the run from its beginning to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    width: Divisor,
    count: u32,
}

impl Grid {
    /// The most buckets that a run is cut into.
    const MOST: u64 = 1_000;

    /// Buckets over `[0, horizon]` of a width that people read: 1, 2 or 5 times a power of ten
    /// nanoseconds below a minute, then whole minutes, hours and days.
    pub fn over(horizon: Nanos) -> Self {
        const MINUTES: [u64; 13] = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 10_080];
        let least = horizon.get() / Self::MOST + 1;
        let mut widths = (0..11).flat_map(|power| [1, 2, 5].map(|step| step * 10u64.pow(power)));
        let short = widths.find(|width| *width >= least && *width < 60_000_000_000);
        let long = || {
            MINUTES
                .iter()
                .map(|m| m * 60_000_000_000)
                .find(|width| *width >= least)
        };
        let days = || {
            least
                .div_ceil(86_400_000_000_000)
                .saturating_mul(86_400_000_000_000)
        };
        let width = short.or_else(long).unwrap_or_else(days);
        let count = u32::try_from(horizon.get().div_ceil(width).max(1)).expect("about a thousand");
        Self {
            width: Divisor::new(width),
            count,
        }
    }

    /// Width of a bucket.
    pub const fn width(self) -> Nanos {
        Nanos::new(self.width.get())
    }

    /// How many buckets there are.
    pub const fn count(self) -> usize {
        self.count as usize
    }

    /// The bucket that `at` falls into; `None` after the last one.
    pub fn bucket(self, at: SimTime) -> Option<usize> {
        let index = usize::try_from(self.width.divide(at.as_nanos()).0).ok()?;
        (index < self.count()).then_some(index)
    }

    /// When the bucket begins.
    pub const fn start(self, bucket: usize) -> SimTime {
        SimTime::from_nanos(bucket as u64 * self.width.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_have_widths_that_people_read() {
        for (horizon, width) in [
            (Nanos::from_secs(120), "200ms"),
            (Nanos::from_secs(1), "2ms"),
            (Nanos::from_secs(86_400), "2m"),
            (Nanos::from_secs(366 * 86_400), "12h"),
            (Nanos::from_secs(90_000), "2m"),
            (Nanos::new(7), "1ns"),
        ] {
            let grid = Grid::over(horizon);
            assert_eq!(grid.width().to_string(), width, "over {horizon}");
            assert!(grid.count() <= 1_001);
        }
    }
}
