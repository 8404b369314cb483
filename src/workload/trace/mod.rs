//! Recorded traffic: the records of a file, one request each.
//!
//! A file is scanned once before the run: that counts its records, finds the first and the last
//! time, and numbers keys and endpoints. A run reads it again and keeps nothing. Only a file that is
//! not in order of time is held as a whole, since it has to be sorted (stably).

mod combined;
mod csv;
mod lines;
mod replay;
mod scan;
mod time;

pub use scan::Survey;

pub(super) use replay::{Placing, Trace};

use crate::error::Result;
use crate::params::Params;
use crate::units::Cost;
use crate::workload::Costs;
use csv::Columns;
use lines::Lines;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use time::Stamp;

/// One record of a trace.
#[derive(Debug)]
struct Record<'a> {
    at: Stamp,
    key: Option<Cow<'a, str>>,
    endpoint: Option<Cow<'a, str>>,
    method: Option<Cow<'a, str>>,
    cost: Option<Cost>,
}

/// What a block states itself; it goes before what its file says.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// Whether it names keys.
    pub keys: bool,
    /// The endpoint of all its requests.
    pub endpoint: Option<Arc<str>>,
    /// The method of all its requests.
    pub method: Option<Arc<str>>,
    /// The costs of its requests.
    pub costs: Option<Costs>,
}

/// What a trace is read against.
#[derive(Clone, Debug)]
pub struct Files<'a> {
    /// The folder that paths are relative to.
    pub base: &'a Path,
    /// What the block states itself.
    pub stated: Stated,
    /// The most records whose endpoints and methods are kept.
    pub marked: u64,
}

/// How the lines of a file are read.
#[derive(Clone, Debug)]
enum Format {
    Combined,
    Csv(Columns),
}

impl Format {
    /// Whether records can cost other than 1.
    fn has_costs(&self) -> bool {
        match self {
            Self::Combined => false,
            Self::Csv(columns) => columns.has_costs(),
        }
    }
}

/// A file and how it is read.
#[derive(Clone, Debug)]
struct TraceFile {
    path: PathBuf,
    /// The path as the scenario writes it.
    shown: String,
    format: Format,
}

/// The records of a file, one after the other.
struct Records {
    lines: Lines,
    format: Format,
}

/// How many lines `format = "auto"` looks at.
const LOOKED_AT: usize = 20;

/// Reads `file`, `format` and, for CSV, `delimiter` and `fields`, and scans the file.
///
/// # Errors
/// A file that is missing, cannot be read, lacks a column or has no valid line.
pub fn read(params: &mut Params, files: &Files) -> Result<Survey> {
    let file = TraceFile::read(params, files.base)?;
    let survey = Survey::scan(
        params,
        file,
        files.stated.clone(),
        files.marked,
        0..u64::MAX,
    )?;
    if survey.valid() == 0 {
        let lines = survey.malformed_lines();
        let lines = lines.map_or(String::new(), |lines| format!(": {lines}"));
        return Err(survey.error(params, format!("has no valid line{lines}")));
    }
    Ok(survey)
}

impl TraceFile {
    fn read(params: &mut Params, base: &Path) -> Result<Self> {
        let shown = params.required::<String>("file")?;
        let path = base.join(&shown);
        let first = first_lines(&path).map_err(|error| unreadable(params, &shown, error))?;
        let Some(header) = first.first() else {
            return Err(params.error("file", format!("{shown} is empty")));
        };
        let is_log = |line: &String| combined::parse(line).is_ok();
        let format = match params.choice("format", &["auto", "csv", "combined"], "auto")? {
            "auto" if first.iter().any(is_log) => "combined",
            "auto" => "csv",
            format => format,
        };
        params.resolve("format", format.into());
        let format = if format == "combined" {
            Format::Combined
        } else {
            let delimiter = csv::read_delimiter(params)?;
            Format::Csv(Columns::read(params, delimiter, header, &shown)?)
        };
        Ok(Self {
            path,
            shown,
            format,
        })
    }

    /// Opens it at its first record.
    fn open(&self) -> io::Result<Records> {
        let mut lines = Lines::open(&self.path)?;
        if let Format::Csv(_) = self.format {
            lines.next()?;
        }
        Ok(Records {
            lines,
            format: self.format.clone(),
        })
    }
}

fn first_lines(path: &Path) -> io::Result<Vec<String>> {
    let mut lines = Lines::open(path)?;
    let mut first = Vec::new();
    while first.len() < LOOKED_AT {
        match lines.next() {
            Ok(Some(line)) => first.push(line.text.to_owned()),
            Ok(None) => break,
            // What comes later will fail where it is read.
            Err(error) if first.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(first)
}

fn unreadable(params: &Params, shown: &str, cause: io::Error) -> crate::error::Error {
    params
        .error(
            "file",
            match cause.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => {
                    format!("{shown} is no file here; paths are relative to the scenario's folder")
                }
                io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => {
                    format!("{shown} is cut off or no valid gzip; fetch or compress it again")
                }
                _ => format!("{shown} cannot be read"),
            },
        )
        .because(cause)
}

impl Records {
    /// The next record with its line number, or what is wrong with its line.
    fn next(&mut self) -> io::Result<Option<(u64, std::result::Result<Record<'_>, String>)>> {
        let Some(line) = self.lines.next()? else {
            return Ok(None);
        };
        if line.is_cut {
            let reason = format!("longer than {} bytes", lines::LONGEST);
            return Ok(Some((line.number, Err(reason))));
        }
        let record = match &self.format {
            Format::Combined => combined::parse(line.text),
            Format::Csv(columns) => columns.parse(line.text),
        };
        Ok(Some((line.number, record)))
    }
}
