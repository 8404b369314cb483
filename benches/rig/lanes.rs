//! The product's own lanes over arrivals that have been drawn, and the same arrivals as the hand-written
//! loops take them.

use super::floor::Request;
use super::traffic::scenario;
use ratesim::measure::{Grid, Staircase};
use ratesim::simulation::{Course, Plan, Planned};
use ratesim::units::{SHARDS, SimTime};
use ratesim::workload::{Arrival, BATCH};
use rayon::slice::ParallelSliceMut;

/// Arrivals drawn once.
pub(crate) struct Drawn {
    plan: Plan,
    /// How many keys there are.
    pub(crate) keys: usize,
    /// How many requests came.
    pub(crate) requests: u64,
    shards: Vec<Vec<Arrival>>,
    /// All requests in order of time.
    pub(crate) by_time: Vec<Request>,
    /// The same, shard after shard, with the states of a shard's keys side by side.
    pub(crate) by_shard: Vec<Request>,
}

impl Drawn {
    /// Draws about this many requests of this many keys.
    pub(crate) fn new(keys: u64, requests: u64) -> Self {
        let plan = scenario(keys, requests).into_plan(false);
        let mut shards = vec![Vec::new(); SHARDS as usize];
        let mut batch = Vec::new();
        let mut rounds = plan.workload.rounds(plan.seed);
        while rounds.advance().expect("no trace") {
            for (feed, shard) in rounds.feeds().iter_mut().zip(&mut shards) {
                while feed.fill(&mut batch) {
                    shard.extend_from_slice(&batch);
                }
            }
        }
        let arrivals = || shards.iter().flatten();
        let mut by_time: Vec<Request> = arrivals().map(|a| (a.at.as_nanos(), a.key.0)).collect();
        by_time.par_sort_unstable();
        let keys = plan.workload.keys().len();
        // Where each shard's states begin.
        let count = SHARDS as usize;
        let begins: Vec<usize> = (0..count)
            .scan(0, |begin, shard| {
                let size = (keys + count - 1 - shard) / count;
                Some(std::mem::replace(begin, *begin + size))
            })
            .collect();
        let index = |a: &Arrival| begins[a.key.shard() as usize] + a.key.slot();
        let index = |a: &Arrival| u32::try_from(index(a)).expect("as many as there are keys");
        let by_shard = arrivals().map(|a| (a.at.as_nanos(), index(a))).collect();
        Self {
            keys,
            requests: by_time.len() as u64,
            by_time,
            by_shard,
            shards,
            plan,
        }
    }

    /// Decides all arrivals with an algorithm's lanes, shard after shard; how many are admitted.
    pub(crate) fn decide(&self, kind: &str) -> u64 {
        let course = self.course();
        let row = |planned: &&Planned| planned.algorithm == kind;
        let planned = self.plan.candidates.iter().find(row);
        let candidate = &planned.expect("an algorithm of the catalog").candidate;
        let shards = self.shards.iter().filter(|shard| !shard.is_empty());
        let admitted = shards.map(|arrivals| {
            let mut lane = candidate.lane(course.clone());
            for batch in arrivals.chunks(BATCH) {
                lane.step(batch);
            }
            lane.finish().tally.allowed
        });
        admitted.sum()
    }

    /// What a run of this traffic tells its lanes.
    fn course(&self) -> Course {
        let marks = self.plan.workload.marks().len();
        Course {
            limit: self.plan.limit,
            horizon: self.plan.horizon,
            grid: Grid::over(self.plan.horizon.since(SimTime::ZERO)),
            one_key: self.keys == 1,
            with_timeline: false,
            reference: self.plan.reference,
            names: self.plan.workload.keys(),
            legitimate: vec![None; marks].into(),
            instants: Staircase::EXACT / self.keys.clamp(1, SHARDS as usize),
        }
    }
}
