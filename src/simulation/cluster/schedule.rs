//! When the store and the nodes are down.

use super::super::deployment::{Deployment, Outage, Whom};
use crate::units::{Nanos, SimTime};

/// The outages of a run, and how long after each its last consequence was felt.
pub(super) struct Schedule {
    outages: Vec<Outage>,
    recoveries: Vec<Nanos>,
}

impl Schedule {
    /// The outages of a deployment.
    pub(super) fn new(deployment: &Deployment) -> Self {
        Self {
            outages: deployment.outages.clone(),
            recoveries: vec![Nanos::ZERO; deployment.outages.len()],
        }
    }

    /// When the store is up again, if it is down at `at`.
    pub(super) fn store_is_back(&self, at: SimTime) -> Option<SimTime> {
        let of_store = self
            .outages
            .iter()
            .filter(|outage| outage.of == Whom::Store);
        let down = of_store.filter(|outage| outage.is_on(at));
        down.map(|outage| outage.to).max()
    }

    /// Whether a node is down at `at`.
    pub(super) fn is_down(&self, node: u16, at: SimTime) -> bool {
        let is = |outage: &Outage| outage.of == Whom::Node(node) && outage.is_on(at);
        self.outages.iter().any(is)
    }

    /// Whether anything is down at `at`.
    pub(super) fn is_any_down(&self, at: SimTime) -> bool {
        self.outages.iter().any(|outage| outage.is_on(at))
    }

    /// Notes that a request was answered at `at` without what had failed it: the store or a node.
    pub(super) fn felt(&mut self, of: Whom, at: SimTime) {
        let outages = self.outages.iter().zip(&mut self.recoveries);
        let ended = outages.filter(|(outage, _)| outage.of == of && outage.to <= at);
        if let Some((outage, recovery)) = ended.max_by_key(|(outage, _)| outage.to) {
            *recovery = (*recovery).max(at.since(outage.to));
        }
    }

    /// The longest time from the end of an outage to the last such answer; `None` when none ended before
    /// the end of the run.
    pub(super) fn recovery(&self, horizon: SimTime) -> Option<Nanos> {
        let outages = self.outages.iter().zip(&self.recoveries);
        let ended = outages.filter(|(outage, _)| outage.to < horizon);
        ended.map(|(_, recovery)| *recovery).max()
    }
}

impl Outage {
    /// Whether it lasts at `at`.
    fn is_on(&self, at: SimTime) -> bool {
        self.from <= at && at < self.to
    }
}
