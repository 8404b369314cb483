//! How large a run may grow before it is refused or loses its timeline.

use super::Scenario;
use crate::error::{Error, Place, Result};

/// The bounds of the command line.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most requests that a run may have.
    pub requests: u64,
    /// The most rows that a timeline may have: requests times candidates.
    pub timeline: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            requests: 2_000_000_000,
            timeline: 1_000_000,
        }
    }
}

impl Scenario {
    /// Refuses a run of more requests than allowed, with the estimate and what to change.
    pub fn check_requests(&self, bounds: &Bounds) -> Result<()> {
        let expected = self.workload.expected_requests();
        if expected <= bounds.requests {
            return Ok(());
        }
        let message = format!(
            "the traffic comes to about {expected} requests; allowed are {}: shorten `duration`, \
             lower the rates, or raise --max-requests",
            bounds.requests
        );
        let flag = format!("--max-requests {}", bounds.requests);
        Err(Error::input(message).at(Place::Flag(flag.into())))
    }

    /// Why the run has no timeline, if it would be longer than allowed.
    pub fn timeline_note(&self, bounds: &Bounds) -> Option<String> {
        let requests = self.workload.expected_requests();
        let rows = u128::from(requests) * self.candidates.len() as u128;
        (rows > u128::from(bounds.timeline)).then(|| {
            format!(
                "no timeline: it would have about {rows} rows ({requests} requests × {} candidates), \
                 allowed are {}; shorten the traffic, choose fewer algorithms, or raise --max-timeline",
                self.candidates.len(),
                bounds.timeline
            )
        })
    }
}
