//! Which measures a run takes, and what they go by.

use crate::params::{FromValue, Value, unknown};

/// What decisions are judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reference {
    /// What the candidate itself forwarded.
    #[default]
    Forwarded,
    /// All that was offered, as one who counts every request does.
    Offered,
}

/// A group of measures that are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// False allows and false denies.
    Errors,
    /// The most forwarded in one window.
    Peak,
    /// The error of estimates.
    Estimate,
    /// Bytes of state, here and in Redis, and live keys.
    Memory,
    /// Waits.
    Delay,
    /// Amounts over time.
    Series,
    /// Counts by key.
    Keys,
}

impl Measure {
    /// All of them with their names and what they are.
    pub const ALL: [(Self, &'static str, &'static str); 7] = [
        (
            Self::Errors,
            "errors",
            "False allows and false denies against the exact reference",
        ),
        (
            Self::Peak,
            "peak",
            "The most forwarded in one window, and the overshoot",
        ),
        (
            Self::Estimate,
            "estimate",
            "How far an estimating algorithm's count lies from the true one",
        ),
        (
            Self::Memory,
            "memory",
            "Bytes of state, here and in Redis, and live keys",
        ),
        (Self::Delay, "delay", "Waits of admitted requests"),
        (Self::Series, "series", "Amounts over time: series.csv"),
        (
            Self::Keys,
            "keys",
            "Counts by key, fairness and the first denial: keys.csv",
        ),
    ];
}

/// A set of measures. Requests and answers are counted whatever it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection(u8);

impl Selection {
    /// Every measure.
    pub const ALL: Self = Self((1 << Measure::ALL.len()) - 1);
    /// Counts of requests and answers alone.
    pub const COUNTS: Self = Self(0);

    /// Whether it holds a measure.
    pub const fn has(self, measure: Measure) -> bool {
        self.0 & (1 << measure as u8) != 0
    }

    /// With one more measure.
    pub const fn with(self, measure: Measure) -> Self {
        Self(self.0 | 1 << measure as u8)
    }

    /// With the measures of this name; `all` and `counts` stand for themselves.
    fn with_named(self, name: &str) -> Result<Self, String> {
        match name {
            "all" => Ok(Self::ALL),
            "counts" => Ok(self),
            _ => {
                let known = Measure::ALL.iter().find(|(_, known, _)| *known == name);
                let (measure, ..) = known.ok_or_else(|| unknown(name, &Self::names()))?;
                Ok(self.with(*measure))
            }
        }
    }

    /// Every name that a scenario can state.
    pub fn names() -> Vec<&'static str> {
        let own = Measure::ALL.iter().map(|(_, name, _)| *name);
        ["all", "counts"].into_iter().chain(own).collect()
    }
}

impl FromValue for Selection {
    const EXPECTED: &'static str =
        "a list of measures such as [\"errors\", \"memory\"], or \"all\"";

    fn from_value(value: &Value) -> Result<Self, String> {
        let names = match value {
            Value::Array(_) => Vec::from_value(value)?,
            Value::Text(name) => vec![name.clone()],
            _ => {
                return Err(format!(
                    "found {}, expected {}",
                    value.describe(),
                    Self::EXPECTED
                ));
            }
        };
        names
            .iter()
            .try_fold(Self::COUNTS, |selection, name| selection.with_named(name))
    }

    fn to_toml(&self) -> toml::Value {
        let chosen = Measure::ALL
            .iter()
            .filter(|(measure, ..)| self.has(*measure))
            .map(|(_, name, _)| (*name).to_owned());
        match *self {
            Self::ALL => "all".into(),
            Self::COUNTS => "counts".into(),
            _ => chosen.collect::<Vec<_>>().into(),
        }
    }
}
