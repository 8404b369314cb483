//! The findings of the scenarios whose requests are scripted, from hand calculations.

use crate::ran::Ran;
use ratesim::scenario::Overrides;

fn ready(name: &str) -> Ran {
    Ran::ready(name, &Overrides::default())
}

/// The leaky bucket forwards one every 12 s: at 55, 67, 79, 91 and 103 s.
#[test]
fn boundary_burst_ten_pass_a_fixed_window_and_five_all_others() {
    let run = ready("boundary_burst.toml");
    assert_eq!(run.result.candidates.len(), 5);
    for (name, answers) in run.all() {
        let (counts, peak) = match name {
            "fixed_window" => ((10, 0), 10),
            _ => ((5, 5), 5),
        };
        assert_eq!((answers.counts(), answers.peak()), (counts, peak), "{name}");
        let tally = answers.result.tally;
        let false_allow = if name == "fixed_window" { 5 } else { 0 };
        assert_eq!(tally.false_allow, false_allow, "{name}");
    }
    assert_eq!(run.of("leaky_bucket").letters(), "awwwwxxxxx");
    let forwarded = run.of("leaky_bucket").forwarded();
    assert_eq!(forwarded, ["55", "67", "79", "91", "103"]);
    // The leaky bucket has let one through by then, so the window has room: all five are denied
    // wrongly. The others have forwarded five within the last minute.
    assert_eq!(run.of("leaky_bucket").result.tally.false_deny, 5);
    assert_eq!(run.of("token_bucket").result.tally.false_deny, 0);
}

#[test]
fn boundary_burst_60_a_fixed_window_admits_120_a_token_bucket_61() {
    let run = ready("boundary_burst_60.toml");
    for (name, admitted) in [
        ("fixed_window", 120),
        ("token_bucket", 61),
        ("leaky_bucket", 61),
        ("sliding_window_log", 60),
        ("sliding_window_counter", 60),
    ] {
        let counts = run.of(name).counts();
        assert_eq!(counts, (admitted, 120 - admitted), "{name}");
    }
    assert_eq!(run.of("fixed_window").peak(), 120);
    assert_eq!(run.of("token_bucket").peak(), 61);
    let moments = run.of("fixed_window").forwarded();
    assert_eq!((moments[0].as_str(), moments[119].as_str()), ("59", "60"));
}

/// Half a second until the sixth token; at 1.5 s three tokens are back.
#[test]
fn token_bucket_burst_five_of_seven_then_three_of_four() {
    let run = ready("token_bucket_burst.toml");
    for name in ["token_bucket", "gcra"] {
        assert_eq!(run.of(name).letters(), "aaaaaxxaaax", "{name}");
    }
    assert_eq!(run.of("leaky_bucket").letters(), "awwwwxxwwwx");
    for (name, answers) in run.all() {
        assert_eq!(answers.retries(), ["0.5", "0.5", "0.5"], "{name}");
        let remaining = [4, 3, 2, 1, 0, 0, 0, 2, 1, 0, 0];
        assert_eq!(answers.remaining(), remaining, "{name}");
    }
    assert_eq!(
        run.of("leaky_bucket").forwarded(),
        ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5"]
    );
}

/// Seconds after 1:00:00 are 1, 30, 50, 80, 85 and 91; an entry leaves 60 s after it was made.
#[test]
fn sliding_log_example_a_denied_request_counts_only_where_it_is_logged() {
    let run = ready("sliding_log_example.toml");
    let all = run.of("log of all requests");
    assert_eq!(all.letters(), "aaaaxx");
    assert_eq!(all.levels(), ["1", "2", "3", "3", "4", "4"]);
    // At 85 s the entries of 30 s and 50 s must leave, at 91 s those of 50 s and 80 s.
    assert_eq!(all.retries(), ["25", "49"]);
    let admitted = run.of("log of admitted requests");
    assert_eq!(admitted.letters(), "aaaaxa");
    assert_eq!(admitted.levels(), ["1", "2", "3", "3", "3", "3"]);
    assert_eq!(admitted.retries(), ["5"]);
}

/// At 1:15 three quarters of the first minute are in the window: 3.75, and one for each admitted.
#[test]
fn sliding_counter_example_the_third_sees_6_75_and_the_fourth_is_denied() {
    let run = ready("sliding_counter_example.toml");
    let counter = run.of("sliding_window_counter");
    assert_eq!(counter.letters(), "aaaaaaaax");
    assert_eq!(counter.levels()[5..], ["4.75", "5.75", "6.75", "6.75"]);
    // 5 · (1 − f) + 4 ≤ 7 from f = 0.4 on, which is 1:24.
    assert_eq!(counter.retries(), ["9"]);
    // The log finds none of the five: the last one was made at 8 s.
    let log = run.of("sliding_window_log");
    assert_eq!(log.letters(), "aaaaaaaaa");
    assert_eq!(log.levels()[5..], ["1", "2", "3", "4"]);
}

#[test]
fn leaky_bucket_smoothing_the_same_five_one_second_apart_or_at_once() {
    let run = ready("leaky_bucket_smoothing.toml");
    let queue = run.of("leaky_bucket");
    assert_eq!(queue.letters(), "awwwwxxaww");
    let even = ["0", "1", "2", "3", "4", "8", "9", "10"];
    assert_eq!(queue.forwarded(), even);
    assert_eq!(queue.longest_wait(), "4");
    for name in ["leaky_bucket as a meter", "token_bucket"] {
        let answers = run.of(name);
        assert_eq!(answers.letters(), "aaaaaxxaaa", "{name}");
        let at_once = ["0", "0", "0", "0", "0", "8", "8", "8"];
        assert_eq!(answers.forwarded(), at_once, "{name}");
        assert_eq!(answers.longest_wait(), "0", "{name}");
    }
}

/// Three tokens and half a token a second: 3 at 0 s, 1.5 before the request at 3 s, 1 at 4 s, then
/// half a token at every odd second.
#[test]
fn slow_refill_half_tokens_add_up() {
    let run = ready("slow_refill.toml");
    for name in ["continuous", "every second"] {
        let answers = run.of(name);
        assert_eq!(
            answers.letters(),
            "aaaaaxaxaxaxaxaxaxaxaxaxaxaxax",
            "{name}"
        );
        assert_eq!(answers.counts(), (17, 13), "{name}");
    }
    let pairs = run.of("every four seconds");
    assert_eq!(pairs.letters(), "aaaxaaxxaaxxaaxxaaxxaaxxaaxxaa");
    assert_eq!(pairs.counts(), (17, 13));
}
