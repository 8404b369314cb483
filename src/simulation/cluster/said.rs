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
    /// What most answers go without, so that they are small.
    pub(super) aside: Option<Box<Aside>>,
}

/// What goes with an answer where somebody asks for it.
#[derive(Default)]
pub(super) struct Aside {
    /// When the same request would be admitted, where it is denied and clients listen.
    pub(super) retry: Option<Retry>,
    /// What is kept of it, where answers are kept.
    pub(super) record: Option<Record>,
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
            aside: None,
        }
    }

    /// See [`Aside::retry`].
    pub(super) fn retry(&self) -> Option<Retry> {
        self.aside.as_ref()?.retry
    }

    /// The level that is kept of it, where answers are kept.
    pub(super) fn level(&self) -> Option<Level> {
        self.aside.as_ref()?.record.as_ref()?.level
    }

    /// See [`Aside::parts`].
    pub(super) fn parts(&self) -> Option<&[Part]> {
        self.aside.as_ref()?.parts.as_deref()
    }

    /// Corrects what was worked out by a clock that has stopped for its key, which begins anew only when
    /// it expires: that is this long from now.
    pub(super) fn await_expiry(&mut self, expiry: Retry) {
        let Some(aside) = &mut self.aside else {
            return;
        };
        if let Some(record) = &mut aside.record {
            record.await_expiry(expiry);
        }
        if matches!(aside.retry, Some(Retry::After(1..))) {
            aside.retry = Some(expiry);
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
        let aside = || Aside {
            retry: is_told.then(retry),
            record: self.records.then(record),
            parts: None,
        };
        Said {
            decision,
            estimate: estimate.unwrap_or(f64::NAN),
            is_too_large: decision == Decision::Deny && cost > algorithm.level_bound(),
            aside: (is_told || self.records).then(|| Box::new(aside())),
        }
    }
}
