//! A scenario that was run through the library, and what its candidates answered.

use crate::envelopes;
use ratesim::limiter::Decision;
use ratesim::measure::{CandidateResult, Record, RunResult};
use ratesim::scenario::{Bounds, Overrides, Scenario, Source};
use ratesim::simulation;
use ratesim::units::{Nanos, SimTime};
use ratesim::workload::Arrival;
use std::path::Path;

/// The folder of the package.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scenario of this text.
pub(crate) fn scenario(text: &str) -> Scenario {
    let source = Source::new(&root().join("inline.toml"), text);
    read(&source, &Overrides::default())
}

fn read(source: &Source, overrides: &Overrides) -> Scenario {
    Scenario::read(source, overrides, &Bounds::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn ready(name: &str, overrides: &Overrides) -> Scenario {
    let path = root().join("scenarios").join(name);
    read(&Source::open(&path).unwrap(), overrides)
}

/// A run with every answer kept, which has been held against the envelopes of its algorithms.
pub(crate) struct Ran {
    pub(crate) result: RunResult,
    pub(crate) notes: Vec<String>,
}

/// One candidate of a run.
pub(crate) struct Answers<'a> {
    run: &'a RunResult,
    pub(crate) result: &'a CandidateResult,
}

impl Ran {
    /// Runs the scenario of this text.
    pub(crate) fn text(text: &str) -> Self {
        Self::scenario(scenario(text), true)
    }

    /// Runs the scenario of this text without keeping the answers.
    pub(crate) fn measured(text: &str) -> Self {
        Self::scenario(scenario(text), false)
    }

    /// Runs the scenario of this file.
    pub(crate) fn file(path: &Path) -> Self {
        let source = Source::open(path).unwrap();
        Self::scenario(read(&source, &Overrides::default()), true)
    }

    /// Runs a ready scenario under the command line's changes.
    pub(crate) fn ready(name: &str, overrides: &Overrides) -> Self {
        Self::scenario(ready(name, overrides), true)
    }

    /// The same without keeping the answers.
    pub(crate) fn ready_measured(name: &str, overrides: &Overrides) -> Self {
        Self::scenario(ready(name, overrides), false)
    }

    fn scenario(scenario: Scenario, with_timeline: bool) -> Self {
        let notes = scenario.notes.clone();
        let resolved = scenario.resolved.clone();
        let plan = scenario.into_plan(with_timeline);
        let result = simulation::run(&plan, &()).unwrap();
        if with_timeline {
            envelopes::check(&result, &resolved);
        }
        Self { result, notes }
    }

    /// The candidate called `name`.
    pub(crate) fn of(&self, name: &str) -> Answers<'_> {
        let all = &self.result.candidates;
        let names: Vec<_> = all.iter().map(|candidate| &candidate.name).collect();
        let result = all.iter().find(|candidate| candidate.name == name);
        Answers {
            run: &self.result,
            result: result.unwrap_or_else(|| panic!("{name} in {names:?}")),
        }
    }

    /// All candidates with their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, Answers<'_>)> {
        let names = self.result.candidates.iter().map(|c| c.name.as_str());
        names.map(|name| (name, self.of(name)))
    }
}

impl Answers<'_> {
    /// Requests (allowed, denied).
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.result.tally.allowed, self.result.tally.denied)
    }

    /// The most cost that was forwarded in one window.
    pub(crate) fn peak(&self) -> u128 {
        self.result.tally.peak_in_window
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (&Arrival, &Record)> {
        self.run.attempts(self.result).unwrap()
    }

    /// A letter per request: `a` allowed at once, `w` made to wait, `x` denied.
    pub(crate) fn letters(&self) -> String {
        let letter = |decision| match decision {
            Decision::Allow => 'a',
            Decision::Delay(_) => 'w',
            Decision::Deny => 'x',
        };
        self.each()
            .map(|(_, record)| letter(record.decision))
            .collect()
    }

    /// When each admitted request was forwarded, in seconds.
    pub(crate) fn forwarded(&self) -> Vec<String> {
        let admitted = self
            .each()
            .filter(|(_, record)| record.decision.is_admitted());
        let at = |(_, record): (&Arrival, &Record)| record.at + record.decision.delay();
        admitted.map(|pair| at(pair).to_string()).collect()
    }

    /// `retry_after` of each denied request, in seconds.
    pub(crate) fn retries(&self) -> Vec<String> {
        let retries = self.each().filter_map(|(_, record)| record.retry);
        retries.map(|retry| retry.to_string()).collect()
    }

    /// The largest cost that would still be admitted after each request.
    pub(crate) fn remaining(&self) -> Vec<u64> {
        self.each()
            .map(|(_, record)| record.remaining.expect("a limiter was asked"))
            .collect()
    }

    /// The level after each request, as files show it.
    pub(crate) fn levels(&self) -> Vec<String> {
        self.each()
            .map(|(_, record)| record.level.expect("a limiter was asked").to_string())
            .collect()
    }

    /// Requests admitted in each second of the run, up to the last one with any.
    pub(crate) fn admitted_per_second(&self) -> Vec<u64> {
        let mut seconds = Vec::new();
        for (_, record) in self.each() {
            if record.decision.is_admitted() {
                let second = record.at.as_nanos() / Nanos::from_secs(1).get();
                let second = usize::try_from(second).unwrap();
                seconds.resize(seconds.len().max(second + 1), 0);
                seconds[second] += 1;
            }
        }
        seconds
    }

    /// Keys that were denied at least once.
    pub(crate) fn keys_denied(&self) -> usize {
        let denied = self.result.per_key.iter().filter(|key| key.denied > 0);
        denied.count()
    }

    /// The longest wait of an admitted request, in seconds.
    pub(crate) fn longest_wait(&self) -> String {
        let longest = self.result.delays.percentile(100).unwrap();
        (SimTime::ZERO + longest).to_string()
    }
}
