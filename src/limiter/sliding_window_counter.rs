//! Sliding window counter: counts of the present and the previous clock window; what the previous
//! one contributes fades in proportion to the time elapsed.
//!
//! With e nanoseconds of the window w elapsed: allow iff prev · (1 − e/w) + cur + c ≤ n, then cur +=
//! c; compared as prev · (w − e) + (cur + c) · w ≤ n · w, which is whole. `prev` counts only when the
//! windows are adjacent. An estimate: it takes the previous window's requests to have come evenly.

use super::width::{Width, fits_narrow};
use super::{Algorithm, Config, Decision, Explanation, Motion, StoredAs};
use crate::error::Result;
use crate::params::{Contract, Params};
use crate::units::{Cost, Divisor, Level, Limit, Nanos, Retry, Share, SimTime};

/// What it is, in words.
pub const SLIDING_WINDOW_COUNTER: Explanation = Explanation {
    how: "Two counters, one for the present clock window and one for the window before. The count of \
          the trailing window is estimated as the present count plus the previous one weighted by \
          how much of it still overlaps.",
    good: &[
        "Smooths the edge of the fixed window at the cost of one more number.",
        "Right on average for evenly spread traffic.",
    ],
    bad: &[
        "An estimate: it takes the previous window's requests to have come evenly. Near the limit it \
         errs on a tenth of the requests and more, and a trailing window can reach 2n − 1.",
        "Figures such as \"0.003 % wrong\" belong to the traffic that they were measured on.",
    ],
    sources: "Cloudflare, How we built rate limiting capable of scaling to millions of domains, 2017.",
    limit: "7/1m",
    arrivals: &[
        0, 10_000, 20_000, 30_000, 40_000, 75_000, 75_000, 75_000, 75_000,
    ],
};

/// What a scenario says about a sliding window counter.
#[derive(Clone, Copy, Debug)]
pub struct SlidingWindowCounterConfig {
    /// The limit and its window.
    pub limit: Limit,
    /// How far into its window the clock stands at time 0.
    pub phase: Nanos,
    /// Whether the previous window's share is rounded down to whole units.
    pub floor: bool,
    /// Whether denied requests are counted too.
    pub count_denied: bool,
}

impl SlidingWindowCounterConfig {
    /// Reads the parameters.
    pub fn read(params: &mut Params, contract: &Contract) -> Result<Self> {
        let rounding = params.choice("rounding", &["none", "floor"], "none")?;
        Ok(Self {
            limit: contract.limit,
            phase: contract.phase(),
            floor: rounding == "floor",
            count_denied: params.or("count_denied", false)?,
        })
    }

    /// The largest count, where denied requests are counted too: of 2^32 requests, each of the
    /// whole limit. Counts saturate there.
    fn most(&self) -> u128 {
        u128::from(self.limit.units) << 32
    }

    /// Whether 64 bits hold every count of a run up to `horizon`.
    pub fn fits_narrow(&self, horizon: Nanos) -> bool {
        let most = if self.count_denied { self.most() } else { 0 };
        fits_narrow(most, horizon)
    }
}

impl Config for SlidingWindowCounterConfig {
    fn share(&self, share: Share) -> Option<Self> {
        Some(Self {
            limit: share.limit(self.limit),
            ..*self
        })
    }
}

/// The algorithm; see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlidingWindowCounter<W> {
    limit: Cost,
    window: u64,
    divisor: Divisor,
    phase: u64,
    floor: bool,
    count_denied: bool,
    /// Where counts saturate.
    most: W,
}

/// One key's counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlidingWindowCounterState<W> {
    /// Cost counted in the window before the last time's.
    previous: W,
    /// Cost counted in the window of the last time.
    current: W,
    /// When the key was last touched; its window follows from it.
    last: u64,
}

/// The counts at an instant, and how much of their window has elapsed.
#[derive(Clone, Copy)]
struct View {
    previous: u128,
    current: u128,
    elapsed: u64,
}

impl<W: Width> SlidingWindowCounter<W> {
    /// The algorithm for a configuration that fits the width.
    pub fn new(config: &SlidingWindowCounterConfig) -> Self {
        // Up to this bound the products with the window stay within 128 bits.
        let counted = if config.count_denied {
            config.most()
        } else {
            0
        };
        let most = counted.max(u64::MAX.into());
        Self {
            limit: config.limit.units,
            window: config.limit.window.get(),
            divisor: Divisor::new(config.limit.window.get()),
            phase: config.phase.get(),
            floor: config.floor,
            count_denied: config.count_denied,
            most: W::narrow(most),
        }
    }

    /// The stored counts, read by this limiter; `None` where its windows are others.
    pub(super) fn inherit<V: Width>(
        &self,
        old: &SlidingWindowCounter<V>,
        state: &SlidingWindowCounterState<V>,
        _: SimTime,
    ) -> Option<SlidingWindowCounterState<W>> {
        let count = |count: V| W::narrow(count.wide().min(self.most.wide()));
        let is_same = self.window == old.window && self.phase == old.phase;
        is_same.then(|| SlidingWindowCounterState {
            previous: count(state.previous),
            current: count(state.current),
            last: state.last,
        })
    }

    /// The same of the shares of the limit that the counts are, rounded up to whole units.
    pub(super) fn convert<V: Width>(
        &self,
        old: &SlidingWindowCounter<V>,
        state: &SlidingWindowCounterState<V>,
        now: SimTime,
    ) -> Option<SlidingWindowCounterState<W>> {
        let inherited = self.inherit(old, state, now)?;
        let share = |count: W| {
            let count = super::convert(count.wide(), self.limit, old.limit);
            W::narrow(count.min(self.most.wide()))
        };
        Some(SlidingWindowCounterState {
            previous: share(inherited.previous),
            current: share(inherited.current),
            ..inherited
        })
    }

    /// The counts moved on to `now`, and how much of its window has elapsed.
    fn moved(
        &self,
        state: &SlidingWindowCounterState<W>,
        now: u64,
    ) -> (SlidingWindowCounterState<W>, u64) {
        let mut moved = *state;
        moved.last = state.last.max(now);
        // From the start of the last time's window on.
        let begun = self.divisor.rest(state.last + self.phase);
        let mut elapsed = begun + (moved.last - state.last);
        if elapsed >= self.window {
            moved.previous = moved.current;
            moved.current = W::of(0);
            elapsed -= self.window;
        }
        if elapsed >= self.window {
            moved.previous = W::of(0);
            elapsed = self.divisor.rest(elapsed);
        }
        (moved, elapsed)
    }

    fn view(&self, state: &SlidingWindowCounterState<W>, now: u64) -> (View, u64) {
        let (moved, elapsed) = self.moved(state, now);
        let view = View {
            previous: moved.previous.wide(),
            current: moved.current.wide(),
            elapsed,
        };
        (view, moved.last)
    }

    fn sum(&self, count: W, cost: Cost) -> W {
        let most = self.most.wide();
        W::narrow((count.wide() + u128::from(cost)).min(most))
    }

    /// The previous window's share in 1/w units.
    fn share(&self, previous: u128, elapsed: u64) -> u128 {
        previous * u128::from(self.window - elapsed)
    }

    /// Whether the previous window's share leaves the whole of `room` units free.
    fn leaves(&self, share: u128, room: u128) -> bool {
        let window = u128::from(self.window);
        if self.floor {
            share < (room + 1) * window
        } else {
            share <= room * window
        }
    }

    /// The first elapsed time at which the share of `previous` leaves `room` units free, possibly
    /// the whole window.
    fn first_elapsed(&self, previous: u128, room: u128) -> u64 {
        let window = u128::from(self.window);
        let most = if self.floor {
            (room + 1) * window - 1
        } else {
            room * window
        };
        let rest = most.checked_div(previous).unwrap_or(window).min(window);
        self.window - u64::try_from(rest).expect("at most the window")
    }

    /// The estimate in 1/w units.
    fn estimate(&self, view: View) -> u128 {
        let window = u128::from(self.window);
        let share = self.share(view.previous, view.elapsed);
        let share = if self.floor {
            share - share % window
        } else {
            share
        };
        share + view.current * window
    }
}

impl<W: Width> Algorithm for SlidingWindowCounter<W> {
    type State = SlidingWindowCounterState<W>;

    fn fresh(&self) -> Self::State {
        SlidingWindowCounterState {
            previous: W::of(0),
            current: W::of(0),
            last: 0,
        }
    }

    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision {
        if cost == 0 {
            return Decision::Allow;
        }
        if cost > self.limit {
            return Decision::Deny;
        }
        let (moved, elapsed) = self.moved(state, now.as_nanos());
        *state = moved;
        let counted = self.sum(state.current, cost);
        let share = self.share(state.previous.wide(), elapsed);
        let allowed = u128::from(self.limit)
            .checked_sub(counted.wide())
            .is_some_and(|room| self.leaves(share, room));
        if allowed || self.count_denied {
            state.current = counted;
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
            *state = self.moved(state, at.as_nanos()).0;
            state.current = self.sum(state.current, cost);
        }
    }

    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry {
        if cost == 0 {
            return Retry::After(0);
        }
        let Some(limit) = self.limit.checked_sub(cost) else {
            return Retry::Never;
        };
        let limit = u128::from(limit);
        let (view, last) = self.view(state, now.as_nanos());
        let start = u128::from(last) - u128::from(now.as_nanos());
        let room = limit.checked_sub(view.current);
        if room.is_some_and(|room| self.leaves(self.share(view.previous, view.elapsed), room)) {
            return Retry::After(0);
        }
        // In this window once enough has faded; else in the next, where the present count fades; at
        // the latest in the one after that.
        let here = room.map_or(self.window, |room| self.first_elapsed(view.previous, room));
        let from_start = if here < self.window {
            u128::from(here)
        } else {
            u128::from(self.window) + u128::from(self.first_elapsed(view.current, limit))
        };
        Retry::After(start + from_start - u128::from(view.elapsed))
    }

    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost {
        let (view, _) = self.view(state, now.as_nanos());
        let window = u128::from(self.window);
        let limit = u128::from(self.limit) * window;
        let free = limit.saturating_sub(self.estimate(view)) / window;
        u64::try_from(free).expect("at most the limit")
    }

    fn level(&self, state: &Self::State, now: SimTime) -> Level {
        let (view, _) = self.view(state, now.as_nanos());
        Level::new(self.estimate(view), self.window.into())
    }

    fn level_bound(&self) -> Cost {
        self.limit
    }

    fn motion(&self) -> Motion {
        if self.floor {
            Motion::Steps
        } else {
            Motion::Slopes
        }
    }

    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime> {
        let (view, last) = self.view(state, after.as_nanos());
        let window = u128::from(self.window);
        let shown = self.share(view.previous, view.elapsed) / window;
        let from_start = if !self.floor {
            (view.previous > 0 || view.current > 0).then_some(window)
        } else if shown > 0 {
            Some(self.first_elapsed(view.previous, shown - 1).into())
        } else {
            // The count moves to the previous window without a jump, and fades from there.
            let fewer = view.current.checked_sub(1);
            fewer.map(|fewer| window + u128::from(self.first_elapsed(view.current, fewer)))
        };
        let at = u128::from(last) + from_start? - u128::from(view.elapsed);
        u64::try_from(at).ok().map(SimTime::from_nanos)
    }

    fn fresh_at(&self, state: &Self::State) -> Option<SimTime> {
        let (view, last) = self.view(state, state.last);
        let faded = |count| {
            if self.floor {
                self.first_elapsed(count, 0)
            } else {
                self.window
            }
        };
        let from_start = if view.current > 0 {
            u128::from(self.window) + u128::from(faded(view.current))
        } else if view.previous > 0 {
            u128::from(faded(view.previous))
        } else {
            return Some(SimTime::ZERO);
        };
        let at = (u128::from(last) + from_start).saturating_sub(u128::from(view.elapsed));
        u64::try_from(at).ok().map(SimTime::from_nanos)
    }

    fn estimate(&self, state: &Self::State, now: SimTime) -> Option<Level> {
        Some(self.level(state, now))
    }

    fn counts_denied(&self) -> bool {
        self.count_denied
    }

    fn is_fresh(&self, state: &Self::State, now: SimTime) -> bool {
        let nothing = W::of(0);
        if state.current == nothing && state.previous == nothing {
            return true;
        }
        let (moved, elapsed) = self.moved(state, now.as_nanos());
        moved.current == nothing
            && (moved.previous == nothing
                || (self.floor
                    && self.share(moved.previous.wide(), elapsed) < u128::from(self.window)))
    }

    fn stored_as(&self, _: &Self::State) -> StoredAs {
        StoredAs::TwoNumbers
    }

    fn state_bytes(&self, _: &Self::State) -> usize {
        size_of::<Self::State>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(limit: &str, floor: bool) -> SlidingWindowCounter<u64> {
        SlidingWindowCounter::new(&SlidingWindowCounterConfig {
            limit: limit.parse().unwrap(),
            phase: Nanos::ZERO,
            floor,
            count_denied: false,
        })
    }

    fn at(seconds: u64) -> SimTime {
        SimTime::ZERO + Nanos::from_secs(seconds)
    }

    /// 7 per minute, five in minute 0: at 1:15 they still count 3.75, and three more fit.
    #[test]
    fn the_previous_window_fades_in_proportion() {
        let counter = counter("7/1m", false);
        let mut state = counter.fresh();
        for (seconds, decision, level) in [
            (10, Decision::Allow, 100),
            (20, Decision::Allow, 200),
            (30, Decision::Allow, 300),
            (40, Decision::Allow, 400),
            (50, Decision::Allow, 500),
            (75, Decision::Allow, 475),
            (75, Decision::Allow, 575),
            (75, Decision::Allow, 675),
            (75, Decision::Deny, 675),
        ] {
            assert_eq!(counter.decide(&mut state, at(seconds), 1), decision);
            let estimate = counter.level(&state, at(seconds));
            assert_eq!(estimate.parts * 100 / estimate.per_unit, level);
        }
        // With 3 counted, 3.75 must fall to 3: 5 · (60 − e)/60 = 3 at e = 24.
        assert_eq!(
            counter.retry_after(&state, at(75), 1),
            Retry::After(9_000_000_000)
        );
    }

    /// 60 per minute, 60 in the last minute and 12 so far at 12 s: 48 + 12 + 1 fits a second later.
    #[test]
    fn retry_after_is_when_enough_has_faded() {
        let counter = counter("60/1m", false);
        let mut state = counter.fresh();
        assert_eq!(counter.decide(&mut state, at(30), 60), Decision::Allow);
        assert_eq!(counter.decide(&mut state, at(72), 12), Decision::Allow);
        assert_eq!(counter.decide(&mut state, at(72), 1), Decision::Deny);
        assert_eq!(
            counter.retry_after(&state, at(72), 1),
            Retry::After(1_000_000_000)
        );
    }

    /// 5 · 0.75 is taken as 3: a fourth fits at 1:15.
    #[test]
    fn floor_takes_whole_units_of_the_previous_window() {
        let counter = counter("7/1m", true);
        let mut state = counter.fresh();
        for (seconds, cost, decision) in [
            (50, 5, Decision::Allow),
            (75, 4, Decision::Allow),
            (75, 1, Decision::Deny),
            (84, 1, Decision::Deny),
            (85, 1, Decision::Allow),
        ] {
            assert_eq!(
                counter.decide(&mut state, at(seconds), cost),
                decision,
                "{seconds}"
            );
        }
    }
}
