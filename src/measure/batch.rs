//! A batch of requests in columns, and a candidate's answers to it: what probes look at.
//!
//! Columns keep every loop over a batch short and let it run through memory in order; what a loop
//! does not read costs it nothing.

use super::amounts::Amounts;
use super::windows::Windows;
use crate::limiter::Decision;
use crate::units::{Cost, Limit, Nanos, SimTime};
use crate::workload::Arrival;

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

    /// Cuts the arrivals into columns; gives the number of keys that the slots lie below.
    pub fn cut(&mut self, with_costs: bool) -> usize {
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
        self.slots.iter().max().map_or(0, |most| *most as usize + 1)
    }

    /// Fills in what was offered before each request.
    pub fn note_offers<A: Amounts>(&mut self, windows: &mut Windows<A>, limit: Limit) {
        let bound = A::Sum::from(limit.units);
        self.offered.exceeds.clear();
        self.offered.before.clear();
        for (index, (now, slot)) in self.times.iter().zip(&self.slots).enumerate() {
            let cost = A::cost(&self.costs, index);
            let mut sum = windows.sum(*slot as usize, *now);
            if self.costs.is_empty() {
                let before: u128 = sum.into();
                self.offered
                    .before
                    .push(u64::try_from(before).expect("a count of requests"));
            }
            sum += cost.into();
            self.offered.exceeds.push(sum > bound && cost > 0);
            if cost > 0 {
                windows.note(*slot as usize, *now, cost);
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
    /// Begins a batch.
    pub fn clear(&mut self) {
        self.admitted.clear();
        self.waits.clear();
        self.estimates.clear();
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

    /// Notes a decision.
    #[inline]
    pub fn note(&mut self, decision: Decision, delays: bool) {
        self.admitted.push(decision.is_admitted());
        if delays {
            self.waits.push(decision.delay().get());
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
