//! A table of named parameters with their places: how a scenario's tables are read.
//!
//! Whoever owns a table asks it for each field by name and type. The table remembers what was asked
//! and what was answered, defaults included, so that unknown fields are refused with the names that
//! are known, and the resolved table can be printed and read again.

use crate::error::{Error, Place, Result};
use crate::units::{Cost, Epoch, Limit, Nanos, Rate};
use std::collections::BTreeMap;

mod value;

pub use value::{FromValue, Moment, Node, Value};

/// One table of the input, read field by field.
#[derive(Clone, Debug)]
pub struct Params {
    /// How messages call this table: `traffic.0`; empty for the file itself.
    path: String,
    /// Where the table begins.
    place: Place,
    fields: BTreeMap<String, Node>,
    /// Names asked for so far, in order.
    known: Vec<&'static str>,
    resolved: toml::Table,
}

impl Params {
    /// A table at `place`, called `path` in messages.
    pub fn new(path: impl Into<String>, place: Place, fields: BTreeMap<String, Node>) -> Self {
        Self {
            path: path.into(),
            place,
            fields,
            known: Vec::new(),
            resolved: toml::Table::new(),
        }
    }

    /// A table with nothing in it, as if an algorithm were listed without parameters.
    pub fn empty(path: impl Into<String>, place: Place) -> Self {
        Self::new(path, place, BTreeMap::new())
    }

    /// How messages call the table.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where the table begins.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Whether the field was given.
    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// The field's full name in messages.
    pub fn name_of(&self, field: &str) -> String {
        if self.path.is_empty() {
            field.to_owned()
        } else {
            format!("{}.{field}", self.path)
        }
    }

    /// How a table of the list `field` is headed in a file: `[[deployment.outage]]`.
    fn header_of(&self, field: &str) -> String {
        let full = self.name_of(field);
        let is_name = |step: &&str| step.parse::<usize>().is_err();
        let names: Vec<&str> = full.split('.').filter(is_name).collect();
        format!("[[{}]]", names.join("."))
    }

    /// An error about the field `name`, at its place (or the table's when it is absent).
    pub fn error(&self, name: &str, message: impl std::fmt::Display) -> Error {
        let place = self
            .fields
            .get(name)
            .map_or(&self.place, |node| &node.place);
        Error::input(format!("{}: {message}", self.name_of(name))).at(place.clone())
    }

    fn known(&mut self, name: &'static str) {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
    }

    /// The raw field, with no record of what it resolves to; see [`Params::resolve`].
    pub fn raw(&mut self, name: &'static str) -> Option<Node> {
        self.known(name);
        self.fields.get(name).cloned()
    }

    /// Records what the field `name` resolves to.
    pub fn resolve(&mut self, name: &str, value: toml::Value) {
        self.resolved.insert(name.to_owned(), value);
    }

    /// The field `name`, if it was given.
    pub fn optional<T: FromValue>(&mut self, name: &'static str) -> Result<Option<T>> {
        let Some(node) = self.raw(name) else {
            return Ok(None);
        };
        let value = T::from_value(&node.value).map_err(|message| self.error(name, message))?;
        self.resolve(name, value.to_toml());
        Ok(Some(value))
    }

    /// The field `name`, or `default`.
    pub fn or<T: FromValue>(&mut self, name: &'static str, default: T) -> Result<T> {
        let value = self.optional(name)?.unwrap_or(default);
        self.resolve(name, value.to_toml());
        Ok(value)
    }

    /// The field `name`, which must be given. Where it is absent and a field of a similar name is
    /// there that nobody knows, that one is named as the error: it is a slip of the pen.
    pub fn required<T: FromValue>(&mut self, name: &'static str) -> Result<T> {
        if let Some(value) = self.optional(name)? {
            return Ok(value);
        }
        if let Some(slip) = self.slip(name) {
            return Err(slip);
        }
        Err(self.error(name, format!("is required: {}", T::EXPECTED)))
    }

    /// The error about a field that nobody knows and whose name is similar to that of the absent,
    /// required field `name`, if there is one.
    pub fn slip(&self, name: &str) -> Option<Error> {
        let strangers = self.fields.keys().map(String::as_str);
        let mut strangers = strangers.filter(|field| !self.known.contains(field));
        let slip = strangers.find(|field| is_close(field, name, 5))?;
        let message = format!("unknown field; did you mean `{name}`, which is required?");
        Some(self.error(slip, message))
    }

    /// The field `name` as one of `choices`; absent, it is `default`.
    pub fn choice(
        &mut self,
        name: &'static str,
        choices: &[&'static str],
        default: &'static str,
    ) -> Result<&'static str> {
        let text = self.or(name, default.to_owned())?;
        let found = choices.iter().find(|choice| **choice == text);
        found
            .copied()
            .ok_or_else(|| self.error(name, unknown(&text, choices)))
    }

    /// The field `name` as a whole number within `lowest..=highest`; absent, it is `default`.
    pub fn whole(
        &mut self,
        name: &'static str,
        lowest: u64,
        highest: u64,
        default: u64,
    ) -> Result<u64> {
        let value = self.or(name, default)?;
        if (lowest..=highest).contains(&value) {
            return Ok(value);
        }
        Err(self.error(
            name,
            format!("{value} is out of range; allowed: {lowest} to {highest}"),
        ))
    }

    /// The tables of the array `name`, each to be read in its turn; empty when absent.
    pub fn tables(&mut self, name: &'static str) -> Result<Vec<Params>> {
        let Some(node) = self.raw(name) else {
            return Ok(Vec::new());
        };
        let header = self.header_of(name);
        let Value::Array(items) = node.value else {
            let message = format!("must be a list of tables, written {header}");
            return Err(self.error(name, message));
        };
        let mut tables = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let path = format!("{}.{index}", self.name_of(name));
            let Value::Table(fields) = item.value else {
                return Err(self.error(name, format!("must hold tables, written {header}")));
            };
            tables.push(Self::new(path, item.place, fields));
        }
        Ok(tables)
    }

    /// The field `name` as a table of its own, if it was given as one.
    pub fn table(&mut self, name: &'static str) -> Option<Params> {
        let node = self.raw(name)?;
        let path = self.name_of(name);
        match node.value {
            Value::Table(fields) => Some(Self::new(path, node.place, fields)),
            _ => None,
        }
    }

    /// Takes over from another reading of this table which names are known, and what the fields that
    /// were given resolve to.
    pub fn learn(&mut self, read: &Self) {
        for name in &read.known {
            self.known(name);
        }
        for (name, value) in &read.resolved {
            if self.has(name) {
                self.resolve(name, value.clone());
            }
        }
    }

    /// Refuses fields that nobody asked for.
    pub fn check_known(&self) -> Result<()> {
        for name in self.fields.keys() {
            if !self.known.contains(&name.as_str()) {
                return Err(self.error(
                    name,
                    format!("unknown field; {}", unknown(name, &self.known)),
                ));
            }
        }
        Ok(())
    }

    /// Ends the reading: refuses fields that nobody asked for, and gives the resolved table.
    pub fn finish(self) -> Result<toml::Table> {
        self.check_known()?;
        Ok(self.resolved)
    }
}

/// "`tokn_bucket` is not known; did you mean `token_bucket`? Allowed: …".
pub fn unknown(found: &str, allowed: &[&str]) -> String {
    let closest = allowed
        .iter()
        .filter(|name| is_close(found, name, 3))
        .map(|name| (strsim::damerau_levenshtein(found, name), name))
        .min();
    let hint = closest.map_or(String::new(), |(_, name)| {
        format!("; did you mean `{name}`?")
    });
    format!(
        "`{found}` is not known{hint} (allowed: {})",
        allowed.join(", ")
    )
}

/// Whether `found` is likely a misspelt `name`: one slip, and one more for every `letters` of it.
fn is_close(found: &str, name: &str, letters: usize) -> bool {
    strsim::damerau_levenshtein(found, name) <= 1 + name.len() / letters
}

/// Checks a count against [`Limit::MAX_UNITS`]; absent, it is `default`.
pub fn count(params: &mut Params, name: &'static str, default: Cost) -> Result<Cost> {
    params.whole(name, 0, Limit::MAX_UNITS, default)
}

/// What a table's values are resolved against: the contract and the clock.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// The limit that every algorithm is asked to keep.
    pub limit: Limit,
    /// What the clock reads at time 0.
    pub epoch: Epoch,
    /// How far before the scenario's beginning the time 0 of algorithms lies: as far as any clock is
    /// behind, so that what clocks read is never negative.
    pub lead: Nanos,
    /// A time that no decision of the run lies behind; narrow integers suffice up to it.
    pub horizon: Nanos,
}

impl Contract {
    /// The limit's rate n/w, the default of every rate.
    pub fn rate(&self) -> Rate {
        self.limit.rate()
    }

    /// What the clock reads at the time 0 of algorithms, in nanoseconds since the Unix epoch.
    pub fn origin(&self) -> i128 {
        i128::from(self.epoch.unix_nanos()) - i128::from(self.lead.get())
    }

    /// How far into its clock window the time 0 of algorithms lies.
    pub fn phase(&self) -> Nanos {
        let window = self.limit.window.get();
        let phase = self.origin().rem_euclid(window.into());
        Nanos::new(u64::try_from(phase).expect("shorter than the window"))
    }
}
