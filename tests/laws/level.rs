//! Levels between requests: exact break points and the shape between them.

use super::stream::{Subject, stream};
use num_bigint::BigInt;
use proptest::prelude::*;
use ratesim::limiter::Motion;
use ratesim::units::SimTime;

/// The level's numerator; the denominator is the same at all times.
fn parts(subject: &Subject, nanos: u64) -> BigInt {
    let level = subject.stepper.level(SimTime::from_nanos(nanos));
    BigInt::from(level.parts)
}

/// The untouched level from `from` to `to`, between which nothing breaks.
fn check_between(subject: &Subject, from: u64, to: u64) {
    let samples = [from + (to - from) / 3, from + (to - from) / 2, to];
    for nanos in samples {
        let (start, here, end) = (
            parts(subject, from),
            parts(subject, nanos),
            parts(subject, to),
        );
        let name = subject.name();
        match subject.stepper.motion() {
            Motion::Steps => assert_eq!(start, here, "{name} from {from} to {nanos}"),
            Motion::Slopes => assert_eq!(
                (here - &start) * (to - from),
                (end - &start) * (nanos - from),
                "{name} from {from} through {nanos} to {to}"
            ),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn levels_are_constant_or_straight_between_breaks(stream in stream()) {
        stream.play(|subject, now, _| {
            let mut from = now.as_nanos();
            for _ in 0..6 {
                let next = subject.stepper.next_break(SimTime::from_nanos(from));
                let next = next.map_or(u64::MAX, SimTime::as_nanos);
                assert!(next > from, "{}: a break at {next}, not after {from}", subject.name());
                if next > stream.horizon() {
                    check_between(subject, from, stream.horizon().max(from));
                    return;
                }
                check_between(subject, from, next - 1);
                if subject.stepper.motion() == Motion::Steps {
                    assert_ne!(parts(subject, next), parts(subject, next - 1), "{}", subject.name());
                }
                from = next;
            }
        });
    }

    #[test]
    fn levels_share_one_denominator_and_stay_within_their_bound(stream in stream()) {
        for mut subject in stream.subjects() {
            let per_unit = subject.stepper.level(SimTime::ZERO).per_unit;
            for &(now, cost) in &stream.requests {
                subject.stepper.decide(now, cost);
                let level = subject.stepper.level(now);
                prop_assert_eq!(level.per_unit, per_unit);
                if !subject.remembers_denied() {
                    let bound = BigInt::from(subject.stepper.level_bound()) * per_unit;
                    prop_assert!(BigInt::from(level.parts) <= bound, "{}", subject.name());
                }
            }
        }
    }
}
