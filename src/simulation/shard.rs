//! One shard of a run on the fast path: its arrivals are drawn once and broadcast in batches to the
//! lanes of all candidates.

use super::lane::{Course, Lane, LaneResult};
use super::plan::{Plan, Progress};
use crate::measure::{Batch, Counts, Departures, Past, Recent, Sums};
use crate::units::SimTime;
use crate::workload::{Arrival, ShardFeed};
use rayon::prelude::*;

/// A shard while it runs.
#[derive(Default)]
pub(super) struct Shard {
    lanes: Vec<Box<dyn Lane>>,
    batch: Batch,
    next: Batch,
    offered: Option<Offered>,
    /// How often each key came, by slot.
    per_key: Vec<u64>,
    outcome: Outcome,
}

/// What a shard leaves behind.
#[derive(Default)]
pub(super) struct Outcome {
    /// One result per candidate; none where nothing arrived.
    pub(super) lanes: Vec<LaneResult>,
    /// The arrivals in order, where they are kept.
    pub(super) arrivals: Vec<Arrival>,
    pub(super) requests: u64,
    /// When the first and the last request came.
    pub(super) span: Option<(SimTime, SimTime)>,
}

/// What was offered for each key, in the form that amounts are kept in.
enum Offered {
    Counts(Recent),
    Sums(Departures),
}

impl Shard {
    /// Decides everything that the feed has in the present slice of time.
    pub(super) fn consume(
        &mut self,
        feed: &mut ShardFeed,
        plan: &Plan,
        course: &Course,
        progress: &dyn Progress,
    ) {
        let mut more = feed.fill(&mut self.batch.arrivals);
        while more {
            self.begin(plan, course);
            let keys = self.per_key.len();
            let (batch, lanes) = (&self.batch, &mut self.lanes);
            // The next batch is drawn beside the decisions on this one, and candidates decide side
            // by side: so a run with few keys is parallel too.
            let next = &mut self.next.arrivals;
            let decide = || lanes.par_iter_mut().for_each(|lane| lane.step(batch, keys));
            (more, ()) = rayon::join(|| feed.fill(next), decide);
            progress.advance(self.batch.len() as u64);
            std::mem::swap(&mut self.batch, &mut self.next);
        }
    }

    /// Takes in a batch that has been drawn, before it is decided.
    fn begin(&mut self, plan: &Plan, course: &Course) {
        if self.lanes.is_empty() {
            let lane = |planned: &super::Planned| planned.candidate.lane(course.clone());
            let replayed = plan
                .candidates
                .iter()
                .filter(|planned| planned.cluster.is_none());
            self.lanes = replayed.map(lane).collect();
            self.offered = course.knows_offers().then(|| Offered::new(course));
        }
        let batch = &mut self.batch;
        let keys = batch.cut(&course.cut()).max(self.per_key.len());
        self.per_key.resize(keys, 0);
        for slot in &batch.slots {
            self.per_key[*slot as usize] += 1;
        }
        if let Some(offered) = &mut self.offered {
            offered.note(batch, course, keys);
        }
        let outcome = &mut self.outcome;
        outcome.requests += batch.len() as u64;
        if let (Some(first), Some(last)) = (batch.arrivals.first(), batch.arrivals.last()) {
            let begun = outcome.span.map_or(first.at, |(begun, _)| begun);
            outcome.span = Some((begun, last.at));
        }
        if course.with_timeline {
            outcome.arrivals.extend_from_slice(&batch.arrivals);
        }
    }

    /// Ends the run: the states are let go of, the measures remain.
    pub(super) fn finish(&mut self) -> Outcome {
        let Self {
            lanes,
            per_key,
            outcome,
            ..
        } = std::mem::take(self);
        let lanes = lanes.into_par_iter().map(|lane| lane.finish(&per_key));
        Outcome {
            lanes: lanes.collect(),
            ..outcome
        }
    }
}

impl Offered {
    fn new(course: &Course) -> Self {
        if course.unit_costs {
            Self::Counts(Recent::new(course.limit, None))
        } else {
            Self::Sums(Departures::new(course.limit, None))
        }
    }

    fn note(&mut self, batch: &mut Batch, course: &Course, keys: usize) {
        match self {
            Self::Counts(past) => {
                past.reach(keys);
                batch.note_offers::<Counts>(past, course.limit);
            }
            Self::Sums(past) => {
                past.reach(keys);
                batch.note_offers::<Sums>(past, course.limit);
            }
        }
    }
}
