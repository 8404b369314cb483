//! Random settings of nodes that share a fixed window, and what they admitted in each window.

use crate::ran::{Answers, Ran};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ratesim::measure::Record;
use ratesim::units::SimTime;
use ratesim::workload::Arrival;
use std::collections::BTreeMap;

/// A limit, its window, nodes, and traffic around and far above it.
pub(super) struct Setting {
    pub(super) limit: u64,
    /// Milliseconds.
    pub(super) window: u64,
    pub(super) nodes: u64,
    random: Pcg64Mcg,
    seed: u64,
}

impl Setting {
    pub(super) fn draw(seed: u64) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        Self {
            limit: random.random_range(1..=30),
            window: [100, 250, 1_000][random.random_range(0..3)],
            nodes: random.random_range(2..=6),
            random,
            seed,
        }
    }

    pub(super) fn up_to(&mut self, most: u64) -> u64 {
        self.random.random_range(0..=most)
    }

    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.random_range(0..choices.len())]
    }

    /// Three windows and some traffic in them, to nodes with these further fields.
    pub(super) fn run(&mut self, fields: &str) -> Ran {
        let (limit, window, nodes) = (self.limit, self.window, self.nodes);
        let routing = self.one_of(&["round_robin", "random"]);
        let many = limit * nodes;
        let bursts = self.up_to(many);
        let every = self.one_of(&[window / 10, window / 3, window, 2 * window]);
        let rate = self.one_of(&[limit, many, 3 * many, 10 * many]);
        Ran::text(&format!(
            "limit = '{limit}/{window}ms'
            duration = '{}ms'
            seed = {}
            traffic = [
                {{ pattern = 'poisson', rate = '{rate}/{window}ms' }},
                {{ pattern = 'burst', count = {}, repeat_every = '{every}ms' }},
                {{ pattern = 'steady', rate = '{limit}/{window}ms', keys = 'other' }},
            ]
            algorithm = [{{ kind = 'fixed_window' }}]
            deployment = [{{ nodes = {nodes}, routing = '{routing}', {fields} }}]",
            3 * window,
            self.seed,
            bursts + 1,
        ))
    }
}

/// Nanoseconds in a millisecond.
pub(super) const MILLISECOND: u64 = 1_000_000;

/// What was admitted by key and window of the clock, counted at the time that `when` gives.
pub(super) fn admitted(
    answers: &Answers,
    window: u64,
    when: impl Fn(&Arrival, &Record) -> SimTime,
) -> BTreeMap<(u32, u64), u64> {
    let mut windows = BTreeMap::new();
    for (arrival, record) in answers.each() {
        if record.decision.is_admitted() {
            let window = when(arrival, record).as_nanos() / (window * MILLISECOND);
            *windows.entry((arrival.key.0, window)).or_default() += arrival.cost;
        }
    }
    windows
}
