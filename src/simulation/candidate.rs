//! Candidates: algorithms with their types erased, once per run.

use super::lane::{Course, Lane, LaneOf};
use super::stepper::{Stepper, Steps};
use crate::limiter::Algorithm;

/// An algorithm under its parameters, of whatever type.
pub trait Candidate: Send + Sync {
    /// The algorithm with one fresh key.
    fn stepper(&self) -> Box<dyn Stepper>;
    /// The algorithm for all keys of one shard on the fast path.
    fn lane(&self, course: Course) -> Box<dyn Lane>;
}

/// Hides the algorithm's type.
pub fn erase<A: Algorithm>(algorithm: A) -> Box<dyn Candidate> {
    Box::new(Erased(algorithm))
}

struct Erased<A>(A);

impl<A: Algorithm> Candidate for Erased<A> {
    fn stepper(&self) -> Box<dyn Stepper> {
        Box::new(Steps {
            state: self.0.fresh(),
            algorithm: self.0.clone(),
        })
    }

    fn lane(&self, course: Course) -> Box<dyn Lane> {
        Box::new(LaneOf::new(self.0.clone(), course))
    }
}
