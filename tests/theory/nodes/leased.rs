//! Nodes that take units from the store in batches.
//!
//! A node asks for a batch when it has none, and the request that made it ask takes one at once: at most
//! batch − 1 are left at a node when a window of the store ends, so that N nodes forward at most
//! n + N(batch − 1) in any window, where nothing takes time. Where a lease takes time to come, the window
//! may end on its way: then the whole batch is spent in the next one.

use super::setting::{MILLISECOND, Setting, admitted};
use crate::ran::Ran;

#[test]
fn nodes_with_leases_keep_within_what_they_may_have_left() {
    let mut above = 0;
    for seed in 1_000..1_150 {
        let mut setting = Setting::draw(seed);
        let (limit, nodes) = (setting.limit, setting.nodes);
        let some = 1 + setting.up_to(limit);
        let batch = setting.one_of(&[1, 2, limit, some]);
        let trip = setting.one_of(&[0, 0, 2, 20]);
        let run = setting.run(&format!(
            "store = 'leased', batch = {batch}, rtt = '{trip}ms'"
        ));
        let answers = run.of("fixed_window");
        let left = if trip == 0 { batch - 1 } else { batch };
        let bound = limit + nodes * left;
        // What waits for a lease is forwarded when it comes.
        for (place, count) in admitted(&answers, setting.window, |_, record| record.answered) {
            assert!(count <= bound, "seed {seed}, {place:?}: {count} of {bound}");
            above += u64::from(count > limit);
        }
        // No more can be spent than was leased, in the windows up to the last answer.
        let last = answers.each().map(|(_, record)| record.answered).max();
        let windows = last.unwrap().as_nanos() / (setting.window * MILLISECOND) + 1;
        assert!(
            answers.result.per_key[0].allowed <= windows * limit,
            "seed {seed}"
        );
    }
    assert!(above > 10, "only {above} windows above the limit");
}

/// Late in the first window each node takes a batch and spends one; the flood comes in the second.
#[test]
fn nodes_with_leases_reach_what_they_may_have_left() {
    for (nodes, limit, batch) in [(2, 10, 5), (4, 20, 5), (5, 5, 1), (3, 30, 10)] {
        let run = Ran::text(&format!(
            "limit = '{limit}/1s'
            duration = '2s'
            traffic = [
                {{ pattern = 'burst', at = '900ms', count = {nodes} }},
                {{ pattern = 'burst', at = '1s', count = {} }},
            ]
            algorithm = [{{ kind = 'fixed_window' }}]
            deployment = [{{ nodes = {nodes}, store = 'leased', batch = {batch} }}]",
            3 * nodes * limit
        ));
        let windows = admitted(&run.of("fixed_window"), 1_000, |arrival, _| arrival.at);
        assert_eq!(windows[&(0, 0)], nodes);
        assert_eq!(windows[&(0, 1)], limit + nodes * (batch - 1));
    }
}

/// Asked for 60 ms before the edge over a round trip of 100 ms, taken 10 ms before it, there 40 ms
/// after it: with requests that wait for it, all of each batch is forwarded in the second window.
#[test]
fn a_lease_on_its_way_over_an_edge_is_spent_after_it() {
    let (nodes, limit, batch) = (3, 30, 10);
    let run = Ran::text(&format!(
        "limit = '{limit}/1s'
        duration = '2s'
        traffic = [
            {{ pattern = 'burst', at = '940ms', count = {} }},
            {{ pattern = 'burst', at = '1.1s', count = {} }},
        ]
        algorithm = [{{ kind = 'fixed_window' }}]
        deployment = [{{ nodes = {nodes}, store = 'leased', batch = {batch}, rtt = '100ms' }}]",
        nodes * batch,
        3 * nodes * limit
    ));
    let windows = admitted(&run.of("fixed_window"), 1_000, |_, record| record.answered);
    assert_eq!(windows.get(&(0, 0)), None);
    assert_eq!(windows[&(0, 1)], limit + nodes * batch);
}
