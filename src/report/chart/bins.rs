//! Requests and cost per equal length of time, for bars as narrow as a chart can show.

use super::span::Span;
use super::time::step_at_least;
use crate::measure::{Bucket, CandidateResult, RunResult};
use crate::units::{Nanos, SimTime};

/// Equal lengths of time that cover a span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bins {
    /// Where the first begins, a multiple of the width.
    start: u64,
    width: u64,
    count: usize,
}

impl Bins {
    /// At most `most` bins over the span, of a width that people count in; with `grain`, bins that
    /// the run's buckets fit into wholly.
    pub(super) fn over(span: Span, most: u64, grain: Option<Nanos>) -> Self {
        let grain = grain.map_or(1, Nanos::get);
        let least = span.length().div_ceil(most).max(grain);
        let width = u64::try_from(whole(least.into(), grain.into())).unwrap_or(u64::MAX);
        let start = span.from / width * width;
        let count = (span.to - start) / width + 1;
        let count = usize::try_from(count).expect("about as many as were asked for");
        Self {
            start,
            width,
            count,
        }
    }

    /// The length of one.
    pub(super) const fn width(self) -> Nanos {
        Nanos::new(self.width)
    }

    /// Where the bin begins and ends, in nanoseconds.
    pub(super) fn bounds(self, bin: usize) -> (u64, u64) {
        let start = self
            .start
            .saturating_add((bin as u64).saturating_mul(self.width));
        (start, start.saturating_add(self.width))
    }

    /// How many there are.
    pub(super) const fn count(self) -> usize {
        self.count
    }

    /// The one that an instant falls into, if any.
    pub(super) fn bin(self, at: SimTime) -> Option<usize> {
        let since = at.as_nanos().checked_sub(self.start)?;
        usize::try_from(since / self.width)
            .ok()
            .filter(|bin| *bin < self.count)
    }

    /// Sums of what `amounts` gives for each bucket of the run's series.
    pub(super) fn sum<const N: usize>(
        self,
        run: &RunResult,
        candidate: &CandidateResult,
        amounts: impl Fn(&Bucket) -> [u128; N],
    ) -> Vec<[u128; N]> {
        self.sum_of(run, &candidate.series, amounts)
    }

    /// Sums of what `amounts` gives for each bucket of the run's grid.
    pub(super) fn sum_of<const N: usize, B>(
        self,
        run: &RunResult,
        buckets: &[B],
        amounts: impl Fn(&B) -> [u128; N],
    ) -> Vec<[u128; N]> {
        let mut sums = vec![[0; N]; self.count];
        for (index, bucket) in buckets.iter().enumerate() {
            if let Some(bin) = self.bin(run.grid.start(index)) {
                for (sum, amount) in sums[bin].iter_mut().zip(amounts(bucket)) {
                    *sum += amount;
                }
            }
        }
        sums
    }

    /// Requests allowed at once, delayed, denied and failed per bin, from records where there are any. From
    /// series they are cost, and where that is not the same as a count, what was delayed cannot be
    /// told from what was allowed at once.
    pub(super) fn decisions(self, run: &RunResult, candidate: &CandidateResult) -> Vec<[u128; 4]> {
        let Some(attempts) = run.attempts(candidate) else {
            let are_counts = candidate.tally.offered_cost == candidate.tally.attempts.into();
            return self.sum(run, candidate, |bucket| {
                let delayed = if are_counts {
                    bucket.delayed_requests.into()
                } else {
                    0
                };
                [
                    bucket.allowed.saturating_sub(delayed),
                    delayed,
                    bucket.denied,
                    bucket.errors,
                ]
            });
        };
        let mut sums = vec![[0; 4]; self.count];
        for (_, record) in attempts {
            if let Some(bin) = self.bin(record.at) {
                sums[bin][super::marks::kind(record)] += 1;
            }
        }
        sums
    }
}

/// The shortest width of at least `least` that people count in and that whole grains fill. Where
/// none does before it would be coarse (weeks fill no round number of days), 1, 2 or 5 times a power
/// of ten grains.
fn whole(least: u128, grain: u128) -> u128 {
    const COARSE: u128 = 8;
    let mut width = step_at_least(least);
    while width <= least * COARSE {
        if width.is_multiple_of(grain) {
            return width;
        }
        width = step_at_least(width + 1);
    }
    let grains = (0..20).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u128.pow(power)));
    let mut widths = grains.map(|grains| grains * grain);
    widths.find(|width| *width >= least).unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of more than 500 days has buckets of weeks.
    #[test]
    fn bins_of_any_grain_end_and_hold_whole_buckets() {
        const DAY: u64 = 86_400_000_000_000;
        for (days, grain, width) in [(3_000, 7, 35), (20_000, 21, 210), (9, 7, 7), (500, 9, 9)] {
            let (from, to) = (0, days * DAY);
            let bins = Bins::over(Span { from, to }, 120, Some(Nanos::new(grain * DAY)));
            assert_eq!(
                bins.width(),
                Nanos::new(width * DAY),
                "{days} days of {grain}"
            );
        }
    }

    #[test]
    fn bins_hold_whole_buckets_and_cover_the_span() {
        let span = Span {
            from: 13_000,
            to: 113_000,
        };
        let bins = Bins::over(span, 30, Some(Nanos::new(2_000)));
        // 3,334 are asked for; of 5,000 and 10,000 only the latter holds whole buckets of 2,000.
        assert_eq!(bins.width(), Nanos::new(10_000));
        assert_eq!(bins.bounds(0), (10_000, 20_000));
        assert_eq!(bins.bin(SimTime::from_nanos(113_000)), Some(10));
        assert_eq!(bins.bin(SimTime::from_nanos(9_999)), None);
    }
}
