//! The one list of measures: `summary.csv`, the terminal table and the documentation derive from it.

mod around;
mod clients;
mod list;

pub use list::METRICS;

use super::{CandidateResult, Measure, RunResult};
use crate::units::{Nanos, SimTime, decimal};
use std::fmt;

/// One measure of a candidate.
pub struct Metric {
    /// Its column in `summary.csv`.
    pub column: &'static str,
    /// Its heading in the terminal table; empty where the table leaves it out.
    pub heading: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// The measure that it is taken with; `None` for what is always counted.
    pub measure: Option<Measure>,
    /// Its value for one candidate of a run that took the measure.
    read: fn(&CandidateResult, &RunResult) -> Reading,
}

impl Metric {
    /// Its value for one candidate of a run, absent where it was not measured.
    pub fn reading(&self, candidate: &CandidateResult, run: &RunResult) -> Reading {
        if self.measure.is_none_or(|measure| run.measures.has(measure)) {
            (self.read)(candidate, run)
        } else {
            Reading::Absent
        }
    }
}

/// A measured value, exact, in the form that files show.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A name.
    Text(String),
    /// A whole number of requests, cost units or keys.
    Count(u128),
    /// A number of bytes.
    Bytes(u128),
    /// A ratio: numerator and denominator; anything over nothing is absent.
    Ratio(u128, u128),
    /// A mean number of bytes, as a ratio.
    MeanBytes(u128, u128),
    /// A ratio of a part to its whole.
    Share(u128, u128),
    /// A mean number per request: their sum, and the requests.
    PerRequest(u128, u128),
    /// A statistic that is no ratio of counts.
    Real(f64),
    /// A length of time; [`Nanos::FOREVER`] is `inf`.
    Time(Nanos),
    /// Not measured here.
    Absent,
}

impl Reading {
    /// Ratios are written to this many decimals, rounded half up.
    const PLACES: u32 = 6;
}

impl fmt::Display for Reading {
    /// The value as `summary.csv` shows it; absent values are empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) | Self::Bytes(count) => write!(f, "{count}"),
            Self::Ratio(_, 0)
            | Self::MeanBytes(_, 0)
            | Self::Share(_, 0)
            | Self::PerRequest(_, 0)
            | Self::Absent => Ok(()),
            Self::Ratio(parts, whole)
            | Self::MeanBytes(parts, whole)
            | Self::Share(parts, whole)
            | Self::PerRequest(parts, whole) => f.write_str(&ratio(*parts, *whole, Self::PLACES)),
            Self::Real(value) => write!(f, "{value:.6}"),
            Self::Time(Nanos::FOREVER) => f.write_str("inf"),
            Self::Time(time) => f.write_str(&decimal(u128::from(time.get()), 9)),
        }
    }
}

/// `parts / whole` as a decimal with up to `places` digits, rounded half up.
fn ratio(parts: u128, whole: u128, places: u32) -> String {
    let scale = 10u128.pow(places);
    let (units, rest) = (parts / whole, parts % whole);
    // The rest is below the denominator; where scaling it would overflow, both lose digits that
    // are far below the last one shown.
    let shift = if rest.leading_zeros() < 32 { 32 } else { 0 };
    let (rest, whole) = (rest >> shift, (whole >> shift).max(1));
    decimal(units * scale + (rest * scale + whole / 2) / whole, places)
}

impl CandidateResult {
    /// When the first request was refused.
    pub fn first_denied(&self) -> Option<SimTime> {
        self.per_key.iter().filter_map(|key| key.first_denied).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_rounded_half_up_at_the_sixth_decimal() {
        for (parts, whole, written) in [
            (1, 3, "0.333333"),
            (2, 3, "0.666667"),
            (10, 5, "2"),
            (1, 2_000_000, "0.000001"),
            (u128::MAX / 3, u128::MAX, "0.333333"),
        ] {
            assert_eq!(Reading::Ratio(parts, whole).to_string(), written);
        }
        assert_eq!(Reading::Ratio(0, 0).to_string(), "");
    }
}
