//! One candidate in one shard on the fast path: decisions and measures in one monomorphised loop.

use crate::limiter::Algorithm;
use crate::measure::{
    Counted, Delays, Estimates, Forwards, Grid, Held, KeyTally, Occupancy, Recorder, Series, Tally,
    Verdict,
};
use crate::units::{Limit, SimTime};
use crate::workload::{Arrival, Names};
use std::sync::Arc;

/// What decisions are judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reference {
    /// What the candidate itself forwarded.
    #[default]
    Forwarded,
    /// All that was offered, as one who counts every request does.
    Offered,
}

/// What a lane needs to know of its run.
#[derive(Clone, Debug)]
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
    /// What decisions are judged by.
    pub reference: Reference,
    /// The keys' names: Redis stores them.
    pub names: Arc<Names>,
    /// For each mark, whether its requests ought to pass, where that is said.
    pub legitimate: Arc<[Option<bool>]>,
    /// How many instants at which its memory changes, and how many distinct waits, a lane keeps
    /// exactly.
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
    /// Errors of estimates.
    pub estimates: Estimates,
    /// Amounts per bucket.
    pub series: Series,
    /// Answers and level lines, where they are kept.
    pub recorder: Option<Recorder>,
}

/// One key's state and what is kept to measure it.
struct Key<S> {
    state: S,
    forwards: Forwards,
    /// All that was offered, where decisions are judged by that.
    offered: Option<Box<Forwards>>,
    /// What an estimating algorithm counted.
    counted: Option<Box<Counted>>,
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
            delays: Delays::keeping(course.instants),
            occupancy: Occupancy::keeping(course.instants),
            estimates: Estimates::default(),
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

    /// Makes room for the keys up to `slot`.
    fn reach(&mut self, slot: usize) {
        if slot < self.keys.len() {
            return;
        }
        let fresh = self.algorithm.fresh();
        let estimates = self.algorithm.estimate(&fresh, SimTime::ZERO).is_some();
        let offered = self.course.reference == Reference::Offered;
        self.keys.resize_with(slot + 1, || Key {
            state: fresh.clone(),
            forwards: Forwards::default(),
            offered: offered.then(Box::default),
            counted: estimates.then(Box::default),
            held: Held::default(),
            tally: KeyTally::default(),
        });
    }

    fn decide(&mut self, arrival: &Arrival) {
        let Arrival { at: now, cost, .. } = *arrival;
        let slot = arrival.key.slot();
        self.reach(slot);
        let Self {
            algorithm,
            course,
            keys,
            result,
        } = self;
        let (limit, end) = (course.limit, course.horizon);
        let key = &mut keys[slot];

        result
            .occupancy
            .before(algorithm, &key.state, &mut key.held, now, end);
        result.series.before(algorithm, &key.state, now);
        if let Some(recorder) = &mut result.recorder {
            recorder.before(algorithm, &key.state, slot, now);
        }
        if let Some(counted) = &mut key.counted {
            result
                .estimates
                .before(algorithm, &key.state, counted, limit.window, now);
        }

        let decision = algorithm.decide(&mut key.state, now, cost);

        let mut verdict = key.forwards.observe(limit, now, cost, decision);
        if let Some(offered) = &mut key.offered {
            let judged = offered.observe_offered(limit, now, cost, decision);
            verdict = Verdict {
                window_count: verdict.window_count,
                ..judged
            };
        }
        if let Some(counted) = &mut key.counted {
            Estimates::after(algorithm, &key.state, counted, (now, cost), decision);
        }
        let name = course.names[arrival.key.0 as usize].len();
        result
            .occupancy
            .after(algorithm, &key.state, (&mut key.held, name), now, end);
        result.series.observe(now, cost, decision, verdict);
        if let Some(recorder) = &mut result.recorder {
            recorder.after(algorithm, &key.state, slot, (now, cost), decision, verdict);
        }
        if decision.is_admitted() {
            result.delays.add(decision.delay());
        }
        result.tally.add(cost, decision, verdict);
        result.tally.too_large += u64::from(cost > algorithm.level_bound());
        result
            .tally
            .add_labelled(course.legitimate[arrival.mark.0 as usize], decision);
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
