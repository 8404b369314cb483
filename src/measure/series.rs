//! Amounts per time bucket.

use super::amounts::Amounts;
use super::batch::{Answers, Batch, count};
use super::forwards::Verdicts;
use super::{Bucket, Grid};
use crate::limiter::{Algorithm, Motion};
use crate::units::{Level, Nanos, SimTime};
use std::ops::Range;

/// One candidate's amounts per bucket of the run's grid.
#[derive(Clone, Debug)]
pub struct Series {
    grid: Grid,
    rows: Vec<Row>,
}

/// What one bucket takes in; see [`Bucket`].
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    offered: u128,
    denied: u128,
    forwarded: u128,
    window_count: u128,
    delayed_requests: u64,
    false_allow: u64,
    false_deny: u64,
}

impl Series {
    /// Empty buckets.
    pub fn new(grid: Grid) -> Self {
        Self {
            grid,
            rows: vec![Row::default(); grid.count()],
        }
    }

    /// Adds a batch of decisions.
    pub fn observe<A: Amounts>(
        &mut self,
        batch: &Batch,
        answers: &Answers,
        verdicts: &Verdicts<A>,
    ) {
        let mut begun = 0;
        while begun < batch.len() {
            let first = SimTime::from_nanos(batch.times[begun]);
            let Some(bucket) = self.grid.bucket(first) else {
                return;
            };
            let next = self.grid.start(bucket + 1).as_nanos();
            let within = batch.times[begun..].partition_point(|at| *at < next);
            let part = begun..begun + within;
            self.rows[bucket].add(part.clone(), batch, answers, verdicts);
            if answers.waits.is_empty() {
                self.rows[bucket].forward_at_once(part.clone(), batch, answers, verdicts);
            } else {
                self.forward(part.clone(), batch, answers, verdicts);
            }
            begun = part.end;
        }
    }

    /// Adds what a part of a batch forwards, each request to the bucket of its forwarding. What is
    /// forwarded after the end of the run belongs to none.
    fn forward<A: Amounts>(
        &mut self,
        part: Range<usize>,
        batch: &Batch,
        answers: &Answers,
        verdicts: &Verdicts<A>,
    ) {
        for index in part {
            if !answers.admitted[index] {
                continue;
            }
            let at = answers.forwarded(index, batch.times[index]);
            let bucket = at.and_then(|at| self.grid.bucket(SimTime::from_nanos(at)));
            if let Some(bucket) = bucket {
                let row = &mut self.rows[bucket];
                row.forwarded += u128::from(A::cost(&batch.costs, index));
                if let Some(count) = verdicts.counts.get(index) {
                    row.window_count = row.window_count.max((*count).into());
                }
            }
        }
    }

    /// Adds another shard's amounts.
    pub fn merge(&mut self, other: &Self) {
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            row.offered += more.offered;
            row.denied += more.denied;
            row.forwarded += more.forwarded;
            row.window_count = row.window_count.max(more.window_count);
            row.delayed_requests += more.delayed_requests;
            row.false_allow += more.false_allow;
            row.false_deny += more.false_deny;
        }
    }

    /// The finished buckets; `levels` are those at their ends, where they were followed.
    pub fn into_buckets(self, levels: Option<Levels>) -> Vec<Bucket> {
        let levels = levels.map_or_else(Vec::new, |levels| levels.levels);
        let mut levels = levels.into_iter();
        let buckets = self.rows.into_iter().map(|row| Bucket {
            offered: row.offered,
            allowed: row.offered - row.denied,
            denied: row.denied,
            forwarded: row.forwarded,
            delayed_requests: row.delayed_requests,
            false_allow: row.false_allow,
            false_deny: row.false_deny,
            window_count: row.window_count,
            level: levels.next(),
        });
        buckets.collect()
    }
}

impl Row {
    /// Adds what came in a part of a batch and how it was decided.
    fn add<A: Amounts>(
        &mut self,
        part: Range<usize>,
        batch: &Batch,
        answers: &Answers,
        verdicts: &Verdicts<A>,
    ) {
        let admitted = &answers.admitted[part.clone()];
        if batch.costs.is_empty() {
            self.offered += part.len() as u128;
            self.denied += part.len() as u128 - u128::from(count(admitted));
        } else {
            for (cost, admitted) in batch.costs[part.clone()].iter().zip(admitted) {
                self.offered += u128::from(*cost);
                self.denied += u128::from(if *admitted { 0 } else { *cost });
            }
        }
        if let Some(waits) = answers.waits.get(part.clone()) {
            self.delayed_requests += waits.iter().map(|wait| u64::from(*wait > 0)).sum::<u64>();
        }
        if let Some(wrong) = verdicts.false_allow.get(part.clone()) {
            self.false_allow += count(wrong);
        }
        if let Some(wrong) = verdicts.false_deny.get(part) {
            self.false_deny += count(wrong);
        }
    }

    /// Adds what a part of a batch forwards at once.
    fn forward_at_once<A: Amounts>(
        &mut self,
        part: Range<usize>,
        batch: &Batch,
        answers: &Answers,
        verdicts: &Verdicts<A>,
    ) {
        let admitted = &answers.admitted[part.clone()];
        if batch.costs.is_empty() {
            self.forwarded += u128::from(count(admitted));
        } else {
            for (cost, admitted) in batch.costs[part.clone()].iter().zip(admitted) {
                self.forwarded += u128::from(if *admitted { *cost } else { 0 });
            }
        }
        if let Some(counts) = verdicts.counts.get(part) {
            let most = counts.iter().max().copied().unwrap_or_default();
            self.window_count = self.window_count.max(most.into());
        }
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
    pub fn before<A: Algorithm>(&mut self, algorithm: &A, state: &A::State, now: SimTime) {
        while self.levels.len() < self.grid.count() && self.grid.start(self.levels.len() + 1) <= now
        {
            let end = self.grid.start(self.levels.len() + 1);
            // What jumps just there belongs to the next bucket.
            let end = match algorithm.motion() {
                Motion::Slopes => end,
                Motion::Steps => end.saturating_sub(Nanos::new(1)),
            };
            self.levels.push(algorithm.level(state, end));
        }
    }

    /// Notes the levels up to the end of the last bucket.
    pub fn finish<A: Algorithm>(&mut self, algorithm: &A, state: &A::State) {
        let last = self.grid.start(self.grid.count());
        self.before(algorithm, state, last);
    }
}
