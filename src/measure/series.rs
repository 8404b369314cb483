//! Amounts per time bucket.

use super::amounts::Amounts;
use super::batch::{Answers, Columns};
use super::forwards::Verdicts;
use super::{Bucket, Clocked, Grid};
use crate::limiter::{Algorithm, Motion};
use crate::units::{Level, Nanos, SimTime};

/// One candidate's amounts per bucket in one shard, in the form that amounts are kept in.
#[derive(Clone, Debug)]
pub struct Rows<A: Amounts> {
    grid: Grid,
    rows: Vec<Row<A>>,
    /// What is forwarded in each bucket and how many of those that came in it wait; empty for a
    /// candidate that never delays.
    later: Vec<(A::Sum, u64)>,
}

/// What came in one bucket: first what was denied, then what was admitted.
#[derive(Clone, Copy, Debug, Default)]
struct Row<A: Amounts> {
    amounts: [A::Sum; 2],
    /// Of what was denied, that because something failed.
    failed: A::Sum,
    /// Requests wrongly so decided.
    wrong: [u64; 2],
}

impl<A: Amounts> Rows<A> {
    /// Empty buckets, of a candidate that delays or not.
    pub fn new(grid: Grid, delays: bool) -> Self {
        let later = if delays { grid.count() } else { 0 };
        Self {
            grid,
            rows: vec![Row::default(); grid.count()],
            later: vec![Default::default(); later],
        }
    }

    /// Adds a batch of decisions.
    pub fn observe(&mut self, batch: &Columns, answers: &Answers, verdicts: &Verdicts<A>) {
        for (index, (bucket, admitted)) in batch.buckets.iter().zip(&answers.admitted).enumerate() {
            let Some(row) = self.rows.get_mut(*bucket as usize) else {
                continue;
            };
            let which = usize::from(*admitted);
            row.amounts[which] += A::cost(batch.costs, index).into();
            if answers.failed.get(index) == Some(&true) {
                row.failed += A::cost(batch.costs, index).into();
                continue;
            }
            if let Some(wrong) = verdicts.wrong.get(index) {
                row.wrong[which] += u64::from(*wrong);
            }
        }
        if !self.later.is_empty() {
            self.observe_later(batch, answers);
        }
    }

    /// Adds what a batch forwards to the buckets of its forwarding. What is forwarded after the end
    /// of the run belongs to none.
    fn observe_later(&mut self, batch: &Columns, answers: &Answers) {
        for (index, now) in batch.times.iter().enumerate() {
            if !answers.admitted[index] {
                continue;
            }
            if let Some((_, delayed)) = self.later.get_mut(batch.buckets[index] as usize) {
                *delayed += u64::from(answers.waits[index] > 0);
            }
            let at = answers.forwarded(index, *now).map(SimTime::from_nanos);
            if let Some(bucket) = at.and_then(|at| self.grid.bucket(at)) {
                self.later[bucket].0 += A::cost(batch.costs, index).into();
            }
        }
    }

    /// The finished series; `tops` are the highest windows of the buckets, empty where they were not
    /// noted.
    pub fn finish(self, tops: &[A::Sum]) -> Series {
        let wide = |sum: A::Sum| -> u128 { sum.into() };
        let rows = self.rows.into_iter().enumerate().map(|(index, row)| {
            let [refused, allowed] = row.amounts.map(wide);
            let errors = wide(row.failed);
            let later = self.later.get(index);
            Bucket {
                offered: refused + allowed,
                allowed,
                denied: refused - errors,
                errors,
                forwarded: later.map_or(allowed, |(forwarded, _)| wide(*forwarded)),
                delayed_requests: later.map_or(0, |(_, delayed)| *delayed),
                false_allow: row.wrong[1],
                false_deny: row.wrong[0],
                window_count: tops.get(index).map_or(0, |top| wide(*top)),
                level: None,
            }
        });
        Series {
            buckets: rows.collect(),
        }
    }
}

/// One candidate's amounts per bucket of the run's grid.
#[derive(Clone, Debug)]
pub struct Series {
    buckets: Vec<Bucket>,
}

impl Series {
    /// Empty buckets.
    pub fn new(grid: Grid) -> Self {
        Self {
            buckets: vec![Bucket::default(); grid.count()],
        }
    }

    /// Adds another shard's amounts.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, more) in self.buckets.iter_mut().zip(&other.buckets) {
            bucket.offered += more.offered;
            bucket.allowed += more.allowed;
            bucket.denied += more.denied;
            bucket.errors += more.errors;
            bucket.forwarded += more.forwarded;
            bucket.delayed_requests += more.delayed_requests;
            bucket.false_allow += more.false_allow;
            bucket.false_deny += more.false_deny;
            bucket.window_count = bucket.window_count.max(more.window_count);
        }
    }

    /// The finished buckets; `levels` are those at their ends, where they were followed.
    pub fn into_buckets(self, levels: Option<Levels>) -> Vec<Bucket> {
        let mut buckets = self.buckets;
        let levels = levels.map_or_else(Vec::new, |levels| levels.levels);
        for (bucket, level) in buckets.iter_mut().zip(levels) {
            bucket.level = Some(level);
        }
        buckets
    }
}

/// The level of a run's one key at the end of every bucket.
#[derive(Clone, Debug)]
pub struct Levels {
    grid: Grid,
    levels: Vec<Level>,
}

impl Levels {
    /// None noted yet.
    pub const fn new(grid: Grid) -> Self {
        Self {
            grid,
            levels: Vec::new(),
        }
    }

    /// Before a decision at `now`: notes the level at the end of every bucket that has passed.
    pub fn before<A: Algorithm>(&mut self, algorithm: &A, state: &A::State, now: Clocked) {
        while self.levels.len() < self.grid.count()
            && self.grid.start(self.levels.len() + 1) <= now.at
        {
            let end = self.grid.start(self.levels.len() + 1);
            // What jumps just there belongs to the next bucket.
            let end = match algorithm.motion() {
                Motion::Slopes => end,
                Motion::Steps => end.saturating_sub(Nanos::new(1)),
            };
            self.levels
                .push(algorithm.level(state, now.when(end).reading));
        }
    }

    /// Notes the levels up to the end of the last bucket.
    pub fn finish<A: Algorithm>(&mut self, algorithm: &A, state: &A::State, clock: Clocked) {
        let last = self.grid.start(self.grid.count());
        self.before(algorithm, state, clock.when(last));
    }
}
