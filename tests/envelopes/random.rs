//! Random and adversarial traffic: whatever comes, nothing passes the envelopes.

use crate::ran::Ran;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Every algorithm with every option that changes what it forwards. `P` stands for a capacity.
const CANDIDATES: &[&str] = &[
    "kind = 'token_bucket'",
    "kind = 'token_bucket', capacity = P, refill = '3/10ns', initial = 1",
    "kind = 'token_bucket', capacity = P, refill_every = '7ns'",
    "kind = 'token_bucket', capacity = P, refill = '2/9ns', refill_every = '100ns'",
    "kind = 'token_bucket', capacity = P, refill = '0/s'",
    "kind = 'token_bucket', capacity = 0",
    "kind = 'gcra'",
    "kind = 'gcra', burst = 0",
    "kind = 'gcra', burst = P, rate = '2/7ns'",
    "kind = 'leaky_bucket'",
    "kind = 'leaky_bucket', capacity = 0",
    "kind = 'leaky_bucket', capacity = P, outflow = '1/8ns'",
    "kind = 'leaky_bucket', capacity = P, outflow = '3/7ns'",
    "kind = 'leaky_bucket', capacity = P, outflow = '20/7ns'",
    "kind = 'leaky_bucket', capacity = P, outflow = '0/s'",
    "kind = 'leaky_bucket', capacity = P, outflow = '2/9ns', max_wait = '11ns'",
    "kind = 'leaky_bucket', capacity = P, outflow = '2/9ns', mode = 'meter'",
    "kind = 'leaky_bucket', drain = 'ticks'",
    "kind = 'leaky_bucket', capacity = P, outflow = '1/8ns', drain = 'ticks'",
    "kind = 'leaky_bucket', capacity = P, outflow = '3/7ns', drain = 'ticks'",
    "kind = 'leaky_bucket', capacity = P, outflow = '1/6ns', drain = 'ticks', mode = 'meter'",
    "kind = 'leaky_bucket', capacity = P, outflow = '3/7ns', drain = 'ticks', max_wait = '9ns'",
    "kind = 'fixed_window'",
    "kind = 'fixed_window', anchor = 'first_request'",
    "kind = 'fixed_window', count_denied = true",
    "kind = 'fixed_window', anchor = 'first_request', count_denied = true",
    "kind = 'sliding_window_log'",
    "kind = 'sliding_window_log', log_denied = false",
    "kind = 'sliding_window_counter'",
    "kind = 'sliding_window_counter', count_denied = true",
    "kind = 'sliding_window_counter', rounding = 'floor'",
    "kind = 'sliding_window_counter', rounding = 'floor', count_denied = true",
];

#[derive(Clone, Debug)]
struct Case {
    limit: u64,
    window: u64,
    capacity: u64,
    start: u64,
    /// (time in ns, cost, key)
    requests: Vec<(u64, u64, u8)>,
}

/// How the next request comes after the one before.
#[derive(Clone, Copy, Debug)]
enum Move {
    After(u64),
    /// So many nanoseconds around the next edge of a window.
    Edge(u64),
    /// One window later, give or take one nanosecond.
    Window(u64),
    /// One emission interval later, give or take one nanosecond.
    Turn(u64),
}

fn moves() -> impl Strategy<Value = Move> {
    prop_oneof![
        6 => Just(Move::After(0)),
        3 => (1..4u64).prop_map(Move::After),
        3 => (0..60u64).prop_map(Move::After),
        2 => (0..3u64).prop_map(Move::Edge),
        1 => (0..3u64).prop_map(Move::Window),
        2 => (0..3u64).prop_map(Move::Turn),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let cost = prop_oneof![8 => Just(1u64), 1 => Just(0), 2 => 2..6u64, 1 => Just(20)];
    let key = prop_oneof![4 => Just(0u8), 1 => Just(1)];
    let request = (moves(), cost, key);
    let requests = prop::collection::vec(request, 1..80);
    (0..9u64, 1..60u64, 1..9u64, 0..1_000u64, requests).prop_map(
        |(limit, window, capacity, start, drawn)| {
            let mut now = 0;
            let requests = drawn.into_iter().map(|(step, cost, key)| {
                let clock = start + now;
                now = match step {
                    Move::After(gap) => now + gap,
                    Move::Edge(around) => {
                        let edge = (clock / window + 1) * window;
                        now.max((edge + around).saturating_sub(start + 1))
                    }
                    Move::Window(around) => now + window + around - 1,
                    Move::Turn(around) => now + (window / limit.max(1) + around).saturating_sub(1),
                };
                (now, cost, key)
            });
            Case {
                limit,
                window,
                capacity,
                start,
                requests: requests.collect(),
            }
        },
    )
}

impl Case {
    fn scenario(&self) -> String {
        let mut text = format!(
            "limit = '{}/{}ns'\nstart = '1970-01-01T00:00:00.{:09}Z'\n",
            self.limit, self.window, self.start
        );
        for (number, fields) in CANDIDATES.iter().enumerate() {
            let fields = fields.replace('P', &self.capacity.to_string());
            writeln!(text, "[[algorithm]]\nname = '{number}'").unwrap();
            for field in fields.split(", ") {
                writeln!(text, "{field}").unwrap();
            }
        }
        let mut blocks: BTreeMap<(u64, u8), Vec<String>> = BTreeMap::new();
        for (at, cost, key) in &self.requests {
            let block = blocks.entry((*cost, *key)).or_default();
            block.push(format!("'{at}ns'"));
        }
        for ((cost, key), times) in blocks {
            let times = times.join(", ");
            let block = format!("at = [{times}]\ncost = {cost}\nkeys = '{key}'");
            writeln!(text, "[[traffic]]\npattern = 'script'\n{block}").unwrap();
        }
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every run of the tests is held against them; these are the ones that try hardest.
    #[test]
    fn nothing_that_comes_passes_an_envelope(case in case()) {
        let run = Ran::text(&case.scenario());
        prop_assert_eq!(run.result.candidates.len(), CANDIDATES.len());
    }
}
