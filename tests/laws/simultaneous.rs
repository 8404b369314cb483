//! What happens at the same instant happens in one order, whoever else takes part.

use crate::ran::Ran;
use ratesim::measure::{CandidateResult, Party};
use std::collections::BTreeMap;

/// Hundreds of requests at the same instants from several blocks.
const CROWDS: &str = "duration = '12s'
    seed = 3
    [[traffic]]
    pattern = 'burst'
    count = 90
    repeat_every = '1s'
    keys = { count = 3, popularity = 'zipf' }
    [[traffic]]
    pattern = 'burst'
    count = 50
    repeat_every = '2s'
    keys = 'one'
    [[traffic]]
    pattern = 'poisson'
    rate = '20/s'
    keys = 'one'\n";

const ALGORITHMS: &[&str] = &[
    "kind = 'token_bucket'",
    "kind = 'token_bucket'\nname = 'in steps'\nrefill_every = '3s'",
    "kind = 'leaky_bucket'",
    "kind = 'fixed_window'",
    "kind = 'fixed_window'\nname = 'since first'\nanchor = 'first_request'",
    "kind = 'sliding_window_log'",
    "kind = 'sliding_window_counter'",
    "kind = 'gcra'",
];

fn tables(name: &str, fields: &[impl AsRef<str>]) -> String {
    let table = |fields: &str| format!("[[{name}]]\n{fields}\n");
    fields.iter().map(|fields| table(fields.as_ref())).collect()
}

/// Messages that all take equally long overtake nothing: requests reach the store as they came, and are
/// answered as they came.
#[test]
fn equal_trips_keep_the_order() {
    let run = Ran::text(&format!(
        "limit = '40/5s'\n{CROWDS}{}{}",
        tables("algorithm", ALGORITHMS),
        tables(
            "deployment",
            &[
                "name = 'at once'\nnodes = 3\nstore = 'central'",
                "name = 'a second'\nnodes = 3\nstore = 'central'\nrtt = '1s'",
                "name = 'two seconds'\nnodes = 3\nrouting = 'random'\nstore = 'central'\n\
                 access = 'read_then_write'\nrtt = '2s'",
            ],
        )
    ));
    assert_eq!(run.all().count(), ALGORITHMS.len() * 3);
    for (name, answers) in run.all() {
        let messages = &answers.result.cluster.as_ref().unwrap().dialogue.messages;
        let answered = messages
            .iter()
            .filter(|message| matches!(message.to, Party::Client(_)));
        let answered: Vec<u64> = answered.map(|message| message.request).collect();
        let all: Vec<u64> = (0..run.result.requests).collect();
        assert_eq!(answered, all, "{name}");
        let seconds = match answers.result.deployment.as_str() {
            "at once" => 0,
            "a second" => 1,
            _ => 2,
        };
        for (arrival, record) in answers.each() {
            let waited = (record.answered - arrival.at).get();
            assert_eq!(waited, seconds * 1_000_000_000, "{name}");
        }
    }
}

/// A store that goes by the time at which a request was sent decides as one that is not away.
#[test]
fn the_way_to_the_store_changes_nothing_where_the_nodes_clock_decides() {
    let run = Ran::text(&format!(
        "limit = '40/5s'\n{CROWDS}{}{}",
        tables("algorithm", ALGORITHMS),
        tables(
            "deployment",
            &[
                "name = 'here'",
                "name = 'away'\nnodes = 3\nstore = 'central'\nclock = 'node'\nrtt = '1.5s'",
            ],
        )
    ));
    for (name, answers) in run.all() {
        let algorithm = name.split(" / ").next().unwrap();
        let here = run.of(&format!("{algorithm} / here"));
        assert_eq!(answers.letters(), here.letters(), "{name}");
        assert_eq!(answers.remaining(), here.remaining(), "{name}");
    }
}

/// Deployments in which everything is drawn that can be.
const DEPLOYMENTS: &[(&str, &str)] = &[
    ("own", "nodes = 3\nrouting = 'random'"),
    (
        "central",
        "nodes = 4\nrouting = 'random'\nstore = 'central'\naccess = 'read_then_write'
        rtt = { kind = 'exponential', mean = '300ms' }\ntimeout = '1s'
        outage = [{ of = 'store', from = '3s', to = '5s' }]",
    ),
    (
        "synced",
        "nodes = 3\nrouting = 'sticky'\nstore = 'synced'\nsync_every = '1s'
        rtt = { kind = 'uniform', min = '0s', max = '2s' }",
    ),
    (
        "leased",
        "nodes = 3\nrouting = 'random'\nstore = 'leased'\nbatch = 4
        rtt = { kind = 'lognormal', median = '100ms', p99 = '1s' }",
    ),
    ("plain", ""),
];

/// All that a candidate's result holds but its names.
fn told(result: &CandidateResult) -> String {
    let nameless = CandidateResult {
        name: String::new(),
        deployment: String::new(),
        ..result.clone()
    };
    format!("{nameless:?}")
}

/// By algorithm and deployment, all that there is of it.
fn run(algorithms: &[&str], deployments: &[(String, &str)]) -> BTreeMap<(String, String), String> {
    let deployments = deployments.iter();
    let deployments: Vec<_> = deployments
        .map(|(name, fields)| format!("name = '{name}'\n{fields}"))
        .collect();
    let run = Ran::text(&format!(
        "limit = '40/5s'\n{CROWDS}{}{}",
        tables("algorithm", algorithms),
        tables("deployment", &deployments)
    ));
    let all = run.result.candidates.iter().map(|candidate| {
        let algorithm = candidate.name.split(" / ").next().unwrap().to_owned();
        ((algorithm, candidate.deployment.clone()), told(candidate))
    });
    all.collect()
}

#[test]
fn a_candidate_is_the_same_whoever_runs_beside_it() {
    let named = |prefix: &str| -> Vec<(String, &str)> {
        let all = DEPLOYMENTS.iter();
        all.map(|(name, fields)| (format!("{prefix}{name}"), *fields))
            .collect()
    };
    let first = run(&ALGORITHMS[..4], &named(""));
    let mut others = named("other ");
    others.push((
        "one more".to_owned(),
        "nodes = 9\nstore = 'central'\nrtt = '70ms'",
    ));
    others.reverse();
    let mut algorithms = ALGORITHMS.to_vec();
    algorithms.reverse();
    let second = run(&algorithms, &others);
    assert_eq!(first.len(), 20);
    for ((algorithm, deployment), told) in &first {
        let renamed = (algorithm.clone(), format!("other {deployment}"));
        assert!(second[&renamed] == *told, "{algorithm} / {deployment}");
    }
}
