//! Waits, from hand calculations.

use super::*;
use rand::SeedableRng;
use std::collections::BTreeSet;

const fn refused(attempt: u32, told: Option<Retry>) -> Refusal {
    Refusal {
        at: SimTime::from_nanos(1_000),
        attempt,
        first: SimTime::from_nanos(400),
        waited: Nanos::ZERO,
        told,
    }
}

const fn client(retrying: Retrying) -> Client {
    Client {
        retrying,
        max_attempts: 10,
        give_up: None,
    }
}

const fn exponential(factor: Factor, jitter: Jitter) -> Client {
    client(Retrying::Exponential(Backoff {
        base: Nanos::new(4),
        cap: Nanos::new(20),
        factor,
        jitter,
    }))
}

/// What can be waited after an attempt, in nanoseconds: each of a few lengths, hundreds of times.
fn waits(client: &Client, refusal: Refusal) -> BTreeSet<u64> {
    let mut random = Pcg64::seed_from_u64(1);
    let mut wait = || {
        client
            .next(&refusal, &mut random)
            .map(|next| next.wait.get())
    };
    (0..2_000).filter_map(|_| wait()).collect()
}

#[test]
fn waits_grow_by_the_factor_up_to_the_cap() {
    let grown = |factor: &str| {
        let client = exponential(factor.parse().unwrap(), Jitter::None);
        let after = |attempt| waits(&client, refused(attempt, None));
        (1..=5).flat_map(after).collect::<Vec<_>>()
    };
    assert_eq!(grown("2"), [4, 8, 16, 20, 20]);
    // 6.0, 9.0, 13.5, 19.5 with the halves cut off.
    assert_eq!(grown("1.5"), [4, 6, 9, 13, 19]);
    assert_eq!(grown("1"), [4, 4, 4, 4, 4]);
}

#[test]
fn jitter_reaches_every_length_of_its_range_and_no_other() {
    let of = |jitter, attempt, waited| {
        let refusal = Refusal {
            waited: Nanos::new(waited),
            ..refused(attempt, None)
        };
        waits(&exponential(Factor::whole(2), jitter), refusal)
    };
    assert_eq!(of(Jitter::Full, 2, 3), (0..=8).collect());
    assert_eq!(of(Jitter::Equal, 3, 3), (8..=16).collect());
    assert_eq!(of(Jitter::Decorrelated, 1, 0), (4..=12).collect());
    assert_eq!(of(Jitter::Decorrelated, 2, 5), (4..=15).collect());
    assert_eq!(of(Jitter::Decorrelated, 5, 9), (4..=20).collect());
}

#[test]
fn a_header_is_read_in_whole_seconds_rounded_up() {
    let told = |precision, nanos| {
        let retrying = Retrying::RetryAfter {
            precision,
            spread: Nanos::ZERO,
            otherwise: Nanos::new(7),
        };
        let mut random = Pcg64::seed_from_u64(1);
        let refusal = refused(1, Some(Retry::After(nanos)));
        client(retrying).next(&refusal, &mut random).unwrap()
    };
    for (nanos, seconds) in [
        (1, 1),
        (1_000_000_000, 1),
        (1_000_000_001, 2),
        (1_500_000_000, 2),
    ] {
        let next = told(Precision::Seconds, nanos);
        assert_eq!(
            (next.wait, next.is_as_told),
            (Nanos::from_secs(seconds), true)
        );
        assert_eq!(u128::from(told(Precision::Exact, nanos).wait.get()), nanos);
    }
    assert_eq!(told(Precision::Seconds, u128::MAX).wait, Nanos::FOREVER);
}

#[test]
fn spread_is_added_and_what_no_answer_says_is_the_clients_own() {
    let listens = client(Retrying::RetryAfter {
        precision: Precision::Exact,
        spread: Nanos::new(2),
        otherwise: Nanos::new(50),
    });
    assert_eq!(
        waits(&listens, refused(1, Some(Retry::After(9)))),
        (9..=11).collect()
    );
    assert_eq!(waits(&listens, refused(1, None)), (50..=52).collect());
    let fixed = client(Retrying::Fixed {
        wait: Nanos::new(5),
        spread: Nanos::new(1),
    });
    assert_eq!(waits(&fixed, refused(1, None)), [5, 6].into());
    let mut random = Pcg64::seed_from_u64(1);
    let next = listens.next(&refused(1, Some(Retry::After(9))), &mut random);
    assert!(!next.unwrap().is_as_told, "not just when it was told to");
}

#[test]
fn clients_give_up_for_good_reason_only() {
    let immediate = client(Retrying::Immediate);
    assert_eq!(waits(&immediate, refused(9, None)), [0].into());
    assert!(
        waits(&immediate, refused(10, None)).is_empty(),
        "attempts in all"
    );
    assert!(waits(&Client::ONCE, refused(1, None)).is_empty());
    let listens = client(Retrying::RetryAfter {
        precision: Precision::Exact,
        spread: Nanos::ZERO,
        otherwise: Nanos::ZERO,
    });
    assert!(waits(&listens, refused(1, Some(Retry::Never))).is_empty());
    // Refused 600 ns after the first attempt.
    for (give_up, comes) in [(604, true), (603, false)] {
        let client = Client {
            give_up: Some(Nanos::new(give_up)),
            ..exponential(Factor::whole(2), Jitter::None)
        };
        assert_eq!(
            !waits(&client, refused(1, None)).is_empty(),
            comes,
            "{give_up}"
        );
    }
}

#[test]
fn attempts_are_bounded_by_their_number_and_by_the_time_there_is() {
    let fixed = |wait, give_up| Client {
        give_up,
        ..client(Retrying::Fixed {
            wait: Nanos::from_secs(wait),
            spread: Nanos::ZERO,
        })
    };
    let minute = Nanos::from_secs(60);
    assert_eq!(fixed(1, None).most_attempts(minute), 10);
    assert_eq!(fixed(25, None).most_attempts(minute), 3);
    assert_eq!(
        fixed(25, Some(Nanos::from_secs(30))).most_attempts(minute),
        2
    );
    assert_eq!(client(Retrying::Immediate).most_attempts(minute), 10);
    assert_eq!(Client::ONCE.most_attempts(minute), 1);
}
