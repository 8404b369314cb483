//! The fast path: each shard's arrivals are drawn once and broadcast in batches to every candidate.
//!
//! It holds where no decision can influence another key or a later arrival. Shards run side by side,
//! and candidates side by side within a shard, so that a run with one key is parallel too. Results
//! merge in shard order: any number of threads gives the same bytes.

use super::lane::{Course, LaneResult};
use super::plan::{Plan, Progress};
use super::shard::{Outcome, Shard};
use crate::error::Result;
use crate::units::{SHARDS, SimTime};
use crate::workload::Arrival;
use rayon::prelude::*;

/// What the fast path yields.
pub(super) struct Replayed {
    /// By shard, one result per candidate that takes this path; none where nothing arrived.
    pub(super) lanes: Vec<Vec<LaneResult>>,
    /// The arrivals of all shards in order, where they are kept.
    pub(super) order: Option<Order>,
    pub(super) requests: u64,
    /// When the first and the last request came.
    pub(super) span: Option<(SimTime, SimTime)>,
}

/// Runs all candidates that have no deployment of their own.
///
/// # Errors
/// When a trace can no longer be read.
pub(super) fn replay(plan: &Plan, course: &Course, progress: &dyn Progress) -> Result<Replayed> {
    let mut outcomes = decide(plan, course, progress)?;
    let spans = outcomes.iter().filter_map(|shard| shard.span);
    let span = spans.reduce(|(first, last), (begun, ended)| (first.min(begun), last.max(ended)));
    let requests = outcomes.iter().map(|shard| shard.requests).sum();
    let order = plan.with_timeline.then(|| Order::of(plan, &mut outcomes));
    Ok(Replayed {
        lanes: outcomes.into_iter().map(|shard| shard.lanes).collect(),
        order,
        requests,
        span,
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

/// The order of all arrivals of a run across its shards.
pub(super) struct Order {
    pub(super) arrivals: Vec<Arrival>,
    /// For each arrival, its shard and its place among that shard's arrivals.
    pub(super) origins: Vec<(usize, usize)>,
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
