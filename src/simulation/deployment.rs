//! Deployments: on how many nodes a limiter runs, where its state lives, and what goes wrong.

use super::client::Clients;
use super::over_limit::OverLimit;
use super::placement::{Backend, Placement};
use crate::rules::Rules;
use crate::units::{Cost, Nanos, Offset, Share, SimTime};
use crate::workload::Distribution;
use std::sync::Arc;

/// One deployment of every algorithm of a run.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// Its name in tables and charts.
    pub name: String,
    /// How many nodes there are at any time of the run, those that join later included; at least 1.
    pub nodes: u16,
    /// How requests find a node.
    pub routing: Routing,
    /// Where the limiter's state lives.
    pub store: Store,
    /// The time of one round trip to the store, or between nodes that synchronise, in nanoseconds.
    pub rtt: Distribution,
    /// Whose clock decides where there is a store.
    pub clock: Whose,
    /// By node, how far its clock is ahead from the beginning on.
    pub skews: Vec<Offset>,
    /// Steps of clocks, in order of time.
    pub steps: Vec<ClockStep>,
    /// After how long an operation on the store, or a request to a node that is down, counts as
    /// failed; `None` waits as long as it takes.
    pub timeout: Option<Nanos>,
    /// What a node does when the store has failed it.
    pub on_store_failure: OnStoreFailure,
    /// When the store or a node is down.
    pub outages: Vec<Outage>,
    /// When the store is slow.
    pub slowdowns: Vec<Slowdown>,
    /// Nodes that are not there from the beginning: they join then.
    pub joins: Vec<(u16, SimTime)>,
    /// Nodes that leave: from then on nothing is sent to them.
    pub leaves: Vec<(u16, SimTime)>,
    /// When the keys of a store, or of a node's memory, are forgotten.
    pub ttl: Ttl,
    /// From each of these instants on, the next key that is created never expires: its node died
    /// between the increment and the expire.
    pub lost_expires: Vec<SimTime>,
    /// What becomes of requests that the limiter denies.
    pub over_limit: OverLimit,
    /// Where the limiter stands, where that is modelled; with a backend only.
    pub placement: Option<Placement>,
    /// What is behind the limiter, where that is modelled.
    pub backend: Option<Backend>,
    /// What clients do that are refused; `None` where none of the run tries again, under whatever
    /// deployment.
    pub clients: Option<Arc<Clients>>,
    /// The rules that say which limit a request counts against; `None` for one limit for each key.
    pub rules: Option<Arc<Rules>>,
}

/// How requests find a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Routing {
    /// One after the other.
    RoundRobin,
    /// Any, with equal chances.
    Random,
    /// By a hash of the key: the node with the highest one (rendezvous hashing; Thaler and
    /// Ravishankar, 1998), so that only the keys of a node that is gone move.
    Sticky,
    /// In turn by these weights, one per node, spread evenly as nginx does.
    Weighted(Vec<u32>),
}

/// Where a limiter's state lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// Each node keeps its own and enforces the whole limit, or its part of it.
    Local {
        /// Whether the limit is divided by the number of nodes.
        is_split: bool,
    },
    /// One state behind a round trip.
    Central(Access),
    /// Each node keeps its own and tells the others every so often what it admitted.
    Synced {
        /// The time between exchanges: they happen at its whole multiples.
        every: Nanos,
    },
    /// Nodes take this many units at a time from a central state and spend them themselves.
    Leased {
        /// Units that a node asks for at a time.
        batch: Cost,
    },
}

/// How a node uses a central state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The store decides, in one step.
    Atomic,
    /// The node reads the state, decides, and writes the whole new state back.
    ReadThenWrite,
    /// The node reads the state, decides, and has the store add what it admitted.
    ReadThenIncrement,
}

/// A node or the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The central store.
    Store,
    /// A node, from 0.
    Node(u16),
}

/// Whose clock decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The store's.
    Store,
    /// That of the node that the request came to.
    Node,
}

/// A clock that is set forward or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockStep {
    /// Whose clock it is.
    pub of: Whom,
    /// When.
    pub at: SimTime,
    /// By how much.
    pub by: Offset,
}

/// What a node does with a request when the store has failed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnStoreFailure {
    /// Forward it unmetered.
    FailOpen,
    /// Refuse it with status 503.
    FailClosed,
    /// Decide by a state of its own, at this share of the limit.
    LocalFallback(Share),
}

/// A time during which the store or a node is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Who is down.
    pub of: Whom,
    /// The first instant at which it is.
    pub from: SimTime,
    /// The first instant at which it is up again.
    pub to: SimTime,
    /// Whether it comes back with its state lost.
    pub loses_state: bool,
    /// For a node: after how long requests are sent to others instead; `None` for never.
    pub detected_after: Option<Nanos>,
}

/// A time during which the store is slow: its round trips take longer, by an amount that grows evenly
/// from nothing at the beginning to `adds` at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slowdown {
    /// The first instant.
    pub from: SimTime,
    /// The first instant after it.
    pub to: SimTime,
    /// What a round trip takes longer at the end.
    pub adds: Nanos,
}

/// When a key is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ttl {
    /// As soon as its state is like a fresh one.
    Design,
    /// This long after it was last written.
    AfterWrite(Nanos),
    /// This long after it was created.
    AfterCreation(Nanos),
    /// Never.
    None,
}

impl Deployment {
    /// One node that keeps its own state and answers at once.
    pub fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            nodes: 1,
            routing: Routing::RoundRobin,
            store: Store::Local { is_split: false },
            rtt: Distribution::always(0.0),
            clock: Whose::Store,
            skews: Vec::new(),
            steps: Vec::new(),
            timeout: None,
            on_store_failure: OnStoreFailure::FailOpen,
            outages: Vec::new(),
            slowdowns: Vec::new(),
            joins: Vec::new(),
            leaves: Vec::new(),
            ttl: Ttl::Design,
            lost_expires: Vec::new(),
            over_limit: OverLimit::Drop,
            placement: None,
            backend: None,
            clients: None,
            rules: None,
        }
    }

    /// The longest time of a round trip without a slowdown: what is stated is no longer, and what is
    /// drawn counts as no longer.
    pub const LONGEST_TRIP: Nanos = Nanos::from_secs(86_400);

    /// Whether each request is decided as by one node that answers at once, and that is all.
    pub fn is_plain(&self) -> bool {
        self.is_single()
            && self.clients.is_none()
            && self.over_limit == OverLimit::Drop
            && self.backend.is_none()
            && self.rules.is_none()
    }

    /// Whether it decides as one node does that answers at once.
    pub fn is_single(&self) -> bool {
        self.nodes == 1
            && matches!(self.store, Store::Local { .. })
            && self.skews.iter().all(|skew| *skew == Offset::ZERO)
            && self.steps.is_empty()
            && self.outages.is_empty()
            && self.joins.is_empty()
            && self.leaves.is_empty()
            && self.ttl == Ttl::Design
            && self.lost_expires.is_empty()
    }

    /// Which shares of the limit its limiters enforce: the whole, by which results are described; then
    /// each node's, where the limit is split; then that of the local fallback, where there is one.
    pub fn shares(&self) -> Vec<Share> {
        let whole = std::iter::once(Share::Whole);
        whole.chain(self.parts()).chain(self.fallback()).collect()
    }

    /// Each node's part of the limit, where it is split.
    pub fn parts(&self) -> impl Iterator<Item = Share> {
        let of = u64::from(self.nodes);
        let parts = if self.is_split() { of } else { 0 };
        (0..parts).map(move |index| Share::Part { index, of })
    }

    /// The share of the limit that the local fallback enforces, where there is one.
    pub const fn fallback(&self) -> Option<Share> {
        match self.on_store_failure {
            OnStoreFailure::LocalFallback(share) => Some(share),
            OnStoreFailure::FailOpen | OnStoreFailure::FailClosed => None,
        }
    }

    /// Whether each node enforces a part of the limit.
    pub const fn is_split(&self) -> bool {
        matches!(self.store, Store::Local { is_split: true })
    }

    /// Whether requests of one key come to several nodes, each of which enforces the whole limit by itself.
    pub fn is_shared(&self) -> bool {
        let has_states = matches!(self.store, Store::Local { .. } | Store::Synced { .. });
        has_states && !self.is_split() && self.nodes > 1 && self.routing != Routing::Sticky
    }

    /// Whether there is a store that nodes ask.
    pub const fn has_store(&self) -> bool {
        matches!(self.store, Store::Central(_) | Store::Leased { .. })
    }

    /// Whether any client heeds when it is told to come again.
    pub fn clients_listen(&self) -> bool {
        self.clients
            .as_ref()
            .is_some_and(|clients| clients.listen())
    }

    /// How many states each key has.
    pub const fn states_per_key(&self) -> usize {
        match self.store {
            Store::Central(_) | Store::Leased { .. } => 1,
            Store::Local { .. } | Store::Synced { .. } => self.nodes as usize,
        }
    }

    /// The offset of a clock from `at` on.
    pub fn offset(&self, of: Whom, at: SimTime) -> Offset {
        let skew = match of {
            Whom::Store => Offset::ZERO,
            Whom::Node(node) => self
                .skews
                .get(usize::from(node))
                .copied()
                .unwrap_or_default(),
        };
        let steps = self
            .steps
            .iter()
            .filter(|step| step.of == of && step.at <= at);
        steps.fold(skew, |offset, step| offset.plus(step.by))
    }

    /// How far before the scenario's beginning the time 0 of the algorithms lies, so that no clock
    /// reads a time before it.
    pub fn lead(&self) -> Nanos {
        Nanos::new(self.offsets().0.get().unsigned_abs())
    }

    /// The least and the greatest offset that any clock has during the run.
    pub fn offsets(&self) -> (Offset, Offset) {
        let clocks = (0..self.nodes).map(Whom::Node).chain([Whom::Store]);
        let mut offsets = vec![Offset::ZERO];
        for of in clocks {
            offsets.push(self.offset(of, SimTime::ZERO));
            let steps = self.steps.iter().filter(|step| step.of == of);
            offsets.extend(steps.map(|step| self.offset(of, step.at)));
        }
        let least = offsets.iter().copied().min().unwrap_or_default();
        let greatest = offsets.iter().copied().max().unwrap_or_default();
        (least, greatest)
    }
}
