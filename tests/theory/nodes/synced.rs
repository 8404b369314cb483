//! Nodes that tell each other every Δ what they admitted.
//!
//! Whoever admits the last request of a window knows all that the others admitted before the last
//! exchange that it has heard of, and what it knows is below n. What it does not know the others admitted
//! since, within Δ and the time that an exchange takes; each of them no more than n, and no more than came
//! to it in that time. So a window's overshoot is at most (N − 1) · min(n, what comes to a node in Δ).

use super::super::measured::Measured;
use super::setting::{MILLISECOND, Setting, admitted};
use crate::ran::{Answers, Ran};
use std::collections::BTreeMap;

/// The most requests of one key that came to one node within any half-open interval of this length.
fn busiest(answers: &Answers, length: u64) -> u64 {
    let mut times: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for (arrival, record) in answers.each() {
        let node = (arrival.key, record.node);
        times.entry(node).or_default().push(arrival.at.as_nanos());
    }
    let mut most = 0;
    for times in times.values() {
        let mut oldest = 0;
        for (index, at) in times.iter().enumerate() {
            while at - times[oldest] >= length {
                oldest += 1;
            }
            most = most.max(index + 1 - oldest);
        }
    }
    most as u64
}

#[test]
fn synced_nodes_overshoot_by_no_more_than_comes_to_the_others_between_exchanges() {
    let mut overshot = 0;
    for seed in 0..150 {
        let mut setting = Setting::draw(seed);
        let every = setting.one_of(&[1, 7, 10, 25, 50, 100, 300]);
        let trip = setting.one_of(&[0, 0, 2, 10]);
        let run = setting.run(&format!(
            "store = 'synced', sync_every = '{every}ms', rtt = '{trip}ms'"
        ));
        let answers = run.of("fixed_window");
        let came = busiest(&answers, (every + trip / 2) * MILLISECOND);
        let bound = (setting.nodes - 1) * setting.limit.min(came);
        for (place, count) in admitted(&answers, setting.window, |arrival, _| arrival.at) {
            let over = count.saturating_sub(setting.limit);
            assert!(
                over <= bound,
                "seed {seed}, {place:?}: {over} above, {bound} allowed"
            );
            overshot += u64::from(over > bound / 2 && bound > 0);
        }
    }
    assert!(
        overshot > 50,
        "settings that come near the bound: {overshot}"
    );
}

/// A burst that each node has room for, and a rate by which all have n − k known and admit k more.
#[test]
fn the_overshoot_of_synced_nodes_is_reached() {
    for (nodes, limit) in [(2, 5), (4, 10), (7, 3)] {
        let run = Ran::text(&format!(
            "limit = '{limit}/1s'
            duration = '1s'
            traffic = [{{ pattern = 'burst', at = '500ms', count = {} }}]
            algorithm = [{{ kind = 'fixed_window' }}]
            deployment = [{{ nodes = {nodes}, store = 'synced', sync_every = '100ms' }}]",
            2 * nodes * limit
        ));
        let over = run.of("fixed_window").counts().0 - limit;
        assert_eq!(over, (nodes - 1) * limit);
    }
    // Every 10 ms two requests come to each of four nodes: after six exchanges 48 are known to all,
    // two below the limit, and each node admits two more.
    let run = Ran::text(
        "limit = '50/1s'
        duration = '1s'
        traffic = [{ pattern = 'burst', count = 8, spread = '10ms', repeat_every = '10ms' }]
        algorithm = [{ kind = 'fixed_window' }]
        deployment = [{ nodes = 4, store = 'synced', sync_every = '10ms' }]",
    );
    assert_eq!(run.of("fixed_window").counts().0, 50 + 3 * 2);
}

/// Ten are admitted before the second node is there, whose state is a fresh one; from the next exchange on
/// both know of all that it admitted.
#[test]
fn a_node_that_joins_knows_nothing_of_what_was_told_before() {
    let run = Ran::text(
        "limit = '10/1m'
        duration = '20s'
        traffic = [
            { pattern = 'burst', at = '1s', count = 10 },
            { pattern = 'burst', at = '10.5s', count = 20 },
            { pattern = 'burst', at = '12s', count = 20 },
        ]
        algorithm = [{ kind = 'fixed_window' }]
        [[deployment]]
        nodes = 2
        store = 'synced'
        sync_every = '1s'
        join = [{ node = 1, at = '10s' }]",
    );
    let letters = run.of("fixed_window").letters();
    assert_eq!(letters[..10], "a".repeat(10));
    assert_eq!(letters[10..30].matches('a').count(), 10);
    assert_eq!(letters[30..], "x".repeat(20));
    let cluster = run.of("fixed_window").result.cluster.as_ref().unwrap();
    let admitted: Vec<u64> = cluster.nodes.iter().map(|node| node.allowed).collect();
    assert_eq!(admitted, [10, 10]);
}

/// What all know of all is refreshed every Δ: when n is passed at a time within Δ that has no
/// favourite, λΔ/2 more pass in the mean. So many nodes share the traffic that what each adds of its
/// own changes that by less than 2 %. The sample is one of 200 keys; the band is four standard errors
/// and these 2 %.
#[test]
fn a_count_that_is_refreshed_every_so_often_lets_half_an_interval_through() {
    let (limit, rate, every) = (400, 4_000.0, 0.005);
    let run = super::super::measured::run(&format!(
        "limit = '{limit}/1h'
        duration = '150ms'
        seed = 61
        measure = ['keys']
        traffic = [{{ pattern = 'poisson', rate = '{}/s', keys = {{ count = 200 }} }}]
        algorithm = [{{ kind = 'fixed_window' }}]
        deployment = [{{ nodes = 100, routing = 'random', store = 'synced', sync_every = '5ms' }}]",
        200.0 * rate
    ));
    let keys = run.candidates[0].per_key.iter();
    let over: Vec<f64> = keys
        .map(|key| {
            assert!(key.denied > 0, "too short");
            f64::from(u32::try_from(key.allowed - limit).unwrap())
        })
        .collect();
    let expected = rate * every / 2.0;
    let found = Measured::mean(&over);
    let distance = (found.value - expected).abs();
    assert!(distance < 4.0 * found.error + 0.02 * expected, "{found:?}");
    assert!(found.error < 0.05 * expected, "{found:?}");
}
