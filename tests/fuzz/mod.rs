//! Damaged input: whatever stands in a scenario, a rules file or a trace, it is read or refused with exit status 2,
//! and nothing panics.
//!
//! Each target works for `RATESIM_FUZZ_SECONDS` seconds, two unless said otherwise; a failing input is
//! made small and shown.

mod damage;
mod rules;
mod scenarios;
mod traces;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Draws inputs and checks them until the time is up.
fn hunt<S: Strategy>(inputs: &S, check: impl Fn(S::Value))
where
    S::Value: Debug,
{
    let seconds = std::env::var("RATESIM_FUZZ_SECONDS");
    let seconds = seconds.map_or(2, |text| text.parse().expect("whole seconds"));
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut tried = 0;
    while Instant::now() < end {
        let config = Config {
            cases: 32,
            failure_persistence: None,
            ..Config::default()
        };
        let outcome = TestRunner::new(config).run(inputs, |input| {
            check(input);
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{failure}"));
        tried += 32;
    }
    println!("{tried} inputs");
    assert!(tried > 0);
}
