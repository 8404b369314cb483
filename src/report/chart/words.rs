//! What only pictures say: short numbers on an axis, round lengths, candidates' names.

use crate::measure::CandidateResult;
use crate::report::text::duration;
use crate::units::{NANOS_PER_SECOND, Nanos};

/// Up to one decimal, none where it is zero or the number has two digits.
fn short(number: f64) -> String {
    let text = if number < 9.95 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    };
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A number on an axis: `950`, `12k`, `1.5M`.
pub(super) fn tick(number: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let step = STEPS
        .iter()
        .find(|(size, _)| number >= 10_000.0 && number >= *size);
    step.map_or_else(
        || short(number),
        |(size, name)| format!("{}{name}", short(number / size)),
    )
}

/// Units of time, and from what length on they are counted in: minutes from 2 on and seconds below,
/// as "90 s" says more than "2 min".
const LENGTHS: [(u64, u64); 7] = [
    (86_400 * NANOS_PER_SECOND, 2 * 86_400 * NANOS_PER_SECOND),
    (3_600 * NANOS_PER_SECOND, 2 * 3_600 * NANOS_PER_SECOND),
    (60 * NANOS_PER_SECOND, 2 * 60 * NANOS_PER_SECOND),
    (NANOS_PER_SECOND, NANOS_PER_SECOND),
    (1_000_000, 1_000_000),
    (1_000, 1_000),
    (1, 1),
];

/// The shortest round length whose half-open window holds events that lie `apart` from first to
/// last, no longer than `window`, whose window is known to hold them.
pub(super) fn within(apart: Nanos, window: Nanos) -> String {
    if apart == Nanos::ZERO {
        return "at once".to_owned();
    }
    let (size, _) = LENGTHS
        .into_iter()
        .find(|(_, least)| apart.get() >= *least)
        .expect("a nanosecond fits");
    let round = (apart.get() / size + 1).saturating_mul(size);
    format!("within {}", duration(Nanos::new(round.min(window.get()))))
}

/// A candidate's name in a picture: its algorithm's title, or the name that the scenario gives it.
pub(super) fn name(candidate: &CandidateResult) -> String {
    if candidate.name == candidate.algorithm {
        candidate.title.to_owned()
    } else {
        super::theme::neutral(&candidate.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_on_an_axis_are_short() {
        assert_eq!(tick(950.0), "950");
        assert_eq!(tick(2.5), "2.5");
        assert_eq!(tick(12_000.0), "12k");
        assert_eq!(tick(1_500_000.0), "1.5M");
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
}
