//! What a limiter holds in memory over time: bytes of state of the keys that cannot be forgotten.

use super::Staircase;
use crate::limiter::Algorithm;
use crate::units::SimTime;

/// Bytes and live keys of one candidate over time.
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    /// Bytes of state.
    pub bytes: Staircase,
    /// Keys that cannot be forgotten.
    pub keys: Staircase,
}

/// What one key is counted with; zero bytes while it is fresh.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held(u32);

impl Occupancy {
    /// Nothing is held yet; `exact` instants of change are kept exactly.
    pub const fn keeping(exact: usize) -> Self {
        Self {
            bytes: Staircase::keeping(exact),
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
        if held.0 == 0 || !algorithm.is_fresh(state, now) {
            return;
        }
        let since = algorithm.fresh_at(state).unwrap_or(now);
        self.bytes
            .jump(since.as_nanos(), -i64::from(held.0), end.as_nanos());
        self.keys.jump(since.as_nanos(), -1, end.as_nanos());
        held.0 = 0;
    }

    /// After a decision: counts the key with its present size.
    pub fn after<A: Algorithm>(
        &mut self,
        algorithm: &A,
        state: &A::State,
        held: &mut Held,
        now: SimTime,
        end: SimTime,
    ) {
        let bytes = if algorithm.is_fresh(state, now) {
            0
        } else {
            u32::try_from(algorithm.state_bytes(state)).unwrap_or(u32::MAX)
        };
        let (at, end) = (now.as_nanos(), end.as_nanos());
        self.bytes
            .jump(at, i64::from(bytes) - i64::from(held.0), end);
        self.keys
            .jump(at, i64::from(bytes > 0) - i64::from(held.0 > 0), end);
        held.0 = bytes;
    }

    /// Adds another shard's.
    pub fn merge(&mut self, other: &Self) {
        self.bytes.merge(&other.bytes);
        self.keys.merge(&other.keys);
    }
}
