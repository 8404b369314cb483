//! `ratesim check`: validates scenarios and prints them resolved.

use super::args::Check;
use super::input::{self, Read};
use super::terminal::Terminal;
use ratesim::error::Result;
use ratesim::scenario::to_toml;

pub(crate) fn run(args: &Check) -> Result<()> {
    let read = input::read(&args.input, false)?;
    let mut terminal = Terminal::default();
    for Read {
        source, scenario, ..
    } in &read
    {
        if read.len() > 1 {
            terminal.print(&format!("# {}\n", source.name()))?;
        }
        terminal.print(&to_toml(&scenario.resolved))?;
    }
    Ok(())
}
