//! One opaque error with a cause chain; every message says what to change.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// Where in the input something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line and column (both from 1) of a file.
    File {
        /// The file as the user named it.
        file: Arc<str>,
        /// Line from 1.
        line: usize,
        /// Column from 1.
        column: usize,
    },
    /// A command-line override, as the user wrote it.
    Flag(Arc<str>),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// Whether the input is wrong or the run failed; the exit status follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Input,
    Run,
}

/// What went wrong, where, and what to do about it.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    place: Option<Place>,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The result of anything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Wrong input: exit status 2.
    pub fn input(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Input,
            place: None,
            message: message.into(),
            source: None,
        }
    }

    /// A failure while running: exit status 1.
    pub fn run(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Run,
            place: None,
            message: message.into(),
            source: None,
        }
    }

    /// The same error with the place where its cause stands.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn because(mut self, cause: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(cause));
        self
    }

    /// The process exit status: 2 for wrong input, 1 for a failure while running.
    pub fn exit_status(&self) -> u8 {
        match self.kind {
            Kind::Input => 2,
            Kind::Run => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}
