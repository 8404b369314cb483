//! Ramp traffic: a Poisson stream whose rate changes linearly.
//!
//! The rate is λ(t) = a + (b − a)·t/T, t the time since `from`, a and b the `from_rate` and the
//! `to_rate`, T the length from `from` to the block's `to` (or to the end of the run, where the block
//! has none; a run that ends before `to` cuts the ramp off and does not steepen it). In the mean
//! Λ(t) = a·t + (b − a)·t²/(2T) requests come before t.
//!
//! With points S of a Poisson stream of rate 1, Λ⁻¹(S) = 2S / (a + √(a² + 2(b − a)·S/T)) is a Poisson
//! stream of rate λ (Çinlar, Introduction to Stochastic Processes, 1975, chapter 4.7). A share of it
//! is the same at that share of a and b, so every shard makes its own.

use super::{Division, Instants, Pattern, Setting, mean_count};
use crate::error::Result;
use crate::params::Params;
use crate::units::{Rate, SimTime};
use rand::distr::Distribution as _;
use rand_distr::Exp1;
use rand_pcg::Pcg64;

/// Reads `from_rate` and `to_rate`.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let from_rate = params.required::<Rate>("from_rate")?;
    let to_rate = params.required::<Rate>("to_rate")?;
    let end = setting.end(params, "to_rate")?;
    Ok(Box::new(Ramp {
        from: setting.from,
        end,
        length: setting.to.unwrap_or(end).since(setting.from).get() as f64,
        rates: (from_rate.per_second() / 1e9, to_rate.per_second() / 1e9),
    }))
}

#[derive(Debug)]
struct Ramp {
    from: SimTime,
    end: SimTime,
    /// T in nanoseconds.
    length: f64,
    /// a and b per nanosecond.
    rates: (f64, f64),
}

impl Ramp {
    /// Λ up to the end.
    fn mean(&self) -> f64 {
        let span = self.end.since(self.from).get() as f64;
        let (a, b) = self.rates;
        span * (a + (b - a) * (span / self.length) / 2.0)
    }
}

impl Pattern for Ramp {
    fn expected(&self) -> u64 {
        // No time at all makes 0/0.
        mean_count(self.mean().max(0.0))
    }

    fn last(&self) -> Option<SimTime> {
        (self.expected() > 0).then(|| SimTime::from_nanos(self.end.as_nanos() - 1))
    }

    fn division(&self) -> Division {
        Division::Shares
    }

    // A time beyond the clock saturates, and then ends the stream.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn instants(&self, share: f64, mut random: Pcg64) -> Box<dyn Instants> {
        let (a, b) = (self.rates.0 * share, self.rates.1 * share);
        let (total, slope) = (self.mean() * share, 2.0 * (b - a) / self.length);
        let (from, end) = (self.from.as_nanos(), self.end.as_nanos());
        let (mut point, mut last) = (0.0, from);
        Box::new(std::iter::from_fn(move || {
            let gap: f64 = Exp1.sample(&mut random);
            point += gap;
            if point.is_nan() || point >= total {
                return None;
            }
            let since = 2.0 * point / (a + (a * a + slope * point).max(0.0).sqrt());
            // Never back by a rounding.
            last = from.saturating_add(since as u64).max(last);
            (last < end).then_some(last)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Purpose, generator};
    use super::*;
    use crate::workload::statistics::assert_changing_poisson;
    use crate::workload::tests::{made, params, setting};

    const SECOND: u64 = 1_000_000_000;

    fn ramp(rates: (u32, u32), setting: &Setting) -> Box<dyn Pattern> {
        let text = format!("from_rate = \"{}/s\"\nto_rate = \"{}/s\"", rates.0, rates.1);
        read(&mut params(&text), setting).unwrap()
    }

    /// Λ(t) by its equation, t in seconds, over 100 s.
    fn mean_until(rates: (u32, u32), t: f64) -> f64 {
        let (a, b) = (f64::from(rates.0), f64::from(rates.1));
        a * t + (b - a) * t * t / 200.0
    }

    #[test]
    fn times_changed_by_the_integrated_rate_are_poisson() {
        for rates in [(100, 500), (500, 100), (0, 400), (400, 0), (300, 300)] {
            let setting = setting(SECOND, 101 * SECOND);
            let pattern = ramp(rates, &setting);
            let all: Vec<_> = made(&*pattern, &setting, 1)
                .iter()
                .map(|at| at - SECOND)
                .collect();
            let total = mean_until(rates, 100.0);
            assert!((pattern.expected() as f64 - total).abs() < 1e-6);
            let miss = all.len() as f64 - total;
            assert!(miss.abs() < 4.0 * total.sqrt(), "{rates:?}: {miss}");
            let what = format!("{rates:?}");
            assert_changing_poisson(&all, |t| mean_until(rates, t), 1_000, &what);
        }
    }

    #[test]
    fn shares_add_up_to_the_whole() {
        let pattern = ramp((100, 300), &setting(0, 100 * SECOND));
        let parts = [(0.5, 0), (0.3, 1), (0.2, 2)].map(|(share, part)| {
            let random = generator(5, 0, part, Purpose::Instants);
            pattern.instants(share, random).count()
        });
        // 20,000 expected, standard error 141.
        assert!(
            parts.iter().sum::<usize>().abs_diff(20_000) < 4 * 141,
            "{parts:?}"
        );
    }

    /// 0 to 100/s over 10 s, of which 5 s are run: 50/s at the cut, 125 requests.
    #[test]
    fn a_run_that_ends_before_to_cuts_the_ramp_off() {
        let mut setting = setting(0, 5 * SECOND);
        setting.to = Some(SimTime::from_nanos(10 * SECOND));
        let pattern = ramp((0, 100), &setting);
        assert_eq!(pattern.expected(), 125);
        let count = made(&*pattern, &setting, 3).len();
        assert!(count.abs_diff(125) < 4 * 12, "{count}");
    }

    #[test]
    fn no_rate_and_no_time_make_nothing() {
        for (rates, end) in [((0, 0), SECOND), ((5, 9), 0)] {
            let setting = setting(0, end);
            let pattern = ramp(rates, &setting);
            assert_eq!((pattern.expected(), pattern.last()), (0, None));
            assert!(made(&*pattern, &setting, 0).is_empty());
        }
    }
}
