//! Any of the algorithms as one type: limiters of different kinds side by side.
//!
//! It adds nothing of its own: each step is that of the algorithm in question, at the same width.

use super::{
    Algorithm, ClosedForm, Decision, FixedWindow, Gcra, LeakyBucket, Motion, SlidingWindowCounter,
    SlidingWindowLog, StoredAs, TokenBucket,
};
use crate::units::{Cost, Level, Retry, SimTime};

/// Lists the kinds once: the enums of limiters and states, the conversions and every step follow.
macro_rules! any {
    ($($kind:ident($algorithm:ty),)*) => {
        /// A limiter of whatever kind.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum Any {
            $($kind($algorithm),)*
        }

        /// The state of one key of a limiter of whatever kind.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum AnyState {
            $($kind(<$algorithm as Algorithm>::State),)*
        }

        $(impl From<$algorithm> for Any {
            fn from(algorithm: $algorithm) -> Self {
                Self::$kind(algorithm)
            }
        })*

        /// Takes a step with the limiter and its own state.
        macro_rules! step {
            ($any:expr, $state:expr, |$it:ident, $own:ident| $step:expr) => {
                match ($any, $state) {
                    $((Any::$kind($it), AnyState::$kind($own)) => $step,)*
                    _ => unreachable!("a state goes with its limiter"),
                }
            };
        }

        /// Asks the limiter.
        macro_rules! ask {
            ($any:expr, |$it:ident| $question:expr) => {
                match $any {
                    $(Any::$kind($it) => $question,)*
                }
            };
        }

        impl Any {
            fn begin(&self) -> AnyState {
                match self {
                    $(Self::$kind(it) => AnyState::$kind(it.fresh()),)*
                }
            }
        }
    };
}

any! {
    TokenBucket(TokenBucket<u64>),
    WideTokenBucket(TokenBucket<u128>),
    LeakyBucket(LeakyBucket<u64>),
    WideLeakyBucket(LeakyBucket<u128>),
    FixedWindow(FixedWindow),
    SlidingWindowLog(SlidingWindowLog),
    SlidingWindowCounter(SlidingWindowCounter<u64>),
    WideSlidingWindowCounter(SlidingWindowCounter<u128>),
    Gcra(Gcra<u64>),
    WideGcra(Gcra<u128>),
}

/// Takes a state from one limiter to another of its kind: at each pair of widths, else as the further arms
/// say, else not at all.
macro_rules! carry {
    (
        ($new:expr, $old:expr, $state:expr),
        { $($narrow:ident | $wide:ident: |$n:ident, $o:ident, $s:ident| $step:expr,)* },
        { $($pattern:pat => $other:expr,)* }
    ) => {
        match ($new, $old, $state) {
            $((Any::$narrow($n), Any::$narrow($o), AnyState::$narrow($s)) =>
                $step.map(AnyState::$narrow),
            (Any::$narrow($n), Any::$wide($o), AnyState::$wide($s)) =>
                $step.map(AnyState::$narrow),
            (Any::$wide($n), Any::$narrow($o), AnyState::$narrow($s)) =>
                $step.map(AnyState::$wide),
            (Any::$wide($n), Any::$wide($o), AnyState::$wide($s)) =>
                $step.map(AnyState::$wide),)*
            $($pattern => $other,)*
            _ => None,
        }
    };
}

impl Algorithm for Any {
    type State = AnyState;

    fn fresh(&self) -> Self::State {
        self.begin()
    }

    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision {
        step!(self, state, |it, own| it.decide(own, now, cost))
    }

    fn look(&self, state: &mut Self::State, now: SimTime) {
        step!(self, state, |it, own| it.look(own, now));
    }

    fn charge(&self, state: &mut Self::State, at: SimTime, cost: Cost) {
        step!(self, state, |it, own| it.charge(own, at, cost));
    }

    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry {
        step!(self, state, |it, own| it.retry_after(own, now, cost))
    }

    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost {
        step!(self, state, |it, own| it.remaining(own, now))
    }

    fn level(&self, state: &Self::State, now: SimTime) -> Level {
        step!(self, state, |it, own| it.level(own, now))
    }

    fn level_bound(&self) -> Cost {
        ask!(self, |it| it.level_bound())
    }

    fn motion(&self) -> Motion {
        ask!(self, |it| it.motion())
    }

    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime> {
        step!(self, state, |it, own| it.next_break(own, after))
    }

    fn fresh_at(&self, state: &Self::State) -> Option<SimTime> {
        step!(self, state, |it, own| it.fresh_at(own))
    }

    fn is_fresh(&self, state: &Self::State, now: SimTime) -> bool {
        step!(self, state, |it, own| it.is_fresh(own, now))
    }

    fn estimate(&self, state: &Self::State, now: SimTime) -> Option<Level> {
        step!(self, state, |it, own| it.estimate(own, now))
    }

    fn counts_denied(&self) -> bool {
        ask!(self, |it| it.counts_denied())
    }

    fn delays(&self) -> bool {
        ask!(self, |it| it.delays())
    }

    fn has_one_size(&self) -> bool {
        ask!(self, |it| it.has_one_size())
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        ask!(self, |it| it.closed_form())
    }

    fn resets_by_expiry(&self) -> bool {
        ask!(self, |it| it.resets_by_expiry())
    }

    fn stored_as(&self, state: &Self::State) -> StoredAs {
        step!(self, state, |it, own| it.stored_as(own))
    }

    fn state_bytes(&self, state: &Self::State) -> usize {
        step!(self, state, |it, own| it.state_bytes(own))
    }
}

impl Any {
    /// A state of this limiter of which as much is used at `now` as of `state` under `old`: tokens that are
    /// missing, a backlog, counts of the same windows and entries of a log. `None` where that means nothing
    /// to this one, which then begins afresh: another kind, or counts of windows of another length.
    pub fn inherit(&self, old: &Self, state: &AnyState, now: SimTime) -> Option<AnyState> {
        use AnyState as S;
        carry!((self, old, state), {
            TokenBucket | WideTokenBucket: |new, old, state| Some(new.inherit(old, state, now)),
            LeakyBucket | WideLeakyBucket: |new, old, state| Some(new.inherit(old, state, now)),
            Gcra | WideGcra: |new, old, state| Some(new.inherit(old, state, now)),
            SlidingWindowCounter | WideSlidingWindowCounter:
                |new, old, state| new.inherit(old, state, now),
        }, {
            (Self::FixedWindow(new), Self::FixedWindow(old), S::FixedWindow(state)) =>
                new.inherit(old, state).map(S::FixedWindow),
            (Self::SlidingWindowLog(_), _, S::SlidingWindowLog(state)) =>
                Some(S::SlidingWindowLog(state.clone())),
        })
    }

    /// A state of this limiter of which the same share is used at `now` as of `state` under `old`, rounded
    /// up to whole units. Counts of the same windows and entries of a log stay at their times.
    pub fn convert(&self, old: &Self, state: &AnyState, now: SimTime) -> AnyState {
        use AnyState as S;
        let converted = carry!((self, old, state), {
            SlidingWindowCounter | WideSlidingWindowCounter:
                |new, old, state| new.convert(old, state, now),
        }, {
            (Self::FixedWindow(new), Self::FixedWindow(old), S::FixedWindow(state)) =>
                new.convert(old, state).map(S::FixedWindow),
            (Self::SlidingWindowLog(new), Self::SlidingWindowLog(old), S::SlidingWindowLog(state)) =>
                Some(S::SlidingWindowLog(new.convert(old, state))),
        });
        converted.unwrap_or_else(|| self.charged(old, state, now))
    }

    /// A fresh state that is charged at once with the share that is used.
    fn charged(&self, old: &Self, state: &AnyState, now: SimTime) -> AnyState {
        let mut charged = self.fresh();
        let whole = u128::from(old.level_bound());
        let used = whole.saturating_sub(old.remaining(state, now).into());
        let share = super::convert(used, self.level_bound(), old.level_bound());
        if share > 0 {
            let share = Cost::try_from(share).expect("no more than the bound");
            self.charge(&mut charged, now, share);
        }
        charged
    }
}
