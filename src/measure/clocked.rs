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
    /// What the clock shows elsewhere, where it has stopped for some state alone.
    pub shows: SimTime,
    /// Whether the clock runs.
    runs: bool,
}

impl Clocked {
    /// An instant at which the clock reads this.
    pub const fn new(at: SimTime, reading: SimTime) -> Self {
        Self {
            at,
            reading,
            shows: reading,
            runs: true,
        }
    }

    /// An instant that the clock reads as it is.
    pub const fn exact(at: SimTime) -> Self {
        Self::new(at, at)
    }

    /// The same instant where this clock, unless it stands still already, has stopped at this reading.
    pub const fn stopped(self, reading: SimTime) -> Self {
        match self.runs {
            true => Self {
                reading,
                runs: false,
                ..self
            },
            false => self,
        }
    }

    /// Another instant by the same clock.
    pub fn when(self, at: SimTime) -> Self {
        let shift = |reading: SimTime| match at < self.at {
            true => reading.saturating_sub(self.at.since(at)),
            false => reading.saturating_add(at.since(self.at)),
        };
        Self {
            at,
            reading: match self.runs {
                true => shift(self.reading),
                false => self.reading,
            },
            shows: shift(self.shows),
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
        let stopped = now.stopped(at(30)).when(at(900));
        assert_eq!((stopped.reading, stopped.shows), (at(30), at(930)));
    }
}
