//! Recorded traffic with known answers: a web server's access log, and requests to a language model
//! with a cost each.
//!
//! The traces are not part of this repository. They are looked for in the folder that
//! `RATESIM_TRACES` names, else beside the repository, and the tests skip where they are not.

use crate::ran::{Ran, root};
use std::path::PathBuf;

/// Apache's combined format: 10,000 lines of 2015, 1,753 clients.
const LOG: &str = "apache_combined_2015.log";
/// 8,819 requests of 2023 (Patel et al., Splitwise, ISCA 2024).
const MODEL: &str = "azure_llm_2023_code.csv";

fn trace(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("RATESIM_TRACES")
        .map_or_else(|| root().join("../shared/traces"), PathBuf::from);
    let path = folder.join(name);
    if path.is_file() {
        return Some(path);
    }
    println!(
        "skipped: {} is not there (RATESIM_TRACES names its folder)",
        path.display()
    );
    None
}

/// Replays the log at a limit per client address.
fn replay(limit: &str, algorithms: &str) -> Option<Ran> {
    let path = trace(LOG)?;
    let run = Ran::text(&format!(
        "limit = '{limit}'
        algorithm = [{algorithms}]
        [[traffic]]
        pattern = 'trace'
        format = 'combined'
        file = '{}'",
        path.display()
    ));
    Some(run)
}

/// Requests (allowed, denied) and clients denied at least once.
type Known = (u64, u64, usize);

fn known(run: &Ran, name: &str) -> Known {
    let answers = run.of(name);
    let (allowed, denied) = answers.counts();
    (allowed, denied, answers.keys_denied())
}

#[test]
fn an_access_log_has_its_known_answers_at_four_limits() {
    let algorithms = "{ kind = 'fixed_window' },
        { kind = 'sliding_window_log', log_denied = false },
        { kind = 'sliding_window_counter' },
        { kind = 'token_bucket' }, { kind = 'leaky_bucket' }, { kind = 'gcra' }";
    for (limit, window, log, counter, bucket) in [
        ("10/60s", (8_270, 1_729, 79), None, None, (8_986, 1_013, 54)),
        ("20/60s", (9_068, 931, 50), None, None, (9_759, 240, 6)),
        ("60/60s", (9_912, 87, 2), None, None, (9_999, 0, 0)),
        (
            "100/3600s",
            (9_991, 8, 1),
            Some((9_989, 10, 1)),
            Some((9_887, 112, 2)),
            (9_992, 7, 1),
        ),
    ] {
        let Some(run) = replay(limit, algorithms) else {
            return;
        };
        let same = |other: Option<Known>| other.unwrap_or(window);
        for (name, expected) in [
            ("fixed_window", window),
            ("sliding_window_log", same(log)),
            ("sliding_window_counter", same(counter)),
            ("token_bucket", bucket),
            ("leaky_bucket", bucket),
            ("gcra", bucket),
        ] {
            assert_eq!(known(&run, name), expected, "{name} at {limit}");
        }
    }
}

#[test]
fn an_access_log_has_its_known_answers_at_a_token_a_second() {
    let algorithms = "{ kind = 'token_bucket', name = 'five', capacity = 5 },
        { kind = 'token_bucket', name = 'one', capacity = 1 }";
    let Some(run) = replay("1/s", algorithms) else {
        return;
    };
    assert_eq!(known(&run, "five"), (9_908, 91, 5));
    assert_eq!(known(&run, "one"), (9_226, 773, 186));
}

/// Line 8,899 is cut off; 9,447 records lie behind an earlier time, which is 94 % of them.
#[test]
fn an_access_log_is_sorted_and_its_malformed_line_is_named() {
    let Some(run) = replay("10/60s", "{ kind = 'token_bucket' }") else {
        return;
    };
    assert_eq!((run.result.requests, run.result.keys.len()), (9_999, 1_753));
    let notes = run.notes.join("\n").replace(',', "");
    for part in ["line 8899", "9447 of 9999"] {
        assert!(notes.contains(part), "{part} in {notes}");
    }
}

/// Replays the requests to the model, of one key, at a limit.
fn ask(limit: &str, cost: &str, algorithms: &str) -> Option<Ran> {
    let path = trace(MODEL)?;
    let run = Ran::text(&format!(
        "limit = '{limit}'
        algorithm = [{algorithms}]
        [[traffic]]
        pattern = 'trace'
        format = 'csv'
        fields = {{ time = 'TIMESTAMP'{cost} }}
        file = '{}'",
        path.display()
    ));
    assert_eq!((run.result.requests, run.result.keys.len()), (8_819, 1));
    Some(run)
}

#[test]
fn requests_to_a_language_model_have_their_known_answers_in_tokens_a_minute() {
    let algorithms = "{ kind = 'token_bucket' }, { kind = 'fixed_window' }";
    for (capacity, bucket, window) in [
        (7_000, 1_034, 366),
        (100_000, 3_900, 2_088),
        (300_000, 6_776, 4_917),
        (500_000, 8_196, 6_887),
    ] {
        let cost = ", cost = ['ContextTokens', 'GeneratedTokens']";
        let Some(run) = ask(&format!("{capacity}/60s"), cost, algorithms) else {
            return;
        };
        for (name, admitted) in [("token_bucket", bucket), ("fixed_window", window)] {
            let counts = run.of(name).counts();
            assert_eq!(counts, (admitted, 8_819 - admitted), "{name} at {capacity}");
            let never = run.of(name).retries();
            let never = never.iter().filter(|retry| *retry == "inf").count();
            let expected = if capacity == 7_000 { 486 } else { 0 };
            assert_eq!(never, expected, "{name} at {capacity}");
            let too_large = run.of(name).result.tally.too_large;
            assert_eq!(too_large, expected as u64, "{name} at {capacity}");
        }
    }
}

#[test]
fn requests_to_a_language_model_have_their_known_answer_one_by_one() {
    let bucket = "{ kind = 'token_bucket', capacity = 10 }";
    if let Some(run) = ask("5/s", "", bucket) {
        assert_eq!(run.of("token_bucket").counts(), (4_913, 3_906));
    }
}
