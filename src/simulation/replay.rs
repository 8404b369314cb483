//! The fast path: each shard's arrivals are drawn once and broadcast in batches to every candidate.
//!
//! It holds where no decision can influence another key or a later arrival. Shards run side by side,
//! and candidates side by side within a shard, so that a run with one key is parallel too. Results
//! merge in shard order: any number of threads gives the same bytes.

use super::lane::{Course, LaneResult};
use super::plan::{Plan, Planned, Progress};
use super::shard::{Outcome, Shard};
use crate::error::Result;
use crate::measure::{
    CandidateResult, Delays, Estimates, Grid, KeyTally, LevelLine, Levels, Measure, Occupancy,
    Record, RunResult, Series, Staircase, Tally, theory,
};
use crate::units::{KeyId, SHARDS, SimTime};
use crate::workload::{Arrival, Mark};
use rayon::prelude::*;
use std::sync::Arc;

/// Runs a plan.
///
/// # Errors
/// When a trace can no longer be read.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<RunResult> {
    let keys = plan.workload.keys();
    let course = Course::of(plan);
    let mut outcomes = decide(plan, &course, progress)?;
    let spans = outcomes.iter().filter_map(|shard| shard.span);
    let first = spans
        .clone()
        .map(|(first, _)| first)
        .min()
        .unwrap_or_default();
    let last = spans.map(|(_, last)| last).max().unwrap_or_default();
    let requests = outcomes.iter().map(|shard| shard.requests).sum();
    let order = plan.with_timeline.then(|| Order::of(plan, &mut outcomes));
    let candidates = gather(plan, &course, keys.len(), order.as_ref(), outcomes);
    Ok(RunResult {
        title: plan.title.clone(),
        limit: plan.limit,
        epoch: plan.epoch,
        horizon: plan.horizon,
        reference: plan.reference,
        measures: plan.measures,
        first,
        last,
        requests,
        keys,
        marks: plan.workload.marks().to_vec(),
        grid: course.grid,
        arrivals: order.map(|order| order.arrivals),
        candidates,
    })
}

/// Works off all arrivals, slice by slice; each shard lets go of its states at its end.
fn decide(plan: &Plan, course: &Course, progress: &dyn Progress) -> Result<Vec<Outcome>> {
    let mut shards: Vec<Shard> = (0..SHARDS).map(|_| Shard::default()).collect();
    let mut outcomes: Vec<Outcome> = (0..SHARDS).map(|_| Outcome::default()).collect();
    plan.workload.rounds(plan.seed).work_off(|feeds, is_last| {
        let shards = feeds.par_iter_mut().zip(&mut shards).zip(&mut outcomes);
        shards.with_max_len(1).for_each(|((feed, shard), outcome)| {
            shard.consume(feed, plan, course, progress);
            if is_last {
                *outcome = shard.finish();
            }
        });
    })?;
    Ok(outcomes)
}

impl Course {
    /// What the lanes of a run of this plan need to know.
    pub fn of(plan: &Plan) -> Self {
        let keys = plan.workload.keys();
        Self {
            limit: plan.limit,
            horizon: plan.horizon,
            grid: Grid::over(plan.horizon.since(SimTime::ZERO)),
            one_key: keys.len() == 1,
            unit_costs: plan.workload.has_unit_costs(),
            with_timeline: plan.with_timeline,
            measures: plan.measures,
            reference: plan.reference,
            instants: Staircase::<1>::EXACT / keys.len().clamp(1, SHARDS as usize),
            names: keys,
            labels: labels(plan),
        }
    }
}

/// For each mark, whether its block's requests ought to pass; none where no block says.
fn labels(plan: &Plan) -> Option<Arc<[Option<bool>]>> {
    let blocks = plan.workload.blocks();
    let of = |mark: &Mark| blocks[usize::from(mark.block)].legitimate;
    let labels: Arc<[_]> = plan.workload.marks().iter().map(of).collect();
    labels.iter().any(Option::is_some).then_some(labels)
}

/// The order of all arrivals of a run across its shards.
struct Order {
    arrivals: Vec<Arrival>,
    /// For each arrival, its shard and its place among that shard's arrivals.
    origins: Vec<(usize, usize)>,
}

impl Order {
    /// Sorts by (time, traffic block, order within the block, shard).
    fn of(plan: &Plan, shards: &mut [Outcome]) -> Self {
        let marks = plan.workload.marks();
        let mut tagged: Vec<(Arrival, usize, usize)> = Vec::new();
        for (number, shard) in shards.iter_mut().enumerate() {
            let arrivals = std::mem::take(&mut shard.arrivals).into_iter().enumerate();
            tagged.extend(arrivals.map(|(place, arrival)| (arrival, number, place)));
        }
        tagged.sort_by_key(|(arrival, shard, place)| {
            (
                arrival.at,
                marks[arrival.mark.0 as usize].block,
                arrival.seq,
                *shard,
                *place,
            )
        });
        Self {
            arrivals: tagged.iter().map(|(arrival, ..)| *arrival).collect(),
            origins: tagged
                .iter()
                .map(|(_, shard, place)| (*shard, *place))
                .collect(),
        }
    }
}

/// Merges the lanes of all shards, in shard order, into one result per candidate.
fn gather(
    plan: &Plan,
    course: &Course,
    keys: usize,
    order: Option<&Order>,
    shards: Vec<Outcome>,
) -> Vec<CandidateResult> {
    let mut merged: Vec<Merge> = plan
        .candidates
        .iter()
        .map(|_| Merge::new(course, keys))
        .collect();
    for (number, shard) in shards.into_iter().enumerate() {
        for (merge, lane) in merged.iter_mut().zip(shard.lanes) {
            merge.add(number, lane, keys);
        }
    }
    let windows = plan.horizon.as_nanos() / plan.limit.window.get();
    let rates = match windows {
        0..theory::LEAST_WINDOWS => Vec::new(),
        _ => plan.workload.poisson_rates(plan.horizon),
    };
    let named = merged.into_iter().zip(&plan.candidates);
    named
        .map(|(merge, planned)| merge.into_result(planned, order, &rates))
        .collect()
}

/// One candidate's measures on their way from shards to the whole.
struct Merge {
    tally: Tally,
    per_key: Vec<KeyTally>,
    delays: Delays,
    occupancy: Occupancy,
    estimates: Estimates,
    series: Option<Series>,
    levels: Option<Levels>,
    records: Vec<Vec<Record>>,
    lines: Vec<LevelLine>,
}

impl Merge {
    fn new(course: &Course, keys: usize) -> Self {
        let per_key = if course.measures.has(Measure::Keys) {
            keys
        } else {
            0
        };
        Self {
            tally: Tally::default(),
            per_key: vec![KeyTally::default(); per_key],
            delays: Delays::default(),
            occupancy: Occupancy::keeping(Staircase::<1>::EXACT, course.horizon),
            estimates: Estimates::default(),
            series: course
                .measures
                .has(Measure::Series)
                .then(|| Series::new(course.grid)),
            levels: None,
            records: vec![Vec::new(); SHARDS as usize],
            lines: Vec::new(),
        }
    }

    fn add(&mut self, shard: usize, lane: LaneResult, keys: usize) {
        let measured = lane.measured;
        self.tally.merge(&measured.tally);
        self.delays.merge(&measured.delays);
        self.estimates.merge(measured.estimates);
        if let Some(occupancy) = &lane.occupancy {
            self.occupancy.merge(occupancy);
        }
        if let (Some(series), Some(more)) = (&mut self.series, &measured.series) {
            series.merge(more);
        }
        self.levels = self.levels.take().or(lane.levels);
        let id = |slot: usize| KeyId::at(shard, slot).0 as usize;
        for (slot, tally) in measured.per_key.into_iter().enumerate() {
            self.per_key[id(slot)] = tally;
        }
        if let Some(records) = lane.records {
            self.records[shard] = records;
        }
        if let Some(lines) = lane.lines {
            self.lines.resize_with(keys, LevelLine::default);
            for (slot, line) in lines.into_iter().enumerate() {
                self.lines[id(slot)] = line;
            }
        }
    }

    fn into_result(
        self,
        planned: &Planned,
        order: Option<&Order>,
        rates: &[(f64, f64)],
    ) -> CandidateResult {
        let stepper = planned.candidate.stepper();
        let series = self.series.map(|series| series.into_buckets(self.levels));
        let series = series.unwrap_or_default();
        let [state_bytes, redis_bytes, live_keys] = self.occupancy.split();
        let records = order.map(|order| {
            order
                .origins
                .iter()
                .map(|(shard, place)| self.records[*shard][*place])
                .collect()
        });
        CandidateResult {
            name: planned.name.clone(),
            algorithm: planned.algorithm,
            title: planned.title,
            deployment: planned.deployment.clone(),
            envelope: planned.envelope,
            caution: planned.caution,
            level_name: planned.level_name,
            level_bound: stepper.level_bound(),
            motion: stepper.motion(),
            tally: self.tally,
            per_key: self.per_key,
            delays: self.delays,
            state_bytes,
            redis_bytes,
            estimates: self.estimates,
            closed_form: stepper.closed_form(),
            theory: theory::compare(stepper.closed_form(), rates, &series),
            live_keys,
            series,
            records,
            levels: order.map(|_| self.lines),
            cluster: None,
        }
    }
}
