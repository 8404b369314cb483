//! Sizes of windows, bursts and costs, from hand calculations.

use crate::ran::Ran;
use ratesim::scenario::Overrides;
use ratesim::units::Nanos;

fn ready(name: &str) -> Ran {
    Ran::ready(name, &Overrides::default())
}

/// The counts are those of a separate script with rational arithmetic.
#[test]
fn weighted_costs_reads_pass_a_bucket_and_exports_hardly() {
    let run = ready("weighted_costs.toml");
    assert_eq!(run.result.requests, 320);
    for (name, reads, exports) in [
        ("token_bucket", 299, 7),
        ("fixed_window", 100, 10),
        ("sliding_window_log", 100, 10),
        ("sliding_window_counter", 257, 4),
    ] {
        let answers = run.of(name);
        let admitted = |cost: u64| {
            let passed = answers
                .each()
                .filter(|(arrival, record)| arrival.cost == cost && record.decision.is_admitted());
            passed.count()
        };
        assert_eq!((admitted(1), admitted(40)), (reads, exports), "{name}");
    }
}

/// 8,000 − 0.856·i before request i, which comes at i · 576 s: below 1 from i = 9,345 on. In all 8,000 and a
/// unit for each 4,000 s up to the last request at 13,499 · 576 s.
#[test]
fn months_at_low_rate_the_bucket_is_empty_after_62_3_days() {
    let run = ready("months_at_low_rate.toml");
    assert_eq!(run.result.requests, 13_500);
    for (name, answers) in run.all() {
        let first = answers.result.first_denied().unwrap();
        assert_eq!(first.to_string(), (9_345 * 576).to_string(), "{name}");
        assert_eq!(first.as_nanos() * 10 / 86_400_000_000_000, 623, "{name}");
        assert_eq!(answers.counts(), (9_943, 3_557), "{name}");
    }
}

/// Twelve pages of 100; the script comes when the minute has 200 left, which the last two pages lack.
#[test]
fn window_sizes_a_second_breaks_the_page_and_an_hour_passes_the_script() {
    let run = ready("window_sizes.toml");
    for (name, pages, script, peak) in [
        ("10 a second", 120, 10, 70),
        ("100 in ten seconds", 1_200, 0, 600),
        ("600 a minute", 1_000, 200, 800),
        ("36000 an hour", 1_200, 2_000, 2_600),
    ] {
        let answers = run.of(name);
        let tally = answers.result.tally;
        let passed = tally.legitimate - tally.legitimate_denied;
        assert_eq!((passed, tally.abusive_allowed), (pages, script), "{name}");
        assert_eq!(answers.peak(), peak, "{name}");
    }
}

/// 100 a second come back: 200 before the second page, 100 before the third.
#[test]
fn burst_sizes_154_is_the_smallest_that_passes_the_page() {
    let run = ready("burst_sizes.toml");
    for (name, pages) in [
        ("bucket of 50", [50, 50, 50]),
        ("bucket of 101", [101, 101, 100]),
        ("bucket of 154", [154, 154, 100]),
        ("bucket of 308", [154, 154, 154]),
        ("queue of 154", [154, 154, 100]),
    ] {
        let answers = run.of(name);
        let letters = answers.letters();
        for (page, admitted) in pages.into_iter().enumerate() {
            let page = &letters[page * 154..(page + 1) * 154];
            assert_eq!(154 - page.matches('x').count(), admitted, "{name}");
        }
    }
    let queue = run.of("queue of 154");
    assert_eq!(queue.longest_wait(), "1.53");
    let (_, hundred_and_first) = queue.each().nth(100).unwrap();
    assert_eq!(hundred_and_first.decision.delay(), Nanos::from_secs(1));
}
