//! Algorithms built from the catalog with parameters written as in a scenario.

use ratesim::catalog::algorithm;
use ratesim::error::Place;
use ratesim::limiter::Decision;
use ratesim::params::{Contract, Node, Params, Value};
use ratesim::simulation::{Candidate, Stepper};
use ratesim::units::{Cost, Epoch, Limit, Nanos, Retry, Share, SimTime};

/// `capacity=5 mode=meter` as a table.
pub(crate) fn parameters(text: &str) -> Params {
    let place = || Place::Flag("a test".into());
    let field = |pair: &str| {
        let (name, value) = pair.split_once('=').expect("name=value");
        let value = match value {
            "true" => Value::Flag(true),
            "false" => Value::Flag(false),
            _ if value.bytes().all(|byte| byte.is_ascii_digit()) => Value::Number(value.to_owned()),
            _ => Value::Text(value.to_owned()),
        };
        let node = Node {
            value,
            place: place(),
        };
        (name.to_owned(), node)
    };
    Params::new(
        "algorithm.0",
        place(),
        text.split_whitespace().map(field).collect(),
    )
}

/// The algorithm `kind` with the parameters `text`; every parameter must be one that it knows.
pub(crate) fn candidate(kind: &str, text: &str, contract: &Contract) -> Box<dyn Candidate> {
    let mut params = parameters(text);
    let row = algorithm(kind).expect("a row of the catalog");
    let built = (row.build)(&mut params, contract, &[Share::Whole])
        .unwrap_or_else(|error| panic!("{error}"));
    params.finish().unwrap_or_else(|error| panic!("{error}"));
    built
}

/// A contract for a run of a day from 1970 on.
pub(crate) fn contract(limit: &str) -> Contract {
    Contract {
        limit: limit.parse::<Limit>().unwrap(),
        epoch: Epoch::default(),
        lead: ratesim::units::Nanos::ZERO,
        horizon: "1d".parse().unwrap(),
    }
}

/// One key under the algorithm `kind` with the parameters `text`, for a day from 1970 on.
pub(crate) fn stepper(kind: &str, text: &str, limit: &str) -> Box<dyn Stepper> {
    candidate(kind, text, &contract(limit)).stepper()
}

/// A point in time written as a duration.
pub(crate) fn at(time: &str) -> SimTime {
    SimTime::ZERO + time.parse::<Nanos>().unwrap()
}

/// A wait written as a duration.
pub(crate) fn after(time: &str) -> Retry {
    Retry::After(time.parse::<Nanos>().unwrap().get().into())
}

/// How many of `count` requests of cost 1 at `now` are admitted.
pub(crate) fn admitted(stepper: &mut dyn Stepper, now: SimTime, count: u64) -> u64 {
    (0..count)
        .map(|_| u64::from(stepper.decide(now, 1).is_admitted()))
        .sum()
}

/// What there is to see of one decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) decision: Decision,
    pub(crate) remaining: Cost,
    /// When the same request would be admitted, asked after the decision.
    pub(crate) retry: Retry,
}

/// Decides and looks.
pub(crate) fn outcome(stepper: &mut dyn Stepper, now: SimTime, cost: Cost) -> Outcome {
    let decision = stepper.decide(now, cost);
    Outcome {
        decision,
        remaining: stepper.remaining(now),
        retry: stepper.retry_after(now, cost),
    }
}
