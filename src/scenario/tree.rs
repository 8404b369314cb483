//! A scenario's text as a tree of values that know their places.
//!
//! Numbers keep their text, so that `0.1` is one tenth and no float stands between a file and its
//! meaning. A field's place is that of its name, a list item's that of the item.

use crate::error::{Error, Place, Result};
use crate::params::{Node, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use toml::de::{DeInteger, DeTable, DeValue};

/// A text and where its lines begin: turns offsets into places.
pub(super) struct Lines<'a> {
    file: Arc<str>,
    text: &'a str,
    /// Offset of each line's first byte.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(file: Arc<str>, text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(ends.map(|(index, _)| index + 1))
            .collect();
        Self { file, text, starts }
    }

    /// The line and the column, in characters, of a byte offset.
    pub(super) fn place(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let before = self.text.get(self.starts[line - 1]..offset);
        Place::File {
            file: self.file.clone(),
            line,
            column: before.map_or(0, |text| text.chars().count()) + 1,
        }
    }
}

/// Reads the text of a scenario.
pub(super) fn parse(lines: &Lines) -> Result<BTreeMap<String, Node>> {
    match DeTable::parse(lines.text) {
        Ok(table) => Ok(table_of(table.into_inner(), &|at| lines.place(at))),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            let message = format!("this is not TOML: {}", describe(lines.text, &span, &error));
            Err(Error::input(message).at(lines.place(span.start)))
        }
    }
}

/// What the reader objects to, with what stands there when it does not say so itself.
fn describe(text: &str, span: &std::ops::Range<usize>, error: &toml::de::Error) -> String {
    let message = error.message().trim_end();
    let rest = text.get(span.start..).unwrap_or_default();
    let found = text.get(span.clone()).unwrap_or_default();
    let found = if found.is_empty() {
        rest.lines().next().unwrap_or_default()
    } else {
        found.lines().next().unwrap_or_default()
    };
    let found: String = found.chars().take(40).collect();
    match found.trim_end() {
        "" if rest.is_empty() => format!("{message}; found the end of the file"),
        "" => format!("{message}; found the end of the line"),
        found => format!("{message}; found `{}`", found.escape_debug()),
    }
}

/// Reads one value of a command line: TOML where it is that, else the text as it stands.
pub(super) fn parse_value(text: &str, place: &Place) -> Node {
    let value = match DeValue::parse(text) {
        Ok(value) => value_of(value.into_inner(), &|_| place.clone()),
        Err(_) => Value::Text(text.to_owned()),
    };
    Node {
        value,
        place: place.clone(),
    }
}

fn table_of(table: DeTable, place: &dyn Fn(usize) -> Place) -> BTreeMap<String, Node> {
    let field = |(name, value): (toml::Spanned<toml::de::DeString>, toml::Spanned<DeValue>)| {
        let node = Node {
            place: place(name.span().start),
            value: value_of(value.into_inner(), place),
        };
        (name.into_inner().into_owned(), node)
    };
    table.into_iter().map(field).collect()
}

fn value_of(value: DeValue, place: &dyn Fn(usize) -> Place) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Number(decimal_text(&number)),
        DeValue::Float(number) => Value::Number(unsigned(number.as_str())),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            let item = |item: toml::Spanned<DeValue>| Node {
                place: place(item.span().start),
                value: value_of(item.into_inner(), place),
            };
            Value::Array(items.into_iter().map(item).collect())
        }
        DeValue::Table(table) => Value::Table(table_of(table, place)),
    }
}

/// An integer in decimal digits, whatever base it was written in.
fn decimal_text(number: &DeInteger) -> String {
    match u128::from_str_radix(number.as_str(), number.radix()) {
        Ok(value) => value.to_string(),
        Err(_) => unsigned(&number.to_string()),
    }
}

/// A number without a plus sign, which says nothing.
fn unsigned(text: &str) -> String {
    text.strip_prefix('+').unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BTreeMap<String, Node>> {
        parse(&Lines::new("s.toml".into(), text))
    }

    #[test]
    fn numbers_keep_their_digits_and_everything_knows_its_line_and_column() {
        let tree = read("\"é\" = 1\nrate = 0.10\n[[traffic]]\n  big = 0x1_0\n").unwrap();
        assert_eq!(tree["rate"].value.describe(), "0.10");
        assert_eq!(tree["rate"].place.to_string(), "s.toml:2:1");
        let Value::Array(traffic) = &tree["traffic"].value else {
            panic!("a list of tables");
        };
        assert_eq!(traffic[0].place.to_string(), "s.toml:3:1");
        let Value::Table(block) = &traffic[0].value else {
            panic!("a table");
        };
        assert_eq!(block["big"].value.describe(), "16");
        assert_eq!(block["big"].place.to_string(), "s.toml:4:3");
    }

    #[test]
    fn what_is_not_toml_is_shown_with_its_place() {
        for (text, place) in [
            ("a = 1\nb = = 2\n", "s.toml:2:5: "),
            ("a = 1\na = 2\n", "s.toml:2:1: "),
            ("\"é\" = \"x\n", "s.toml:1:"),
            ("[[traffic\n", "s.toml:1:"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.starts_with(place), "{text}: {message}");
            assert!(message.contains("found"), "{text}: {message}");
        }
    }

    #[test]
    fn a_value_on_the_command_line_is_toml_or_plain_text() {
        let place = Place::Flag("--set x".into());
        for (text, shown) in [
            ("200/s", "\"200/s\""),
            ("\"200/s\"", "\"200/s\""),
            ("7", "7"),
            ("true", "true"),
            ("5m", "\"5m\""),
            ("[1, 2]", "a list"),
            ("{ count = 3 }", "a table"),
            ("", "\"\""),
        ] {
            assert_eq!(parse_value(text, &place).value.describe(), shown, "{text}");
        }
    }
}
