//! Requests that cost more than one, or nothing.

use crate::ran::Ran;

/// All six algorithms, the log without its denied requests.
const SIX: &str = "algorithm = [
    { kind = 'token_bucket' },
    { kind = 'leaky_bucket' },
    { kind = 'fixed_window' },
    { kind = 'sliding_window_log', log_denied = false },
    { kind = 'sliding_window_counter' },
    { kind = 'gcra' },
]\n";

fn six(text: &str) -> Ran {
    Ran::text(&format!("{SIX}{text}"))
}

#[test]
fn a_cost_above_the_limit_is_denied_for_ever_and_uses_nothing() {
    let run = six("limit = '10/1m'
        traffic = [
            { pattern = 'burst', count = 5 },
            { pattern = 'burst', cost = 100 },
            { pattern = 'burst', cost = 5 },
        ]");
    for (name, answers) in run.all() {
        assert_eq!(answers.letters().replace('w', "a"), "aaaaaxa", "{name}");
        assert_eq!(answers.retries(), ["inf"], "{name}");
        assert_eq!(answers.remaining(), [9, 8, 7, 6, 5, 5, 0], "{name}");
    }
}

/// Even where denied requests count, one that can never pass does not.
#[test]
fn a_cost_above_the_limit_uses_nothing_even_where_denied_requests_count() {
    let run = Ran::text(
        "limit = '10/1m'
        traffic = [
            { pattern = 'burst', count = 5 },
            { pattern = 'burst', cost = 100 },
        ]
        algorithm = [
            { kind = 'sliding_window_log', log_denied = true },
            { kind = 'fixed_window', count_denied = true },
            { kind = 'sliding_window_counter', count_denied = true },
        ]",
    );
    for (name, answers) in run.all() {
        assert_eq!(answers.remaining(), [9, 8, 7, 6, 5, 5], "{name}");
        assert_eq!(answers.retries(), ["inf"], "{name}");
    }
}

#[test]
fn what_does_not_suffice_is_not_taken() {
    let run = six("limit = '10/1m'
        traffic = [
            { pattern = 'burst', cost = 8 },
            { pattern = 'burst', cost = 5 },
            { pattern = 'burst', cost = 1 },
        ]");
    for (name, answers) in run.all() {
        assert_eq!(answers.letters().replace('w', "a"), "axa", "{name}");
        assert_eq!(answers.remaining(), [2, 2, 1], "{name}");
    }
    // Three tokens are missing, six seconds each; the windows wait for the eight to leave.
    for (name, retry) in [
        ("token_bucket", "18"),
        ("leaky_bucket", "18"),
        ("gcra", "18"),
        ("fixed_window", "60"),
        ("sliding_window_log", "60"),
        // 8 · (1 − f) + 5 ≤ 10 from f = 3/8 of the second minute on.
        ("sliding_window_counter", "82.5"),
    ] {
        assert_eq!(run.of(name).retries(), [retry], "{name}");
    }
}

#[test]
fn what_costs_nothing_always_passes_and_changes_nothing() {
    let run = six("limit = '3/1m'
        traffic = [
            { pattern = 'burst', count = 20, cost = 0 },
            { pattern = 'burst', at = '1s', cost = 3 },
            { pattern = 'burst', at = '1s', count = 20, cost = 0 },
            { pattern = 'burst', at = '1s' },
        ]");
    for (name, answers) in run.all() {
        let letters = "a".repeat(41) + "x";
        assert_eq!(answers.letters(), letters, "{name}");
        let remaining = [[3; 20].as_slice(), &[0; 22]].concat();
        assert_eq!(answers.remaining(), remaining, "{name}");
        let tally = answers.result.tally;
        assert_eq!((tally.offered_cost, tally.allowed_cost), (4, 3), "{name}");
        assert_eq!(answers.peak(), 3, "{name}");
    }
}

/// A unit a day: the third million lacks 500,000 of them, and a day later 499,999. That is 43.2
/// thousand million seconds, longer than the clock itself runs.
#[test]
fn millions_at_a_unit_a_day_are_exact() {
    let run = Ran::text(
        "limit = '1/1d'
        traffic = [
            { pattern = 'burst', at = '0s', count = 3, cost = 1000000 },
            { pattern = 'burst', at = '1d', cost = 1000000 },
            { pattern = 'burst', at = '1d', cost = 500001 },
        ]
        algorithm = [
            { kind = 'token_bucket', capacity = 2500000 },
            { kind = 'leaky_bucket', capacity = 2500000, mode = 'meter' },
            { kind = 'gcra', burst = 2500000 },
        ]",
    );
    for (name, answers) in run.all() {
        assert_eq!(answers.letters(), "aaxxa", "{name}");
        let retries: Vec<u64> = [500_000, 499_999].map(|days: u64| days * 86_400).into();
        let retries: Vec<_> = retries.iter().map(u64::to_string).collect();
        assert_eq!(answers.retries(), retries, "{name}");
        let remaining = [1_500_000, 500_000, 500_000, 500_001, 0];
        assert_eq!(answers.remaining(), remaining, "{name}");
    }
}
