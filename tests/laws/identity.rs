//! Which algorithms are the same, and what charging means.

use super::stream::{Stream, stream};
use crate::setup::candidate;
use proptest::prelude::*;
use ratesim::limiter::Decision;
use ratesim::params::Contract;
use ratesim::units::Nanos;

fn admissions(stream: &Stream, kind: &str, options: &str, horizon: Nanos) -> Vec<bool> {
    let contract = Contract {
        limit: stream.limit,
        epoch: stream.epoch,
        lead: Nanos::ZERO,
        horizon,
    };
    let mut stepper = candidate(kind, options, &contract).stepper();
    let requests = stream.requests.iter();
    requests
        .map(|(now, cost)| stepper.decide(*now, *cost).is_admitted())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn token_bucket_leaky_bucket_and_gcra_admit_the_same(
        stream in stream(),
        size in 0..12u64,
        rate in prop::sample::select(&["0/1s", "1/3s", "3/s", "2/7ns", "7/2ns", "1/30d", "5/366d"][..]),
    ) {
        for horizon in [Nanos::new(stream.horizon()), Nanos::FOREVER] {
            for (size, rate) in [
                (String::new(), String::new()),
                (format!("={size}"), format!("={rate}")),
            ] {
                let with = |first: &str, second: &str, more: &str| match size.as_str() {
                    "" => more.to_owned(),
                    _ => format!("{first}{size} {second}{rate} {more}"),
                };
                let tokens = admissions(&stream, "token_bucket", &with("capacity", "refill", ""), horizon);
                for (kind, options) in [
                    ("leaky_bucket", with("capacity", "outflow", "")),
                    ("leaky_bucket", with("capacity", "outflow", "mode=meter")),
                    ("gcra", with("burst", "rate", "")),
                ] {
                    prop_assert_eq!(&tokens, &admissions(&stream, kind, &options, horizon), "{} {}", kind, options);
                }
            }
        }
    }

    #[test]
    fn a_meter_decides_like_a_queue_without_the_delay(stream in stream()) {
        for drain in ["", "drain=ticks", "max_wait=3ns", "max_wait=3ns drain=ticks"] {
            let horizon = Nanos::new(stream.horizon());
            let queue = admissions(&stream, "leaky_bucket", drain, horizon);
            let meter = admissions(&stream, "leaky_bucket", &format!("{drain} mode=meter"), horizon);
            prop_assert_eq!(queue, meter);
        }
    }

    #[test]
    fn charging_what_would_be_admitted_is_admitting_it(stream in stream()) {
        stream.play(|subject, now, cost| {
            let (mut decided, mut charged) = (subject.stepper.fork(), subject.stepper.fork());
            if decided.decide(now, cost) != Decision::Deny {
                charged.charge(now, cost);
                assert_eq!(decided.snapshot(), charged.snapshot(), "{}", subject.name());
            }
        });
    }

    #[test]
    fn a_charge_never_leaves_more_than_there_was(stream in stream()) {
        stream.play(|subject, now, cost| {
            let mut charged = subject.stepper.fork();
            charged.charge(now, cost);
            let (left, had) = (charged.remaining(now), subject.stepper.remaining(now));
            assert!(left <= had.saturating_sub(cost), "{}: {left} of {had} after {cost}", subject.name());
        });
    }
}
