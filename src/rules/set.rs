//! The rules that are in force at a time.

use super::Rule;

/// Rules in the order of their file, which is the order in which they are asked.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// The rules. There are none where a file no longer has those that a deployment asks for.
    pub rules: Vec<Rule>,
}

impl RuleSet {
    /// Those with these names.
    pub fn only(&self, names: &[String]) -> Self {
        let is_named = |rule: &&Rule| names.iter().any(|name| **name == *rule.name);
        Self {
            rules: self.rules.iter().filter(is_named).cloned().collect(),
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Part, Prefixes};

    fn rule(name: &str, pattern: &str, methods: &[&str], is_default: bool) -> Rule {
        Rule {
            name: name.into(),
            pattern: pattern.parse().unwrap(),
            methods: methods.iter().map(|&method| method.to_owned()).collect(),
            key: vec![Part::Client],
            prefixes: Prefixes::default(),
            limit: "5/1m".parse().unwrap(),
            cost: None,
            algorithm: None,
            is_default,
        }
    }

    #[test]
    fn all_rules_that_cover_a_request_apply_and_defaults_where_none_does() {
        let set = RuleSet {
            rules: vec![
                rule("rest", "**", &[], true),
                rule("api", "/api/**", &[], false),
                rule("posting", "/api/posts", &["POST", "PUT"], false),
                rule("pages", "/pages/*", &["GET"], true),
            ],
        };
        for (endpoint, method, names) in [
            (Some("/api/posts"), Some("POST"), vec!["api", "posting"]),
            (Some("/api/posts?x=1"), Some("post"), vec!["api", "posting"]),
            (Some("/api/posts"), Some("GET"), vec!["api"]),
            (Some("/api/posts"), None, vec!["api"]),
            (Some("/pages/1"), Some("GET"), vec!["rest", "pages"]),
            (Some("/pages/1"), Some("POST"), vec!["rest"]),
            (None, Some("POST"), vec!["rest"]),
        ] {
            let found = set.matching(endpoint, method).into_iter();
            let found: Vec<&str> = found.map(|place| &*set.rules[place].name).collect();
            assert_eq!(found, names, "{endpoint:?} {method:?}");
        }
        let without = set.only(&["pages".to_owned(), "api".to_owned()]);
        assert_eq!(without.matching(Some("/x"), None), Vec::<usize>::new());
        assert_eq!(without.matching(Some("/api"), None), [0]);
        assert_eq!(without.matching(Some("/pages/1"), Some("GET")), [1]);
    }
}
