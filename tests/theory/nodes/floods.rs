//! Floods: what nodes admit of more than enough.

use crate::ran::Ran;
use std::fmt::Write;

/// Three keys with more requests at once than all nodes together allow.
fn flood(nodes: u64, limit: u64) -> Ran {
    let mut text = format!(
        "limit = '{limit}/10s'
        duration = '1s'
        algorithm = [
            {{ kind = 'token_bucket' }},
            {{ kind = 'leaky_bucket' }},
            {{ kind = 'fixed_window' }},
            {{ kind = 'sliding_window_log' }},
            {{ kind = 'sliding_window_counter' }},
            {{ kind = 'gcra' }},
        ]\n"
    );
    for key in ["a", "b", "c"] {
        let count = 2 * nodes * limit;
        writeln!(
            text,
            "[[traffic]]\npattern = 'burst'\ncount = {count}\nkeys = '{key}'"
        )
        .unwrap();
    }
    for (name, fields) in [
        ("own", ""),
        ("sticky", "routing = 'sticky'"),
        ("split", "share = 'split'"),
        ("central", "store = 'central'"),
        ("behind a link", "store = 'central'\nrtt = '7ms'"),
        ("synced", "store = 'synced'\nsync_every = '100ms'"),
        ("leased", "store = 'leased'\nbatch = 1"),
    ] {
        writeln!(
            text,
            "[[deployment]]\nname = '{name}'\nnodes = {nodes}\n{fields}"
        )
        .unwrap();
    }
    Ran::text(&text)
}

/// Of one burst N nodes admit N · n, and n where all requests of a key come to the same node, or where
/// what all nodes admit is counted in one place.
#[test]
fn nodes_of_their_own_admit_n_times_the_limit() {
    for (nodes, limit) in [(2, 1), (3, 10), (10, 7), (16, 4)] {
        let run = flood(nodes, limit);
        assert_eq!(run.all().count(), 6 * 7);
        for (name, answers) in run.all() {
            let each = match answers.result.deployment.as_str() {
                "own" | "synced" => nodes * limit,
                _ => limit,
            };
            for key in &answers.result.per_key {
                assert_eq!(key.allowed, each, "{nodes} nodes, {limit}: {name}");
                assert_eq!(key.errors, 0, "{name}");
            }
            let cluster = answers.result.cluster.as_ref().unwrap();
            let of_nodes: u64 = cluster.nodes.iter().map(|node| node.allowed).sum();
            assert_eq!(of_nodes, 3 * each, "{name}");
        }
    }
}

/// N(τ) of N nodes that do not know of each other is N times that of one: N · (b + rτ) for buckets.
#[test]
fn envelopes_of_the_nodes_add_up() {
    let nodes = 4;
    let run = Ran::text(&format!(
        "limit = '10/10s'
        duration = '20.001s'
        traffic = [{{ pattern = 'burst', count = 60, repeat_every = '500ms' }}]
        algorithm = [{{ kind = 'token_bucket' }}, {{ kind = 'fixed_window' }}, {{ kind = 'gcra' }}]
        deployment = [{{ nodes = {nodes} }}]"
    ));
    // 10 and then one a second; 10 in each of two windows and at the first instant of a third.
    for (name, answers) in run.all() {
        assert_eq!(answers.counts().0, nodes * 30, "{name}");
    }
}
