//! Deployments as read, by hand from the meaning of the fields.

use super::*;
use crate::catalog::DEPLOYMENT;
use crate::scenario::{Bounds, Overrides, Scenario, Source, to_toml};
use crate::simulation::{Access, Routing, Store};
use crate::units::{Nanos, Offset, Share, SimTime};
use std::path::Path;

const TRAFFIC: &str = "limit = '10/1s'\nduration = '1m'\nstart = '2026-01-01T12:00:00Z'\n\
    [[traffic]]\npattern = 'burst'\ncount = 3\n";

fn scenario(rest: &str) -> Result<Scenario> {
    let source = Source::new(Path::new("s.toml"), format!("{TRAFFIC}{rest}"));
    Scenario::read(&source, &Overrides::default(), &Bounds::default())
}

/// The deployment of a scenario with one algorithm and these fields.
fn deployment(fields: &str) -> Arc<Deployment> {
    let text = format!("[[algorithm]]\nkind = 'fixed_window'\n[[deployment]]\n{fields}\n");
    let mut scenario = scenario(&text).unwrap_or_else(|error| panic!("{fields}: {error}"));
    let planned = scenario.candidates.pop().unwrap();
    planned.cluster.expect("it is not plain")
}

fn names(text: &str) -> Vec<String> {
    let candidates = scenario(text).unwrap().candidates.into_iter();
    candidates.map(|candidate| candidate.name).collect()
}

fn seconds(at: u64) -> SimTime {
    SimTime::from_nanos(at * 1_000_000_000)
}

/// Both directions: what is read is listed, what is listed is read.
#[test]
fn the_catalog_lists_every_field() {
    for store in [
        "store = 'local'",
        "store = 'central'",
        "store = 'synced'\nsync_every = '1s'",
        "store = 'leased'\nbatch = 3",
    ] {
        let error = scenario(&format!("[[deployment]]\n{store}\nzzzzzzzzzzzz = 1\n"))
            .err()
            .unwrap()
            .to_string();
        let (_, allowed) = error.split_once("(allowed: ").expect("what is allowed");
        let mut read: Vec<_> = allowed.trim_end_matches(')').split(", ").collect();
        let mut listed: Vec<_> = DEPLOYMENT.iter().map(|field| field.name).collect();
        read.sort_unstable();
        listed.sort_unstable();
        assert_eq!(read, listed, "{store}");
    }
}

#[test]
fn one_local_node_is_decided_on_the_fast_path() {
    for text in [
        "",
        "[[deployment]]\n",
        "[[deployment]]\nnodes = 1\nrouting = 'sticky'\nname = 'single'\nttl = 'design'\n",
        "[[deployment]]\nshare = 'split'\n",
    ] {
        let scenario = scenario(text).unwrap();
        for planned in &scenario.candidates {
            assert_eq!(planned.deployment, "single");
            assert!(planned.cluster.is_none());
        }
    }
    for fields in [
        "store = 'central'",
        "nodes = 2",
        "ttl = '1h'",
        "lost_expire = ['1s']",
        "clock_step = [{ of = 0, at = '1s', by = '-1s' }]",
        "timeout = '1s'\noutage = [{ of = 0, from = '1s', to = '2s' }]",
    ] {
        assert_eq!(deployment(fields).name, "cluster", "{fields}");
    }
}

#[test]
fn candidates_are_every_algorithm_under_every_deployment() {
    let algorithms =
        "[[algorithm]]\nkind = 'gcra'\n[[algorithm]]\nkind = 'fixed_window'\nname = 'f'\n";
    let deployments = "[[deployment]]\nname = 'a'\n[[deployment]]\nname = 'b'\nnodes = 2\n";
    let one = "[[algorithm]]\nkind = 'gcra'\n";
    assert_eq!(
        names(&format!("{algorithms}[[deployment]]\nnodes = 3\n")),
        ["gcra", "f"]
    );
    assert_eq!(names(&format!("{one}{deployments}")), ["a", "b"]);
    assert_eq!(
        names(&format!("{algorithms}{deployments}")),
        ["gcra / a", "gcra / b", "f / a", "f / b"]
    );
}

#[test]
fn moments_count_from_the_start_or_by_its_clock_and_are_sorted() {
    let read = deployment(
        "nodes = 4\ntimeout = '1s'\nstore = 'central'\nclock = 'node'\nskew = ['0s', '-10s', '+1s', '0s']\n\
         lost_expire = ['12:00:30', '5s']\nttl = '1h'\nttl_from = 'creation'\n\
         join = [{ node = 3, at = '12:00:10' }]\nleave = [{ node = 0, at = '59s' }]\n\
         [[deployment.outage]]\nof = 'store'\nfrom = '12:00:40'\nto = '2h'\n\
         [[deployment.outage]]\nof = 1\nfrom = '10s'\nto = '20s'\nloses_state = false\ndetected_after = '2s'\n\
         [[deployment.clock_step]]\nof = 2\nat = '30s'\nby = '-5s'\n\
         [[deployment.slowdown]]\nfrom = '1s'\nto = '3s'\nadds = '200ms'\n",
    );
    assert_eq!(read.lost_expires, [seconds(5), seconds(30)]);
    assert_eq!(read.ttl, Ttl::AfterCreation(Nanos::from_secs(3600)));
    assert_eq!(read.joins, [(3, seconds(10))]);
    assert_eq!(read.leaves, [(0, seconds(59))]);
    let [node, store] = read.outages[..] else {
        panic!("two outages");
    };
    assert_eq!(
        (node.of, node.from, node.to),
        (Whom::Node(1), seconds(10), seconds(20))
    );
    assert_eq!(
        (node.loses_state, node.detected_after),
        (false, Some(Nanos::from_secs(2)))
    );
    assert_eq!(
        (store.of, store.from, store.to),
        (Whom::Store, seconds(40), seconds(7200))
    );
    assert!(!store.loses_state);
    assert_eq!(read.slowdowns[0].adds, Nanos::from_millis(200));
    assert_eq!(read.clock, Whose::Node);
    assert_eq!(
        read.offset(Whom::Node(1), SimTime::ZERO),
        Offset::new(-10_000_000_000)
    );
    assert_eq!(
        read.offset(Whom::Node(2), seconds(30)),
        Offset::new(-4_000_000_000)
    );
}

#[test]
fn stores_are_read_with_what_belongs_to_them() {
    let store = |fields: &str| deployment(&format!("nodes = 2\n{fields}")).store;
    assert_eq!(store(""), Store::Local { is_split: false });
    assert_eq!(store("share = 'split'"), Store::Local { is_split: true });
    let central = |access| store(&format!("store = 'central'\naccess = '{access}'"));
    assert_eq!(central("atomic"), Store::Central(Access::Atomic));
    assert_eq!(
        central("read_then_write"),
        Store::Central(Access::ReadThenWrite)
    );
    assert_eq!(
        central("read_then_increment"),
        Store::Central(Access::ReadThenIncrement)
    );
    let every = Nanos::from_millis(100);
    assert_eq!(
        store("store = 'synced'\nsync_every = '100ms'"),
        Store::Synced { every }
    );
    assert_eq!(
        store("store = 'leased'\nbatch = 7"),
        Store::Leased { batch: 7 }
    );
    let weighted = deployment("nodes = 2\nrouting = 'weighted'\nweights = [10, 0]");
    assert_eq!(weighted.routing, Routing::Weighted(vec![10, 0]));
    let fallback = deployment(
        "store = 'central'\ntimeout = '1s'\non_store_failure = 'local_fallback'\nfallback_share = 0.25\n\
         rtt = { kind = 'lognormal', median = '1ms', p99 = '5ms' }",
    );
    let share = Share::Fraction { parts: 1, of: 4 };
    assert_eq!(
        fallback.on_store_failure,
        OnStoreFailure::LocalFallback(share)
    );
    assert_eq!(fallback.shares(), [Share::Whole, share]);
    assert!(fallback.rtt.constant().is_none());
}

/// 10 s behind, and 2 s ahead after a step: time 0 lies 10 s before the start, and nothing beyond
/// twice the run and both.
#[test]
fn algorithms_are_built_for_the_earliest_and_the_latest_clock() {
    let read = deployment(
        "nodes = 2\nskew = ['-10s', '0s']\nclock_step = [{ of = 1, at = '1s', by = '2s' }]",
    );
    let frame = Frame {
        limit: "10/1s".parse().unwrap(),
        epoch: crate::units::Epoch::default(),
        horizon: Nanos::from_secs(60),
        clients: crate::scenario::clients::Stated::default(),
    };
    let contract = frame.contract(&read);
    assert_eq!(contract.lead, Nanos::from_secs(10));
    assert_eq!(contract.horizon, Nanos::from_secs(120 + 10 + 2));
}

/// A scenario that lists what was left reads to the same, and does not list what was left out.
#[test]
fn default_algorithms_without_a_count_are_left_out_where_one_is_incremented() {
    let text = "[[deployment]]\nname = 'a'\n[[deployment]]\nname = 'b'\nstore = 'central'\n\
        access = 'read_then_increment'\n";
    let read = scenario(text).unwrap();
    let kinds: Vec<_> = read.candidates.iter().map(|one| one.algorithm).collect();
    assert!(!kinds.contains(&"token_bucket") && !kinds.contains(&"leaky_bucket"));
    assert_eq!(kinds.len(), 6);
    let place = "s.toml:12:1: deployment.1.access: token_bucket, leaky_bucket left out";
    assert!(read.notes[0].starts_with(place), "{:?}", read.notes);
    let printed = to_toml(&read.resolved);
    let again = Source::new(Path::new("s.toml"), printed.clone());
    let again = Scenario::read(&again, &Overrides::default(), &Bounds::default()).unwrap();
    assert_eq!(to_toml(&again.resolved), printed);
    assert!(again.notes.is_empty());
}
