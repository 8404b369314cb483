//! `ratesim check`: validates scenarios and rules files and prints them resolved.

use super::args::Check;
use super::input::{self, Read};
use super::terminal::Terminal;
use ratesim::error::Result;
use ratesim::scenario::{RulesFile, to_toml};
use std::path::Path;

/// All of them are read before anything is printed.
pub(crate) fn run(args: &Check) -> Result<()> {
    let mut checked = Vec::with_capacity(args.input.scenarios.len());
    for path in &args.input.scenarios {
        if is_rules_file(path) {
            let file = RulesFile::open(path)?;
            checked.push((path.display().to_string(), file.resolved));
        } else {
            let Read {
                source, scenario, ..
            } = input::one(path, &args.input, false)?;
            checked.push((source.name().to_owned(), scenario.resolved));
        }
    }
    let mut terminal = Terminal::default();
    for (name, resolved) in &checked {
        if checked.len() > 1 {
            terminal.print(&format!("# {name}\n"))?;
        }
        terminal.print(&to_toml(resolved))?;
    }
    Ok(())
}

/// Whether the name is that of a rules file.
fn is_rules_file(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ending == "yaml" || ending == "yml")
}
