//! How requests find a node.

use super::super::deployment::{Deployment, Routing};
use crate::units::{KeyId, SimTime};
use crate::workload::Names;
use crate::workload::random::{NO_BLOCK, Purpose, WHOLE, generator, mix};
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// Sends requests to the nodes that are present.
pub(super) struct Router {
    routing: Routing,
    /// The nodes that requests are sent to, in order.
    present: Vec<u16>,
    /// By node, whether it is a member, and by whom it is held to be down.
    members: Vec<Member>,
    turn: usize,
    /// For weighted routing, by node, what it is owed.
    owed: Vec<i64>,
    random: Pcg64,
    /// For sticky routing, by key, its node, and the number of changes when that was found.
    found: Vec<(u32, u16)>,
    changes: u32,
    names: Arc<Names>,
}

#[derive(Clone, Copy)]
struct Member {
    has_joined: bool,
    is_avoided: bool,
}

impl Router {
    /// The router of a deployment at the beginning.
    pub(super) fn new(deployment: &Deployment, names: Arc<Names>, seed: u64) -> Self {
        let joins_later = |node| {
            let joins = deployment.joins.iter();
            joins
                .clone()
                .any(|(who, at)| *who == node && *at > SimTime::ZERO)
        };
        let members = (0..deployment.nodes).map(|node| Member {
            has_joined: !joins_later(node),
            is_avoided: false,
        });
        let mut router = Self {
            routing: deployment.routing.clone(),
            present: Vec::new(),
            members: members.collect(),
            turn: 0,
            owed: vec![0; usize::from(deployment.nodes)],
            random: generator(seed, NO_BLOCK, WHOLE, Purpose::Routing),
            found: Vec::new(),
            changes: 0,
            names,
        };
        router.change();
        router
    }

    /// A node joins or leaves.
    pub(super) fn set_member(&mut self, node: u16, has_joined: bool) {
        self.members[usize::from(node)].has_joined = has_joined;
        self.change();
    }

    /// Whether a node has joined and not left.
    pub(super) fn is_member(&self, node: u16) -> bool {
        self.members[usize::from(node)].has_joined
    }

    /// A node is found to be down, or up again.
    pub(super) fn avoid(&mut self, node: u16, is_avoided: bool) {
        self.members[usize::from(node)].is_avoided = is_avoided;
        self.change();
    }

    fn change(&mut self) {
        let nodes = (0..).zip(&self.members);
        let present = nodes.filter(|(_, member)| member.has_joined && !member.is_avoided);
        self.present = present.map(|(node, _)| node).collect();
        self.changes += 1;
    }

    /// The node for a request with this key; `None` when there is none.
    pub(super) fn node(&mut self, key: KeyId) -> Option<u16> {
        if let [only] = self.present[..] {
            return Some(only);
        }
        if self.present.is_empty() {
            return None;
        }
        match &self.routing {
            Routing::RoundRobin => {
                let node = self.present[self.turn % self.present.len()];
                self.turn = (self.turn + 1) % self.present.len();
                Some(node)
            }
            Routing::Random => Some(self.present[self.random.random_range(0..self.present.len())]),
            Routing::Sticky => Some(self.sticky(key)),
            Routing::Weighted(_) => Some(self.weighted()),
        }
    }

    /// Every node is owed its weight per request; the one that is owed most gets it and pays for all.
    /// Source: smooth weighted round-robin balancing, nginx 1.3.1.
    fn weighted(&mut self) -> u16 {
        let Routing::Weighted(weights) = &self.routing else {
            unreachable!("asked for weighted routing alone");
        };
        let mut total = 0;
        let mut chosen = self.present[0];
        for node in &self.present {
            let weight = i64::from(weights[usize::from(*node)]);
            total += weight;
            self.owed[usize::from(*node)] += weight;
            if self.owed[usize::from(*node)] > self.owed[usize::from(chosen)] {
                chosen = *node;
            }
        }
        self.owed[usize::from(chosen)] -= total;
        chosen
    }

    fn sticky(&mut self, key: KeyId) -> u16 {
        let index = key.0 as usize;
        if self.found.len() <= index {
            self.found.resize(index + 1, (0, 0));
        }
        let (changes, node) = self.found[index];
        if changes == self.changes {
            return node;
        }
        let hash = fnv(self.names[index].as_bytes());
        let score = |node: &u16| mix(hash ^ mix(u64::from(*node)));
        let node = self.present.iter().copied().max_by_key(|node| score(node));
        let node = node.unwrap_or_default();
        self.found[index] = (self.changes, node);
        node
    }
}

/// FNV-1a in 64 bits (Fowler, Noll and Vo): the same on every machine and in every version.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published test vectors of FNV-1a.
    #[test]
    fn names_are_hashed_by_fnv() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
