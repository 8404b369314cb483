//! Closed forms of the share denied under Poisson arrivals at unit cost, to hold measurements against.
//!
//! One key: rate λ, limit n per w, m = λw. F is the distribution function of a Poisson variable of
//! mean m. These are statistics, not decisions: they are computed in floating point.

use super::Bucket;
use crate::limiter::ClosedForm;

/// Forms that take longer than a run, or leave the range of floats, are not given.
const MOST_UNITS: u64 = 2_000;
const MOST_LOAD: f64 = 500.0;

/// The share denied of Poisson arrivals at `rate` per second to one key; `None` outside the range in
/// which the form is computed.
#[allow(clippy::cast_precision_loss)]
pub fn denied_share(form: ClosedForm, rate: f64) -> Option<f64> {
    match form {
        ClosedForm::Bucket {
            capacity,
            per_second,
        } => {
            let load = rate / per_second;
            let fits = (1..=MOST_UNITS).contains(&capacity) && load < MOST_LOAD;
            fits.then(|| {
                bucket(
                    load,
                    usize::try_from(capacity).expect("a few thousand at most"),
                )
            })
        }
        ClosedForm::FixedWindow(limit)
        | ClosedForm::LogOfAdmitted(limit)
        | ClosedForm::LogOfAll(limit) => {
            if !(1..=1_000_000).contains(&limit.units) {
                return None;
            }
            let mean = rate * limit.window.as_secs_f64();
            Some(match form {
                ClosedForm::LogOfAdmitted(_) => erlang_b(limit.units, mean),
                ClosedForm::LogOfAll(_) => 1.0 - poisson_below(limit.units, mean),
                _ => fixed_window(limit.units, mean),
            })
        }
    }
}

/// The loss of the queue M/D/1/K at load ρ, in a form without subtractions: with A_k = P(Poisson(ρ) >
/// k) and a_0 = e^−ρ, π_0 = 1 and π_{j+1} = [π_0 A_j + Σ_{i=1..j} π_i A_{j−i+1}] / a_0 for j = 0 … K − 2;
/// normalised, P_K = 1 − 1/(π_0 + ρ).
fn bucket(load: f64, capacity: usize) -> f64 {
    let none = (-load).exp();
    let above = tails(load, capacity + 1);
    let mut states = vec![1.0];
    for j in 0..capacity - 1 {
        let others: f64 = (1..=j).map(|i| states[i] * above[j - i + 1]).sum();
        let next = (states[0] * above[j] + others) / none;
        states.push(next);
        // Kept within the range of floats at high loads: only ratios matter.
        if next > 1e200 {
            states.iter_mut().for_each(|state| *state /= 1e200);
        }
    }
    let empty = states[0] / states.iter().sum::<f64>();
    1.0 - 1.0 / (empty + load)
}

/// P(Poisson(mean) > k) for k = 0 … count − 1, summed from the far end so that no digits are lost.
#[allow(clippy::cast_precision_loss)]
fn tails(mean: f64, count: usize) -> Vec<f64> {
    let mut chances = vec![(-mean).exp()];
    while chances.len() <= count
        || chances.len() as f64 <= mean
        || chances[chances.len() - 1] > 1e-25
    {
        let last = chances[chances.len() - 1];
        chances.push(last * mean / chances.len() as f64);
    }
    let mut above = vec![0.0; chances.len()];
    for k in (0..chances.len() - 1).rev() {
        above[k] = above[k + 1] + chances[k + 1];
    }
    above
}

/// P(Poisson(mean) < count), the sum of the first `count` chances.
#[allow(clippy::cast_precision_loss)]
fn poisson_below(count: u64, mean: f64) -> f64 {
    let mut log_chance = -mean;
    let mut sum = log_chance.exp();
    for k in 1..count {
        log_chance += (mean / k as f64).ln();
        sum += log_chance.exp();
    }
    sum.min(1.0)
}

/// 1 − [m F(n − 1) + n (1 − F(n))] / m.
#[allow(clippy::cast_precision_loss)]
fn fixed_window(units: u64, mean: f64) -> f64 {
    let within = poisson_below(units, mean);
    let beyond = 1.0 - poisson_below(units + 1, mean);
    (1.0 - (mean * within + units as f64 * beyond) / mean).max(0.0)
}

/// Erlang B: B_0 = 1, B_k = m B_{k−1} / (k + m B_{k−1}).
#[allow(clippy::cast_precision_loss)]
fn erlang_b(units: u64, mean: f64) -> f64 {
    (1..=units).fold(1.0, |blocked, k| {
        mean * blocked / (k as f64 + mean * blocked)
    })
}

/// A closed form beside what was measured.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The share that theory says is denied.
    pub theory: f64,
    /// The share that was denied.
    pub measured: f64,
    /// The standard error of the measurement, by the means of [`BATCHES`] batches of equal time.
    pub standard_error: f64,
}

impl Comparison {
    /// How far the measurement lies from theory, in standard errors.
    pub fn distance(&self) -> f64 {
        (self.measured - self.theory) / self.standard_error
    }
}

/// Windows of the limit that a run must last: closed forms speak of the long run, and a run begins with
/// full buckets and empty windows.
pub const LEAST_WINDOWS: u64 = 50;

/// Batches of equal time that a standard error is taken from.
pub const BATCHES: usize = 40;

/// Theory beside measurement for one candidate: `rates` are those of Poisson traffic at unit cost, per
/// second, and how many keys have each. `None` where no closed form covers the traffic, or the run is
/// too short for batches.
pub fn compare(
    form: Option<ClosedForm>,
    rates: &[(f64, f64)],
    series: &[Bucket],
) -> Option<Comparison> {
    let (measured, standard_error) = batch_means(series)?;
    let mut offered = 0.0;
    let mut denied = 0.0;
    for (rate, keys) in rates {
        offered += rate * keys;
        denied += rate * keys * denied_share(form?, *rate)?;
    }
    (offered > 0.0).then(|| Comparison {
        theory: denied / offered,
        measured,
        standard_error,
    })
}

/// The share of cost denied and its standard error. `None` when the run has fewer than ten requests
/// per batch on average, or nothing varies.
#[allow(clippy::cast_precision_loss)]
fn batch_means(series: &[Bucket]) -> Option<(f64, f64)> {
    let size = (series.len() / BATCHES).max(1);
    let sums: Vec<(f64, f64)> = series
        .chunks_exact(size)
        .map(|batch| {
            let denied: u128 = batch.iter().map(|bucket| bucket.denied).sum();
            let offered: u128 = batch.iter().map(|bucket| bucket.offered).sum();
            (denied as f64, offered as f64)
        })
        .collect();
    let batches = sums.len() as f64;
    let offered: f64 = sums.iter().map(|(_, offered)| offered).sum();
    if sums.len() < BATCHES / 2 || offered < 10.0 * batches {
        return None;
    }
    let share = sums.iter().map(|(denied, _)| denied).sum::<f64>() / offered;
    let squares: f64 = sums
        .iter()
        .map(|(denied, n)| (denied - share * n).powi(2))
        .sum();
    let error = (squares * batches / (batches - 1.0)).sqrt() / offered;
    (error > 0.0).then_some((share, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Limit, Nanos};

    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() < tolerance,
            "{value} against {expected}"
        );
    }

    /// Published values of the M/D/1/K loss, and simulated ones to six digits.
    #[test]
    fn the_bucket_loses_as_the_queue_does() {
        for (load, capacity, loss) in [
            (0.8, 5, 0.035_290),
            (0.9, 10, 0.016_632),
            (1.0, 10, 0.050_847),
            (1.2, 10, 0.170_911),
            (1.5, 5, 0.338_449),
        ] {
            close(bucket(load, capacity), loss, 5e-7);
        }
        close(bucket(0.95, 50), 0.000_332_85, 5e-9);
        // A bucket of one is a gate that closes for a while: ρ / (1 + ρ).
        close(bucket(2.0, 1), 2.0 / 3.0, 1e-12);
    }

    #[test]
    fn ten_at_a_mean_of_ten() {
        let limit = Limit {
            units: 10,
            window: Nanos::from_secs(1),
        };
        let share = |form| denied_share(form, 10.0).unwrap();
        close(share(ClosedForm::FixedWindow(limit)), 0.125, 0.0005);
        close(share(ClosedForm::LogOfAdmitted(limit)), 0.215, 0.0005);
        close(share(ClosedForm::LogOfAll(limit)), 0.542, 0.0005);
        let hundred = Limit {
            units: 100,
            window: Nanos::from_secs(1),
        };
        let share = |form| denied_share(form, 100.0).unwrap();
        close(
            share(ClosedForm::Bucket {
                capacity: 100,
                per_second: 100.0,
            }),
            0.0050,
            0.00005,
        );
        close(share(ClosedForm::FixedWindow(hundred)), 0.0399, 0.00005);
        close(share(ClosedForm::LogOfAdmitted(hundred)), 0.0757, 0.00005);
        close(share(ClosedForm::LogOfAll(hundred)), 0.513, 0.0005);
    }
}
