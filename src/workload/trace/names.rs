//! Names by number, in the order of their first mention.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Distinct names, numbered from 0 as they were first mentioned.
///
/// Names stand one behind the other in one piece of memory. The table repeats their first bytes, so
/// that looking up a short name, such as an address, meets the memory twice and not four times: a
/// million of them do not fit a cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: Vec<u8>,
    entries: HashTable<Entry>,
    /// Where each name ends in the text.
    ends: Vec<usize>,
}

/// Bytes of a name that stand in the table itself.
const HEAD: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The first bytes, filled up with zeros.
    head: [u8; HEAD],
    begin: usize,
    /// A line is shorter than 2^32 bytes.
    length: u32,
    number: u32,
}

/// The hash decides only where a name is looked for, never an order.
fn hash(name: &[u8]) -> u64 {
    FixedState::default().hash_one(name)
}

fn head(name: &[u8]) -> [u8; HEAD] {
    name.first_chunk().copied().unwrap_or_else(|| {
        let mut head = [0; HEAD];
        head[..name.len()].copy_from_slice(name);
        head
    })
}

impl Entry {
    fn name<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.begin..self.begin + self.length as usize]
    }
}

impl Names {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a name, if it has one.
    pub(super) fn get(&self, wanted: &[u8]) -> Option<u32> {
        let head = head(wanted);
        let is_wanted = |entry: &Entry| {
            entry.head == head
                && entry.length as usize == wanted.len()
                && (wanted.len() <= HEAD || entry.name(&self.text) == wanted)
        };
        let entry = self.entries.find(hash(wanted), is_wanted);
        entry.map(|entry| entry.number)
    }

    /// Gives a name a number, unless it has one.
    pub(super) fn note(&mut self, new: &[u8]) {
        if self.get(new).is_some() {
            return;
        }
        // 2^32 names do not fit what a run can have; what comes after them is refused as unknown.
        let (Ok(number), Ok(length)) = (u32::try_from(self.len()), u32::try_from(new.len())) else {
            return;
        };
        let entry = Entry {
            head: head(new),
            begin: self.text.len(),
            length,
            number,
        };
        self.text.extend_from_slice(new);
        self.ends.push(self.text.len());
        let rehash = |entry: &Entry| hash(entry.name(&self.text));
        self.entries.insert_unique(hash(new), entry, rehash);
    }

    /// The names by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        pieces(&self.text, &self.ends)
    }
}

/// Names as they are mentioned, to be looked up one right after the other.
///
/// A million names do not fit a cache. The processor can wait for several of them at a time when nothing
/// else lies between.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Mentions {
    pub(super) fn push(&mut self, name: &[u8]) {
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
    }

    /// The mentions in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        pieces(&self.text, &self.ends)
    }
}

/// The pieces of a text that end there.
fn pieces<'a>(text: &'a [u8], ends: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let begins = [0].into_iter().chain(ends.iter().copied());
    begins.zip(ends).map(|(begin, end)| &text[begin..*end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_numbered_by_their_first_mention(mentions in prop::collection::vec("[a-c]{0,3}|(\\x00|same beginning ){0,2}[a-c]{0,2}", 0..200)) {
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
