//! CSV traces with a header: which columns are read, and one line as a record.
//!
//! A field may stand in double quotes, a quote within written twice (RFC 4180), but does not go on
//! in the next line: a quote that does not end is one malformed line, and not the rest of the file.

use super::Record;
use super::time::{excerpt, parse_time};
use crate::error::Result;
use crate::params::{FromValue, Params, Value, unknown};
use crate::units::Cost;
use std::borrow::Cow;

/// Where a CSV trace keeps what a record is made of: indices of columns.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    delimiter: u8,
    time: usize,
    key: Option<usize>,
    endpoint: Option<usize>,
    method: Option<usize>,
    /// Their sum is the cost.
    cost: Vec<usize>,
}

/// One column or several.
#[derive(Debug)]
struct Names(Vec<String>);

impl FromValue for Names {
    const EXPECTED: &'static str = "the name of a column, or a list of names to be summed";

    fn from_value(value: &Value) -> std::result::Result<Self, String> {
        let names = match value {
            Value::Array(_) => Vec::from_value(value)?,
            _ => vec![String::from_value(value)?],
        };
        if names.is_empty() {
            return Err(format!("found an empty list, expected {}", Self::EXPECTED));
        }
        Ok(Self(names))
    }

    fn to_toml(&self) -> toml::Value {
        match &self.0[..] {
            [name] => name.clone().into(),
            names => names.to_vec().to_toml(),
        }
    }
}

/// Reads `delimiter`.
pub(super) fn read_delimiter(params: &mut Params) -> Result<u8> {
    let text = params.or("delimiter", ",".to_owned())?;
    match text.as_bytes() {
        [byte] if byte.is_ascii() && !b"\"\r\n".contains(byte) => Ok(*byte),
        _ => Err(params.error(
            "delimiter",
            format!("found {text:?}, expected one character such as \",\", \";\" or \"\\t\""),
        )),
    }
}

impl Columns {
    /// Reads `fields` against the header; `shown` names the file in messages.
    pub(super) fn read(
        params: &mut Params,
        delimiter: u8,
        header: &str,
        shown: &str,
    ) -> Result<Self> {
        let header = split(header, delimiter)
            .map_err(|reason| params.error("file", format!("{shown}:1: the header: {reason}")))?;
        let header: Vec<&str> = header.iter().map(|name| name.trim()).collect();
        let mut fields = if params.has("fields") {
            let fields = params.table("fields");
            fields.ok_or_else(|| {
                params.error("fields", "must be a table such as { time = \"TIMESTAMP\" }")
            })?
        } else {
            Params::empty(params.name_of("fields"), params.place().clone())
        };
        let mut one = |name: &'static str| -> Result<Option<usize>> {
            match fields.optional::<String>(name)? {
                Some(column) => locate(&fields, name, &column, &header, shown).map(Some),
                None => Ok(by_default(&mut fields, name, &header)),
            }
        };
        let time = one("time")?;
        let (key, endpoint, method) = (one("key")?, one("endpoint")?, one("method")?);
        let cost = match fields.optional::<Names>("cost")? {
            Some(Names(names)) => names
                .iter()
                .map(|column| locate(&fields, "cost", column, &header, shown))
                .collect::<Result<_>>()?,
            None => by_default(&mut fields, "cost", &header)
                .into_iter()
                .collect(),
        };
        let Some(time) = time else {
            return Err(fields.error(
                "time",
                format!(
                    "{shown} has no column `time`; say which one it is by fields = {{ time = \
                     \"…\" }} (columns: {})",
                    list(&header)
                ),
            ));
        };
        params.resolve("fields", fields.finish()?.into());
        Ok(Self {
            delimiter,
            time,
            key,
            endpoint,
            method,
            cost,
        })
    }

    /// Whether records have keys of their own.
    pub(super) fn has_keys(&self) -> bool {
        self.key.is_some()
    }

    /// Whether records have costs of their own.
    pub(super) const fn has_costs(&self) -> bool {
        !self.cost.is_empty()
    }

    /// Reads one line; the error says what is wrong with it.
    pub(super) fn parse<'a>(&self, line: &'a str) -> std::result::Result<Record<'a>, String> {
        let cells = split(line, self.delimiter)?;
        let count = cells.len();
        let missing =
            |index: usize| format!("field {} is missing; the line has {count}", index + 1);
        let cell = |index: usize| cells.get(index).ok_or_else(|| missing(index));
        let at = parse_time(cell(self.time)?)?;
        let mut cost = None;
        for index in &self.cost {
            cost = Some(add(cost.unwrap_or(0), cell(*index)?)?);
        }
        let own = |index: Option<usize>| index.map(|index| cell(index).cloned()).transpose();
        let (key, endpoint, method) = (own(self.key)?, own(self.endpoint)?, own(self.method)?);
        Ok(Record {
            at,
            key,
            endpoint: endpoint.filter(|text| !text.is_empty()),
            method: method.filter(|text| !text.is_empty()),
            cost,
        })
    }
}

/// The column called `column`, which must be there.
fn locate(
    fields: &Params,
    name: &str,
    column: &str,
    header: &[&str],
    shown: &str,
) -> Result<usize> {
    header
        .iter()
        .position(|found| *found == column)
        .ok_or_else(|| {
            fields.error(
                name,
                format!("{shown} has no such column: {}", unknown(column, header)),
            )
        })
}

/// The column that has the field's own name, if there is one.
fn by_default(fields: &mut Params, name: &'static str, header: &[&str]) -> Option<usize> {
    let index = header.iter().position(|found| *found == name)?;
    fields.resolve(name, name.into());
    Some(index)
}

fn list(header: &[&str]) -> String {
    let names: Vec<_> = header.iter().take(20).map(|name| excerpt(name)).collect();
    names.join(", ")
}

/// The sum of a cost and one more column.
fn add(sum: Cost, text: &str) -> std::result::Result<Cost, String> {
    let text = text.trim();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let cost = text.parse::<Cost>().ok().filter(|_| is_number);
    cost.and_then(|cost| sum.checked_add(cost))
        .filter(|sum| *sum <= crate::workload::MAX_COST)
        .ok_or_else(|| {
            format!(
                "{} is not a cost: a whole number up to 2^63 − 1",
                excerpt(text)
            )
        })
}

/// The fields of a line.
fn split(line: &str, delimiter: u8) -> std::result::Result<Vec<Cow<'_, str>>, String> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let (cell, end) = match rest.strip_prefix('"') {
            Some(text) => {
                let (cell, length) = quoted(text).ok_or("a quote does not end")?;
                (cell, length + 1)
            }
            None => {
                let end = memchr::memchr(delimiter, rest.as_bytes()).unwrap_or(rest.len());
                (Cow::Borrowed(&rest[..end]), end)
            }
        };
        cells.push(cell);
        match rest.as_bytes().get(end) {
            None => return Ok(cells),
            // The delimiter is one ASCII byte, so the next one begins a character.
            Some(byte) if *byte == delimiter => rest = &rest[end + 1..],
            Some(_) => return Err("something follows a closing quote".to_owned()),
        }
    }
}

/// The text up to the closing quote, and its length with that quote.
fn quoted(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    let mut doubled = false;
    loop {
        let end = from + memchr::memchr(b'"', &bytes[from..])?;
        if bytes.get(end + 1) != Some(&b'"') {
            let cell = &text[..end];
            let cell = if doubled {
                Cow::Owned(cell.replace("\"\"", "\""))
            } else {
                Cow::Borrowed(cell)
            };
            return Some((cell, end + 1));
        }
        doubled = true;
        from = end + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_split_at_the_delimiter_outside_of_quotes() {
        for (line, delimiter, cells) in [
            ("a,b,c", b',', vec!["a", "b", "c"]),
            ("a;b,c;", b';', vec!["a", "b,c", ""]),
            (
                "\"a,b\",\"say \"\"hi\"\"\",\"\"",
                b',',
                vec!["a,b", "say \"hi\"", ""],
            ),
            ("a\tb c", b'\t', vec!["a", "b c"]),
            ("", b',', vec![""]),
            ("é,ü", b',', vec!["é", "ü"]),
        ] {
            assert_eq!(split(line, delimiter).unwrap(), cells, "{line}");
        }
        assert!(split("\"a,b", b',').is_err());
        assert!(split("\"a\"b,c", b',').is_err());
    }

    #[test]
    fn costs_are_whole_and_bounded() {
        assert_eq!(add(5, " 7 "), Ok(12));
        for text in ["", "-1", "+1", "1.5", "1e3", "9223372036854775808"] {
            assert!(add(0, text).is_err(), "{text}");
        }
        assert!(add(crate::workload::MAX_COST, "1").is_err());
    }

    proptest! {
        #[test]
        fn no_line_crashes_the_reader(line in "[\",;0-9a-é\u{1F600} ]{0,30}", any in ".{0,60}") {
            let columns = Columns {
                delimiter: b',',
                time: 0,
                key: Some(1),
                endpoint: Some(2),
                method: None,
                cost: vec![3, 4],
            };
            for line in [line, any] {
                let _ = columns.parse(&line);
            }
        }

        #[test]
        fn quoting_any_fields_and_splitting_gives_them_back(cells in prop::collection::vec("[a-c\", é]{0,6}", 1..5)) {
            let quoted: Vec<_> = cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            let line = quoted.join(",");
            prop_assert_eq!(split(&line, b',').unwrap(), cells);
        }
    }
}
