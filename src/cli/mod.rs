//! The command line: the only code that prints, draws progress, writes files or reads the wall
//! clock.

pub(crate) mod args;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod explain;
mod input;
pub(crate) mod list;
pub(crate) mod new;
mod output;
mod progress;
pub(crate) mod run;
pub(crate) mod terminal;
