//! When a key may be forgotten, and what it takes until then.

use super::stream::{Stream, Subject, stream};
use crate::setup::outcome;
use proptest::prelude::*;
use ratesim::simulation::Stepper;
use ratesim::units::SimTime;

/// The fresh key and the kept one say the same from `from` on, whatever comes.
fn check_same(kept: &dyn Stepper, fresh: &dyn Stepper, from: SimTime, stream: &Stream, name: &str) {
    let (mut kept, mut fresh) = (kept.fork(), fresh.fork());
    let first = stream.requests[0].0;
    for &(at, cost) in &stream.requests {
        let now = from.saturating_add(at - first);
        if now.as_nanos() > stream.horizon() {
            return;
        }
        let (kept, fresh) = (
            outcome(&mut *kept, now, cost),
            outcome(&mut *fresh, now, cost),
        );
        assert_eq!(
            kept, fresh,
            "{name}: cost {cost} at {now}, forgotten at {from}"
        );
    }
}

/// Whether forgetting at `at` shows in what remains.
fn tells(subject: &Subject, fresh: &dyn Stepper, at: SimTime) -> bool {
    subject.stepper.remaining(at) != fresh.remaining(at)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn forgetting_a_fresh_key_changes_no_later_decision(stream in stream()) {
        let fresh = stream.subjects();
        let mut fresh = fresh.iter();
        for mut subject in stream.subjects() {
            let fresh = &*fresh.next().unwrap().stepper;
            prop_assert_eq!(fresh.fresh_at(), Some(SimTime::ZERO));
            for &(now, cost) in &stream.requests {
                subject.stepper.decide(now, cost);
                let fresh_at = subject.stepper.fresh_at();
                let instants = fresh_at.into_iter().flat_map(|at| [at, SimTime::from_nanos(at.as_nanos().saturating_sub(1))]);
                for at in instants.chain([now]).filter(|at| *at >= now && at.as_nanos() <= stream.horizon()) {
                    let expected = fresh_at.is_some_and(|fresh_at| fresh_at <= at);
                    prop_assert_eq!(subject.stepper.is_fresh(at), expected, "{} at {}", subject.name(), at);
                }
                let Some(at) = fresh_at else { continue };
                if at.as_nanos() > stream.horizon() {
                    continue;
                }
                check_same(&*subject.stepper, fresh, at.max(now), &stream, &subject.name());
                // A wait for the next tick may leave nothing for either.
                let hidden = subject.options.contains("max_wait") && subject.options.contains("ticks");
                if at > now && !hidden {
                    let before = SimTime::from_nanos(at.as_nanos() - 1);
                    prop_assert!(tells(&subject, fresh, before), "{} is fresh before {}", subject.name(), at);
                }
            }
        }
    }

    #[test]
    fn only_a_log_grows_with_its_requests(stream in stream()) {
        for mut subject in stream.subjects() {
            let empty = subject.stepper.state_bytes();
            for &(now, cost) in &stream.requests {
                subject.stepper.decide(now, cost);
                let bytes = subject.stepper.state_bytes();
                if subject.kind == "sliding_window_log" {
                    let entries = u64::try_from(bytes - empty).unwrap() / 8;
                    prop_assert!(u128::from(entries) <= 2 * stream.requests.len() as u128 + 6);
                } else {
                    prop_assert_eq!(bytes, empty, "{}", subject.name());
                }
            }
        }
    }
}
