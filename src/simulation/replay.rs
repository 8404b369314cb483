//! The fast path: each shard's arrivals are drawn once and broadcast in batches to every candidate.
//!
//! It holds where no decision can influence another key or a later arrival. Shards run side by side,
//! and candidates side by side within a shard, so that a run with one key is parallel too. Results
//! merge in shard order: any number of threads gives the same bytes.

use super::lane::{Course, Lane, LaneResult};
use super::plan::{Plan, Planned, Progress};
use crate::error::Result;
use crate::measure::{
    CandidateResult, Delays, Estimates, Grid, KeyTally, LevelLine, Occupancy, Record, RunResult,
    Series, Staircase, Tally, theory,
};
use crate::units::{KeyId, SHARDS, SimTime};
use crate::workload::{Arrival, Mark, ShardFeed};
use rayon::prelude::*;
use std::sync::Arc;

/// One shard of a run.
#[derive(Default)]
struct Shard {
    lanes: Vec<Box<dyn Lane>>,
    batch: Vec<Arrival>,
    arrivals: Vec<Arrival>,
    requests: u64,
    span: Option<(SimTime, SimTime)>,
}

impl Shard {
    /// Decides everything that the feed has in the present slice of time.
    fn consume(
        &mut self,
        feed: &mut ShardFeed,
        plan: &Plan,
        course: &Course,
        progress: &dyn Progress,
    ) {
        while feed.fill(&mut self.batch) {
            let (Some(first), Some(last)) = (self.batch.first(), self.batch.last()) else {
                continue;
            };
            let begun = self.span.map_or(first.at, |(begun, _)| begun);
            self.span = Some((begun, last.at));
            self.requests += self.batch.len() as u64;
            if self.lanes.is_empty() {
                let lane = |planned: &Planned| planned.candidate.lane(course.clone());
                self.lanes = plan.candidates.iter().map(lane).collect();
            }
            let batch = &self.batch;
            self.lanes.par_iter_mut().for_each(|lane| lane.step(batch));
            if course.with_timeline {
                self.arrivals.extend_from_slice(batch);
            }
            progress.advance(self.batch.len() as u64);
        }
    }
}

/// Runs a plan.
///
/// # Errors
/// When a trace can no longer be read.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<RunResult> {
    let keys = plan.workload.keys();
    let course = Course {
        limit: plan.limit,
        horizon: plan.horizon,
        grid: Grid::over(plan.horizon.since(SimTime::ZERO)),
        one_key: keys.len() == 1,
        with_timeline: plan.with_timeline,
        reference: plan.reference,
        names: keys.clone(),
        legitimate: legitimate(plan),
        instants: Staircase::EXACT / keys.len().clamp(1, SHARDS as usize),
    };
    let mut shards: Vec<Shard> = (0..SHARDS).map(|_| Shard::default()).collect();
    let rounds = plan.workload.rounds(plan.seed);
    rounds.work_off(|feeds| {
        feeds
            .par_iter_mut()
            .zip(&mut shards)
            .for_each(|(feed, shard)| shard.consume(feed, plan, &course, progress));
    })?;
    let spans = shards.iter().filter_map(|shard| shard.span);
    let first = spans
        .clone()
        .map(|(first, _)| first)
        .min()
        .unwrap_or_default();
    let last = spans.map(|(_, last)| last).max().unwrap_or_default();
    let requests = shards.iter().map(|shard| shard.requests).sum();
    let order = plan.with_timeline.then(|| Order::of(plan, &mut shards));
    let candidates = gather(plan, &course, keys.len(), order.as_ref(), shards);
    Ok(RunResult {
        title: plan.title.clone(),
        limit: plan.limit,
        epoch: plan.epoch,
        horizon: plan.horizon,
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

/// For each mark, whether its block's requests ought to pass.
fn legitimate(plan: &Plan) -> Arc<[Option<bool>]> {
    let blocks = plan.workload.blocks();
    let of = |mark: &Mark| blocks[usize::from(mark.block)].legitimate;
    plan.workload.marks().iter().map(of).collect()
}

/// The order of all arrivals of a run across its shards.
struct Order {
    arrivals: Vec<Arrival>,
    /// For each arrival, its shard and its place among that shard's arrivals.
    origins: Vec<(usize, usize)>,
}

impl Order {
    /// Sorts by (time, traffic block, order within the block, shard).
    fn of(plan: &Plan, shards: &mut [Shard]) -> Self {
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
    shards: Vec<Shard>,
) -> Vec<CandidateResult> {
    let mut merged: Vec<Merge> = plan
        .candidates
        .iter()
        .map(|_| Merge::new(course, keys))
        .collect();
    for (number, shard) in shards.into_iter().enumerate() {
        for (merge, lane) in merged.iter_mut().zip(shard.lanes) {
            merge.add(number, lane.finish());
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
    series: Series,
    records: Vec<Vec<Record>>,
    lines: Vec<LevelLine>,
}

impl Merge {
    fn new(course: &Course, keys: usize) -> Self {
        Self {
            tally: Tally::default(),
            per_key: vec![KeyTally::default(); keys],
            delays: Delays::default(),
            occupancy: Occupancy::default(),
            estimates: Estimates::default(),
            series: Series::new(course.grid, course.one_key),
            records: vec![Vec::new(); SHARDS as usize],
            lines: Vec::new(),
        }
    }

    fn add(&mut self, shard: usize, lane: LaneResult) {
        self.tally.merge(&lane.tally);
        self.delays.merge(&lane.delays);
        self.occupancy.merge(&lane.occupancy);
        self.estimates.merge(lane.estimates);
        self.series.merge(lane.series);
        let id = |slot: usize| KeyId::at(shard, slot).0 as usize;
        for (slot, tally) in lane.per_key.into_iter().enumerate() {
            self.per_key[id(slot)] = tally;
        }
        if let Some(recorder) = lane.recorder {
            self.records[shard] = recorder.records;
            self.lines
                .resize_with(self.per_key.len(), LevelLine::default);
            for (slot, line) in recorder.lines.into_iter().enumerate() {
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
        let series = self.series.into_buckets();
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
            state_bytes: self.occupancy.bytes,
            redis_bytes: self.occupancy.redis,
            estimates: self.estimates,
            closed_form: stepper.closed_form(),
            theory: theory::compare(stepper.closed_form(), rates, &series),
            live_keys: self.occupancy.keys,
            series,
            records,
            levels: order.map(|_| self.lines),
        }
    }
}
