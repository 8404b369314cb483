//! What a limiter tells of the time to come: when more than what remains could be admitted, and when all
//! that it can hold.

use super::stream::{Stream, Subject, stream};
use proptest::prelude::*;
use ratesim::units::{Nanos, Retry, SimTime};

/// The instant at which a wait that begins now is over, where the laws look so far.
fn over(now: SimTime, wait: Retry, end: SimTime) -> Option<SimTime> {
    let Retry::After(wait) = wait else {
        return None;
    };
    let at = now.saturating_add(Nanos::from_wide(wait));
    (at <= end).then_some(at)
}

fn before(at: SimTime) -> SimTime {
    at.saturating_sub(Nanos::new(1))
}

/// Looks at every subject after every request from the first on that may pass: that one begins a bucket
/// which is not full at first.
fn after_each(stream: &Stream, mut law: impl FnMut(&Subject, SimTime)) {
    for mut subject in stream.subjects() {
        let mut has_begun = false;
        for &(now, cost) in &stream.requests {
            subject.stepper.decide(now, cost);
            has_begun |= (1..=subject.stepper.level_bound()).contains(&cost);
            if has_begun {
                law(&subject, now);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_more_than_what_remains_could_be_admitted_until_more_is_said_to_come(stream in stream()) {
        let end = SimTime::from_nanos(stream.horizon());
        after_each(&stream, |subject, now| {
            let stepper = &subject.stepper;
            let remaining = stepper.remaining(now);
            match over(now, stepper.retry_after(now, remaining + 1), end) {
                None => assert!(stepper.remaining(end) <= remaining, "{}", subject.name()),
                Some(at) => {
                    assert!(stepper.remaining(before(at)) <= remaining, "{}", subject.name());
                    assert!(stepper.remaining(at) > remaining, "{}", subject.name());
                }
            }
        });
    }

    #[test]
    fn all_is_back_when_the_state_is_like_a_fresh_one(stream in stream()) {
        let end = SimTime::from_nanos(stream.horizon());
        after_each(&stream, |subject, now| {
            let stepper = &subject.stepper;
            let most = stepper.level_bound();
            let whole = |at| stepper.remaining(at) == most;
            let told = over(now, stepper.retry_after(now, most), end);
            match told {
                None => assert!(!whole(end), "{}", subject.name()),
                Some(at) => {
                    assert!(whole(at), "{}", subject.name());
                    assert!(at == now || !whole(before(at)), "{}", subject.name());
                }
            }
            // A bucket that begins otherwise than full, or counts its steps, is full and not fresh; and
            // who waits for the next tick with little patience finds no room in an empty queue.
            let has = |option| subject.options.contains(option);
            let is_apart = has("initial") || has("refill_every") || has("ticks") && has("max_wait");
            if !is_apart {
                let fresh = stepper.fresh_at().map(|at| at.max(now));
                assert_eq!(told, fresh.filter(|at| *at <= end), "{}", subject.name());
            }
        });
    }
}
