//! When a part of a block's requests come, and whose they are.

use super::keys::KeyStream;
use super::pattern::Instants;
use crate::units::KeyId;

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
///
/// They are drawn and sorted a slice of time at a time, so that each source is visited once for several
/// requests; the slices' length follows from how many there were in the last one.
pub(super) struct Sources {
    sources: Vec<(KeyId, Box<dyn Instants>)>,
    /// The next instant of each source that is not drawn yet; [`ENDED`] after its last.
    heads: Vec<u64>,
    /// What is drawn: instants and places of their sources, in order once `ready` are found.
    drawn: Vec<(u64, u32)>,
    given: usize,
    /// How many of the drawn lie before the end of the slice.
    ready: usize,
    /// The length of a slice.
    length: u64,
}

/// Stands for the next instant of a source that has none; no request comes at the clock's end.
const ENDED: u64 = u64::MAX;

impl Sources {
    /// About how many bytes a source takes.
    pub(super) const BYTES_EACH: u64 = 500;
    /// The most requests of one source in a slice, which ends early instead.
    const MOST: usize = 16;

    pub(super) fn new(mut sources: Vec<(KeyId, Box<dyn Instants>)>) -> Self {
        let first = |(_, instants): &mut (_, Box<dyn Instants>)| instants.next();
        let heads = sources.iter_mut().map(first);
        Self {
            heads: heads.map(|head| head.unwrap_or(ENDED)).collect(),
            sources,
            drawn: Vec::new(),
            given: 0,
            ready: 0,
            length: 1_000_000,
        }
    }

    fn next(&mut self) -> Option<(u64, KeyId)> {
        while self.given == self.ready {
            self.draw()?;
        }
        let (at, place) = self.drawn[self.given];
        self.given += 1;
        Some((at, self.sources[place as usize].0))
    }

    /// Draws the next slice; `None` when there is nothing more.
    fn draw(&mut self) -> Option<()> {
        self.drawn.drain(..self.given);
        (self.given, self.ready) = (0, 0);
        let held = self.drawn.first().map(|(at, _)| *at);
        let begin = held.into_iter().chain(self.heads.iter().copied()).min();
        let begin = begin.filter(|begin| *begin < ENDED)?;
        let mut end = begin.saturating_add(self.length);
        let places = self.heads.iter_mut().zip(&mut self.sources).zip(0..);
        for ((head, (_, instants)), place) in places {
            let mut room = Self::MOST;
            // However many come at the first instant, they belong to the slice.
            while *head < end && (room > 0 || *head == begin) {
                self.drawn.push((*head, place));
                *head = instants.next().unwrap_or(ENDED);
                room = room.saturating_sub(1);
            }
            end = end.min(*head);
        }
        self.drawn.sort_unstable();
        self.ready = self.drawn.partition_point(|(at, _)| *at < end);
        if self.ready < 2 * self.sources.len() {
            self.length = self.length.saturating_mul(2);
        } else if self.ready > 8 * self.sources.len() {
            self.length = (self.length / 2).max(1);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sources_are_merged_by_time_and_then_by_key(
            bits in 0u32..40,
            lists in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..60), 0..12),
            room in 1usize..50,
        ) {
            let mut expected = Vec::new();
            let mut sources: Vec<(KeyId, Box<dyn Instants>)> = Vec::new();
            for (list, number) in lists.into_iter().zip(0..) {
                let mut instants: Vec<u64> = list.iter().map(|at| at % (1 << bits)).collect();
                instants.sort_unstable();
                expected.extend(instants.iter().map(|at| (*at, number)));
                sources.push((KeyId(number), Box::new(instants.into_iter())));
            }
            expected.sort_unstable();
            let mut demand = Demand::Sources(Sources::new(sources));
            let (mut ats, mut keys) = (vec![0; room], vec![KeyId::default(); room]);
            let mut found = Vec::new();
            loop {
                let filled = demand.fill(&mut ats, &mut keys);
                let whose = keys[..filled].iter().map(|key| key.0);
                found.extend(ats[..filled].iter().copied().zip(whose));
                if filled < room {
                    break;
                }
            }
            prop_assert_eq!(found, expected);
            prop_assert_eq!(demand.fill(&mut ats, &mut keys), 0);
        }
    }
}
