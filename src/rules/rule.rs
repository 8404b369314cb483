//! One rule.

use super::{Part, Pattern, Prefixes};
use crate::params::Params;
use crate::units::{Cost, Limit};
use std::sync::Arc;

/// One rule: which requests it is for, and the limit that it holds them to.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name in tables; no other rule of its set has it. State is kept over a reload by it.
    pub name: Arc<str>,
    /// The endpoints that it is for.
    pub pattern: Pattern,
    /// The methods that it is for, in upper case; empty for all.
    pub methods: Vec<String>,
    /// What requests are counted by, in this order and without repetition; empty for one key for all.
    pub key: Vec<Part>,
    /// How addresses are cut, where the key has one.
    pub prefixes: Prefixes,
    /// What passes.
    pub limit: Limit,
    /// What a request takes from the limit; `None` for its own cost.
    pub cost: Option<Cost>,
    /// The algorithm that decides; `None` for that of the candidate.
    pub algorithm: Option<OwnAlgorithm>,
    /// Whether it applies only where no other rule does.
    pub is_default: bool,
}

/// An algorithm that a rule names for itself.
#[derive(Clone, Debug)]
pub struct OwnAlgorithm {
    /// Its `kind`, one of the catalog's.
    pub kind: &'static str,
    /// Its table, of which `kind` has been asked for. The catalog's row accepts the rest at the rule's
    /// limit; it is to be read anew, in a copy, for every contract and share.
    pub params: Params,
}

impl Rule {
    /// Whether its endpoint and methods are those of this request.
    pub fn covers(&self, endpoint: Option<&str>, method: Option<&str>) -> bool {
        let is_method = |found: &str| self.methods.iter().any(|it| it.eq_ignore_ascii_case(found));
        self.pattern.matches(endpoint) && (self.methods.is_empty() || method.is_some_and(is_method))
    }

    /// What a request of this cost takes from the limit.
    pub fn charged(&self, own: Cost) -> Cost {
        self.cost.unwrap_or(own)
    }

    /// Whether the other rule counts by the same keys, so that a key's state means the same to both.
    pub fn has_keys_of(&self, other: &Self) -> bool {
        self.key == other.key && (self.prefixes == other.prefixes || !self.key.contains(&Part::Ip))
    }
}
