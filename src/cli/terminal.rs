//! What the user sees: results on stdout, everything else on stderr.

use anstyle::{AnsiColor, Style};
use ratesim::error::{Error, Result};
use std::error::Error as _;
use std::io::{self, Write};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Yellow.on_default().bold();

/// Prints results. A reader that has gone away, as `head` does, wants no more: that is success.
#[derive(Debug, Default)]
pub(crate) struct Terminal {
    closed: bool,
}

impl Terminal {
    /// Prints a text as it stands; colours are left out where stdout is no terminal.
    pub(crate) fn print(&mut self, text: &str) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => Ok(()),
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(cause) => Err(Error::run("cannot print the results").because(cause)),
        }
    }
}

/// Says something that is no result and no error.
pub(crate) fn note(text: &str) {
    // Nobody is left to be told when stderr is closed.
    let _ = writeln!(anstream::stderr(), "{NOTE}note:{NOTE:#} {text}");
}

/// Shows an error with its causes.
pub(crate) fn complain(error: &Error) {
    let mut text = format!("{ERROR}error:{ERROR:#} {error}\n");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!("  caused by: {error}\n"));
        cause = error.source();
    }
    let _ = anstream::stderr().write_all(text.as_bytes());
}
