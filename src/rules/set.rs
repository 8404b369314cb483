//! The rules that are in force at a time.

use super::Rule;

/// Rules in the order of their file, which is the order in which they are asked.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// The rules; at least one.
    pub rules: Vec<Rule>,
}

impl RuleSet {
    /// The rules that apply to a request, by their place: all that cover it and are no default, else
    /// all defaults that cover it. A request that none covers is not limited.
    pub fn matching(&self, endpoint: Option<&str>, method: Option<&str>) -> Vec<usize> {
        let covering = |is_default: bool| {
            let rules = self.rules.iter().enumerate();
            let covering = rules.filter(move |(_, rule)| {
                rule.is_default == is_default && rule.covers(endpoint, method)
            });
            covering.map(|(place, _)| place).collect::<Vec<_>>()
        };
        let own = covering(false);
        if own.is_empty() { covering(true) } else { own }
    }
}
