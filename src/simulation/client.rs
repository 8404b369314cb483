//! Clients that are refused: whether they try again, and when.
//!
//! A policy is a pure function of what a client knows. Its waits are whole nanoseconds, rounded down
//! where a factor or a half does not divide.

use crate::units::{Factor, NANOS_PER_SECOND, Nanos, Retry, SimTime};
use rand::RngExt;
use rand_pcg::Pcg64;

/// How a client behaves that is refused, with status 429 and 503 alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// How it waits.
    pub retrying: Retrying,
    /// Attempts in all, the first included; at least 1.
    pub max_attempts: u32,
    /// No attempt is made later than this after the first.
    pub give_up: Option<Nanos>,
}

/// How long a client waits from one answer to its next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retrying {
    /// It does not try again.
    None,
    /// Not at all.
    Immediate,
    /// Always as long.
    Fixed {
        /// How long.
        wait: Nanos,
        /// As much as this is added, any length alike.
        spread: Nanos,
    },
    /// Longer from retry to retry.
    Exponential(Backoff),
    /// As long as the answer says.
    RetryAfter {
        /// Whether it reads the answer in whole seconds.
        precision: Precision,
        /// As much as this is added, any length alike.
        spread: Nanos,
        /// How long where the answer does not say.
        otherwise: Nanos,
    },
}

/// A wait that grows: w = min(cap, base · factor^k) before retry k, from 0 on.
///
/// Source of the jitters: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first wait.
    pub base: Nanos,
    /// The longest wait.
    pub cap: Nanos,
    /// What a wait is multiplied by to give the next.
    pub factor: Factor,
    /// What chance makes of it.
    pub jitter: Jitter,
}

/// What chance makes of a wait w.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// w.
    None,
    /// Any length from 0 to w.
    Full,
    /// Any length from w/2 to w.
    Equal,
    /// Any length from base to three times the wait before, and at most cap.
    Decorrelated,
}

/// How exactly a client reads when to come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// In whole seconds, rounded up, as the header Retry-After has them.
    Seconds,
    /// To the nanosecond.
    Exact,
}

/// What a client knows when it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// When it was told.
    pub at: SimTime,
    /// Which attempt it was, from 1 on.
    pub attempt: u32,
    /// When the first attempt was made.
    pub first: SimTime,
    /// How long it waited before this attempt; 0 before the first.
    pub waited: Nanos,
    /// What the answer says of when to come again.
    pub told: Option<Retry>,
}

/// The next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    /// When it is made.
    pub at: SimTime,
    /// How long it was waited for.
    pub wait: Nanos,
    /// Whether it comes just when the answer told it to.
    pub is_as_told: bool,
}

impl Client {
    /// One that asks once.
    pub const ONCE: Self = Self {
        retrying: Retrying::None,
        max_attempts: 1,
        give_up: None,
    };

    /// Whether it ever tries again.
    pub fn retries(&self) -> bool {
        self.retrying != Retrying::None
    }

    /// Whether it listens to when it is told to come again.
    pub const fn listens(&self) -> bool {
        matches!(self.retrying, Retrying::RetryAfter { .. })
    }

    /// What no wait is shorter than.
    pub fn shortest_wait(&self) -> Nanos {
        match self.retrying {
            Retrying::None | Retrying::Immediate => Nanos::ZERO,
            Retrying::Fixed { wait, .. } => wait,
            Retrying::RetryAfter {
                precision: Precision::Seconds,
                otherwise,
                ..
            } => otherwise.min(Nanos::from_secs(1)),
            Retrying::RetryAfter { .. } => Nanos::ZERO,
            Retrying::Exponential(backoff) => match backoff.jitter {
                Jitter::None | Jitter::Decorrelated => backoff.base,
                Jitter::Equal => Nanos::new(backoff.base.get() / 2),
                Jitter::Full => Nanos::ZERO,
            },
        }
    }

    /// The most attempts at one request in a run of this length.
    pub fn most_attempts(&self, length: Nanos) -> u64 {
        if !self.retries() {
            return 1;
        }
        let shortest = self.shortest_wait();
        let patience = self.give_up.map_or(length, |give_up| give_up.min(length));
        let by_time = patience.get().checked_div(shortest.get());
        let by_time = by_time.map_or(u64::MAX, |retries| retries.saturating_add(1));
        by_time.min(self.max_attempts.into())
    }

    /// The next attempt after a refusal; `None` when the client gives up.
    pub fn next(&self, refusal: &Refusal, random: &mut Pcg64) -> Option<Again> {
        if refusal.attempt >= self.max_attempts {
            return None;
        }
        let (wait, is_as_told) = self.wait(refusal, random)?;
        let at = refusal.at.saturating_add(wait);
        let is_too_late = |give_up: Nanos| at.since(refusal.first) > give_up;
        (!self.give_up.is_some_and(is_too_late)).then_some(Again {
            at,
            wait,
            is_as_told,
        })
    }

    /// How long it waits, and whether that is just as it was told.
    fn wait(&self, refusal: &Refusal, random: &mut Pcg64) -> Option<(Nanos, bool)> {
        let mut any = |least: u64, most: u64| random.random_range(least..=most);
        let mut longer = |wait: Nanos, spread: Nanos| match spread {
            Nanos::ZERO => wait,
            spread => Nanos::new(wait.get().saturating_add(any(0, spread.get()))),
        };
        match self.retrying {
            Retrying::None => None,
            Retrying::Immediate => Some((Nanos::ZERO, false)),
            Retrying::Fixed { wait, spread } => Some((longer(wait, spread), false)),
            Retrying::Exponential(backoff) => Some((
                backoff.wait(refusal.attempt - 1, refusal.waited, any),
                false,
            )),
            Retrying::RetryAfter {
                precision,
                spread,
                otherwise,
            } => match refusal.told {
                Some(Retry::Never) => None,
                Some(Retry::After(wait)) => {
                    let wait = longer(precision.read(wait), spread);
                    Some((wait, spread == Nanos::ZERO))
                }
                None => Some((longer(otherwise, spread), false)),
            },
        }
    }
}

impl Precision {
    /// What a client takes from an answer that tells it to wait for so many nanoseconds.
    fn read(self, nanos: u128) -> Nanos {
        match self {
            Self::Exact => Nanos::from_wide(nanos),
            Self::Seconds => {
                let second = u128::from(NANOS_PER_SECOND);
                Nanos::from_wide(nanos.div_ceil(second).saturating_mul(second))
            }
        }
    }
}

impl Backoff {
    /// The wait before retry `k`, from 0 on, the one before that having been `before`.
    fn wait(&self, k: u32, before: Nanos, mut any: impl FnMut(u64, u64) -> u64) -> Nanos {
        let drawn = match self.jitter {
            Jitter::None => self.grown(k),
            Jitter::Full => any(0, self.grown(k)),
            Jitter::Equal => {
                let half = self.grown(k) / 2;
                half + any(0, half)
            }
            Jitter::Decorrelated => {
                let base = self.base.get();
                let before = if k == 0 { base } else { before.get() };
                any(base, before.saturating_mul(3).max(base)).min(self.cap.get())
            }
        };
        Nanos::new(drawn)
    }

    /// min(cap, base · factor^k) in nanoseconds, cut to whole ones at each step.
    fn grown(&self, k: u32) -> u64 {
        let mut wait = self.base.min(self.cap);
        for _ in 0..k {
            let next = self.factor.times(wait).min(self.cap);
            if next == wait {
                break;
            }
            wait = next;
        }
        wait.get()
    }
}

/// The clients of a deployment, by traffic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clients {
    /// One per block.
    pub by_block: Vec<Client>,
}

impl Clients {
    /// Whether any tries again.
    pub fn retry(&self) -> bool {
        self.by_block.iter().any(Client::retries)
    }

    /// The most attempts at one request in a run of this length.
    pub fn most_attempts(&self, length: Nanos) -> u64 {
        let each = self
            .by_block
            .iter()
            .map(|client| client.most_attempts(length));
        each.max().unwrap_or(1)
    }

    /// Whether any listens to when it is told to come again.
    pub fn listen(&self) -> bool {
        self.by_block.iter().any(Client::listens)
    }
}

#[cfg(test)]
mod tests {
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
}
