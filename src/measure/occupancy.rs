//! What a limiter holds in memory over time: bytes of state of the keys that cannot be forgotten.

use super::redis::{key_bytes, redis_bytes};
use super::{Clocked, Staircase};
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

/// What one key is counted with while it is live. Where every state has one size, that is measured once.
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
    /// Takes the size of a state.
    fn measure<A: Algorithm>(&mut self, algorithm: &A, state: &A::State) {
        let stored = algorithm.stored_as(state);
        if let StoredAs::SortedSet(entries) = stored {
            self.most = self.most.max(narrow(entries as u64));
        }
        self.bytes = narrow(algorithm.state_bytes(state) as u64);
        self.redis = narrow(redis_bytes(stored, self.name.into(), self.most as usize));
    }
}

fn narrow(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
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
        now: Clocked,
    ) {
        if self.is_live[slot] && algorithm.is_fresh(state, now.reading) {
            let since = algorithm.fresh_at(state).map(|since| now.instant(since));
            self.let_go(algorithm, slot, since.unwrap_or(now.at));
        }
    }

    /// Whether a key is held.
    pub fn is_live(&self, slot: usize) -> bool {
        self.is_live[slot]
    }

    /// Lets go of a key that is held.
    pub fn let_go<A: Algorithm>(&mut self, algorithm: &A, slot: usize, since: SimTime) {
        self.is_live[slot] = false;
        let held = &mut self.held[slot];
        let (bytes, redis) = (held.bytes, held.redis);
        if !algorithm.has_one_size() {
            (held.bytes, held.redis, held.most) = (0, 0, 0);
        }
        self.jump(since, [-i64::from(bytes), -i64::from(redis), -1]);
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
        now: Clocked,
    ) {
        // A key that was live before the decision is live after it.
        let was_live = self.is_live[slot];
        if was_live && algorithm.has_one_size()
            || !was_live && algorithm.is_fresh(state, now.reading)
        {
            return;
        }
        self.is_live[slot] = true;
        let held = &mut self.held[slot];
        if held.name == 0 {
            held.name = narrow(key_bytes(name()));
            held.measure(algorithm, state);
        }
        if algorithm.has_one_size() {
            // Measured once: only whether the key is live changes.
            let deltas = [i64::from(held.bytes), i64::from(held.redis), 1];
            self.jump(now.at, deltas);
            return;
        }
        let (bytes, redis) = match was_live {
            true => (held.bytes, held.redis),
            false => (0, 0),
        };
        held.measure(algorithm, state);
        let difference = |new: u32, old: u32| i64::from(new) - i64::from(old);
        let deltas = [
            difference(held.bytes, bytes),
            difference(held.redis, redis),
            i64::from(!was_live),
        ];
        if deltas != [0; 3] {
            self.jump(now.at, deltas);
        }
    }

    fn jump(&mut self, at: SimTime, deltas: [i64; 3]) {
        self.stairs.jump(at.as_nanos(), deltas, self.end);
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
