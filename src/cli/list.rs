//! `ratesim list`: what a scenario can name, and the scenarios that are ready to run.

use super::terminal::Terminal;
use anstyle::Style;
use ratesim::catalog::{ALGORITHMS, CHARTS, TRAFFIC};
use ratesim::error::Result;
use ratesim::report::text::visible;
use std::path::{Path, PathBuf};

/// Where ready scenarios are looked for.
const FOLDER: &str = "scenarios";
const HEADING: Style = Style::new().bold();

pub(crate) fn run() -> Result<()> {
    let algorithms = ALGORITHMS.iter().map(|row| (row.kind, row.summary));
    let patterns = TRAFFIC.iter().map(|row| (row.pattern, row.summary));
    let charts = CHARTS.iter().map(|row| (row.name, row.meaning));
    let mut text = section("Algorithms", algorithms);
    text.push_str(&section("\nTraffic patterns", patterns));
    text.push_str(&section("\nCharts", charts));
    let ready = ready(Path::new(FOLDER));
    if !ready.is_empty() {
        let ready = ready
            .iter()
            .map(|(path, title)| (path.as_str(), title.as_str()));
        text.push_str(&section("\nReady scenarios", ready));
    }
    Terminal::default().print(&text)
}

/// A heading over names and what they mean, in two columns.
fn section<'a>(heading: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    let mut text = format!("{HEADING}{heading}{HEADING:#}\n");
    for (name, meaning) in rows {
        text.push_str(&format!("  {name:width$}  {meaning}\n"));
    }
    text
}

/// The scenario files of a folder with their titles, by name; none where there is no such folder.
fn ready(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| (visible(&path.display().to_string()), title(path)))
        .collect()
}

/// The title that a scenario gives itself; empty where it has none.
fn title(path: &Path) -> String {
    let table = std::fs::read_to_string(path)
        .ok()
        .and_then(|text| text.parse::<toml::Table>().ok());
    let title = table.as_ref().and_then(|table| table.get("title"));
    let title = title.and_then(toml::Value::as_str);
    visible(title.unwrap_or_default())
}
