//! Traffic that changes: a crowd, a day, devices that sleep.

use crate::ran::{Answers, Ran};
use crate::theory::forms::fixed_window;
use ratesim::scenario::Overrides;

fn ready(name: &str) -> Ran {
    Ran::ready(name, &Overrides::default())
}

/// Requests (all, admitted) within [from, to) seconds.
fn between(answers: &Answers, from: u64, to: u64) -> (u32, u32) {
    let (mut all, mut admitted) = (0, 0);
    for (arrival, record) in answers.each() {
        let second = arrival.at.as_nanos() / 1_000_000_000;
        if (from..to).contains(&second) {
            all += 1;
            admitted += u32::from(record.decision.is_admitted());
        }
    }
    (all, admitted)
}

/// Fifty seconds within the minute of the crowd: 1,250 at most. With a hundred a second the bucket is always
/// empty and a window always filled; a counter at its limit passes 24, since the 25th would need the whole
/// window to have elapsed.
#[test]
fn flash_crowd_all_pass_the_limit_but_a_log_with_denied_nothing() {
    let run = ready("flash_crowd.toml");
    for (name, admitted) in [
        ("token_bucket", 1_249..=1_251),
        ("leaky_bucket", 1_249..=1_251),
        ("fixed_window", 1_250..=1_250),
        ("log of admitted", 1_225..=1_250),
        ("sliding_window_counter", 1_150..=1_200),
        ("log with denied", 0..=0),
    ] {
        let (_, passed) = between(&run.of(name), 65, 115);
        assert!(admitted.contains(&passed), "{name}: {passed}");
    }
    for (name, answers) in run.all() {
        // Three a second before and after are never near the limit.
        for (from, to) in [(0, 30), (155, 180)] {
            let (all, passed) = between(&answers, from, to);
            assert_eq!(all, passed, "{name} from {from} s");
        }
    }
}

/// A share A/π of a day's demand lies above its mean: ∫ A·cos over the half in which it is positive. A
/// window a minute loses by its closed form in every minute.
#[test]
fn diurnal_day_loses_a_over_pi_of_its_requests_in_the_evening() {
    const HOUR: u64 = 3_600;
    let run = ready("diurnal_day.toml");
    let above = 0.9 / std::f64::consts::PI;
    let minutes = 1_440u32;
    let lost: f64 = (0..minutes)
        .map(|minute| {
            let turn = (f64::from(minute) + 0.5) / f64::from(minutes) - 20.0 / 24.0;
            let mean = 30.0 * (1.0 + 0.9 * (std::f64::consts::TAU * turn).cos());
            mean * fixed_window(30, mean)
        })
        .sum();
    let window = lost / (30.0 * f64::from(minutes));
    for (name, expected, within) in [
        ("token_bucket", above, 0.012),
        ("leaky_bucket", above, 0.012),
        ("fixed_window", window, 0.008),
    ] {
        let answers = run.of(name);
        let (all, passed) = between(&answers, 0, 24 * HOUR);
        let share = 1.0 - f64::from(passed) / f64::from(all);
        assert!(
            (share - expected).abs() < within,
            "{name}: {share}, {expected}"
        );
        let (quiet, passed) = between(&answers, 2 * HOUR, 14 * HOUR);
        let early = f64::from(quiet - passed) / (share * f64::from(all));
        assert!(early < 0.05, "{name}: {early}");
    }
}

/// The fluid form of a bucket of size B under a source that is on and off for exponential times of means
/// 1/β = 10 s and 1/α = 50 s. The deficit grows by c = 1.5 a second while it is on (2 sent, 0.5 gained), and
/// shrinks by d = 0.5. With z = α/d − β/c and k = e^{zB}, the source is on and the bucket empty for a share
/// M = P(on)·(c·k/β) / ((k − 1)/z + c·k/β) of the time, and c·M of the 2·P(on) sent is lost.
fn lost(size: f64) -> f64 {
    let (alpha, beta, up, down) = (1.0 / 50.0, 1.0 / 10.0, 1.5, 0.5);
    let z: f64 = alpha / down - beta / up;
    let k = (z * size).exp();
    let empty = up * k / beta;
    up / 2.0 * empty / ((k - 1.0) / z + empty)
}

#[test]
fn on_off_devices_need_a_bucket_of_many_bursts() {
    let run = ready("on_off_devices.toml");
    for (size, about) in [(5.0, 0.55), (10.0, 0.42), (30.0, 0.18), (90.0, 0.03)] {
        let expected = lost(size);
        assert!((expected - about).abs() < 0.01, "{expected} at {size}");
        let answers = run.of(&format!("bucket of {size}"));
        let (all, passed) = between(&answers, 0, 3_600);
        let share = 1.0 - f64::from(passed) / f64::from(all);
        assert!(
            (share - expected).abs() < 0.04,
            "{size}: {share}, {expected}"
        );
    }
}
