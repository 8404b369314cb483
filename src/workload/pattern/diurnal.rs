//! Diurnal traffic: a Poisson stream whose rate rises and falls like a cosine.
//!
//! The rate at time t is λ(t) = m·(1 + A·cos(2π·(t − p)/P)): m the `mean_rate`, A the `amplitude` as
//! a share of it (0 to 1), P the `period`, p = `peak_at` one of the peaks, a duration since the start or
//! a clock time; others follow and go before it every period.
//!
//! By thinning (Lewis and Shedler, Simulation of nonhomogeneous Poisson processes by thinning, 1979):
//! a Poisson stream of the peak's rate m·(1 + A) keeps each point with probability λ(t) / (m·(1 + A)).
//! The cosine of a point is computed only where its bounds within a small part of the period leave the
//! answer open.
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
        let message =
            format!("{amplitude} is out of range; allowed: 0 to 1, a share of the mean rate");
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

/// A wave looked at in order of time.
struct Turns {
    wave: Wave,
    /// Where the latest turn of the wave began, as a time before the start may have.
    began: i128,
    /// The wave's heights at the ends of equal parts of a turn; between two of them it only rises or
    /// only falls.
    heights: [f64; Self::PARTS + 1],
    parts_per_nano: f64,
}

impl Turns {
    const PARTS: usize = 256;

    fn new(wave: Wave) -> Self {
        let share = |part: usize| part as f64 / Self::PARTS as f64;
        let height = |part| 1.0 + wave.amplitude * (share(part) * TAU).cos();
        Self {
            wave,
            began: i128::from(wave.peak) - i128::from(wave.period),
            heights: std::array::from_fn(height),
            parts_per_nano: Self::PARTS as f64 / wave.period as f64,
        }
    }

    /// Whether the wave at this instant, not before the last one asked for, is higher than `level`.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn reaches(&mut self, at: u64, level: f64) -> bool {
        // Wider than the last digits of the part and of the cosine.
        const MARGIN: f64 = 1e-9;
        let mut since = i128::from(at) - self.began;
        let period = i128::from(self.wave.period);
        if since >= period {
            self.began += since / period * period;
            since = i128::from(at) - self.began;
        }
        let part = (since as u64 as f64 * self.parts_per_nano) as usize;
        let part = part.min(Self::PARTS - 1);
        let (one, other) = (self.heights[part], self.heights[part + 1]);
        if level < one.min(other) - MARGIN {
            return true;
        }
        level < one.max(other) + MARGIN && level < self.wave.height(at)
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

    fn instants(&self, share: f64, mut random: Pcg64) -> Box<dyn Instants> {
        let mut turns = Turns::new(self.wave);
        let highest = 1.0 + self.wave.amplitude;
        let mut gaps = Gaps::new(self.from, self.end, self.rate * highest * share);
        Box::new(std::iter::from_fn(move || {
            loop {
                let at = gaps.next(&mut random)?;
                if turns.reaches(at, random.random::<f64>() * highest) {
                    return Some(at);
                }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Purpose, generator};
    use super::*;
    use crate::units::Epoch;
    use crate::workload::statistics::assert_changing_poisson;
    use crate::workload::tests::{made, params, setting};

    const SECOND: u64 = 1_000_000_000;

    fn diurnal(text: &str, setting: &Setting) -> Box<dyn Pattern> {
        read(&mut params(text), setting).unwrap()
    }

    /// Λ from 0 to t seconds for 300/s, amplitude A, a period of 20 s and a peak at 5 s.
    fn mean_until(amplitude: f64, t: f64) -> f64 {
        let angle = |t: f64| TAU * (t - 5.0) / 20.0;
        300.0 * (t + amplitude * 20.0 / TAU * (angle(t).sin() - angle(0.0).sin()))
    }

    #[test]
    fn times_changed_by_the_integrated_rate_are_poisson() {
        for amplitude in [0.0, 0.5, 1.0] {
            let text = format!(
                "mean_rate = \"300/s\"\namplitude = {amplitude:?}\nperiod = \"20s\"\n\
                 peak_at = \"5s\""
            );
            let setting = setting(0, 110 * SECOND);
            let pattern = diurnal(&text, &setting);
            let all = made(&*pattern, &setting, 1);
            let total = mean_until(amplitude, 110.0);
            assert!((pattern.expected() as f64 - total).abs() < 1.0);
            let miss = all.len() as f64 - total;
            assert!(miss.abs() < 4.0 * total.sqrt(), "{amplitude}: {miss}");
            let what = format!("{amplitude}");
            assert_changing_poisson(&all, |t| mean_until(amplitude, t), 1_100, &what);
        }
    }

    /// Over the half period around a peak the mean is m·P/2·(1 + 2A/π), over whole periods m·t.
    #[test]
    fn the_peak_stands_at_its_clock_time_even_before_the_start() {
        // The clock reads 18:00 at the start, so a peak at 15:00 comes after 21 hours.
        let hour = 3_600 * SECOND;
        let text = "mean_rate = \"1/s\"\namplitude = 0.6\npeak_at = \"15:00:00\"";
        let mut around = setting(15 * hour, 27 * hour);
        around.epoch = Epoch::from_unix_nanos(18 * hour);
        let expected: f64 = 43_200.0 * (1.0 + 1.2 / std::f64::consts::PI);
        let pattern = diurnal(text, &around);
        assert!((pattern.expected() as f64 - expected).abs() < 1.0);
        let count = made(&*pattern, &around, 2).len() as f64;
        assert!((count - expected).abs() < 4.0 * expected.sqrt(), "{count}");
        let mut days = setting(0, 48 * hour);
        days.epoch = around.epoch;
        assert_eq!(diurnal(text, &days).expected(), 172_800);
    }

    #[test]
    fn shares_add_up_to_the_whole() {
        let text = "mean_rate = \"200/s\"\nperiod = \"10s\"";
        let pattern = diurnal(text, &setting(0, 100 * SECOND));
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

    proptest::proptest! {
        #[test]
        fn bounds_answer_as_the_cosine_itself(
            amplitude in 0.0f64..=1.0,
            period in 1u64..1 << 50,
            peak in 0u64..1 << 50,
            gaps in proptest::collection::vec((0u64..1 << 48, 0.0f64..2.0), 1..100),
        ) {
            let wave = Wave { amplitude, period, peak: peak % period };
            let mut turns = Turns::new(wave);
            let mut at = 0;
            for (gap, level) in gaps {
                at += gap;
                proptest::prop_assert_eq!(turns.reaches(at, level), level < wave.height(at));
            }
        }
    }

    #[test]
    fn no_rate_and_no_time_make_nothing() {
        for (rate, end) in [(0, SECOND), (5, 0)] {
            let setting = setting(0, end);
            let pattern = diurnal(&format!("mean_rate = {rate}"), &setting);
            assert_eq!((pattern.expected(), pattern.last()), (0, None));
            assert!(made(&*pattern, &setting, 0).is_empty());
        }
    }
}
