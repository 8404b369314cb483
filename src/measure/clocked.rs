//! Instants beside what the deciding clock reads.

use crate::units::SimTime;

/// An instant of the run, and what the clock that decides reads then. Algorithms are asked about the
/// reading; what is measured belongs to the instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocked {
    /// The instant.
    pub at: SimTime,
    /// What the clock reads.
    pub reading: SimTime,
    /// Whether the clock runs.
    runs: bool,
}

impl Clocked {
    /// An instant at which the clock reads this.
    pub const fn new(at: SimTime, reading: SimTime) -> Self {
        Self {
            at,
            reading,
            runs: true,
        }
    }

    /// An instant that the clock reads as it is.
    pub const fn exact(at: SimTime) -> Self {
        Self::new(at, at)
    }

    /// An instant by a clock that has stopped at this reading.
    pub const fn stopped(at: SimTime, reading: SimTime) -> Self {
        Self {
            at,
            reading,
            runs: false,
        }
    }

    /// Whether the clock stands still.
    pub const fn is_stopped(self) -> bool {
        !self.runs
    }

    /// Another instant by the same clock.
    pub fn when(self, at: SimTime) -> Self {
        let reading = if !self.runs {
            self.reading
        } else if at < self.at {
            self.reading.saturating_sub(self.at.since(at))
        } else {
            self.reading.saturating_add(at.since(self.at))
        };
        Self {
            at,
            reading,
            ..self
        }
    }

    /// The instant at which the clock, which runs, reads this.
    pub fn instant(self, reading: SimTime) -> SimTime {
        if reading < self.reading {
            self.at.saturating_sub(self.reading.since(reading))
        } else {
            self.at.saturating_add(reading.since(self.reading))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_ahead_stays_so() {
        let at = SimTime::from_nanos;
        let now = Clocked::new(at(100), at(130));
        assert_eq!(now.when(at(90)).reading, at(120));
        assert_eq!(now.when(at(110)).reading, at(140));
        assert_eq!(now.instant(at(125)), at(95));
        assert_eq!(now.instant(at(131)), at(101));
        let stopped = Clocked::stopped(at(100), at(30));
        assert_eq!(stopped.when(at(900)).reading, at(30));
    }
}
