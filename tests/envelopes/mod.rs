//! Deterministic envelopes: what an algorithm forwards at most, held against every run with a timeline
//! that a test makes.

mod bound;
mod random;
mod tight;

use bound::{Bound, Envelope, Event, Held};
use ratesim::measure::{CandidateResult, RunResult};
use ratesim::units::Nanos;

/// What a key's requests came to under one candidate.
#[derive(Clone, Default)]
struct Passed {
    /// Admitted, at the time of the arrival.
    admitted: Vec<Event>,
    /// Forwarded, at the time of the forwarding.
    forwarded: Vec<Event>,
}

/// Holds every candidate on one node that answers at once, and every key of it, against the envelope of
/// its algorithm; `resolved` is the scenario with every default. What several nodes forward together
/// has bounds of its own, and so does what rules with keys of their own let pass.
pub(crate) fn check(run: &RunResult, resolved: &toml::Table) {
    let tables = resolved["algorithm"].as_array().expect("algorithms");
    let deployments = run.candidates.len() / tables.len();
    assert_eq!(tables.len() * deployments, run.candidates.len());
    for (index, candidate) in run.candidates.iter().enumerate() {
        if candidate.cluster.is_some() || candidate.rules.is_some() {
            continue;
        }
        let table = &tables[index / deployments];
        let table = table.as_table().expect("an algorithm's table");
        let envelope = Envelope::of(table, run.limit);
        let keys = passed(run, candidate, envelope.wait);
        for (mut passed, name) in keys.into_iter().zip(run.keys.iter()) {
            passed.forwarded.sort_by_key(|(at, _)| *at);
            hold(&envelope.forwarded, &passed.forwarded)
                .and_then(|()| hold(&envelope.admitted, &passed.admitted))
                .unwrap_or_else(|found| panic!("{}, key {name}: {found}", candidate.name));
        }
    }
}

/// What was admitted and forwarded, by key; nobody waits for more than `most`.
fn passed(run: &RunResult, candidate: &CandidateResult, most: Option<Nanos>) -> Vec<Passed> {
    let mut keys = vec![Passed::default(); run.keys.len()];
    for (arrival, record) in run.attempts(candidate).expect("a timeline") {
        if arrival.cost == 0 || !record.decision.is_admitted() {
            continue;
        }
        let (at, delay) = (record.at, record.decision.delay());
        let key = &mut keys[arrival.key.0 as usize];
        key.admitted.push((at.as_nanos(), arrival.cost));
        if delay < Nanos::FOREVER {
            key.forwarded.push(((at + delay).as_nanos(), arrival.cost));
        }
        let name = &candidate.name;
        assert!(
            most.is_none_or(|most| delay <= most),
            "{name} waits {delay} at {at}"
        );
    }
    keys
}

fn hold(bounds: &[Bound], events: &[Event]) -> Held {
    bounds.iter().try_for_each(|bound| {
        let held = bound.check(events);
        held.map_err(|found| format!("{bound:?}: {found}"))
    })
}
