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
pub(super) fn excerpt(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let short: String = text.chars().take(40).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

/// The text without blanks around it.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    let is_bare = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    if is_bare(text.first()) && is_bare(text.last()) {
        return text;
    }
    std::str::from_utf8(text).map_or(text, |text| text.trim().as_bytes())
}

/// Length of `2000-10-10 13:55:36`.
const SECOND: usize = 19;
/// Length of `10/Oct/2000:13:55:36 -0700`.
const LOG_TIME: usize = 26;

/// Reads times; remembers the last one, since neighbours in a file mostly share their second.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// The last date and time of the day, and its seconds since the epoch.
    second: ([u8; SECOND], u64),
    /// The last time of an access log, and its nanoseconds since the epoch.
    log_time: ([u8; LOG_TIME], u64),
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            second: (*b"1970-01-01 00:00:00", 0),
            log_time: (*b"01/Jan/1970:00:00:00 +0000", 0),
        }
    }
}

impl Clock {
    /// Reads the time column of a CSV trace: RFC 3339, also with a space for the `T` and without a
    /// zone (UTC then), or a number as in the module's table.
    pub(super) fn time(&mut self, text: &[u8]) -> Result<Stamp, String> {
        let text = trim(text);
        let stamp = if text.get(4) == Some(&b'-') {
            self.date(text).map(Stamp::Unix)
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

    fn date(&mut self, text: &[u8]) -> Option<u64> {
        let (second, rest) = text.split_first_chunk()?;
        if self.second.0 != *second {
            self.second = (*second, parse_second(second)?);
        }
        parse_fraction_and_zone(self.second.1, rest)
    }

    /// Reads `10/Oct/2000:13:55:36 -0700`, as access logs write it.
    pub(super) fn log_time(&mut self, text: &[u8]) -> Result<Stamp, String> {
        if text != self.log_time.0 {
            let nanos = parse_log_time(text).ok_or_else(|| {
                format!(
                    "{} is not a time such as 10/Oct/2000:13:55:36 -0700",
                    excerpt(text)
                )
            })?;
            match text.try_into() {
                Ok(text) => self.log_time = (text, nanos),
                Err(_) => return Ok(Stamp::Unix(nanos)),
            }
        }
        Ok(Stamp::Unix(self.log_time.1))
    }
}

fn parse_number(text: &[u8]) -> Option<Stamp> {
    let point = text.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = match point {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &text[..0]),
    };
    if (point.is_some() && fraction.is_empty()) || whole.len() > 20 || !all_digits(fraction) {
        return None;
    }
    let number = digits(whole)?;
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

fn all_digits(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_digit)
}

/// A run of digits as a number; `None` for anything else, nothing included.
pub(super) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

/// The digits of a fraction as a count of units of the last of `places` decimals, the rest cut off.
fn scaled(fraction: &[u8], places: usize) -> u64 {
    let kept = &fraction[..fraction.len().min(places)];
    let number = kept
        .iter()
        .fold(0, |number, byte| number * 10 + u64::from(byte - b'0'));
    (kept.len()..places).fold(number, |number, _| number * 10)
}

/// Two digits as a number below 100.
fn two(text: [u8; 2]) -> Option<u64> {
    let [tens, ones] = text.map(|byte| byte.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| u64::from(tens) * 10 + u64::from(ones))
}

/// Reads `2000-10-10 13:55:36` as seconds since the epoch; between date and time may stand a `T`.
fn parse_second(text: &[u8; SECOND]) -> Option<u64> {
    let [date @ .., _, _, _, _, _, _, _, _, _] = text;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *date else {
        return None;
    };
    let [b'T' | b't' | b' ', clock @ ..] = text.last_chunk::<9>()? else {
        return None;
    };
    let year = two([y1, y2])? * 100 + two([y3, y4])?;
    let days = days(year, two([m1, m2])?, two([d1, d2])?)?;
    Some(days.checked_mul(86_400)? + parse_clock(clock)?)
}

/// Reads what follows the second of a date, `.979960+02:00`, as nanoseconds since the epoch.
fn parse_fraction_and_zone(second: u64, text: &[u8]) -> Option<u64> {
    let (nanos, zone) = match text {
        [b'.', rest @ ..] => {
            let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (fraction, zone) = rest.split_at(length);
            if fraction.is_empty() {
                return None;
            }
            (scaled(fraction, 9), zone)
        }
        _ => (0, text),
    };
    let west = match zone {
        b"" | b"Z" | b"z" => 0,
        [b' ', zone @ ..] | zone => parse_zone(zone)?,
    };
    unix_nanos(second, west, nanos)
}

fn parse_log_time(text: &[u8]) -> Option<u64> {
    const MONTHS: [&[u8]; 12] = [
        b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
        b"Dec",
    ];
    let (date, rest) = text.split_first_chunk::<12>()?;
    let [d1, d2, b'/', m1, m2, m3, b'/', y1, y2, y3, y4, b':'] = *date else {
        return None;
    };
    let (clock, zone) = rest.split_first_chunk()?;
    let name = [m1, m2, m3];
    let month = MONTHS.iter().position(|month| *month == name)? as u64 + 1;
    let year = two([y1, y2])? * 100 + two([y3, y4])?;
    let days = days(year, month, two([d1, d2])?)?;
    let seconds = days.checked_mul(86_400)? + parse_clock(clock)?;
    unix_nanos(seconds, parse_zone(zone.strip_prefix(b" ")?)?, 0)
}

/// Reads `hh:mm:ss` as seconds; a leap second counts as the first of the next minute.
fn parse_clock(text: &[u8; 8]) -> Option<u64> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *text else {
        return None;
    };
    let hours = two([h1, h2]).filter(|hours| *hours < 24)?;
    let minutes = two([m1, m2]).filter(|minutes| *minutes < 60)?;
    let seconds = two([s1, s2]).filter(|seconds| *seconds <= 60)?;
    Some(hours * 3_600 + minutes * 60 + seconds)
}

/// Reads `+hh:mm`, `+hhmm` or `+hh`: the seconds by which the zone lies west of UTC.
fn parse_zone(text: &[u8]) -> Option<i64> {
    let (sign, hours, minutes) = match *text {
        [sign, h1, h2, b':', m1, m2] | [sign, h1, h2, m1, m2] => (sign, [h1, h2], [m1, m2]),
        [sign, h1, h2] => (sign, [h1, h2], *b"00"),
        _ => return None,
    };
    let hours = two(hours).filter(|hours| *hours < 24)?;
    let minutes = two(minutes).filter(|minutes| *minutes < 60)?;
    let seconds = i64::try_from(hours * 3_600 + minutes * 60).ok()?;
    match sign {
        b'+' => Some(-seconds),
        b'-' => Some(seconds),
        _ => None,
    }
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

    fn parse_time(text: &str) -> Result<Stamp, String> {
        Clock::default().time(text.as_bytes())
    }

    fn parse_log_time(text: &str) -> Result<Stamp, String> {
        Clock::default().log_time(text.as_bytes())
    }

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
        fn what_was_read_before_changes_nothing(texts in prop::collection::vec(
            "(2023-11-1[45][T ]22:13:2[01](\\.5)?(Z|[+]0[12]|x)?)|(1[45]/Nov/2023:22:13:20 [+]0(1|2)(00)?)|\0{19}|\0{26}", 0..20)
        ) {
            let mut clock = Clock::default();
            for text in &texts {
                prop_assert_eq!(clock.time(text.as_bytes()), parse_time(text));
                prop_assert_eq!(clock.log_time(text.as_bytes()), parse_log_time(text));
            }
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
