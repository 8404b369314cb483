//! Candidates under rules: limiters of any kinds side by side.

use super::Candidate;
use super::cluster::{Book, Cluster, RuleLimiters, ruled};
use super::deployment::Deployment;
use super::lane::{Course, Lane, LaneOf};
use super::stepper::{Stepper, Steps};
use crate::limiter::{Algorithm, Any, AnyState};
use crate::rules::{OnReload, Rules};
use crate::units::SimTime;
use std::sync::Arc;

/// The limiters of one rule of a candidate.
pub struct Limiters {
    /// The algorithm's `kind`.
    pub kind: &'static str,
    /// Why it may forward more than its limit, if it may; empty otherwise.
    pub envelope: &'static str,
    /// Why it may deny what its limit has room for, if it may; empty otherwise.
    pub caution: &'static str,
    /// The limiters as the catalog built them, for the deployment's shares.
    pub built: Box<dyn Candidate>,
}

/// A candidate that goes by rules: by version and rule the limiters; a version that cannot be read has
/// none.
pub fn under_rules(rules: &Arc<Rules>, limiters: Vec<Vec<Limiters>>) -> Box<dyn Candidate> {
    let of_version = |version: Vec<Limiters>| {
        let of_rule = |rule: Limiters| {
            let parts = rule.built.limiters();
            RuleLimiters {
                kind: rule.kind,
                envelope: rule.envelope,
                caution: if is_cautious(&parts[0]) {
                    rule.caution
                } else {
                    ""
                },
                parts,
            }
        };
        version.into_iter().map(of_rule).collect()
    };
    let carry = match rules.on_reload {
        OnReload::Kept => kept,
        // A reset begins new states and carries none.
        OnReload::Converted | OnReload::Reset => converted,
    };
    Box::new(Ruled(Arc::new(Book {
        rules: rules.clone(),
        limiters: limiters.into_iter().map(of_version).collect(),
        is_same: Any::eq,
        carry,
    })))
}

/// Whether it is one that may deny what there is room for: it counts what it denies, has requests wait, or
/// estimates.
fn is_cautious(limiter: &Any) -> bool {
    let estimate = limiter.estimate(&limiter.fresh(), SimTime::ZERO);
    limiter.counts_denied() || limiter.delays() || estimate.is_some()
}

/// What was used stays used, as far as that means anything to the new limiter.
fn kept(new: &Any, old: &Any, state: &AnyState, now: SimTime) -> AnyState {
    let inherited = new.inherit(old, state, now);
    inherited.unwrap_or_else(|| new.fresh())
}

/// The used share stays used.
fn converted(new: &Any, old: &Any, state: &AnyState, now: SimTime) -> AnyState {
    new.convert(old, state, now)
}

struct Ruled(Arc<Book<Any>>);

impl Ruled {
    /// The limiter by which results are described.
    fn first(&self) -> &Any {
        &self.0.limiters[0][0].parts[0]
    }
}

impl Candidate for Ruled {
    fn stepper(&self) -> Box<dyn Stepper> {
        Box::new(Steps {
            state: self.first().fresh(),
            algorithm: self.first().clone(),
        })
    }

    fn lane(&self, course: Course) -> Box<dyn Lane> {
        Box::new(LaneOf::new(self.first().clone(), course))
    }

    fn cluster(
        &self,
        deployment: &Arc<Deployment>,
        course: &Course,
        seed: u64,
    ) -> Box<dyn Cluster> {
        ruled(&self.0, deployment, course, seed)
    }

    fn limiters(&self) -> Vec<Any> {
        self.0.limiters[0][0].parts.clone()
    }
}
