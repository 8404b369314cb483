//! Candidates: algorithms with their types erased, once per run.

use super::cluster::{Cluster, cluster};
use super::deployment::Deployment;
use super::lane::{Course, Lane, LaneOf};
use super::stepper::{Stepper, Steps};
use crate::limiter::{Algorithm, Any};
use std::sync::Arc;

/// An algorithm under its parameters, of whatever type.
pub trait Candidate: Send + Sync {
    /// The algorithm with one fresh key.
    fn stepper(&self) -> Box<dyn Stepper>;
    /// The algorithm for all keys of one shard on the fast path.
    fn lane(&self, course: Course) -> Box<dyn Lane>;
    /// The algorithm under a deployment, on the event path; built with the deployment's shares.
    fn cluster(&self, deployment: &Arc<Deployment>, course: &Course, seed: u64)
    -> Box<dyn Cluster>;
    /// The limiters as one type: that which enforces the whole limit, then those of the shares.
    fn limiters(&self) -> Vec<Any>;
}

/// Hides the algorithm's type: that of the limiter that enforces the whole limit, then of those that
/// enforce shares of it, if there are any.
pub fn erase<A: Algorithm + Into<Any>>(parts: impl IntoIterator<Item = A>) -> Box<dyn Candidate> {
    let mut parts = parts.into_iter();
    let whole = parts.next().expect("the whole comes first");
    Box::new(Erased {
        whole,
        shares: parts.collect(),
    })
}

struct Erased<A> {
    whole: A,
    shares: Vec<A>,
}

impl<A: Algorithm + Into<Any>> Candidate for Erased<A> {
    fn stepper(&self) -> Box<dyn Stepper> {
        Box::new(Steps {
            state: self.whole.fresh(),
            algorithm: self.whole.clone(),
        })
    }

    fn lane(&self, course: Course) -> Box<dyn Lane> {
        Box::new(LaneOf::new(self.whole.clone(), course))
    }

    fn cluster(
        &self,
        deployment: &Arc<Deployment>,
        course: &Course,
        seed: u64,
    ) -> Box<dyn Cluster> {
        let whole = std::iter::once(&self.whole);
        let parts = whole.chain(&self.shares).cloned();
        cluster(parts.collect(), deployment, course, seed)
    }

    fn limiters(&self) -> Vec<Any> {
        let whole = std::iter::once(&self.whole);
        let parts = whole.chain(&self.shares).cloned();
        parts.map(Into::into).collect()
    }
}
