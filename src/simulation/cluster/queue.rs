//! What is going to happen, ordered by time and then by insertion.

use crate::units::SimTime;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Events that are due, the earliest first; of those at one instant, the one put in first.
pub(super) struct Queue<E> {
    heap: BinaryHeap<Entry<E>>,
    inserted: u64,
}

struct Entry<E> {
    at: SimTime,
    number: u64,
    event: E,
}

impl<E> Default for Queue<E> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            inserted: 0,
        }
    }
}

impl<E> Queue<E> {
    /// Puts in what happens at `at`.
    pub(super) fn push(&mut self, at: SimTime, event: E) {
        let number = self.inserted;
        self.inserted += 1;
        self.heap.push(Entry { at, number, event });
    }

    /// Takes out the next event that is due by `until`.
    pub(super) fn pop_until(&mut self, until: SimTime) -> Option<(SimTime, E)> {
        if self.heap.peek()?.at > until {
            return None;
        }
        let entry = self.heap.pop()?;
        Some((entry.at, entry.event))
    }

    /// How many events have been put in.
    pub(super) const fn inserted(&self) -> u64 {
        self.inserted
    }
}

impl<E> Entry<E> {
    /// The heap gives the greatest first.
    fn rank(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.rank(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.rank(other))
    }
}

impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Many at the same instant come out as they went in.
        #[test]
        fn events_come_by_time_and_then_as_they_were_put_in(times in prop::collection::vec(0u64..5, 0..200)) {
            let mut queue = Queue::default();
            for (index, at) in times.iter().enumerate() {
                queue.push(SimTime::from_nanos(*at), index);
            }
            let mut expected: Vec<_> = times.iter().copied().zip(0..).collect();
            expected.sort();
            let given = std::iter::from_fn(|| queue.pop_until(SimTime::MAX));
            let given: Vec<_> = given.map(|(at, index)| (at.as_nanos(), index)).collect();
            prop_assert_eq!(given, expected);
        }
    }

    #[test]
    fn what_is_not_due_stays() {
        let mut queue = Queue::default();
        queue.push(SimTime::from_nanos(7), ());
        assert!(queue.pop_until(SimTime::from_nanos(6)).is_none());
        assert!(queue.pop_until(SimTime::from_nanos(7)).is_some());
    }
}
