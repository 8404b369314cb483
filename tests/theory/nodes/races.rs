//! Races: a decision on a count that is one round trip old.
//!
//! Poisson requests of rate λ to one key, n allowed in a window that outlasts the run, δ from a read to
//! its visible write.
//!
//! - Read, then increment: all are admitted until the n-th increment is visible, δ after the n-th
//!   admission: n + X, X ~ Poisson(λδ).
//! - Read, then write: the first who reads v makes v + 1 visible δ later. Until then all others read v as
//!   well and are admitted, Poisson(λδ) of them; what they write is v + 1 again, before anything greater.
//!   So n values come one after the other: n + X, X ~ Poisson(n·λδ).
//! - Atomic: n.
//!
//! Each key is a sample of its own, since keys drawn for the requests of one Poisson stream have
//! independent Poisson streams.

use super::super::Row;
use super::super::measured::{Measured, run};
use ratesim::measure::{CandidateResult, RunResult};
use std::sync::LazyLock;

/// One setting, for every access.
struct Race {
    /// λ of each key, in requests a second.
    rate: u32,
    limit: u32,
    /// δ in milliseconds.
    gap: u32,
    keys: u32,
    seed: u64,
}

const RACES: &[Race] = &[
    race(1_000, 100, 5, 200, 51),
    race(250, 20, 20, 400, 52),
    race(100, 10, 1, 1_000, 53),
    race(2_000, 30, 1, 500, 54),
];

const fn race(rate: u32, limit: u32, gap: u32, keys: u32, seed: u64) -> Race {
    Race {
        rate,
        limit,
        gap,
        keys,
        seed,
    }
}

/// Buckets that regain nothing are windows that never end.
const COUNTERS: &str = "{ kind = 'fixed_window' }, { kind = 'sliding_window_log' },
    { kind = 'sliding_window_counter' },
    { kind = 'sliding_window_log', name = 'log of admitted', log_denied = false },";
const BUCKETS: &str = "{ kind = 'token_bucket', refill = '0/s' },
    { kind = 'leaky_bucket', mode = 'meter', outflow = '0/s' }, { kind = 'gcra', rate = '0/s' },";

impl Race {
    /// λδ.
    fn missed(&self) -> f64 {
        f64::from(self.rate) * f64::from(self.gap) / 1e3
    }

    /// A run long enough that every key has used up its limit, but for one in millions: it takes n gaps
    /// between requests and n round trips.
    fn run(&self, accesses: &[&str], algorithms: &str) -> RunResult {
        let (limit, rate) = (f64::from(self.limit), f64::from(self.rate));
        let gap = f64::from(self.gap) / 1e3;
        let seconds = limit * (1.0 / rate + gap) + 8.0 * limit.sqrt() / rate + 2.0 * gap;
        let deployments = accesses.iter().map(|access| {
            format!(
                "[[deployment]]
                name = '{access}'
                nodes = 3
                routing = 'random'
                store = 'central'
                access = '{access}'
                rtt = '{}ms'\n",
                self.gap
            )
        });
        run(&format!(
            "limit = '{}/1h'
            duration = '{seconds:.6}s'
            seed = {}
            measure = ['keys']
            traffic = [{{ pattern = 'poisson', rate = '{}/s', keys = {{ count = {} }} }}]
            algorithm = [{algorithms}]
            {}",
            self.limit,
            self.seed,
            self.rate * self.keys,
            self.keys,
            deployments.collect::<String>()
        ))
    }

    /// What each key was admitted beyond the limit, which must be the same for all algorithms.
    fn beyond(&self, run: &RunResult, access: &str) -> Vec<f64> {
        let mut all = run.candidates.iter().filter(|it| it.deployment == access);
        let first = all.next().expect("an algorithm under this access");
        let counts = |candidate: &CandidateResult| -> Vec<u64> {
            candidate.per_key.iter().map(|key| key.allowed).collect()
        };
        for other in all {
            assert_eq!(counts(other), counts(first), "{}", other.name);
        }
        assert!(first.per_key.iter().all(|key| key.denied > 0), "too short");
        let beyond = |count: u64| u32::try_from(count).unwrap().checked_sub(self.limit);
        let beyond = counts(first).into_iter().map(beyond);
        beyond
            .map(|over| f64::from(over.expect("not below the limit")))
            .collect()
    }

    /// Mean and variance of what was admitted beyond the limit, which is Poisson with this mean.
    fn rows(&self, access: &str, mean: f64, beyond: &[f64]) -> [Row; 2] {
        let row = |what: &str, expected, measured| Row {
            form: format!("{access}: {what}"),
            parameters: format!(
                "λ = {}/s, n = {}, δ = {} ms",
                self.rate, self.limit, self.gap
            ),
            seed: self.seed,
            expected,
            measured,
        };
        let limit = f64::from(self.limit);
        let admitted: Vec<f64> = beyond.iter().map(|over| limit + over).collect();
        [
            row("admitted", limit + mean, Measured::mean(&admitted)),
            row("variance", mean, Measured::variance(beyond)),
        ]
    }

    fn all(&self) -> Vec<Row> {
        let every = self.run(
            &["atomic", "read_then_write"],
            &[COUNTERS, BUCKETS].concat(),
        );
        let counters = self.run(&["read_then_increment"], COUNTERS);
        let exact = self.beyond(&every, "atomic");
        assert!(
            exact.iter().sum::<f64>() < 0.5,
            "atomic lets more than n pass"
        );
        let missed = self.missed();
        let written = self.beyond(&every, "read_then_write");
        let added = self.beyond(&counters, "read_then_increment");
        let mean = f64::from(self.limit) * missed;
        let mut rows = Vec::from(self.rows("read_then_write", mean, &written));
        rows.extend(self.rows("read_then_increment", missed, &added));
        rows
    }
}

pub(in super::super) static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| RACES.iter().flat_map(Race::all).collect());

/// Sixteen comparisons at four standard errors: sets of seeds fail once in a thousand.
#[test]
fn races_admit_what_poisson_requests_within_a_round_trip_come_to() {
    for row in ROWS.iter() {
        row.check();
    }
    let known = |form: &str, expected: f64, within: f64| {
        let row = ROWS.iter().find(|row| row.form == form).unwrap();
        assert!((row.expected - expected).abs() < 1e-9, "{row}");
        assert!((row.measured.value - expected).abs() < within, "{row}");
    };
    known("read_then_write: admitted", 600.0, 8.0);
    known("read_then_increment: admitted", 105.0, 0.8);
}
