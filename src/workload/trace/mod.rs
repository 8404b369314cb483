//! Recorded traffic: the records of a file, one request each.
//!
//! A file is scanned once before the run: that counts its records, finds the first and the last
//! time, and numbers keys and endpoints. A run reads it again and keeps nothing. Only a file that is
//! not in order of time is held as a whole, since it has to be sorted (stably).
//!
//! Both passes cut the file into blocks at line ends. The blocks of a batch are worked on in parallel
//! while the next batch is read and unpacked, and what they gave is put together in the order of the
//! file, so that neither the number of threads nor the size of blocks is seen in any result.

mod blocks;
mod combined;
mod csv;
mod names;
mod pipeline;
mod replay;
mod scan;
mod source;
#[cfg(test)]
mod tests;
mod time;
mod zstd;

#[cfg(test)]
pub(in crate::workload) use zstd::tests::packed as zstd_frame;

pub use scan::Survey;

pub(super) use replay::{Placing, Trace};

use crate::error::Result;
use crate::params::Params;
use crate::units::Cost;
use crate::workload::Costs;
use blocks::{Block, Blocks, Line};
use csv::{Cell, Columns};
use pipeline::Pipeline;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use time::{Clock, Stamp};

/// One record of a trace; its texts are UTF-8.
#[derive(Debug)]
struct Record<'a> {
    at: Stamp,
    key: Option<Cow<'a, [u8]>>,
    endpoint: Option<Cow<'a, [u8]>>,
    method: Option<Cow<'a, [u8]>>,
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
    /// Bytes of the blocks that it is cut into.
    block: usize,
}

/// Bytes of a block: a few thousand lines, and a few blocks per thread fit the caches.
const BLOCK: usize = 1 << 19;

/// Reads the lines of one block.
struct Parser<'f> {
    format: &'f Format,
    /// Whether endpoints and methods are asked for.
    targets: bool,
    clock: Clock,
    cells: Vec<Cell>,
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
        let mut clock = Clock::default();
        let mut is_log =
            |line: &String| combined::parse(line.as_bytes(), &mut clock, false).is_ok();
        let format = match params.choice("format", &["auto", "csv", "combined"], "auto")? {
            "auto" if first.iter().any(&mut is_log) => "combined",
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
            block: BLOCK,
        })
    }

    /// Opens it at its first record.
    fn open(&self) -> io::Result<Pipeline> {
        let header = matches!(self.format, Format::Csv(_));
        let source = source::open(&self.path)?;
        Ok(Pipeline::new(Blocks::new(source, self.block, header)))
    }

    /// A reader of the lines of one block.
    fn parser(&self, targets: bool) -> Parser<'_> {
        Parser {
            format: &self.format,
            targets,
            clock: Clock::default(),
            cells: Vec::new(),
        }
    }
}

fn first_lines(path: &Path) -> io::Result<Vec<String>> {
    let mut blocks = Blocks::new(source::open(path)?, 1 << 14, false);
    let mut block = Block::default();
    let mut first = Vec::new();
    while first.len() < LOOKED_AT {
        match blocks.next(&mut block) {
            Ok(true) => {
                let texts = block.lines().take(LOOKED_AT - first.len());
                first.extend(texts.map(|line| String::from_utf8_lossy(&line.text).into_owned()));
            }
            Ok(false) => break,
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
                io::ErrorKind::InvalidData => {
                    format!("{shown} is cut off or no valid zstd; fetch or compress it again")
                }
                _ => format!("{shown} cannot be read"),
            },
        )
        .because(cause)
}

impl Parser<'_> {
    /// The record of a line, or what is wrong with it.
    fn record<'a>(&mut self, line: &'a Line) -> std::result::Result<Record<'a>, String> {
        if line.is_cut {
            return Err(format!("longer than {} bytes", blocks::LONGEST));
        }
        match self.format {
            Format::Combined => combined::parse(&line.text, &mut self.clock, self.targets),
            Format::Csv(columns) => columns.parse(&line.text, &mut self.clock, &mut self.cells),
        }
    }
}
