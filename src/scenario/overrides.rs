//! What the command line changes in a scenario before it is resolved.

use super::tree;
use crate::error::{Error, Place, Result};
use crate::params::{Node, Value};
use std::collections::BTreeMap;

/// Changes to a scenario, in the order in which they apply.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `path=value` pairs: any field, such as `traffic.0.rate=200/s`.
    pub set: Vec<String>,
    /// The contract instead of the file's.
    pub limit: Option<String>,
    /// The seed instead of the file's.
    pub seed: Option<u64>,
    /// What is measured instead of what the file says; empty for that.
    pub measures: Vec<String>,
    /// The algorithms to run, by name or kind; empty for those of the file.
    pub algorithms: Vec<String>,
}

impl Overrides {
    /// Applies the changes of fields. The choice of algorithms is left to the resolution, which
    /// knows their names.
    pub(super) fn apply(&self, root: &mut BTreeMap<String, Node>) -> Result<()> {
        for pair in &self.set {
            set(root, pair)?;
        }
        if let Some(limit) = &self.limit {
            let place = Place::Flag(format!("--limit {limit}").into());
            let value = Value::Text(limit.clone());
            root.insert("limit".to_owned(), Node { value, place });
        }
        if !self.measures.is_empty() {
            let place = Place::Flag(format!("--measure {}", self.measures.join(",")).into());
            let names = self.measures.iter().map(|name| Node {
                value: Value::Text(name.clone()),
                place: place.clone(),
            });
            let value = Value::Array(names.collect());
            root.insert("measure".to_owned(), Node { value, place });
        }
        if let Some(seed) = self.seed {
            let place = Place::Flag(format!("--seed {seed}").into());
            let value = Value::Number(seed.to_string());
            root.insert("seed".to_owned(), Node { value, place });
        }
        Ok(())
    }
}

/// Sets one field. All tables on the way must exist; the field itself need not.
fn set(root: &mut BTreeMap<String, Node>, pair: &str) -> Result<()> {
    let place = Place::Flag(format!("--set {pair}").into());
    let wrong = |message: String| Error::input(message).at(place.clone());
    let (path, value) = pair
        .split_once('=')
        .ok_or_else(|| wrong("expected path=value, such as traffic.0.rate=200/s".to_owned()))?;
    let path: Vec<&str> = path.trim().split('.').map(str::trim).collect();
    let Some((field, way)) = path.split_last().filter(|_| !path.contains(&"")) else {
        return Err(wrong(
            "the path must be names and numbers joined by dots, such as traffic.0.rate".to_owned(),
        ));
    };
    let value = tree::parse_value(value.trim(), &place);
    let Some((first, rest)) = way.split_first() else {
        root.insert((*field).to_owned(), value);
        return Ok(());
    };
    let mut node = root.get_mut(*first).ok_or_else(|| {
        let hint = match *first {
            "algorithm" => "; add an [[algorithm]] to the file to change its parameters",
            "rule" | "rules" => "; add a [[rule]], or a rules file under [rules]",
            "deployment" => "; add a [[deployment]] to the file to change its fields",
            _ => "",
        };
        wrong(format!(
            "{first}: there is no such table in the scenario{hint}"
        ))
    })?;
    let mut walked = (*first).to_owned();
    for step in rest {
        node = enter(node, step, &walked).map_err(wrong)?;
        walked = format!("{walked}.{step}");
    }
    match &mut node.value {
        Value::Table(fields) => {
            fields.insert((*field).to_owned(), value);
        }
        Value::Array(_) => *enter(node, field, &walked).map_err(wrong)? = value,
        other => {
            let found = other.describe();
            return Err(wrong(format!("{walked}: is not a table: found {found}")));
        }
    }
    Ok(())
}

/// The part of `node` called `step`: a table's field, or a list's item by number or name.
fn enter<'a>(
    node: &'a mut Node,
    step: &str,
    walked: &str,
) -> std::result::Result<&'a mut Node, String> {
    match &mut node.value {
        Value::Table(fields) => fields
            .get_mut(step)
            .ok_or_else(|| format!("{walked}.{step}: there is no such table in the scenario")),
        Value::Array(items) => {
            let index = position(items, step).ok_or_else(|| {
                format!(
                    "{walked}.{step}: there is no such item; {walked} has {}, numbered from 0",
                    items.len()
                )
            })?;
            Ok(&mut items[index])
        }
        other => Err(format!(
            "{walked}: is not a table: found {}",
            other.describe()
        )),
    }
}

/// The index of a list item by its number, or of a table by its name, kind or pattern when only one
/// is called that.
fn position(items: &[Node], step: &str) -> Option<usize> {
    if let Ok(index) = step.parse::<usize>() {
        return (index < items.len()).then_some(index);
    }
    let called = |field: &str| {
        let mut found = items.iter().enumerate().filter(|(_, item)| {
            let Value::Table(fields) = &item.value else {
                return false;
            };
            matches!(fields.get(field).map(|node| &node.value), Some(Value::Text(text)) if text == step)
        });
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Some(index),
            _ => None,
        }
    };
    ["name", "kind", "pattern"].into_iter().find_map(called)
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Lines, parse};
    use super::*;

    const TEXT: &str = "limit = \"1/s\"\n\
        [[traffic]]\npattern = \"poisson\"\nkeys = { count = 2 }\nat = [\"1s\", \"2s\"]\n\
        [[algorithm]]\nkind = \"gcra\"\nname = \"a\"\n\
        [[algorithm]]\nkind = \"gcra\"\nname = \"b\"\n";

    fn after(pair: &str) -> Result<String> {
        let mut root = parse(&Lines::new("s.toml".into(), TEXT))?;
        set(&mut root, pair)?;
        Ok(format!("{root:?}"))
    }

    #[test]
    fn a_path_reaches_fields_of_tables_and_items_of_lists() {
        for pair in [
            "limit=7/s",
            "seed=3",
            "traffic.0.keys.count=9",
            "traffic.poisson.rate=7/s",
            "traffic.0.at.1=3s",
            "algorithm.b.burst=4",
            "algorithm.0={ kind = \"gcra\" }",
        ] {
            let tree = after(pair).unwrap_or_else(|error| panic!("{pair}: {error}"));
            assert!(
                tree.contains(&format!("--set {}", pair.escape_debug())),
                "{pair}: {tree}"
            );
        }
    }

    #[test]
    fn a_path_that_leads_nowhere_is_refused_with_where_it_ends() {
        for (pair, message) in [
            ("limit", "expected path=value"),
            ("=3", "the path must be names and numbers"),
            ("traffic..rate=3", "the path must be names and numbers"),
            ("trafic.0.rate=3", "trafic: there is no such table"),
            (
                "traffic.1.rate=3",
                "traffic.1: there is no such item; traffic has 1",
            ),
            (
                "algorithm.gcra.burst=3",
                "algorithm.gcra: there is no such item",
            ),
            ("limit.units=3", "limit: is not a table: found \"1/s\""),
            ("limit.units.x=3", "limit: is not a table"),
            (
                "traffic.0.cost.mean=3",
                "traffic.0.cost: there is no such table",
            ),
        ] {
            let error = after(pair).unwrap_err().to_string();
            let expected = format!("--set {pair}: {message}");
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
