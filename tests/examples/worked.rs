//! The worked examples that define the algorithms.

use crate::setup::{admitted, after, at, stepper};
use ratesim::limiter::Decision::{Allow, Delay, Deny};
use ratesim::units::{Nanos, Retry};

#[test]
fn a_token_bucket_of_5_at_2_per_second_lets_5_of_7_and_then_3_of_4_through() {
    let mut bucket = stepper("token_bucket", "capacity=5 refill=2/s", "5/1m");
    assert_eq!(admitted(&mut *bucket, at("0s"), 7), 5);
    assert_eq!(bucket.retry_after(at("0s"), 1), after("500ms"));
    assert_eq!(admitted(&mut *bucket, at("1.5s"), 4), 3);
}

#[test]
fn a_fixed_window_lets_twice_the_limit_through_around_its_edge() {
    let mut window = stepper("fixed_window", "", "5/1m");
    for second in (55..60).chain(60..65) {
        assert_eq!(window.decide(at(&format!("{second}s")), 1), Allow);
    }
    let mut window = stepper("fixed_window", "", "60/1m");
    assert_eq!(admitted(&mut *window, at("59s"), 60), 60);
    assert_eq!(admitted(&mut *window, at("60s"), 60), 60);
}

#[test]
fn a_sliding_log_holds_the_denied_request_as_well() {
    let mut log = stepper("sliding_window_log", "", "3/1m");
    for (time, decision, size) in [
        ("1h1s", Allow, 1),
        ("1h30s", Allow, 2),
        ("1h50s", Allow, 3),
        ("1h1m20s", Allow, 3),
        ("1h1m25s", Deny, 4),
    ] {
        assert_eq!(log.decide(at(time), 1), decision, "{time}");
        assert_eq!(log.level(at(time)).parts, size, "{time}");
    }
}

#[test]
fn a_sliding_counter_weighs_the_previous_minute() {
    let mut counter = stepper("sliding_window_counter", "", "7/1m");
    assert_eq!(admitted(&mut *counter, at("30s"), 5), 5);
    assert_eq!(admitted(&mut *counter, at("1m15s"), 4), 3);
    // 5 · 0.75 + 3
    assert_eq!(counter.level(at("1m15s")).to_string(), "6.75");
}

#[test]
fn a_sliding_counter_says_when_enough_has_faded() {
    let mut counter = stepper("sliding_window_counter", "", "60/1m");
    assert_eq!(admitted(&mut *counter, at("59s"), 60), 60);
    // 12 as soon as they fit: 60 · 0.8 + 12 = 60.
    assert_eq!(admitted(&mut *counter, at("1m12s"), 12), 12);
    assert_eq!(counter.decide(at("1m12s"), 1), Deny);
    assert_eq!(counter.retry_after(at("1m12s"), 1), after("1s"));
}

#[test]
fn a_token_bucket_of_5000_at_10000_per_second_lets_6000_of_10000_through_in_100_ms() {
    let mut bucket = stepper("token_bucket", "capacity=5000", "10000/s");
    assert_eq!(admitted(&mut *bucket, at("0s"), 5_000), 5_000);
    assert_eq!(admitted(&mut *bucket, at("100ms"), 5_000), 1_000);
}

#[test]
fn gcra_with_burst_6_at_one_per_100_ms_tells_conforming_cells_from_others() {
    let mut gcra = stepper("gcra", "burst=6 rate=10/s", "10/s");
    let times = [0, 100, 110, 120, 130, 140, 150, 160, 170, 180, 1_000, 1_010];
    let said = times.map(|millis| {
        let admitted = gcra.decide(at(&format!("{millis}ms")), 1).is_admitted();
        if admitted { 'C' } else { 'N' }
    });
    assert_eq!(said.iter().collect::<String>(), "CCCCCCCNNNCC");
}

/// The capacity counts the request that is leaking.
#[test]
fn a_leaky_bucket_of_5_forwards_5_of_7_one_emission_interval_apart() {
    let mut bucket = stepper("leaky_bucket", "capacity=5 outflow=1/2s", "5/10s");
    assert_eq!(bucket.decide(at("0s"), 1), Allow);
    for turn in 1..5 {
        let wait = Nanos::from_secs(2 * turn);
        assert_eq!(bucket.decide(at("0s"), 1), Delay(wait));
    }
    assert_eq!(bucket.decide(at("0s"), 1), Deny);
    assert_eq!(bucket.decide(at("0s"), 1), Deny);
    assert_eq!(bucket.retry_after(at("0s"), 1), after("2s"));
    assert_eq!(bucket.retry_after(at("0s"), 6), Retry::Never);
}
