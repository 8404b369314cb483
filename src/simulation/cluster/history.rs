//! What a rule let pass of late: what it lets pass in another form has to be judged by that too.

use crate::units::{Cost, Nanos, SimTime};
use std::collections::VecDeque;

/// What was forwarded for a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// The number of the rule's key.
    pub(super) key: u32,
    pub(super) answered: SimTime,
    /// Not before the answer.
    pub(super) forwarded: SimTime,
    pub(super) cost: Cost,
}

/// What passed within the longest window that the rule ever has, in the order of the answers.
#[derive(Debug)]
pub(super) struct History {
    longest: Nanos,
    passed: VecDeque<Passed>,
}

impl History {
    /// Nothing passed yet, of a rule whose longest window this is.
    pub(super) const fn new(longest: Nanos) -> Self {
        Self {
            longest,
            passed: VecDeque::new(),
        }
    }

    /// Notes what passes, and forgets what has left every window.
    pub(super) fn note(&mut self, passed: Passed) {
        let has_left = |old: &Passed| {
            let leaves = old.forwarded.saturating_add(self.longest);
            leaves <= passed.answered
        };
        while self.passed.front().is_some_and(has_left) {
            self.passed.pop_front();
        }
        self.passed.push_back(passed);
    }

    /// What was noted and may still lie in a window.
    pub(super) fn passed(&self) -> impl Iterator<Item = &Passed> {
        self.passed.iter()
    }
}
