//! What is to be run: traffic, candidates and the contract.

use super::{Candidate, Deployment};
use crate::measure::{Reference, Selection};
use crate::rules::Rules;
use crate::units::{Epoch, Limit, SimTime};
use crate::workload::Workload;
use std::sync::Arc;

/// One candidate of a run: an algorithm under a deployment, with its names.
pub struct Planned {
    /// Its name in every table and chart.
    pub name: String,
    /// The algorithm's `kind`.
    pub algorithm: &'static str,
    /// The algorithm's name in titles.
    pub title: &'static str,
    /// Why it may forward more than the limit in one window, if it may; empty otherwise.
    pub envelope: &'static str,
    /// Why it may deny what the limit has room for, if it may; empty otherwise.
    pub caution: &'static str,
    /// What its level counts.
    pub level_name: &'static str,
    /// The deployment's name.
    pub deployment: String,
    /// The deployment, unless it is one node that answers at once.
    pub cluster: Option<Arc<Deployment>>,
    /// The algorithm with its parameters.
    pub candidate: Box<dyn Candidate>,
}

/// Everything that a run follows from: the same plan gives the same results, on any number of
/// threads.
pub struct Plan {
    /// The scenario's title.
    pub title: String,
    /// The contract.
    pub limit: Limit,
    /// What the clock reads at time 0.
    pub epoch: Epoch,
    /// When the run ends; every arrival lies before it.
    pub horizon: SimTime,
    /// The seed of all randomness.
    pub seed: u64,
    /// Who asks.
    pub workload: Workload,
    /// Who answers.
    pub candidates: Vec<Planned>,
    /// What decisions are judged by.
    pub reference: Reference,
    /// What is measured.
    pub measures: Selection,
    /// Whether every answer is kept, for `timeline.csv` and request-by-request charts.
    pub with_timeline: bool,
}

impl Plan {
    /// The rules, unless one limit holds.
    pub fn rules(&self) -> Option<&Arc<Rules>> {
        let mut planned = self.candidates.iter();
        planned.find_map(|planned| planned.cluster.as_ref()?.rules.as_ref())
    }
}

/// Told how a run gets on.
pub trait Progress: Sync {
    /// This many more requests have been decided by all candidates.
    fn advance(&self, requests: u64);
}

/// Nobody listens.
impl Progress for () {
    fn advance(&self, _: u64) {}
}
