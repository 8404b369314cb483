//! The way to the store and back.

use super::super::deployment::{Deployment, Slowdown};
use crate::units::{Nanos, SimTime};
use crate::workload::Distribution;
use crate::workload::random::{NO_BLOCK, Purpose, WHOLE, generator};
use rand_pcg::Pcg64;

/// Draws round trips.
pub(super) struct Link {
    rtt: Distribution,
    constant: Option<Nanos>,
    slowdowns: Vec<Slowdown>,
    asks: Pcg64,
    writes: Pcg64,
}

/// One round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trip {
    /// How long the way there takes: half of the whole, rounded down.
    pub(super) out: Nanos,
    /// How long both ways take.
    pub(super) whole: Nanos,
}

impl Link {
    /// The link of a deployment. Streams depend on the seed alone, so that the first ask of the same
    /// request takes the same time in every candidate.
    pub(super) fn new(deployment: &Deployment, seed: u64) -> Self {
        Self {
            constant: deployment.rtt.constant().map(nanos),
            rtt: deployment.rtt.clone(),
            slowdowns: deployment.slowdowns.clone(),
            asks: generator(seed, NO_BLOCK, WHOLE, Purpose::Asks),
            writes: generator(seed, NO_BLOCK, WHOLE, Purpose::Writes),
        }
    }

    /// The round trip of a request's first ask, sent at `at`. Drawn for every request in order.
    pub(super) fn ask(&mut self, at: SimTime) -> Trip {
        let drawn = match self.constant {
            Some(constant) => constant,
            None => nanos(self.rtt.draw(&mut self.asks)),
        };
        self.trip(drawn, at)
    }

    /// The round trip of anything else sent at `at`.
    pub(super) fn write(&mut self, at: SimTime) -> Trip {
        let drawn = match self.constant {
            Some(constant) => constant,
            None => nanos(self.rtt.draw(&mut self.writes)),
        };
        self.trip(drawn, at)
    }

    fn trip(&self, drawn: Nanos, at: SimTime) -> Trip {
        let drawn = drawn.min(Deployment::LONGEST_TRIP);
        let slow = self
            .slowdowns
            .iter()
            .map(|slowdown| slowdown.adds_at(at).get());
        let whole = slow.fold(drawn.get(), u64::saturating_add);
        Trip {
            out: Nanos::new(whole / 2),
            whole: Nanos::new(whole),
        }
    }
}

/// A drawn length, to the nearest nanosecond.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn nanos(drawn: f64) -> Nanos {
    Nanos::new(drawn.round() as u64)
}

impl Slowdown {
    /// What a round trip that begins at `at` takes longer.
    fn adds_at(&self, at: SimTime) -> Nanos {
        if at < self.from || at >= self.to {
            return Nanos::ZERO;
        }
        let (passed, length) = (at.since(self.from), self.to.since(self.from));
        let adds = u128::from(self.adds.get()) * u128::from(passed.get());
        Nanos::from_wide(adds / u128::from(length.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowdown_grows_evenly() {
        let at = SimTime::from_nanos;
        let slow = Slowdown {
            from: at(100),
            to: at(200),
            adds: Nanos::new(50),
        };
        for (now, adds) in [(99, 0), (100, 0), (150, 25), (199, 49), (200, 0)] {
            assert_eq!(slow.adds_at(at(now)).get(), adds, "at {now}");
        }
    }
}
