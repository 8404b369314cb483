//! How far an estimating algorithm's count lies from the true one.

use crate::limiter::{Algorithm, Decision};
use crate::units::{Cost, Nanos, SimTime};
use std::collections::VecDeque;

/// The mean relative error |estimate − true| / true over requests with a true count above 0.
///
/// Both are taken just before the request is decided; the true count is the cost of the same counted
/// requests in (t − w, t]. Each ratio is kept to twelve decimals, so that sums do not depend on their
/// order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimates {
    sum: u128,
    requests: u64,
}

/// What one key's algorithm counted within the window.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    entries: VecDeque<(u64, Cost)>,
    cost: u128,
}

impl Estimates {
    /// Decimals that ratios are kept to, as a factor.
    pub const SCALE: u128 = 1_000_000_000_000;

    /// Before a decision: compares the estimate with the true count.
    pub fn before<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        counted: &mut Counted,
        window: Nanos,
        now: SimTime,
    ) {
        let Some(estimate) = algorithm.estimate(state, now) else {
            return;
        };
        counted.trim(window, now);
        if counted.cost == 0 {
            return;
        }
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        {
            let truth = counted.cost as f64;
            let error = (estimate.as_f64() - truth).abs() / truth;
            self.sum += (error * Self::SCALE as f64) as u128;
        }
        self.requests += 1;
    }

    /// After a decision: notes what the algorithm counted.
    pub fn after<A: Algorithm>(
        algorithm: &A,
        state: &A::State,
        counted: &mut Counted,
        (now, cost): (SimTime, Cost),
        decision: Decision,
    ) {
        if cost > 0 && algorithm.counts(cost, decision) && algorithm.estimate(state, now).is_some()
        {
            counted.entries.push_back((now.as_nanos(), cost));
            counted.cost += u128::from(cost);
        }
    }

    /// Adds another shard's.
    pub fn merge(&mut self, other: Self) {
        self.sum += other.sum;
        self.requests += other.requests;
    }

    /// Numerator and denominator of the mean; the latter is 0 where nothing was estimated.
    pub fn mean(&self) -> (u128, u128) {
        (self.sum, u128::from(self.requests) * Self::SCALE)
    }
}

impl Counted {
    /// Drops what lies outside (now − w, now].
    fn trim(&mut self, window: Nanos, now: SimTime) {
        while let Some((at, cost)) = self.entries.front()
            && now.as_nanos() - at >= window.get()
        {
            self.cost -= u128::from(*cost);
            self.entries.pop_front();
        }
    }
}
