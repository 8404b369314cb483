//! Laws of whole workloads, as a scenario's tables state them.

mod identity;
mod laws;
mod order;
mod reading;
mod records;
mod traces;

use super::pattern::{Pattern, Setting};
use super::random::{Purpose, WHOLE, generator};
use super::{Arrival, Request, Resolved, Workload};
use crate::catalog::TRAFFIC;
use crate::error::{Place, Result};
use crate::params::{Node, Params, Value};
use crate::units::{Epoch, Nanos, SimTime};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

fn node(value: toml::Value) -> Node {
    let value = match value {
        toml::Value::String(text) => Value::Text(text),
        toml::Value::Integer(number) => Value::Number(number.to_string()),
        toml::Value::Float(number) => Value::Number(format!("{number:?}")),
        toml::Value::Boolean(flag) => Value::Flag(flag),
        toml::Value::Datetime(date) => Value::Date(date.to_string()),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(node).collect()),
        toml::Value::Table(table) => Value::Table(nodes(table)),
    };
    Node {
        value,
        place: place(),
    }
}

fn nodes(table: toml::Table) -> BTreeMap<String, Node> {
    table
        .into_iter()
        .map(|(name, value)| (name, node(value)))
        .collect()
}

fn place() -> Place {
    Place::File {
        file: Arc::from("test.toml"),
        line: 1,
        column: 1,
    }
}

/// A table of these fields.
pub(super) fn params(text: &str) -> Params {
    let table = text.parse().expect("the test's TOML");
    Params::new("", place(), nodes(table))
}

/// Times from `from` to `until`, in nanoseconds, of a block of one key.
pub(super) fn setting(from: u64, until: u64) -> Setting {
    Setting {
        epoch: Epoch::default(),
        from: SimTime::from_nanos(from),
        until: Some(SimTime::from_nanos(until)),
        to: None,
        keys: 1,
    }
}

/// The instants of all of a pattern's requests, or of its first source; asserts their order and
/// times.
pub(super) fn made(pattern: &dyn Pattern, setting: &Setting, seed: u64) -> Vec<u64> {
    let all: Vec<u64> = pattern
        .instants(1.0, generator(seed, 0, WHOLE, Purpose::Instants))
        .collect();
    assert!(all.is_sorted());
    assert!(
        all.iter()
            .all(|at| setting.contains(SimTime::from_nanos(*at)))
    );
    assert!(pattern.last().map(SimTime::as_nanos) >= all.last().copied());
    all
}

/// Reads `[[traffic]]` blocks; `start`, `duration` and `limit` stand above them.
fn read_in(text: &str, base: &Path) -> Result<Resolved> {
    let mut table: toml::Table = text.parse().expect("the test's TOML");
    let blocks = table
        .remove("traffic")
        .unwrap_or_else(|| Vec::<i64>::new().into());
    let mut top = Params::new("", place(), nodes(table));
    let all = BTreeMap::from([("traffic".to_owned(), node(blocks))]);
    let request = Request {
        tables: Params::new("", place(), all).tables("traffic")?,
        rows: TRAFFIC,
        start: top.optional("start")?,
        limit: top.or("limit", "10/1m".parse().unwrap())?,
        base,
        duration: top.optional::<Nanos>("duration")?,
        memory: top.or("memory", 1_000_000_000)?,
        marked: top.or("marked", 1_000_000)?,
    };
    Workload::read(request)
}

fn read(text: &str) -> Result<Resolved> {
    read_in(text, Path::new("."))
}

fn workload(text: &str) -> Workload {
    read(text)
        .unwrap_or_else(|error| panic!("{error}"))
        .workload
}

/// What a wrong text is told.
fn message(text: &str) -> String {
    match read(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => {
            assert_eq!(error.exit_status(), 2);
            error.to_string()
        }
    }
}

/// All arrivals of a run, in the order of (slice, time, block, seq).
fn arrivals(workload: &Workload, seed: u64) -> Vec<Arrival> {
    let mut rounds = workload.rounds(seed);
    let mut all = Vec::new();
    let mut batch = Vec::new();
    while rounds.advance().unwrap_or_else(|error| panic!("{error}")) {
        let mut slice = Vec::new();
        for feed in rounds.feeds() {
            while feed.fill(&mut batch) {
                slice.extend_from_slice(&batch);
            }
        }
        slice.sort_by_key(|arrival| turn(workload, arrival));
        all.extend(slice);
    }
    all
}

fn turn(workload: &Workload, arrival: &Arrival) -> (u64, u16, u64) {
    let block = workload.marks()[arrival.mark.0 as usize].block;
    (arrival.at.as_nanos(), block, arrival.seq)
}

/// The instants in nanoseconds.
fn instants(text: &str) -> Vec<u64> {
    let all = arrivals(&workload(text), 0);
    all.iter().map(|arrival| arrival.at.as_nanos()).collect()
}
