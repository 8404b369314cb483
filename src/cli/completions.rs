//! `ratesim completions`: completions for a shell.

use super::args::{Cli, Completions};
use super::terminal::Terminal;
use clap::CommandFactory;
use ratesim::error::Result;

pub(crate) fn run(args: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ratesim", &mut script);
    Terminal::default().print(&String::from_utf8_lossy(&script))
}
