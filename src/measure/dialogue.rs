//! Messages between clients, nodes and a store: what sequence diagrams are drawn from.

use super::Reason;
use crate::limiter::Decision;
use crate::units::{Cost, KeyId, Level, SimTime};

/// Messages of one candidate in the order in which they were sent, and the first thing that went wrong.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    /// The messages, as far as they were kept.
    pub messages: Vec<Message>,
    /// The first race or failure.
    pub incident: Option<Incident>,
}

/// The first race or failure of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incident {
    /// When it showed.
    pub at: SimTime,
    /// The request that it befell.
    pub request: u64,
    /// What happened.
    pub kind: IncidentKind,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentKind {
    /// A write replaced another one that it did not know of.
    LostUpdate,
    /// A decision was made on a count that had changed before its increment arrived.
    StaleRead,
    /// The store failed a node.
    StoreFailure,
    /// A node failed a client.
    NodeFailure,
}

/// Who sends or receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Party {
    /// The client with this key.
    Client(KeyId),
    /// A node.
    Node(u16),
    /// The central store.
    Store,
}

/// One message.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The request that it belongs to, as the timeline numbers it.
    pub request: u64,
    /// Who sent it.
    pub from: Party,
    /// To whom.
    pub to: Party,
    /// When it was sent.
    pub sent: SimTime,
    /// When it arrived; `None` when it never did.
    pub received: Option<SimTime>,
    /// What it says.
    pub says: Says,
    /// Whether it replaced what it did not know of, or was decided on what had changed.
    pub is_race: bool,
}

/// What a message says.
#[derive(Clone, Copy, Debug)]
pub enum Says {
    /// A client asks for this cost.
    Request(Cost),
    /// A node answers its client.
    Answer(Decision),
    /// A node refuses its client without a decision.
    Failure(Reason),
    /// A node asks the store for a decision on this cost.
    Ask(Cost),
    /// The store's decision, and the level that it left.
    Decided(Decision, Level),
    /// A node asks for the state.
    Read,
    /// The state that was read: its level.
    Value(Level),
    /// A node writes a state of this level.
    Write(Level),
    /// A node has this much added, which leaves this level.
    Increment(Cost, Level),
    /// A node asks for a lease of this many units.
    Lease(Cost),
    /// The store leases this many.
    Granted(Cost),
    /// A node tells another what it admitted.
    Exchange(Cost),
}
