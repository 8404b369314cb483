//! One algorithm with one key's state behind a plain interface: for explanations, tables and laws,
//! where a virtual call per request does not matter.

use crate::limiter::{Algorithm, ClosedForm, Decision, Motion};
use crate::units::{Cost, Level, Retry, SimTime};

/// An algorithm and one key's state.
pub trait Stepper: Send {
    /// Decides one request; see [`Algorithm::decide`].
    fn decide(&mut self, now: SimTime, cost: Cost) -> Decision;
    /// See [`Algorithm::charge`].
    fn charge(&mut self, at: SimTime, cost: Cost);
    /// See [`Algorithm::retry_after`].
    fn retry_after(&self, now: SimTime, cost: Cost) -> Retry;
    /// See [`Algorithm::remaining`].
    fn remaining(&self, now: SimTime) -> Cost;
    /// See [`Algorithm::level`].
    fn level(&self, now: SimTime) -> Level;
    /// See [`Algorithm::level_bound`].
    fn level_bound(&self) -> Cost;
    /// See [`Algorithm::motion`].
    fn motion(&self) -> Motion;
    /// See [`Algorithm::next_break`].
    fn next_break(&self, after: SimTime) -> Option<SimTime>;
    /// See [`Algorithm::fresh_at`].
    fn fresh_at(&self) -> Option<SimTime>;
    /// See [`Algorithm::is_fresh`].
    fn is_fresh(&self, now: SimTime) -> bool;
    /// See [`Algorithm::closed_form`].
    fn closed_form(&self) -> Option<ClosedForm>;
    /// See [`Algorithm::state_bytes`].
    fn state_bytes(&self) -> usize;
    /// A copy that goes its own way from here.
    fn fork(&self) -> Box<dyn Stepper>;
    /// The state as text, for comparing two of the same algorithm.
    fn snapshot(&self) -> String;
}

/// A stepper over a concrete algorithm.
pub(super) struct Steps<A: Algorithm> {
    pub(super) algorithm: A,
    pub(super) state: A::State,
}

impl<A: Algorithm> Stepper for Steps<A> {
    fn decide(&mut self, now: SimTime, cost: Cost) -> Decision {
        self.algorithm.decide(&mut self.state, now, cost)
    }
    fn charge(&mut self, at: SimTime, cost: Cost) {
        self.algorithm.charge(&mut self.state, at, cost);
    }
    fn retry_after(&self, now: SimTime, cost: Cost) -> Retry {
        self.algorithm.retry_after(&self.state, now, cost)
    }
    fn remaining(&self, now: SimTime) -> Cost {
        self.algorithm.remaining(&self.state, now)
    }
    fn level(&self, now: SimTime) -> Level {
        self.algorithm.level(&self.state, now)
    }
    fn level_bound(&self) -> Cost {
        self.algorithm.level_bound()
    }
    fn motion(&self) -> Motion {
        self.algorithm.motion()
    }
    fn next_break(&self, after: SimTime) -> Option<SimTime> {
        self.algorithm.next_break(&self.state, after)
    }
    fn fresh_at(&self) -> Option<SimTime> {
        self.algorithm.fresh_at(&self.state)
    }
    fn is_fresh(&self, now: SimTime) -> bool {
        self.algorithm.is_fresh(&self.state, now)
    }
    fn closed_form(&self) -> Option<ClosedForm> {
        self.algorithm.closed_form()
    }
    fn state_bytes(&self) -> usize {
        self.algorithm.state_bytes(&self.state)
    }
    fn fork(&self) -> Box<dyn Stepper> {
        Box::new(Self {
            algorithm: self.algorithm.clone(),
            state: self.state.clone(),
        })
    }
    fn snapshot(&self) -> String {
        format!("{:?}", self.state)
    }
}
