//! Damaged scenarios.

use super::damage::{damaged, damages};
use super::hunt;
use crate::ran::root;
use proptest::prelude::*;
use ratesim::scenario::{Bounds, Overrides, Scenario, Source, to_toml};
use ratesim::simulation;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const FRAGMENTS: &[&[u8]] = &[
    b"nan",
    b"-inf",
    b"-1",
    b"0",
    b"1e400",
    b"0.1",
    b"9223372036854775807",
    b"18446744073709551616",
    b"1000000000000",
    b"4294967295",
    b"'0s'",
    b"'1ns'",
    b"'-5/1m'",
    b"'1/0s'",
    b"'0/s'",
    b"'1000000000000/1ns'",
    b"'1/366d'",
    b"'18446744073709551615ns'",
    b"'584y'",
    b"'99:99:99'",
    b"'9999-12-31T23:59:59Z'",
    b"1970-01-01T00:00:00Z",
    b"true",
    b"[]",
    b"{}",
    b"[1, 'a', {}]",
    b"{ count = 100000000000 }",
    b"{ count = 4294967295, popularity = 'zipf', exponent = 1e308 }",
    b"{ count = 3, popularity = 'hot', share = 2 }",
    b"{ kind = 'lognormal', median = '1ms', p99 = '5ms' }",
    b"{ kind = 'pareto', shape = 1e-300, minimum = 1 }",
    b"{ kind = 'empirical', values = [] }",
    b"'sliding_window_log'",
    b"'on_off'",
    b"'trace'",
    b"''",
    b"'\xc3\xa9\xe2\x80\xae'",
    b"\"\\u0000\"",
    b"'''",
    b"[[algorithm]]",
    b"[[deployment]]\nnodes = 3\n",
    b"[[deployment]]\nstore = 'central'\naccess = 'read_then_write'\nrtt = '5ms'\n",
    b"[[deployment]]\nnodes = 2\nstore = 'synced'\nsync_every = '1s'\nskew = ['-366d', '1ns']\n",
    b"[[deployment]]\nnodes = 2\nstore = 'leased'\nbatch = 7\nclock = 'node'\n",
    b"timeout = '1ns'\n[[deployment.outage]]\nof = 0\nfrom = '0s'\nto = '1s'\n",
    b"lost_expire = ['0s']\nttl = '1ns'\n",
    b"deployment = [{ share = 'split', nodes = 1024 }]\n",
    b"[[rule]]\nlimit = '5/1m'\n",
    b"[[rule]]\nlimit = 3\nwindow = '1s'\nkey = ['ip', 'endpoint']\nalgorithm = 'gcra'\n",
    b"[rules]\ncharge = 'each'\n",
    b"rules = { file = 'data/access.log' }\n",
    b"{ count = 4294967295, network = '::/1' }",
    b"[[traffic]]",
    b"[limit]",
    b"a.b.c = 1",
    b"\n",
    b"=",
    b"#",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff",
];

/// Small enough that what is damaged into something large is refused.
const BOUNDS: Bounds = Bounds {
    requests: 1_000_000,
    timeline: 10_000,
    memory: 20_000_000,
};

/// Reads a scenario; what is accepted reads the same when it is printed, and runs if it is small.
fn check(path: &Path) {
    let read = |source: &Source| Scenario::read(source, &Overrides::default(), &BOUNDS);
    let scenario = match Source::open(path).and_then(|source| read(&source)) {
        Ok(scenario) => scenario,
        Err(error) => {
            assert_eq!(error.exit_status(), 2, "{error}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let printed = to_toml(&scenario.resolved);
    let again = read(&Source::new(path, printed.clone()));
    let again = again.unwrap_or_else(|error| panic!("{error} in\n{printed}"));
    assert_eq!(to_toml(&again.resolved), printed);
    if scenario.workload.expected_requests() <= 1_000 {
        let result = simulation::run(&scenario.into_plan(false), &()).unwrap();
        for candidate in &result.candidates {
            let tally = candidate.tally;
            assert_eq!(tally.requests, result.requests);
            assert_eq!(tally.allowed + tally.denied + tally.errors, tally.attempts);
        }
    }
}

/// A folder in which the ready scenarios find their data.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    for entry in fs::read_dir(root().join("scenarios/data")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), data.join(entry.file_name())).unwrap();
    }
    folder
}

#[test]
fn a_damaged_scenario_is_read_or_refused() {
    let folder = folder();
    let path = folder.path().join("damaged.toml");
    let mut valid: Vec<Vec<u8>> = fs::read_dir(root().join("scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| fs::read(path).unwrap())
        .collect();
    valid.sort();
    let inputs = (prop::sample::select(valid), damages(FRAGMENTS));
    hunt(&inputs, |(file, damages)| {
        fs::write(&path, damaged(&file, &damages)).unwrap();
        check(&path);
    });
}

#[test]
fn bytes_that_are_no_scenario_are_refused() {
    let folder = folder();
    let path = folder.path().join("bytes.toml");
    let pieces = prop_oneof![
        prop::sample::select(FRAGMENTS).prop_map(<[u8]>::to_vec),
        prop::collection::vec(any::<u8>(), 0..20),
        prop::sample::select(&["limit = ", "traffic = ", "algorithm = ", "\n"][..])
            .prop_map(|text| text.as_bytes().to_vec()),
    ];
    hunt(&prop::collection::vec(pieces, 0..20), |pieces| {
        fs::write(&path, pieces.concat()).unwrap();
        check(&path);
    });
}
