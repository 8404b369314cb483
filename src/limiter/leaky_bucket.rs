//! Leaky bucket: admitted requests queue in a bucket that leaks at a constant outflow, and each is
//! forwarded when its own turn to leak begins.
//!
//! backlog(t) = max(0, backlog − drained); admit iff backlog + c ≤ capacity; delay = backlog /
//! outflow before c is added. Levels are kept in parts of a unit, b parts to one, where the outflow
//! is a/b units per nanosecond in lowest terms: t nanoseconds drain t · a parts, so every step is
//! whole. Drained on ticks, one whole unit leaves whenever the clock has advanced by another b
//! parts, and a request's turn is the tick at which its first unit leaves. Source: Turner, "New
//! directions in communications" (1986), in its queue and its meter form.

use super::width::{Width, fits_narrow};
use super::{Algorithm, ClosedForm, Config, Decision, Explanation, Motion, StoredAs};
use crate::error::Result;
use crate::params::{Contract, Params, count};
use crate::units::{Cost, Level, Nanos, Rate, Retry, Share, SimTime};

/// What it is, in words.
pub const LEAKY_BUCKET: Explanation = Explanation {
    how: "Requests queue in a bucket that leaks at a constant rate; each is forwarded when its turn \
          comes, and what would overflow the bucket is denied. As a meter it decides the same and \
          forwards at once.",
    good: &[
        "What is behind it sees an even flow and no bursts.",
        "Memory is bounded by the size of the queue.",
    ],
    bad: &[
        "A burst fills the queue: later requests are dropped while old ones wait.",
        "Every burst costs waiting time, even when nobody else is there.",
        "Two parameters to tune rather than one.",
    ],
    sources: "Used by Shopify for its API, and by nginx (limit_req) in a variant. Turner, New \
              directions in communications, 1986.",
    limit: "5/5s",
    arrivals: &[0, 0, 0, 0, 0, 0, 0, 1_500, 2_500],
};

/// What a scenario says about a leaky bucket.
#[derive(Clone, Copy, Debug)]
pub struct LeakyBucketConfig {
    /// The most units it holds, the one that is leaking included.
    pub capacity: Cost,
    /// Units that leak over time.
    pub outflow: Rate,
    /// Whether admitted requests wait for their turn; as a meter it only decides.
    pub queue: bool,
    /// For a bucket drained on ticks, what the clock that they follow reads at time 0, in
    /// nanoseconds; `None` drains continuously.
    pub ticks_from: Option<i128>,
    /// A request that would wait longer is denied.
    pub max_wait: Option<Nanos>,
}

impl LeakyBucketConfig {
    /// Reads the parameters; the defaults follow from the limit.
    pub fn read(params: &mut Params, contract: &Contract) -> Result<Self> {
        let capacity = count(params, "capacity", contract.limit.units)?;
        let outflow = params.or("outflow", contract.rate())?;
        let mode = params.choice("mode", &["queue", "meter"], "queue")?;
        let drain = params.choice("drain", &["continuous", "ticks"], "continuous")?;
        Ok(Self {
            capacity,
            outflow,
            queue: mode == "queue",
            ticks_from: (drain == "ticks").then(|| contract.origin()),
            max_wait: params.optional("max_wait")?,
        })
    }

    /// Parts of a unit between the last tick before time 0 and time 0, where it drains on ticks.
    fn tick_phase(&self) -> Option<u128> {
        let unit = i128::try_from(self.outflow.nanos()).expect("a rate's length is below 2^85");
        let phase = |from: i128| (from * i128::from(self.outflow.units())).rem_euclid(unit);
        self.ticks_from.map(|from| phase(from).unsigned_abs())
    }

    /// The full bucket in parts.
    fn full(&self) -> u128 {
        u128::from(self.capacity) * self.outflow.nanos()
    }

    /// Whether 64 bits hold every level of a run up to `horizon`: a full bucket and a request are
    /// added up, and ticks are found on the clock in parts.
    pub fn fits_narrow(&self, horizon: Nanos) -> bool {
        let clock = u128::from(horizon.get()) * u128::from(self.outflow.units());
        let ticks = self.ticks_from.map_or(0, |_| clock);
        fits_narrow(2 * (self.full() + self.outflow.nanos()) + ticks, horizon)
    }
}

impl Config for LeakyBucketConfig {
    fn share(&self, share: Share) -> Option<Self> {
        Some(Self {
            capacity: share.count(self.capacity),
            outflow: share.rate(self.outflow)?,
            ..*self
        })
    }
}

/// The algorithm; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeakyBucket<W> {
    capacity: Cost,
    /// Parts of one unit.
    unit: W,
    /// The full bucket in parts.
    full: W,
    /// Parts drained per nanosecond.
    outflow: W,
    /// Nanoseconds after which any bucket is empty; the end of the clock when it never is.
    to_empty: u64,
    queue: bool,
    tick_phase: Option<W>,
    /// Parts that may have to drain before a request's turn.
    patience: Option<W>,
}

/// One key's bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeakyBucketState<W> {
    /// What has not leaked yet, in parts.
    backlog: W,
    /// The time of that backlog.
    last: u64,
}

impl<W: Width> LeakyBucket<W> {
    /// The algorithm for a configuration that fits the width.
    pub fn new(config: &LeakyBucketConfig) -> Self {
        let (full, unit) = (config.full(), config.outflow.nanos());
        let outflow = u128::from(config.outflow.units());
        // On ticks up to one unit's worth of the flow does not show yet.
        let to_empty = (full + unit).checked_div(outflow).map(|nanos| nanos + 1);
        // No admitted request waits for more than a full bucket and a tick.
        let patience = |wait: Nanos| (u128::from(wait.get()) * outflow).min(full + unit);
        Self {
            capacity: config.capacity,
            unit: W::narrow(unit),
            full: W::narrow(full),
            outflow: W::narrow(outflow),
            to_empty: to_empty.map_or(u64::MAX, |n| u64::try_from(n).unwrap_or(u64::MAX)),
            queue: config.queue,
            tick_phase: config.tick_phase().map(W::narrow),
            patience: config.max_wait.map(|wait| W::narrow(patience(wait))),
        }
    }

    /// A bucket that holds as much at `now` as the other one; it is full at the most.
    pub(super) fn inherit<V: Width>(
        &self,
        old: &LeakyBucket<V>,
        state: &LeakyBucketState<V>,
        now: SimTime,
    ) -> LeakyBucketState<W> {
        let then = old.drained(state, now.as_nanos());
        let (unit, old_unit) = (self.unit.wide(), old.unit.wide());
        let backlog = then.backlog.wide();
        let units = (backlog / old_unit).min(self.capacity.into());
        let parts = units * unit + (backlog % old_unit * unit).div_ceil(old_unit);
        LeakyBucketState {
            backlog: W::narrow(parts.min(self.full.wide())),
            last: then.last,
        }
    }

    /// Parts that have flowed at `now` since the last tick: drained, but not seen to be. None when
    /// the bucket drains continuously.
    fn lag(&self, now: u64) -> W {
        self.tick_phase.map_or(W::of(0), |phase| {
            (phase + W::of(now) * self.outflow) % self.unit
        })
    }

    /// The bucket as it stands at `now`, or at its last time when that is later.
    fn drained(&self, state: &LeakyBucketState<W>, now: u64) -> LeakyBucketState<W> {
        let elapsed = now.saturating_sub(state.last);
        let drained = if elapsed >= self.to_empty {
            self.full
        } else {
            let flow = W::of(elapsed) * self.outflow;
            match self.tick_phase {
                None => flow,
                Some(_) => {
                    let flow = flow + self.lag(state.last);
                    flow - flow % self.unit
                }
            }
        };
        LeakyBucketState {
            backlog: state.backlog - drained.min(state.backlog),
            last: state.last + elapsed,
        }
    }

    /// Parts that must flow from the state's time on until the turn of a request that comes then.
    fn until_turn(&self, state: &LeakyBucketState<W>) -> W {
        match self.tick_phase {
            None => state.backlog,
            Some(_) => state.backlog + self.unit - self.lag(state.last),
        }
    }

    /// Parts that must flow from the state's time on before `cost`, at most the capacity, is
    /// admitted; `None` when no flow brings that about.
    fn until_admitted(&self, state: &LeakyBucketState<W>, cost: Cost) -> Option<W> {
        let target = self.full - W::of(cost) * self.unit;
        let room = if state.backlog > target {
            state.backlog - target - self.lag(state.last)
        } else {
            W::of(0)
        };
        let Some(patience) = self.patience else {
            return Some(room);
        };
        // A request never finds itself at a tick, so it always waits for the next one.
        if patience == W::of(0) && self.tick_phase.is_some() {
            return None;
        }
        let turn = self.until_turn(state);
        Some(room.max(turn - patience.min(turn)))
    }

    /// Nanoseconds until `parts` have flowed.
    fn time_of(&self, parts: W) -> Option<u128> {
        if parts == W::of(0) {
            return Some(0);
        }
        (self.outflow > W::of(0)).then(|| parts.ceil_div(self.outflow).wide())
    }
}

impl<W: Width> Algorithm for LeakyBucket<W> {
    type State = LeakyBucketState<W>;

    fn fresh(&self) -> Self::State {
        LeakyBucketState {
            backlog: W::of(0),
            last: 0,
        }
    }

    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision {
        if cost == 0 {
            return Decision::Allow;
        }
        if cost > self.capacity {
            return Decision::Deny;
        }
        *state = self.drained(state, now.as_nanos());
        let filled = state.backlog + W::of(cost) * self.unit;
        if filled > self.full {
            return Decision::Deny;
        }
        if !self.queue && self.patience.is_none() {
            state.backlog = filled;
            return Decision::Allow;
        }
        let turn = self.until_turn(state);
        if self.patience.is_some_and(|patience| turn > patience) {
            return Decision::Deny;
        }
        state.backlog = filled;
        if !self.queue || turn == W::of(0) {
            return Decision::Allow;
        }
        Decision::Delay(self.time_of(turn).map_or(Nanos::FOREVER, Nanos::from_wide))
    }

    fn look(&self, state: &mut Self::State, now: SimTime) {
        *state = self.drained(state, now.as_nanos());
    }

    /// Adds to the backlog what there is room for.
    fn charge(&self, state: &mut Self::State, at: SimTime, cost: Cost) {
        if cost == 0 || self.capacity == 0 {
            return;
        }
        *state = self.drained(state, at.as_nanos());
        let added = W::of(cost.min(self.capacity)) * self.unit;
        state.backlog = self.full.min(state.backlog + added);
    }

    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry {
        if cost == 0 {
            return Retry::After(0);
        }
        if cost > self.capacity {
            return Retry::Never;
        }
        let state = self.drained(state, now.as_nanos());
        let behind = u128::from(state.last - now.as_nanos());
        let parts = self.until_admitted(&state, cost);
        match parts.and_then(|parts| self.time_of(parts)) {
            Some(0) => Retry::After(0),
            Some(wait) => Retry::After(behind + wait),
            None => Retry::Never,
        }
    }

    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost {
        let state = self.drained(state, now.as_nanos());
        let turn = self.until_turn(&state);
        if self.patience.is_some_and(|patience| turn > patience) {
            return 0;
        }
        let room = (self.full - state.backlog).wide() / self.unit.wide();
        u64::try_from(room).expect("at most the capacity")
    }

    fn level(&self, state: &Self::State, now: SimTime) -> Level {
        Level::new(
            self.drained(state, now.as_nanos()).backlog.wide(),
            self.unit.wide(),
        )
    }

    fn level_bound(&self) -> Cost {
        self.capacity
    }

    fn motion(&self) -> Motion {
        match self.tick_phase {
            None => Motion::Slopes,
            Some(_) => Motion::Steps,
        }
    }

    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime> {
        let state = self.drained(state, after.as_nanos());
        if state.backlog == W::of(0) {
            return None;
        }
        let parts = match self.tick_phase {
            None => state.backlog,
            Some(_) => self.unit - self.lag(state.last),
        };
        let at = u128::from(state.last) + self.time_of(parts)?;
        u64::try_from(at).ok().map(SimTime::from_nanos)
    }

    fn fresh_at(&self, state: &Self::State) -> Option<SimTime> {
        if state.backlog == W::of(0) {
            return Some(SimTime::ZERO);
        }
        let parts = state.backlog - self.lag(state.last);
        let at = u128::from(state.last) + self.time_of(parts)?;
        u64::try_from(at).ok().map(SimTime::from_nanos)
    }

    fn is_fresh(&self, state: &Self::State, now: SimTime) -> bool {
        self.drained(state, now.as_nanos()).backlog == W::of(0)
    }

    fn delays(&self) -> bool {
        self.queue
    }

    /// Redis keeps a queue as a list of what waits.
    fn has_one_size(&self) -> bool {
        !self.queue
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let plain = self.tick_phase.is_none() && self.patience.is_none();
        plain.then(|| ClosedForm::Bucket {
            capacity: self.capacity,
            per_second: Level::new(self.outflow.wide(), self.unit.wide()).as_f64() * 1e9,
        })
    }

    fn stored_as(&self, state: &Self::State) -> StoredAs {
        if !self.queue {
            return StoredAs::Hash;
        }
        let waiting = state.backlog.wide().div_ceil(self.unit.wide());
        StoredAs::List(usize::try_from(waiting).unwrap_or(usize::MAX))
    }

    fn state_bytes(&self, _: &Self::State) -> usize {
        size_of::<Self::State>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(ticks_from: Option<i128>, max_wait: Option<Nanos>) -> LeakyBucket<u64> {
        LeakyBucket::new(&LeakyBucketConfig {
            capacity: 5,
            outflow: "1/s".parse().unwrap(),
            queue: true,
            ticks_from,
            max_wait,
        })
    }

    fn delay(millis: u64) -> Decision {
        Decision::Delay(Nanos::from_millis(millis))
    }

    /// Capacity 5, one per second: of seven at once five are admitted, a second apart.
    #[test]
    fn a_burst_is_forwarded_at_the_outflow() {
        let bucket = bucket(None, None);
        let mut state = bucket.fresh();
        for (millis, decision) in [
            (0, Decision::Allow),
            (0, delay(1_000)),
            (0, delay(2_000)),
            (0, delay(3_000)),
            (0, delay(4_000)),
            (0, Decision::Deny),
            (0, Decision::Deny),
            (1_500, delay(3_500)),
            (1_500, Decision::Deny),
            (6_000, Decision::Allow),
        ] {
            let now = SimTime::ZERO + Nanos::from_millis(millis);
            assert_eq!(bucket.decide(&mut state, now, 1), decision, "at {now} s");
        }
    }

    /// Ticks at whole seconds: what comes at one leaves at the next at the earliest.
    #[test]
    fn ticks_release_one_unit_each() {
        let bucket = bucket(Some(0), None);
        let mut state = bucket.fresh();
        for (millis, decision, backlog) in [
            (0, delay(1_000), 1),
            (300, delay(1_700), 2),
            (900, delay(2_100), 3),
            (1_000, delay(3_000), 3),
            (1_000, delay(4_000), 4),
            (1_000, delay(5_000), 5),
            (1_999, Decision::Deny, 5),
            (2_000, delay(5_000), 5),
            (7_000, delay(1_000), 1),
        ] {
            let now = SimTime::ZERO + Nanos::from_millis(millis);
            assert_eq!(bucket.decide(&mut state, now, 1), decision, "at {now} s");
            assert_eq!(
                bucket.level(&state, now).parts,
                backlog * 1_000_000_000,
                "at {now} s"
            );
        }
    }

    /// Nobody waits above 2 s; the next is admitted when its wait has come down to that.
    #[test]
    fn who_would_wait_too_long_is_denied() {
        let bucket = bucket(None, Some(Nanos::from_secs(2)));
        let mut state = bucket.fresh();
        for decision in [Decision::Allow, delay(1_000), delay(2_000), Decision::Deny] {
            assert_eq!(bucket.decide(&mut state, SimTime::ZERO, 1), decision);
        }
        assert_eq!(
            bucket.retry_after(&state, SimTime::ZERO, 1),
            Retry::After(1_000_000_000)
        );
    }
}
