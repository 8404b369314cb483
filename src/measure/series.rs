//! Amounts per time bucket.

use super::forwards::Verdict;
use super::{Bucket, Grid};
use crate::limiter::{Algorithm, Decision, Motion};
use crate::units::{Cost, Level, Nanos, SimTime};

/// One candidate's amounts per bucket of the run's grid.
#[derive(Clone, Debug)]
pub struct Series {
    grid: Grid,
    buckets: Vec<Bucket>,
    /// Levels at the ends of the buckets passed so far, where they are followed.
    levels: Option<Vec<Level>>,
}

impl Series {
    /// Empty buckets; `with_levels` follows the level, for runs with one key.
    pub fn new(grid: Grid, with_levels: bool) -> Self {
        Self {
            grid,
            buckets: vec![Bucket::default(); grid.count()],
            levels: with_levels.then(Vec::new),
        }
    }

    /// Before a decision at `now`: notes the level at the end of every bucket that has passed.
    pub fn before<A: Algorithm>(&mut self, algorithm: &A, state: &A::State, now: SimTime) {
        let Some(levels) = &mut self.levels else {
            return;
        };
        while levels.len() < self.grid.count() && self.grid.start(levels.len() + 1) <= now {
            let end = self.grid.start(levels.len() + 1);
            // What jumps just there belongs to the next bucket.
            let end = match algorithm.motion() {
                Motion::Slopes => end,
                Motion::Steps => end.saturating_sub(Nanos::new(1)),
            };
            levels.push(algorithm.level(state, end));
        }
    }

    /// Adds one decision.
    pub fn observe(&mut self, now: SimTime, cost: Cost, decision: Decision, verdict: Verdict) {
        let amount = u128::from(cost);
        let Some(index) = self.grid.bucket(now) else {
            return;
        };
        let bucket = &mut self.buckets[index];
        bucket.offered += amount;
        bucket.false_allow += u64::from(verdict.false_allow);
        bucket.false_deny += u64::from(verdict.false_deny);
        if !decision.is_admitted() {
            bucket.denied += amount;
            return;
        }
        bucket.allowed += amount;
        bucket.delayed_requests += u64::from(decision.delay() > Nanos::ZERO);
        // What is forwarded after the end of the run belongs to none of its buckets.
        let at = now.saturating_add(decision.delay());
        if let Some(index) = self.grid.bucket(at) {
            let bucket = &mut self.buckets[index];
            bucket.forwarded += amount;
            bucket.window_count = bucket.window_count.max(verdict.window_count);
        }
    }

    /// Adds another shard's amounts.
    pub fn merge(&mut self, other: Self) {
        for (bucket, more) in self.buckets.iter_mut().zip(other.buckets) {
            bucket.offered += more.offered;
            bucket.allowed += more.allowed;
            bucket.denied += more.denied;
            bucket.forwarded += more.forwarded;
            bucket.delayed_requests += more.delayed_requests;
            bucket.false_allow += more.false_allow;
            bucket.false_deny += more.false_deny;
            bucket.window_count = bucket.window_count.max(more.window_count);
        }
        if let Some(levels) = other.levels.filter(|levels| !levels.is_empty()) {
            self.levels = Some(levels);
        }
    }

    /// The finished buckets.
    pub fn into_buckets(self) -> Vec<Bucket> {
        let mut buckets = self.buckets;
        for (bucket, level) in buckets.iter_mut().zip(self.levels.unwrap_or_default()) {
            bucket.level = Some(level);
        }
        buckets
    }
}
