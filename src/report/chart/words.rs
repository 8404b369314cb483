//! Quantities as people read them: grouped counts, durations, bytes, how far above a limit.

use crate::measure::CandidateResult;
use crate::units::{Limit, Nanos, decimal};

/// A whole number with its thousands set apart: `1,234,567`.
pub(super) fn count(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Up to one decimal, none where it is zero or the number has two digits.
fn short(number: f64) -> String {
    let text = if number < 9.95 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    };
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The number divided by the largest fitting step, with that step's name.
fn stepped(number: f64, steps: &[(f64, &str)]) -> String {
    let fitting = steps.iter().find(|(size, _)| number >= *size);
    let (size, name) = fitting.or(steps.last()).expect("there are steps");
    format!("{}{name}", short(number / size))
}

/// A number on an axis: `950`, `12k`, `1.5M`.
pub(super) fn tick(number: f64) -> String {
    if number < 10_000.0 {
        return short(number);
    }
    stepped(number, &[(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")])
}

/// Bytes in decimal units: `16 B`, `1.5 kB`, `12 MB`.
pub(super) fn bytes(number: f64) -> String {
    stepped(
        number,
        &[
            (1e12, " TB"),
            (1e9, " GB"),
            (1e6, " MB"),
            (1e3, " kB"),
            (1.0, " B"),
        ],
    )
}

/// Units of time, longest first.
const TIMES: [(u64, &str); 7] = [
    (86_400_000_000_000, "d"),
    (3_600_000_000_000, "h"),
    (60_000_000_000, "min"),
    (1_000_000_000, "s"),
    (1_000_000, "ms"),
    (1_000, "µs"),
    (1, "ns"),
];

/// A length of time: `2.5 s`, `1 min 30 s`.
pub(super) fn length(nanos: Nanos) -> String {
    let mut rest = nanos.get();
    let mut parts = Vec::new();
    for (size, name) in TIMES {
        let thousandths = u128::from(rest) * 1_000;
        if size <= 1_000_000_000 && rest >= size && thousandths.is_multiple_of(size.into()) {
            let amount = decimal(thousandths / u128::from(size), 3);
            parts.push(format!("{amount} {name}"));
            break;
        }
        if rest >= size {
            parts.push(format!("{} {name}", rest / size));
            rest %= size;
        }
    }
    if parts.is_empty() {
        "0 s".to_owned()
    } else {
        parts.join(" ")
    }
}

/// The shortest round length whose half-open window holds events that lie `apart` from first to
/// last, no longer than `window`, whose window is known to hold them.
pub(super) fn within(apart: Nanos, window: Nanos) -> String {
    if apart == Nanos::ZERO {
        return "at once".to_owned();
    }
    // Minutes from 2 on and seconds below: "90 s" says more than "2 min".
    let fits = |size: u64| apart.get() >= if size > 1_000_000_000 { 2 * size } else { size };
    let (size, _) = TIMES
        .iter()
        .find(|(size, _)| fits(*size))
        .expect("a nanosecond fits");
    let round = (apart.get() / size + 1).saturating_mul(*size);
    format!("within {}", length(Nanos::new(round.min(window.get()))))
}

/// The limit in words: `5 per minute`.
pub(super) fn limit(limit: Limit) -> String {
    format!("{} {}", count(limit.units.into()), per(limit.window))
}

/// Per so much time: `per minute`, `per 10 s`.
pub(super) fn per(window: Nanos) -> String {
    match window.get() {
        1_000_000_000 => "per second".to_owned(),
        60_000_000_000 => "per minute".to_owned(),
        3_600_000_000_000 => "per hour".to_owned(),
        86_400_000_000_000 => "per day".to_owned(),
        _ => format!("per {}", length(window)),
    }
}

/// How `peak` stands to a limit that it is above: `2.0 × the limit`.
pub(super) fn above(peak: u128, limit: u64) -> String {
    if limit == 0 {
        return "the limit is 0".to_owned();
    }
    // More digits where fewer would read as a kept promise, or nearly.
    for (digits, scale) in [(1, 10), (2, 100), (3, 1_000)] {
        let scaled = (peak * scale + u128::from(limit) / 2) / u128::from(limit);
        let is_exact = (peak * scale).is_multiple_of(limit.into());
        if scaled > scale + 1 || (is_exact && scaled > scale) {
            let (whole, rest) = (scaled / scale, scaled % scale);
            return format!("{}.{rest:0digits$} × the limit", count(whole));
        }
    }
    format!("{} above the limit", count(peak - u128::from(limit)))
}

/// A candidate's name in a picture: words for an algorithm by its kind, else as it was given.
pub(super) fn name(candidate: &CandidateResult) -> String {
    let name = super::theme::neutral(&candidate.name);
    if candidate.name != candidate.algorithm {
        return name;
    }
    // A kind of one short word is an abbreviation.
    if name.len() <= 4 {
        return name.to_uppercase();
    }
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_bytes_read_at_a_glance() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(10_000_000), "10,000,000");
        assert_eq!(tick(950.0), "950");
        assert_eq!(tick(12_000.0), "12k");
        assert_eq!(tick(1_500_000.0), "1.5M");
        assert_eq!(bytes(0.0), "0 B");
        assert_eq!(bytes(16.0), "16 B");
        assert_eq!(bytes(1_500.0), "1.5 kB");
        assert_eq!(bytes(12_345_678.0), "12 MB");
    }

    #[test]
    fn lengths_are_short() {
        for (nanos, text) in [
            (60_000_000_000, "1 min"),
            (90_000_000_000, "1 min 30 s"),
            (2_500_000_000, "2.5 s"),
            (250_000_000, "250 ms"),
            (7, "7 ns"),
            (3_600_000_000_000, "1 h"),
            (1_000_000_007, "1 s 7 ns"),
            (0, "0 s"),
        ] {
            assert_eq!(length(Nanos::new(nanos)), text);
        }
    }

    #[test]
    fn a_window_is_named_by_a_length_that_holds_it() {
        let minute = Nanos::from_secs(60);
        // 0:55 to 1:04 lie 9 s apart: only a window longer than that holds both.
        assert_eq!(within(Nanos::from_secs(9), minute), "within 10 s");
        assert_eq!(within(Nanos::from_millis(1_983), minute), "within 2 s");
        assert_eq!(within(Nanos::ZERO, minute), "at once");
        assert_eq!(within(Nanos::new(6), Nanos::new(7)), "within 7 ns");
        assert_eq!(within(Nanos::from_millis(59_500), minute), "within 1 min");
    }

    #[test]
    fn an_overshoot_never_reads_as_kept() {
        assert_eq!(above(10, 5), "2.0 × the limit");
        assert_eq!(above(101, 100), "1.01 × the limit");
        assert_eq!(above(5_300, 5_000), "1.06 × the limit");
        assert_eq!(above(11, 10), "1.1 × the limit");
        assert_eq!(above(1_000_001, 1_000_000), "1 above the limit");
        assert_eq!(above(3, 0), "the limit is 0");
    }
}
