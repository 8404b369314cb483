//! `ratesim new`: writes a commented scenario to start from.

use super::args::New;
use super::terminal::Terminal;
use ratesim::error::{Error, Result};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// A scenario that runs as it is.
const TEMPLATE: &str = include_str!("template.toml");

pub(crate) fn run(args: &New) -> Result<()> {
    let mut path = args.name.clone();
    if path.extension().is_none() {
        path.set_extension("toml");
    }
    write(&path)?;
    let shown = path.display();
    Terminal::default().print(&format!(
        "{shown} is written. Change it, then: ratesim run {shown}\n"
    ))
}

/// Writes the template, but over no file that is there.
fn write(path: &Path) -> Result<()> {
    let shown = path.display();
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|cause| match cause.kind() {
            ErrorKind::AlreadyExists => Error::input(format!(
                "{shown} exists; choose another name, or remove it first"
            )),
            ErrorKind::NotFound => Error::input(format!(
                "the folder of {shown} does not exist; create it first"
            )),
            _ => Error::run(format!("cannot write {shown}")).because(cause),
        })?;
    file.write_all(TEMPLATE.as_bytes())
        .map_err(|cause| Error::run(format!("cannot write {shown}")).because(cause))
}
