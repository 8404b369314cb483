//! Clients that try again a few times: p = share denied, at most a retries.
//!
//! Where retries are spread widely against the window, each attempt meets the limiter as a stranger would,
//! so that a request takes 1 + p + … + p^a = (1 − p^(a+1))/(1 − p) attempts. Poisson requests at rate λ then
//! make nearly Poisson attempts at λ times that, of which a fixed window denies a known share, which
//! is p again. Where it is saturated, all r that it lets pass is used: p = (1 − r/λ)^(1/(a+1)).

use super::forms::fixed_window;
use super::measured::Measured;
use super::{BAND, Row};
use crate::ran::Ran;
use std::sync::LazyLock;

const LIMIT: u32 = 10;
const RETRIES: i32 = 3;

/// Requests that come before all is as in the long run, or whose last retry comes after the end.
const MARGIN: u64 = 200;
const SECONDS: u64 = 6_400;
const BATCHES: u64 = 40;

/// Attempts at each request.
fn attempts(p: f64) -> f64 {
    (1.0 - p.powi(RETRIES + 1)) / (1.0 - p)
}

/// The share denied at λ requests a second, by halving: what is denied grows with p, and with what is
/// denied the attempts.
fn denied(rate: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0 - 1e-9);
    for _ in 0..60 {
        let p = f64::midpoint(low, high);
        if fixed_window(LIMIT, rate * attempts(p)) > p {
            low = p;
        } else {
            high = p;
        }
    }
    low
}

/// By batches of requests: their attempts, those that were denied, and the requests.
fn measured(rate: u64, seed: u64, client: &str) -> Vec<[f64; 3]> {
    let run = Ran::text(&format!(
        "limit = '{LIMIT}/1s'
        duration = '{SECONDS}s'
        seed = {seed}
        measure = ['counts']
        traffic = [{{ pattern = 'poisson', rate = '{rate}/s' }}]
        algorithm = [{{ kind = 'fixed_window' }}]
        client = {{ retry = 'fixed', max_attempts = {}, {client} }}",
        RETRIES + 1
    ));
    let answers = run.of("fixed_window");
    let second = 1_000_000_000;
    let length = (SECONDS - 2 * MARGIN).div_ceil(BATCHES) * second;
    let mut batches = vec![[0.0; 3]; usize::try_from(BATCHES).unwrap()];
    for (arrival, record) in answers.each() {
        let since = arrival.at.as_nanos().checked_sub(MARGIN * second);
        let batch =
            since.and_then(|since| batches.get_mut(usize::try_from(since / length).unwrap()));
        let Some(batch) = batch else { continue };
        batch[0] += 1.0;
        batch[1] += f64::from(u8::from(!record.decision.is_admitted()));
        batch[2] += f64::from(u8::from(record.attempt == 1));
    }
    batches
}

fn ratio(batches: &[[f64; 3]], part: usize, whole: usize) -> Measured {
    let pairs: Vec<_> = batches
        .iter()
        .map(|sums| (sums[part], sums[whole]))
        .collect();
    Measured::ratio(&pairs)
}

const SPREAD: &str = "wait = '5s', spread = '40s'";

fn rows(rate: u64, seed: u64) -> [Row; 2] {
    #[allow(clippy::cast_precision_loss)]
    let p = denied(rate as f64);
    let batches = measured(rate, seed, SPREAD);
    let row = |form: &str, expected, measured| Row {
        form: format!("spread retries, {form}"),
        parameters: format!("n = {LIMIT}, λw = {rate}, a = {RETRIES}"),
        seed,
        expected,
        measured,
    };
    [
        row("share denied", p, ratio(&batches, 1, 0)),
        row("attempts per request", attempts(p), ratio(&batches, 0, 2)),
    ]
}

pub(super) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let settings = [(7, 61), (12, 62), (20, 63)];
    settings
        .into_iter()
        .flat_map(|(rate, seed)| rows(rate, seed))
        .collect()
});

#[test]
fn spread_retries_take_as_many_attempts_as_the_geometric_series() {
    ROWS.iter().for_each(Row::check);
}

/// λ = 2r and three retries: p = (1/2)^(1/4) and half of p/(1 − p) more attempts than requests.
#[test]
fn the_saturated_loop_denies_0_8409_and_takes_3_14_attempts() {
    let p = 0.5f64.powf(0.25);
    assert!((p - 0.8409).abs() < 5e-5 && (attempts(p) - 3.143).abs() < 5e-4);
    // 20·attempts = r/(1 − p), and the fixed window's form knows of no other.
    let rate = 10.0 / (1.0 - p);
    assert!((20.0 * attempts(p) - rate).abs() < 1e-9);
    assert!((denied(20.0) - p).abs() < 1e-4);
}

/// A window is used up by those who come early in it; who comes late comes as late in the next: half are
/// admitted at once and half never, which takes (1 + 4)/2 attempts.
#[test]
fn retries_exactly_one_window_later_depart_from_it() {
    let batches = measured(20, 64, "wait = '1s'");
    let attempts_made = ratio(&batches, 0, 2);
    let form = attempts(0.5f64.powf(0.25));
    assert!(
        attempts_made.distance(form) < -5.0 * BAND,
        "{attempts_made:?}"
    );
    assert!(
        (attempts_made.value - 2.5).abs() < 0.25,
        "{attempts_made:?}"
    );
}
