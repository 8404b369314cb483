//! Measures that need no more than a few requests to be worked out by hand.

use crate::ran::Ran;
use ratesim::measure::METRICS;

/// The value of a column of `summary.csv` for the first candidate.
fn reading(ran: &Ran, column: &str) -> String {
    let metric = METRICS
        .iter()
        .find(|metric| metric.column == column)
        .unwrap();
    metric
        .reading(&ran.result.candidates[0], &ran.result)
        .to_string()
}

/// A log of admitted requests, ten a minute, under one request a second for two minutes: it admits
/// those of seconds 0–9 and 60–69. By what it forwarded all is right; by what was offered the second
/// ten were allowed with sixty in the window.
#[test]
fn the_reference_decides_what_is_false() {
    let text = |reference: &str| {
        format!(
            "limit = \"10/1m\"\nduration = \"2m\"\nreference = \"{reference}\"\n\
             [[traffic]]\npattern = \"steady\"\nrate = \"1/s\"\n\
             [[algorithm]]\nkind = \"sliding_window_log\"\nlog_denied = false\n"
        )
    };
    for (reference, false_allow) in [("forwarded", "0"), ("offered", "10")] {
        let ran = Ran::text(&text(reference));
        assert_eq!(reading(&ran, "allowed"), "20");
        assert_eq!(reading(&ran, "false_allow"), false_allow, "{reference}");
        assert_eq!(reading(&ran, "false_deny"), "0", "{reference}");
        assert_eq!(reading(&ran, "peak_in_window"), "10");
    }
}

/// Limit five a minute, one request a second from 55 to 64 s: with the last window's five fading, the
/// estimate at 60 + k s misses k/12 of a request. Counting the admitted five, the truth is 5, and the
/// mean over the nine requests with something before them is (1 + 2 + 3 + 4)/60/9 = 1/54. Counting
/// all, it is 5 + k: (1/72 + 1/42 + 1/32 + 1/27)/9, whatever decisions are judged by.
#[test]
fn estimates_are_compared_with_what_the_algorithm_counted() {
    for (count_denied, reference, error) in [
        (false, "forwarded", "0.018519"),
        (false, "offered", "0.018519"),
        (true, "forwarded", "0.011776"),
        (true, "offered", "0.011776"),
    ] {
        for cost in ["1", "{ kind = \"constant\", value = 1 }"] {
            let ran = Ran::text(&format!(
                "limit = \"5/1m\"\nreference = \"{reference}\"\n\
                 [[traffic]]\npattern = \"burst\"\nat = \"55s\"\ncount = 10\nspread = \"10s\"\n\
                 cost = {cost}\n\
                 [[algorithm]]\nkind = \"sliding_window_counter\"\ncount_denied = {count_denied}\n"
            ));
            let found = reading(&ran, "estimate_error");
            assert_eq!(found, error, "{count_denied} {reference} {cost}");
        }
    }
}

/// One key has its only request admitted, the other five of ten: Jain's index of the shares 1 and 1/2
/// is (3/2)² / (2 · 5/4) = 0.9.
#[test]
fn fairness_is_jains_index_of_the_admitted_shares() {
    let ran = Ran::text(
        "limit = \"5/1m\"\n\
         [[traffic]]\npattern = \"burst\"\ncount = 1\nkeys = \"a\"\n\
         [[traffic]]\npattern = \"burst\"\ncount = 10\nkeys = \"b\"\n\
         [[algorithm]]\nkind = \"fixed_window\"\n",
    );
    assert_eq!(reading(&ran, "fairness"), "0.9");
}

/// Ten requests under a key name of 24 bytes, as measured on Redis 7.0.15: a counter 72 bytes, two of
/// them twice that, a hash of two decimals 136, a sorted set of ten 392.
#[test]
fn redis_holds_each_design_at_the_measured_size() {
    for (kind, bytes) in [
        ("token_bucket", "136"),
        ("fixed_window", "72"),
        ("sliding_window_log", "392"),
        ("sliding_window_counter", "144"),
        ("gcra", "72"),
    ] {
        let ran = Ran::text(&format!(
            "limit = \"100/1m\"\n\
             [[traffic]]\npattern = \"burst\"\ncount = 10\nkeys = \"rate:user:00000000000001\"\n\
             [[algorithm]]\nkind = \"{kind}\"\n"
        ));
        assert_eq!(reading(&ran, "redis_bytes_peak"), bytes, "{kind}");
    }
}

/// Two of cost 3 against a capacity of 5: the first is admitted. Four of cost 6 can never be.
#[test]
fn what_no_wait_helps_is_counted_apart() {
    let ran = Ran::text(
        "limit = \"5/1m\"\n\
         [[traffic]]\npattern = \"burst\"\ncount = 2\ncost = 3\n\
         [[traffic]]\npattern = \"burst\"\ncount = 4\ncost = 6\n\
         [[algorithm]]\nkind = \"token_bucket\"\n",
    );
    assert_eq!(reading(&ran, "denied"), "5");
    assert_eq!(reading(&ran, "too_large"), "4");
}
