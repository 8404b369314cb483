//! Small examples worked by hand, each a scenario.

use crate::ran::Ran;

#[test]
fn a_token_bucket_of_5_gains_2_a_second() {
    let run = Ran::text(
        "limit = '2/s'
        traffic = [
            { pattern = 'burst', at = '0s', count = 7 },
            { pattern = 'burst', at = '1.5s', count = 4 },
        ]
        algorithm = [{ kind = 'token_bucket', capacity = 5 }]",
    );
    let bucket = run.of("token_bucket");
    assert_eq!(bucket.letters(), "aaaaaxxaaax");
    assert_eq!(bucket.retries(), ["0.5", "0.5", "0.5"]);
}

#[test]
fn a_fixed_window_lets_twice_its_limit_through_in_a_minute() {
    let run = Ran::text(
        "limit = '5/1m'
        traffic = [
            { pattern = 'script', at = ['55s', '56s', '57s', '58s', '59s'] },
            { pattern = 'script', at = ['60s', '61s', '62s', '63s', '64s'] },
        ]
        algorithm = [{ kind = 'fixed_window' }]",
    );
    let window = run.of("fixed_window");
    assert_eq!(window.counts(), (10, 0));
    assert_eq!(window.peak(), 10);
    let summary = crate::golden::table(&run.result, ratesim::report::csv::summary);
    assert_eq!(summary[0]["overshoot"], "2");
}

#[test]
fn a_fixed_window_of_60_lets_120_through_within_two_seconds() {
    let run = Ran::text(
        "limit = '60/1m'
        traffic = [
            { pattern = 'burst', at = '59s', count = 60 },
            { pattern = 'burst', at = '60s', count = 60 },
        ]
        algorithm = [{ kind = 'fixed_window' }]",
    );
    assert_eq!(run.of("fixed_window").counts(), (120, 0));
    assert_eq!(run.of("fixed_window").peak(), 120);
}

#[test]
fn a_log_counts_the_last_minute_denied_requests_included() {
    let run = Ran::text(
        "limit = '3/1m'
        traffic = [{
            pattern = 'script',
            at = ['1:00:01', '1:00:30', '1:00:50', '1:01:20', '1:01:25'],
        }]
        algorithm = [{ kind = 'sliding_window_log' }]",
    );
    let log = run.of("sliding_window_log");
    assert_eq!(log.letters(), "aaaax");
    assert_eq!(log.levels(), ["1", "2", "3", "3", "4"]);
}

#[test]
fn a_counter_weighs_the_last_minute_by_its_overlap() {
    let run = Ran::text(
        "limit = '7/1m'
        traffic = [
            { pattern = 'burst', at = '10s', count = 5 },
            { pattern = 'burst', at = '1m15s', count = 4 },
        ]
        algorithm = [{ kind = 'sliding_window_counter' }]",
    );
    let counter = run.of("sliding_window_counter");
    assert_eq!(counter.letters(), "aaaaaaaax");
    assert_eq!(counter.levels()[7], "6.75");
}

/// The 12 of this minute pass one by one: at 1:0k the last minute counts for 60 − k, k − 1 are in
/// this one. The next at 1:12 sees 48 + 12 + 1 and must wait for the last minute to weigh 47.
#[test]
fn a_full_counter_frees_one_a_second() {
    let run = Ran::text(
        "limit = '60/1m'
        traffic = [
            { pattern = 'burst', at = '0s', count = 60, spread = '1m' },
            { pattern = 'burst', at = '1m1s', count = 12, spread = '12s' },
            { pattern = 'burst', at = '1m12s' },
        ]
        algorithm = [{ kind = 'sliding_window_counter' }]",
    );
    let counter = run.of("sliding_window_counter");
    assert_eq!(counter.letters(), "a".repeat(72) + "x");
    assert_eq!(counter.retries(), ["1"]);
}

#[test]
fn a_bucket_of_5000_gains_1000_in_a_tenth_of_a_second() {
    let run = Ran::text(
        "limit = '10000/s'
        traffic = [
            { pattern = 'burst', at = '0s', count = 5000 },
            { pattern = 'burst', at = '100ms', count = 5000 },
        ]
        algorithm = [{ kind = 'token_bucket', capacity = 5000 }]",
    );
    assert_eq!(run.of("token_bucket").counts(), (6_000, 4_000));
}

/// T = 100 ms, τ = 500 ms; the seventh admitted one moves the theoretical arrival to 700 ms, and
/// 160, 170 and 180 ms lie before 700 − 500.
#[test]
fn gcra_conforms_by_its_theoretical_arrival_time() {
    let run = Ran::text(
        "limit = '10/s'
        algorithm = [{ kind = 'gcra', burst = 6, rate = '1/100ms' }]
        [[traffic]]
        pattern = 'script'
        at = ['0ms', '100ms', '110ms', '120ms', '130ms', '140ms', '150ms', '160ms', '170ms',
              '180ms', '1000ms', '1010ms']",
    );
    let gcra = run.of("gcra");
    assert_eq!(gcra.letters(), "aaaaaaaxxxaa");
    assert_eq!(gcra.retries(), ["0.04", "0.03", "0.02"]);
}
