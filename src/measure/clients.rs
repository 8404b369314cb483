//! What clients that try again made of a limiter's answers.

use super::{Delays, Grid};
use crate::units::{Limit, Nanos, SimTime};

/// What the clients of one candidate did.
#[derive(Clone, Debug, Default)]
pub struct ClientsResult {
    /// One tally per traffic block.
    pub blocks: Vec<ClientTally>,
    /// Attempts per bucket of the run's grid, in which they were made; empty where no series are
    /// measured.
    pub buckets: Vec<Tries>,
    /// The most attempts, and the most first attempts, in one of the windows of the limit's length
    /// that follow each other from the beginning on.
    pub busiest: (u64, u64),
}

/// What the clients of one traffic block did.
#[derive(Clone, Debug, Default)]
pub struct ClientTally {
    /// Requests, each made of one or more attempts.
    pub requests: u64,
    /// Attempts.
    pub attempts: u64,
    /// Requests that were admitted in the end.
    pub served: u64,
    /// Requests that their client gave up.
    pub given_up: u64,
    /// Requests that would have been tried again after the end of the run.
    pub unfinished: u64,
    /// Attempts that were made just when the last answer told to.
    pub as_told: u64,
    /// Of these, admitted.
    pub as_told_admitted: u64,
    /// From the first attempt of each served request to its forwarding.
    pub waits: Delays,
    /// When the last request was forwarded that ever is.
    pub drained: Option<SimTime>,
}

/// Attempts in a bucket of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// First attempts that were admitted.
    pub first_admitted: u64,
    /// First attempts that were not.
    pub first_refused: u64,
    /// Retries that were admitted.
    pub again_admitted: u64,
    /// Retries that were not.
    pub again_refused: u64,
}

impl ClientTally {
    /// Attempts that were not admitted.
    pub const fn wasted(&self) -> u64 {
        self.attempts - self.served
    }

    /// Adds another block's.
    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.attempts += other.attempts;
        self.served += other.served;
        self.given_up += other.given_up;
        self.unfinished += other.unfinished;
        self.as_told += other.as_told;
        self.as_told_admitted += other.as_told_admitted;
        self.waits.merge(&other.waits);
        self.drained = self.drained.max(other.drained);
    }
}

impl ClientsResult {
    /// All blocks together.
    pub fn total(&self) -> ClientTally {
        let mut total = ClientTally::default();
        for block in &self.blocks {
            total.merge(block);
        }
        total
    }
}

/// An attempt and its answer.
#[derive(Clone, Copy, Debug)]
pub struct Tried {
    /// The traffic block that its request belongs to.
    pub block: u16,
    /// When it was made.
    pub at: SimTime,
    /// When the first attempt at its request was made.
    pub first: SimTime,
    /// Whether it was made just when the last answer told to.
    pub is_as_told: bool,
    /// When it was forwarded, if it was admitted; [`SimTime::MAX`] for never.
    pub forwarded: Option<SimTime>,
    /// Whether it is a retry.
    pub is_retry: bool,
}

/// Counts attempts as they are made and answered.
#[derive(Debug)]
pub struct ClientsProbe {
    result: ClientsResult,
    grid: Option<Grid>,
    all: Busiest,
    firsts: Busiest,
}

impl ClientsProbe {
    /// Nothing counted yet, of so many traffic blocks.
    pub fn new(blocks: usize, limit: Limit, grid: Option<Grid>) -> Self {
        let buckets = grid.map_or(0, Grid::count);
        Self {
            result: ClientsResult {
                blocks: vec![ClientTally::default(); blocks],
                buckets: vec![Tries::default(); buckets],
                busiest: (0, 0),
            },
            grid,
            all: Busiest::new(limit.window),
            firsts: Busiest::new(limit.window),
        }
    }

    /// An attempt is made; they come in order of time.
    pub fn begin(&mut self, block: u16, at: SimTime, is_retry: bool) {
        let tally = &mut self.result.blocks[usize::from(block)];
        tally.attempts += 1;
        self.all.note(at);
        if !is_retry {
            tally.requests += 1;
            self.firsts.note(at);
        }
    }

    /// An attempt is answered.
    pub fn answer(&mut self, tried: &Tried) {
        let tally = &mut self.result.blocks[usize::from(tried.block)];
        let is_admitted = tried.forwarded.is_some();
        tally.as_told += u64::from(tried.is_as_told);
        tally.as_told_admitted += u64::from(tried.is_as_told && is_admitted);
        if let Some(forwarded) = tried.forwarded {
            tally.served += 1;
            let is_ever = forwarded != SimTime::MAX;
            tally.waits.add(match is_ever {
                true => forwarded.since(tried.first),
                false => Nanos::FOREVER,
            });
            tally.drained = tally.drained.max(is_ever.then_some(forwarded));
        }
        let bucket = self.grid.and_then(|grid| grid.bucket(tried.at));
        if let Some(bucket) = bucket.and_then(|bucket| self.result.buckets.get_mut(bucket)) {
            let count = match (tried.is_retry, is_admitted) {
                (false, true) => &mut bucket.first_admitted,
                (false, false) => &mut bucket.first_refused,
                (true, true) => &mut bucket.again_admitted,
                (true, false) => &mut bucket.again_refused,
            };
            *count += 1;
        }
    }

    /// A client gives a request up.
    pub fn give_up(&mut self, block: u16) {
        self.result.blocks[usize::from(block)].given_up += 1;
    }

    /// A request would be tried again after the end of the run.
    pub fn leave(&mut self, block: u16) {
        self.result.blocks[usize::from(block)].unfinished += 1;
    }

    /// What was counted.
    pub fn finish(self) -> ClientsResult {
        ClientsResult {
            busiest: (self.all.most, self.firsts.most),
            ..self.result
        }
    }
}

/// The most instants in one of the windows that follow each other from the beginning on.
#[derive(Debug)]
struct Busiest {
    length: u64,
    window: u64,
    count: u64,
    most: u64,
}

impl Busiest {
    const fn new(length: Nanos) -> Self {
        Self {
            length: length.get(),
            window: 0,
            count: 0,
            most: 0,
        }
    }

    /// Notes an instant, not before the last one.
    fn note(&mut self, at: SimTime) {
        let window = at.as_nanos() / self.length;
        if window != self.window {
            (self.window, self.count) = (window, 0);
        }
        self.count += 1;
        self.most = self.most.max(self.count);
    }
}
