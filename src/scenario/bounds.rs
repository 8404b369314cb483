//! How large a run may grow before it is refused or loses its timeline.

use super::Scenario;
use crate::error::{Error, Place, Result};
use crate::report::text::grouped;
use crate::simulation::{Deployment, OnStoreFailure, Planned, Store};
use crate::units::Nanos;

/// What a run may take at most.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Requests.
    pub requests: u64,
    /// Rows of a timeline: requests times candidates.
    pub timeline: u64,
    /// Bytes for the names of keys, the records of traces that must be sorted, and what is kept for
    /// each key and candidate.
    pub memory: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            requests: 2_000_000_000,
            timeline: 1_000_000,
            memory: 4_000_000_000,
        }
    }
}

/// About what is kept for a key of a candidate: its state, its counts, and the reference's window.
const BYTES_PER_KEY: u128 = 200;

/// About what is kept for each further state of a key: nodes have states of their own.
const BYTES_PER_STATE: u128 = 64;

/// About what is kept for a key of this candidate.
fn bytes_per_key(planned: &Planned) -> u128 {
    let states = planned.cluster.as_deref().map_or(1, states_per_key);
    BYTES_PER_KEY + (states - 1) * BYTES_PER_STATE
}

/// The most attempts at one request.
fn most_attempts(planned: &Planned, length: Nanos) -> u64 {
    let clients = planned.cluster.as_ref().and_then(|it| it.clients.as_ref());
    clients.map_or(1, |clients| clients.most_attempts(length))
}

/// How many states a key has, those of a local fallback included.
fn states_per_key(deployment: &Deployment) -> u128 {
    let own = match deployment.on_store_failure {
        OnStoreFailure::LocalFallback(_) => u128::from(deployment.nodes),
        OnStoreFailure::FailOpen | OnStoreFailure::FailClosed => 0,
    };
    deployment.states_per_key() as u128 + own
}

impl Scenario {
    /// Refuses a run of more requests or more memory than allowed, with the estimate and what to
    /// change.
    pub(super) fn check(&self, bounds: &Bounds) -> Result<()> {
        let requests = self.workload.expected_requests();
        if requests > bounds.requests {
            let message = format!(
                "the traffic comes to about {} requests, allowed are {}; shorten `duration`, \
                 lower the rates, or raise --max-requests",
                grouped(requests.into()),
                grouped(bounds.requests.into())
            );
            let flag = format!("--max-requests {}", bounds.requests);
            return Err(Error::input(message).at(Place::Flag(flag.into())));
        }
        let keys = self.workload.keys().len();
        let per_key: u128 = self.candidates.iter().map(bytes_per_key).sum();
        let bytes = keys as u128 * per_key;
        if bytes > u128::from(bounds.memory) {
            let allowed = bounds.memory / 1_000_000;
            let message = format!(
                "{} keys with {} candidates take about {} MB, allowed are {} MB; use fewer keys, \
                 algorithms or nodes, or raise --max-memory",
                grouped(keys as u128),
                self.candidates.len(),
                grouped(bytes / 1_000_000),
                grouped(allowed.into())
            );
            let flag = format!("--max-memory {allowed}");
            return Err(Error::input(message).at(Place::Flag(flag.into())));
        }
        self.check_attempts(bounds)?;
        self.check_exchanges(bounds)
    }

    /// Refuses clients that could try too often.
    fn check_attempts(&self, bounds: &Bounds) -> Result<()> {
        let requests = self.workload.expected_requests();
        for planned in &self.candidates {
            let most = most_attempts(planned, self.horizon);
            let attempts = u128::from(requests) * u128::from(most);
            if attempts > u128::from(bounds.requests) {
                let message = format!(
                    "clients could make up to about {} attempts at `{}` ({most} for each request), \
                     allowed are {}; lower `max_attempts`, or raise --max-requests",
                    grouped(attempts),
                    planned.name,
                    grouped(bounds.requests.into())
                );
                let flag = format!("--max-requests {}", bounds.requests);
                return Err(Error::input(message).at(Place::Flag(flag.into())));
            }
        }
        Ok(())
    }

    /// Refuses nodes that would do little but tell each other what they admitted.
    fn check_exchanges(&self, bounds: &Bounds) -> Result<()> {
        for planned in &self.candidates {
            let Some(Store::Synced { every }) = planned.cluster.as_ref().map(|it| &it.store) else {
                continue;
            };
            let exchanges = self.horizon.get() / every.get();
            if exchanges > bounds.requests {
                let message = format!(
                    "the nodes of `{}` would exchange what they admitted {} times, allowed are {}; \
                     lengthen `sync_every`, or raise --max-requests",
                    planned.deployment,
                    grouped(exchanges.into()),
                    grouped(bounds.requests.into())
                );
                let flag = format!("--max-requests {}", bounds.requests);
                return Err(Error::input(message).at(Place::Flag(flag.into())));
            }
        }
        Ok(())
    }

    /// Why the run has no timeline, if it would be longer than allowed.
    pub fn timeline_note(&self, bounds: &Bounds) -> Option<String> {
        let requests = self.workload.expected_requests();
        let candidates = self.candidates.len();
        let each = self.candidates.iter();
        let attempts: u64 = each
            .map(|planned| most_attempts(planned, self.horizon))
            .sum();
        let rows = u128::from(requests) * u128::from(attempts);
        let about = match attempts > candidates as u64 {
            true => format!(
                "up to about {} rows ({} requests by the most attempts at each, {attempts} for all \
                 candidates together)",
                grouped(rows),
                grouped(requests.into())
            ),
            false => format!(
                "about {} rows (requests × candidates: {} × {candidates})",
                grouped(rows),
                grouped(requests.into())
            ),
        };
        (rows > u128::from(bounds.timeline)).then(|| {
            format!(
                "no timeline: {about}, allowed are {}; shorten the traffic, choose fewer candidates, \
                 or raise --max-timeline",
                grouped(bounds.timeline.into())
            )
        })
    }
}
