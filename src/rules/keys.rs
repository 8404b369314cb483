//! The keys of one rule as they are met.

use super::{Part, Rule, path};
use crate::units::KeyId;
use crate::workload::{Identity, Mark, PartId, PartNames};
use std::collections::HashMap;

/// Numbers the keys of one rule, densely from 0, in the order in which they are met.
///
/// The same order of requests gives the same numbers. Rules that count by the same keys
/// ([`Rule::has_keys_of`]) can share one.
#[derive(Debug)]
pub struct RuleKeys {
    key: Vec<Part>,
    prefixes: super::Prefixes,
    /// Texts of addresses' networks, paths and methods, by number.
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    /// The number of each address's network.
    networks: HashMap<PartId, u32>,
    ids: HashMap<Box<[u32]>, KeyId>,
    names: Vec<Box<str>>,
    /// Room for the parts of one key.
    parts: Vec<u32>,
}

impl RuleKeys {
    /// No key yet.
    pub fn new(rule: &Rule) -> Self {
        Self {
            key: rule.key.clone(),
            prefixes: rule.prefixes,
            texts: Vec::new(),
            numbers: HashMap::new(),
            networks: HashMap::new(),
            ids: HashMap::new(),
            names: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// How many keys were met.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of a key: its parts, with a blank between them; `all` where it has none.
    pub fn name(&self, key: KeyId) -> &str {
        &self.names[key.0 as usize]
    }

    /// The key that a request counts against.
    pub fn find(&mut self, who: &Identity, mark: &Mark, names: &PartNames) -> KeyId {
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        for index in 0..self.key.len() {
            parts.push(match self.key[index] {
                Part::Client => who.client.0,
                Part::User => who.user.0,
                Part::ApiKey => who.api_key.0,
                Part::Ip => self.network(who.ip, names),
                Part::Endpoint => self.number(endpoint(mark)),
                Part::Method => self.number(&method(mark)),
            });
        }
        let known = self.ids.get(&parts[..]).copied();
        let id = known.unwrap_or_else(|| self.add(&parts, names));
        self.parts = parts;
        id
    }

    /// Numbers a new key.
    fn add(&mut self, parts: &[u32], names: &PartNames) -> KeyId {
        let id = KeyId(u32::try_from(self.names.len()).expect("fewer keys than requests"));
        let text = |(part, number): (&Part, &u32)| match part {
            Part::Client | Part::User | Part::ApiKey => names.name(PartId(*number)),
            Part::Ip | Part::Endpoint | Part::Method => &self.texts[*number as usize],
        };
        let texts: Vec<&str> = self.key.iter().zip(parts).map(text).collect();
        let name = if texts.is_empty() {
            "all".to_owned()
        } else {
            texts.join(" ")
        };
        self.names.push(name.into());
        self.ids.insert(parts.into(), id);
        id
    }

    fn network(&mut self, address: PartId, names: &PartNames) -> u32 {
        if let Some(number) = self.networks.get(&address) {
            return *number;
        }
        let number = self.number(&self.prefixes.network(names.name(address)));
        self.networks.insert(address, number);
        number
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).expect("fewer texts than requests");
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }
}

/// The path that a request asks for; a request without one has a key of its own.
fn endpoint(mark: &Mark) -> &str {
    mark.endpoint.as_deref().map_or("-", path)
}

fn method(mark: &Mark) -> String {
    let method = mark.method.as_deref().unwrap_or("-");
    method.to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Pattern, Prefixes};
    use crate::workload::Names;
    use std::sync::Arc;

    const TEXTS: [&str; 7] = [
        "alice",
        "bob",
        "2001:db8:1:2::1",
        "2001:db8:1:2::2",
        "2001:db8:1:3::1",
        "203.0.113.7",
        "::ffff:203.0.113.7",
    ];

    fn rule(key: &[Part], prefixes: Prefixes) -> Rule {
        Rule {
            name: "rule".into(),
            pattern: Pattern::everything(),
            methods: Vec::new(),
            key: key.to_vec(),
            prefixes,
            limit: "5/1m".parse().unwrap(),
            cost: None,
            algorithm: None,
            is_default: false,
        }
    }

    /// The number and the name of the key of each request: client, address, endpoint and method.
    fn met(rule: &Rule, requests: &[(u32, u32, Option<&str>, Option<&str>)]) -> Vec<(u32, String)> {
        // The clients are the run's keys, addresses come behind them.
        let keys: Names = TEXTS[..2].iter().collect();
        let names = PartNames::new(Arc::new(keys), TEXTS[2..].iter().collect());
        let mut keys = RuleKeys::new(rule);
        let found = requests.iter().map(|(client, ip, endpoint, method)| {
            let who = Identity {
                client: PartId(*client),
                ip: PartId(*ip),
                user: PartId(1 - *client),
                api_key: PartId(*client),
            };
            let mark = Mark {
                block: 0,
                endpoint: endpoint.map(Into::into),
                method: method.map(Into::into),
            };
            let key = keys.find(&who, &mark, &names);
            (key.0, keys.name(key).to_owned())
        });
        found.collect()
    }

    #[track_caller]
    fn check(found: &[(u32, String)], expected: &[(u32, &str)]) {
        let found: Vec<_> = found
            .iter()
            .map(|(id, name)| (*id, name.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn keys_are_numbered_as_they_are_met_and_named_by_their_parts() {
        let rule = rule(
            &[Part::User, Part::Endpoint, Part::Method],
            Prefixes::default(),
        );
        let found = met(
            &rule,
            &[
                (0, 2, Some("/a?x=1"), Some("get")),
                (1, 2, Some("/a"), Some("GET")),
                (0, 3, Some("/a/"), Some("GET")),
                (0, 3, None, None),
                (0, 2, Some("/b"), Some("GET")),
                (1, 3, Some("/a"), Some("GET")),
            ],
        );
        check(
            &found,
            &[
                (0, "bob /a GET"),
                (1, "alice /a GET"),
                (0, "bob /a GET"),
                (2, "bob - -"),
                (3, "bob /b GET"),
                (1, "alice /a GET"),
            ],
        );
    }

    #[test]
    fn an_ipv6_network_is_one_key_and_an_address_in_two_forms_too() {
        let requests = [2, 3, 4, 5, 6, 0].map(|ip| (0, ip, None, None));
        let ip = [Part::Ip];
        check(
            &met(&rule(&ip, Prefixes::default()), &requests),
            &[
                (0, "2001:db8:1:2::/64"),
                (0, "2001:db8:1:2::/64"),
                (1, "2001:db8:1:3::/64"),
                (2, "203.0.113.7"),
                (2, "203.0.113.7"),
                (3, "alice"),
            ],
        );
        check(
            &met(&rule(&ip, Prefixes { v4: 8, v6: 128 }), &requests[..4]),
            &[
                (0, "2001:db8:1:2::1"),
                (1, "2001:db8:1:2::2"),
                (2, "2001:db8:1:3::1"),
                (3, "203.0.0.0/8"),
            ],
        );
    }

    #[test]
    fn without_parts_all_requests_have_one_key() {
        let found = met(
            &rule(&[], Prefixes::default()),
            &[(0, 2, None, None), (1, 3, Some("/a"), None)],
        );
        check(&found, &[(0, "all"), (0, "all")]);
    }

    #[test]
    fn rules_share_keys_where_they_count_by_the_same_parts() {
        let narrow = Prefixes { v4: 32, v6: 128 };
        let by_ip = rule(&[Part::Ip], Prefixes::default());
        assert!(by_ip.has_keys_of(&rule(&[Part::Ip], Prefixes::default())));
        assert!(!by_ip.has_keys_of(&rule(&[Part::Ip], narrow)));
        assert!(!by_ip.has_keys_of(&rule(&[Part::User], Prefixes::default())));
        assert!(rule(&[Part::User], narrow).has_keys_of(&rule(&[Part::User], Prefixes::default())));
    }
}
