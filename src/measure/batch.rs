//! A batch of requests in columns, and a candidate's answers to it: what probes look at.
//!
//! Columns keep every loop over a batch short and let it run through memory in order; what a loop
//! does not read costs it nothing.

use super::Grid;
use super::amounts::Amounts;
use super::past::Past;
use crate::limiter::Decision;
use crate::units::{Cost, Limit, Nanos, SimTime};
use crate::workload::Arrival;
use std::ops::Range;

/// Requests of one shard in order of time.
#[derive(Debug, Default)]
pub struct Batch {
    /// The requests.
    pub arrivals: Vec<Arrival>,
    /// When they come, in nanoseconds.
    pub times: Vec<u64>,
    /// The slots of their keys within the shard.
    pub slots: Vec<u32>,
    /// What they cost; empty where each costs 1.
    pub costs: Vec<Cost>,
    /// Where a bucket of the series begins, but for the first place.
    pub edges: Vec<usize>,
    /// What was offered before them, where that is asked for.
    pub offered: Offers,
}

/// What was offered in the trailing window of each request's key.
#[derive(Debug, Default)]
pub struct Offers {
    /// Whether it exceeds the limit, the request included.
    pub exceeds: Vec<bool>,
    /// How much it is, the request not included; kept where each request costs 1.
    pub before: Vec<u64>,
}

impl Batch {
    /// How many requests there are.
    pub const fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// Cuts the arrivals into columns, of a run with these buckets; gives the number of keys that the
    /// slots lie below.
    pub fn cut(&mut self, with_costs: bool, grid: Grid) -> usize {
        let arrivals = &self.arrivals;
        self.times.clear();
        self.times
            .extend(arrivals.iter().map(|arrival| arrival.at.as_nanos()));
        self.slots.clear();
        let slot = |arrival: &Arrival| u32::try_from(arrival.key.slot()).expect("32 bits");
        self.slots.extend(arrivals.iter().map(slot));
        self.costs.clear();
        if with_costs {
            self.costs
                .extend(arrivals.iter().map(|arrival| arrival.cost));
        }
        self.cut_buckets(grid);
        self.slots.iter().max().map_or(0, |most| *most as usize + 1)
    }

    fn cut_buckets(&mut self, grid: Grid) {
        self.edges.clear();
        let mut begun = 0;
        while let Some(bucket) = self
            .times
            .get(begun)
            .and_then(|at| grid.bucket(SimTime::from_nanos(*at)))
        {
            let next = grid.start(bucket + 1).as_nanos();
            begun += self.times[begun..].partition_point(|at| *at < next);
            self.edges.push(begun);
        }
    }

    /// Places in the batch, in runs short enough that what they touch stays in the nearest cache.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        const RUN: usize = 64;
        let len = self.len();
        (0..len)
            .step_by(RUN)
            .map(move |begin| begin..len.min(begin + RUN))
    }

    /// Fills in what was offered before each request.
    pub fn note_offers<A: Amounts>(&mut self, past: &mut A::Past, limit: Limit) {
        let bound = A::Sum::from(limit.units);
        let are_counts = self.costs.is_empty();
        self.offered.exceeds.clear();
        self.offered.before.clear();
        for index in 0..self.len() {
            let (slot, now) = (self.slots[index] as usize, self.times[index]);
            let cost = A::cost(&self.costs, index);
            let mut sum = past.sum(slot, now);
            if are_counts {
                let before: u128 = sum.into();
                let before = u64::try_from(before).expect("a count of requests");
                self.offered.before.push(before);
            }
            sum += cost.into();
            self.offered.exceeds.push(sum > bound && cost > 0);
            if cost > 0 {
                past.note(slot, now, cost);
            }
        }
    }
}

/// One candidate's answers to a batch.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Whether each request was admitted.
    pub admitted: Vec<bool>,
    /// How long each waits, in nanoseconds; empty for a candidate that never delays.
    pub waits: Vec<u64>,
    /// What the algorithm took its key's count to be before each; empty where it does not estimate.
    pub estimates: Vec<f64>,
}

impl Answers {
    /// Makes room for the answers to a batch of `requests`, of a candidate that delays or not and
    /// estimates or not.
    pub fn begin(&mut self, requests: usize, delays: bool, estimates: bool) {
        self.admitted.resize(requests, false);
        self.waits.resize(if delays { requests } else { 0 }, 0);
        self.estimates
            .resize(if estimates { requests } else { 0 }, 0.0);
    }

    /// When the request at `index`, which came at `now` and was admitted, is forwarded; `None` if
    /// never.
    pub fn forwarded(&self, index: usize, now: u64) -> Option<u64> {
        let Some(wait) = self.waits.get(index) else {
            return Some(now);
        };
        let at = SimTime::from_nanos(now).saturating_add(Nanos::new(*wait));
        (at != SimTime::MAX).then_some(at.as_nanos())
    }

    /// Notes the decision on the request at `index`.
    #[inline]
    pub fn note(&mut self, index: usize, decision: Decision) {
        self.admitted[index] = decision.is_admitted();
        if let Some(wait) = self.waits.get_mut(index) {
            *wait = decision.delay().get();
        }
    }
}

/// How many are true.
pub(super) fn count(column: &[bool]) -> u64 {
    // In short rows of bytes, which the machine adds up many at a time.
    let rows = column.chunks(255);
    rows.map(|row| u64::from(row.iter().map(|is| u8::from(*is)).sum::<u8>()))
        .sum()
}
