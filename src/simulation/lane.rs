//! One candidate in one shard on the fast path: decisions and measures in one monomorphised loop.

use crate::limiter::{Algorithm, Decision};
use crate::measure::{
    Delays, Forwards, Grid, Held, KeyTally, Occupancy, Recorder, Series, Tally, Verdict,
};
use crate::units::{Limit, Nanos, SimTime};
use crate::workload::Arrival;

/// What a lane needs to know of its run.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The contract that decisions are judged by.
    pub limit: Limit,
    /// When the run ends.
    pub horizon: SimTime,
    /// The buckets of the series.
    pub grid: Grid,
    /// Whether the run has one key, whose level the series follow.
    pub one_key: bool,
    /// Whether every answer is kept.
    pub with_timeline: bool,
    /// How many instants at which its memory changes a lane keeps exactly.
    pub instants: usize,
}

/// A candidate's part of a shard, whatever its algorithm.
pub trait Lane: Send {
    /// Decides a batch of arrivals, in order.
    fn step(&mut self, batch: &[Arrival]);
    /// Ends the run and hands over the measures.
    fn finish(self: Box<Self>) -> LaneResult;
}

/// What one lane measured.
pub struct LaneResult {
    /// Totals over the shard's keys.
    pub tally: Tally,
    /// Tallies by the key's slot.
    pub per_key: Vec<KeyTally>,
    /// Waits.
    pub delays: Delays,
    /// Memory over time.
    pub occupancy: Occupancy,
    /// Amounts per bucket.
    pub series: Series,
    /// Answers and level lines, where they are kept.
    pub recorder: Option<Recorder>,
}

/// One key's state and what is kept to measure it.
struct Key<S> {
    state: S,
    forwards: Forwards,
    held: Held,
    tally: KeyTally,
}

/// The lane of a concrete algorithm.
pub(super) struct LaneOf<A: Algorithm> {
    algorithm: A,
    course: Course,
    keys: Vec<Key<A::State>>,
    result: LaneResult,
}

impl<A: Algorithm> LaneOf<A> {
    pub(super) fn new(algorithm: A, course: Course) -> Self {
        let result = LaneResult {
            tally: Tally::default(),
            per_key: Vec::new(),
            delays: Delays::default(),
            occupancy: Occupancy::keeping(course.instants),
            series: Series::new(course.grid, course.one_key),
            recorder: course.with_timeline.then(Recorder::default),
        };
        Self {
            algorithm,
            course,
            keys: Vec::new(),
            result,
        }
    }

    fn decide(&mut self, arrival: &Arrival) {
        let Self {
            algorithm,
            course,
            keys,
            result,
        } = self;
        let Arrival { at: now, cost, .. } = *arrival;
        let slot = arrival.key.slot();
        if keys.len() <= slot {
            keys.resize_with(slot + 1, || Key {
                state: algorithm.fresh(),
                forwards: Forwards::default(),
                held: Held::default(),
                tally: KeyTally::default(),
            });
        }
        let key = &mut keys[slot];
        result
            .occupancy
            .before(algorithm, &key.state, &mut key.held, now, course.horizon);
        result.series.before(algorithm, &key.state, now);
        if let Some(recorder) = &mut result.recorder {
            recorder.before(algorithm, &key.state, slot, now);
        }
        let decision = algorithm.decide(&mut key.state, now, cost);
        let verdict = key.forwards.observe(course.limit, now, cost, decision);
        result
            .occupancy
            .after(algorithm, &key.state, &mut key.held, now, course.horizon);
        result.series.observe(now, cost, decision, verdict);
        if let Some(recorder) = &mut result.recorder {
            recorder.after(algorithm, &key.state, slot, (now, cost), decision, verdict);
        }
        if decision.is_admitted() {
            result.delays.add(decision.delay());
        }
        result.tally.add(cost, decision, verdict);
        key.tally.add(now, decision, verdict);
    }
}

impl<A: Algorithm> Lane for LaneOf<A> {
    fn step(&mut self, batch: &[Arrival]) {
        for arrival in batch {
            self.decide(arrival);
        }
    }

    fn finish(mut self: Box<Self>) -> LaneResult {
        let Self {
            algorithm,
            course,
            keys,
            result,
        } = &mut *self;
        let end = course.horizon;
        for (slot, key) in keys.iter_mut().enumerate() {
            result
                .occupancy
                .before(algorithm, &key.state, &mut key.held, end, end);
            if course.one_key && key.tally.requests > 0 {
                let last = end.saturating_add(course.grid.width());
                result.series.before(algorithm, &key.state, last);
            }
            if let Some(recorder) = &mut result.recorder {
                recorder.finish(algorithm, &key.state, slot, end);
            }
        }
        self.result.per_key = self.keys.into_iter().map(|key| key.tally).collect();
        self.result
    }
}

impl Tally {
    fn add(&mut self, cost: u64, decision: Decision, verdict: Verdict) {
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
}

impl KeyTally {
    fn add(&mut self, now: SimTime, decision: Decision, verdict: Verdict) {
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
