//! Waiting: in a queue, or as told.

use crate::ran::Ran;
use ratesim::units::Nanos;

/// The fifth would wait 16 s. Four seconds later it waits 12 s.
#[test]
fn a_queue_with_patience_for_12_seconds_holds_four() {
    let run = Ran::text(
        "limit = '9/36s'
        traffic = [
            { pattern = 'burst', count = 9 },
            { pattern = 'burst', at = '3.999999999s' },
            { pattern = 'burst', at = '4s' },
        ]
        algorithm = [
            { kind = 'leaky_bucket', capacity = 9, outflow = '1/4s', max_wait = '12s' },
        ]",
    );
    let queue = run.of("leaky_bucket");
    assert_eq!(queue.letters(), "awwwxxxxxxw");
    assert_eq!(queue.forwarded(), ["0", "4", "8", "12", "16"]);
    let retries = ["4", "4", "4", "4", "4", "0.000000001"];
    assert_eq!(queue.retries(), retries);
}

/// A quarter of a token is there at 0.5 s; the rest takes 1.5 s.
#[test]
fn an_emptied_bucket_tells_the_exact_wait() {
    let run = Ran::text(
        "limit = '1/2s'
        traffic = [
            { pattern = 'burst', cost = 16 },
            { pattern = 'script', at = ['0.5s', '1.999999999s', '2s'] },
        ]
        algorithm = [
            { kind = 'token_bucket', capacity = 16 },
            { kind = 'leaky_bucket', capacity = 16, mode = 'meter' },
            { kind = 'gcra', burst = 16 },
        ]",
    );
    for (name, answers) in run.all() {
        assert_eq!(answers.letters(), "axxa", "{name}");
        assert_eq!(answers.retries(), ["1.5", "0.000000001"], "{name}");
    }
}

/// Queues of ten that leak one every 6 s: the tenth waits for nine to leak, and no longer. The
/// waits are too many to be kept one by one.
#[test]
fn no_wait_is_longer_than_a_full_queue_takes() {
    let run = Ran::text(
        "limit = '10/1m'
        duration = '100s'
        algorithm = [{ kind = 'leaky_bucket' }]
        [[traffic]]
        pattern = 'poisson'
        rate = '1500/s'
        keys = { count = 3000 }",
    );
    let queue = run.of("leaky_bucket");
    assert!(
        queue.result.tally.delayed > 70_000,
        "more than are kept exactly"
    );
    let longest = queue
        .each()
        .map(|(_, record)| record.decision.delay())
        .max();
    assert!(longest.unwrap() <= Nanos::from_secs(54));
    assert_eq!(queue.result.delays.percentile(100), longest);
    assert!(queue.result.delays.percentile(99) <= longest);
}
