//! What happens to requests that the store, or a node, fails.

use super::super::deployment::{OnStoreFailure, Whom};
use super::engine::{Engine, Event};
use super::flight::Flight;
use super::judge::By;
use super::offer::Offer;
use super::said::Said;
use crate::limiter::{Algorithm, Decision};
use crate::measure::{IncidentKind, Reason};
use crate::units::{Nanos, SimTime};

impl<A: Algorithm> Engine<A> {
    /// A client waits for a node that is down.
    pub(super) fn meet_dead_node(&mut self, offer: Offer, node: u16, now: SimTime) {
        let flight = self.take_off(offer, node, now);
        self.flights[flight].reason = Some(Reason::NodeDown);
        let timeout = self.deployment.timeout.unwrap_or(Nanos::ZERO);
        self.refer(flight, now.saturating_add(timeout), Event::GivenUp(flight));
    }

    /// Notes a failure.
    pub(super) fn fail(&mut self, offer: &Offer, node: Option<u16>, reason: Reason, now: SimTime) {
        let (whom, kind) = match (reason, node) {
            (Reason::NodeDown | Reason::NodeCrashed, Some(node)) => {
                (Some(Whom::Node(node)), IncidentKind::NodeFailure)
            }
            (Reason::NoNode | Reason::NodeDown | Reason::NodeCrashed, _) => {
                (None, IncidentKind::NodeFailure)
            }
            _ => (Some(Whom::Store), IncidentKind::StoreFailure),
        };
        if let Some(whom) = whom {
            self.schedule.felt(whom, now);
        }
        self.scribe.incident(now, offer.number, kind);
    }

    /// A request has waited long enough.
    pub(super) fn given_up(&mut self, flight: usize, now: SimTime) {
        if !self.flights[flight].is_answered {
            self.miss(flight, now);
        }
        self.release(flight);
    }

    /// What happens to a request that the store, or its node, has failed.
    pub(super) fn miss(&mut self, flight: usize, now: SimTime) {
        let Flight {
            offer,
            node,
            reason,
            ..
        } = self.flights[flight];
        let (said, reason) = match reason {
            Some(reason) => (Said::alone(Decision::Deny), reason),
            None => self.without_store(&offer, node, now),
        };
        self.land(flight, said, Some(reason), now);
    }

    /// What a node answers when the store fails it.
    pub(super) fn without_store(
        &mut self,
        offer: &Offer,
        node: u16,
        now: SimTime,
    ) -> (Said, Reason) {
        match self.deployment.on_store_failure {
            OnStoreFailure::FailOpen => (Said::alone(Decision::Allow), Reason::FailOpen),
            OnStoreFailure::FailClosed => (Said::alone(Decision::Deny), Reason::FailClosed),
            OnStoreFailure::LocalFallback(_) => {
                (self.fall_back(offer, node, now), Reason::LocalFallback)
            }
        }
    }

    /// A node decides by itself, since the store does not.
    fn fall_back(&mut self, offer: &Offer, node: u16, now: SimTime) -> Said {
        let clock = self.clocks.of(Whom::Node(node), now);
        self.judge(By::Fallback, usize::from(node), offer, clock)
    }
}
