//! Reading the scenarios that a command names.

use super::args::Input;
use super::terminal::note;
use ratesim::error::Result;
use ratesim::scenario::{Scenario, Source};
use std::path::Path;

/// A scenario that was read.
pub(crate) struct Read {
    pub(crate) source: Source,
    pub(crate) scenario: Scenario,
    /// Whether its timeline is short enough to be kept.
    pub(crate) with_timeline: bool,
}

/// Reads all scenarios, each with a note of what is left out unless `quiet`.
pub(crate) fn read(input: &Input, quiet: bool) -> Result<Vec<Read>> {
    let scenarios = input.scenarios.iter();
    scenarios.map(|path| one(path, input, quiet)).collect()
}

/// Reads the scenario at `path`.
pub(crate) fn one(path: &Path, input: &Input, quiet: bool) -> Result<Read> {
    let (overrides, bounds) = (input.overrides(), input.bounds());
    let source = Source::open(path)?;
    let scenario = Scenario::read(&source, &overrides, &bounds)?;
    let no_timeline = scenario.timeline_note(&bounds);
    if !quiet {
        for text in scenario.notes.iter().chain(&no_timeline) {
            note(&format!("{}: {text}", source.name()));
        }
    }
    Ok(Read {
        source,
        scenario,
        with_timeline: no_timeline.is_none(),
    })
}
