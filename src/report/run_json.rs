//! `run.json`: what was run and what came of it, enough to run it again and to check every file.

use crate::measure::RunResult;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// One file of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the folder.
    pub name: String,
    /// Its length.
    #[serde(default)]
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal digits.
    #[serde(default)]
    pub sha256: String,
}

#[derive(Serialize)]
struct Run<'a> {
    version: &'static str,
    scenario: &'a toml::Table,
    seed: u64,
    counts: Counts,
    notes: &'a [String],
    files: &'a [FileEntry],
}

#[derive(Serialize)]
struct Counts {
    requests: u64,
    keys: usize,
    candidates: usize,
}

/// What `run.json` says besides the result.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The resolved scenario.
    pub scenario: &'a toml::Table,
    /// Its seed.
    pub seed: u64,
    /// What was noted while it was read: lines left out or out of order.
    pub notes: &'a [String],
    /// The other files of the result.
    pub files: &'a [FileEntry],
}

/// Writes `run.json`.
pub fn write(result: &RunResult, origin: Origin, out: &mut dyn Write) -> io::Result<()> {
    let run = Run {
        version: env!("CARGO_PKG_VERSION"),
        scenario: origin.scenario,
        seed: origin.seed,
        counts: Counts {
            requests: result.requests,
            keys: result.keys.len(),
            candidates: result.candidates.len(),
        },
        notes: origin.notes,
        files: origin.files,
    };
    serde_json::to_writer_pretty(&mut *out, &run)?;
    out.write_all(b"\n")
}

/// The names of the files that a `run.json` lists, itself aside; none when it is not one. Names that
/// lead out of their folder are left out: the file may come from anywhere.
pub fn files(json: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Listed {
        #[serde(default)]
        files: Vec<FileEntry>,
    }
    let listed = serde_json::from_slice(json).unwrap_or(Listed { files: Vec::new() });
    let names = listed.files.into_iter().map(|file| file.name);
    names
        .filter(|name| !name.contains(['/', '\\']) && !name.starts_with('.'))
        .collect()
}
