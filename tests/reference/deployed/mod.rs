//! The event path against a plain simulator of its own: random deployments, traffic and failures from
//! fixed seeds, compared answer by answer.
//!
//! The simulator shares no code with the product: a list of what is due, searched for the earliest;
//! limiters on rationals, copied whole where a node reads a state. Whom random and sticky routing send
//! a request to is taken from the run, everything else is worked out.

mod leases;
mod setup;
mod simulator;

use super::check_decision;
use super::draw::Draw;
use crate::ran::Ran;
use ratesim::measure::Reason;
use setup::Deployed;
use simulator::Simulator;
use std::collections::BTreeMap;

/// One random setup; how many of its requests were answered otherwise than by the limiter at once.
fn run(seed: u64) -> BTreeMap<&'static str, usize> {
    let setup = Deployed::draw(&mut Draw::new(seed));
    let text = setup.text();
    let run = Ran::text(&text);
    let answers = run.of(setup.algorithm.kind());
    let nodes: Vec<usize> = answers.each().map(|(_, it)| it.node.into()).collect();
    let done = Simulator::new(&setup, &nodes).run();
    let mut seen = BTreeMap::new();
    assert_eq!(done.answers.len(), nodes.len(), "seed {seed}\n{text}");
    for (index, ((arrival, record), answer)) in answers.each().zip(&done.answers).enumerate() {
        let request = &setup.requests[index];
        let what = format!("seed {seed}, request {index}, {request:?}: {record:?}\n{text}");
        assert_eq!(
            (arrival.at.as_nanos(), arrival.cost),
            (request.at, request.cost),
            "{what}"
        );
        assert_eq!(usize::from(record.node), answer.node, "node, {what}");
        assert_eq!(
            record.reason.map(Reason::name),
            answer.reason,
            "reason, {what}"
        );
        check_decision(record.decision, &answer.verdict, &what);
        assert_eq!(record.answered.as_nanos(), answer.at, "answered, {what}");
        *seen.entry(answer.reason.unwrap_or("decided")).or_default() += 1;
    }
    if let Some(cluster) = &answers.result.cluster {
        let what = format!("seed {seed}\n{text}");
        assert_eq!(
            cluster.in_flight_peak, done.most_waiting,
            "in flight, {what}"
        );
        if setup.has_store() {
            assert_eq!(cluster.store_ops(), done.operations, "operations, {what}");
        }
        if !setup.loses_the_store() {
            assert_eq!(cluster.races, done.races, "races, {what}");
            let races = usize::try_from(done.races).unwrap();
            *seen.entry("races").or_default() += races;
        }
    }
    seen
}

/// Setups per thread.
const SETUPS: u64 = 3_000;

#[test]
fn the_event_path_and_a_plain_simulator_agree_on_every_answer() {
    let threads: Vec<_> = (0..2)
        .map(|thread| {
            std::thread::spawn(move || {
                let mut total: BTreeMap<&str, usize> = BTreeMap::new();
                for setup in 0..SETUPS {
                    for (what, count) in run(setup * 2 + thread) {
                        *total.entry(what).or_default() += count;
                    }
                }
                total
            })
        })
        .collect();
    let mut total: BTreeMap<&str, usize> = BTreeMap::new();
    for thread in threads {
        for (what, count) in thread.join().expect("the two agree") {
            *total.entry(what).or_default() += count;
        }
    }
    for (what, least) in [
        ("decided", 50_000),
        ("fail_open", 1_000),
        ("fail_closed", 1_000),
        ("local_fallback", 1_000),
        ("node_down", 1_000),
        ("node_crashed", 100),
        ("no_node", 10),
        ("races", 1_000),
    ] {
        assert!(total.get(what) >= Some(&least), "{what} of {total:?}");
    }
}
