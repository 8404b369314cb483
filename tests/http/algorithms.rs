//! Every algorithm: what is left, when more of it comes, and when all of it is back.

use super::assert_told;
use crate::ran::Ran;

const SIX: [&str; 6] = [
    "token_bucket",
    "leaky_bucket",
    "fixed_window",
    "sliding_window_log",
    "sliding_window_counter",
    "gcra",
];

const ALL: &str = "algorithm = [
    { kind = 'token_bucket' },
    { kind = 'leaky_bucket' },
    { kind = 'fixed_window' },
    { kind = 'sliding_window_log' },
    { kind = 'sliding_window_counter' },
    { kind = 'gcra' },
]\n";

/// A token comes every 0.5 s: the bucket is full again at 0.5, 1, 1.5, 2 and 2.5 s, and after the
/// second burst, which finds three tokens, at 3, 3.5 and 4 s.
#[test]
fn a_bucket_of_5_at_2_a_second_tells_when_it_is_full_and_when_the_next_token_comes() {
    let run = Ran::text(
        "limit = '5/2500ms'
        traffic = [
            { pattern = 'burst', count = 7 },
            { pattern = 'burst', at = '1500ms', count = 4 },
        ]
        algorithm = [
            { kind = 'token_bucket' },
            { kind = 'leaky_bucket' },
            { kind = 'leaky_bucket', name = 'meter', mode = 'meter' },
            { kind = 'gcra' },
        ]",
    );
    let expected = [
        "200 5 4 1 1 -",
        "200 5 3 1 1 -",
        "200 5 2 2 1 -",
        "200 5 1 2 1 -",
        "200 5 0 3 1 -",
        "429 5 0 3 1 1",
        "429 5 0 3 1 1",
        "200 5 2 3 1 -",
        "200 5 1 4 1 -",
        "200 5 0 4 1 -",
        "429 5 0 4 1 1",
    ];
    let names = ["token_bucket", "leaky_bucket", "meter", "gcra"];
    assert_told(&run, &names, &expected);
}

/// A quarter of a token is there at 0.5 s; the whole one takes 1.5 s more, which is not 1 s.
#[test]
fn a_wait_of_one_and_a_half_seconds_is_told_as_two() {
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
    let expected = [
        "200 1 0 32 2 -",
        "429 1 0 32 2 2",
        "429 1 0 32 1 1",
        "200 1 0 34 2 -",
    ];
    assert_told(&run, &["token_bucket", "leaky_bucket", "gcra"], &expected);
}

/// The window ends at 60 s, half a second after the burst. At 60 s a new one begins.
#[test]
fn a_fixed_window_tells_its_end() {
    let run = Ran::text(
        "limit = '3/1m'
        traffic = [
            { pattern = 'burst', at = '59500ms', count = 4 },
            { pattern = 'burst', at = '60s' },
        ]
        algorithm = [{ kind = 'fixed_window' }]",
    );
    let expected = [
        "200 3 2 60 1 -",
        "200 3 1 60 1 -",
        "200 3 0 60 1 -",
        "429 3 0 60 1 1",
        "200 3 2 120 60 -",
    ];
    assert_told(&run, &["fixed_window"], &expected);
}

/// 2026 begins 1,767,225,600 s after 1970. The request comes at 0:00:40.25: the minute of the clock ends
/// 19.75 s later, one that opens with the request ends at 0:01:40.25, and so does the log's.
#[test]
fn a_reset_is_a_unix_time_in_whole_seconds() {
    let run = Ran::text(
        "limit = '5/1m'
        start = '2026-01-01T00:00:30.25Z'
        traffic = [{ pattern = 'burst', at = '10s' }]
        algorithm = [
            { kind = 'fixed_window' },
            { kind = 'fixed_window', name = 'opened', anchor = 'first_request' },
            { kind = 'sliding_window_log' },
            { kind = 'sliding_window_counter' },
            { kind = 'token_bucket' },
        ]",
    );
    for (name, expected) in [
        ("fixed_window", "200 5 4 1767225660 20 -"),
        ("opened", "200 5 4 1767225701 60 -"),
        ("sliding_window_log", "200 5 4 1767225701 60 -"),
        // The count weighs less and less until 0:02:00.
        ("sliding_window_counter", "200 5 4 1767225720 80 -"),
        // A token in 12 s.
        ("token_bucket", "200 5 4 1767225653 12 -"),
    ] {
        assert_told(&run, &[name], &[expected]);
    }
}

/// Entries leave the log a minute after they were made: 1 s at 61 s, and so on. Where the denied request
/// of 85 s is in it, those of 30 and 50 s have to leave before there is room.
#[test]
fn a_log_tells_when_its_next_and_its_last_entry_leave() {
    let run = Ran::text(
        "limit = '3/1m'
        traffic = [{ pattern = 'script', at = ['1s', '30s', '50s', '80s', '85s'] }]
        algorithm = [
            { kind = 'sliding_window_log' },
            { kind = 'sliding_window_log', name = 'admitted', log_denied = false },
        ]",
    );
    let admitted = [
        "200 3 2 61 60 -",
        "200 3 1 90 31 -",
        "200 3 0 110 11 -",
        "200 3 0 140 10 -",
    ];
    let with = |last| [&admitted[..], &[last]].concat();
    let textbook = with("429 3 0 145 25 25");
    assert_told(&run, &["sliding_window_log"], &textbook);
    assert_told(&run, &["admitted"], &with("429 3 0 140 5 5"));
}

/// Seven in a minute. Of five in the first minute, 5 · (1 − f) count in the second: one more than what
/// remains of k fits from f = 1, 1/2, 1/3, 1/4 and 1/5 on. At 75 s they count 3.75, and from 84 s on 3.
#[test]
fn a_counter_tells_when_enough_of_the_last_window_has_faded() {
    let run = Ran::text(
        "limit = '7/1m'
        traffic = [
            { pattern = 'burst', count = 5 },
            { pattern = 'burst', at = '75s', count = 4 },
        ]
        algorithm = [{ kind = 'sliding_window_counter' }]",
    );
    let expected = [
        "200 7 6 120 120 -",
        "200 7 5 120 90 -",
        "200 7 4 120 80 -",
        "200 7 3 120 75 -",
        "200 7 2 120 72 -",
        "200 7 2 180 9 -",
        "200 7 1 180 9 -",
        "200 7 0 180 9 -",
        "429 7 0 180 9 9",
    ];
    assert_told(&run, &["sliding_window_counter"], &expected);
}

/// Six at most, one every 100 ms. At 160 ms the theoretical arrival time is 700 ms, so that the next one
/// passes at 200 ms: 40 ms are told as a second, as whole seconds cannot say less.
#[test]
fn waits_of_milliseconds_are_told_as_a_second_and_never_as_none() {
    let run = Ran::text(
        "limit = '6/600ms'
        traffic = [{ pattern = 'script', at = [
            '0s', '100ms', '110ms', '120ms', '130ms', '140ms', '150ms', '160ms',
        ] }]
        algorithm = [{ kind = 'gcra' }]",
    );
    let expected = [
        "200 6 5 1 1 -",
        "200 6 5 1 1 -",
        "200 6 4 1 1 -",
        "200 6 3 1 1 -",
        "200 6 2 1 1 -",
        "200 6 1 1 1 -",
        "200 6 0 1 1 -",
        "429 6 0 1 1 1",
    ];
    assert_told(&run, &["gcra"], &expected);
}

/// Nothing ever passes, so no instant is worth waiting for.
#[test]
fn a_limit_of_none_tells_no_time() {
    let run = Ran::text(&format!(
        "{ALL}
        limit = '0/1m'
        traffic = [{{ pattern = 'burst', count = 2 }}]"
    ));
    assert_told(&run, &SIX, &["429 0 0 - - -"; 2]);
}

/// Five are used. A hundred never fit into ten: there is no wait to tell, and what is told of the rest
/// is as before.
#[test]
fn what_costs_too_much_is_told_no_wait() {
    let run = Ran::text(&format!(
        "{ALL}
        limit = '10/1m'
        traffic = [{{ pattern = 'burst', cost = 5 }}, {{ pattern = 'burst', cost = 100 }}]"
    ));
    for (names, reset, t) in [
        // A token in 6 s, and all five in 30 s.
        (&["token_bucket", "leaky_bucket", "gcra"][..], 30, 6),
        (&["fixed_window", "sliding_window_log"], 60, 60),
        // 5 · (1 − f) + 6 ≤ 10 from f = 1/5 of the second minute on.
        (&["sliding_window_counter"], 120, 72),
    ] {
        let told = |status| format!("{status} 10 5 {reset} {t} -");
        assert_told(&run, names, &[&told(200), &told(429)]);
    }
}

/// Two tokens and no refill: no more than what is left, for ever.
#[test]
fn what_is_never_refilled_tells_no_time() {
    let run = Ran::text(
        "limit = '2/1m'
        traffic = [{ pattern = 'burst', count = 3 }]
        algorithm = [
            { kind = 'token_bucket', refill = '0/s' },
            { kind = 'leaky_bucket', outflow = '0/s' },
            { kind = 'gcra', rate = '0/s' },
        ]",
    );
    let expected = ["200 2 1 - - -", "200 2 0 - - -", "429 2 0 - - -"];
    assert_told(&run, &["token_bucket", "leaky_bucket", "gcra"], &expected);
}

/// Of ten, eight are used: three are missing for the five, and one to have more than two.
#[test]
fn costs_count_in_units() {
    let run = Ran::text(&format!(
        "{ALL}
        limit = '10/1m'
        traffic = [
            {{ pattern = 'burst', cost = 8 }},
            {{ pattern = 'burst', cost = 5 }},
            {{ pattern = 'burst', cost = 0 }},
        ]"
    ));
    let buckets = ["200 10 2 48 6 -", "429 10 2 48 6 18", "200 10 2 48 6 -"];
    assert_told(&run, &["token_bucket", "leaky_bucket", "gcra"], &buckets);
    let window = ["200 10 2 60 60 -", "429 10 2 60 60 60", "200 10 2 60 60 -"];
    assert_told(&run, &["fixed_window"], &window);
    // The textbook form has logged the denied five too: thirteen, and all leave at once.
    let log = ["200 10 2 60 60 -", "429 10 0 60 60 60", "200 10 0 60 60 -"];
    assert_told(&run, &["sliding_window_log"], &log);
    // 8 · (1 − f) + 3 ≤ 10 from 1/8 on, 8 · (1 − f) + 5 ≤ 10 from 3/8 on.
    let counter = [
        "200 10 2 120 68 -",
        "429 10 2 120 68 83",
        "200 10 2 120 68 -",
    ];
    assert_told(&run, &["sliding_window_counter"], &counter);
}

/// A cost of 0 finds everything there: nothing more will come, and it is whole now.
#[test]
fn an_untouched_limit_is_whole_now() {
    let run = Ran::text(&format!(
        "{ALL}
        limit = '10/1m'
        traffic = [{{ pattern = 'burst', at = '1500ms', cost = 0 }}]"
    ));
    assert_told(&run, &SIX, &["200 10 10 2 - -"]);
}

/// Ten tokens every 10 s, counted from the first request at 3 s; and a bucket that begins with 4 of 10
/// at a token a second. Neither is ever forgotten, but both are full at a known time.
#[test]
fn steps_and_beginnings_are_told_too() {
    let run = Ran::text(
        "limit = '10/10s'
        traffic = [{ pattern = 'burst', at = '3s' }]
        algorithm = [
            { kind = 'token_bucket', name = 'steps', refill_every = '10s' },
            { kind = 'token_bucket', name = 'begins', initial = 4 },
        ]",
    );
    assert_told(&run, &["steps"], &["200 10 9 13 10 -"]);
    assert_told(&run, &["begins"], &["200 10 3 10 1 -"]);
}

/// One unit in 36.6 thousand million days, 3,162,240,000,000,000 s: a structured field has 15 digits at
/// the most, the others tell it in full.
#[test]
fn what_takes_a_hundred_million_years_is_told() {
    let run = Ran::text(
        "limit = '1/1s'
        traffic = [{ pattern = 'burst', count = 2 }]
        algorithm = [{ kind = 'token_bucket', refill = '0.00000001/366d' }]",
    );
    let expected = [
        "200 1 0 3162240000000000 999999999999999 -",
        "429 1 0 3162240000000000 999999999999999 3162240000000000",
    ];
    assert_told(&run, &["token_bucket"], &expected);
}
