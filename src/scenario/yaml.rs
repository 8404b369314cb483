//! A rules file's text as a tree of values that know their places.
//!
//! What is read is YAML 1.2 with its core schema, less what a list of rules has no use for: anchors,
//! aliases, tags, keys that are no plain texts, and further documents. They are refused, since a reader
//! that skipped them would take the file for something else than its author does. Numbers keep their
//! text, as in [`tree`](super::tree).

use crate::error::{Error, Place, Result};
use crate::params::{Node, Value};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How deep lists and tables may lie in each other: more than any rule needs, and no stack is used up.
const DEEPEST: usize = 16;

/// Reads the text of the file; `None` where nothing stands in it.
pub(super) fn parse(file: &Arc<str>, text: &str) -> Result<Option<Node>> {
    // A mark of the byte order is no part of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder {
        open: Vec::new(),
        root: None,
    };
    for step in Parser::new_from_str(text) {
        let (event, span) = step.map_err(|error| {
            let place = place(file, *error.marker());
            Error::input(format!("this is not YAML: {}", error.info())).at(place)
        })?;
        builder.take(event, place(file, span.start))?;
    }
    Ok(builder.root)
}

fn place(file: &Arc<str>, mark: Marker) -> Place {
    Place::File {
        file: file.clone(),
        line: mark.line().max(1),
        column: mark.col() + 1,
    }
}

/// A list or table that has not ended, with where it begins.
struct Open {
    place: Place,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Table {
        fields: BTreeMap<String, Node>,
        /// The name whose value comes next.
        name: Option<(String, Place)>,
    },
}

struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
}

impl Builder {
    fn take(&mut self, event: Event, place: Place) -> Result<()> {
        let refused = |message: &str| Err(Error::input(message).at(place.clone()));
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_none() => Ok(()),
            Event::DocumentStart(_) => {
                refused("a second document begins here (`---`); a rules file is one document")
            }
            Event::Alias(_) => refused("found an alias (`*`); write out what it stands for"),
            Event::Scalar(_, _, 1.., _)
            | Event::SequenceStart(1.., _)
            | Event::MappingStart(1.., _) => {
                refused("found an anchor (`&`); write values out where they are needed")
            }
            Event::Scalar(.., Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => refused(
                "found a tag (`!`); texts stand in quotes or as they are, numbers without quotes",
            ),
            Event::Scalar(text, style, _, None) => self.scalar(&text, style, place),
            Event::SequenceStart(_, None) => self.begin(Content::List(Vec::new()), place),
            Event::MappingStart(_, None) => {
                let (fields, name) = (BTreeMap::new(), None);
                self.begin(Content::Table { fields, name }, place)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { place, content }) = self.open.pop() else {
                    return Ok(());
                };
                let value = match content {
                    Content::List(items) => Value::Array(items),
                    Content::Table { fields, .. } => Value::Table(fields),
                };
                self.put(value, place)
            }
        }
    }

    fn begin(&mut self, content: Content, place: Place) -> Result<()> {
        self.check_name(&place, "a list or a table")?;
        if self.open.len() == DEEPEST {
            let message =
                "lists and tables lie too deep in each other; rules need only a few levels";
            return Err(Error::input(message).at(place));
        }
        self.open.push(Open { place, content });
        Ok(())
    }

    /// Refuses what stands where a field's name must.
    fn check_name(&self, place: &Place, found: &str) -> Result<()> {
        let awaits_name = |open: &Open| matches!(open.content, Content::Table { name: None, .. });
        if !self.open.last().is_some_and(awaits_name) {
            return Ok(());
        }
        let message = format!("found {found} where a field's name is expected, such as `limit:`");
        Err(Error::input(message).at(place.clone()))
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, place: Place) -> Result<()> {
        if let Some(Open {
            content:
                Content::Table {
                    fields,
                    name: name @ None,
                },
            ..
        }) = self.open.last_mut()
        {
            if text.is_empty() {
                let message = "a field's name is empty; expected one such as `limit:`";
                return Err(Error::input(message).at(place));
            }
            if let Some(first) = fields.get(text) {
                let line = match &first.place {
                    Place::File { line, .. } => *line,
                    Place::Flag(_) => 0,
                };
                let message = format!("{text}: is given twice; it stands in line {line} already");
                return Err(Error::input(message).at(place));
            }
            *name = Some((text.to_owned(), place));
            return Ok(());
        }
        let Some(value) = value_of(text, style) else {
            if self.open.is_empty() {
                return Ok(());
            }
            let (what, place) = match self.open.last_mut().map(|open| &mut open.content) {
                Some(Content::Table {
                    name: Some((name, at)),
                    ..
                }) => (name.clone(), at.clone()),
                _ => ("an item".to_owned(), place),
            };
            return Err(Error::input(format!("{what}: has no value")).at(place));
        };
        self.put(value, place)
    }

    /// Puts a value into what is open.
    fn put(&mut self, value: Value, place: Place) -> Result<()> {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(Node { value, place }),
            Some(Content::List(items)) => items.push(Node { value, place }),
            Some(Content::Table { fields, name }) => {
                let (name, place) = name.take().expect("names come before values");
                fields.insert(name, Node { value, place });
            }
        }
        Ok(())
    }
}

/// A scalar by the core schema; `None` for nothing.
fn value_of(text: &str, style: ScalarStyle) -> Option<Value> {
    if style != ScalarStyle::Plain {
        return Some(Value::Text(text.to_owned()));
    }
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => return None,
        "true" | "True" | "TRUE" => Value::Flag(true),
        "false" | "False" | "FALSE" => Value::Flag(false),
        _ => match number(text) {
            Some(number) => Value::Number(number),
            None => Value::Text(text.to_owned()),
        },
    })
}

/// A number in decimal digits where the text is one.
fn number(text: &str) -> Option<String> {
    let in_base = |digits: &str, base| {
        let number = u128::from_str_radix(digits, base).ok();
        number
            .filter(|_| !digits.starts_with('+'))
            .map(|number| number.to_string())
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return in_base(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return in_base(digits, 8);
    }
    // What begins with a digit, sign or point and reads as a float is a number of the core schema, but
    // for the names of what is no number, which Rust knows too.
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let is_number = has_digit && is_plain && text.parse::<f64>().is_ok();
    is_number.then(|| text.strip_prefix('+').unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Option<Node>> {
        parse(&"r.yaml".into(), text)
    }

    /// The tree as one line: values in brackets with their lines and columns.
    fn shown(node: &Node) -> String {
        let place = node.place.to_string();
        let place = place.trim_start_matches("r.yaml:");
        match &node.value {
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(shown).collect();
                format!("[{}]@{place}", items.join(" "))
            }
            Value::Table(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, node)| format!("{name}={}", shown(node)));
                format!("{{{}}}@{place}", fields.collect::<Vec<_>>().join(" "))
            }
            value => format!("{}@{place}", value.describe()),
        }
    }

    #[test]
    fn a_list_of_rules_is_a_tree_whose_fields_know_their_lines() {
        let text = "rules:\n- endpoint: /api/posts\n  limit: 5\n  window: 60s\n\
                    - endpoint: \"/api/login\"\n  limit: 0x0A\n  default: true\n  key: [user, 'ip']\n";
        assert_eq!(
            shown(&read(text).unwrap().unwrap()),
            "{rules=[{endpoint=\"/api/posts\"@2:3 limit=5@3:3 window=\"60s\"@4:3}@2:3 \
             {default=true@7:3 endpoint=\"/api/login\"@5:3 \
             key=[\"user\"@8:9 \"ip\"@8:15]@8:3 limit=10@6:3}@5:3]@1:1}@1:1"
        );
    }

    /// The core schema of YAML 1.2.2, chapter 10.3.2.
    #[test]
    fn plain_texts_are_numbers_and_flags_where_the_core_schema_says_so() {
        for (text, value) in [
            ("5", "5"),
            ("+5", "5"),
            ("-1", "-1"),
            ("0.5", "0.5"),
            ("1e3", "1e3"),
            ("0o17", "15"),
            ("0x1F", "31"),
            ("\"5\"", "\"5\""),
            ("'5'", "\"5\""),
            ("5/1m", "\"5/1m\""),
            ("60s", "\"60s\""),
            ("1_000", "\"1_000\""),
            ("1,000", "\"1,000\""),
            ("yes", "\"yes\""),
            ("off", "\"off\""),
            ("True", "true"),
            ("e", "\"e\""),
            ("inf", "\"inf\""),
            ("0xZZ", "\"0xZZ\""),
            ("1:30", "\"1:30\""),
            ("2026-01-01", "\"2026-01-01\""),
        ] {
            let tree = read(&format!("a: {text}\n"));
            let Some(Node {
                value: Value::Table(fields),
                ..
            }) = tree.unwrap()
            else {
                panic!("{text}: a table");
            };
            assert_eq!(fields["a"].value.describe(), value, "{text}");
        }
    }

    #[test]
    fn what_rules_have_no_use_for_is_refused_with_its_place() {
        for (text, message) in [
            (
                "a: 1\nb: 2\na: 3\n",
                "r.yaml:3:1: a: is given twice; it stands in line 1 already",
            ),
            ("a: &x 1\n", "r.yaml:1:4: found an anchor"),
            (
                "a: *x\n",
                "r.yaml:1:4: this is not YAML: while parsing node, found unknown anchor",
            ),
            ("a: !!str 5\n", "r.yaml:1:4: found a tag"),
            (
                "a: 1\n---\nb: 2\n",
                "r.yaml:2:1: a second document begins here",
            ),
            (
                "a: 1\n? [x]\n: 2\n",
                "r.yaml:2:3: found a list or a table where a field's name",
            ),
            ("rules:\n- limit:\n", "r.yaml:2:3: limit: has no value"),
            ("rules:\n-\n", "r.yaml:2:2: an item: has no value"),
            (
                "rules:\n\t- limit: 5\n",
                "r.yaml:2:2: this is not YAML: tabs disallowed",
            ),
            (
                "rules:\n- limit: 5\n   window: 60s\n",
                "r.yaml:3:10: this is not YAML: mapping values are not allowed",
            ),
            (
                "a: \"x\nb: 1\n",
                "r.yaml:1:4: this is not YAML: invalid indentation in quoted scalar",
            ),
            (
                "a: [1, 2\n",
                "r.yaml:2:1: this is not YAML: while parsing a flow sequence",
            ),
            (
                &"[".repeat(100),
                "r.yaml:1:17: lists and tables lie too deep",
            ),
        ] {
            let found = read(text).unwrap_err().to_string();
            assert!(found.starts_with(message), "{text:?}: {found}");
        }
        for text in ["", "\n\n", "# nothing\n", "---\n", "\u{feff}"] {
            let tree = read(text);
            let is_nothing = tree.as_ref().map_or(true, Option::is_none);
            assert!(is_nothing, "{text:?}: {tree:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_crashes_the_reader(
            text in "([-:?,\\[\\]{}#&*!|>'\"%@` \t\na-c0-9]|rules:|limit: |- ){0,60}",
            any in "\\PC{0,80}",
        ) {
            let _ = read(&text);
            let _ = read(&any);
        }
    }
}
