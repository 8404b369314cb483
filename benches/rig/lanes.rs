//! The product's own lanes over arrivals that have been drawn, and the same arrivals as the hand-written
//! loops take them.

use super::floor::Request;
use super::traffic::scenario;
use ratesim::measure::{Batch, Cut, Selection};
use ratesim::simulation::{Course, Plan, Planned};
use ratesim::units::{KeyId, SHARDS};
use rayon::slice::ParallelSliceMut;

/// Arrivals drawn once.
pub(crate) struct Drawn {
    plan: Plan,
    /// How many keys there are.
    pub(crate) keys: usize,
    /// How many requests came.
    pub(crate) requests: u64,
    shards: Vec<Shard>,
    /// All requests in order of time.
    pub(crate) by_time: Vec<Request>,
    /// The same, shard after shard, with the states of a shard's keys side by side.
    pub(crate) by_shard: Vec<Request>,
}

/// What one shard is asked.
#[derive(Default)]
struct Shard {
    batches: Vec<Batch>,
    /// How often each key comes, by slot.
    per_key: Vec<u64>,
}

impl Shard {
    fn push(&mut self, mut batch: Batch, cut: &Cut) {
        let keys = batch.cut(cut).max(self.per_key.len());
        self.per_key.resize(keys, 0);
        for slot in &batch.slots {
            self.per_key[*slot as usize] += 1;
        }
        self.batches.push(batch);
    }

    fn requests(&self) -> impl Iterator<Item = (u64, KeyId)> {
        let arrivals = self.batches.iter().flat_map(|batch| &batch.arrivals);
        arrivals.map(|arrival| (arrival.at.as_nanos(), arrival.key))
    }
}

impl Drawn {
    /// Draws about this many requests of this many keys.
    pub(crate) fn new(keys: u64, requests: u64) -> Self {
        let plan = scenario(keys, requests).into_plan(false);
        let mut shards: Vec<Shard> = (0..SHARDS).map(|_| Shard::default()).collect();
        let cut = Course::of(&plan).cut();
        let mut rounds = plan.workload.rounds(plan.seed);
        while rounds.advance().expect("no trace") {
            for (feed, shard) in rounds.feeds().iter_mut().zip(&mut shards) {
                let mut batch = Batch::default();
                while feed.fill(&mut batch.arrivals) {
                    shard.push(std::mem::take(&mut batch), &cut);
                }
            }
        }
        let requests = || shards.iter().flat_map(Shard::requests);
        let mut by_time: Vec<Request> = requests().map(|(at, key)| (at, key.0)).collect();
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
        let index = |key: KeyId| begins[key.shard() as usize] + key.slot();
        let index = |key: KeyId| u32::try_from(index(key)).expect("as many as there are keys");
        let by_shard = requests().map(|(at, key)| (at, index(key))).collect();
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
    pub(crate) fn decide(&self, kind: &str, measures: Selection) -> u64 {
        let course = Course {
            measures,
            ..Course::of(&self.plan)
        };
        let row = |planned: &&Planned| planned.algorithm == kind;
        let planned = self.plan.candidates.iter().find(row);
        let candidate = &planned.expect("an algorithm of the catalog").candidate;
        let admitted = self.shards.iter().map(|shard| {
            let mut lane = candidate.lane(course.clone());
            for batch in &shard.batches {
                lane.step(batch, shard.per_key.len());
            }
            lane.finish(&shard.per_key).allowed()
        });
        admitted.sum()
    }
}
