//! Counts of decisions and sums of cost, over all keys and per key.

use super::Verdict;
use crate::limiter::Decision;
use crate::units::{Cost, Nanos, SimTime};

/// Counts of requests and sums of cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests decided.
    pub requests: u64,
    /// Of these, admitted at once or later.
    pub allowed: u64,
    /// Of these, admitted later.
    pub delayed: u64,
    /// Refused.
    pub denied: u64,
    /// Cost of all requests.
    pub offered_cost: u128,
    /// Cost of the admitted requests.
    pub allowed_cost: u128,
    /// Allowed although that brought the cost forwarded in (f − w, f] above the limit.
    pub false_allow: u64,
    /// Denied although the cost forwarded in (t − w, t] left room for it.
    pub false_deny: u64,
    /// The most cost forwarded for one key in any half-open window of the limit's length.
    pub peak_in_window: u128,
    /// Of the refused, those that cost more than can ever be held: no wait helps them.
    pub too_large: u64,
    /// Requests of traffic labelled legitimate.
    pub legitimate: u64,
    /// Of these, refused.
    pub legitimate_denied: u64,
    /// Requests of traffic labelled as not legitimate.
    pub abusive: u64,
    /// Of these, admitted.
    pub abusive_allowed: u64,
}

/// One key's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyTally {
    /// Requests decided.
    pub requests: u64,
    /// Admitted at once or later.
    pub allowed: u64,
    /// Refused.
    pub denied: u64,
    /// The most cost forwarded in any half-open window of the limit's length.
    pub peak_in_window: u128,
    /// When the key was first refused.
    pub first_denied: Option<SimTime>,
}

impl Tally {
    /// Counts one decision.
    pub fn add(&mut self, cost: Cost, decision: Decision, verdict: Verdict) {
        self.requests += 1;
        self.offered_cost += u128::from(cost);
        self.false_allow += u64::from(verdict.false_allow);
        self.false_deny += u64::from(verdict.false_deny);
        self.peak_in_window = self.peak_in_window.max(verdict.window_count);
        if decision.is_admitted() {
            self.allowed += 1;
            self.allowed_cost += u128::from(cost);
            self.delayed += u64::from(decision.delay() > Nanos::ZERO);
        } else {
            self.denied += 1;
        }
    }

    /// Counts a request of traffic that ought, or ought not, to pass.
    pub fn add_labelled(&mut self, legitimate: Option<bool>, decision: Decision) {
        match legitimate {
            None => {}
            Some(true) => {
                self.legitimate += 1;
                self.legitimate_denied += u64::from(!decision.is_admitted());
            }
            Some(false) => {
                self.abusive += 1;
                self.abusive_allowed += u64::from(decision.is_admitted());
            }
        }
    }

    /// Adds another shard's.
    pub fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.allowed += other.allowed;
        self.delayed += other.delayed;
        self.denied += other.denied;
        self.offered_cost += other.offered_cost;
        self.allowed_cost += other.allowed_cost;
        self.false_allow += other.false_allow;
        self.false_deny += other.false_deny;
        self.peak_in_window = self.peak_in_window.max(other.peak_in_window);
        self.too_large += other.too_large;
        self.legitimate += other.legitimate;
        self.legitimate_denied += other.legitimate_denied;
        self.abusive += other.abusive;
        self.abusive_allowed += other.abusive_allowed;
    }
}

impl KeyTally {
    /// Counts one decision on a request of this key.
    pub fn add(&mut self, now: SimTime, decision: Decision, verdict: Verdict) {
        self.requests += 1;
        self.peak_in_window = self.peak_in_window.max(verdict.window_count);
        if decision.is_admitted() {
            self.allowed += 1;
        } else {
            self.denied += 1;
            self.first_denied.get_or_insert(now);
        }
    }
}
