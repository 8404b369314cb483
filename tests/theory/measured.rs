//! Measurements with their standard errors, by the means of batches that are long against any memory
//! of the limiters.

use crate::ran::{Ran, scenario};
use ratesim::measure::{CandidateResult, RunResult};
use ratesim::simulation::Stepper;
use ratesim::units::SimTime;

/// How many batches a run is cut into.
const BATCHES: usize = 40;

/// A ratio with its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl Measured {
    /// Ratio of sums over batches (part, whole): R = Σp/Σq, with the variance of Σ(p − R·q).
    pub(crate) fn ratio(batches: &[(f64, f64)]) -> Self {
        let count = f64::from(u32::try_from(batches.len()).unwrap());
        let part: f64 = batches.iter().map(|(part, _)| part).sum();
        let whole: f64 = batches.iter().map(|(_, whole)| whole).sum();
        let value = part / whole;
        let squares = batches
            .iter()
            .map(|(part, whole)| (part - value * whole).powi(2));
        let variance = squares.sum::<f64>() / (count - 1.0);
        Self {
            value,
            error: (variance * count).sqrt() / whole,
        }
    }

    /// The share of cost that a candidate denied in a run of equal batches.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn denied(candidate: &CandidateResult) -> Self {
        let size = candidate.series.len() / BATCHES;
        let sums: Vec<_> = candidate
            .series
            .chunks_exact(size)
            .map(|batch| {
                let denied: u128 = batch.iter().map(|bucket| bucket.denied).sum();
                let offered: u128 = batch.iter().map(|bucket| bucket.offered).sum();
                (denied as f64, offered as f64)
            })
            .collect();
        Self::ratio(&sums)
    }

    /// The mean of independent samples.
    pub(crate) fn mean(samples: &[f64]) -> Self {
        let count = f64::from(u32::try_from(samples.len()).unwrap());
        let value = samples.iter().sum::<f64>() / count;
        let error = (central_moment(samples, 2) / (count - 1.0)).sqrt();
        Self { value, error }
    }

    /// The variance of independent samples. That of its square deviations about the mean is
    /// (μ₄ − σ⁴)/count for long samples.
    pub(crate) fn variance(samples: &[f64]) -> Self {
        let count = f64::from(u32::try_from(samples.len()).unwrap());
        let second = central_moment(samples, 2);
        let fourth = central_moment(samples, 4);
        Self {
            value: second * count / (count - 1.0),
            error: ((fourth - second * second) / count).sqrt(),
        }
    }

    /// How far this lies from what is expected, in standard errors.
    pub(crate) fn distance(&self, expected: f64) -> f64 {
        (self.value - expected) / self.error
    }
}

/// The mean of the deviations from the mean, to this power.
fn central_moment(samples: &[f64], power: i32) -> f64 {
    let count = f64::from(u32::try_from(samples.len()).unwrap());
    let mean = samples.iter().sum::<f64>() / count;
    let deviations = samples.iter().map(|sample| (sample - mean).powi(power));
    deviations.sum::<f64>() / count
}

/// Runs a scenario without keeping every answer.
pub(crate) fn run(text: &str) -> RunResult {
    Ran::measured(text).result
}

/// Sums over the batches of a walk, of what `count` gives for each request: (part, whole).
///
/// The scenario has one key and one algorithm; `count` is given the time of each arrival and the
/// algorithm before it has decided.
pub(crate) fn walk(
    text: &str,
    mut count: impl FnMut(SimTime, &mut dyn Stepper) -> (f64, f64),
) -> Vec<(f64, f64)> {
    let scenario = scenario(text);
    let mut stepper = scenario.candidates[0].candidate.stepper();
    let length = scenario.horizon.get().div_ceil(BATCHES as u64);
    let mut sums = vec![(0.0, 0.0); BATCHES];
    let mut rounds = scenario.workload.rounds(scenario.seed);
    let mut arrivals = Vec::new();
    while rounds.advance().unwrap() {
        for feed in rounds.feeds() {
            while feed.fill(&mut arrivals) {
                for arrival in &arrivals {
                    let batch = usize::try_from(arrival.at.as_nanos() / length).unwrap();
                    let (part, whole) = count(arrival.at, &mut *stepper);
                    sums[batch].0 += part;
                    sums[batch].1 += whole;
                }
            }
        }
    }
    sums
}
