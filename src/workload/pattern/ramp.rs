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
    fn instants(&self, share: f64, mut random: Pcg64) -> Instants {
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
