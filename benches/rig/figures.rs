//! The figures that a benchmark leaves for the closing table of the same `cargo bench`.
#![allow(dead_code)] // Each benchmark uses its part.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Figures by name.
pub(crate) type Figures = BTreeMap<String, f64>;

/// The file of a benchmark's figures: a name, a tab and a figure a line.
fn file(benchmark: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-{benchmark}.tsv"))
}

/// Leaves a benchmark's figures in place of those of its last run.
pub(crate) fn leave(benchmark: &str, figures: &Figures) {
    let lines = figures
        .iter()
        .map(|(name, figure)| format!("{name}\t{figure}\n"));
    std::fs::write(file(benchmark), lines.collect::<String>()).expect("the target folder is there");
}

/// The figures of a benchmark's last run and how long ago it was.
pub(crate) fn found(benchmark: &str) -> Option<(Figures, Duration)> {
    let text = std::fs::read_to_string(file(benchmark)).ok()?;
    let written = std::fs::metadata(file(benchmark)).and_then(|data| data.modified());
    let figure = |line: &str| {
        let (name, figure) = line.split_once('\t')?;
        Some((name.to_owned(), figure.parse().ok()?))
    };
    let figures = text.lines().filter_map(figure).collect();
    Some((figures, written.ok()?.elapsed().unwrap_or_default()))
}

/// Whether only a quick check is asked for, as `cargo test --benches` does, and no measurement.
pub(crate) fn is_check() -> bool {
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    has("--test") || !has("--bench")
}
