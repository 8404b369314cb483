//! The resolved scenario as TOML, which reads back as the same scenario.

use std::fmt::Write;
use toml::{Table, Value};

/// The order of the fields of the file itself; others follow in the order of their names.
const TOP: [&str; 6] = ["title", "description", "limit", "start", "seed", "duration"];
/// What a table of a list opens with.
const FIRST: [&str; 3] = ["pattern", "kind", "name"];
/// The order of the lists of tables.
const LISTS: [&str; 4] = ["traffic", "rule", "algorithm", "deployment"];

/// Writes the resolved scenario: plain fields, then the lists of tables.
pub fn to_toml(resolved: &Table) -> String {
    let mut text = String::new();
    let is_list = |name: &str| LISTS.contains(&name);
    fields(&mut text, resolved, &TOP, is_list);
    for name in LISTS {
        let Some(Value::Array(tables)) = resolved.get(name) else {
            continue;
        };
        for table in tables.iter().filter_map(Value::as_table) {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}[[{name}]]");
            fields(&mut text, table, &FIRST, |_| false);
        }
    }
    text
}

/// One line per field: those in `order` first, then by name.
fn fields(text: &mut String, table: &Table, order: &[&str], skip: impl Fn(&str) -> bool) {
    let rest = table.keys().map(String::as_str);
    let rest = rest.filter(|name| !order.contains(name) && !skip(name));
    let names = order.iter().copied().chain(rest);
    for name in names {
        if let Some(value) = table.get(name) {
            let _ = writeln!(text, "{name} = {value}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_fields_come_first_and_the_text_reads_back_the_same() {
        let table: Table = toml::from_str(
            "algorithm = [{ kind = \"gcra\", burst = 3 }]\n\
             seed = 0\nlimit = \"5/1m\"\ntitle = \"a \\\"b\\\"\\n\\u001b\"\n\
             [[traffic]]\nat = [\"1s\"]\npattern = \"script\"\nkeys = { count = 3, e = \"1.1\" }\n",
        )
        .unwrap();
        let text = to_toml(&table);
        assert_eq!(toml::from_str::<Table>(&text).unwrap(), table, "{text}");
        let order = [
            "title",
            "limit",
            "seed",
            "[[traffic]]",
            "pattern",
            "at",
            "[[algorithm]]",
        ];
        let found = order.map(|name| text.find(name).unwrap());
        assert!(found.is_sorted(), "{text}");
    }
}
