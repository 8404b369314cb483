//! The clocks of the nodes and of the store.

use super::super::deployment::{Deployment, Whom};
use crate::measure::Clocked;
use crate::units::{Nanos, SimTime};

/// How far each clock is ahead at present, so that none reads a time before the beginning.
pub(super) struct Clocks {
    nodes: Vec<Nanos>,
    store: Nanos,
    lead: i128,
}

impl Clocks {
    /// The clocks at the beginning.
    pub(super) fn new(deployment: &Deployment) -> Self {
        let mut clocks = Self {
            nodes: vec![Nanos::ZERO; usize::from(deployment.nodes)],
            store: Nanos::ZERO,
            lead: deployment.lead().get().into(),
        };
        clocks.set(deployment, Whom::Store, SimTime::ZERO);
        for node in 0..deployment.nodes {
            clocks.set(deployment, Whom::Node(node), SimTime::ZERO);
        }
        clocks
    }

    /// Sets a clock to what it is ahead from `at` on.
    pub(super) fn set(&mut self, deployment: &Deployment, of: Whom, at: SimTime) {
        let ahead = self.ahead(deployment, of, at);
        match of {
            Whom::Store => self.store = ahead,
            Whom::Node(node) => self.nodes[usize::from(node)] = ahead,
        }
    }

    fn ahead(&self, deployment: &Deployment, of: Whom, at: SimTime) -> Nanos {
        let ahead = i128::from(deployment.offset(of, at).get()) + self.lead;
        let ahead = u64::try_from(ahead).expect("the lead is as long as any clock is behind");
        Nanos::new(ahead)
    }

    /// What a clock read at an instant that is past: it may have been set since.
    pub(super) fn read(&self, deployment: &Deployment, of: Whom, at: SimTime) -> SimTime {
        at.saturating_add(self.ahead(deployment, of, at))
    }

    /// An instant by a clock.
    pub(super) fn of(&self, whom: Whom, at: SimTime) -> Clocked {
        let ahead = match whom {
            Whom::Store => self.store,
            Whom::Node(node) => self.nodes[usize::from(node)],
        };
        Clocked::new(at, at.saturating_add(ahead))
    }
}
