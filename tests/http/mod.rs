//! The HTTP answers of attempts, against values worked out by hand.
//!
//! An answer is written as status, `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset`, the
//! effective window `t` of `RateLimit`, and `Retry-After`; `-` is what is left out.

mod algorithms;
mod deployments;
mod lines;
mod policies;
mod rules;

use crate::ran::{Answers, Ran};
use ratesim::report::http;
use sfv::{BareItem, Item, List, ListEntry, Parser};
use std::collections::BTreeMap;

/// A field's value as a list of one item, by a parser that is not ours.
fn item(value: &str) -> Item {
    let list = Parser::new(value).parse::<List>();
    let mut list = list.unwrap_or_else(|error| panic!("{value}: {error}"));
    match (list.pop(), list.is_empty()) {
        (Some(ListEntry::Item(item)), true) => item,
        other => panic!("{value}: {other:?}"),
    }
}

/// An item's whole parameters by name.
fn parameters(item: &Item) -> BTreeMap<&str, i64> {
    let whole = |value: &BareItem| match value {
        BareItem::Integer(whole) => i64::from(*whole),
        other => panic!("{other:?}"),
    };
    let parameters = item.params.iter();
    parameters
        .map(|(key, value)| (key.as_str(), whole(value)))
        .collect()
}

/// The fields of an answer by name; no name comes twice.
fn fields(run: &Ran, answers: &Answers, index: usize) -> BTreeMap<&'static str, String> {
    let (_, record) = answers.each().nth(index).expect("as many answers");
    let mut found = BTreeMap::new();
    for field in http::fields(&run.result, answers.result, record) {
        let before = found.insert(field.name, field.value);
        assert_eq!(before, None, "{}", field.name);
    }
    found
}

/// The answers to all attempts at a candidate.
fn told(run: &Ran, name: &str) -> Vec<String> {
    let answers = run.of(name);
    let each = answers.each().enumerate();
    each.map(|(index, (_, record))| {
        let fields = fields(run, &answers, index);
        let status = http::status(record);
        let get = |name| fields.get(name).map_or("-", String::as_str);
        if fields.is_empty() {
            return format!("{status} nothing");
        }
        let service = item(&fields["RateLimit"]);
        let service = parameters(&service);
        assert_eq!(service["r"].to_string(), get("X-RateLimit-Remaining"));
        assert_eq!(get("Retry-After"), get("X-Ratelimit-Retry-After"));
        let t = service.get("t").map_or("-".to_owned(), i64::to_string);
        // What the draft asks for: who waits as told does not come within the effective window.
        if let (Ok(wait), Some(window)) = (get("Retry-After").parse::<i64>(), service.get("t")) {
            assert!(wait >= *window, "{fields:?}");
        }
        format!(
            "{status} {} {} {} {t} {}",
            get("X-RateLimit-Limit"),
            get("X-RateLimit-Remaining"),
            get("X-RateLimit-Reset"),
            get("Retry-After"),
        )
    })
    .collect()
}

/// Asserts what each of these candidates answered.
fn assert_told(run: &Ran, names: &[&str], expected: &[&str]) {
    for name in names {
        assert_eq!(told(run, name), expected, "{name}");
    }
}
