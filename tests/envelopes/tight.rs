//! Envelopes that are reached: the traffic that gets the most out of each algorithm.

use crate::ran::Ran;
use crate::setup::stepper;
use proptest::prelude::*;
use ratesim::units::SimTime;

/// Cost forwarded by each candidate in [0, seconds] of a run.
fn forwarded_by(run: &Ran, name: &str, seconds: u64) -> u64 {
    let end = SimTime::from_nanos(seconds * 1_000_000_000);
    let answers = run.of(name);
    let passed = answers.each().filter(|(arrival, record)| {
        record.decision.is_admitted() && arrival.at + record.decision.delay() <= end
    });
    passed.map(|(arrival, _)| arrival.cost).sum()
}

#[test]
fn under_flood_a_bucket_forwards_its_capacity_and_all_of_the_rate() {
    let run = Ran::text(
        "limit = '10/4s'
        duration = '9s'
        traffic = [{ pattern = 'steady', rate = '1000/s' }]
        algorithm = [{ kind = 'token_bucket' }, { kind = 'gcra' }, { kind = 'leaky_bucket' }]",
    );
    for seconds in 0..9 {
        // ⌊b + rτ⌋, and 1 + ⌊rτ⌋ for a queue.
        let most = 10 + seconds * 10 / 4;
        assert_eq!(
            forwarded_by(&run, "token_bucket", seconds),
            if seconds == 0 { 1 } else { most }
        );
        assert_eq!(
            forwarded_by(&run, "gcra", seconds),
            if seconds == 0 { 1 } else { most }
        );
        assert_eq!(
            forwarded_by(&run, "leaky_bucket", seconds),
            1 + seconds * 10 / 4
        );
    }
    // (b − 1)T of 0.4 s, less what has leaked of the turn that frees a place: none, at its instant.
    assert_eq!(run.of("leaky_bucket").longest_wait(), "3.6");
}

#[test]
fn at_once_a_bucket_forwards_its_capacity() {
    let run = Ran::text(
        "limit = '10/4s'
        traffic = [{ pattern = 'burst', count = 30 }]
        algorithm = [{ kind = 'token_bucket' }, { kind = 'gcra' }, { kind = 'leaky_bucket' }]",
    );
    let all = ["token_bucket", "gcra", "leaky_bucket"].map(|name| forwarded_by(&run, name, 0));
    assert_eq!(all, [10, 10, 1]);
}

/// b and two steps of q within one nanosecond and Δ: b + q(⌊τ/Δ⌋ + 1).
#[test]
fn a_bucket_refilled_in_steps_forwards_one_step_more() {
    let run = Ran::text(
        "limit = '3/1s'
        traffic = [
            { pattern = 'burst', count = 1 },
            { pattern = 'burst', at = '2999999999ns', count = 20 },
            { pattern = 'burst', at = '3s', count = 20 },
            { pattern = 'burst', at = '4s', count = 20 },
        ]
        algorithm = [{ kind = 'token_bucket', capacity = 7, refill_every = '1s' }]",
    );
    assert_eq!(run.of("token_bucket").counts().0, 1 + 7 + 3 + 3);
}

#[test]
fn at_an_edge_a_fixed_window_forwards_twice_its_limit_within_a_nanosecond() {
    let run = Ran::text(
        "limit = '8/1s'
        traffic = [
            { pattern = 'burst', at = '999999999ns', count = 20 },
            { pattern = 'burst', at = '1s', count = 20 },
            { pattern = 'burst', at = '2s', count = 20 },
        ]
        algorithm = [{ kind = 'fixed_window' }]",
    );
    assert_eq!(run.of("fixed_window").counts().0, 24);
    assert_eq!(run.of("fixed_window").peak(), 16);
}

/// n at the end of one window; at the end of the next the estimate has forgotten them, and they lie
/// in the trailing window still.
#[test]
fn a_sliding_counter_reaches_2n_less_1_and_rounded_down_2n() {
    for n in [1u64, 2, 5, 60, 1_000] {
        let run = Ran::text(&format!(
            "limit = '{n}/1s'
            traffic = [
                {{ pattern = 'burst', at = '999999999ns', count = {n} }},
                {{ pattern = 'burst', at = '1999999998ns', count = {} }},
            ]
            algorithm = [
                {{ kind = 'sliding_window_counter', name = 'exact' }},
                {{ kind = 'sliding_window_counter', name = 'floor', rounding = 'floor' }},
                {{ kind = 'sliding_window_log', log_denied = false }},
            ]",
            2 * n
        ));
        let peaks = ["exact", "floor", "sliding_window_log"].map(|name| run.of(name).peak());
        let n = u128::from(n);
        assert_eq!(peaks, [2 * n - 1, 2 * n, n], "n = {n}");
    }
}

#[test]
fn under_flood_a_log_forwards_its_limit_in_every_window() {
    let run = Ran::text(
        "limit = '6/1s'
        duration = '5s'
        traffic = [{ pattern = 'steady', rate = '100/s' }]
        algorithm = [{ kind = 'sliding_window_log', log_denied = false }]",
    );
    assert_eq!(run.of("sliding_window_log").counts().0, 30);
    assert_eq!(run.of("sliding_window_log").peak(), 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Requests every δ < T take 1 − δ/T of a token each beyond what comes back: from full the first
    /// ⌊1 + (b − 1)T/(T − δ)⌋ pass, and the next does not.
    #[test]
    fn a_flood_is_admitted_for_as_long_as_the_burst_lasts(
        burst in 1..40u64,
        (interval, gap) in (2..2_000u64).prop_flat_map(|interval| (Just(interval), 0..interval)),
    ) {
        let passes = 1 + (burst - 1) * interval / (interval - gap);
        // Close to T a flood lasts for ever; a bound keeps the test short.
        prop_assume!(passes < 20_000);
        let limit = format!("1/{interval}ns");
        for (kind, options) in [
            ("token_bucket", format!("capacity={burst}")),
            ("gcra", format!("burst={burst}")),
            ("leaky_bucket", format!("capacity={burst}")),
            ("leaky_bucket", format!("capacity={burst} mode=meter")),
        ] {
            let mut limiter = stepper(kind, &options, &limit);
            let first_denied = (0..).find(|i| {
                !limiter.decide(SimTime::from_nanos(i * gap), 1).is_admitted()
            });
            prop_assert_eq!(first_denied, Some(passes), "{} {}", kind, options);
        }
    }
}
