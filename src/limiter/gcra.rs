//! Generic cell rate algorithm: one time per key, the theoretical arrival time (TAT) at which the
//! next request would be due if all came evenly; a request may come ahead of it by a tolerance.
//!
//! With emission interval T = 1/rate and tolerance τ = (burst − 1)·T: allow iff t ≥ TAT + (c − 1)·T −
//! τ, then TAT = max(TAT, t) + c·T. Times are scaled by a, where the rate is a/b units per nanosecond
//! in lowest terms, so that T is b and every step is whole; at rate 0 the scaled time stands still.
//! The TAT is all that is kept: no last time, so that a clock that goes back by d finds d·rate less
//! allowance until it has caught up, and never more. Source: ITU-T I.371, ATM Forum TM 4.1.

use super::width::{Width, fits_narrow};
use super::{Algorithm, ClosedForm, Config, Decision, Explanation, Motion, StoredAs};
use crate::error::Result;
use crate::params::{Contract, Params, count};
use crate::units::{Cost, Level, Nanos, Rate, Retry, Share, SimTime};

/// What it is, in words.
pub const GCRA: Explanation = Explanation {
    how: "The generic cell rate algorithm keeps one time per key: the theoretical arrival time (TAT) \
          of the next request if all came evenly, one emission interval apart. A request that comes \
          no more than the tolerance before it is allowed, and moves it on by an interval.",
    good: &[
        "Decides like a token bucket and stores a single number.",
        "One compare and one addition; easy to make atomic.",
    ],
    bad: &[
        "The stored time says little to a human reader.",
        "Forwards up to burst + rate × window in one window: twice the limit at the defaults.",
    ],
    sources: "ITU-T I.371 and ATM Forum TM 4.1; redis-cell and governor use it.",
    limit: "6/600ms",
    arrivals: &[0, 100, 110, 120, 130, 140, 150, 160, 170, 180, 1_000, 1_010],
};

/// What a scenario says about a GCRA.
#[derive(Clone, Copy, Debug)]
pub struct GcraConfig {
    /// The most units that pass at once.
    pub burst: Cost,
    /// The rate, one unit per emission interval.
    pub rate: Rate,
}

impl GcraConfig {
    /// Reads the parameters; the defaults follow from the limit.
    pub fn read(params: &mut Params, contract: &Contract) -> Result<Self> {
        Ok(Self {
            burst: count(params, "burst", contract.limit.units)?,
            rate: params.or("rate", contract.rate())?,
        })
    }

    /// Whether 64 bits hold every scaled time of a run up to `horizon`: the TAT runs at most one
    /// burst ahead of the clock, and another is added before it is compared.
    pub fn fits_narrow(&self, horizon: Nanos) -> bool {
        let clock = u128::from(horizon.get()) * u128::from(self.rate.units());
        let burst = u128::from(self.burst) * self.rate.nanos();
        fits_narrow(clock + 2 * burst, horizon)
    }
}

impl Config for GcraConfig {
    fn share(&self, share: Share) -> Option<Self> {
        Some(Self {
            burst: share.count(self.burst),
            rate: share.rate(self.rate)?,
        })
    }
}

/// The algorithm; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gcra<W> {
    burst: Cost,
    /// Scaled time per nanosecond.
    pace: W,
    /// The emission interval in scaled time.
    interval: W,
    /// How far the TAT may be ahead of the clock after a request: burst emission intervals.
    reach: W,
}

/// One key's theoretical arrival time, scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GcraState<W>(W);

impl<W: Width> Gcra<W> {
    /// The algorithm for a configuration that fits the width.
    pub fn new(config: &GcraConfig) -> Self {
        let interval = config.rate.nanos();
        Self {
            burst: config.burst,
            pace: W::of(config.rate.units()),
            interval: W::narrow(interval),
            reach: W::narrow(u128::from(config.burst) * interval),
        }
    }

    /// A time that is ahead of `now` by as many emission intervals as the other one; by a full burst at
    /// the most.
    pub(super) fn inherit<V: Width>(
        &self,
        old: &Gcra<V>,
        state: &GcraState<V>,
        now: SimTime,
    ) -> GcraState<W> {
        let (interval, old_interval) = (self.interval.wide(), old.interval.wide());
        let clock = old.scaled(now);
        let ahead = (state.0.max(clock) - clock).wide();
        let units = (ahead / old_interval).min(self.burst.into());
        let ahead = units * interval + (ahead % old_interval * interval).div_ceil(old_interval);
        GcraState(self.scaled(now) + W::narrow(ahead.min(self.reach.wide())))
    }

    /// The clock in scaled time.
    fn scaled(&self, now: SimTime) -> W {
        W::of(now.as_nanos()) * self.pace
    }

    /// The first instant at which the scaled time has reached `target`.
    fn instant(&self, target: W) -> Option<u128> {
        if target == W::of(0) {
            return Some(0);
        }
        (self.pace > W::of(0)).then(|| target.ceil_div(self.pace).wide())
    }

    /// [`Gcra::instant`] on the clock; none beyond its end.
    fn time(&self, target: W) -> Option<SimTime> {
        let nanos = u64::try_from(self.instant(target)?).ok()?;
        Some(SimTime::from_nanos(nanos))
    }
}

impl<W: Width> Algorithm for Gcra<W> {
    type State = GcraState<W>;

    fn fresh(&self) -> Self::State {
        GcraState(W::of(0))
    }

    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision {
        if cost == 0 {
            return Decision::Allow;
        }
        if cost > self.burst {
            return Decision::Deny;
        }
        let clock = self.scaled(now);
        // Both sides of the rule plus (burst · T): no difference can be negative.
        let due = state.0.max(clock) + W::of(cost) * self.interval;
        if due > clock + self.reach {
            return Decision::Deny;
        }
        state.0 = due;
        Decision::Allow
    }

    /// Moves the TAT on, but no further ahead of the clock than admissions can.
    fn charge(&self, state: &mut Self::State, at: SimTime, cost: Cost) {
        let clock = self.scaled(at);
        let taken = W::of(cost.min(self.burst)) * self.interval;
        let due = state.0.max(clock) + taken;
        if cost > 0 && self.burst > 0 {
            state.0 = state.0.max(due.min(clock + self.reach));
        }
    }

    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry {
        if cost == 0 {
            return Retry::After(0);
        }
        if cost > self.burst {
            return Retry::Never;
        }
        let due = state.0 + W::of(cost) * self.interval;
        let target = due - self.reach.min(due);
        if target <= self.scaled(now) {
            return Retry::After(0);
        }
        match self.instant(target) {
            Some(at) => Retry::After(at - u128::from(now.as_nanos())),
            None => Retry::Never,
        }
    }

    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost {
        let clock = self.scaled(now);
        let latest = clock + self.reach;
        let ahead = state.0.max(clock).min(latest);
        let room = (latest - ahead).wide() / self.interval.wide();
        u64::try_from(room).expect("at most the burst")
    }

    fn level(&self, state: &Self::State, now: SimTime) -> Level {
        let clock = self.scaled(now);
        let ahead = state.0.max(clock) - clock;
        Level::new(ahead.wide(), self.interval.wide())
    }

    fn level_bound(&self) -> Cost {
        self.burst
    }

    fn motion(&self) -> Motion {
        Motion::Slopes
    }

    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime> {
        self.time(state.0).filter(|at| *at > after)
    }

    fn fresh_at(&self, state: &Self::State) -> Option<SimTime> {
        self.time(state.0)
    }

    fn is_fresh(&self, state: &Self::State, now: SimTime) -> bool {
        state.0 <= self.scaled(now)
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        Some(ClosedForm::Bucket {
            capacity: self.burst,
            per_second: Level::new(self.pace.wide(), self.interval.wide()).as_f64() * 1e9,
        })
    }

    fn stored_as(&self, _: &Self::State) -> StoredAs {
        StoredAs::Number
    }

    fn state_bytes(&self, _: &Self::State) -> usize {
        size_of::<Self::State>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Burst 6, one per 100 ms.
    #[test]
    fn requests_may_come_ahead_of_their_theoretical_time_by_the_tolerance() {
        let gcra = Gcra::<u64>::new(&GcraConfig {
            burst: 6,
            rate: "10/s".parse().unwrap(),
        });
        let mut state = gcra.fresh();
        for (millis, decision, tat) in [
            (0, Decision::Allow, 100),
            (100, Decision::Allow, 200),
            (110, Decision::Allow, 300),
            (120, Decision::Allow, 400),
            (130, Decision::Allow, 500),
            (140, Decision::Allow, 600),
            (150, Decision::Allow, 700),
            (160, Decision::Deny, 700),
            (170, Decision::Deny, 700),
            (180, Decision::Deny, 700),
            (1_000, Decision::Allow, 1_100),
            (1_010, Decision::Allow, 1_200),
        ] {
            let now = SimTime::ZERO + Nanos::from_millis(millis);
            assert_eq!(gcra.decide(&mut state, now, 1), decision, "at {now} s");
            assert_eq!(state.0, tat * 1_000_000, "at {now} s");
        }
        // At 180 ms the next would have been allowed at 700 + 100 − 600 = 200 ms.
        let now = SimTime::ZERO + Nanos::from_millis(180);
        assert_eq!(
            gcra.retry_after(&GcraState(700_000_000), now, 1),
            Retry::After(20_000_000)
        );
    }
}
