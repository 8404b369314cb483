//! When a part of a block's requests come, and whose they are.

use super::keys::KeyStream;
use super::pattern::Instants;
use crate::units::{KeyId, SimTime};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Requests in order of time, before their cost is known.
pub(super) enum Demand {
    /// One sequence of instants, with a key drawn for each.
    Drawn { instants: Instants, keys: KeyStream },
    /// A sequence of instants for each of several keys, merged.
    Sources(Sources),
}

impl Iterator for Demand {
    type Item = (SimTime, KeyId);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, key) = match self {
            Self::Drawn { instants, keys } => (instants.next()?, keys.draw()),
            Self::Sources(sources) => sources.next()?,
        };
        Some((SimTime::from_nanos(at), key))
    }
}

/// The requests of keys that are each a source of their own; at the same instant in the order of the
/// keys.
pub(super) struct Sources {
    sources: Vec<(KeyId, Instants)>,
    /// The next instant of each source that has one.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Sources {
    /// About how many bytes a source takes.
    pub(super) const BYTES_EACH: u64 = 500;

    pub(super) fn new(mut sources: Vec<(KeyId, Instants)>) -> Self {
        let heads = sources
            .iter_mut()
            .enumerate()
            .filter_map(|(index, (_, instants))| Some(Reverse((instants.next()?, index))))
            .collect();
        Self { sources, heads }
    }

    fn next(&mut self) -> Option<(u64, KeyId)> {
        let mut head = self.heads.peek_mut()?;
        let Reverse((at, index)) = *head;
        let (key, instants) = &mut self.sources[index];
        match instants.next() {
            Some(next) => *head = Reverse((next, index)),
            None => {
                std::collections::binary_heap::PeekMut::pop(head);
            }
        }
        Some((at, *key))
    }
}
