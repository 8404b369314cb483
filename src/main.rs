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
        Command::Explain(args) => cli::explain::run(&args),
        Command::New(args) => cli::new::run(&args),
        Command::Completions(args) => cli::completions::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cli::terminal::complain(&error);
            ExitCode::from(error.exit_status())
        }
    }
}
