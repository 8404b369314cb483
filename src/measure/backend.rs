//! What a backend went through, with a limiter before it and without.

use super::Delays;
use crate::units::Nanos;

/// One candidate's backend, and the same without the limiter.
#[derive(Clone, Debug)]
pub struct BackendResult {
    /// How many requests it works on at a time.
    pub workers: u32,
    /// Whether the limiter is a part of it, so that denials take its workers' time.
    pub is_server: bool,
    /// Whether requests may go past the limiter.
    pub is_client: bool,
    /// Requests that went past the limiter.
    pub bypassed: u64,
    /// What reached it past the limiter.
    pub with: Served,
    /// What would have reached it if every request had, when it came.
    pub without: Served,
}

/// What a backend did.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// Requests that came to it before the end of the run, those that it only denied included.
    pub reached: u64,
    /// Of these, answered by the end of the run after a worker had worked on them.
    pub served: u64,
    /// Answered 503 at once since too many waited.
    pub overloaded: u64,
    /// Neither yet at the end of the run.
    pub unfinished: u64,
    /// Denied by its workers, or to be.
    pub denied: u64,
    /// The time that its workers worked within the run, all together, in nanoseconds.
    pub busy: u128,
    /// Of that, on requests that were denied.
    pub wasted: u128,
    /// The most requests that waited for a worker at one time.
    pub queue_peak: u64,
    /// From a client's request to its answer, over all that a worker works on but denials: the limiter's
    /// own time, the wait that it imposes, the hop, the wait for a worker and the service. A message's
    /// client has been answered before: what counts then begins when it is taken.
    pub responses: Delays,
    /// The same over requests labelled legitimate.
    pub legitimate_responses: Delays,
    /// Requests labelled legitimate.
    pub legitimate: u64,
    /// Of these, refused, by whomever.
    pub legitimate_lost: u64,
    /// By bucket of the series; empty where those are not measured.
    pub rows: Vec<ServedRow>,
}

/// One time bucket of a backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServedRow {
    /// The time that its workers worked in it, all together, in nanoseconds.
    pub busy: u128,
    /// Of that, on requests that were denied.
    pub wasted: u128,
    /// The slowest answer to what came to it in this bucket; `None` when nothing did.
    pub slowest: Option<Nanos>,
    /// What it was too busy for.
    pub overloaded: u64,
}
