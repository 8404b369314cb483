//! How quantities are written: exact decimals, durations as people type them, limits and rates.

use super::{Epoch, Level, Limit, NANOS_PER_SECOND, Nanos, Rate, SimTime};
use std::fmt;

/// `value / 10^places` as a decimal without exponent and without trailing zeros.
///
/// ```
/// assert_eq!(ratesim::units::decimal(1_500_000_000, 9), "1.5");
/// assert_eq!(ratesim::units::decimal(1, 9), "0.000000001");
/// ```
pub fn decimal(value: u128, places: u32) -> String {
    let scale = 10u128.pow(places);
    let (whole, rest) = (value / scale, value % scale);
    if rest == 0 {
        return whole.to_string();
    }
    let digits = format!("{rest:0width$}", width = places as usize);
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

impl fmt::Display for SimTime {
    /// Decimal seconds since the beginning, exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal(u128::from(self.0), 9))
    }
}

/// The units a duration is written in, longest first.
const UNITS: [(&str, u64); 8] = [
    ("w", 604_800 * NANOS_PER_SECOND),
    ("d", 86_400 * NANOS_PER_SECOND),
    ("h", 3_600 * NANOS_PER_SECOND),
    ("m", 60 * NANOS_PER_SECOND),
    ("s", NANOS_PER_SECOND),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Nanoseconds in one of the unit named `name`.
pub(super) fn unit_nanos(name: &str) -> Option<u64> {
    UNITS
        .iter()
        .find(|(unit, _)| *unit == name)
        .map(|(_, nanos)| *nanos)
}

impl fmt::Display for Nanos {
    /// The duration as a scenario writes it, such as `1m30s`; `0s` for none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_forever() {
            return f.write_str("inf");
        }
        if self.0 == 0 {
            return f.write_str("0s");
        }
        // Weeks are read but not written: "7d" says more than "1w".
        let mut rest = self.0;
        for (name, nanos) in &UNITS[1..] {
            if rest >= *nanos {
                write!(f, "{}{name}", rest / nanos)?;
                rest %= nanos;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Limit {
    /// `5/1m`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.units, self.window)
    }
}

impl fmt::Display for Rate {
    /// The rate as a scenario writes it: per second where that is a short decimal, else as a ratio
    /// of units, with the fewest decimals that do, to a duration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = |places: u32| u128::from(Limit::MAX_UNITS) * 10u128.pow(places);
        let per_second = u128::from(self.units) * u128::from(NANOS_PER_SECOND);
        for places in 0..=3 {
            let scaled = per_second.checked_mul(10u128.pow(places));
            if let Some(scaled) = scaled.filter(|scaled| scaled % self.nanos == 0)
                && scaled / self.nanos <= most(places)
            {
                return write!(f, "{}/s", decimal(scaled / self.nanos, places));
            }
        }
        // A rate that was read as d decimals over a duration fits again at the latest with d decimals:
        // the duration found then divides the one that was read.
        for places in 0..=18 {
            let shared = num_integer::gcd(self.nanos, 10u128.pow(places));
            let units = u128::from(self.units) * (10u128.pow(places) / shared);
            let window = self.nanos / shared;
            if units <= most(places) && window <= u128::from(Limit::MAX_WINDOW.get()) {
                let window = Nanos::from_wide(window);
                return write!(f, "{}/{window}", decimal(units, places));
            }
        }
        write!(f, "{}/{} ns", self.units, self.nanos)
    }
}

impl fmt::Display for Epoch {
    /// RFC 3339 in UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_nanosecond(i128::from(self.0)) {
            Ok(timestamp) => write!(f, "{timestamp}"),
            Err(_) => write!(f, "{} ns after 1970", self.0),
        }
    }
}

impl fmt::Display for Level {
    /// The level as a decimal with up to six digits, cut off and not rounded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.parts / self.per_unit;
        let rest = self.parts % self.per_unit;
        let millionths = match rest.checked_mul(1_000_000) {
            Some(scaled) => scaled / self.per_unit,
            None => rest / (self.per_unit / 1_000_000),
        };
        f.write_str(&decimal(whole * 1_000_000 + millionths.min(999_999), 6))
    }
}
