//! Rules files: lists of rules in YAML.

use super::one;
use crate::error::{Error, Place, Result};
use crate::params::{Params, Value};
use crate::rules::{Rule, RuleSet};
use crate::scenario::{source, yaml};
use std::path::Path;
use std::sync::Arc;

/// The rules that tables hold, and what they resolve to.
pub(super) struct Listed {
    pub(super) set: RuleSet,
    /// The table of each rule with every default.
    pub(super) tables: Vec<toml::Table>,
    /// Where each of them stands, and how messages call it.
    pub(super) places: Vec<(Place, String)>,
}

/// Reads rules of tables, one each.
pub(super) fn listed(tables: Vec<Params>) -> Result<Listed> {
    let mut rules: Vec<Rule> = Vec::with_capacity(tables.len());
    let mut resolved = Vec::with_capacity(tables.len());
    let mut places = Vec::with_capacity(tables.len());
    for mut table in tables {
        let rule = one::read(&mut table)?;
        table.check_known()?;
        if rules.iter().any(|other| other.name == rule.name) {
            let message = if table.has("name") {
                format!(
                    "`{}` is the name of an earlier rule; names must differ",
                    rule.name
                )
            } else {
                format!(
                    "an earlier rule is called `{}` too; give one of them a `name` that tells them \
                     apart",
                    rule.name
                )
            };
            return Err(table.error("name", message));
        }
        rules.push(rule);
        places.push((table.place().clone(), table.path().to_owned()));
        resolved.push(table.finish()?);
    }
    Ok(Listed {
        set: RuleSet { rules },
        tables: resolved,
        places,
    })
}

/// A rules file by itself.
pub struct RulesFile {
    /// Its rules.
    pub rules: RuleSet,
    /// The rules as a scenario writes them, with every default.
    pub resolved: toml::Table,
}

impl RulesFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// A file that is missing, or is no list of rules: with the place of the mistake.
    pub fn open(path: &Path) -> Result<Self> {
        let Listed { set, tables, .. } = open(path)?;
        let mut resolved = toml::Table::new();
        resolved.insert("rule".to_owned(), tables.into());
        Ok(Self {
            rules: set,
            resolved,
        })
    }
}

/// Reads the rules of a file.
pub(super) fn open(path: &Path) -> Result<Listed> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|cause| {
        let message = match cause.kind() {
            std::io::ErrorKind::NotFound => format!("{name}: there is no such rules file"),
            _ if path.is_dir() => format!("{name}: is a folder; name a rules file in it"),
            _ => format!("{name}: the rules file cannot be read"),
        };
        Error::input(message).because(cause)
    })?;
    parse(&name, &source::decode(&name, bytes)?)
}

/// Reads the rules of a file's text.
fn parse(name: &str, text: &str) -> Result<Listed> {
    const EXPECTED: &str = "expected `rules:` and below it a list, each rule behind a dash: \
                            `- endpoint: /api/posts`";
    let file: Arc<str> = name.into();
    let beginning = Place::File {
        file: file.clone(),
        line: 1,
        column: 1,
    };
    let Some(root) = yaml::parse(&file, text)? else {
        let message = format!("there is nothing in the file; {EXPECTED}");
        return Err(Error::input(message).at(beginning));
    };
    let Value::Table(fields) = root.value else {
        let message = format!("found {}; {EXPECTED}", root.value.describe());
        return Err(Error::input(message).at(root.place));
    };
    let mut root = Params::new("", beginning, fields);
    let Some(node) = root.raw("rules") else {
        root.check_known()?;
        return Err(root.error("rules", EXPECTED));
    };
    let Value::Array(items) = &node.value else {
        let message = format!("found {}; {EXPECTED}", node.value.describe());
        return Err(root.error("rules", message));
    };
    if let Some(item) = items
        .iter()
        .find(|item| !matches!(item.value, Value::Table(_)))
    {
        let message = format!(
            "rules: found {}, expected a rule: its fields one below the other, such as `endpoint: \
             /api/posts`",
            item.value.describe()
        );
        return Err(Error::input(message).at(item.place.clone()));
    }
    if items.is_empty() {
        return Err(root.error("rules", format!("has no rule; {EXPECTED}")));
    }
    let tables = root.tables("rules")?;
    root.check_known()?;
    listed(tables)
}
