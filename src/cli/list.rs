//! `ratesim list`: what a scenario can name, and the scenarios that are ready to run.

use super::terminal::Terminal;
use anstyle::Style;
use ratesim::catalog::{
    ALGORITHMS, BACKEND, CHARTS, CLIENT, DEPLOYMENT, OVER_LIMIT, RULE, RULES, TRAFFIC,
};
use ratesim::error::Result;
use ratesim::measure::Measure;
use ratesim::report::text::visible;
use ratesim::workload::{COMMON_FIELDS, Field};
use std::path::{Path, PathBuf};

/// Where ready scenarios are looked for.
const FOLDER: &str = "scenarios";
const HEADING: Style = Style::new().bold();
const FIELDS: Style = Style::new().dimmed();

pub(crate) fn run() -> Result<()> {
    let algorithms = ALGORITHMS.iter().map(|row| Item {
        name: row.kind.to_owned(),
        meaning: row.summary.to_owned(),
        fields: row.parameters.iter().map(|field| field.name).collect(),
    });
    let patterns = TRAFFIC.iter().map(|row| Item {
        name: row.pattern.to_owned(),
        meaning: row.summary.to_owned(),
        fields: row.fields.iter().map(|field| field.name).collect(),
    });
    let all_patterns = Item {
        name: "all".to_owned(),
        meaning: "What every pattern has besides.".to_owned(),
        fields: COMMON_FIELDS.iter().map(|field| field.name).collect(),
    };
    let fields = |fields: &'static [Field]| {
        let fields = fields.iter();
        fields.map(|field| Item::plain(field.name.to_owned(), format!("{}.", field.meaning)))
    };
    let measures = Measure::ALL
        .iter()
        .map(|(_, name, meaning)| Item::plain((*name).to_owned(), format!("{meaning}.")));
    let charts = CHARTS
        .iter()
        .map(|row| Item::plain(row.name.to_owned(), row.meaning.to_owned()));
    let ready = ready(Path::new(FOLDER)).into_iter();
    let sections = [
        section("Algorithms", algorithms),
        section("Traffic patterns", patterns.chain([all_patterns])),
        section("Fields of a rule", fields(RULE)),
        section("Fields of all rules", fields(RULES)),
        section("Fields of a deployment", fields(DEPLOYMENT)),
        section("Fields of a client", fields(CLIENT)),
        section("Fields of over_limit", fields(OVER_LIMIT)),
        section("Fields of the backend", fields(BACKEND)),
        section("Measures", measures),
        section("Charts", charts),
        section(
            "Ready scenarios",
            ready.map(|(path, title)| Item::plain(path, title)),
        ),
    ];
    let sections: Vec<_> = sections.into_iter().flatten().collect();
    Terminal::default().print(&sections.join("\n"))
}

/// Something that can be named.
struct Item {
    name: String,
    meaning: String,
    /// The fields that it takes in a scenario.
    fields: Vec<&'static str>,
}

impl Item {
    fn plain(name: String, meaning: String) -> Self {
        Self {
            name,
            meaning,
            fields: Vec::new(),
        }
    }
}

/// A heading over names, what they mean and what they take; nothing when there is nothing to list.
fn section(heading: &str, items: impl Iterator<Item = Item>) -> Option<String> {
    let items: Vec<_> = items.collect();
    let width = items.iter().map(|item| item.name.chars().count()).max()?;
    let mut text = format!("{HEADING}{heading}{HEADING:#}\n");
    for item in items {
        text.push_str(&format!("  {:width$}  {}\n", item.name, item.meaning));
        if !item.fields.is_empty() {
            let fields = item.fields.join(", ");
            text.push_str(&format!("  {:width$}  {FIELDS}{fields}{FIELDS:#}\n", ""));
        }
    }
    Some(text)
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
