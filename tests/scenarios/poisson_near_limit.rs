//! Poisson traffic at the limit against the closed forms: m = λw requests a window in the mean, n
//! allowed, here both 10.
//!
//! The share denied in a run of an hour is compared within [`BAND`] standard errors, which are
//! estimated from the means of batches of three minutes: long against any memory of the limiters.

use crate::ran::{Answers, Ran};
use crate::theory::BAND;
use crate::theory::forms::{deterministic_queue, erlang_b, fixed_window, log_of_all};
use crate::theory::measured::Measured;
use ratesim::scenario::Overrides;

const LIMIT: u32 = 10;
const MEAN: f64 = 10.0;
const SEEDS: [u64; 3] = [1, 2, 3];

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

fn denied(answers: &Answers) -> Measured {
    Measured::ratio(&batches(answers, |admitted, _| {
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
            ("sliding_window_log with denied", log_of_all(LIMIT, MEAN)),
            // Simulated elsewhere, to three digits.
            ("sliding_window_counter", 0.221),
        ] {
            let found = denied(&run.of(name));
            let text = format!("{name}, seed {seed}: {found:?}, expected {expected}");
            assert!(found.error < 0.01, "{text}");
            assert!(found.distance(expected).abs() <= BAND, "{text}");
        }
        // A unit leaks every 0.1 s.
        let waits = batches(&run.of("leaky_bucket"), |admitted, wait| {
            (wait / 0.1, f64::from(u8::from(admitted)))
        });
        let found = Measured::ratio(&waits);
        let text = format!("seed {seed}: {found:?}, expected {wait}");
        assert!(found.distance(wait).abs() <= BAND, "{text}");
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
