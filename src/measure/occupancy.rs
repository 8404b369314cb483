//! What a limiter holds in memory over time: bytes of state of the keys that cannot be forgotten.

use super::Staircase;
use super::redis::{key_bytes, redis_bytes};
use crate::limiter::{Algorithm, StoredAs};
use crate::units::SimTime;

/// Bytes and live keys of one candidate over time.
#[derive(Clone, Debug)]
pub struct Occupancy {
    /// Bytes of compact state, of the same state in Redis, and keys that cannot be forgotten.
    stairs: Staircase<3>,
    /// By slot, whether the key is counted: all that most decisions look at.
    is_live: Vec<bool>,
    /// By slot, what it is counted with.
    held: Vec<Held>,
    /// When the run ends.
    end: u64,
}

/// What one key is counted with; zero bytes while it is fresh.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: u32,
    redis: u32,
    /// The most entries of its collection since the key was created.
    most: u32,
    /// What its name takes in Redis; 0 before that is known.
    name: u32,
}

impl Held {
    /// Nothing, of the same key.
    const fn nothing(self) -> Self {
        Self {
            bytes: 0,
            redis: 0,
            most: 0,
            name: self.name,
        }
    }
}

impl Occupancy {
    /// Nothing is held yet, in a run up to `end`; `exact` instants of change are kept exactly.
    pub const fn keeping(exact: usize, end: SimTime) -> Self {
        Self {
            stairs: Staircase::keeping(exact),
            is_live: Vec::new(),
            held: Vec::new(),
            end: end.as_nanos(),
        }
    }

    /// Makes room for `keys` keys.
    pub fn reach(&mut self, keys: usize) {
        self.is_live.resize(keys, false);
        self.held.resize(keys, Held::default());
    }

    /// Before a decision: lets go of a key whose state has become fresh since its last one.
    ///
    /// The instant of becoming fresh costs a division, so it is asked for only when it has passed.
    #[inline]
    pub fn before<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        now: SimTime,
    ) {
        if self.is_live[slot] && algorithm.is_fresh(state, now) {
            let since = algorithm.fresh_at(state).unwrap_or(now);
            let nothing = self.held[slot].nothing();
            self.change(slot, nothing, since);
        }
    }

    /// After a decision: counts the key, whose name has as many bytes as `name` says, with its
    /// present size.
    #[inline]
    pub fn after<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        name: impl FnOnce() -> usize,
        now: SimTime,
    ) {
        // A key that was live before the decision is live after it.
        let is_settled = match self.is_live[slot] {
            true => algorithm.has_one_size(),
            false => algorithm.is_fresh(state, now),
        };
        if is_settled {
            return;
        }
        self.resize(algorithm, state, slot, name, now);
    }

    /// Counts a key with its present size.
    fn resize<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        slot: usize,
        name: impl FnOnce() -> usize,
        now: SimTime,
    ) {
        let held = &mut self.held[slot];
        let narrow = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        if held.name == 0 {
            held.name = u32::try_from(key_bytes(name())).unwrap_or(u32::MAX);
        }
        let stored = algorithm.stored_as(state);
        let most = match stored {
            StoredAs::SortedSet(entries) => held.most.max(narrow(entries)),
            _ => 0,
        };
        let redis = redis_bytes(stored, held.name.into(), most as usize);
        let present = Held {
            bytes: narrow(algorithm.state_bytes(state)),
            redis: u32::try_from(redis).unwrap_or(u32::MAX),
            most,
            name: held.name,
        };
        self.change(slot, present, now);
    }

    /// Counts the key with what it holds from `at` on instead of what it held before.
    fn change(&mut self, slot: usize, present: Held, at: SimTime) {
        let held = std::mem::replace(&mut self.held[slot], present);
        self.is_live[slot] = present.bytes > 0;
        let difference = |new: u32, old: u32| i64::from(new) - i64::from(old);
        let deltas = [
            difference(present.bytes, held.bytes),
            difference(present.redis, held.redis),
            i64::from(present.bytes > 0) - i64::from(held.bytes > 0),
        ];
        if deltas != [0; 3] {
            self.stairs.jump(at.as_nanos(), deltas, self.end);
        }
    }

    /// Adds another shard's.
    pub fn merge(&mut self, other: &Self) {
        self.stairs.merge(&other.stairs);
    }

    /// Over time: bytes of compact state, bytes in Redis, live keys.
    pub fn split(&self) -> [Staircase; 3] {
        self.stairs.split()
    }
}
