//! Factors: what a length is multiplied by to grow.

use super::parse::parse_decimal;
use super::{Nanos, UnitError};
use std::fmt;
use std::str::FromStr;

/// A factor of at least 1, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    digits: u64,
    places: u32,
}

impl Factor {
    /// The greatest factor.
    const MOST: u64 = 1_000;
    /// The most decimals that one is stated with.
    const PLACES: u32 = 9;

    /// A whole factor, from 1 to 1,000.
    pub const fn whole(factor: u64) -> Self {
        Self {
            digits: factor,
            places: 0,
        }
    }

    /// A length times the factor, in whole nanoseconds, the rest cut off; one that does not fit the
    /// clock is [`Nanos::FOREVER`].
    pub fn times(self, length: Nanos) -> Nanos {
        let grown = u128::from(length.get()) * u128::from(self.digits);
        Nanos::from_wide(grown / 10u128.pow(self.places))
    }
}

impl FromStr for Factor {
    type Err = UnitError;

    /// Reads a decimal from 1 to 1000 such as `2` or `1.5`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (digits, places) = parse_decimal(text)?;
        let one = 10u128.pow(places);
        let fits = (one..=u128::from(Self::MOST) * one).contains(&digits);
        let digits = u64::try_from(digits).ok();
        match digits.filter(|_| fits && places <= Self::PLACES) {
            Some(digits) => Ok(Self { digits, places }),
            None => Err(UnitError(format!(
                "`{text}` is not a factor from 1 to {} with up to {} decimals, such as 2 or 1.5",
                Self::MOST,
                Self::PLACES
            ))),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::decimal(self.digits.into(), self.places))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_and_multiplied_exactly() {
        for (text, written, of_seven) in [("2", "2", 14), ("1.50", "1.5", 10), ("1", "1", 7)] {
            let factor: Factor = text.parse().unwrap();
            assert_eq!(factor.to_string(), written);
            assert_eq!(factor.times(Nanos::new(7)).get(), of_seven);
        }
        assert_eq!(
            Factor::whole(3).times(Nanos::new(1 << 63)),
            Nanos::FOREVER,
            "longer than the clock"
        );
        for text in ["0.5", "0", "1001", "-2", "1e3", "1.0000000001", ""] {
            assert!(text.parse::<Factor>().is_err(), "{text}");
        }
    }
}
