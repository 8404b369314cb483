//! `ratesim check`: validates scenarios and prints them resolved.

use super::args::Check;
use super::terminal::{Terminal, note};
use ratesim::error::Result;
use ratesim::scenario::{Scenario, Source, to_toml};

pub(crate) fn run(args: &Check) -> Result<()> {
    let overrides = args.input.overrides();
    let mut read = Vec::new();
    for path in &args.input.scenarios {
        let source = Source::open(path)?;
        let scenario = Scenario::read(&source, &overrides)?;
        read.push((source, scenario));
    }
    let mut terminal = Terminal::default();
    for (source, scenario) in &read {
        for line in &scenario.notes {
            note(&format!("{}: {line}", source.name()));
        }
        if read.len() > 1 {
            terminal.print(&format!("# {}\n", source.name()))?;
        }
        terminal.print(&to_toml(&scenario.resolved))?;
    }
    Ok(())
}
