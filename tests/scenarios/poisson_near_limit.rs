//! Poisson traffic at the limit against the closed forms: m = λw requests a window in the mean, n
//! allowed, here both 10.
//!
//! The share denied in a run of an hour is compared within [`BAND`] standard errors, which are
//! estimated from the means of batches of three minutes: long against any memory of the limiters.

use crate::ran::{Answers, Ran};
use ratesim::scenario::Overrides;

const LIMIT: u32 = 10;
const MEAN: f64 = 10.0;
/// Fifteen comparisons beyond four standard errors happen once in a thousand sets of seeds.
const BAND: f64 = 4.0;
const SEEDS: [u64; 3] = [1, 2, 3];

/// P(Poisson(mean) = k).
fn poisson(mean: f64, k: u32) -> f64 {
    (1..=k).fold((-mean).exp(), |term, i| term * mean / f64::from(i))
}

/// P(Poisson(mean) ≤ k).
fn poisson_at_most(mean: f64, k: u32) -> f64 {
    (0..=k).map(|i| poisson(mean, i)).sum()
}

/// The queue M/D/1/K at load `rho`: the share that it turns away, and the mean wait of the others in
/// service times. A bucket of capacity K is this queue.
///
/// The chain at departures: π_{j+1} = (π_0·A_j + Σ_{i=1..j} π_i·A_{j−i+1}) / a_0 with
/// A_k = P(Poisson(ρ) > k); from it the state at any time is p_j = π_j / (π_0 + ρ), and
/// p_K = 1 − 1/(π_0 + ρ). The wait follows by Little's law.
fn deterministic_queue(rho: f64, places: usize) -> (f64, f64) {
    let above = |k: usize| 1.0 - poisson_at_most(rho, u32::try_from(k).unwrap());
    let mut pi = vec![1.0];
    for j in 0..places - 1 {
        let later: f64 = (1..=j).map(|i| pi[i] * above(j - i + 1)).sum();
        pi.push((pi[0] * above(j) + later) / (-rho).exp());
    }
    let total: f64 = pi.iter().sum();
    let scale = pi[0] / total + rho;
    let full = 1.0 - 1.0 / scale;
    let steps = pi.iter().zip(0u32..);
    let below: f64 = steps.map(|(p, j)| f64::from(j) * p / total / scale).sum();
    let present = below + full * f64::from(u32::try_from(places).unwrap());
    (full, present / (rho * (1.0 - full)) - 1.0)
}

/// Erlang's loss formula.
fn erlang_b(places: u32, load: f64) -> f64 {
    (1..=places).fold(1.0, |loss, k| load * loss / (f64::from(k) + load * loss))
}

/// A window with a count of its own: 1 − E[min(N, n)]/m.
fn fixed_window(limit: u32, mean: f64) -> f64 {
    let passed = mean * poisson_at_most(mean, limit - 1)
        + f64::from(limit) * (1.0 - poisson_at_most(mean, limit));
    1.0 - passed / mean
}

fn near(value: f64, expected: f64, within: f64) -> bool {
    (value - expected).abs() <= within
}

/// Values that were found independently, by simulation and from tables of queues.
#[test]
fn the_closed_forms_give_known_values() {
    for (rho, places, lost, wait) in [
        (0.8, 5, 0.035_290, 1.209_667),
        (0.9, 10, 0.016_632, 2.922_436),
        (1.0, 10, 0.050_847, 4.336_310),
        (1.2, 10, 0.170_911, 6.630_497),
        (1.5, 5, 0.338_449, 2.957_167),
    ] {
        let (share, mean) = deterministic_queue(rho, places);
        assert!(near(share, lost, 1e-6), "{share} at {rho}, {places}");
        assert!(near(mean, wait, 1e-6), "{mean} at {rho}, {places}");
    }
    assert!(near(erlang_b(10, 10.0), 0.215, 0.0005));
    assert!(near(fixed_window(10, 10.0), 0.125, 0.0005));
    assert!(near(1.0 - poisson_at_most(10.0, 9), 0.54, 0.005));
}

/// Ratio of sums over batches (part, whole), with its standard error.
fn ratio(batches: &[(f64, f64)]) -> (f64, f64) {
    let count = f64::from(u32::try_from(batches.len()).unwrap());
    let part: f64 = batches.iter().map(|(part, _)| part).sum();
    let whole: f64 = batches.iter().map(|(_, whole)| whole).sum();
    let share = part / whole;
    let squares = batches
        .iter()
        .map(|(part, whole)| (part - share * whole).powi(2));
    let variance = squares.sum::<f64>() / (count - 1.0);
    (share, (variance * count).sqrt() / whole)
}

/// Sums over batches of three minutes: what is counted of each admitted or denied request.
fn batches(answers: &Answers, count: impl Fn(bool, f64) -> (f64, f64)) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); 20];
    for (arrival, record) in answers.each() {
        let batch = usize::try_from(arrival.at.as_nanos() / 180_000_000_000).unwrap();
        #[allow(clippy::cast_precision_loss)]
        let wait = record.decision.delay().get() as f64 / 1e9;
        let (part, whole) = count(record.decision.is_admitted(), wait);
        sums[batch].0 += part;
        sums[batch].1 += whole;
    }
    sums
}

fn denied(answers: &Answers) -> (f64, f64) {
    ratio(&batches(answers, |admitted, _| {
        (f64::from(u8::from(!admitted)), 1.0)
    }))
}

fn run(seed: u64) -> Ran {
    let overrides = Overrides {
        seed: Some(seed),
        ..Overrides::default()
    };
    Ran::ready("poisson_near_limit.toml", &overrides)
}

#[test]
fn each_algorithm_denies_the_share_of_its_closed_form() {
    let (bucket, wait) = deterministic_queue(1.0, 10);
    for seed in SEEDS {
        let run = run(seed);
        for (name, expected) in [
            ("token_bucket", bucket),
            ("leaky_bucket", bucket),
            ("gcra", bucket),
            ("fixed_window", fixed_window(LIMIT, MEAN)),
            ("sliding_window_log", erlang_b(LIMIT, MEAN)),
            (
                "sliding_window_log with denied",
                1.0 - poisson_at_most(MEAN, LIMIT - 1),
            ),
            // Simulated elsewhere, to three digits.
            ("sliding_window_counter", 0.221),
        ] {
            let (share, error) = denied(&run.of(name));
            let found = format!("{name}, seed {seed}: {share} ± {error}, expected {expected}");
            assert!(error < 0.01, "{found}");
            assert!(near(share, expected, BAND * error + 0.000_001), "{found}");
        }
        // A unit leaks every 0.1 s.
        let waits = batches(&run.of("leaky_bucket"), |admitted, wait| {
            (wait / 0.1, f64::from(u8::from(admitted)))
        });
        let (mean, error) = ratio(&waits);
        let found = format!("seed {seed}: {mean} ± {error}, expected {wait}");
        assert!(near(mean, wait, BAND * error), "{found}");
    }
}

#[test]
fn a_bucket_passes_the_limit_by_less_than_twice_and_a_log_never_does() {
    for seed in SEEDS {
        let run = run(seed);
        let bucket = run.of("token_bucket").peak();
        assert!((11..20).contains(&bucket), "{bucket}");
        for log in ["sliding_window_log", "sliding_window_log with denied"] {
            assert!(run.of(log).peak() <= 10, "{log}");
            assert_eq!(run.of(log).result.tally.false_allow, 0, "{log}");
        }
        let answers = run.of("token_bucket");
        for other in ["leaky_bucket", "gcra"] {
            let admitted = |record: &ratesim::measure::Record| record.decision.is_admitted();
            let same = answers
                .each()
                .zip(run.of(other).each().map(|(_, record)| *record))
                .all(|((_, one), two)| admitted(one) == admitted(&two));
            assert!(same, "{other} admits what a token bucket does");
        }
    }
}
