//! One rule for all requests, by the client's key, is the limit itself: for every algorithm and option,
//! however the state is kept and whatever goes wrong.

use super::event_path::{algorithms, same, traffic};
use crate::ran::scenario;
use ratesim::measure::{CandidateResult, METRICS, RunResult};
use ratesim::report::csv;
use ratesim::simulation;

/// Several deployments, each with a name for messages.
const DEPLOYMENTS: &[(&str, &str)] = &[
    ("one node", ""),
    (
        "each its own",
        "nodes = 3
        routing = 'random'
        skew = ['0s', '4s', '-4s']",
    ),
    ("split", "nodes = 3\nshare = 'split'"),
    (
        "synced",
        "nodes = 3
        store = 'synced'
        sync_every = '3s'
        rtt = '500ms'",
    ),
    (
        "central",
        "nodes = 2
        store = 'central'
        clock = 'node'
        skew = ['0s', '3s']
        rtt = { kind = 'lognormal', median = '300ms', p99 = '2s' }",
    ),
    (
        "fail open",
        "nodes = 2
        store = 'central'
        rtt = '200ms'
        timeout = '1s'
        outage = [{ of = 'store', from = '40s', to = '70s', loses_state = true }]",
    ),
    (
        "fail closed",
        "store = 'central'
        rtt = { kind = 'exponential', mean = '400ms' }
        timeout = '1s'
        on_store_failure = 'fail_closed'
        outage = [{ of = 'store', from = '40s', to = '70s' }]",
    ),
    (
        "fallback",
        "nodes = 2
        store = 'central'
        rtt = '200ms'
        timeout = '1s'
        on_store_failure = 'local_fallback'
        fallback_share = '3/5'
        outage = [{ of = 'store', from = '40s', to = '70s' }]",
    ),
    (
        "a node goes down",
        "nodes = 2
        timeout = '1s'
        outage = [{ of = 0, from = '40s', to = '70s', detected_after = '5s' }]",
    ),
    (
        "forgotten",
        "ttl = '7s'
        lost_expire = ['20s', '60s']",
    ),
];

/// What only one of them has: rules have windows, estimates and names of their own.
const OTHERWISE: &[&str] = &["estimate_error", "denied_by", "theory", "theory_error_se"];

/// All that is told of a candidate by both.
fn told(candidate: &CandidateResult, run: &RunResult) -> Vec<String> {
    let mut told = Vec::new();
    for metric in METRICS {
        if !OTHERWISE.contains(&metric.column) {
            let reading = metric.reading(candidate, run);
            told.push(format!("{} {reading}", metric.column));
        }
    }
    for record in candidate.records.iter().flatten() {
        let mut record = *record;
        record.chapter = None;
        told.push(format!("{record:?}"));
    }
    let (sum, requests) = match &candidate.chapters[..] {
        [] => candidate.estimates.mean(),
        [only] => only.estimates.mean(),
        more => panic!("{} chapters", more.len()),
    };
    told.push(format!("estimates {sum} of {requests}"));
    told
}

type File = fn(&RunResult, &mut dyn std::io::Write) -> Result<(), ::csv::Error>;

/// Files with the columns that only one of them fills.
const FILES: [(&[&str], File); 2] = [
    (&["level", "window_count"], csv::series),
    (&["peak_in_window"], csv::keys),
];

/// The rows of a file without some of its columns.
fn rows(run: &RunResult, without: &[&str], write: File) -> Vec<String> {
    let mut bytes = Vec::new();
    write(run, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let header = text.lines().next().unwrap().split(',');
    let left_out: Vec<bool> = header.map(|column| without.contains(&column)).collect();
    assert_eq!(left_out.iter().filter(|it| **it).count(), without.len());
    let kept = |row: &str| {
        let cells = row.split(',').zip(&left_out);
        let cells: Vec<&str> = cells.filter(|it| !it.1).map(|it| it.0).collect();
        cells.join(",")
    };
    text.lines().map(kept).collect()
}

#[test]
fn one_rule_by_the_clients_key_is_the_limit_itself() {
    for cost in ["", "cost = { kind = 'uniform', min = 0, max = 3 }"] {
        for keys in ["'one'", "{ count = 30, popularity = 'zipf' }"] {
            for (name, deployment) in DEPLOYMENTS {
                let run = |rule: &str| {
                    let traffic = traffic("", cost, keys);
                    let algorithms = algorithms(|_| true);
                    let text =
                        format!("{traffic}{rule}\n{algorithms}[[deployment]]\n{deployment}\n");
                    simulation::run(&scenario(&text).into_plan(true), &()).unwrap()
                };
                let limit = run("");
                let rule = run("[[rule]]\nname = 'all'\nlimit = '5/10s'");
                let what = format!("{name}, {cost}, {keys}");
                for (limited, ruled) in limit.candidates.iter().zip(&rule.candidates) {
                    let what = format!("{what}, {}", limited.name);
                    same(&told(limited, &limit), &told(ruled, &rule), &what);
                    let (whole, own) = (&limited.tally, &ruled.chapters[0].tally);
                    let counts = |tally: &ratesim::measure::Tally| {
                        let verdicts = [tally.false_allow, tally.false_deny];
                        let ends = [tally.requests, tally.allowed, tally.denied, tally.errors];
                        (ends, verdicts, tally.offered_cost, tally.peak_in_window)
                    };
                    assert_eq!(counts(whole), counts(own), "{what}");
                }
                for (without, write) in FILES {
                    let [limit, rule] = [&limit, &rule].map(|run| rows(run, without, write));
                    same(&limit, &rule, &what);
                }
            }
        }
    }
}
