//! What a limiter says to one request.

use super::judge::{Ask, Slot};
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Clocked, Record};
use crate::units::{Cost, Level, Retry};

/// What a limiter said to one request.
pub(super) struct Said {
    pub(super) decision: Decision,
    /// What it took the count to be before; not a number where it does not estimate.
    pub(super) estimate: f64,
    /// Whether it was denied because it costs more than can ever be held.
    pub(super) is_too_large: bool,
    /// When the same request would be admitted, where it is denied and clients listen.
    pub(super) retry: Option<Retry>,
    /// What is kept of it, where answers are kept; few are, so it is kept aside.
    pub(super) record: Option<Box<Record>>,
    /// What each limiter said, where there are rules.
    pub(super) parts: Option<Box<[Part]>>,
}

/// What one of several limiters said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) slot: Slot,
    pub(super) cost: Cost,
    pub(super) decision: Decision,
    /// See [`Said::estimate`].
    pub(super) estimate: f64,
}

impl Part {
    /// A limiter that would let pass what it is asked for.
    pub(super) const fn passed(ask: Ask) -> Self {
        Self {
            slot: ask.slot,
            cost: ask.cost,
            decision: Decision::Allow,
            estimate: f64::NAN,
        }
    }
}

impl Said {
    /// A decision without a limiter.
    pub(super) const fn alone(decision: Decision) -> Self {
        Self {
            decision,
            estimate: f64::NAN,
            is_too_large: false,
            retry: None,
            record: None,
            parts: None,
        }
    }
}

impl Said {
    /// Corrects what was worked out by a clock that has stopped for its key, which begins anew only when
    /// it expires: that is this long from now.
    pub(super) fn await_expiry(&mut self, expiry: Retry) {
        if let Some(record) = &mut self.record {
            record.await_expiry(expiry);
        }
        if matches!(self.retry, Some(Retry::After(1..))) {
            self.retry = Some(expiry);
        }
    }
}

/// What is wanted of each decision.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    pub(super) estimates: bool,
    pub(super) records: bool,
    /// Whether clients listen to when they are told to come again.
    pub(super) retries: bool,
}

impl Manner {
    pub(super) fn ask<A: Algorithm>(
        self,
        algorithm: &A,
        state: &mut A::State,
        now: Clocked,
        cost: Cost,
    ) -> Said {
        let estimate = match self.estimates {
            true => algorithm.estimate(state, now.reading).map(Level::ratio),
            false => None,
        };
        let decision = algorithm.decide(state, now.reading, cost);
        let is_told = self.retries && decision == Decision::Deny;
        let retry = || algorithm.retry_after(state, now.reading, cost);
        let record = || Record::of(algorithm, state, now, cost, decision);
        Said {
            decision,
            estimate: estimate.unwrap_or(f64::NAN),
            is_too_large: decision == Decision::Deny && cost > algorithm.level_bound(),
            retry: is_told.then(retry),
            record: self.records.then(|| Box::new(record())),
            parts: None,
        }
    }
}
