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
