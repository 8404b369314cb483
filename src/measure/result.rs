//! What a run yields: everything that reports are made of.

use super::theory::Comparison;
use super::{
    BackendResult, ClientsResult, ClusterResult, Delays, Estimates, Grid, KeyTally, MessagesResult,
    Reason, Reference, Selection, Staircase, Tally,
};
use crate::limiter::{ClosedForm, Decision, Motion};
use crate::rules::Rules;
use crate::units::{Cost, Epoch, Level, Limit, Retry, SimTime};
use crate::workload::{Arrival, Mark, Names};
use std::sync::Arc;

/// The results of all candidates over the same traffic.
#[derive(Debug)]
pub struct RunResult {
    /// The scenario's title.
    pub title: String,
    /// The contract that all are measured against.
    pub limit: Limit,
    /// What the clock reads at time 0.
    pub epoch: Epoch,
    /// When measuring ends.
    pub horizon: SimTime,
    /// What decisions were judged by.
    pub reference: Reference,
    /// What was measured; the rest is empty.
    pub measures: Selection,
    /// The first request; the beginning when there is none.
    pub first: SimTime,
    /// The last request.
    pub last: SimTime,
    /// How many requests came.
    pub requests: u64,
    /// Names of the keys, by [`crate::units::KeyId`].
    pub keys: Arc<Names>,
    /// What arrivals' marks stand for.
    pub marks: Vec<Mark>,
    /// The labels of the traffic blocks, as [`Mark::block`] counts them.
    pub blocks: Vec<Option<String>>,
    /// The buckets of the series.
    pub grid: Grid,
    /// Every arrival in order, in runs small enough for a timeline.
    pub arrivals: Option<Vec<Arrival>>,
    /// The candidates in the order of the scenario.
    pub candidates: Vec<CandidateResult>,
}

impl CandidateResult {
    /// Whether anybody tried again.
    pub const fn retried(&self) -> bool {
        self.tally.attempts > self.tally.requests
    }

    /// What its clients did, where any of the run tries again.
    pub fn clients(&self) -> Option<&ClientsResult> {
        self.cluster.as_ref()?.clients.as_ref()
    }
}

impl RunResult {
    /// Every attempt at a candidate with the request that it belongs to, in order of (time, request,
    /// attempt); `None` in runs too large for a timeline. A retry is made later than its request came:
    /// the record says when.
    pub fn attempts<'a>(
        &'a self,
        candidate: &'a CandidateResult,
    ) -> Option<impl Iterator<Item = (&'a Arrival, &'a Record)>> {
        let arrivals = self.arrivals.as_ref()?;
        let records = candidate.records.as_ref()?;
        let of = |record: &Record| {
            let request = usize::try_from(record.request).expect("as many as are held");
            &arrivals[request]
        };
        Some(records.iter().map(move |record| (of(record), record)))
    }
}

/// What one candidate did.
#[derive(Clone, Debug)]
pub struct CandidateResult {
    /// Its name: the `kind`, unless several share it.
    pub name: String,
    /// The algorithm's `kind`.
    pub algorithm: &'static str,
    /// The algorithm's name in titles.
    pub title: &'static str,
    /// The deployment's name.
    pub deployment: String,
    /// Why it may forward more than the limit in one window, if it may; empty otherwise.
    pub envelope: &'static str,
    /// Why it may deny what the limit has room for, if it may; empty otherwise.
    pub caution: &'static str,
    /// What its level counts: `tokens`, `queued`, `count`, `entries`, `estimate`.
    pub level_name: &'static str,
    /// The level's bound: the capacity of a bucket, the limit of a window.
    pub level_bound: Cost,
    /// How the level moves between requests.
    pub motion: Motion,
    /// Totals over all keys.
    pub tally: Tally,
    /// One tally per key, by [`crate::units::KeyId`].
    pub per_key: Vec<KeyTally>,
    /// Waits of the admitted requests.
    pub delays: Delays,
    /// Bytes of state of the keys that cannot be forgotten, over time.
    pub state_bytes: Staircase,
    /// The same state as Redis would hold it, over time.
    pub redis_bytes: Staircase,
    /// Errors of the estimate, for algorithms that estimate.
    pub estimates: Estimates,
    /// The closed form of the share denied under Poisson arrivals, where there is one.
    pub closed_form: Option<ClosedForm>,
    /// That form beside the measured share, where it covers the traffic.
    pub theory: Option<Comparison>,
    /// Keys that cannot be forgotten, over time.
    pub live_keys: Staircase,
    /// One row per bucket of the run's grid.
    pub series: Vec<Bucket>,
    /// One record per attempt, in order of (time, request, attempt), in runs small enough for a
    /// timeline.
    pub records: Option<Vec<Record>>,
    /// Each key's level over time, in runs small enough for a timeline, by key; with a state per node,
    /// all keys of one node before those of the next.
    pub levels: Option<Vec<LevelLine>>,
    /// The rules, unless one limit holds.
    pub rules: Option<Arc<Rules>>,
    /// Its rules, each from one change to the next; empty where one limit holds.
    pub chapters: Vec<Chapter>,
    /// What its nodes and its store went through, where there is more than one node that answers at
    /// once.
    pub cluster: Option<ClusterResult>,
}

impl RunResult {
    /// The rules, unless one limit holds.
    pub fn rules(&self) -> Option<&Arc<Rules>> {
        self.candidates.iter().find_map(|c| c.rules.as_ref())
    }
}

impl CandidateResult {
    /// What became of what was over the limit, where it goes to a queue of messages.
    pub fn messages(&self) -> Option<&MessagesResult> {
        self.cluster.as_ref()?.messages.as_ref()
    }

    /// What its backend went through, where there is one.
    pub fn backend(&self) -> Option<&BackendResult> {
        self.cluster.as_ref()?.backend.as_ref()
    }

    /// What its peak is to be held against: the limit, or that of the rule that was exceeded the most.
    pub fn limit(&self, run: &RunResult) -> Limit {
        Chapter::worst(&self.chapters).map_or(run.limit, |chapter| chapter.limit)
    }

    /// Whether more was forwarded in some window than a limit allows.
    pub fn is_over(&self, run: &RunResult) -> bool {
        self.tally.peak_in_window > u128::from(self.limit(run).units)
    }
}

/// A rule of one candidate from one change of it to the next, and what was measured by its limit and
/// its keys.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// The rule's name.
    pub name: Arc<str>,
    /// What passes.
    pub limit: Limit,
    /// The algorithm's `kind`.
    pub algorithm: &'static str,
    /// Why that may forward more than the limit in one window, if it may; empty otherwise.
    pub envelope: &'static str,
    /// Why it may deny what the limit has room for, if it may; empty otherwise.
    pub caution: &'static str,
    /// The most that its level can be.
    pub level_bound: Cost,
    /// From when on it was in force.
    pub from: SimTime,
    /// Until when; `None` for the end of the run.
    pub to: Option<SimTime>,
    /// How many keys came.
    pub keys: u64,
    /// By its own limit: requests that it applied to, those that were admitted in the end (`allowed`),
    /// those that it denied (`denied`), those that were refused but not by it (`errors`), the peak, and its
    /// own false verdicts. Windows reach back to what passed before the rule took this form.
    pub tally: Tally,
    /// Errors of its estimates, where it estimates.
    pub estimates: Estimates,
}

impl Chapter {
    /// The one with the largest overshoot, the first of several.
    pub fn worst(chapters: &[Self]) -> Option<&Self> {
        let exceeds = |one: &Self, other: &Self| {
            // Peaks over limits: compared crosswise; a limit of 0 that lets anything pass is the worst.
            let product =
                |a: &Self, b: &Self| a.tally.peak_in_window.saturating_mul(b.limit.units.into());
            product(one, other) > product(other, one)
        };
        chapters
            .iter()
            .reduce(|worst, next| match exceeds(next, worst) {
                true => next,
                false => worst,
            })
    }
}

/// One time bucket of one candidate; amounts in cost units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bucket {
    /// Cost that arrived.
    pub offered: u128,
    /// Cost admitted, at the time of its arrival.
    pub allowed: u128,
    /// Cost refused by the limiter.
    pub denied: u128,
    /// Cost refused because the store or a node failed.
    pub errors: u128,
    /// Cost forwarded, at the time of its forwarding.
    pub forwarded: u128,
    /// Requests admitted later.
    pub delayed_requests: u64,
    /// Requests wrongly allowed.
    pub false_allow: u64,
    /// Requests wrongly denied.
    pub false_deny: u64,
    /// The most cost that any one key had in its trailing window when something was forwarded here;
    /// 0 when nothing was.
    pub window_count: u128,
    /// The level at the end of the bucket, in runs with one key.
    pub level: Option<Level>,
}

/// What one candidate answered to one attempt.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// The number of its request: its place among the run's arrivals.
    pub request: u64,
    /// Which attempt of the request it is, from 1 on.
    pub attempt: u32,
    /// When it was made.
    pub at: SimTime,
    /// The answer; [`Decision::Deny`] for an error too.
    pub decision: Decision,
    /// What failed before it, if anything did.
    pub reason: Option<Reason>,
    /// The node that it came to.
    pub node: u16,
    /// When the node answered.
    pub answered: SimTime,
    /// The largest whole cost that would be admitted right after; `None` where no limiter was asked.
    pub remaining: Option<Cost>,
    /// For a denial: when the same request would be admitted.
    pub retry: Option<Retry>,
    /// The level right after; `None` where no limiter was asked.
    pub level: Option<Level>,
    /// What will come if nothing else does; `None` where no limiter was asked, and where units on lease
    /// are spent, whose node knows nothing of it.
    pub outlook: Option<Outlook>,
    /// Whether it was denied because it costs more than can ever be held.
    pub is_too_large: bool,
    /// Whether the exact reference calls it a false allow or a false deny.
    pub is_false: bool,
    /// Where there are rules, the chapter that decided; see [`CandidateResult::chapters`].
    pub chapter: Option<u16>,
}

impl Record {
    /// Whether it was refused without a decision.
    pub fn is_error(&self) -> bool {
        self.reason.is_some_and(Reason::is_error)
    }
}

/// What a limiter could tell of the time to come right after an answer, as far as nothing else comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// What the clock that decided reads, on the time of the algorithms; see [`ClusterResult::lead`].
    pub clock: SimTime,
    /// The largest whole cost that this limiter would admit; others may have less left.
    pub remaining: Cost,
    /// When it could admit more than that.
    pub more: Retry,
    /// When it could admit as much as it can ever hold.
    pub whole: Retry,
}

/// One key's level over time as a polyline: points in time order; two points at one instant are a
/// jump. Between points a level that moves by [`Motion::Steps`] is constant (the later point repeats
/// the value before its jump), one that moves by [`Motion::Slopes`] runs straight.
#[derive(Clone, Debug, Default)]
pub struct LevelLine {
    /// The points.
    pub points: Vec<(SimTime, Level)>,
}
