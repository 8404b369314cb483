//! What a limiter holds in memory over time: bytes of state of the keys that cannot be forgotten.

use super::Staircase;
use super::redis::redis_bytes;
use crate::limiter::{Algorithm, StoredAs};
use crate::units::SimTime;

/// Bytes and live keys of one candidate over time.
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    /// Bytes of compact state.
    pub bytes: Staircase,
    /// Bytes of the same state in Redis.
    pub redis: Staircase,
    /// Keys that cannot be forgotten.
    pub keys: Staircase,
}

/// What one key is counted with; zero bytes while it is fresh.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    bytes: u32,
    redis: u32,
    /// The most entries of its collection since the key was created.
    most: u32,
}

impl Occupancy {
    /// Nothing is held yet; `exact` instants of change are kept exactly.
    pub const fn keeping(exact: usize) -> Self {
        Self {
            bytes: Staircase::keeping(exact),
            redis: Staircase::keeping(exact),
            keys: Staircase::keeping(exact),
        }
    }

    /// Before a decision: lets go of a key whose state has become fresh since its last one.
    ///
    /// The instant of becoming fresh costs a division, so it is asked for only when it has passed.
    pub fn before<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        held: &mut Held,
        now: SimTime,
        end: SimTime,
    ) {
        if held.bytes == 0 || !algorithm.is_fresh(state, now) {
            return;
        }
        let since = algorithm.fresh_at(state).unwrap_or(now);
        self.change(held, Held::default(), since, end);
    }

    /// After a decision: counts the key, whose name has `name` bytes, with its present size.
    pub fn after<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        (held, name): (&mut Held, usize),
        now: SimTime,
        end: SimTime,
    ) {
        if algorithm.is_fresh(state, now) {
            self.change(held, Held::default(), now, end);
            return;
        }
        let narrow = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let stored = algorithm.stored_as(state);
        let most = match stored {
            StoredAs::SortedSet(entries) => held.most.max(narrow(entries)),
            _ => 0,
        };
        let redis = redis_bytes(stored, name, most as usize);
        let present = Held {
            bytes: narrow(algorithm.state_bytes(state)),
            redis: u32::try_from(redis).unwrap_or(u32::MAX),
            most,
        };
        self.change(held, present, now, end);
    }

    /// Counts the key with what it holds from `at` on instead of what it held before.
    fn change(&mut self, held: &mut Held, present: Held, at: SimTime, end: SimTime) {
        let (at, end) = (at.as_nanos(), end.as_nanos());
        let difference = |new: u32, old: u32| i64::from(new) - i64::from(old);
        self.bytes
            .jump(at, difference(present.bytes, held.bytes), end);
        self.redis
            .jump(at, difference(present.redis, held.redis), end);
        self.keys.jump(
            at,
            i64::from(present.bytes > 0) - i64::from(held.bytes > 0),
            end,
        );
        *held = present;
    }

    /// Adds another shard's.
    pub fn merge(&mut self, other: &Self) {
        self.bytes.merge(&other.bytes);
        self.redis.merge(&other.redis);
        self.keys.merge(&other.keys);
    }
}
