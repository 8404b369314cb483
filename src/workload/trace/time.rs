//! The times that traces state, read exactly: dates, access-log times and plain numbers.
//!
//! A plain number is told apart by its size, since traces do not say what they count:
//!
//! | number | is |
//! |---|---|
//! | below 10^8 | seconds since the start |
//! | below 10^11 | Unix seconds (from 1973) |
//! | below 10^14 | Unix milliseconds |
//! | below 10^17 | Unix microseconds |
//! | from 10^17 | Unix nanoseconds |
//!
//! Decimals beyond the nanosecond are cut off. No float takes part.

use crate::units::NANOS_PER_SECOND;

/// When a record happened, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Since the start of the run.
    Since(u64),
    /// Since the Unix epoch.
    Unix(u64),
}

impl Stamp {
    /// Whether it is a date, and its nanoseconds.
    pub(super) fn parts(self) -> (bool, u64) {
        match self {
            Self::Since(nanos) => (false, nanos),
            Self::Unix(nanos) => (true, nanos),
        }
    }
}

/// A text as a message shows it: shortened, control characters escaped.
pub(super) fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

/// Reads the time column of a CSV trace: RFC 3339, also with a space for the `T` and without a zone
/// (UTC then), or a number as in the module's table.
pub(super) fn parse_time(text: &str) -> Result<Stamp, String> {
    let text = text.trim();
    let stamp = if text.as_bytes().get(4) == Some(&b'-') {
        parse_date(text).map(Stamp::Unix)
    } else {
        parse_number(text)
    };
    stamp.ok_or_else(|| {
        format!(
            "{} is not a time from 1970 to 2554 (RFC 3339, seconds since the start, or Unix s, \
             ms, us or ns)",
            excerpt(text)
        )
    })
}

/// Reads `10/Oct/2000:13:55:36 -0700`, as access logs write it.
pub(super) fn parse_log_time(text: &str) -> Result<Stamp, String> {
    read_log_time(text).map(Stamp::Unix).ok_or_else(|| {
        format!(
            "{} is not a time such as 10/Oct/2000:13:55:36 -0700",
            excerpt(text)
        )
    })
}

fn parse_number(text: &str) -> Option<Stamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || text.ends_with('.') || whole.len() > 20 || !all_digits(fraction) {
        return None;
    }
    let number = digits(whole.as_bytes())?;
    let (places, is_date) = match number {
        0..100_000_000 => (9, false),
        100_000_000..100_000_000_000 => (9, true),
        100_000_000_000..100_000_000_000_000 => (6, true),
        100_000_000_000_000..100_000_000_000_000_000 => (3, true),
        _ => (0, true),
    };
    let nanos = number
        .checked_mul(10u64.pow(places))?
        .checked_add(scaled(fraction, places as usize))
        .filter(|nanos| *nanos < u64::MAX)?;
    Some(if is_date {
        Stamp::Unix(nanos)
    } else {
        Stamp::Since(nanos)
    })
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A run of digits as a number; `None` for anything else, nothing included.
fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

/// The digits of a fraction as a count of units of the last of `places` decimals, the rest cut off.
fn scaled(fraction: &str, places: usize) -> u64 {
    let padded = fraction.bytes().chain(std::iter::repeat(b'0'));
    padded
        .take(places)
        .fold(0, |number, byte| number * 10 + u64::from(byte - b'0'))
}

/// Takes `length` digits from the front.
fn take(rest: &mut &[u8], length: usize) -> Option<u64> {
    let (front, back) = rest.split_at_checked(length)?;
    *rest = back;
    digits(front)
}

/// Takes one byte that must be among `allowed` from the front.
fn expect(rest: &mut &[u8], allowed: &[u8]) -> Option<u8> {
    let (first, back) = rest.split_first()?;
    *rest = back;
    allowed.contains(first).then_some(*first)
}

fn parse_date(text: &str) -> Option<u64> {
    let rest = &mut text.as_bytes();
    let year = take(rest, 4)?;
    expect(rest, b"-")?;
    let month = take(rest, 2)?;
    expect(rest, b"-")?;
    let day = take(rest, 2)?;
    expect(rest, b"Tt ")?;
    let seconds = days(year, month, day)?.checked_mul(86_400)? + take_clock(rest)?;
    let mut nanos = 0;
    if rest.first() == Some(&b'.') {
        let length = rest[1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let fraction = std::str::from_utf8(&rest[1..=length]).ok()?;
        if fraction.is_empty() {
            return None;
        }
        nanos = scaled(fraction, 9);
        *rest = &rest[1 + length..];
    }
    let west = match *rest {
        b"" | b"Z" | b"z" => 0,
        _ => {
            if rest.first() == Some(&b' ') {
                *rest = &rest[1..];
            }
            take_zone(rest)?
        }
    };
    unix_nanos(seconds, west, nanos)
}

fn read_log_time(text: &str) -> Option<u64> {
    const MONTHS: [&[u8]; 12] = [
        b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
        b"Dec",
    ];
    let rest = &mut text.as_bytes();
    let day = take(rest, 2)?;
    expect(rest, b"/")?;
    let (name, back) = rest.split_at_checked(3)?;
    *rest = back;
    let month = MONTHS.iter().position(|month| *month == name)? as u64 + 1;
    expect(rest, b"/")?;
    let year = take(rest, 4)?;
    expect(rest, b":")?;
    let seconds = days(year, month, day)?.checked_mul(86_400)? + take_clock(rest)?;
    expect(rest, b" ")?;
    let west = take_zone(rest)?;
    unix_nanos(seconds, west, 0)
}

/// Takes `hh:mm:ss` as seconds; a leap second counts as the first of the next minute.
fn take_clock(rest: &mut &[u8]) -> Option<u64> {
    let hours = take(rest, 2).filter(|hours| *hours < 24)?;
    expect(rest, b":")?;
    let minutes = take(rest, 2).filter(|minutes| *minutes < 60)?;
    expect(rest, b":")?;
    let seconds = take(rest, 2).filter(|seconds| *seconds <= 60)?;
    Some(hours * 3_600 + minutes * 60 + seconds)
}

/// Takes the rest as `+hh:mm`, `+hhmm` or `+hh`: the seconds by which the zone lies west of UTC.
fn take_zone(rest: &mut &[u8]) -> Option<i64> {
    let sign = expect(rest, b"+-")?;
    let hours = take(rest, 2).filter(|hours| *hours < 24)?;
    let minutes = if rest.is_empty() {
        0
    } else {
        if rest.first() == Some(&b':') {
            *rest = &rest[1..];
        }
        take(rest, 2).filter(|minutes| *minutes < 60)?
    };
    let seconds = i64::try_from(hours * 3_600 + minutes * 60).ok()?;
    rest.is_empty()
        .then_some(if sign == b'+' { -seconds } else { seconds })
}

fn unix_nanos(seconds: u64, west: i64, nanos: u64) -> Option<u64> {
    seconds
        .checked_add_signed(west)?
        .checked_mul(NANOS_PER_SECOND)?
        .checked_add(nanos)
        .filter(|nanos| *nanos < u64::MAX)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar; `None` for one that does not exist or
/// lies earlier.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let length = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1970 || day == 0 || day > length {
        return None;
    }
    // Years are taken to begin in March, so that the leap day is the last of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let before = year * 365 + year / 4 - year / 100 + year / 400;
    // 719,468 days lie between the March that begins year 0 and 1970-01-01.
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(text: &str) -> u64 {
        match parse_time(text) {
            Ok(Stamp::Unix(nanos)) => nanos / NANOS_PER_SECOND,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn numbers_are_told_apart_by_their_size() {
        for (text, stamp) in [
            ("0", Stamp::Since(0)),
            ("0.1", Stamp::Since(100_000_000)),
            ("99999999.9999999999", Stamp::Since(99_999_999_999_999_999)),
            ("100000000", Stamp::Unix(100_000_000_000_000_000)),
            (
                "1700000000.123456789",
                Stamp::Unix(1_700_000_000_123_456_789),
            ),
            ("1700000000123.5", Stamp::Unix(1_700_000_000_123_500_000)),
            (
                "1700000000123456.789",
                Stamp::Unix(1_700_000_000_123_456_789),
            ),
            (
                "1700000000123456789",
                Stamp::Unix(1_700_000_000_123_456_789),
            ),
        ] {
            assert_eq!(parse_time(text), Ok(stamp), "{text}");
        }
    }

    #[test]
    fn dates_are_read_with_and_without_a_zone() {
        // 2023-11-14T22:13:20Z is 1,700,000,000.
        for text in [
            "2023-11-14T22:13:20Z",
            "2023-11-14 22:13:20",
            "2023-11-14T22:13:20.000Z",
            "2023-11-15T00:13:20+02:00",
            "2023-11-14 14:43:20 -0730",
            "2023-11-14T22:13:20+00",
        ] {
            assert_eq!(seconds(text), 1_700_000_000, "{text}");
        }
        assert_eq!(
            parse_time("1970-01-01 00:00:00.1234567899"),
            Ok(Stamp::Unix(123_456_789))
        );
    }

    #[test]
    fn access_log_times_honour_their_zone() {
        // The example of the Apache documentation: 2000-10-10T20:55:36Z.
        assert_eq!(
            parse_log_time("10/Oct/2000:13:55:36 -0700"),
            Ok(Stamp::Unix(971_211_336 * NANOS_PER_SECOND))
        );
        for text in [
            "10/Okt/2000:13:55:36 -0700",
            "31/Apr/2000:13:55:36 +0000",
            "10/Oct/2000:13:55:36",
            "10/Oct/2000 13:55:36 +0000",
            "",
        ] {
            assert!(parse_log_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for text in [
            "",
            "-1",
            "1e9",
            "nan",
            "inf",
            "1.",
            ".5",
            "+5",
            "1_000",
            "2023-02-29 00:00:00",
            "2023-13-01 00:00:00",
            "1969-12-31 23:59:59",
            "2023-11-14",
            "2023-11-14T24:00:00Z",
            "2023-11-14T22:13:20.Z",
            "2023-11-14T22:13:20 UTC",
            "9999-01-01T00:00:00Z",
            "99999999999999999999",
        ] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn dates_agree_with_an_independent_calendar(seconds in 0i64..18_000_000_000, nanos in 0i32..1_000_000_000) {
            let timestamp = jiff::Timestamp::new(seconds, nanos).unwrap();
            let expected = u64::try_from(timestamp.as_nanosecond()).unwrap();
            prop_assert_eq!(parse_time(&timestamp.to_string()), Ok(Stamp::Unix(expected)));
        }

        #[test]
        fn no_text_crashes_the_reader(text in ".{0,40}", digits in "[0-9T:. Z+-]{0,40}") {
            for text in [text, digits] {
                let _ = parse_time(&text);
                let _ = parse_log_time(&text);
            }
        }
    }
}
