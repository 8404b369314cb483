//! What only a limiter on several nodes, or with a remote store, has to show.

use super::{BackendResult, ClientsResult, Delays, Dialogue, MessagesResult};
use crate::units::{Cost, Nanos, Share, SimTime};

/// What one candidate's nodes, and its store, went through.
#[derive(Clone, Debug, Default)]
pub struct ClusterResult {
    /// One tally per node; empty where one decides at once, and only its clients are followed.
    pub nodes: Vec<NodeTally>,
    /// How many states each key has: 1, or one per node. Where it is one per node, the level lines of
    /// all keys of one node come before those of the next.
    pub states_per_key: usize,
    /// By node, the bound of its level, where each enforces a part of the limit; empty where all have
    /// the candidate's own.
    pub level_bounds: Vec<Cost>,
    /// By node, the part of a limit that it enforces, where limits are split; empty elsewhere.
    pub parts: Vec<Share>,
    /// Which share a node enforces that decides by itself because the store has failed, where one does.
    pub fallback: Option<Share>,
    /// How far before the run's beginning the time 0 of the algorithms lies, so that no clock reads a
    /// time before it.
    pub lead: Nanos,
    /// Whether requests of one key come to several nodes, each of which enforces the whole limit.
    pub is_shared: bool,
    /// Whether nodes spend what they leased before.
    pub is_leased: bool,
    /// Whether nodes ask a store or each other.
    pub has_store: bool,
    /// From a request's arrival at its node to the node's answer, over all requests.
    pub added_latency: Delays,
    /// The most requests that waited for an answer at one time.
    pub in_flight_peak: u64,
    /// Decisions on a state that another one had changed before they were written.
    pub races: u64,
    /// Requests that were forwarded unmetered because the store had failed.
    pub unmetered: u64,
    /// Requests that a node decided by a state of its own because the store had failed.
    pub fallbacks: u64,
    /// When the store or a node was down, in order.
    pub outages: Vec<Downtime>,
    /// From the end of an outage to the last answer that was given without the store or the node
    /// because of it; the longest of all outages. `None` when none ended before the end of the run.
    pub recovery: Option<Nanos>,
    /// Keys that were still held at the end although they could have been forgotten.
    pub leaked_keys: u64,
    /// How often a key was forgotten although its state was not yet like a fresh one.
    pub forgotten_early: u64,
    /// Arrivals and events that the simulation went through.
    pub events: u64,
    /// Messages around the first race or failure, or from the beginning.
    pub dialogue: Dialogue,
    /// What became of what was over the limit, where it goes to a queue of messages.
    pub messages: Option<MessagesResult>,
    /// What the backend went through, where there is one.
    pub backend: Option<BackendResult>,
    /// What its clients did, where any of the run tries again.
    pub clients: Option<ClientsResult>,
}

/// A time during which a party was down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downtime {
    /// The node; `None` for the store.
    pub node: Option<u16>,
    /// The first instant.
    pub from: SimTime,
    /// The first instant after it.
    pub to: SimTime,
}

/// One node's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeTally {
    /// Attempts that came to it.
    pub requests: u64,
    /// Of these, admitted at once or later.
    pub allowed: u64,
    /// Refused by the limiter.
    pub denied: u64,
    /// Refused because the store or the node failed.
    pub errors: u64,
    /// Operations on the store, or how often it told the others what it admitted of a key.
    pub store_ops: u64,
    /// Cost of what it admitted.
    pub allowed_cost: u128,
}

impl ClusterResult {
    /// Operations on the store by all nodes.
    pub fn store_ops(&self) -> u64 {
        self.nodes.iter().map(|node| node.store_ops).sum()
    }
}
