//! How quantities are read: durations, clock times, limits, rates and decimals, all exactly.

use super::text::unit_nanos;
use super::{Epoch, Limit, Nanos, Rate};
use std::fmt;
use std::str::FromStr;

/// Why a text is not the quantity it should be; the message says what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(pub String);

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnitError {}

fn fail<T>(message: impl Into<String>) -> Result<T, UnitError> {
    Err(UnitError(message.into()))
}

/// An unsigned decimal such as `0.5` as (digits, number of decimals): 0.5 is (5, 1).
pub(super) fn parse_decimal(text: &str) -> Result<(u128, u32), UnitError> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(rest) || text.ends_with('.') {
        return fail(format!("`{text}` is not a number such as 10 or 0.5"));
    }
    let rest = rest.trim_end_matches('0');
    if rest.len() > 18 || whole.len() > 20 {
        return fail(format!("`{text}` has too many digits"));
    }
    let digits = format!("{whole}{rest}").parse();
    let places = u32::try_from(rest.len()).expect("at most 18");
    digits
        .map(|digits| (digits, places))
        .or_else(|_| fail(format!("`{text}` is too large")))
}

/// `digits / 10^places` seconds as whole nanoseconds, `None` when they are not whole or too many.
fn scale(digits: u128, places: u32, unit: u64) -> Option<u64> {
    let nanos = digits.checked_mul(u128::from(unit))?;
    let scale = 10u128.pow(places);
    (nanos % scale == 0)
        .then(|| u64::try_from(nanos / scale).ok())
        .flatten()
}

/// Decimal seconds, such as a trace's time column, as whole nanoseconds. Digits beyond the ninth
/// decimal are cut off: they lie below the clock's resolution.
///
/// ```
/// assert_eq!(ratesim::units::parse_decimal_seconds("1.25").unwrap(), 1_250_000_000);
/// ```
pub fn parse_decimal_seconds(text: &str) -> Result<u128, UnitError> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 20 || !all_digits(whole) || !all_digits(rest) {
        return fail(format!("`{text}` is not a decimal number of seconds"));
    }
    let seconds: u128 = whole
        .parse()
        .map_err(|_| UnitError(format!("`{text}` is too large")))?;
    let nanos = format!("{:0<9}", &rest[..rest.len().min(9)]);
    Ok(seconds * 1_000_000_000 + nanos.parse::<u128>().expect("nine digits"))
}

impl FromStr for Nanos {
    type Err = UnitError;

    /// Reads `250ms`, `1m30s`, `1.5s`, `1d`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        const EXPECTED: &str =
            "a duration such as \"250ms\", \"1m30s\" or \"1d\" (ns us ms s m h d w)";
        if text.is_empty() {
            return fail(format!("an empty text is not {EXPECTED}"));
        }
        if text.starts_with('-') {
            return fail(format!("`{text}` is negative; expected {EXPECTED}"));
        }
        let mut total = 0u64;
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest
                .find(|c: char| !(c.is_ascii_digit() || c == '.'))
                .unwrap_or(rest.len());
            let letters = rest[digits..]
                .find(|c: char| !c.is_ascii_alphabetic() && c != 'µ')
                .map_or(rest.len(), |length| digits + length);
            let (number, name) = (&rest[..digits], &rest[digits..letters]);
            if number.is_empty() || name.is_empty() {
                return fail(format!("`{text}` is not {EXPECTED}"));
            }
            let unit = unit_nanos(if name == "µs" { "us" } else { name }).ok_or_else(|| {
                UnitError(format!("`{name}` is no unit of time; expected {EXPECTED}"))
            })?;
            let (digits, places) = parse_decimal(number)?;
            let part = scale(digits, places, unit).ok_or_else(|| {
                UnitError(format!(
                    "`{text}` is not a whole number of nanoseconds below 584 years"
                ))
            })?;
            total = total
                .checked_add(part)
                .filter(|total| *total < u64::MAX)
                .ok_or_else(|| UnitError(format!("`{text}` is longer than 584 years")))?;
            rest = &rest[letters..];
        }
        Ok(Self(total))
    }
}

/// A clock time such as `1:00:01` or `0:00:55.5` as a length since midnight.
pub fn parse_clock_time(text: &str) -> Result<Nanos, UnitError> {
    let wrong = || {
        UnitError(format!(
            "`{text}` is not a clock time such as \"1:00:01\" (h:mm:ss)"
        ))
    };
    let mut parts = text.split(':');
    let (Some(hours), Some(minutes), Some(seconds), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(wrong());
    };
    let hours: u64 = hours.parse().map_err(|_| wrong())?;
    let minutes: u64 = minutes.parse().map_err(|_| wrong())?;
    let (digits, places) = parse_decimal(seconds).map_err(|_| wrong())?;
    let seconds = scale(digits, places, super::NANOS_PER_SECOND).ok_or_else(wrong)?;
    if hours > 1_000_000 || minutes > 59 || seconds >= 60 * super::NANOS_PER_SECOND {
        return Err(wrong());
    }
    Ok(Nanos(
        (hours * 3_600 + minutes * 60) * super::NANOS_PER_SECOND + seconds,
    ))
}

/// The parts of `n/w`, where w may be a bare unit (`10/s`) and absent means per second.
fn parse_ratio(text: &str) -> Result<(u128, u32, Nanos), UnitError> {
    let (count, window) = text.split_once('/').unwrap_or((text, "1s"));
    let (count, window) = (count.trim(), window.trim());
    if count.starts_with('-') {
        return fail(format!("`{text}` is negative"));
    }
    let (digits, places) = parse_decimal(count).map_err(|UnitError(reason)| {
        UnitError(format!("{reason}; write 5 per minute as \"5/1m\""))
    })?;
    let bare_unit = window.starts_with(|c: char| c.is_ascii_alphabetic() || c == 'µ');
    let window: Nanos = if bare_unit {
        format!("1{window}").parse()
    } else {
        window.parse()
    }?;
    if window == Nanos::ZERO {
        return fail(format!("`{text}` has a window of no length"));
    }
    if window > Limit::MAX_WINDOW {
        return fail(format!("`{text}` has a window longer than 366 days"));
    }
    Ok((digits, places, window))
}

impl FromStr for Rate {
    type Err = UnitError;

    /// Reads `10/s`, `0.5/s`, `1000/h`, `1/3s`; a plain number is per second.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (digits, places, window) = parse_ratio(text)?;
        if digits / 10u128.pow(places) > u128::from(Limit::MAX_UNITS) {
            return fail(format!("`{text}` is above 10^12 units"));
        }
        let nanos = u128::from(window.get()).checked_mul(10u128.pow(places));
        nanos
            .and_then(|nanos| Self::new(digits, nanos))
            .ok_or_else(|| {
                UnitError(format!(
                    "`{text}` has too many digits to be computed exactly"
                ))
            })
    }
}

impl FromStr for Limit {
    type Err = UnitError;

    /// Reads `5/1m`, `10/s`, `1000/h`. A count that is not whole is brought to whole units over a
    /// longer window of the same rate: `0.5/s` is `1/2s`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (digits, places, window) = parse_ratio(text)?;
        let scale = 10u128.pow(places);
        let factor = scale / num_integer::gcd(digits, scale);
        let units = digits * factor / scale;
        let window = u128::from(window.get()) * factor;
        if units > u128::from(Self::MAX_UNITS) {
            return fail(format!("`{text}` is above 10^12 units"));
        }
        if window > u128::from(Self::MAX_WINDOW.get()) {
            return fail(format!(
                "`{text}` needs a window longer than 366 days to be whole"
            ));
        }
        let units = u64::try_from(units).expect("checked above");
        Ok(Self {
            units,
            window: Nanos::from_wide(window),
        })
    }
}

impl FromStr for Epoch {
    type Err = UnitError;

    /// Reads an RFC 3339 time such as `2026-01-01T00:00:00Z`, from 1970 on.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let timestamp: jiff::Timestamp = text.parse().map_err(|_| {
            UnitError(format!(
                "`{text}` is not a time such as \"2026-01-01T00:00:00Z\" (RFC 3339)"
            ))
        })?;
        u64::try_from(timestamp.as_nanosecond())
            .map(Self)
            .or_else(|_| fail(format!("`{text}` is not between 1970 and 2554")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_and_write_the_same() {
        for (text, nanos, written) in [
            ("250ms", 250_000_000, "250ms"),
            ("1m30s", 90_000_000_000, "1m30s"),
            ("1.5s", 1_500_000_000, "1s500ms"),
            ("1w", 604_800_000_000_000, "7d"),
            ("0s", 0, "0s"),
            ("7ns", 7, "7ns"),
        ] {
            let parsed: Nanos = text.parse().unwrap();
            assert_eq!(parsed.get(), nanos, "{text}");
            assert_eq!(parsed.to_string(), written);
        }
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "1x",
            "1.0000000001s",
            "600000000000000w",
            "1 s",
        ] {
            assert!(text.parse::<Nanos>().is_err(), "{text}");
        }
    }

    #[test]
    fn rates_are_exact_ratios() {
        for (text, units, nanos) in [
            ("0.5/s", 1, 2_000_000_000),
            ("10", 1, 100_000_000),
            ("5/1m", 1, 12_000_000_000),
            ("0.1/s", 1, 10_000_000_000),
            ("3/s", 3, 1_000_000_000),
            ("1/3s", 1, 3_000_000_000),
            ("0/s", 0, 1),
            // More than 10^12 a second is written over a shorter time.
            ("5000/1ns", 5_000, 1),
            ("1000000000000/1ns", 1_000_000_000_000, 1),
            ("999999999999.123456/1ns", 15_624_999_999_986_304, 15_625),
            ("999999999999.5/7ns", 1_999_999_999_999, 14),
            ("0.000000001/366d", 1, 31_622_400_000_000_000_000_000_000),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!((rate.units(), rate.nanos()), (units, nanos), "{text}");
            assert_eq!(
                rate.to_string().parse::<Rate>().unwrap(),
                rate,
                "{text} as {rate}"
            );
        }
        for text in [
            "-1/s",
            "nan",
            "inf",
            "1e3/s",
            "1/0s",
            "5/",
            "/s",
            "1.000000000000000001/366d",
        ] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_whole_units_over_a_window() {
        let limit: Limit = "0.5/s".parse().unwrap();
        assert_eq!((limit.units, limit.window), (1, Nanos::from_secs(2)));
        assert_eq!("5/1m".parse::<Limit>().unwrap().to_string(), "5/1m");
        assert_eq!(
            "1000/h".parse::<Limit>().unwrap().window,
            Nanos::from_secs(3600)
        );
        assert!("5/400d".parse::<Limit>().is_err());
        assert!("1000000000001/s".parse::<Limit>().is_err());
    }

    #[test]
    fn clock_times_count_from_midnight() {
        assert_eq!(parse_clock_time("1:00:01").unwrap(), Nanos::from_secs(3601));
        assert_eq!(
            parse_clock_time("0:00:55.5").unwrap(),
            Nanos::from_millis(55_500)
        );
        assert!(parse_clock_time("1:60:00").is_err());
    }

    #[test]
    fn seconds_are_read_as_decimals_never_through_a_float() {
        assert_eq!(parse_decimal_seconds("0.1").unwrap(), 100_000_000);
        assert_eq!(
            parse_decimal_seconds("1700000000.123456789").unwrap(),
            1_700_000_000_123_456_789
        );
        assert!(parse_decimal_seconds("1e3").is_err());
        assert!(parse_decimal_seconds("-1").is_err());
    }
}
