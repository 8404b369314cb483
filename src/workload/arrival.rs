//! One request as the limiter meets it.

use crate::units::{Cost, KeyId, SimTime};
use std::sync::Arc;

/// One arrival: demand, before any limiter has spoken.
///
/// Arrivals of a run are ordered by (time, traffic block, order within the block).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it comes.
    pub at: SimTime,
    /// What it takes from the limit.
    pub cost: Cost,
    /// Its place within its traffic block: breaks ties at the same instant.
    pub seq: u64,
    /// Whose limit it counts against.
    pub key: KeyId,
    /// What else is known of it.
    pub mark: MarkId,
}

/// An index into the workload's marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkId(pub u32);

/// What many arrivals have in common: their block, endpoint and method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The index of the `[[traffic]]` block.
    pub block: u16,
    /// The endpoint, where one is given.
    pub endpoint: Option<Arc<str>>,
    /// The method, where one is given.
    pub method: Option<Arc<str>>,
}
