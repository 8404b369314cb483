//! CSV traces with a header: which columns are read, and one line as a record.
//!
//! A field may stand in double quotes, a quote within written twice (RFC 4180), but does not go on
//! in the next line: a quote that does not end is one malformed line, and not the rest of the file.

use super::Record;
use super::time::{Clock, digits, excerpt, trim};
use crate::error::Result;
use crate::params::{FromValue, Params, Value, unknown};
use crate::units::Cost;
use memchr::memchr;
use std::borrow::Cow;
use std::ops::Range;

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
        let mut cells = Vec::new();
        split(header.as_bytes(), delimiter, &mut cells)
            .map_err(|reason| params.error("file", format!("{shown}:1: the header: {reason}")))?;
        let names = cells.iter().map(|cell| cell.of(header.as_bytes()));
        let names: Vec<_> = names
            .map(|name| String::from_utf8_lossy(&name).into_owned())
            .collect();
        let header: Vec<&str> = names.iter().map(|name| name.trim()).collect();
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

    /// Reads one line; the error says what is wrong with it. `cells` is room to work in.
    pub(super) fn parse<'a>(
        &self,
        line: &'a [u8],
        clock: &mut Clock,
        cells: &mut Vec<Cell>,
    ) -> std::result::Result<Record<'a>, String> {
        split(line, self.delimiter, cells)?;
        let count = cells.len();
        let missing =
            |index: usize| format!("field {} is missing; the line has {count}", index + 1);
        let cell = |index: usize| {
            let cell = cells.get(index).ok_or_else(|| missing(index))?;
            Ok::<_, String>(cell.of(line))
        };
        let at = clock.time(&cell(self.time)?)?;
        let mut cost = None;
        for index in &self.cost {
            cost = Some(add(cost.unwrap_or(0), &cell(*index)?)?);
        }
        let own = |index: Option<usize>| index.map(cell).transpose();
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
    let names: Vec<_> = header
        .iter()
        .take(20)
        .map(|name| excerpt(name.as_bytes()))
        .collect();
    names.join(", ")
}

/// The sum of a cost and one more column.
fn add(sum: Cost, text: &[u8]) -> std::result::Result<Cost, String> {
    let text = trim(text);
    digits(text)
        .and_then(|cost| sum.checked_add(cost))
        .filter(|sum| *sum <= crate::workload::MAX_COST)
        .ok_or_else(|| {
            format!(
                "{} is not a cost: a whole number up to 2^63 − 1",
                excerpt(text)
            )
        })
}

/// Where a field's text stands in its line.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    place: Range<usize>,
    /// Whether quotes are doubled in it.
    doubled: bool,
}

impl Cell {
    fn of<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let text = &line[self.place.clone()];
        if !self.doubled {
            return Cow::Borrowed(text);
        }
        let mut single = Vec::with_capacity(text.len());
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            single.push(*byte);
            if *byte == b'"' {
                bytes.next();
            }
        }
        Cow::Owned(single)
    }
}

/// Finds the fields of a line.
fn split(
    line: &[u8],
    delimiter: u8,
    cells: &mut Vec<Cell>,
) -> std::result::Result<(), &'static str> {
    cells.clear();
    let mut begin = 0;
    loop {
        let (cell, end) = if line.get(begin) == Some(&b'"') {
            let cell = quoted(line, begin + 1).ok_or("a quote does not end")?;
            let end = cell.place.end + 1;
            (cell, end)
        } else {
            let length = memchr(delimiter, &line[begin..]);
            let end = length.map_or(line.len(), |length| begin + length);
            let cell = Cell {
                place: begin..end,
                doubled: false,
            };
            (cell, end)
        };
        cells.push(cell);
        match line.get(end) {
            None => return Ok(()),
            Some(byte) if *byte == delimiter => begin = end + 1,
            Some(_) => return Err("something follows a closing quote"),
        }
    }
}

/// The field from `begin`, behind a quote, up to the closing one.
fn quoted(line: &[u8], begin: usize) -> Option<Cell> {
    let mut doubled = false;
    let mut from = begin;
    loop {
        let end = from + memchr(b'"', &line[from..])?;
        if line.get(end + 1) != Some(&b'"') {
            return Some(Cell {
                place: begin..end,
                doubled,
            });
        }
        doubled = true;
        from = end + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(line: &str, delimiter: u8) -> std::result::Result<Vec<String>, &'static str> {
        let mut cells = Vec::new();
        super::split(line.as_bytes(), delimiter, &mut cells)?;
        let texts = cells.iter().map(|cell| cell.of(line.as_bytes()));
        Ok(texts
            .map(|text| String::from_utf8(text.into_owned()).unwrap())
            .collect())
    }

    fn add(sum: Cost, text: &str) -> std::result::Result<Cost, String> {
        super::add(sum, text.as_bytes())
    }

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
                let _ = columns.parse(line.as_bytes(), &mut Clock::default(), &mut Vec::new());
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
