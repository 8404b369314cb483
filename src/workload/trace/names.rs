//! Names by number, in the order of their first mention.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Distinct names, numbered from 0 as they were first mentioned.
///
/// Names stand one behind the other in one piece of memory, so that a name costs its bytes and about
/// 20 more.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: Vec<u8>,
    /// Where each name ends in the text.
    ends: Vec<usize>,
    /// The numbers, by the names' hashes.
    numbers: HashTable<u32>,
}

/// The hash decides only where a name is looked for, never an order.
fn hash(name: &[u8]) -> u64 {
    FixedState::default().hash_one(name)
}

fn name<'a>(text: &'a [u8], ends: &[usize], number: usize) -> &'a [u8] {
    let begin = number.checked_sub(1).map_or(0, |before| ends[before]);
    &text[begin..ends[number]]
}

impl Names {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a name, if it has one.
    pub(super) fn get(&self, wanted: &[u8]) -> Option<u32> {
        let Self { text, ends, .. } = self;
        let is_wanted = |number: &u32| name(text, ends, *number as usize) == wanted;
        self.numbers.find(hash(wanted), is_wanted).copied()
    }

    /// Gives a name a number, unless it has one.
    pub(super) fn note(&mut self, new: &[u8]) {
        if self.get(new).is_some() {
            return;
        }
        // 2^32 names do not fit what a run can have; what comes after them is refused as unknown.
        let Ok(number) = u32::try_from(self.len()) else {
            return;
        };
        self.text.extend_from_slice(new);
        self.ends.push(self.text.len());
        let Self { text, ends, .. } = self;
        let rehash = |number: &u32| hash(name(text, ends, *number as usize));
        self.numbers.insert_unique(hash(new), number, rehash);
    }

    /// The names by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| name(&self.text, &self.ends, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_numbered_by_their_first_mention(mentions in prop::collection::vec("[a-c]{0,3}", 0..200)) {
            let mut names = Names::default();
            let mut expected: Vec<&str> = Vec::new();
            for mention in &mentions {
                names.note(mention.as_bytes());
                if !expected.contains(&mention.as_str()) {
                    expected.push(mention);
                }
            }
            prop_assert_eq!(names.len(), expected.len());
            prop_assert!(names.iter().eq(expected.iter().map(|name| name.as_bytes())));
            for (name, number) in expected.iter().zip(0..) {
                prop_assert_eq!(names.get(name.as_bytes()), Some(number));
            }
            prop_assert_eq!(names.get(b"d"), None);
        }
    }
}
