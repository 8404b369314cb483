//! The command `ratesim`.

mod cli;

use clap::Parser;
use cli::args::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => cli::run::run(&args),
        Command::Check(args) => cli::check::run(&args),
        Command::List => cli::list::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cli::terminal::complain(&error);
            ExitCode::from(error.exit_status())
        }
    }
}
