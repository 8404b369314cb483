//! What went through a queue of messages.

use super::{Delays, Staircase};
use crate::units::{Nanos, Rate};

/// What became of the requests that a limiter denied, where they go to a queue.
#[derive(Clone, Debug)]
pub struct MessagesResult {
    /// The most messages that may wait.
    pub capacity: u64,
    /// Messages taken over time.
    pub drain: Rate,
    /// Requests that became messages.
    pub queued: u64,
    /// Requests that were refused since the queue was full.
    pub overflow: u64,
    /// Messages that were taken by the end of the run.
    pub taken: u64,
    /// The most messages that waited at one time, the one that has just come included.
    pub depth_peak: u64,
    /// How long messages waited until they were taken; also those that were taken after the end.
    pub waits: Delays,
    /// How many messages wait, over time.
    pub depth: Staircase,
    /// What was refused since the queue was full, by bucket of the series; empty where those are not
    /// measured.
    pub overflows: Vec<u64>,
    /// The longest wait of a message that came, by bucket of the series; `None` where none came.
    pub longest: Vec<Option<Nanos>>,
}

impl MessagesResult {
    /// Nothing has come yet.
    pub fn new(capacity: u64, drain: Rate, buckets: usize) -> Self {
        Self {
            capacity,
            drain,
            queued: 0,
            overflow: 0,
            taken: 0,
            depth_peak: 0,
            waits: Delays::default(),
            depth: Staircase::default(),
            overflows: vec![0; buckets],
            longest: vec![None; buckets],
        }
    }

    /// Messages that still waited at the end of the run.
    pub const fn left(&self) -> u64 {
        self.queued - self.taken
    }
}
