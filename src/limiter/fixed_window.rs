//! Fixed window counter: one counter per window of length w; a request is allowed while the count
//! stays within n.
//!
//! allow iff count + c ≤ n, then count += c. Windows are [kw, (k+1)w) of the clock, or open with the
//! first request that finds none open, as a counter that is incremented and then told to expire
//! does. Up to 2n can pass around a window's edge.

use super::{Algorithm, ClosedForm, Config, Decision, Explanation, Motion, StoredAs};
use crate::error::Result;
use crate::params::{Contract, Params};
use crate::units::{Cost, Divisor, Level, Limit, Nanos, Retry, Share, SimTime};

/// What it is, in words.
pub const FIXED_WINDOW: Explanation = Explanation {
    how: "The clock is cut into windows of equal length with a counter each. A request is allowed \
          while the counter of its window stays within the limit; a new window starts from 0.",
    good: &[
        "One counter per key: the cheapest to store and to explain.",
        "A new window is not held back by what came before it.",
    ],
    bad: &[
        "Around an edge twice the limit passes within a moment.",
        "All who were denied come back at the same instant, the next edge.",
    ],
    sources: "The usual INCR and EXPIRE in Redis, where the window opens with the first request \
              (anchor = \"first_request\").",
    limit: "5/1m",
    arrivals: &[
        55_000, 56_000, 57_000, 58_000, 59_000, 60_000, 61_000, 62_000, 63_000, 64_000,
    ],
};

/// What a scenario says about a fixed window counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedWindowConfig {
    /// The limit and its window.
    pub limit: Limit,
    /// How far into its window the clock stands at time 0; `None` when a window opens with the
    /// key's first request in it.
    pub phase: Option<Nanos>,
    /// Whether denied requests are counted too.
    pub count_denied: bool,
}

impl FixedWindowConfig {
    /// Reads the parameters.
    pub fn read(params: &mut Params, contract: &Contract) -> Result<Self> {
        let anchor = params.choice("anchor", &["clock", "first_request"], "clock")?;
        Ok(Self {
            limit: contract.limit,
            phase: (anchor == "clock").then(|| contract.phase()),
            count_denied: params.or("count_denied", false)?,
        })
    }
}

impl Config for FixedWindowConfig {
    fn share(&self, share: Share) -> Option<Self> {
        Some(Self {
            limit: share.limit(self.limit),
            ..*self
        })
    }
}

/// The algorithm; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedWindow {
    limit: Cost,
    window: Divisor,
    phase: Option<u64>,
    count_denied: bool,
}

/// One key's counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedWindowState {
    /// The first instant after the window: its start plus w, which spares a division while it lasts.
    end: u64,
    /// Cost counted in it. It saturates: no decision tells counts above the limit apart.
    count: Cost,
}

impl FixedWindow {
    /// The algorithm for a configuration.
    pub fn new(config: &FixedWindowConfig) -> Self {
        Self {
            limit: config.limit.units,
            window: Divisor::new(config.limit.window.get()),
            phase: config.phase.map(Nanos::get),
            count_denied: config.count_denied,
        }
    }

    /// The stored count, read by this limiter; `None` where its windows are others.
    pub(super) fn inherit(&self, old: &Self, state: &FixedWindowState) -> Option<FixedWindowState> {
        let is_same = self.window.get() == old.window.get() && self.phase == old.phase;
        is_same.then_some(*state)
    }

    /// The same of the share of the limit that the count is, rounded up to whole units.
    pub(super) fn convert(&self, old: &Self, state: &FixedWindowState) -> Option<FixedWindowState> {
        let inherited = self.inherit(old, state)?;
        let count = super::convert(inherited.count.into(), self.limit, old.limit);
        Some(FixedWindowState {
            count: Cost::try_from(count).unwrap_or(Cost::MAX),
            ..inherited
        })
    }

    /// The counter of the window that `now` lies in. A time before the state's window belongs to it
    /// as well: a clock that goes back opens no window.
    fn current(&self, state: &FixedWindowState, now: u64) -> FixedWindowState {
        if now < state.end {
            return *state;
        }
        let elapsed = self.phase.map_or(0, |phase| self.window.rest(now + phase));
        FixedWindowState {
            end: now + (self.window.get() - elapsed),
            count: 0,
        }
    }
}

impl Algorithm for FixedWindow {
    type State = FixedWindowState;

    fn fresh(&self) -> Self::State {
        FixedWindowState::default()
    }

    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision {
        if cost == 0 {
            return Decision::Allow;
        }
        if cost > self.limit {
            return Decision::Deny;
        }
        *state = self.current(state, now.as_nanos());
        let counted = state.count.saturating_add(cost);
        let allowed = counted <= self.limit;
        if allowed || self.count_denied {
            state.count = counted;
        }
        if allowed {
            Decision::Allow
        } else {
            Decision::Deny
        }
    }

    /// Counts it, above the limit if need be.
    fn charge(&self, state: &mut Self::State, at: SimTime, cost: Cost) {
        if cost > 0 && self.limit > 0 {
            *state = self.current(state, at.as_nanos());
            state.count = state.count.saturating_add(cost);
        }
    }

    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry {
        if cost == 0 {
            return Retry::After(0);
        }
        if cost > self.limit {
            return Retry::Never;
        }
        let current = self.current(state, now.as_nanos());
        if current.count.saturating_add(cost) <= self.limit {
            return Retry::After(0);
        }
        Retry::After(u128::from(current.end - now.as_nanos()))
    }

    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost {
        let current = self.current(state, now.as_nanos());
        self.limit.saturating_sub(current.count)
    }

    fn level(&self, state: &Self::State, now: SimTime) -> Level {
        Level::whole(self.current(state, now.as_nanos()).count.into())
    }

    fn level_bound(&self) -> Cost {
        self.limit
    }

    fn motion(&self) -> Motion {
        Motion::Steps
    }

    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime> {
        let current = self.current(state, after.as_nanos());
        (current.count > 0).then(|| SimTime::from_nanos(current.end))
    }

    fn fresh_at(&self, state: &Self::State) -> Option<SimTime> {
        Some(SimTime::from_nanos(match state.count {
            0 => 0,
            _ => state.end,
        }))
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let window = Nanos::new(self.window.get());
        self.phase.map(|_| {
            ClosedForm::FixedWindow(Limit {
                units: self.limit,
                window,
            })
        })
    }

    fn counts_denied(&self) -> bool {
        self.count_denied
    }

    fn resets_by_expiry(&self) -> bool {
        self.phase.is_none()
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

    fn window(phase: Option<Nanos>, count_denied: bool) -> FixedWindow {
        FixedWindow::new(&FixedWindowConfig {
            limit: "5/1m".parse().unwrap(),
            phase,
            count_denied,
        })
    }

    /// Five requests at the end of one minute and five at the start of the next all pass.
    #[test]
    fn a_window_edge_starts_the_count_anew() {
        let window = window(Some(Nanos::ZERO), false);
        let mut state = window.fresh();
        for (seconds, remaining) in [(55, 4), (56, 3), (57, 2), (58, 1), (59, 0)]
            .into_iter()
            .chain([(60, 4), (61, 3), (62, 2), (63, 1), (64, 0)])
        {
            let now = SimTime::ZERO + Nanos::from_secs(seconds);
            assert_eq!(window.decide(&mut state, now, 1), Decision::Allow);
            assert_eq!(window.remaining(&state, now), remaining, "at {now} s");
        }
        let now = SimTime::ZERO + Nanos::from_secs(65);
        assert_eq!(window.decide(&mut state, now, 1), Decision::Deny);
        assert_eq!(
            window.retry_after(&state, now, 1),
            Retry::After(55_000_000_000)
        );
    }

    /// A clock that reads 50 s into its minute at the beginning ends that window 10 s later.
    #[test]
    fn the_first_window_may_have_begun_before_the_scenario() {
        let window = window(Some(Nanos::from_secs(50)), true);
        let mut state = window.fresh();
        let at = |seconds| SimTime::ZERO + Nanos::from_secs(seconds);
        for (seconds, cost, decision, count) in [
            (3, 4, Decision::Allow, 4),
            (9, 2, Decision::Deny, 6),
            (10, 5, Decision::Allow, 5),
            (69, 1, Decision::Deny, 6),
            (70, 1, Decision::Allow, 1),
        ] {
            assert_eq!(window.decide(&mut state, at(seconds), cost), decision);
            assert_eq!(window.level(&state, at(seconds)).parts, count);
        }
    }

    #[test]
    fn a_window_anchored_at_the_first_request_lasts_w_from_it() {
        let window = window(None, false);
        let mut state = window.fresh();
        let at = |seconds| SimTime::ZERO + Nanos::from_secs(seconds);
        for (seconds, cost, decision) in [
            (50, 5, Decision::Allow),
            (109, 1, Decision::Deny),
            (110, 5, Decision::Allow),
            (169, 1, Decision::Deny),
        ] {
            assert_eq!(window.decide(&mut state, at(seconds), cost), decision);
        }
    }
}
