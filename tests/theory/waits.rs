//! How long a leaky bucket makes its admitted requests wait, and what it loses on ticks.

use super::Row;
use super::forms::{deterministic_queue, ticked_queue};
use super::measured::{Measured, walk};
use std::sync::LazyLock;

/// Requests in a run.
const REQUESTS: f64 = 1_000_000.0;

/// A leaky bucket of capacity K that drains K a second under ρ·K requests a second.
fn scenario(rho: f64, places: u32, requests: f64, drain: &str, seed: u64) -> String {
    let rate = rho * f64::from(places);
    let seconds = (requests / rate).round();
    format!(
        "limit = '{places}/1s'
        duration = '{seconds}s'
        seed = {seed}
        traffic = [{{ pattern = 'poisson', rate = '{rate}/s' }}]
        algorithm = [{{ kind = 'leaky_bucket', drain = '{drain}' }}]"
    )
}

/// The share lost, and the mean wait of the others in 1/outflow.
#[allow(clippy::cast_precision_loss)]
fn measure(text: &str, places: u32) -> [Measured; 2] {
    let each = 1e9 / f64::from(places);
    let mut lost = Vec::new();
    let waits = walk(text, |now, bucket| {
        let decision = bucket.decide(now, 1);
        lost.push(!decision.is_admitted());
        if decision.is_admitted() {
            (decision.delay().get() as f64 / each, 1.0)
        } else {
            (0.0, 0.0)
        }
    });
    [Measured::ratio(&batches(&lost)), Measured::ratio(&waits)]
}

/// Sums of (lost, all) over forty batches of equally many requests.
fn batches(lost: &[bool]) -> Vec<(f64, f64)> {
    let size = lost.len() / 40;
    let sums = lost.chunks_exact(size).map(|batch| {
        let many = batch.iter().filter(|lost| **lost).count();
        let count = |value: usize| f64::from(u32::try_from(value).unwrap());
        (count(many), count(batch.len()))
    });
    sums.collect()
}

fn rows_of(drain: &str, rho: f64, places: u32, requests: f64, seed: u64) -> Vec<Row> {
    let [lost, wait] = measure(&scenario(rho, places, requests, drain, seed), places);
    let ticks = drain == "ticks";
    let (share, mean) = if ticks {
        ticked_queue(rho, places)
    } else {
        deterministic_queue(rho, places)
    };
    let row = |form: &str, expected, measured| Row {
        form: form.to_owned(),
        parameters: format!("ρ = {rho}, K = {places}"),
        seed,
        expected,
        measured,
    };
    if ticks {
        vec![
            row("leaky bucket on ticks: share lost", share, lost),
            row("leaky bucket on ticks: mean wait in T", mean, wait),
        ]
    } else {
        vec![row("leaky bucket: mean wait in T", mean, wait)]
    }
}

pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    for (rho, places, requests, seed) in [
        (0.8, 5, REQUESTS, 21),
        (0.9, 10, REQUESTS, 22),
        (1.0, 10, REQUESTS, 23),
        (1.2, 10, REQUESTS, 24),
        (1.5, 5, REQUESTS, 25),
        (0.95, 50, 4.0 * REQUESTS, 26),
    ] {
        rows.extend(rows_of("continuous", rho, places, requests, seed));
    }
    for (rho, places, seed) in [(0.8, 5, 27), (1.2, 10, 28)] {
        rows.extend(rows_of("ticks", rho, places, REQUESTS, seed));
    }
    rows
});

#[test]
fn a_leaky_bucket_makes_wait_and_loses_as_its_queue_does() {
    for row in ROWS.iter() {
        row.check();
        assert!(row.measured.error < 0.02 * row.expected, "{row}");
    }
}
