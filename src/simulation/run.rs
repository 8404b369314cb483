//! A run: its candidates on the paths that they need, and their results as one.

use super::cluster::{self, Closing};
use super::lane::{Course, Requesters};
use super::merge::Merge;
use super::plan::{Plan, Planned, Progress};
use super::replay::{Replayed, replay};
use crate::error::Result;
use crate::measure::{CandidateResult, Grid, RunResult, Staircase, theory};
use crate::units::{SHARDS, SimTime};
use crate::workload::Mark;
use std::sync::Arc;

/// Runs a plan: candidates with a deployment of their own on the event path, all others on the fast
/// one. Each path draws the same arrivals.
///
/// # Errors
/// When a trace can no longer be read.
pub fn run(plan: &Plan, progress: &dyn Progress) -> Result<RunResult> {
    let course = Course::of(plan);
    let clusters: Vec<&Planned> = plan
        .candidates
        .iter()
        .filter(|c| c.cluster.is_some())
        .collect();
    let events = match clusters.is_empty() {
        true => None,
        false => Some(cluster::run(plan, &clusters, &course, progress)?),
    };
    let replayed = match clusters.len() == plan.candidates.len() {
        true => None,
        // One of the paths tells how the run gets on.
        false if events.is_some() => Some(replay(plan, &course, &())?),
        false => Some(replay(plan, &course, progress)?),
    };
    let (requests, span) = match (&events, &replayed) {
        (Some(events), _) => (events.requests, events.span),
        (None, Some(replayed)) => (replayed.requests, replayed.span),
        (None, None) => (0, None),
    };
    let (first, last) = span.unwrap_or_default();
    let mut arrivals = None;
    let mut results = Results::new(plan, &course);
    if let Some(mut replayed) = replayed {
        arrivals = replayed
            .order
            .as_mut()
            .map(|order| std::mem::take(&mut order.arrivals));
        results.add_replayed(replayed);
    }
    if let Some(events) = events {
        arrivals = arrivals.or(plan.with_timeline.then_some(events.arrivals));
        results.add_events(events.results);
    }
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
        keys: plan.workload.keys(),
        marks: plan.workload.marks().to_vec(),
        blocks: plan
            .workload
            .blocks()
            .iter()
            .map(|block| block.label.clone())
            .collect(),
        grid: course.grid,
        arrivals,
        candidates: results.candidates.into_iter().flatten().collect(),
    })
}

/// The results of the candidates, in the order of the plan, as far as they are there.
struct Results<'a> {
    plan: &'a Plan,
    course: &'a Course,
    /// Rates of the keys' Poisson traffic, which closed forms are worked out for.
    rates: Vec<(f64, f64)>,
    candidates: Vec<Option<CandidateResult>>,
}

impl<'a> Results<'a> {
    fn new(plan: &'a Plan, course: &'a Course) -> Self {
        let windows = plan.horizon.as_nanos() / plan.limit.window.get();
        Self {
            rates: match windows {
                0..theory::LEAST_WINDOWS => Vec::new(),
                _ => plan.workload.poisson_rates(plan.horizon),
            },
            candidates: plan.candidates.iter().map(|_| None).collect(),
            plan,
            course,
        }
    }

    /// The candidates that take this path or the other one, with their numbers.
    fn on_path(&self, is_cluster: bool) -> Vec<(usize, &'a Planned)> {
        let planned = self.plan.candidates.iter().enumerate();
        planned
            .filter(|(_, planned)| planned.cluster.is_some() == is_cluster)
            .collect()
    }

    /// Merges the lanes of all shards, in shard order, into one result per candidate.
    fn add_replayed(&mut self, replayed: Replayed) {
        let planned = self.on_path(false);
        let keys = self.course.names.len();
        let mut merged: Vec<Merge> = planned
            .iter()
            .map(|_| Merge::new(self.course, keys))
            .collect();
        for (number, lanes) in replayed.lanes.into_iter().enumerate() {
            for (merge, lane) in merged.iter_mut().zip(lanes) {
                merge.add_shard(number, lane, keys);
            }
        }
        let origins = replayed.order.map(|order| order.origins);
        for ((index, planned), merge) in planned.into_iter().zip(merged) {
            let result = merge.into_result(planned, origins.as_deref(), &self.rates);
            self.candidates[index] = Some(result);
        }
    }

    fn add_events(&mut self, results: Vec<Closing>) {
        let planned = self.on_path(true);
        let keys = self.course.names.len();
        for ((index, planned), closing) in planned.into_iter().zip(results) {
            let Closing {
                result: lane,
                cluster,
                chapters,
            } = closing;
            let mut merge = Merge::new(self.course, keys);
            merge.add_whole(lane, keys * cluster.states_per_key);
            let result = merge.into_result(planned, None, &[]);
            self.candidates[index] = Some(CandidateResult {
                rules: planned
                    .cluster
                    .as_ref()
                    .and_then(|cluster| cluster.rules.clone()),
                chapters,
                cluster: Some(cluster),
                ..result
            });
        }
    }
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
            blocks: plan
                .workload
                .marks()
                .iter()
                .map(|mark| mark.block)
                .collect(),
            requesters: plan.rules().is_some().then(|| {
                Arc::new(Requesters {
                    marks: plan.workload.marks().to_vec(),
                    names: plan.workload.part_names(),
                })
            }),
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
