//! The shipped trace of requests to a language model, and limits in tokens a minute.
//!
//! The trace is made up by a fixed procedure, which stands here, and what passes is held against loops
//! over the file in whole numbers.

use crate::ran::{Answers, Ran, root};
use ratesim::report::findings::findings;
use ratesim::scenario::Overrides;
use std::fs;
use std::ops::RangeInclusive;

/// Ticks of the trace's clock, 100 ns each, in a minute.
const MINUTE: u64 = 600_000_000;

/// Knuth's linear congruential generator from 2026 on, the upper 31 bits of each of its numbers.
struct Draw(u64);

impl Draw {
    fn of(&mut self, range: RangeInclusive<u64>) -> u64 {
        let (factor, addend) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);
        self.0 = self.0.wrapping_mul(factor).wrapping_add(addend);
        range.start() + (self.0 >> 33) % (range.end() - range.start() + 1)
    }
}

/// 600 requests from nine o'clock on. Gaps are up to 2 s long, and for the 120 in the middle up to 0.5 s.
/// Of 100 requests 60 complete a line, 30 have a file for context, 9 are a conversation, and one has
/// a whole project for context.
fn made() -> String {
    let mut draw = Draw(2026);
    let mut at = 0;
    let mut text = "TIMESTAMP,ContextTokens,GeneratedTokens\n".to_owned();
    for number in 0..600 {
        let is_rush = (240..360).contains(&number);
        at += draw.of(0..=if is_rush { 5_000_000 } else { 20_000_000 });
        let (context, generated) = match draw.of(1..=100) {
            1..=60 => (50..=1_200, 5..=60),
            61..=90 => (1_200..=4_000, 20..=200),
            91..=99 => (200..=2_000, 200..=1_200),
            _ => (8_000..=15_000, 50..=400),
        };
        let (seconds, ticks) = (at / 10_000_000, at % 10_000_000);
        let time = format!("09:{:02}:{:02}.{ticks:07}", seconds / 60, seconds % 60);
        let (context, generated) = (draw.of(context), draw.of(generated));
        text += &format!("2026-03-02 {time},{context},{generated}\n");
    }
    text
}

#[test]
fn the_trace_is_what_its_procedure_makes() {
    let path = root().join("scenarios/traces/llm_requests.csv");
    if std::env::var("RATESIM_GOLDEN").is_ok_and(|switch| switch == "write") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, made()).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), made());
}

/// When each request of the file came, in ticks since nine o'clock, and its tokens.
fn requests() -> Vec<(u64, u64)> {
    let text = fs::read_to_string(root().join("scenarios/traces/llm_requests.csv")).unwrap();
    let whole = |text: &str| text.parse::<u64>().unwrap();
    let read = |line: &str| {
        let time = line.strip_prefix("2026-03-02 09:").unwrap();
        let (time, costs) = time.split_once(',').unwrap();
        let (context, generated) = costs.split_once(',').unwrap();
        let (minutes, rest) = time.split_once(':').unwrap();
        let (seconds, ticks) = rest.split_once('.').unwrap();
        let at = (whole(minutes) * 60 + whole(seconds)) * 10_000_000 + whole(ticks);
        (at, whole(context) + whole(generated))
    };
    text.lines().skip(1).map(read).collect()
}

/// What passes a bucket that holds so much and gains so much a minute, from full.
fn bucket(requests: &[(u64, u64)], capacity: u64, per_minute: u64) -> Vec<bool> {
    let (mut level, mut last) = (capacity * MINUTE, 0);
    let mut passes = |(at, cost): &(u64, u64)| {
        level = (capacity * MINUTE).min(level + (at - last) * per_minute);
        last = *at;
        let does = level >= cost * MINUTE;
        level -= if does { cost * MINUTE } else { 0 };
        does
    };
    requests.iter().map(&mut passes).collect()
}

/// What passes a count for each minute of the clock.
fn window(requests: &[(u64, u64)], limit: u64) -> Vec<bool> {
    let (mut minute, mut count) = (0, 0);
    let mut passes = |(at, cost): &(u64, u64)| {
        if at / MINUTE != minute {
            (minute, count) = (at / MINUTE, 0);
        }
        let does = count + cost <= limit;
        count += if does { *cost } else { 0 };
        does
    };
    requests.iter().map(&mut passes).collect()
}

fn admitted(answers: &Answers) -> Vec<bool> {
    let each = answers.each();
    each.map(|(_, record)| record.decision.is_admitted())
        .collect()
}

fn ready(limit: Option<&str>) -> Ran {
    let overrides = Overrides {
        limit: limit.map(str::to_owned),
        ..Overrides::default()
    };
    Ran::ready("llm_tokens_per_minute.toml", &overrides)
}

/// A candidate, what passes it by the loops, and how many requests and tokens that is, how many requests
/// can never pass, and how many of the eight largest do.
type Known = (&'static str, Vec<bool>, u64, u128, u64, usize);

fn known(requests: &[(u64, u64)]) -> [Known; 5] {
    let bucket = |capacity, gain| bucket(requests, capacity, gain);
    let window = window(requests, 60_000);
    [
        ("token_bucket", bucket(60_000, 60_000), 482, 574_099, 0, 1),
        ("fixed_window", window, 391, 537_906, 0, 4),
        ("10k at a time", bucket(10_000, 60_000), 465, 523_165, 4, 0),
        ("10k a minute", bucket(10_000, 10_000), 183, 95_428, 4, 0),
        (
            "100k a minute",
            bucket(100_000, 100_000),
            576,
            853_208,
            0,
            7,
        ),
    ]
}

#[test]
fn llm_tokens_per_minute_passes_what_loops_over_the_file_pass() {
    let run = ready(None);
    let requests = requests();
    assert_eq!((run.result.requests, run.result.keys.len()), (600, 1));
    let offered: u64 = requests.iter().map(|(_, tokens)| tokens).sum();
    assert_eq!(offered, 918_664);
    let is_large = |tokens: u64| tokens >= 8_000;
    let large = requests
        .iter()
        .map(|(_, tokens)| *tokens)
        .filter(|tokens| is_large(*tokens));
    let (least, most) = (large.clone().min(), large.clone().max());
    assert_eq!((large.count(), least, most), (8, Some(8_355), Some(12_481)));
    for (name, passes, count, tokens, never, large) in known(&requests) {
        let answers = run.of(name);
        assert_eq!(admitted(&answers), passes, "{name}");
        let tally = answers.result.tally;
        assert_eq!(tally.offered_cost, u128::from(offered), "{name}");
        assert_eq!(
            (tally.allowed, tally.allowed_cost),
            (count, tokens),
            "{name}"
        );
        assert_eq!(tally.too_large, never, "{name}");
        let told_never = answers.retries();
        let told_never = told_never.iter().filter(|wait| *wait == "inf").count();
        assert_eq!(told_never as u64, never, "{name}");
        let passed = requests.iter().zip(&passes);
        let passed = passed.filter(|((_, tokens), passes)| is_large(*tokens) && **passes);
        assert_eq!(passed.count(), large, "{name}");
    }
    let words = findings(&run.result);
    let words: Vec<_> = words.iter().map(|finding| finding.text.as_str()).collect();
    let never =
        "4 requests cost more than 10k at a time and 10k a minute can ever hold: no wait helps";
    assert!(words.contains(&never), "{words:?}");
}

/// The most tokens that left within a minute, a half-open one, by a loop over all its ends.
fn peak(requests: &[(u64, u64)], passes: &[bool]) -> u64 {
    let left = requests.iter().zip(passes).filter(|(_, passes)| **passes);
    let left: Vec<(u64, u64)> = left.map(|(request, _)| *request).collect();
    let within = |end: u64| {
        let is_in = |at: u64| at <= end && at + MINUTE > end;
        let tokens = left.iter().filter(|(at, _)| is_in(*at));
        tokens.map(|(_, tokens)| tokens).sum()
    };
    left.iter().map(|(at, _)| within(*at)).max().unwrap()
}

#[test]
fn llm_tokens_per_minute_keeps_to_the_limit_as_far_as_a_small_bucket_does() {
    let run = ready(None);
    let requests = requests();
    let known = known(&requests);
    for ((name, passes, ..), expected) in known.iter().zip([97_488, 102_643, 67_108]) {
        assert_eq!(peak(&requests, passes), expected, "{name}");
        assert_eq!(run.of(name).peak(), expected.into(), "{name}");
    }
}

#[test]
fn llm_tokens_per_minute_at_other_limits() {
    let requests = requests();
    for (limit, bucket_passes, window_passes) in [(10_000, 183, 78), (100_000, 576, 513)] {
        let run = ready(Some(&format!("{limit}/1m")));
        for (name, passes, count) in [
            (
                "token_bucket",
                bucket(&requests, limit, limit),
                bucket_passes,
            ),
            ("fixed_window", window(&requests, limit), window_passes),
        ] {
            let answers = run.of(name);
            assert_eq!(admitted(&answers), passes, "{name} at {limit}");
            assert_eq!(answers.counts().0, count, "{name} at {limit}");
        }
    }
}
