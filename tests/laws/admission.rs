//! What is decided: retry_after, remaining, costs of nothing and of too much, denied requests, clocks
//! that go back.

use super::stream::{Stream, stream};
use crate::setup::outcome;
use proptest::prelude::*;
use ratesim::limiter::Decision;
use ratesim::simulation::Stepper;
use ratesim::units::{Cost, Epoch, Limit, Nanos, Retry, SimTime};

/// What a fork of the key would say.
fn asked(stepper: &dyn Stepper, now: SimTime, cost: Cost) -> Decision {
    stepper.fork().decide(now, cost)
}

/// Denied until `retry`, admitted from it on; `horizon` is the last time to look at.
fn check_retry(stepper: &dyn Stepper, now: SimTime, cost: Cost, horizon: u64, name: &str) {
    let end = SimTime::from_nanos(horizon);
    match stepper.retry_after(now, cost) {
        Retry::Never => assert_eq!(asked(stepper, end, cost), Decision::Deny, "{name}: never"),
        Retry::After(wait) => {
            assert!(wait > 0, "{name}: denied, yet told to retry at once");
            let at = now.saturating_add(Nanos::from_wide(wait));
            if at > end {
                assert_eq!(asked(stepper, end, cost), Decision::Deny, "{name}");
                return;
            }
            let before = at.saturating_sub(Nanos::new(1));
            assert_eq!(
                asked(stepper, before, cost),
                Decision::Deny,
                "{name} before {at}"
            );
            assert!(asked(stepper, at, cost).is_admitted(), "{name} at {at}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn retry_after_is_exact_to_the_nanosecond(stream in stream()) {
        stream.play(|subject, now, cost| {
            let mut after = subject.stepper.fork();
            if after.decide(now, cost) == Decision::Deny {
                check_retry(&*after, now, cost, stream.horizon(), &subject.name());
            }
        });
    }

    #[test]
    fn a_cost_above_what_can_be_held_is_denied_for_ever_and_changes_nothing(stream in stream()) {
        stream.play(|subject, now, _| {
            let mut after = subject.stepper.fork();
            for cost in [after.level_bound() + 1, u64::MAX] {
                assert_eq!(after.decide(now, cost), Decision::Deny);
                assert_eq!(after.retry_after(now, cost), Retry::Never);
            }
            assert_eq!(after.snapshot(), subject.stepper.snapshot(), "{}", subject.name());
        });
    }

    #[test]
    fn a_cost_of_0_is_allowed_and_changes_nothing(stream in stream()) {
        stream.play(|subject, now, _| {
            let mut after = subject.stepper.fork();
            assert_eq!(after.decide(now, 0), Decision::Allow);
            after.charge(now, 0);
            assert_eq!(after.snapshot(), subject.stepper.snapshot(), "{}", subject.name());
        });
    }

    #[test]
    fn remaining_is_the_largest_cost_that_would_be_admitted(stream in stream()) {
        stream.play(|subject, now, _| {
            let remaining = subject.stepper.remaining(now);
            assert!(asked(&*subject.stepper, now, remaining).is_admitted(), "{}", subject.name());
            assert_eq!(asked(&*subject.stepper, now, remaining + 1), Decision::Deny, "{}", subject.name());
        });
    }

    #[test]
    fn a_denied_request_changes_no_later_decision(stream in stream()) {
        for mut subject in stream.subjects().into_iter().filter(|subject| !subject.remembers_denied()) {
            let mut spared = subject.stepper.fork();
            let mut begun = false;
            for &(now, cost) in &stream.requests {
                let decision = subject.stepper.decide(now, cost);
                // A key's first request begins it, even a denied one: a bucket refills from there.
                if decision != Decision::Deny || !begun {
                    prop_assert_eq!(spared.decide(now, cost), decision, "{}", subject.name());
                }
                begun |= (1..=spared.level_bound()).contains(&cost);
            }
        }
    }

    #[test]
    fn a_clock_that_goes_back_is_no_time_passing(stream in stream(), back in 1..1_000_000_000_000u64) {
        stream.play(|subject, now, cost| {
            let mut stepper = subject.stepper.fork();
            stepper.decide(now, 1);
            let earlier = now.saturating_sub(Nanos::new(back));
            let (then, still) = (asked(&*stepper, earlier, cost), asked(&*stepper, now, cost));
            // A theoretical arrival time alone does not tell when it was set: it may deny more, but
            // it mints nothing.
            if subject.kind == "gcra" {
                assert!(still.is_admitted() || then == Decision::Deny, "{}", subject.name());
            } else {
                assert_eq!(then, still, "{}", subject.name());
                assert_eq!(stepper.remaining(earlier), stepper.remaining(now), "{}", subject.name());
            }
            let mut denied = stepper.fork();
            if denied.decide(earlier, cost) == Decision::Deny {
                check_retry(&*denied, earlier, cost, stream.horizon(), &subject.name());
            }
        });
    }

    #[test]
    fn both_integer_widths_say_the_same(stream in stream()) {
        let mut subjects = stream.subjects().into_iter();
        while let (Some(mut narrow), Some(mut wide)) = (subjects.next(), subjects.next()) {
            for &(now, cost) in &stream.requests {
                let said = outcome(&mut *narrow.stepper, now, cost);
                prop_assert_eq!(said, outcome(&mut *wide.stepper, now, cost), "{}", narrow.name());
                prop_assert_eq!(narrow.stepper.snapshot(), wide.stepper.snapshot());
            }
        }
    }
}

fn flood(units: u64) -> Stream {
    Stream {
        limit: Limit {
            units,
            window: Nanos::from_secs(1),
        },
        epoch: Epoch::default(),
        requests: (0..100)
            .map(|i| (SimTime::from_nanos(i * 100_000_000), 1))
            .collect(),
    }
}

#[test]
fn a_limit_of_0_denies_everything_for_ever() {
    flood(0).play(|subject, now, _| {
        // Options that state a size of their own do not follow the limit.
        if subject.options.contains("capacity") || subject.options.contains("burst") {
            return;
        }
        for cost in [1, 2, u64::MAX] {
            assert_eq!(
                asked(&*subject.stepper, now, cost),
                Decision::Deny,
                "{}",
                subject.name()
            );
            assert_eq!(subject.stepper.retry_after(now, cost), Retry::Never);
        }
    });
}

#[test]
fn a_rate_of_0_spends_the_initial_fill_and_then_denies_for_ever() {
    for mut subject in flood(4).subjects() {
        let fill = match (subject.kind, subject.options) {
            ("token_bucket", "capacity=3 initial=2 refill=0/1s") => 2,
            ("leaky_bucket", "capacity=5 outflow=0/1s") | ("gcra", "burst=5 rate=0/1s") => 5,
            // Whoever must wait for a tick that never comes would wait too long.
            ("leaky_bucket", "capacity=5 outflow=0/1s max_wait=1s drain=ticks") => 0,
            _ => continue,
        };
        let requests = flood(4).requests;
        let admitted = requests
            .iter()
            .filter(|(now, cost)| subject.stepper.decide(*now, *cost).is_admitted());
        assert_eq!(admitted.count(), fill, "{}", subject.name());
        let end = requests.last().unwrap().0;
        assert_eq!(subject.stepper.retry_after(end, 1), Retry::Never);
    }
}

/// Limits of 0 to 10^12, windows of 1 ns to a year, times of 1970 to 2500, any cost.
#[test]
fn extremes_overflow_nothing() {
    let year_2500 = 16_725_225_600_000_000_000;
    for units in [0, 1, 1_000_000_000_000] {
        for window in [1, 31_536_000_000_000_000, 31_622_400_000_000_000] {
            for epoch in [0, year_2500 - 1_000_000_000_000_000_000] {
                let end = year_2500 - epoch;
                let stream = Stream {
                    limit: Limit {
                        units,
                        window: Nanos::new(window),
                    },
                    epoch: Epoch::from_unix_nanos(epoch),
                    requests: [0, 0, 1, end / 2, end / 2, end - 1, end]
                        .iter()
                        .flat_map(|at| {
                            [0, 1, units, units, units + 1, u64::MAX]
                                .map(|cost| (SimTime::from_nanos(*at), cost))
                        })
                        .collect(),
                };
                stream.play(|subject, now, cost| {
                    let mut stepper = subject.stepper.fork();
                    let said = outcome(&mut *stepper, now, cost);
                    assert!(said.remaining <= stepper.level_bound());
                    stepper.charge(now, cost);
                    stepper.charge(now, u64::MAX);
                    assert_eq!(stepper.remaining(now), 0, "{}", subject.name());
                    let _ = stepper.retry_after(now, units);
                    assert!(stepper.level(now).per_unit > 0);
                    let _ = (stepper.next_break(now), stepper.fresh_at());
                    assert!(stepper.state_bytes() > 0);
                });
            }
        }
    }
}
