//! The rate-limiting algorithms: pure, exact steps on plain state.
//!
//! Each algorithm is a configuration with one method that matters, [`Algorithm::decide`]. The state
//! is plain data that can be copied, compared and sent; time is an argument. No float takes part in
//! any decision.

mod any;
mod explanation;
mod fixed_window;
mod gcra;
mod leaky_bucket;
mod sliding_window_counter;
mod sliding_window_log;
mod token_bucket;
mod width;

pub use any::{Any, AnyState};
pub use explanation::Explanation;
pub use fixed_window::{FIXED_WINDOW, FixedWindow, FixedWindowConfig};
pub use gcra::{GCRA, Gcra, GcraConfig};
pub use leaky_bucket::{LEAKY_BUCKET, LeakyBucket, LeakyBucketConfig};
pub use sliding_window_counter::{
    SLIDING_WINDOW_COUNTER, SlidingWindowCounter, SlidingWindowCounterConfig,
};
pub use sliding_window_log::{SLIDING_WINDOW_LOG, SlidingWindowLog, SlidingWindowLogConfig};
pub use token_bucket::{TOKEN_BUCKET, TokenBucket, TokenBucketConfig};
pub use width::Width;

use crate::units::{Cost, Level, Limit, Nanos, Retry, Share, SimTime};
use std::fmt::Debug;

/// What an algorithm says to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Forward at once.
    Allow,
    /// Admitted, but forwarded this much later, in whole nanoseconds: at the first one at or after
    /// its exact turn. [`Nanos::FOREVER`] when its turn never comes or lies beyond the clock.
    Delay(Nanos),
    /// Refuse.
    Deny,
}

impl Decision {
    /// Whether the request will be forwarded, at once or later.
    pub const fn is_admitted(self) -> bool {
        !matches!(self, Self::Deny)
    }

    /// How long an admitted request waits.
    pub const fn delay(self) -> Nanos {
        match self {
            Self::Delay(delay) => delay,
            Self::Allow | Self::Deny => Nanos::ZERO,
        }
    }
}

/// How a level moves between requests, so that it can be drawn from exact break points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It stays until a break and jumps there.
    Steps,
    /// It runs straight from break to break and never jumps.
    Slopes,
}

/// How one key's state is kept in Redis by the usual design of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredAs {
    /// One string that holds a number: a counter, a time.
    Number,
    /// Two such strings.
    TwoNumbers,
    /// A hash of an amount and a time.
    Hash,
    /// A sorted set of this many times.
    SortedSet(usize),
    /// A list of this many waiting requests.
    List(usize),
}

/// Which closed form gives the share that the algorithm denies of Poisson arrivals at unit cost in
/// the long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClosedForm {
    /// A bucket of this whole capacity at this rate per second: the queue M/D/1/K.
    Bucket {
        /// K.
        capacity: Cost,
        /// Units per second.
        per_second: f64,
    },
    /// A count per fixed window.
    FixedWindow(Limit),
    /// A log of admitted requests: Erlang B.
    LogOfAdmitted(Limit),
    /// A log of all requests.
    LogOfAll(Limit),
}

/// How much of a new limit is the share that `used` is of an old one, rounded up to whole units; nothing
/// where the old one let nothing pass.
fn convert(used: u128, limit: Cost, old: Cost) -> u128 {
    let (old, limit) = (u128::from(old), u128::from(limit));
    if old == 0 {
        return 0;
    }
    // Limits are below 2^40, so that this is exact up to 2^88 units.
    used.saturating_mul(limit).div_ceil(old)
}

/// What a scenario says about an algorithm, of which several limiters may each enforce a part.
pub trait Config: Copy {
    /// What a limiter that enforces this share of it goes by; `None` when a rate would be too fine to
    /// be kept exactly.
    fn share(&self, share: Share) -> Option<Self>;
}

/// One rate-limiting algorithm with its parameters.
///
/// Laws, tested over every algorithm and option: `retry_after` is exact; a denied request changes no
/// later decision (unless the option is to count it); a cost of 0 is always allowed and changes
/// nothing; a cost above what can ever be held is denied and changes nothing; a time earlier than
/// the state's last counts as no time passing.
pub trait Algorithm: Clone + Send + Sync + 'static {
    /// What is kept per key: plain data.
    type State: Clone + PartialEq + Debug + Send + 'static;

    /// The state of a key that has not been seen.
    fn fresh(&self) -> Self::State;

    /// Decides one request of `cost` at `now` and charges it if admitted.
    fn decide(&self, state: &mut Self::State, now: SimTime, cost: Cost) -> Decision;

    /// What a request that may pass does to a state by asking for it, whatever is decided: a log drops
    /// what has left its window, a queue what has been forwarded, a bucket that is not full at first
    /// begins.
    fn look(&self, _state: &mut Self::State, _now: SimTime) {}

    /// Charges what another node admitted at `at`, without a question.
    fn charge(&self, state: &mut Self::State, at: SimTime, cost: Cost);

    /// How long after `now` a request of `cost`, just denied at `now`, would be admitted if nothing
    /// else arrived.
    fn retry_after(&self, state: &Self::State, now: SimTime, cost: Cost) -> Retry;

    /// The largest whole cost that would be admitted, at once or delayed, at `now`.
    fn remaining(&self, state: &Self::State, now: SimTime) -> Cost;

    /// The level at `now`: tokens, backlog, count, entries or estimate, as the catalog names it.
    /// At a jump it is the level after it.
    fn level(&self, state: &Self::State, now: SimTime) -> Level;

    /// The level's bound: a bucket's capacity, a window's limit.
    fn level_bound(&self) -> Cost;

    /// How the level moves between requests.
    fn motion(&self) -> Motion;

    /// The first instant after `after` at which the untouched level jumps or bends.
    fn next_break(&self, state: &Self::State, after: SimTime) -> Option<SimTime>;

    /// The first instant from which the untouched state decides like a fresh one for ever, so that
    /// the key may be forgotten; [`SimTime::ZERO`] for a fresh state, `None` for never.
    fn fresh_at(&self, state: &Self::State) -> Option<SimTime>;

    /// Whether the key may be forgotten at `now`.
    fn is_fresh(&self, state: &Self::State, now: SimTime) -> bool {
        self.fresh_at(state).is_some_and(|at| at <= now)
    }

    /// For an algorithm that estimates the cost of the trailing window, the estimate at `now`.
    fn estimate(&self, _state: &Self::State, _now: SimTime) -> Option<Level> {
        None
    }

    /// Whether denied requests are counted like admitted ones, as far as their cost is within the
    /// level's bound.
    fn counts_denied(&self) -> bool {
        false
    }

    /// Whether some requests are admitted and forwarded later.
    fn delays(&self) -> bool {
        false
    }

    /// Whether every state that is not fresh takes the same room, here and in Redis.
    fn has_one_size(&self) -> bool {
        true
    }

    /// The closed form of the share denied under Poisson arrivals at unit cost, where there is one.
    fn closed_form(&self) -> Option<ClosedForm> {
        None
    }

    /// Whether its count starts anew only because the store lets its key expire: where that is lost,
    /// time stands still for it.
    fn resets_by_expiry(&self) -> bool {
        false
    }

    /// How Redis would hold this state.
    fn stored_as(&self, state: &Self::State) -> StoredAs;

    /// Bytes of this state, heap included: what the limiter holds, not what the simulator does.
    fn state_bytes(&self, state: &Self::State) -> usize;
}
