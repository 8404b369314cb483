//! Queues of many keys in one block of memory.

/// Blocks of a power of two of entries, handed out from one vector and used again when their owner
/// has moved to a larger one: what all of them take is at most twice what their owners ever held at
/// once, whatever passed through them.
#[derive(Clone, Debug)]
pub(super) struct Blocks<T> {
    pub(super) entries: Vec<T>,
    /// Places of free blocks by the logarithm of their size.
    free: Vec<Vec<u32>>,
}

/// Entries of the smallest block, and the unit of places.
const SMALLEST: u32 = 4;

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
        }
    }
}

/// Where the first entry of the block at a place lies.
#[inline]
pub(super) const fn first_of(place: u32) -> usize {
    place as usize * SMALLEST as usize
}

impl<T: Copy + Default> Blocks<T> {
    /// A block of at least twice `room` entries in default state, and how many it has.
    pub(super) fn larger(&mut self, room: u32) -> (u32, u32) {
        let room = room.checked_mul(2);
        let room = room.expect("a key has fewer than 2^31 requests at a time");
        let room = room.max(SMALLEST);
        let class = room.ilog2() as usize;
        if self.free.len() <= class {
            self.free.resize_with(class + 1, Vec::new);
        }
        if let Some(place) = self.free[class].pop() {
            let first = first_of(place);
            self.entries[first..first + room as usize].fill(T::default());
            return (place, room);
        }
        let place = self.entries.len() / SMALLEST as usize;
        let end = self.entries.len() + room as usize;
        self.entries.resize(end, T::default());
        let place = u32::try_from(place);
        let place = place.expect("a shard remembers fewer than 2^34 requests at a time");
        (place, room)
    }

    /// Takes back the block of `room` entries at `place`.
    pub(super) fn give_back(&mut self, place: u32, room: u32) {
        if room > 0 {
            self.free[room.ilog2() as usize].push(place);
        }
    }
}

/// The storage of many queues.
#[derive(Clone, Debug, Default)]
pub(super) struct Rings<T> {
    blocks: Blocks<T>,
}

/// One queue: where its block lies and what part of it is in use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ring {
    place: u32,
    head: u32,
    len: u32,
    /// Entries that its block holds; 0 before the first one.
    room: u32,
}

impl Ring {
    /// How many entries it has.
    pub(super) const fn len(&self) -> u32 {
        self.len
    }

    /// Drops the oldest entry of a queue that has one.
    pub(super) const fn pop_front(&mut self) {
        self.head = (self.head + 1) & (self.room - 1);
        self.len -= 1;
    }

    /// Where the entry at `index` from the front lies.
    const fn position(&self, index: u32) -> usize {
        let within = self.head.wrapping_add(index) & self.room.wrapping_sub(1);
        first_of(self.place) + within as usize
    }
}

impl<T: Copy + Default> Rings<T> {
    /// The entry at `index` from the front.
    pub(super) fn get(&self, ring: &Ring, index: u32) -> Option<T> {
        (index < ring.len).then(|| self.blocks.entries[ring.position(index)])
    }

    /// The oldest entry.
    pub(super) fn front(&self, ring: &Ring) -> Option<T> {
        self.get(ring, 0)
    }

    /// Adds an entry at the back.
    pub(super) fn push_back(&mut self, ring: &mut Ring, entry: T) {
        if ring.len == ring.room {
            self.grow(ring);
        }
        let position = ring.position(ring.len);
        self.blocks.entries[position] = entry;
        ring.len += 1;
    }

    /// The entry at the back.
    pub(super) fn back(&self, ring: &Ring) -> Option<T> {
        self.get(ring, ring.len.checked_sub(1)?)
    }

    /// Adds an entry before that at `index` from the front.
    pub(super) fn insert(&mut self, ring: &mut Ring, index: u32, entry: T) {
        self.push_back(ring, entry);
        for index in (index + 1..ring.len).rev() {
            let (from, to) = (ring.position(index - 1), ring.position(index));
            self.blocks.entries[to] = self.blocks.entries[from];
        }
        self.blocks.entries[ring.position(index)] = entry;
    }

    /// Moves a full queue to a block of twice the size.
    #[cold]
    fn grow(&mut self, ring: &mut Ring) {
        let (place, room) = self.blocks.larger(ring.room);
        let moved = Ring {
            place,
            head: 0,
            len: ring.len,
            room,
        };
        for index in 0..ring.len {
            let entry = self.blocks.entries[ring.position(index)];
            self.blocks.entries[moved.position(index)] = entry;
        }
        self.blocks.give_back(ring.place, ring.room);
        *ring = moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn many_queues_in_one_block_are_queues(steps in prop::collection::vec((0usize..5, 0u8..5), 0..600)) {
            let mut rings = Rings::default();
            let mut queues = [Ring::default(); 5];
            let mut models = vec![VecDeque::new(); 5];
            for (number, (which, step)) in steps.into_iter().enumerate() {
                if step == 0 && queues[which].len() > 0 {
                    prop_assert_eq!(rings.front(&queues[which]), models[which].pop_front());
                    queues[which].pop_front();
                } else if step == 1 {
                    let index = number % (models[which].len() + 1);
                    let place = u32::try_from(index).unwrap();
                    rings.insert(&mut queues[which], place, number);
                    models[which].insert(index, number);
                } else {
                    rings.push_back(&mut queues[which], number);
                    models[which].push_back(number);
                }
                for (queue, model) in queues.iter().zip(&models) {
                    let kept: VecDeque<_> = (0..queue.len()).map(|index| rings.get(queue, index).unwrap()).collect();
                    prop_assert_eq!(&kept, model);
                    prop_assert_eq!(rings.get(queue, queue.len()), None);
                    prop_assert_eq!(rings.back(queue), model.back().copied());
                }
            }
        }
    }

    #[test]
    fn memory_follows_what_is_remembered_and_not_what_passed() {
        let mut rings = Rings::default();
        let mut ring = Ring::default();
        for number in 0..100_000u32 {
            if ring.len() == 100 {
                ring.pop_front();
            }
            rings.push_back(&mut ring, number);
        }
        // 4 + 8 + … + 128 entries.
        assert!(rings.blocks.entries.len() <= 256);
    }
}
