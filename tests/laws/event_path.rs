//! The event path gives the fast path's results where nothing takes time: for every algorithm and
//! option, however the state is kept and reached.

use crate::ran::scenario;
use ratesim::catalog::ALGORITHMS;
use ratesim::measure::{LevelLine, METRICS, RunResult};
use ratesim::report::csv;
use ratesim::simulation::{self, Access, Client, Clients, Deployment, Retrying, Store};
use ratesim::units::{Nanos, SimTime};
use std::sync::Arc;

/// Options that make an algorithm decide in another way.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        "token_bucket",
        &[
            "initial = 2",
            "refill_every = '3s'",
            "capacity = 9\nrefill = '2/7s'",
        ],
    ),
    (
        "leaky_bucket",
        &["mode = 'meter'", "drain = 'ticks'", "max_wait = '3s'"],
    ),
    (
        "fixed_window",
        &["anchor = 'first_request'", "count_denied = true"],
    ),
    ("sliding_window_log", &["log_denied = false"]),
    (
        "sliding_window_counter",
        &["rounding = 'floor'", "count_denied = true"],
    ),
    ("gcra", &["burst = 2", "rate = '3/7s'"]),
];

/// Every algorithm with its defaults and with each of its options.
pub(super) fn algorithms(only: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    for row in ALGORITHMS.iter().filter(|row| only(row.kind)) {
        let options = OPTIONS.iter().find(|(kind, _)| *kind == row.kind);
        let options = options.expect("every algorithm has options here").1;
        for (index, option) in std::iter::once(&"").chain(options).enumerate() {
            let name = format!("{} {index}", row.kind);
            text += &format!(
                "[[algorithm]]\nkind = '{}'\nname = '{name}'\n{option}\n",
                row.kind
            );
        }
    }
    text
}

/// Bursts at the same instants from several blocks, and random traffic, near the limit.
pub(super) fn traffic(fields: &str, cost: &str, keys: &str) -> String {
    format!(
        "limit = '5/10s'
        duration = '3m'
        seed = 11
        start = '2026-01-01T00:00:07Z'
        {fields}
        [[traffic]]
        pattern = 'poisson'
        rate = '2/s'
        keys = {keys}
        legitimate = true
        {cost}
        [[traffic]]
        pattern = 'burst'
        at = '8s'
        count = 9
        repeat_every = '20s'
        legitimate = false
        keys = {keys}
        {cost}
        [[traffic]]
        pattern = 'burst'
        at = '28s'
        count = 3
        keys = {keys}
        {cost}\n"
    )
}

fn run(text: &str, deployment: Option<&Deployment>, with_timeline: bool) -> RunResult {
    let mut plan = scenario(text).into_plan(with_timeline);
    let deployment = deployment.map(|deployment| Arc::new(deployment.clone()));
    for candidate in &mut plan.candidates {
        candidate.cluster = deployment.clone();
    }
    let mut run = simulation::run(&plan, &()).unwrap();
    for candidate in &mut run.candidates {
        for record in candidate.records.iter_mut().flatten() {
            // Which of several nodes a request came to is the only thing that may differ.
            record.node = 0;
        }
    }
    run
}

/// All that files would say, but for what only a cluster has.
fn told(run: &RunResult) -> Vec<String> {
    let mut told = Vec::new();
    for candidate in &run.candidates {
        for metric in METRICS {
            if !CLUSTERS_OWN.contains(&metric.column) {
                let reading = metric.reading(candidate, run);
                told.push(format!("{} {} {reading}", candidate.name, metric.column));
            }
        }
        for line in candidate.levels.iter().flatten() {
            told.push(format!("{} {:?}", candidate.name, corners(line)));
        }
    }
    let mut write = |file: fn(&RunResult, &mut dyn std::io::Write) -> _| {
        let mut bytes = Vec::new();
        let written: Result<(), ::csv::Error> = file(run, &mut bytes);
        written.unwrap();
        told.extend(String::from_utf8(bytes).unwrap().lines().map(str::to_owned));
    };
    write(csv::timeline);
    write(csv::series);
    write(csv::keys);
    told
}

/// The points of a level line that are not the same as the one before.
fn corners(line: &LevelLine) -> Vec<(SimTime, String)> {
    let points = line.points.iter();
    let mut corners: Vec<_> = points.map(|(at, level)| (*at, level.to_string())).collect();
    corners.dedup();
    corners
}

/// Refuses texts that differ, by the first place at which they do.
pub(super) fn same(fast: &[String], events: &[String], what: &str) {
    let differs = fast
        .iter()
        .zip(events)
        .find(|(fast, events)| fast != events);
    if let Some((fast, events)) = differs {
        let common = fast.bytes().zip(events.bytes()).take_while(|(a, b)| a == b);
        let from = common.count().saturating_sub(60);
        let near = |text: &str| text.chars().skip(from).take(160).collect::<String>();
        let kind: String = fast.chars().take(60).collect();
        panic!(
            "{what}: {kind}: expected {}, found {}",
            near(fast),
            near(events)
        );
    }
    assert_eq!(fast.len(), events.len(), "{what}");
}

/// Measures of messages, which the fast path has none of.
const CLUSTERS_OWN: &[&str] = &[
    "store_ops",
    "added_latency_p50_s",
    "added_latency_p99_s",
    "in_flight_peak",
    "races",
    "wrongly_refused",
    "recovery_s",
    "leaked_keys",
    "forgotten_early",
    "attempts_per_request",
    "goodput",
    "wasted_attempts",
    "amplification",
    "given_up",
    "unfinished",
    "drained_s",
    "retry_honesty",
    "theory",
    "theory_error_se",
];

/// One who would try again but may not.
const ONE_ATTEMPT: Client = Client {
    retrying: Retrying::Immediate,
    max_attempts: 1,
    give_up: None,
};

fn deployments() -> Vec<Deployment> {
    let with = |name: &str, store| Deployment {
        store,
        ..Deployment::plain(name)
    };
    vec![
        with("local", Store::Local { is_split: false }),
        with("atomic", Store::Central(Access::Atomic)),
        with("read then write", Store::Central(Access::ReadThenWrite)),
        with(
            "synced",
            Store::Synced {
                every: Nanos::from_secs(1),
            },
        ),
        Deployment {
            nodes: 3,
            ..with("three nodes, one store", Store::Central(Access::Atomic))
        },
        Deployment {
            clients: Some(Arc::new(Clients {
                by_block: vec![ONE_ATTEMPT; 8],
            })),
            ..Deployment::plain("clients with one attempt")
        },
        Deployment {
            timeout: Some(Nanos::from_secs(1)),
            ..with("with a timeout", Store::Central(Access::ReadThenWrite))
        },
    ]
}

#[test]
fn one_node_without_latency_is_the_fast_path() {
    for fields in ["", "reference = 'offered'"] {
        for cost in ["", "cost = { kind = 'uniform', min = 0, max = 3 }"] {
            for keys in ["'one'", "{ count = 150, popularity = 'zipf' }"] {
                let text = traffic(fields, cost, keys) + &algorithms(|_| true);
                for with_timeline in [true, false] {
                    let fast = told(&run(&text, None, with_timeline));
                    for deployment in deployments() {
                        let events = told(&run(&text, Some(&deployment), with_timeline));
                        let name = &deployment.name;
                        same(&fast, &events, &format!("{name}, {fields}, {cost}, {keys}"));
                    }
                }
            }
        }
    }
}

/// A counter that is incremented by what was decided on a copy counts the same.
#[test]
fn without_latency_reading_and_then_incrementing_is_the_fast_path() {
    let counts = |kind: &str| {
        ALGORITHMS
            .iter()
            .any(|row| row.kind == kind && row.increments)
    };
    let text = traffic("", "", "{ count = 20, popularity = 'zipf' }") + &algorithms(counts);
    let fast = told(&run(&text, None, true));
    let deployment = Deployment {
        store: Store::Central(Access::ReadThenIncrement),
        ..Deployment::plain("read then increment")
    };
    same(&fast, &told(&run(&text, Some(&deployment), true)), "");
}

/// What is kept exactly while changes are few is as much on both paths.
#[test]
fn one_node_without_latency_is_the_fast_path_where_memory_changes_by_the_thousand() {
    let keys = "{ count = 150, popularity = 'uniform' }";
    let text = traffic("", "", keys).replace("rate = '2/s'", "rate = '40/s'");
    let text = text + &algorithms(|_| true);
    let fast = told(&run(&text, None, false));
    let deployment = &deployments()[0];
    same(&fast, &told(&run(&text, Some(deployment), false)), "");
}
