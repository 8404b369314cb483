//! Situations that people reported about rate limiters in production, with the number that exact
//! arithmetic gives.

use crate::setup::{admitted, after, at, contract, parameters, stepper};
use ratesim::catalog::{ALGORITHMS, AlgorithmRow};
use ratesim::limiter::Decision::{Allow, Delay, Deny};
use ratesim::simulation::Stepper;
use ratesim::units::{Nanos, Retry, Share, SimTime};

/// Requests of cost 1 admitted of those at 0, step, 2 · step … before `end`.
fn admitted_evenly(stepper: &mut dyn Stepper, from: SimTime, step: &str, count: u64) -> u64 {
    let step: Nanos = step.parse().unwrap();
    (0..count)
        .map(|i| admitted(stepper, from + Nanos::new(i * step.get()), 1))
        .sum()
}

/// One key under an algorithm of the catalog with its defaults.
fn with_defaults(row: &AlgorithmRow, limit: &str) -> Box<dyn Stepper> {
    let built = (row.build)(&mut parameters(""), &contract(limit), &[Share::Whole]).unwrap();
    built.stepper()
}

#[test]
fn only_a_fixed_window_passes_a_burst_on_both_sides_of_an_edge() {
    for (kind, options, total) in [
        ("fixed_window", "", 10),
        ("sliding_window_log", "log_denied=false", 5),
        ("sliding_window_counter", "", 5),
        ("token_bucket", "", 5),
    ] {
        let mut limiter = stepper(kind, options, "5/1m");
        let first = admitted(&mut *limiter, at("59.9s"), 10);
        let second = admitted(&mut *limiter, at("60s"), 10);
        assert_eq!((first, first + second), (5, total), "{kind}");
    }
}

#[test]
fn a_flooded_bucket_passes_its_capacity_and_a_minute_of_its_rate() {
    for (capacity, most) in [(1_200, 2_400), (10, 1_210)] {
        let options = format!("capacity={capacity}");
        let mut bucket = stepper("token_bucket", &options, "1200/1m");
        assert_eq!(admitted_evenly(&mut *bucket, at("0s"), "1ms", 60_001), most);
    }
}

#[test]
fn a_capacity_of_0_passes_nothing() {
    for (kind, options) in [
        ("token_bucket", "capacity=0"),
        ("leaky_bucket", "capacity=0"),
        ("gcra", "burst=0"),
    ] {
        let mut bucket = stepper(kind, options, "1/s");
        assert_eq!(admitted_evenly(&mut *bucket, at("0s"), "10ms", 100), 0);
        assert_eq!(bucket.retry_after(at("1s"), 1), Retry::Never);
    }
}

#[test]
fn a_rate_of_0_passes_the_capacity_once() {
    for (kind, options) in [
        ("token_bucket", "capacity=1 refill=0/s"),
        ("leaky_bucket", "capacity=1 outflow=0/s"),
        ("gcra", "burst=1 rate=0/s"),
    ] {
        let mut bucket = stepper(kind, options, "1/s");
        assert_eq!(admitted_evenly(&mut *bucket, at("0s"), "1h", 20), 1);
        assert_eq!(bucket.retry_after(at("20h"), 1), Retry::Never);
    }
}

#[test]
fn six_per_minute_passes_5_at_once_only_with_room_for_them() {
    for (capacity, passed) in [(1, 1), (6, 5)] {
        let options = format!("capacity={capacity}");
        let mut bucket = stepper("token_bucket", &options, "6/1m");
        assert_eq!(admitted(&mut *bucket, at("0s"), 5), passed);
    }
}

#[test]
fn a_page_of_154_things_needs_a_capacity_of_154() {
    for (capacity, passed) in [(101, 101), (153, 153), (154, 154)] {
        let options = format!("capacity={capacity}");
        let mut bucket = stepper("token_bucket", &options, "6000/1m");
        assert_eq!(admitted(&mut *bucket, at("0s"), 154), passed);
    }
    let mut bucket = stepper("leaky_bucket", "capacity=101", "6000/1m");
    admitted(&mut *bucket, at("0s"), 100);
    assert_eq!(bucket.decide(at("0s"), 1), Delay(Nanos::from_secs(1)));
}

#[test]
fn a_capacity_of_50_passes_50_at_one_instant_and_25_every_quarter_second() {
    let mut bucket = stepper("token_bucket", "capacity=50", "100/s");
    assert_eq!(admitted(&mut *bucket, at("0s"), 100), 50);
    let mut bucket = stepper("token_bucket", "capacity=50", "100/s");
    for quarter in 0..100 {
        let now = SimTime::ZERO + Nanos::from_millis(250 * quarter);
        assert_eq!(admitted(&mut *bucket, now, 25), 25);
    }
}

#[test]
fn nobody_waits_longer_than_the_longest_wait() {
    let options = "capacity=9 outflow=1/4s max_wait=12s";
    let mut bucket = stepper("leaky_bucket", options, "9/36s");
    let said: Vec<_> = (0..9).map(|_| bucket.decide(at("0s"), 1)).collect();
    let wait = |seconds| Delay(Nanos::from_secs(seconds));
    assert_eq!(said[..4], [Allow, wait(4), wait(8), wait(12)]);
    assert_eq!(said[4..], [Deny; 5]);
    assert_eq!(bucket.retry_after(at("0s"), 1), after("4s"));
}

#[test]
fn a_bucket_refills_between_polls() {
    let mut bucket = stepper("token_bucket", "capacity=10 refill=2/s", "10/s");
    assert_eq!(bucket.decide(at("0s"), 1), Allow);
    assert_eq!(bucket.decide(at("600ms"), 10), Allow);
    for capacity in [1, 1_200] {
        let options = format!("capacity={capacity}");
        let mut bucket = stepper("token_bucket", &options, "1200/1m");
        assert_eq!(
            admitted_evenly(&mut *bucket, at("0s"), "100ms", 6_000),
            6_000
        );
    }
}

#[test]
fn refilling_in_steps_keeps_the_first_second_to_the_capacity() {
    for (options, expected) in [
        ("refill_every=1s", [1_000, 1_000, 1_000, 1_000]),
        ("", [1_999, 1_000, 1_000, 1_000]),
    ] {
        let mut bucket = stepper("token_bucket", options, "1000/s");
        let seconds = [0, 1, 2, 3].map(|second| {
            let from = SimTime::ZERO + Nanos::from_secs(second);
            admitted_evenly(&mut *bucket, from, "200us", 5_000)
        });
        assert_eq!(seconds, expected, "{options}");
    }
}

#[test]
fn probing_twice_as_fast_as_the_rate_passes_every_other_probe() {
    let mut bucket = stepper("token_bucket", "capacity=1", "2000/s");
    assert_eq!(
        admitted_evenly(&mut *bucket, at("0s"), "250us", 4_000),
        2_000
    );
}

#[test]
fn a_clock_that_swings_mints_nothing() {
    for row in ALGORITHMS {
        let mut limiter = with_defaults(row, "1/1s");
        let passed: u64 = (0..1_000)
            .map(|_| admitted(&mut *limiter, at("1s"), 1) + admitted(&mut *limiter, at("0s"), 1))
            .sum();
        assert_eq!(passed, 1, "{}", row.kind);
    }
}

#[test]
fn a_node_10_s_behind_mints_nothing() {
    for row in ALGORITHMS {
        let mut limiter = with_defaults(row, "4/2s");
        let passed = [("20s", 5), ("10s", 1), ("20s", 5)]
            .map(|(time, count)| admitted(&mut *limiter, at(time), count));
        assert_eq!(passed.iter().sum::<u64>(), 4, "{}", row.kind);
    }
}

#[test]
fn a_cost_above_the_limit_is_denied_and_uses_nothing() {
    for row in ALGORITHMS {
        let mut limiter = with_defaults(row, "10/1m");
        assert_eq!(admitted(&mut *limiter, at("1s"), 5), 5, "{}", row.kind);
        assert_eq!(limiter.decide(at("1s"), 100), Deny, "{}", row.kind);
        assert_eq!(limiter.remaining(at("1s")), 5, "{}", row.kind);
        assert_eq!(
            limiter.retry_after(at("1s"), 100),
            Retry::Never,
            "{}",
            row.kind
        );
    }
}

#[test]
fn a_denied_cost_takes_no_tokens() {
    let mut bucket = stepper("token_bucket", "", "10/1m");
    assert_eq!(bucket.decide(at("0s"), 8), Allow);
    assert_eq!(bucket.decide(at("0s"), 5), Deny);
    assert_eq!(bucket.remaining(at("0s")), 2);
    assert_eq!(bucket.decide(at("0s"), 1), Allow);
}

#[test]
fn costs_of_0_pass_with_nothing_left() {
    for row in ALGORITHMS {
        let mut limiter = with_defaults(row, "10/1m");
        for used in [4, 6] {
            assert!(limiter.decide(at("1s"), used).is_admitted(), "{}", row.kind);
            let remaining = limiter.remaining(at("1s"));
            for _ in 0..100 {
                assert_eq!(limiter.decide(at("1s"), 0), Allow, "{}", row.kind);
            }
            assert_eq!(limiter.remaining(at("1s")), remaining, "{}", row.kind);
        }
        assert_eq!(limiter.remaining(at("1s")), 0, "{}", row.kind);
    }
}

#[test]
fn an_emptied_bucket_at_half_a_token_a_second_says_1500_ms_after_500_ms() {
    for (kind, options) in [
        ("token_bucket", "capacity=16 refill=0.5/s"),
        ("leaky_bucket", "capacity=16 outflow=0.5/s"),
        ("gcra", "burst=16 rate=0.5/s"),
    ] {
        let mut bucket = stepper(kind, options, "16/32s");
        assert!(bucket.decide(at("0s"), 16).is_admitted());
        assert_eq!(bucket.decide(at("500ms"), 1), Deny);
        assert_eq!(bucket.retry_after(at("500ms"), 1), after("1500ms"));
    }
}

#[test]
fn ten_thousand_a_second_with_half_of_it_as_capacity() {
    let bucket = || stepper("token_bucket", "capacity=5000", "10000/s");
    assert_eq!(
        admitted_evenly(&mut *bucket(), at("0s"), "100us", 10_000),
        10_000
    );
    assert_eq!(
        admitted_evenly(&mut *bucket(), at("0s"), "100ns", 10_000),
        5_009
    );
    assert_eq!(admitted(&mut *bucket(), at("0s"), 10_000), 5_000);
    let mut uneven = bucket();
    let first = admitted_evenly(&mut *uneven, at("0s"), "200ns", 5_000);
    let rest = admitted_evenly(&mut *uneven, at("1ms"), "199800ns", 5_000);
    assert_eq!(first + rest, 10_000);
}

#[test]
fn a_request_exactly_every_emission_interval_always_passes() {
    for (kind, options) in [
        ("token_bucket", "capacity=1"),
        ("leaky_bucket", "capacity=1"),
        ("gcra", "burst=1"),
    ] {
        let mut bucket = stepper(kind, options, "10/s");
        assert_eq!(admitted_evenly(&mut *bucket, at("0s"), "100ms", 100), 100);
    }
}

#[test]
fn a_large_bucket_refilled_once_a_day_is_exact() {
    for (kind, options) in [
        ("token_bucket", "capacity=2500000 refill=1/1d"),
        ("leaky_bucket", "capacity=2500000 outflow=1/1d"),
        ("gcra", "burst=2500000 rate=1/1d"),
    ] {
        let mut bucket = stepper(kind, options, "2500000/1d");
        assert!(bucket.decide(at("0s"), 1_000_000).is_admitted());
        assert!(bucket.decide(at("0s"), 1_000_000).is_admitted());
        assert_eq!(bucket.remaining(at("0s")), 500_000);
        assert_eq!(bucket.decide(at("0s"), 1_000_000), Deny);
        let days = Retry::After(500_000 * 86_400_000_000_000);
        assert_eq!(bucket.retry_after(at("0s"), 1_000_000), days);
    }
}
