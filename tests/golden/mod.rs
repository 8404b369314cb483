//! Golden files: what three ready scenarios write and print, byte for byte; and the same bytes
//! whenever the same is run.
//!
//! `RATESIM_GOLDEN=write cargo test golden` writes them anew. Every number in them was checked by
//! hand: read the difference before it is committed.

mod files;
mod same_bytes;
mod same_instants;

use ratesim::measure::RunResult;
use std::collections::BTreeMap;
use std::io::Write;

/// Rows of a CSV by the names of their columns.
pub(crate) fn rows(text: &[u8]) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text);
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The rows that a report gives of a run.
pub(crate) fn table(
    run: &RunResult,
    report: impl Fn(&RunResult, &mut dyn Write) -> Result<(), csv::Error>,
) -> Vec<BTreeMap<String, String>> {
    let mut bytes = Vec::new();
    report(run, &mut bytes).unwrap();
    rows(&bytes)
}
