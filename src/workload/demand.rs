//! When a part of a block's requests come, and whose they are.

use super::keys::KeyStream;
use super::pattern::Instants;
use crate::units::KeyId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Requests in order of time, before their cost is known.
pub(super) enum Demand {
    /// One sequence of instants, with a key drawn for each.
    Drawn {
        instants: Box<dyn Instants>,
        keys: KeyStream,
    },
    /// A sequence of instants for each of several keys, merged.
    Sources(Sources),
}

impl Demand {
    /// Writes the next requests from the front on, instants in nanoseconds and keys to as much room;
    /// gives their number, which is short of the room only at the end.
    pub(super) fn fill(&mut self, ats: &mut [u64], whose: &mut [KeyId]) -> usize {
        match self {
            Self::Drawn { instants, keys } => {
                // Not `instants.fill`, which would ask the box for one after another.
                let filled = instants.as_mut().fill(ats);
                keys.fill(&mut whose[..filled]);
                filled
            }
            Self::Sources(sources) => {
                let room = ats.iter_mut().zip(whose);
                let mut filled = 0;
                for ((at, key), request) in room.zip(std::iter::from_fn(|| sources.next())) {
                    (*at, *key) = request;
                    filled += 1;
                }
                filled
            }
        }
    }
}

/// The requests of keys that are each a source of their own; at the same instant in the order of the
/// keys.
pub(super) struct Sources {
    sources: Vec<(KeyId, Box<dyn Instants>)>,
    /// The next instant of each source that has one.
    heads: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Sources {
    /// About how many bytes a source takes.
    pub(super) const BYTES_EACH: u64 = 500;

    pub(super) fn new(mut sources: Vec<(KeyId, Box<dyn Instants>)>) -> Self {
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
