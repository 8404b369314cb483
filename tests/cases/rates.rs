//! Rates where fractions and zeros matter.

use crate::ran::Ran;

/// All kinds that take a capacity or limit of 0.
#[test]
fn a_capacity_of_0_admits_nothing_and_says_never() {
    let run = Ran::text(
        "limit = '1/s'
        duration = '3s'
        traffic = [{ pattern = 'steady', rate = '100/s' }]
        algorithm = [
            { kind = 'token_bucket', capacity = 0 },
            { kind = 'leaky_bucket', capacity = 0 },
            { kind = 'gcra', burst = 0 },
        ]",
    );
    for (name, answers) in run.all() {
        assert_eq!(answers.counts(), (0, 300), "{name}");
        assert!(
            answers.retries().iter().all(|retry| retry == "inf"),
            "{name}"
        );
    }
}

#[test]
fn a_rate_of_0_spends_the_first_fill_and_then_says_never() {
    let run = Ran::text(
        "limit = '1/s'
        duration = '30d'
        traffic = [{ pattern = 'burst', count = 3, repeat_every = '1d' }]
        algorithm = [
            { kind = 'token_bucket', capacity = 1, refill = '0/s' },
            { kind = 'leaky_bucket', capacity = 1, outflow = '0/s' },
            { kind = 'gcra', burst = 1, rate = '0/s' },
        ]",
    );
    for (name, answers) in run.all() {
        assert_eq!(answers.counts(), (1, 89), "{name}");
        assert!(
            answers.retries().iter().all(|retry| retry == "inf"),
            "{name}"
        );
    }
}

/// 9 + 0.6 · 2 = 10.2 tokens, of which the bucket holds 10.
#[test]
fn a_bucket_is_full_again_after_half_a_second() {
    let run = Ran::text(
        "limit = '2/s'
        traffic = [
            { pattern = 'burst', at = '0s', cost = 1 },
            { pattern = 'burst', at = '600ms', cost = 10 },
        ]
        algorithm = [{ kind = 'token_bucket', capacity = 10 }]",
    );
    assert_eq!(run.of("token_bucket").letters(), "aa");
    assert_eq!(run.of("token_bucket").remaining(), [9, 0]);
}

#[test]
fn polling_at_half_the_rate_is_never_denied() {
    let run = Ran::text(
        "limit = '1200/1m'
        duration = '5m'
        traffic = [{ pattern = 'steady', rate = '10/s' }]",
    );
    for (name, answers) in run.all() {
        assert_eq!(answers.counts(), (3_000, 0), "{name}");
    }
}

/// Half a token between two requests: every other one passes.
#[test]
fn probing_at_twice_the_rate_is_admitted_by_half() {
    let run = Ran::text(
        "limit = '2000/s'
        duration = '1s'
        traffic = [{ pattern = 'steady', rate = '4000/s' }]
        algorithm = [{ kind = 'token_bucket', capacity = 1 }]",
    );
    assert_eq!(run.of("token_bucket").counts(), (2_000, 2_000));
    assert_eq!(run.of("token_bucket").letters(), "ax".repeat(2_000));
}

/// A tenth of a second at ten a second is one token, to the last digit, a hundred times.
#[test]
fn a_request_every_tenth_of_a_second_at_ten_a_second_always_passes() {
    let run = Ran::text(
        "limit = '10/s'
        traffic = [{ pattern = 'burst', count = 100, spread = '10s' }]
        algorithm = [
            { kind = 'token_bucket', capacity = 1 },
            { kind = 'leaky_bucket', capacity = 1 },
            { kind = 'gcra', burst = 1 },
        ]",
    );
    for (name, answers) in run.all() {
        assert_eq!(answers.letters(), "a".repeat(100), "{name}");
    }
}
