//! Poisson traffic: independent requests at a constant mean rate.
//!
//! Gaps are exponential with mean 1/rate. They add up in fractions of a nanosecond, so that whole
//! nanoseconds do not change the rate even where several requests fall into one. The requests of a
//! share of the keys are a Poisson stream at that share of the rate (superposition), so every shard
//! makes its own.

use super::{Division, FineClock, Instants, Pattern, Setting};
use crate::error::Result;
use crate::params::Params;
use crate::units::{Rate, SimTime};
use rand::distr::Distribution;
use rand_distr::Exp1;
use rand_pcg::Pcg64;

/// Reads `rate`.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let rate = params.required::<Rate>("rate")?;
    let end = setting.end(params, "rate")?;
    Ok(Box::new(Poisson {
        from: setting.from,
        end,
        rate,
    }))
}

#[derive(Debug)]
struct Poisson {
    from: SimTime,
    end: SimTime,
    rate: Rate,
}

impl Pattern for Poisson {
    fn expected(&self) -> u64 {
        let span = u128::from(self.end.since(self.from).get());
        let mean = (span * u128::from(self.rate.units())).div_ceil(self.rate.nanos());
        u64::try_from(mean).unwrap_or(u64::MAX)
    }

    fn last(&self) -> Option<SimTime> {
        (self.expected() > 0).then(|| SimTime::from_nanos(self.end.as_nanos() - 1))
    }

    fn division(&self) -> Division {
        Division::Shares
    }

    fn poisson(&self) -> Option<(SimTime, SimTime, f64)> {
        Some((self.from, self.end, self.rate.per_second()))
    }

    fn instants(&self, share: f64, mut random: Pcg64) -> Box<dyn Instants> {
        let per_nano = self.rate.per_second() / 1e9 * share;
        let mut gaps = Gaps::new(self.from, self.end, per_nano);
        Box::new(std::iter::from_fn(move || gaps.next(&mut random)))
    }
}

/// A Poisson stream that is drawn with the numbers of another.
#[derive(Clone, Debug)]
pub(super) struct Gaps {
    clock: FineClock,
    /// In parts of the clock.
    mean_gap: f64,
}

impl Gaps {
    pub(super) fn new(from: SimTime, end: SimTime, per_nano: f64) -> Self {
        let end = if per_nano > 0.0 { end } else { from };
        let clock = FineClock::new(from, end);
        Self {
            clock,
            mean_gap: per_nano.recip() * clock.parts_per_nano(),
        }
    }

    /// The next instant. A gap beyond the clock ends the stream.
    #[inline]
    pub(super) fn next(&mut self, random: &mut Pcg64) -> Option<u64> {
        let draw: f64 = Exp1.sample(random);
        self.clock.advance(draw * self.mean_gap)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Purpose, generator};
    use super::*;

    fn poisson(rate: &str, from: u64, end: u64) -> Poisson {
        Poisson {
            from: SimTime::from_nanos(from),
            end: SimTime::from_nanos(end),
            rate: rate.parse().unwrap(),
        }
    }

    /// Counts over unit intervals of a Poisson process have mean and variance λ. Over m intervals the
    /// mean has standard error √(λ/m), and the variance λ·√(2/m + 1/(λm)) about.
    #[test]
    fn counts_have_the_mean_and_the_variance_of_the_rate() {
        for (rate, width, lambda) in [
            ("20/s", 1_000_000_000u64, 20.0),
            // Twenty-five a nanosecond: whole nanoseconds must not thin the stream.
            ("25/ns", 1, 25.0),
            ("0.7/ns", 3, 2.1),
        ] {
            let intervals = 20_000u64;
            let stream = poisson(rate, 0, width * intervals);
            let mut counts = vec![0u32; 20_000];
            for at in stream.instants(1.0, generator(1, 0, 0, Purpose::Instants)) {
                counts[usize::try_from(at / width).unwrap()] += 1;
            }
            let m = intervals as f64;
            let mean = counts.iter().map(|&n| f64::from(n)).sum::<f64>() / m;
            let squares = counts.iter().map(|&n| (f64::from(n) - mean).powi(2));
            let variance = squares.sum::<f64>() / (m - 1.0);
            let mean_error = (lambda / m).sqrt();
            let variance_error = lambda * (2.0 / m + 1.0 / (lambda * m)).sqrt();
            assert!(
                (mean - lambda).abs() < 4.0 * mean_error,
                "{rate}: mean {mean}"
            );
            assert!(
                (variance - lambda).abs() < 4.0 * variance_error,
                "{rate}: variance {variance}"
            );
        }
    }

    #[test]
    fn shares_of_the_rate_add_up_to_it() {
        let stream = poisson("1000/s", 0, 100_000_000_000);
        let shares = [0.5, 0.3, 0.2];
        let counts = shares.iter().zip(0..).map(|(share, part)| {
            stream
                .instants(*share, generator(5, 0, part, Purpose::Instants))
                .count()
        });
        // 100,000 expected, standard error 316.
        let total: usize = counts.sum();
        assert!(total.abs_diff(100_000) < 4 * 316, "{total}");
    }

    #[test]
    fn requests_come_in_order_within_from_and_end() {
        let stream = poisson("5/us", 1_000, 1_000_000);
        let all: Vec<u64> = stream
            .instants(1.0, generator(2, 0, 0, Purpose::Instants))
            .collect();
        assert!(all.is_sorted());
        assert!(all.iter().all(|at| (1_000..1_000_000).contains(at)));
        assert_eq!(stream.expected(), 4_995);
    }

    #[test]
    fn rates_of_nothing_and_next_to_nothing_end() {
        let random = || generator(0, 0, 0, Purpose::Instants);
        assert_eq!(poisson("0/s", 0, 1_000).instants(1.0, random()).count(), 0);
        assert_eq!(poisson("0/s", 0, 1_000).last(), None);
        let rare = poisson("0.000001/366d", 0, u64::MAX);
        assert!(rare.instants(1e-12, random()).count() <= 1);
    }
}
