//! Reading the scenarios that a command names.

use super::args::Input;
use super::terminal::note;
use ratesim::error::Result;
use ratesim::scenario::{Scenario, Source};

/// A scenario that was read.
pub(crate) struct Read {
    pub(crate) source: Source,
    pub(crate) scenario: Scenario,
    /// Whether its timeline is short enough to be kept.
    pub(crate) with_timeline: bool,
}

/// Reads all scenarios, each with a note of what is left out unless `quiet`.
pub(crate) fn read(input: &Input, quiet: bool) -> Result<Vec<Read>> {
    let (overrides, bounds) = (input.overrides(), input.bounds());
    let mut read = Vec::with_capacity(input.scenarios.len());
    for path in &input.scenarios {
        let source = Source::open(path)?;
        let scenario = Scenario::read(&source, &overrides, &bounds)?;
        let no_timeline = scenario.timeline_note(&bounds);
        if !quiet {
            for text in scenario.notes.iter().chain(&no_timeline) {
                note(&format!("{}: {text}", source.name()));
            }
        }
        read.push(Read {
            source,
            scenario,
            with_timeline: no_timeline.is_none(),
        });
    }
    Ok(read)
}
