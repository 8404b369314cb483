//! Instants beside what the deciding clock reads.

use crate::units::{Nanos, SimTime};

/// An instant of the run, and how far the clock that decides is ahead of it. Algorithms are asked
/// about what that clock reads; what is measured belongs to the instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocked {
    /// The instant.
    pub at: SimTime,
    /// How far the clock is ahead.
    pub ahead: Nanos,
}

impl Clocked {
    /// An instant that the clock reads as it is.
    pub const fn exact(at: SimTime) -> Self {
        Self {
            at,
            ahead: Nanos::ZERO,
        }
    }

    /// What the clock reads.
    pub const fn reading(self) -> SimTime {
        self.at.saturating_add(self.ahead)
    }

    /// Another instant by the same clock.
    pub const fn when(self, at: SimTime) -> Self {
        Self { at, ..self }
    }

    /// The instant at which the clock reads this.
    pub const fn instant(self, reading: SimTime) -> SimTime {
        reading.saturating_sub(self.ahead)
    }
}
