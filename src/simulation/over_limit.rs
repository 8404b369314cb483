//! What becomes of requests that a limiter denies.

use crate::units::Rate;

/// What is done with what is over the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverLimit {
    /// It is refused, with status 429.
    #[default]
    Drop,
    /// It becomes a message in a queue of the deployment, to be worked off later.
    Queue(Queueing),
}

/// A queue of messages and the worker that works it off, one after the other.
///
/// With r messages a unit of time, a worker that has had nothing to do since the instant s takes the k-th
/// message that comes before it has nothing to do again at s + k/r, rounded up to a whole nanosecond: a
/// message is taken 1/r after it came or after the one before it was taken, whichever is later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queueing {
    /// The most messages that wait, at least 1.
    pub capacity: u64,
    /// Messages taken over time, more than none.
    pub drain: Rate,
}
