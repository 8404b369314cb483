//! Clients that are refused: whether they try again, and when.
//!
//! A policy is a pure function of what a client knows. Its waits are whole nanoseconds, rounded down
//! where a factor or a half does not divide.

#[cfg(test)]
mod tests;

use crate::units::{Factor, NANOS_PER_SECOND, Nanos, Retry, SimTime, whole_seconds};
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
                Nanos::from_wide(whole_seconds(nanos).saturating_mul(second))
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
