//! The fast algorithms against slow ones on big rationals, over random contracts, options and
//! requests from fixed seeds.
//!
//! Decision and delay are compared; `remaining` and `retry_after` are proved: the reference admits
//! what is said to remain and not one more, and it denies the request one nanosecond before the
//! stated time and admits it then. Between two requests admission only ever turns from no to yes
//! (ticks with a longest wait aside, where every tick on the way is looked at), so that this pair of
//! questions has one answer.

mod bucket;
mod deployed;
pub(crate) mod draw;
mod model;
pub(crate) mod retries;
mod rules;
mod window;

use crate::setup::{candidate, outcome};
use draw::{Draw, Setup};
use model::{Model, Verdict};
use num_bigint::BigInt;
use ratesim::limiter::Decision;
use ratesim::params::Contract;
use ratesim::units::{Cost, Epoch, Limit, Nanos, Retry, SimTime};

/// Far beyond the longest wait that any parameters lead to: 10^12 units at one per 366 days.
const FOREVER_BITS: usize = 130;

fn check_remaining(model: &dyn Model, now: &BigInt, remaining: Cost, what: &str) {
    let admits = |cost: u128| model.ask(now, &BigInt::from(cost)).is_admitted();
    assert!(admits(remaining.into()), "{what}: {remaining} remain");
    assert!(
        !admits(u128::from(remaining) + 1),
        "{what}: more than {remaining} remain"
    );
}

fn check_retry(model: &dyn Model, now: &BigInt, cost: Cost, retry: Retry, what: &str) {
    let cost = BigInt::from(cost);
    let admits = |at: &BigInt| model.ask(at, &cost).is_admitted();
    match retry {
        Retry::Never => {
            assert!(!admits(now), "{what}: never");
            assert!(
                !admits(&(now + (BigInt::from(1) << FOREVER_BITS))),
                "{what}: never"
            );
        }
        Retry::After(wait) => {
            let at = now + BigInt::from(wait);
            assert!(admits(&at), "{what}: not admitted after {wait} ns");
            let before = &at - 1;
            assert!(
                wait == 0 || !admits(&before),
                "{what}: admitted before {wait} ns"
            );
            for moment in model.moments(now, &at) {
                assert!(!admits(&moment), "{what}: admitted at {moment} already");
            }
        }
    }
}

fn check_decision(decision: Decision, verdict: &Verdict, what: &str) {
    let expected = match verdict {
        Verdict::Deny => Decision::Deny,
        Verdict::Admit(None) => Decision::Delay(Nanos::FOREVER),
        Verdict::Admit(Some(delay)) => match u64::try_from(delay.clone()) {
            Ok(0) => Decision::Allow,
            Ok(nanos) => Decision::Delay(Nanos::new(nanos)),
            Err(_) => Decision::Delay(Nanos::FOREVER),
        },
    };
    assert_eq!(decision, expected, "{what}");
}

/// One random setup with one key and `count` requests, at both integer widths.
fn run(seed: u64, count: usize) -> usize {
    let mut draw = Draw::new(seed);
    let setup = Setup::draw(&mut draw);
    let requests = setup.requests(&mut draw, count);
    let horizon = requests.iter().map(|(now, _)| *now).max().unwrap_or(0);
    let lanes = [Nanos::new(horizon), Nanos::FOREVER].map(|horizon| {
        let contract = Contract {
            limit: Limit {
                units: setup.units,
                window: Nanos::new(setup.window),
            },
            epoch: Epoch::from_unix_nanos(setup.epoch),
            lead: Nanos::ZERO,
            horizon,
        };
        candidate(setup.kind(), &setup.parameters(), &contract)
    });
    for (lane, width) in lanes.iter().zip(["narrow", "wide"]) {
        let mut stepper = lane.stepper();
        let mut model = setup.model();
        for (index, &(now, cost)) in requests.iter().enumerate() {
            let what = format!("seed {seed}, {width}, request {index}: {cost} at {now}, {setup:?}");
            let said = outcome(&mut *stepper, SimTime::from_nanos(now), cost);
            let now = BigInt::from(now);
            let verdict = model.decide(&now, &BigInt::from(cost));
            check_decision(said.decision, &verdict, &what);
            check_remaining(&*model, &now, said.remaining, &what);
            check_retry(&*model, &now, cost, said.retry, &what);
        }
    }
    lanes.len() * requests.len()
}

#[test]
fn fast_and_slow_agree_on_random_requests() {
    let threads: Vec<_> = (0..2)
        .map(|thread| {
            std::thread::spawn(move || -> usize {
                (0..SETUPS).map(|setup| run(setup * 2 + thread, 50)).sum()
            })
        })
        .collect();
    let total: usize = threads
        .into_iter()
        .map(|thread| thread.join().expect("the two agree"))
        .sum();
    assert!(total >= 200_000, "only {total} requests");
}

/// Setups per thread.
const SETUPS: u64 = 1_200;
