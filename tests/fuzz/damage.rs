//! Damage to a valid file: bytes and lines lost, doubled, swapped, and replaced by what trips readers.

use proptest::prelude::*;
use proptest::sample::Index;

/// One change.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    Cut(Index),
    Lose(Index, usize),
    Flip(Index, u8),
    Insert(Index, &'static [u8]),
    /// What follows `=` or a comma in a line.
    Value(Index, &'static [u8]),
    LoseLine(Index),
    DoubleLine(Index),
    SwapLines(Index, Index),
}

/// A few changes; `fragments` are what this kind of file trips over.
pub(crate) fn damages(fragments: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<Damage>> {
    let place = any::<Index>;
    let fragment = move || prop::sample::select(fragments);
    let one = prop_oneof![
        1 => place().prop_map(Damage::Cut),
        2 => (place(), 1..20usize).prop_map(|(at, count)| Damage::Lose(at, count)),
        2 => (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        4 => (place(), fragment()).prop_map(|(at, text)| Damage::Insert(at, text)),
        8 => (place(), fragment()).prop_map(|(at, text)| Damage::Value(at, text)),
        2 => place().prop_map(Damage::LoseLine),
        2 => place().prop_map(Damage::DoubleLine),
        1 => (place(), place()).prop_map(|(one, other)| Damage::SwapLines(one, other)),
    ];
    prop::collection::vec(one, 1..5)
}

/// The file after all changes.
pub(crate) fn damaged(file: &[u8], damages: &[Damage]) -> Vec<u8> {
    let apply = |bytes: Vec<u8>, damage: &Damage| damage.apply(bytes);
    damages.iter().fold(file.to_vec(), apply)
}

impl Damage {
    fn apply(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.is_empty() {
            return bytes;
        }
        let length = bytes.len();
        match self {
            Self::Cut(at) => bytes.truncate(at.index(length)),
            Self::Lose(at, count) => {
                let from = at.index(length);
                bytes.drain(from..length.min(from + count));
            }
            Self::Flip(at, byte) => bytes[at.index(length)] ^= byte,
            Self::Insert(at, text) => {
                let at = at.index(length);
                bytes.splice(at..at, text.iter().copied());
            }
            Self::Value(line, text) => {
                return with_lines(&bytes, |lines| value(lines, *line, text));
            }
            Self::LoseLine(line) => {
                return with_lines(&bytes, |lines| drop(lines.remove(line.index(lines.len()))));
            }
            Self::DoubleLine(line) => {
                return with_lines(&bytes, |lines| {
                    let line = line.index(lines.len());
                    lines.insert(line, lines[line].clone());
                });
            }
            Self::SwapLines(one, other) => {
                return with_lines(&bytes, |lines| {
                    let count = lines.len();
                    lines.swap(one.index(count), other.index(count));
                });
            }
        }
        bytes
    }
}

fn with_lines(bytes: &[u8], change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    change(&mut lines);
    lines.join(&b'\n')
}

/// Replaces a value in one of the lines that have one.
fn value(lines: &mut [Vec<u8>], place: Index, text: &[u8]) {
    let ends = |byte: &u8| *byte == b'=' || *byte == b',';
    let with_value = lines.iter_mut().filter(|line| line.iter().any(ends));
    let mut with_value: Vec<_> = with_value.collect();
    if with_value.is_empty() {
        return;
    }
    let chosen = place.index(with_value.len());
    let line = &mut with_value[chosen];
    let end = line.iter().position(ends).expect("it has one");
    line.truncate(end + 1);
    line.extend_from_slice(text);
}
