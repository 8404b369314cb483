//! The names of a run's keys, by number.

use super::Ids;
use crate::error::{Error, Result};
use crate::units::KeyId;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::ops::Index;

/// The names of a run's keys, indexed by the number of their [`KeyId`].
///
/// They are one text and the places where each ends: a run can have millions.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
}

impl Names {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of the key of this number, if there is one.
    pub fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..end])
    }

    /// All of them by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|number| &self[number])
    }

    /// Takes off those from `number` on, which begin anew from 0.
    pub(in crate::workload) fn split_off(&mut self, number: usize) -> Self {
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        let ends = self.ends.split_off(number).into_iter();
        Self {
            text: self.text.split_off(begin),
            ends: ends.map(|end| end - begin).collect(),
        }
    }

    fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }
}

impl Index<usize> for Names {
    type Output = str;

    fn index(&self, number: usize) -> &str {
        self.get(number).expect("a key of the run")
    }
}

impl<T: AsRef<str>> FromIterator<T> for Names {
    fn from_iter<I: IntoIterator<Item = T>>(names: I) -> Self {
        let mut all = Self::default();
        names.into_iter().for_each(|name| all.push(name.as_ref()));
        all
    }
}

impl<const N: usize> PartialEq<[&str; N]> for Names {
    fn eq(&self, other: &[&str; N]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Names while they are gathered, with the number of each: dense from 0 in the order of the blocks.
///
/// Counted names, `prefix1` … `prefixN`, are kept as runs of numbers, so that looking one up needs no
/// entry of its own.
#[derive(Debug, Default)]
pub(in crate::workload) struct KeyNames {
    names: Names,
    single: HashMap<Box<str>, KeyId>,
    /// By prefix and the first count of each run.
    counted: HashMap<Box<str>, BTreeMap<u32, CountedRun>>,
}

/// Consecutive counts of one prefix with consecutive numbers.
#[derive(Clone, Copy, Debug)]
struct CountedRun {
    /// The number of the first.
    first: KeyId,
    length: u32,
}

impl KeyNames {
    /// Bytes that a name takes while it is read: an estimate, with its entry in the index.
    const BYTES_EACH: u64 = 120;

    /// How many there are.
    pub(in crate::workload) fn len(&self) -> usize {
        self.names.len()
    }

    /// The number of the key called `name`, a new one at its first mention.
    pub(in crate::workload) fn intern(&mut self, name: &str) -> Result<KeyId> {
        if let Some(id) = self.find(name) {
            return Ok(id);
        }
        let id = self.add(name)?;
        self.single.insert(name.into(), id);
        Ok(id)
    }

    /// The numbers of the keys called `prefix1` … `prefixN`.
    pub(super) fn intern_counted(&mut self, prefix: &str, count: u32) -> Result<Ids> {
        let before = self.names.len();
        self.names.ends.reserve(count as usize);
        let digits = count.checked_ilog10().unwrap_or(0) as usize + 1;
        let room = (prefix.len() + digits).saturating_mul(count as usize);
        self.names.text.reserve(room);
        // Where the prefix is the first one there is nothing to look for.
        let known = !self.single.is_empty() || !self.counted.is_empty();
        let mut listed = Vec::new();
        let mut run: Option<(u32, CountedRun)> = None;
        let mut name = prefix.to_owned();
        for number in 1..=count {
            name.truncate(prefix.len());
            write!(name, "{number}").expect("a string takes all");
            let found = if known { self.find(&name) } else { None };
            if let Some(id) = found {
                self.keep(prefix, run.take());
                listed.push(id);
                continue;
            }
            let id = self.add(&name)?;
            match &mut run {
                Some((_, run)) => run.length += 1,
                None => {
                    let begun = CountedRun {
                        first: id,
                        length: 1,
                    };
                    run = Some((number, begun));
                }
            }
            if known {
                listed.push(id);
            }
        }
        self.keep(prefix, run);
        let new = self.names.len() - before;
        if new == count as usize {
            let first = u32::try_from(before).expect("checked for each of them");
            return Ok(Ids::Run {
                first,
                step: 1,
                count,
            });
        }
        Ok(Ids::Listed(listed.into()))
    }

    fn keep(&mut self, prefix: &str, run: Option<(u32, CountedRun)>) {
        if let Some((number, run)) = run {
            let runs = self.counted.entry(prefix.into()).or_default();
            runs.insert(number, run);
        }
    }

    /// Puts a new name behind the others.
    fn add(&mut self, name: &str) -> Result<KeyId> {
        let id = u32::try_from(self.names.len())
            .map(KeyId)
            .map_err(|_| Error::input("the traffic has more than 2^32 keys; use fewer"))?;
        self.names.push(name);
        Ok(id)
    }

    fn find(&self, name: &str) -> Option<KeyId> {
        if let Some(id) = self.single.get(name) {
            return Some(*id);
        }
        if self.counted.is_empty() {
            return None;
        }
        // "key-12" may be count 12 of "key-" or count 2 of "key-1"; a count does not begin with 0.
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit);
        let earliest = name.len() - digits.take(10).count();
        (earliest..name.len()).find_map(|cut| {
            let (prefix, count) = name.split_at(cut);
            let runs = self.counted.get(prefix)?;
            let count: u32 = Some(count)
                .filter(|count| !count.starts_with('0'))?
                .parse()
                .ok()?;
            let (begun, run) = runs.range(..=count).next_back()?;
            let place = count - begun;
            (place < run.length).then(|| KeyId(run.first.0 + place))
        })
    }

    /// Refuses `more` keys whose names would take more than `memory` bytes.
    pub(in crate::workload) fn check_room(
        &self,
        more: u64,
        memory: u64,
    ) -> std::result::Result<(), String> {
        self.check(more, Self::BYTES_EACH, memory)
    }

    /// The same for keys that are counted after this prefix.
    pub(super) fn check_counted(
        &self,
        prefix: &str,
        count: u32,
        memory: u64,
    ) -> std::result::Result<(), String> {
        let digits = u64::from(count.checked_ilog10().unwrap_or(0)) + 1;
        let each = prefix.len() as u64 + digits + size_of::<usize>() as u64;
        self.check(count.into(), each, memory)
    }

    fn check(&self, more: u64, each: u64, memory: u64) -> std::result::Result<(), String> {
        let held = self.names.text.len() + self.names.len() * size_of::<usize>();
        let index = (self.single.len() as u64).saturating_mul(Self::BYTES_EACH);
        let bytes = more
            .saturating_mul(each)
            .saturating_add(held as u64)
            .saturating_add(index);
        if bytes <= memory {
            return Ok(());
        }
        Err(format!(
            "the names of {} keys would take about {} MB, more than the {} MB allowed; use fewer \
             keys, or raise --max-memory",
            more.saturating_add(self.names.len() as u64),
            bytes / 1_000_000,
            memory / 1_000_000
        ))
    }

    /// The names by number.
    pub(in crate::workload) fn into_names(self) -> Names {
        let mut names = self.names;
        names.text.shrink_to_fit();
        names.ends.shrink_to_fit();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that a block gives its keys, and the names after it.
    fn numbers(names: &mut KeyNames, prefix: &str, count: u32) -> Vec<u32> {
        let ids = names.intern_counted(prefix, count).unwrap();
        (0..ids.len()).map(|index| ids.get(index).0).collect()
    }

    #[test]
    fn counted_names_are_numbered_in_order() {
        let mut names = KeyNames::default();
        assert_eq!(numbers(&mut names, "a", 3), [0, 1, 2]);
        assert_eq!(numbers(&mut names, "b", 2), [3, 4]);
        assert_eq!(names.into_names(), ["a1", "a2", "a3", "b1", "b2"]);
    }

    #[test]
    fn a_name_has_one_number_however_it_is_put_together() {
        let mut names = KeyNames::default();
        assert_eq!(names.intern("k2").unwrap(), KeyId(0));
        assert_eq!(
            numbers(&mut names, "k", 12),
            [1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
        );
        // k11 and k12 are known, k13 is not.
        assert_eq!(numbers(&mut names, "k1", 3), [10, 11, 12]);
        assert_eq!(numbers(&mut names, "k", 14)[10..], [10, 11, 12, 13]);
        assert_eq!(names.intern("k14").unwrap(), KeyId(13));
        assert_eq!(names.intern("k1").unwrap(), KeyId(1));
        // A count has no leading zero, nor is it 0.
        for (name, id) in [("k02", 14), ("k0", 15), ("k", 16), ("k99999999999", 17)] {
            assert_eq!(names.intern(name).unwrap(), KeyId(id));
        }
        let names = names.into_names();
        assert_eq!(&names[0], "k2");
        assert_eq!(&names[12], "k13");
        assert_eq!(names.get(18), None);
        assert_eq!(names.iter().len(), 18);
    }

    #[test]
    fn names_of_bare_numbers_and_other_scripts_are_told_apart() {
        let mut names = KeyNames::default();
        assert_eq!(numbers(&mut names, "", 3), [0, 1, 2]);
        assert_eq!(numbers(&mut names, "ключ", 2), [3, 4]);
        assert_eq!(names.intern("ключ2").unwrap(), KeyId(4));
        assert_eq!(names.intern("2").unwrap(), KeyId(1));
        assert_eq!(names.intern("٢").unwrap(), KeyId(5));
    }

    #[test]
    fn names_that_would_not_fit_are_refused_before_they_are_made() {
        let mut names = KeyNames::default();
        // Five letters, eight digits and a place each.
        assert!(
            names
                .check_counted("user ", 10_000_000, 210_000_000)
                .is_ok()
        );
        let message = names
            .check_counted("user ", 10_000_000, 209_000_000)
            .unwrap_err();
        assert!(
            message.contains("10000000 keys would take about 210 MB"),
            "{message}"
        );
        names.intern_counted("user ", 1_000).unwrap();
        // 1,000 of 9 letters and digits at most, less 1,107 digits that are not there.
        assert!(names.check_room(0, 15_000).is_err());
        assert!(names.check_room(0, 16_000).is_ok());
    }
}
