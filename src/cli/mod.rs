//! The command line: the only code that prints, draws progress, writes files or reads the wall
//! clock.

pub(crate) mod args;
pub(crate) mod check;
mod input;
pub(crate) mod list;
mod output;
mod progress;
pub(crate) mod run;
pub(crate) mod terminal;
