//! Shares of a limit: what one of several limiters enforces.

use super::parse::parse_decimal;
use super::{Cost, Limit, Rate, UnitError};
use std::fmt;
use std::str::FromStr;

/// Which part of a limit a limiter enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// All of it.
    Whole,
    /// One of several parts that make up the whole: rates are divided evenly, and of a count that does
    /// not divide, the first parts get one more each.
    Part {
        /// Which of the parts, from 0.
        index: u64,
        /// How many parts there are, at least 1.
        of: u64,
    },
    /// A fraction; counts are rounded down.
    Fraction {
        /// Numerator, at most the denominator.
        parts: u64,
        /// Denominator, at least 1.
        of: u64,
    },
}

impl Share {
    /// This share of a count.
    pub fn count(self, whole: Cost) -> Cost {
        match self {
            Self::Whole => whole,
            Self::Part { index, of } => whole / of + u64::from(index < whole % of),
            Self::Fraction { parts, of } => {
                let share = u128::from(whole) * u128::from(parts) / u128::from(of);
                u64::try_from(share).expect("a fraction is no more than the whole")
            }
        }
    }

    /// This share of a rate; `None` when it is too fine to be kept exactly.
    pub fn rate(self, whole: Rate) -> Option<Rate> {
        let (parts, of) = match self {
            Self::Whole => return Some(whole),
            Self::Part { of, .. } => (1, of),
            Self::Fraction { parts, of } => (parts, of),
        };
        let units = u128::from(whole.units()) * u128::from(parts);
        Rate::new(units, whole.nanos().checked_mul(of.into())?)
    }

    /// This share of a limit's count in the same window.
    pub fn limit(self, whole: Limit) -> Limit {
        Limit {
            units: self.count(whole.units),
            ..whole
        }
    }
}

impl FromStr for Share {
    type Err = UnitError;

    /// Reads a fraction from 0 to 1 such as `0.1` or `1/3`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        // As far as decimals reach: 18 places.
        let whole = |text: &str| {
            let count = text.trim().parse::<u64>().ok();
            count.filter(|count| *count <= 10u64.pow(18))
        };
        let fraction = match text.split_once('/') {
            Some((parts, of)) => whole(parts).zip(whole(of)),
            None => parse_decimal(text).ok().and_then(|(digits, places)| {
                let parts = u64::try_from(digits).ok()?;
                Some((parts, 10u64.pow(places)))
            }),
        };
        let (parts, of) = fraction
            .filter(|(parts, of)| parts <= of && *of > 0)
            .ok_or_else(|| {
                UnitError(format!(
                    "`{text}` is not a share from 0 to 1, such as 0.1 or \"1/3\""
                ))
            })?;
        let divisor = num_integer::gcd(parts, of);
        Ok(Self::Fraction {
            parts: parts / divisor,
            of: of / divisor,
        })
    }
}

impl fmt::Display for Share {
    /// The share as a reduced fraction, `1/10`; `1` for the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("1"),
            Self::Part { of, .. } => write!(f, "1/{of}"),
            Self::Fraction { parts, of } => write!(f, "{parts}/{of}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read_exactly_and_written_reduced() {
        for (text, written) in [
            ("0.1", "1/10"),
            ("0.250", "1/4"),
            ("2/6", "1/3"),
            ("1", "1/1"),
            ("0", "0/1"),
            ("0.000000000000000001", "1/1000000000000000000"),
        ] {
            let share: Share = text.parse().unwrap();
            assert_eq!(share.to_string(), written);
            assert_eq!(written.parse::<Share>().unwrap(), share);
        }
        for text in ["", "1.1", "3/2", "0/0", "-0.1", "1/-3", "1e-1", "nan", "1/"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }

    #[test]
    fn parts_make_up_the_whole() {
        for (whole, of) in [(5, 2), (100, 10), (3, 7), (0, 4)] {
            let part = |index| Share::Part { index, of }.count(whole);
            assert_eq!((0..of).map(part).sum::<u64>(), whole);
            assert!(part(0) - part(of - 1) <= 1);
        }
    }

    #[test]
    fn shares_of_rates_are_exact() {
        let rate: Rate = "10/1s".parse().unwrap();
        let third = Share::Part { index: 2, of: 3 }.rate(rate).unwrap();
        assert_eq!(third, "10/3s".parse().unwrap());
        let tenth = Share::Fraction { parts: 1, of: 10 };
        assert_eq!(tenth.rate(rate).unwrap(), "1/1s".parse().unwrap());
        assert_eq!(tenth.count(105), 10);
    }
}
