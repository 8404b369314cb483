//! Diurnal traffic: a Poisson stream whose rate rises and falls like a cosine.
//!
//! The rate at time t is λ(t) = m·(1 + A·cos(2π·(t − p)/P)): m the `mean_rate`, A the `amplitude` as
//! a share of it (0 to 1), P the `period`, p = `peak_at` one of the peaks, a duration since the start or
//! a clock time; others follow and go before it every period.
//!
//! By thinning (Lewis and Shedler, Simulation of nonhomogeneous Poisson processes by thinning, 1979):
//! a Poisson stream of the peak's rate m·(1 + A) keeps each point with probability λ(t) / (m·(1 + A)).
//! A share of it is the same at that share of m, so every shard makes its own.

use super::poisson::Gaps;
use super::{Division, Instants, Pattern, Setting, mean_count};
use crate::error::Result;
use crate::params::{Moment, Params};
use crate::units::{Nanos, Rate, SimTime};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::f64::consts::TAU;

/// Reads `mean_rate`, `amplitude`, `period` and `peak_at`.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let rate = params.required::<Rate>("mean_rate")?;
    let amplitude = params.or("amplitude", 0.5)?;
    if amplitude > 1.0 {
        let message = "must lie between 0 and 1: it is a share of the mean rate";
        return Err(params.error("amplitude", message));
    }
    let period = params.or("period", Nanos::from_secs(86_400))?;
    if period == Nanos::ZERO {
        return Err(params.error("period", "must be longer than 0"));
    }
    let half = Moment::Since(Nanos::new(period.get() / 2));
    let peak = match params.or("peak_at", half)? {
        Moment::Since(length) => i128::from(length.get()),
        // A clock time before the start is a peak that has passed.
        Moment::Clock(clock) => {
            i128::from(clock.get()) - i128::from(setting.epoch.time_of_day().get())
        }
    };
    let peak = peak.rem_euclid(i128::from(period.get()));
    Ok(Box::new(Diurnal {
        from: setting.from,
        end: setting.end(params, "mean_rate")?,
        rate: rate.per_second() / 1e9,
        wave: Wave {
            amplitude,
            period: period.get(),
            peak: u64::try_from(peak).expect("below the period"),
        },
    }))
}

#[derive(Debug)]
struct Diurnal {
    from: SimTime,
    end: SimTime,
    /// m per nanosecond.
    rate: f64,
    wave: Wave,
}

/// The shape of the rate.
#[derive(Clone, Copy, Debug)]
struct Wave {
    amplitude: f64,
    /// In nanoseconds.
    period: u64,
    /// The first peak, below the period.
    peak: u64,
}

impl Wave {
    /// 2π·(t − p)/P, brought to one turn in whole nanoseconds so that no digits are lost.
    fn angle(self, at: u64) -> f64 {
        let since = at % self.period + (self.period - self.peak);
        (since % self.period) as f64 / self.period as f64 * TAU
    }

    /// λ(t)/m.
    fn height(self, at: u64) -> f64 {
        1.0 + self.amplitude * self.angle(at).cos()
    }

    /// ∫ λ/m from `from` to `end`, in nanoseconds.
    fn integral(self, from: SimTime, end: SimTime) -> f64 {
        let turn = self.amplitude * self.period as f64 / TAU;
        let swing = self.angle(end.as_nanos()).sin() - self.angle(from.as_nanos()).sin();
        (end.since(from).get() as f64 + turn * swing).max(0.0)
    }
}

impl Pattern for Diurnal {
    fn expected(&self) -> u64 {
        if self.from >= self.end {
            return 0;
        }
        mean_count(self.rate * self.wave.integral(self.from, self.end))
    }

    fn last(&self) -> Option<SimTime> {
        (self.expected() > 0).then(|| SimTime::from_nanos(self.end.as_nanos() - 1))
    }

    fn division(&self) -> Division {
        Division::Shares
    }

    fn instants(&self, share: f64, mut random: Pcg64) -> Instants {
        let wave = self.wave;
        let highest = 1.0 + wave.amplitude;
        let mut gaps = Gaps::new(self.from, self.end, self.rate * highest * share);
        Box::new(std::iter::from_fn(move || {
            loop {
                let at = gaps.next(&mut random)?;
                if random.random::<f64>() * highest < wave.height(at) {
                    return Some(at);
                }
            }
        }))
    }
}
