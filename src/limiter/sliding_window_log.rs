//! Sliding window log: the times and costs of the last w; a request is allowed while their sum
//! stays within n.
//!
//! Entries with time ≤ t − w are dropped. When denied requests are logged (the textbook form), (t, c)
//! is logged and allowed iff the sum, its own cost included, is ≤ n; otherwise it is logged only
//! when sum + c ≤ n. Exact, at the price of an entry per request: 8 bytes, or 16 once the log holds
//! a cost other than 1. A log is trimmed only when its key is touched.

use super::{Algorithm, ClosedForm, Config, Decision, Explanation, Motion, StoredAs};
use crate::error::Result;
use crate::params::{Contract, Params};
use crate::units::{Cost, Level, Limit, Nanos, Retry, Share, SimTime};
use std::collections::VecDeque;

/// What it is, in words.
pub const SLIDING_WINDOW_LOG: Explanation = Explanation {
    how: "The time of every request is logged. At each request entries that have left the window are \
          dropped; it is allowed when those that remain, itself included, are within the limit. In \
          the textbook form denied requests stay in the log; with log_denied = false only admitted \
          ones are logged.",
    good: &["Never more than the limit in any window, wherever it begins."],
    bad: &[
        "Stores a time per request: memory grows with the limit, and with denied requests too in \
         the textbook form.",
        "In the textbook form a client that keeps trying is never allowed again.",
    ],
    sources: "A sorted set in Redis (ZADD, ZREMRANGEBYSCORE, ZCARD).",
    limit: "3/1m",
    arrivals: &[1_000, 30_000, 50_000, 80_000, 85_000],
};

/// What a scenario says about a sliding window log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidingWindowLogConfig {
    /// The limit and its window.
    pub limit: Limit,
    /// Whether denied requests are logged too.
    pub log_denied: bool,
}

impl SlidingWindowLogConfig {
    /// Reads the parameters.
    pub fn read(params: &mut Params, contract: &Contract) -> Result<Self> {
        Ok(Self {
            limit: contract.limit,
            log_denied: params.or("log_denied", true)?,
        })
    }
}

impl Config for SlidingWindowLogConfig {
    fn share(&self, share: Share) -> Option<Self> {
        Some(Self {
            limit: share.limit(self.limit),
            ..*self
        })
    }
}

/// The algorithm; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidingWindowLog {
    limit: Cost,
    window: u64,
    log_denied: bool,
}

/// One key's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlidingWindowLogState {
    /// When the key was last touched.
    last: u64,
    /// When the entries were made, in order.
    times: VecDeque<u64>,
    /// What they cost; absent while each costs 1.
    costs: Option<Box<Costs>>,
}

/// The costs of a log's entries, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Costs {
    each: VecDeque<Cost>,
    sum: u128,
}

impl SlidingWindowLogState {
    fn sum(&self) -> u128 {
        match &self.costs {
            Some(costs) => costs.sum,
            None => self.times.len() as u128,
        }
    }

    fn push(&mut self, time: u64, cost: Cost) {
        if cost != 1 && self.costs.is_none() {
            self.costs = Some(Box::new(Costs {
                each: self.times.iter().map(|_| 1).collect(),
                sum: self.sum(),
            }));
        }
        if let Some(costs) = &mut self.costs {
            costs.each.push_back(cost);
            costs.sum += u128::from(cost);
        }
        self.times.push_back(time);
    }

    /// When the newest entry was made of those that have to leave until no more than `room`, which is
    /// less than the sum, is left. Looked for from the end that is nearer to it.
    fn last_to_leave(&self, room: u128) -> u64 {
        let excess = self.sum() - room;
        let index = match &self.costs {
            None => usize::try_from(excess - 1).expect("less than the entries"),
            Some(costs) => {
                let costs = &costs.each;
                let mut passed = 0;
                let mut reaches = |cost: &Cost, sum| {
                    passed += u128::from(*cost);
                    passed >= sum
                };
                let found = if excess <= room {
                    costs.iter().position(|cost| reaches(cost, excess))
                } else {
                    let kept = costs.iter().rev().position(|cost| reaches(cost, room + 1));
                    kept.map(|kept| costs.len() - 1 - kept)
                };
                found.expect("all entries together are more than the room")
            }
        };
        self.times[index]
    }
}

impl SlidingWindowLog {
    /// The algorithm for a configuration.
    pub fn new(config: &SlidingWindowLogConfig) -> Self {
        Self {
            limit: config.limit.units,
            window: config.limit.window.get(),
            log_denied: config.log_denied,
        }
    }

    /// The other one's entries at their own times, of which the same share of the limit is used: after each
    /// of them, rounded up to whole units.
    pub(super) fn convert(
        &self,
        old: &Self,
        state: &SlidingWindowLogState,
    ) -> SlidingWindowLogState {
        let mut converted = SlidingWindowLogState {
            last: state.last,
            ..SlidingWindowLogState::default()
        };
        let (mut logged, mut taken) = (0u128, 0u128);
        for (index, time) in state.times.iter().enumerate() {
            let cost = state.costs.as_ref().map_or(1, |costs| costs.each[index]);
            logged += u128::from(cost);
            let share = super::convert(logged, self.limit, old.limit);
            let cost = Cost::try_from(share - taken).unwrap_or(Cost::MAX);
            if cost > 0 {
                converted.push(*time, cost);
            }
            taken = share;
        }
        converted
    }

    /// Whether an entry made at `time` has left the window that ends at `now`.
    fn expired(&self, time: u64, now: u64) -> bool {
        now.checked_sub(self.window)
            .is_some_and(|edge| time <= edge)
    }

    /// Brings the log to `now`, or leaves it at its last time when that is later.
    fn trim(&self, state: &mut SlidingWindowLogState, now: u64) {
        state.last = state.last.max(now);
        let Some(edge) = state.last.checked_sub(self.window) else {
            return;
        };
        while let Some(&time) = state.times.front() {
            if time > edge {
                return;
            }
            state.times.pop_front();
            if let Some(costs) = &mut state.costs {
                let cost = costs.each.pop_front().expect("a cost for every time");
                costs.sum -= u128::from(cost);
            }
        }
        state.costs = None;
    }

    /// The cost of the entries in the window that ends at `now`.
    fn logged(&self, state: &SlidingWindowLogState, now: u64) -> u128 {
        let now = state.last.max(now);
        let gone = state.times.partition_point(|time| self.expired(*time, now));
        let gone = match &state.costs {
            Some(costs) => costs.each.iter().take(gone).map(|c| u128::from(*c)).sum(),
            None => gone as u128,
        };
        state.sum() - gone
    }
}

impl Algorithm for SlidingWindowLog {
    type State = SlidingWindowLogState;

    fn fresh(&self) -> Self::State {
        SlidingWindowLogState::default()
    }

    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision {
        if cost == 0 {
            return Decision::Allow;
        }
        if cost > self.limit {
            return Decision::Deny;
        }
        self.trim(state, now.as_nanos());
        let allowed = state.sum() + u128::from(cost) <= u128::from(self.limit);
        if allowed || self.log_denied {
            state.push(state.last, cost);
        }
        if allowed {
            Decision::Allow
        } else {
            Decision::Deny
        }
    }

    fn look(&self, state: &mut Self::State, now: SimTime) {
        self.trim(state, now.as_nanos());
    }

    /// Logs it, above the limit if need be. A single charge counts as n at most: while that is in
    /// the log nothing passes anyway.
    fn charge(&self, state: &mut Self::State, at: SimTime, cost: Cost) {
        if cost > 0 && self.limit > 0 {
            self.trim(state, at.as_nanos());
            state.push(state.last, cost.min(self.limit));
        }
    }

    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry {
        if cost == 0 {
            return Retry::After(0);
        }
        let Some(room) = self.limit.checked_sub(cost) else {
            return Retry::Never;
        };
        let room = u128::from(room);
        if self.logged(state, now.as_nanos()) <= room {
            return Retry::After(0);
        }
        let last = state.last_to_leave(room);
        let leaves = u128::from(last) + u128::from(self.window);
        Retry::After(leaves - u128::from(now.as_nanos()))
    }

    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost {
        let logged = self.logged(state, now.as_nanos());
        u64::try_from(logged).map_or(0, |logged| self.limit.saturating_sub(logged))
    }

    /// The logged cost, denied requests included where they are logged.
    fn level(&self, state: &Self::State, now: SimTime) -> Level {
        Level::whole(self.logged(state, now.as_nanos()))
    }

    fn level_bound(&self) -> Cost {
        self.limit
    }

    fn motion(&self) -> Motion {
        Motion::Steps
    }

    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime> {
        let now = state.last.max(after.as_nanos());
        let oldest = state.times.partition_point(|time| self.expired(*time, now));
        let leaves = state.times.get(oldest)?.checked_add(self.window)?;
        Some(SimTime::from_nanos(leaves))
    }

    fn fresh_at(&self, state: &Self::State) -> Option<SimTime> {
        match state.times.back() {
            None => Some(SimTime::ZERO),
            Some(newest) => newest.checked_add(self.window).map(SimTime::from_nanos),
        }
    }

    fn counts_denied(&self) -> bool {
        self.log_denied
    }

    fn has_one_size(&self) -> bool {
        false
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let limit = Limit {
            units: self.limit,
            window: Nanos::new(self.window),
        };
        Some(match self.log_denied {
            false => ClosedForm::LogOfAdmitted(limit),
            true => ClosedForm::LogOfAll(limit),
        })
    }

    fn stored_as(&self, state: &Self::State) -> StoredAs {
        StoredAs::SortedSet(state.times.len())
    }

    /// The state and its entries; what the queues have allocated beyond them is not counted.
    fn state_bytes(&self, state: &Self::State) -> usize {
        let costs = state.costs.as_ref().map_or(0, |costs| {
            size_of::<Costs>() + costs.each.len() * size_of::<Cost>()
        });
        size_of::<Self::State>() + state.times.len() * size_of::<u64>() + costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Nanos;

    fn log(limit: &str, log_denied: bool) -> SlidingWindowLog {
        SlidingWindowLog::new(&SlidingWindowLogConfig {
            limit: limit.parse().unwrap(),
            log_denied,
        })
    }

    /// Limit 3 per minute; seconds after 1:00:00.
    #[test]
    fn the_last_minute_is_counted_to_the_nanosecond() {
        let log = log("3/1m", true);
        let mut state = log.fresh();
        for (seconds, decision, size) in [
            (1, Decision::Allow, 1),
            (30, Decision::Allow, 2),
            (50, Decision::Allow, 3),
            (80, Decision::Allow, 3),
            (85, Decision::Deny, 4),
        ] {
            let now = SimTime::ZERO + Nanos::from_secs(seconds);
            assert_eq!(log.decide(&mut state, now, 1), decision, "at {now} s");
            assert_eq!(log.level(&state, now).parts, size, "at {now} s");
        }
        // The denied request is in the log: a second one must leave before the next finds room.
        let now = SimTime::ZERO + Nanos::from_secs(85);
        assert_eq!(
            log.retry_after(&state, now, 1),
            Retry::After(25_000_000_000)
        );
    }

    /// 4 units at 0 s, 3 at 10 s and 3 at 20 s: what costs more waits for more of them to leave.
    #[test]
    fn entries_leave_in_their_order_until_there_is_room() {
        let log = log("10/1m", false);
        let mut state = log.fresh();
        let at = |seconds| SimTime::ZERO + Nanos::from_secs(seconds);
        for (seconds, cost) in [(0, 4), (10, 3), (20, 3)] {
            assert_eq!(log.decide(&mut state, at(seconds), cost), Decision::Allow);
        }
        let waits = [30, 30, 30, 30, 40, 40, 40, 50, 50, 50];
        for (cost, seconds) in (1..).zip(waits) {
            let wait = Retry::After(Nanos::from_secs(seconds).get().into());
            assert_eq!(log.retry_after(&state, at(30), cost), wait, "cost {cost}");
        }
        // The first has left and is still in the log: the second is waited for.
        let wait = Retry::After(Nanos::from_secs(5).get().into());
        assert_eq!(log.retry_after(&state, at(65), 5), wait);
    }

    #[test]
    fn an_entry_leaves_exactly_w_after_it_was_made() {
        let log = log("5/10ns", false);
        let mut state = log.fresh();
        for (nanos, cost, decision) in [
            (3, 4, Decision::Allow),
            (12, 2, Decision::Deny),
            (12, 1, Decision::Allow),
            (13, 4, Decision::Allow),
            (21, 1, Decision::Deny),
            (22, 1, Decision::Allow),
        ] {
            let now = SimTime::from_nanos(nanos);
            assert_eq!(log.decide(&mut state, now, cost), decision, "at {nanos} ns");
        }
    }

    #[test]
    fn an_entry_takes_8_bytes_and_16_with_costs() {
        let log = log("100/10ns", false);
        let mut state = log.fresh();
        let empty = log.state_bytes(&state);
        for _ in 0..10 {
            log.decide(&mut state, SimTime::ZERO, 1);
        }
        assert_eq!(log.state_bytes(&state), empty + 80);
        log.decide(&mut state, SimTime::ZERO, 2);
        let costs = size_of::<Costs>();
        assert_eq!(log.state_bytes(&state), empty + costs + 11 * 16);
        log.decide(&mut state, SimTime::from_nanos(10), 1);
        assert_eq!(log.state_bytes(&state), empty + 8);
    }
}
