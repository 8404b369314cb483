//! A batch of requests in columns, and a candidate's answers to it: what probes look at.
//!
//! Columns keep every loop over a batch short and let it run through memory in order; what a loop
//! does not read costs it nothing.

use super::Grid;
use super::amounts::Amounts;
use super::past::{Past, TOUCHED};
use crate::limiter::Decision;
use crate::units::{Cost, KeyId, Limit, Nanos, SimTime};
use crate::workload::Arrival;
use std::ops::Range;

/// Requests of one shard, those of each key in order of time.
#[derive(Debug, Default)]
pub struct Batch {
    /// The requests in order of time.
    pub arrivals: Vec<Arrival>,
    /// When they come, in nanoseconds.
    pub times: Vec<u64>,
    /// The slots of their keys within the shard.
    pub slots: Vec<u32>,
    /// What they cost; empty where each costs 1.
    pub costs: Vec<Cost>,
    /// Their marks; empty where nobody asks.
    pub marks: Vec<u32>,
    /// The buckets of the series that they fall into; empty where nobody asks.
    pub buckets: Vec<u32>,
    /// What was offered before them, where that is asked for.
    pub offered: Offers,
    /// Where the request at each place of the columns stands among the arrivals.
    order: Vec<u32>,
    /// Where the next request of each key goes.
    places: Vec<u32>,
}

/// How a run's batches are cut into columns.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// The buckets of the series, where they are asked for.
    pub grid: Option<Grid>,
    /// Whether requests have costs of their own.
    pub costs: bool,
    /// Whether their marks are asked for.
    pub marks: bool,
    /// Whether the requests of one key come after those of another, and not all in order of time.
    pub by_key: bool,
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
    /// The bucket of requests after the last one.
    pub const NO_BUCKET: u32 = u32::MAX;

    /// How many requests there are.
    pub const fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// Cuts the arrivals into columns; gives the number of keys that the slots lie below.
    ///
    /// By key, the states that a loop over a batch meets lie in memory in the order in which it meets
    /// them. No decision depends on another key's, so the answers are the same.
    pub fn cut(&mut self, cut: &Cut) -> usize {
        let keys = self.sort(cut.by_key);
        let Self {
            arrivals, order, ..
        } = self;
        let ordered = || order.iter().map(|index| &arrivals[*index as usize]);
        self.times.clear();
        self.slots.clear();
        self.costs.clear();
        self.marks.clear();
        self.buckets.clear();
        self.times
            .extend(ordered().map(|arrival| arrival.at.as_nanos()));
        self.slots.extend(ordered().map(slot));
        if let Some(grid) = cut.grid {
            self.buckets
                .extend(ordered().map(|arrival| bucket(grid, arrival.at)));
        }
        if cut.costs {
            self.costs.extend(ordered().map(|arrival| arrival.cost));
        }
        if cut.marks {
            self.marks.extend(ordered().map(|arrival| arrival.mark.0));
        }
        keys
    }

    /// Empties the columns.
    pub fn clear(&mut self) {
        self.arrivals.clear();
        self.times.clear();
        self.slots.clear();
        self.costs.clear();
        self.marks.clear();
        self.buckets.clear();
        self.offered.exceeds.clear();
        self.offered.before.clear();
        self.order.clear();
    }

    /// Adds a request that is answered at `at`, after all others: its slot is its key's number, and it
    /// falls into the bucket of its arrival.
    pub fn push(&mut self, arrival: Arrival, at: SimTime, cut: &Cut) {
        self.order
            .push(u32::try_from(self.len()).expect("a few thousand"));
        self.times.push(at.as_nanos());
        self.slots.push(arrival.key.0);
        if let Some(grid) = cut.grid {
            self.buckets.push(bucket(grid, arrival.at));
        }
        if cut.costs {
            self.costs.push(arrival.cost);
        }
        if cut.marks {
            self.marks.push(arrival.mark.0);
        }
        self.arrivals.push(arrival);
    }

    /// Finds the order of the columns; gives the number of keys that the slots lie below.
    fn sort(&mut self, by_key: bool) -> usize {
        let Self {
            arrivals,
            order,
            places,
            ..
        } = self;
        let keys = arrivals.iter().map(slot).max();
        let keys = keys.map_or(0, |most| most as usize + 1);
        let len = u32::try_from(arrivals.len()).expect("a few thousand");
        order.clear();
        order.extend(0..len);
        if !by_key {
            return keys;
        }
        places.clear();
        places.resize(keys, 0);
        for arrival in &*arrivals {
            places[arrival.key.slot()] += 1;
        }
        let mut begun = 0;
        for place in &mut *places {
            begun += std::mem::replace(place, begun);
        }
        for (index, arrival) in (0..len).zip(&*arrivals) {
            let place = &mut places[arrival.key.slot()];
            order[*place as usize] = index;
            *place += 1;
        }
        keys
    }

    /// The columns in parts, each small enough that all loops over it find it, and the states of its
    /// keys, in a near cache.
    pub fn parts(&self) -> impl Iterator<Item = Columns<'_>> {
        const PART: usize = 1 << 12;
        let len = self.len();
        let begins = (0..len).step_by(PART);
        begins.map(move |begin| self.part(begin..len.min(begin + PART)))
    }

    /// The columns as a whole.
    pub fn whole(&self) -> Columns<'_> {
        self.part(0..self.len())
    }

    fn part(&self, range: Range<usize>) -> Columns<'_> {
        fn of<T>(column: &[T], range: Range<usize>) -> &[T] {
            column.get(range).unwrap_or_default()
        }
        Columns {
            times: of(&self.times, range.clone()),
            slots: of(&self.slots, range.clone()),
            costs: of(&self.costs, range.clone()),
            marks: of(&self.marks, range.clone()),
            buckets: of(&self.buckets, range.clone()),
            exceeds: of(&self.offered.exceeds, range.clone()),
            before: of(&self.offered.before, range.clone()),
            order: of(&self.order, range),
            arrivals: &self.arrivals,
        }
    }

    /// Fills in what was offered before each request.
    pub fn note_offers<A: Amounts>(&mut self, past: &mut A::Past, limit: Limit) {
        let bound = A::Sum::from(limit.units);
        let are_counts = self.costs.is_empty();
        self.offered.exceeds.clear();
        self.offered.before.clear();
        for index in 0..self.len() {
            if index % TOUCHED == 0 {
                past.touch(ahead(&self.slots, index));
            }
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

/// The slots of the next few requests from a place on.
pub(super) fn ahead(slots: &[u32], place: usize) -> &[u32] {
    &slots[place..slots.len().min(place + TOUCHED)]
}

/// A part of a batch's columns; see [`Batch`].
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// When the requests come, in nanoseconds.
    pub times: &'a [u64],
    /// The slots of their keys within the shard.
    pub slots: &'a [u32],
    /// What they cost; empty where each costs 1.
    pub costs: &'a [Cost],
    /// Their marks; empty where nobody asks.
    pub marks: &'a [u32],
    /// The buckets of the series that they fall into; empty where nobody asks.
    pub buckets: &'a [u32],
    /// Whether what was offered exceeds the limit; see [`Offers`].
    pub exceeds: &'a [bool],
    /// How much was offered before them; see [`Offers`].
    pub before: &'a [u64],
    order: &'a [u32],
    arrivals: &'a [Arrival],
}

impl Columns<'_> {
    /// How many requests there are.
    pub const fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The key of the request at a place.
    pub fn key(&self, place: usize) -> KeyId {
        self.arrivals[self.order[place] as usize].key
    }
}

fn bucket(grid: Grid, at: SimTime) -> u32 {
    match grid.bucket(at) {
        Some(bucket) => u32::try_from(bucket).expect("about a thousand"),
        None => Batch::NO_BUCKET,
    }
}

fn slot(arrival: &Arrival) -> u32 {
    u32::try_from(arrival.key.slot()).expect("fewer than keys")
}

/// One candidate's answers to a batch, in the order of its columns.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Whether each request was admitted.
    pub admitted: Vec<bool>,
    /// How long each waits, in nanoseconds; empty for a candidate that never delays.
    pub waits: Vec<u64>,
    /// What the algorithm took its key's count to be before each, not a number where it was not
    /// asked; empty where it does not estimate.
    pub estimates: Vec<f64>,
    /// Whether each was refused because the store or a node failed; empty where nothing can fail.
    pub failed: Vec<bool>,
    /// Whether each was answered while something was down, or because it had been; empty where
    /// nothing can fail.
    pub in_outage: Vec<bool>,
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

    /// Empties the columns.
    pub fn clear(&mut self) {
        self.admitted.clear();
        self.waits.clear();
        self.estimates.clear();
        self.failed.clear();
        self.in_outage.clear();
    }

    /// When the request at `index`, which came at `now` and was admitted, is forwarded; `None` if
    /// never.
    #[inline]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::MarkId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn by_key_each_keys_requests_keep_their_order(slots in prop::collection::vec(0u32..9, 0..80)) {
            let arrival = |(index, slot): (u64, &u32)| Arrival {
                at: SimTime::from_nanos(10 * index),
                cost: 100 + index,
                seq: index,
                key: KeyId(*slot * crate::units::SHARDS + 5),
                mark: MarkId(7),
            };
            let mut batch = Batch { arrivals: (0..).zip(&slots).map(arrival).collect(), ..Batch::default() };
            let grid = Grid::over(Nanos::new(800));
            let cut = Cut { grid: Some(grid), costs: true, marks: true, by_key: true };
            let keys = batch.cut(&cut);
            prop_assert_eq!(keys, slots.iter().max().map_or(0, |most| *most as usize + 1));
            let mut expected: Vec<(u32, u64)> = slots.iter().copied().zip(0..).collect();
            expected.sort();
            for (place, (slot, index)) in expected.into_iter().enumerate() {
                prop_assert_eq!(batch.slots[place], slot);
                prop_assert_eq!(batch.times[place], 10 * index);
                prop_assert_eq!(batch.costs[place], 100 + index);
                prop_assert_eq!(u64::from(batch.buckets[place]), 10 * index);
                prop_assert_eq!(batch.whole().key(place).0, slot * crate::units::SHARDS + 5);
            }
        }
    }
}
