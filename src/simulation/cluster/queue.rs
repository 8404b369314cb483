//! What is going to happen, ordered by time and then by insertion.

use crate::units::SimTime;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// Events that are due, the earliest first; of those at one instant, the one put in first.
///
/// What takes the same time every time is put in in the order in which it is due. So events go to a
/// row that they come last in, if there is one, where no order has to be found; only others go to the
/// heap.
pub(super) struct Queue<E> {
    rows: [VecDeque<Entry<E>>; ROWS],
    heap: BinaryHeap<Entry<E>>,
    inserted: u64,
}

/// About as many as a request has steps.
const ROWS: usize = 4;

struct Entry<E> {
    at: SimTime,
    number: u64,
    event: E,
}

impl<E> Default for Queue<E> {
    fn default() -> Self {
        Self {
            rows: std::array::from_fn(|_| VecDeque::new()),
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
        let entry = Entry { at, number, event };
        // Of the rows that it comes last in, that with the latest event: the others stay open.
        let open = self
            .rows
            .iter_mut()
            .filter(|row| row.back().is_none_or(|last| last.at <= at));
        match open.max_by_key(|row| row.back().map(|last| last.at)) {
            Some(row) => row.push_back(entry),
            None => self.heap.push(entry),
        }
    }

    /// Takes out the next event that is due by `until`.
    pub(super) fn pop_until(&mut self, until: SimTime) -> Option<(SimTime, E)> {
        let heads = self.rows.iter_mut().filter(|row| !row.is_empty());
        let rank = |row: &&mut VecDeque<Entry<E>>| row.front().map(Entry::place);
        let row = heads.min_by_key(rank);
        let first = row.as_ref().and_then(|row| row.front());
        let from_heap = match (first, self.heap.peek()) {
            (None, None) => return None,
            (first, Some(top)) => first.is_none_or(|first| *first < *top),
            (Some(_), None) => false,
        };
        if from_heap {
            let top = self.heap.peek()?;
            return (top.at <= until)
                .then(|| self.heap.pop())
                .flatten()
                .map(Entry::into_due);
        }
        let row = row?;
        let is_due = row.front()?.at <= until;
        is_due
            .then(|| row.pop_front())
            .flatten()
            .map(Entry::into_due)
    }

    /// How many events have been put in.
    pub(super) const fn inserted(&self) -> u64 {
        self.inserted
    }
}

impl<E> Entry<E> {
    fn into_due(self) -> (SimTime, E) {
        (self.at, self.event)
    }

    /// Its place in the order, as one number: comparing two of them takes no branch.
    fn place(&self) -> u128 {
        u128::from(self.at.as_nanos()) << 64 | u128::from(self.number)
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Entry<E> {
    /// The earlier one is the greater: the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.place().cmp(&self.place())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However they are put in and taken out, events come by time and then as they were put in.
        #[test]
        fn events_come_by_time_and_then_as_they_were_put_in(
            steps in prop::collection::vec((0u64..6, any::<bool>()), 0..200),
        ) {
            let mut queue = Queue::default();
            let mut model = std::collections::BTreeSet::new();
            let mut now = 0;
            for (number, (delay, takes)) in (0..).zip(steps) {
                queue.push(SimTime::from_nanos(now + delay), number);
                model.insert((now + delay, number));
                if takes {
                    let (at, event) = queue.pop_until(SimTime::MAX).unwrap();
                    let next = model.pop_first().unwrap();
                    prop_assert_eq!((at.as_nanos(), event), next);
                    now = next.0;
                }
            }
            while let Some(next) = model.pop_first() {
                let (at, event) = queue.pop_until(SimTime::MAX).unwrap();
                prop_assert_eq!((at.as_nanos(), event), next);
            }
            prop_assert!(queue.pop_until(SimTime::MAX).is_none());
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
