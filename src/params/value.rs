//! Values of the input with their places, and how each type is read from them and written back.

use crate::error::Place;
use crate::units::{Epoch, Factor, Limit, Nanos, Offset, Rate, Share, parse_clock_time};
use std::collections::BTreeMap;
use std::str::FromStr;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it begins.
    pub place: Place,
}

/// A value as written; numbers keep their text, so that `0.1` is one tenth.
#[derive(Clone, Debug)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer or a decimal, as written, underscores removed.
    Number(String),
    /// true or false.
    Flag(bool),
    /// A TOML date or time, as written.
    Date(String),
    /// A list.
    Array(Vec<Node>),
    /// A table.
    Table(BTreeMap<String, Node>),
}

impl Value {
    /// The value as a message shows it.
    pub fn describe(&self) -> String {
        match self {
            Self::Text(text) => format!("\"{text}\""),
            Self::Number(text) | Self::Date(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
            Self::Array(_) => "a list".to_owned(),
            Self::Table(_) => "a table".to_owned(),
        }
    }
}

/// A type that a field can have.
pub trait FromValue: Sized {
    /// What a message says was expected.
    const EXPECTED: &'static str;

    /// Reads the value; the error says what was found and what is allowed.
    fn from_value(value: &Value) -> Result<Self, String>;

    /// The value as the resolved scenario writes it; reading it again gives the same.
    fn to_toml(&self) -> toml::Value;
}

fn mismatch<T: FromValue>(value: &Value) -> String {
    format!("found {}, expected {}", value.describe(), T::EXPECTED)
}

/// Reads a text by `FromStr`; numbers count as texts when `numbers` says so.
fn from_text<T>(value: &Value, numbers: bool) -> Result<T, String>
where
    T: FromValue + FromStr,
    T::Err: std::fmt::Display,
{
    match value {
        Value::Text(text) => text.parse().map_err(|error: T::Err| error.to_string()),
        Value::Number(text) if numbers => text.parse().map_err(|error: T::Err| error.to_string()),
        Value::Date(text) => text.parse().map_err(|error: T::Err| error.to_string()),
        _ => Err(mismatch::<T>(value)),
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "a text in quotes";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(mismatch::<Self>(value)),
        }
    }
    fn to_toml(&self) -> toml::Value {
        self.clone().into()
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Flag(flag) => Ok(*flag),
            _ => Err(mismatch::<Self>(value)),
        }
    }
    fn to_toml(&self) -> toml::Value {
        (*self).into()
    }
}

impl FromValue for u64 {
    const EXPECTED: &'static str = "a whole number that is not negative";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Number(text) => text.parse().map_err(|_| mismatch::<Self>(value)),
            _ => Err(mismatch::<Self>(value)),
        }
    }
    fn to_toml(&self) -> toml::Value {
        // TOML integers are signed; what does not fit is written as text by no caller of ours.
        i64::try_from(*self).map_or_else(|_| self.to_string().into(), Into::into)
    }
}

impl FromValue for f64 {
    const EXPECTED: &'static str = "a number that is not negative, such as 1.5";
    fn from_value(value: &Value) -> Result<Self, String> {
        let number = match value {
            Value::Number(text) => text.parse::<Self>().ok(),
            _ => None,
        };
        number
            .filter(|number| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| mismatch::<Self>(value))
    }
    fn to_toml(&self) -> toml::Value {
        // Whole numbers are written as such: 5, not 5.0.
        let text = self.to_string();
        text.parse::<i64>()
            .map_or_else(|_| (*self).into(), Into::into)
    }
}

impl FromValue for Nanos {
    const EXPECTED: &'static str = "a duration such as \"250ms\", \"1m30s\" or \"1d\"";
    fn from_value(value: &Value) -> Result<Self, String> {
        from_text(value, false)
    }
    fn to_toml(&self) -> toml::Value {
        self.to_string().into()
    }
}

impl FromValue for Rate {
    const EXPECTED: &'static str = "a rate such as \"10/s\", \"0.5/s\" or \"1000/h\"";
    fn from_value(value: &Value) -> Result<Self, String> {
        from_text(value, true)
    }
    fn to_toml(&self) -> toml::Value {
        self.to_string().into()
    }
}

impl FromValue for Limit {
    const EXPECTED: &'static str = "a limit such as \"5/1m\" or \"10/s\"";
    fn from_value(value: &Value) -> Result<Self, String> {
        from_text(value, true)
    }
    fn to_toml(&self) -> toml::Value {
        self.to_string().into()
    }
}

impl FromValue for Offset {
    const EXPECTED: &'static str =
        "a duration, with a minus sign where it is behind, such as \"-10s\"";
    fn from_value(value: &Value) -> Result<Self, String> {
        from_text(value, false)
    }
    fn to_toml(&self) -> toml::Value {
        self.to_string().into()
    }
}

impl FromValue for Share {
    const EXPECTED: &'static str = "a share from 0 to 1, such as 0.1 or \"1/3\"";
    fn from_value(value: &Value) -> Result<Self, String> {
        from_text(value, true)
    }
    fn to_toml(&self) -> toml::Value {
        self.to_string().into()
    }
}

impl FromValue for Factor {
    const EXPECTED: &'static str = "a factor from 1 to 1000, such as 2 or 1.5";
    fn from_value(value: &Value) -> Result<Self, String> {
        from_text(value, true)
    }
    fn to_toml(&self) -> toml::Value {
        self.to_string().into()
    }
}

impl FromValue for Epoch {
    const EXPECTED: &'static str = "a time such as \"2026-01-01T00:00:00Z\"";
    fn from_value(value: &Value) -> Result<Self, String> {
        from_text(value, false)
    }
    fn to_toml(&self) -> toml::Value {
        self.to_string().into()
    }
}

/// A moment of the scenario: a duration since its start, or a clock time of its first day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// This long after the start.
    Since(Nanos),
    /// When the clock reads this, counted from the midnight before the start.
    Clock(Nanos),
}

impl Moment {
    /// The moment as a length since the start; `None` when the clock time lies before it.
    pub fn since_start(self, epoch: Epoch) -> Option<Nanos> {
        match self {
            Self::Since(length) => Some(length),
            Self::Clock(clock) => clock
                .get()
                .checked_sub(epoch.time_of_day().get())
                .map(Nanos::new),
        }
    }
}

impl FromValue for Moment {
    const EXPECTED: &'static str =
        "a duration since the start such as \"55s\", or a clock time such as \"0:00:55\"";
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text.contains(':') => parse_clock_time(text)
                .map(Self::Clock)
                .map_err(|error| error.to_string()),
            Value::Text(text) => text
                .parse()
                .map(Self::Since)
                .map_err(|error: crate::units::UnitError| error.to_string()),
            // TOML reads an unquoted 01:00:01 as a local time.
            Value::Date(text) if text.contains(':') && !text.contains('-') => {
                parse_clock_time(text)
                    .map(Self::Clock)
                    .map_err(|error| error.to_string())
            }
            _ => Err(mismatch::<Self>(value)),
        }
    }
    fn to_toml(&self) -> toml::Value {
        match self {
            Self::Since(length) => length.to_string().into(),
            // Written with seconds since midnight, which is what was read.
            Self::Clock(clock) => {
                let seconds = clock.get() / crate::units::NANOS_PER_SECOND;
                let nanos = clock.get() % crate::units::NANOS_PER_SECOND;
                let fraction = crate::units::decimal(u128::from(nanos), 9);
                let fraction = fraction.trim_start_matches('0');
                format!(
                    "{}:{:02}:{:02}{fraction}",
                    seconds / 3600,
                    seconds / 60 % 60,
                    seconds % 60
                )
                .into()
            }
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    const EXPECTED: &'static str = "a list";
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Array(items) = value else {
            return Err(mismatch::<Self>(value));
        };
        items
            .iter()
            .map(|item| T::from_value(&item.value))
            .collect()
    }
    fn to_toml(&self) -> toml::Value {
        self.iter()
            .map(FromValue::to_toml)
            .collect::<Vec<_>>()
            .into()
    }
}
