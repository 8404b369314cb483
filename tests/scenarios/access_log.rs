//! The shipped access log.
//!
//! The expected counts are those of a separate script that reads the log with a regular expression,
//! sorts the records by time, and decides each with rational arithmetic straight from the
//! algorithms' definitions, one limiter per address.

use crate::ran::Ran;
use ratesim::scenario::Overrides;

const CRAWLER: &str = "203.0.113.66";
const SCRIPT: &str = "192.0.2.7";

#[test]
fn access_log_a_crawler_and_a_script_are_denied_and_nobody_else() {
    let run = Ran::ready("access_log.toml", &Overrides::default());
    assert_eq!((run.result.requests, run.result.keys.len()), (455, 27));
    let key = |name| run.result.keys.iter().position(|key| key == name).unwrap();
    // The clock starts at 9:26:50. The crawler comes at 9:28:30, two a second, and its eleventh
    // request is denied unless a bucket has gained ten tokens meanwhile; the script's forty orders
    // begin at 9:31:30.
    for (name, counts, [crawler, script], peak, first) in [
        ("token_bucket", (288, 167), [111, 56], 19, "109"),
        ("leaky_bucket", (288, 167), [111, 56], 10, "109"),
        ("fixed_window", (275, 180), [120, 60], 10, "105"),
        ("sliding_window_log", (165, 290), [230, 60], 10, "105"),
        ("sliding_window_counter", (264, 191), [131, 60], 10, "105"),
    ] {
        let answers = run.of(name);
        assert_eq!((answers.counts(), answers.peak()), (counts, peak), "{name}");
        assert_eq!(answers.keys_denied(), 2, "{name}");
        let [crawled, scripted] = [CRAWLER, SCRIPT].map(|name| answers.result.per_key[key(name)]);
        assert_eq!(
            [crawled.denied, scripted.denied],
            [crawler, script],
            "{name}"
        );
        assert_eq!(crawled.first_denied.unwrap().to_string(), first, "{name}");
        assert_eq!(scripted.first_denied.unwrap().to_string(), "280", "{name}");
    }
}

#[test]
fn access_log_sorts_leaves_out_what_is_cut_off_and_counts_a_handshake() {
    let run = Ran::ready("access_log.toml", &Overrides::default());
    let notes = run.notes.join("\n");
    assert!(notes.contains("line 138"), "{notes}");
    assert!(notes.contains("43 of 455"), "{notes}");
    let scanner = run
        .result
        .keys
        .iter()
        .position(|key| key == "198.51.100.200");
    let tally = run.of("fixed_window").result.per_key[scanner.unwrap()];
    assert_eq!((tally.requests, tally.allowed), (1, 1));
}
