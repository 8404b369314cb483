//! Token bucket: a bucket holds up to `capacity` tokens and gains them at a rate; a request takes
//! its cost in tokens or is denied.
//!
//! level(t) = min(capacity, level + Δt · rate). Levels are kept in parts of a token, b parts to one,
//! where the rate is a/b tokens per nanosecond in lowest terms: Δt nanoseconds add Δt · a parts, so
//! every step is whole. Source: ATM Forum traffic management, RFC 2697 (the committed bucket).

use super::width::{Width, fits_narrow};
use super::{Algorithm, ClosedForm, Config, Decision, Explanation, Motion, StoredAs};
use crate::error::Result;
use crate::params::{Contract, Params, count};
use crate::units::{Cost, Level, Nanos, Rate, Retry, Share, SimTime};

/// What it is, in words.
pub const TOKEN_BUCKET: Explanation = Explanation {
    how: "A bucket holds tokens up to its capacity and gains them at a steady rate; what does not fit \
          is lost. A request takes as many tokens as it costs, or is denied when there are too few. \
          Nothing ticks: the level is worked out from the time since the last request.",
    good: &[
        "Lets short bursts through while the average stays at the rate.",
        "Two numbers per key, whatever the traffic.",
        "Capacity and rate can be tuned apart.",
    ],
    bad: &[
        "Forwards up to capacity + rate × window in one window: twice the limit at the defaults.",
        "Two parameters to tune rather than one.",
        "A bucket kept in whole tokens, or in floats, drifts from the exact answer.",
    ],
    sources: "Widely used by API gateways and clouds (Amazon, Stripe). RFC 2697 describes the bucket \
              of committed bursts.",
    limit: "5/2500ms",
    arrivals: &[0, 0, 0, 0, 0, 0, 0, 1_500, 1_500, 1_500, 1_500],
};

/// What a scenario says about a token bucket.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucketConfig {
    /// The most tokens it holds.
    pub capacity: Cost,
    /// Tokens gained over time.
    pub refill: Rate,
    /// Tokens it holds at the key's first request.
    pub initial: Cost,
    /// Refill in whole steps of this length counted from the key's first request; `None` refills
    /// continuously.
    pub refill_every: Option<Nanos>,
}

impl TokenBucketConfig {
    /// Reads the parameters; the defaults follow from the limit.
    pub fn read(params: &mut Params, contract: &Contract) -> Result<Self> {
        let capacity = count(params, "capacity", contract.limit.units)?;
        let refill = params.or("refill", contract.rate())?;
        let initial = params.whole("initial", 0, capacity, capacity)?;
        let refill_every = params.optional::<Nanos>("refill_every")?;
        if refill_every == Some(Nanos::ZERO) {
            return Err(params.error(
                "refill_every",
                "must be longer than 0; leave it out for a continuous refill",
            ));
        }
        if refill_every.is_some_and(|every| every > crate::units::Limit::MAX_WINDOW) {
            return Err(params.error("refill_every", "must not be longer than 366 days"));
        }
        Ok(Self {
            capacity,
            refill,
            initial,
            refill_every,
        })
    }

    /// Parts of a token gained per step: one nanosecond, or the refill interval.
    fn gain(&self) -> u128 {
        let step = self.refill_every.map_or(1, Nanos::get);
        u128::from(self.refill.units()) * u128::from(step)
    }

    /// Whether 64 bits hold every level of a run up to `horizon`: at most a full bucket is added to a
    /// full one before the sum is capped.
    pub fn fits_narrow(&self, horizon: Nanos) -> bool {
        let full = u128::from(self.capacity) * self.refill.nanos();
        fits_narrow((2 * full).max(self.gain()), horizon)
    }
}

impl Config for TokenBucketConfig {
    fn share(&self, share: Share) -> Option<Self> {
        Some(Self {
            capacity: share.count(self.capacity),
            refill: share.rate(self.refill)?,
            initial: share.count(self.initial),
            ..*self
        })
    }
}

/// The algorithm; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenBucket<W> {
    capacity: Cost,
    /// Parts of one token.
    unit: W,
    /// The full bucket in parts.
    full: W,
    initial: W,
    /// Length of a refill step in nanoseconds.
    step: u64,
    /// Parts gained per step.
    gain: W,
    /// Steps after which any bucket is full; the end of the clock when it never is.
    steps_to_full: u64,
    continuous: bool,
}

/// One key's bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucketState<W> {
    /// Tokens in parts.
    level: W,
    /// Time of the last refill step, [`NOT_BEGUN`] before the first request.
    last: u64,
}

/// Marks a bucket that no request has come to: its refill steps are counted from the first one.
const NOT_BEGUN: u64 = u64::MAX;

impl<W: Width> TokenBucket<W> {
    /// The algorithm for a configuration that fits the width.
    pub fn new(config: &TokenBucketConfig) -> Self {
        let unit = config.refill.nanos();
        let full = u128::from(config.capacity) * unit;
        let gain = config.gain();
        let steps_to_full = match gain {
            0 => u64::MAX,
            _ => u64::try_from(full.div_ceil(gain)).unwrap_or(u64::MAX),
        };
        Self {
            capacity: config.capacity,
            unit: W::narrow(unit),
            full: W::narrow(full),
            initial: W::narrow(u128::from(config.initial) * unit),
            step: config.refill_every.map_or(1, Nanos::get),
            gain: W::narrow(gain),
            steps_to_full,
            continuous: config.refill_every.is_none(),
        }
    }

    /// A bucket from which as much is missing at `now` as from the other one; it is empty at the least.
    pub(super) fn inherit<V: Width>(
        &self,
        old: &TokenBucket<V>,
        state: &TokenBucketState<V>,
        now: SimTime,
    ) -> TokenBucketState<W> {
        if state.last == NOT_BEGUN {
            return self.fresh();
        }
        let then = old.refilled(state, now.as_nanos());
        let (unit, old_unit) = (self.unit.wide(), old.unit.wide());
        let missing = (old.full - then.level.min(old.full)).wide();
        let tokens = (missing / old_unit).min(self.capacity.into());
        let parts = tokens * unit + (missing % old_unit * unit).div_ceil(old_unit);
        let keeps_steps = !self.continuous && !old.continuous && self.step == old.step;
        TokenBucketState {
            level: self.full - W::narrow(parts.min(self.full.wide())),
            last: match keeps_steps {
                true => then.last,
                false => then.last.max(now.as_nanos()),
            },
        }
    }

    /// Whole steps from the state's last one until `now`.
    fn steps(&self, state: &TokenBucketState<W>, now: u64) -> u64 {
        let elapsed = now.saturating_sub(state.last);
        if self.continuous {
            elapsed
        } else {
            elapsed / self.step
        }
    }

    /// The bucket as it stands at `now`: refilled up to the last whole step.
    fn refilled(&self, state: &TokenBucketState<W>, now: u64) -> TokenBucketState<W> {
        if state.last == NOT_BEGUN {
            return TokenBucketState {
                level: self.initial,
                last: now,
            };
        }
        let steps = self.steps(state, now);
        let level = if steps >= self.steps_to_full {
            self.full
        } else {
            // Fewer steps than fill it from empty, so less than a full bucket is added.
            self.full.min(state.level + W::of(steps) * self.gain)
        };
        TokenBucketState {
            level,
            last: state.last + steps * self.step,
        }
    }

    /// Whether a bucket that has filled up can be forgotten. One that starts below its capacity never
    /// starts again, and one that refills in steps must remember when they fall.
    fn is_forgettable(&self) -> bool {
        self.initial == self.full && self.continuous
    }

    /// The instant, counted from the state's last step, at which the level has reached `target`
    /// parts; `None` when it never does.
    fn reaches(&self, state: &TokenBucketState<W>, target: W) -> Option<u128> {
        if state.level >= target {
            return Some(0);
        }
        let missing = (target - state.level).wide();
        let gain = self.gain.wide();
        (gain > 0).then(|| missing.div_ceil(gain) * u128::from(self.step))
    }
}

impl<W: Width> Algorithm for TokenBucket<W> {
    type State = TokenBucketState<W>;

    fn fresh(&self) -> Self::State {
        TokenBucketState {
            level: self.initial,
            last: NOT_BEGUN,
        }
    }

    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision {
        if cost == 0 {
            return Decision::Allow;
        }
        if cost > self.capacity {
            return Decision::Deny;
        }
        *state = self.refilled(state, now.as_nanos());
        let need = W::of(cost) * self.unit;
        if state.level < need {
            return Decision::Deny;
        }
        state.level = state.level - need;
        Decision::Allow
    }

    fn look(&self, state: &mut Self::State, now: SimTime) {
        if state.last == NOT_BEGUN && !self.is_forgettable() {
            *state = self.refilled(state, now.as_nanos());
        }
    }

    /// Takes what there is: the bucket never goes below empty.
    fn charge(&self, state: &mut Self::State, at: SimTime, cost: Cost) {
        if cost == 0 || self.capacity == 0 {
            return;
        }
        *state = self.refilled(state, at.as_nanos());
        let taken = W::of(cost.min(self.capacity)) * self.unit;
        state.level = state.level - taken.min(state.level);
    }

    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry {
        if cost == 0 {
            return Retry::After(0);
        }
        if cost > self.capacity {
            return Retry::Never;
        }
        let state = self.refilled(state, now.as_nanos());
        match self.reaches(&state, W::of(cost) * self.unit) {
            Some(0) => Retry::After(0),
            // Counted from the last step, which may lie before `now` (steps) or after it (a clock
            // that went back).
            Some(wait) => Retry::After(u128::from(state.last) + wait - u128::from(now.as_nanos())),
            None => Retry::Never,
        }
    }

    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost {
        let level = self.refilled(state, now.as_nanos()).level.wide();
        u64::try_from(level / self.unit.wide()).expect("at most the capacity")
    }

    fn level(&self, state: &Self::State, now: SimTime) -> Level {
        Level::new(
            self.refilled(state, now.as_nanos()).level.wide(),
            self.unit.wide(),
        )
    }

    fn level_bound(&self) -> Cost {
        self.capacity
    }

    fn motion(&self) -> Motion {
        if self.continuous {
            Motion::Slopes
        } else {
            Motion::Steps
        }
    }

    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime> {
        if state.last == NOT_BEGUN {
            return None;
        }
        let state = self.refilled(state, after.as_nanos());
        if state.level == self.full || self.gain == W::of(0) {
            return None;
        }
        let wait = if self.continuous {
            self.reaches(&state, self.full)?
        } else {
            self.step.into()
        };
        u64::try_from(u128::from(state.last) + wait)
            .ok()
            .map(SimTime::from_nanos)
    }

    fn fresh_at(&self, state: &Self::State) -> Option<SimTime> {
        if state.last == NOT_BEGUN {
            return Some(SimTime::ZERO);
        }
        if self.gain == W::of(0) {
            return (state.level == self.initial).then_some(SimTime::ZERO);
        }
        if !self.is_forgettable() {
            return None;
        }
        let wait = self.reaches(state, self.full)?;
        u64::try_from(u128::from(state.last) + wait)
            .ok()
            .map(SimTime::from_nanos)
    }

    fn is_fresh(&self, state: &Self::State, now: SimTime) -> bool {
        if state.last == NOT_BEGUN {
            return true;
        }
        if self.gain == W::of(0) {
            return state.level == self.initial;
        }
        self.is_forgettable() && self.refilled(state, now.as_nanos()).level == self.full
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let steady = self.continuous && self.initial == self.full;
        steady.then(|| ClosedForm::Bucket {
            capacity: self.capacity,
            per_second: Level::new(self.gain.wide(), self.unit.wide()).as_f64() * 1e9,
        })
    }

    fn stored_as(&self, _: &Self::State) -> StoredAs {
        StoredAs::Hash
    }

    fn state_bytes(&self, _: &Self::State) -> usize {
        size_of::<Self::State>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Capacity 5 at 2 per second: seven at once and four after 1.5 s.
    #[test]
    fn a_burst_empties_the_bucket_and_time_refills_it() {
        let config = TokenBucketConfig {
            capacity: 5,
            refill: "2/s".parse().unwrap(),
            initial: 5,
            refill_every: None,
        };
        let bucket = TokenBucket::<u64>::new(&config);
        let mut state = bucket.fresh();
        let steps = [
            (0, Decision::Allow, 4),
            (0, Decision::Allow, 3),
            (0, Decision::Allow, 2),
            (0, Decision::Allow, 1),
            (0, Decision::Allow, 0),
            (0, Decision::Deny, 0),
            (0, Decision::Deny, 0),
            (1_500, Decision::Allow, 2),
            (1_500, Decision::Allow, 1),
            (1_500, Decision::Allow, 0),
            (1_500, Decision::Deny, 0),
        ];
        for (millis, expected, remaining) in steps {
            let now = SimTime::ZERO + Nanos::from_millis(millis);
            assert_eq!(bucket.decide(&mut state, now, 1), expected, "at {now} s");
            assert_eq!(bucket.remaining(&state, now), remaining, "at {now} s");
            if expected == Decision::Deny {
                assert_eq!(
                    bucket.retry_after(&state, now, 1),
                    Retry::After(500_000_000)
                );
            }
        }
    }
}
