//! Text that people read: names made safe, amounts, durations and clock times.

use crate::measure::{Reading, RunResult};
use crate::units::{Limit, NANOS_PER_SECOND, Nanos, SimTime, decimal};

/// A text from the input with everything that a terminal would act on made visible: control
/// characters and those that reverse or hide text.
pub fn visible(text: &str) -> String {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if !text.contains(acts) {
        return text.to_owned();
    }
    let show = |c: char| {
        if acts(c) {
            format!("\\u{{{:x}}}", c as u32)
        } else {
            c.to_string()
        }
    };
    text.chars().map(show).collect()
}

/// A text from the input as a table cell: visible, and not a formula to a spreadsheet, which takes
/// what begins with `=`, `+`, `-` or `@` for one. Such a cell gets a leading apostrophe.
pub fn cell(text: &str) -> String {
    let shown = visible(text);
    if shown.starts_with(['=', '+', '-', '@']) {
        format!("'{shown}")
    } else {
        shown
    }
}

/// A whole number with its thousands parted: `1,234,567`.
pub fn grouped(value: u128) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An amount of memory: `88 B`, `1.5 kB`, `3.2 MB` (powers of ten).
pub fn bytes(value: u128) -> String {
    let (unit, name) = match value {
        0..1_000 => return format!("{value} B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        1_000_000_000..1_000_000_000_000 => (1_000_000_000, "GB"),
        _ => (1_000_000_000_000, "TB"),
    };
    format!("{} {name}", short_ratio(value, unit))
}

/// A ratio with one decimal: `2.0`.
fn short_ratio(parts: u128, whole: u128) -> String {
    let tenths = rounded(parts, whole, 10);
    format!("{}.{}", grouped(tenths / 10), tenths % 10)
}

/// A multiple of the limit: one decimal, and two or three where fewer would hide that it is over.
pub fn multiple(parts: u128, whole: u128) -> String {
    if rounded(parts, whole, 10) * whole == parts * 10 || parts >= 2 * whole {
        return short_ratio(parts, whole);
    }
    let hundredths = rounded(parts, whole, 100);
    if hundredths == 100 && parts > whole {
        let thousandths = rounded(parts, whole, 1_000);
        return format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
    }
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// How `peak` stands to a limit that it is above: `2.0 × the limit`.
pub fn above(peak: u128, limit: u64) -> String {
    let units = u128::from(limit);
    match units {
        0 => "the limit is 0".to_owned(),
        // Rounded, it would read as a kept promise.
        _ if rounded(peak, units, 1_000) <= 1_000 => {
            format!("{} above the limit", grouped(peak - units))
        }
        _ => format!("{} × the limit", multiple(peak, units)),
    }
}

/// A share in per cent: `0 %`, `4.0 %`, `0.0029 %`, `<0.0001 %`, `100 %`.
pub fn percent(parts: u128, whole: u128) -> String {
    if whole == 0 {
        return String::new();
    }
    let tenths = rounded(parts, whole, 1_000);
    match (parts, tenths) {
        (0, _) => "0 %".to_owned(),
        (_, 0 | 1) if parts < whole / 1_000 => small_percent(parts, whole),
        (_, 1_000) if parts < whole => ">99.9 %".to_owned(),
        (_, 1_000) => "100 %".to_owned(),
        _ => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// A share below a tenth of a per cent, to two digits.
fn small_percent(parts: u128, whole: u128) -> String {
    (3..=5u32)
        .map(|places| (places, rounded(parts, whole, 100 * 10u128.pow(places))))
        .find(|(_, digits)| *digits >= 10)
        .map_or("<0.0001 %".to_owned(), |(places, digits)| {
            format!("0.{digits:0width$} %", width = places as usize)
        })
}

fn rounded(parts: u128, whole: u128, scale: u128) -> u128 {
    let (units, rest) = (parts / whole, parts % whole);
    let scaled = rest
        .checked_mul(scale)
        .map_or(rest / (whole / scale).max(1), |scaled| {
            (scaled + whole / 2) / whole
        });
    units * scale + scaled
}

/// A duration as people say it, in at most two units: `44 s`, `1.5 s`, `2 min 5 s`, `62.3 days`.
pub fn duration(length: Nanos) -> String {
    const UNITS: [(u64, &str); 7] = [
        (86_400 * NANOS_PER_SECOND, "days"),
        (3_600 * NANOS_PER_SECOND, "h"),
        (60 * NANOS_PER_SECOND, "min"),
        (NANOS_PER_SECOND, "s"),
        (1_000_000, "ms"),
        (1_000, "µs"),
        (1, "ns"),
    ];
    if length.is_forever() {
        return "for ever".to_owned();
    }
    let nanos = length.get();
    let Some(index) = UNITS.iter().position(|(unit, _)| nanos >= *unit) else {
        return "0 s".to_owned();
    };
    let (unit, name) = UNITS[index];
    let one = |name| if name == "days" { "day" } else { name };
    if nanos == unit {
        return format!("1 {}", one(name));
    }
    if let Some((next, next_name)) = UNITS
        .get(index + 1)
        .filter(|(next, _)| *next >= NANOS_PER_SECOND)
        && !nanos.is_multiple_of(unit)
        && (nanos % unit).is_multiple_of(*next)
    {
        let name = if nanos / unit == 1 { one(name) } else { name };
        let (whole, rest) = (nanos / unit, nanos % unit / next);
        return format!("{whole} {name} {rest} {next_name}");
    }
    let hundredths = (u128::from(nanos) * 100 + u128::from(unit) / 2) / u128::from(unit);
    format!("{} {name}", decimal(hundredths, 2))
}

/// A reading as tables show it: rounded, with its unit.
pub fn reading(reading: &Reading) -> String {
    match reading {
        Reading::Text(text) => visible(text),
        Reading::Count(count) => grouped(*count),
        Reading::Bytes(count) => bytes(*count),
        Reading::Ratio(_, 0)
        | Reading::MeanBytes(_, 0)
        | Reading::Share(_, 0)
        | Reading::PerRequest(_, 0)
        | Reading::Absent => "–".to_owned(),
        Reading::Ratio(parts, whole) => format!("{} ×", multiple(*parts, *whole)),
        Reading::MeanBytes(parts, whole) => bytes((parts + whole / 2) / whole),
        Reading::Share(parts, whole) => percent(*parts, *whole),
        Reading::PerRequest(sum, requests) => multiple(*sum, *requests),
        Reading::Real(value) => format!("{value:.2}"),
        Reading::Time(time) => duration(*time),
    }
}

/// What requests are held against: `a limit of 5 per minute`, `3 rules`; `1 to 3 rules` where candidates
/// go by more or fewer.
pub fn bounds(run: &RunResult) -> String {
    let rules = run.candidates.iter().filter_map(|c| c.rules.as_ref());
    let counts = rules.map(|rules| rules.first().rules.len());
    match (counts.clone().min(), counts.max()) {
        (Some(1), Some(1)) => "1 rule".to_owned(),
        (Some(least), Some(most)) if least + 1 == most => format!("{least} or {most} rules"),
        (Some(least), Some(most)) if least < most => format!("{least} to {most} rules"),
        (Some(count), _) => format!("{count} rules"),
        (None, _) => format!("a limit of {}", limit(run.limit)),
    }
}

/// A limit in words: `5 per minute`, `100 per 10 s`.
pub fn limit(limit: Limit) -> String {
    let units = grouped(u128::from(limit.units));
    format!("{units} per {}", each(limit.window))
}

/// What stands after *per* or *any*: `minute`, `10 s`.
pub fn each(window: Nanos) -> String {
    const NAMED: [(u64, &str); 4] = [
        (1, "second"),
        (60, "minute"),
        (3_600, "hour"),
        (86_400, "day"),
    ];
    let named = NAMED
        .iter()
        .find(|(seconds, _)| window == Nanos::from_secs(*seconds));
    named.map_or_else(|| duration(window), |(_, name)| (*name).to_owned())
}

/// A time since the start as a clock shows it: `0:55`, `1:00:05`, `2d 3:00:00`, with as many decimals
/// of the second as `step` between such times needs.
pub fn clock(at: SimTime, step: Nanos) -> String {
    let nanos = at.as_nanos();
    let places = (0..9u32)
        .find(|places| step.get().is_multiple_of(10u64.pow(9 - places)))
        .unwrap_or(9);
    let seconds = nanos / NANOS_PER_SECOND;
    let fraction = match places {
        0 => String::new(),
        _ => {
            let part = (nanos % NANOS_PER_SECOND) / 10u64.pow(9 - places);
            format!(".{part:0width$}", width = places as usize)
        }
    };
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds:02}{fraction}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds:02}{fraction}"),
        _ => format!("{days}d {hours}:{minutes:02}:{seconds:02}{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_a_trace_can_neither_act_nor_compute() {
        assert_eq!(cell("=cmd()"), "'=cmd()");
        assert_eq!(cell("-1"), "'-1");
        assert_eq!(cell("plain=1"), "plain=1");
        assert_eq!(visible("a\u{1b}[31mb\u{202e}"), "a\\u{1b}[31mb\\u{202e}");
    }

    #[test]
    fn amounts_read_as_people_write_them() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(1_500), "1.5 kB");
        assert_eq!(percent(1, 8), "12.5 %");
        assert_eq!(percent(1, 1_000), "0.1 %");
        assert_eq!(percent(83, 100_000), "0.083 %");
        assert_eq!(percent(29, 1_000_000), "0.0029 %");
        assert_eq!(percent(49, 100_000), "0.049 %");
        assert_eq!(percent(1, 1_000_000), "0.00010 %");
        assert_eq!(percent(1, 10_000_000), "<0.0001 %");
        assert_eq!(multiple(10, 5), "2.0");
        assert_eq!(multiple(101, 100), "1.01");
        assert_eq!(multiple(1_001, 1_000), "1.001");
        assert_eq!(duration(Nanos::from_millis(1_500)), "1.5 s");
        assert_eq!(duration(Nanos::from_secs(90)), "1 min 30 s");
        assert_eq!(duration(Nanos::new(5_382_720_000_000_001)), "62.3 days");
        assert_eq!(duration(Nanos::from_secs(129_600)), "1 day 12 h");
        assert_eq!(duration(Nanos::ZERO), "0 s");
        assert_eq!(limit("5/1m".parse().unwrap()), "5 per minute");
        assert_eq!(limit("60/10s".parse().unwrap()), "60 per 10 s");
        assert_eq!(bytes(12_345_678_901_234), "12.3 TB");
        let at = |millis| SimTime::ZERO + Nanos::from_millis(millis);
        assert_eq!(clock(at(55_000), Nanos::from_secs(1)), "0:55");
        assert_eq!(clock(at(55_250), Nanos::from_millis(50)), "0:55.25");
        assert_eq!(clock(at(3_605_000), Nanos::from_secs(5)), "1:00:05");
    }

    #[test]
    fn an_overshoot_never_reads_as_kept() {
        assert_eq!(above(10, 5), "2.0 × the limit");
        assert_eq!(above(101, 100), "1.01 × the limit");
        assert_eq!(above(5_300, 5_000), "1.06 × the limit");
        assert_eq!(above(11, 10), "1.1 × the limit");
        assert_eq!(above(2_003, 2_000), "1.002 × the limit");
        assert_eq!(above(1_000_001, 1_000_000), "1 above the limit");
        assert_eq!(above(3, 0), "the limit is 0");
    }
}
