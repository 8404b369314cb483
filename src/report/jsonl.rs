//! `timeline.jsonl`: one JSON object per line, attempt and candidate.

use super::attempt::{Attempt, COLUMNS, Cell, attempts};
use crate::measure::RunResult;
use std::io::{Result, Write};

/// Writes the rows of `timeline.csv`, in its order, as objects with its columns for names, each with the
/// header fields of the answer beside them. Numbers are the exact decimals of that file; what is empty
/// there is `null` and what never comes is `"inf"`.
///
/// # Errors
/// When `out` cannot be written.
pub fn timeline(run: &RunResult, out: &mut dyn Write) -> Result<()> {
    let mut attempts = attempts(run).into_iter();
    attempts.try_for_each(|attempt| line(&attempt, out))
}

fn line(attempt: &Attempt, out: &mut dyn Write) -> Result<()> {
    out.write_all(b"{")?;
    for (column, cell) in COLUMNS.into_iter().zip(attempt.cells()) {
        write!(out, "\"{column}\":")?;
        match cell {
            Cell::Text(text) => serde_json::to_writer(&mut *out, &text)?,
            Cell::Number(digits) => out.write_all(digits.as_bytes())?,
            Cell::Never => out.write_all(b"\"inf\"")?,
            Cell::Nothing => out.write_all(b"null")?,
        }
        out.write_all(b",")?;
    }
    out.write_all(b"\"headers\":{")?;
    for (index, field) in attempt.headers().iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(out, "{comma}\"{}\":", field.name)?;
        serde_json::to_writer(&mut *out, &field.value)?;
    }
    out.write_all(b"}}\n")
}
