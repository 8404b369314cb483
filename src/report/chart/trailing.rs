//! What was forwarded for one key, and how much of it lies in the trailing window.

use crate::measure::{CandidateResult, RunResult};
use crate::units::{KeyId, Nanos};

/// One forwarding: when, in nanoseconds, and at what cost.
pub(super) type Forward = (u64, u64);

/// What the candidate forwarded for `key`, in order of time; `None` without records.
pub(super) fn forwards(
    run: &RunResult,
    candidate: &CandidateResult,
    key: KeyId,
) -> Option<Vec<Forward>> {
    let mut forwards: Vec<Forward> = run
        .attempts(candidate)?
        .filter(|(arrival, record)| {
            arrival.key == key && arrival.cost > 0 && record.decision.is_admitted()
        })
        .filter(|(_, record)| !record.decision.delay().is_forever())
        .map(|(arrival, record)| {
            let at = record.answered.saturating_add(record.decision.delay());
            (at.as_nanos(), arrival.cost)
        })
        .collect();
    forwards.sort_by_key(|(at, _)| *at);
    Some(forwards)
}

/// The key with the highest peak; the first of several.
pub(super) fn worst_key(candidate: &CandidateResult) -> KeyId {
    let peak = candidate.tally.peak_in_window;
    let worst = candidate
        .per_key
        .iter()
        .position(|key| key.peak_in_window == peak);
    KeyId(
        worst
            .and_then(|index| u32::try_from(index).ok())
            .unwrap_or(0),
    )
}

/// The cost in (t − window, t] as a step function of t: from each instant on, the sum.
pub(super) fn steps(forwards: &[Forward], window: Nanos) -> Vec<(u64, u128)> {
    let mut steps: Vec<(u64, u128)> = Vec::with_capacity(forwards.len() * 2);
    let (mut entering, mut leaving) = (forwards.iter().peekable(), forwards.iter().peekable());
    let mut sum = 0u128;
    let leaves = |(at, _): &&Forward| at.saturating_add(window.get());
    loop {
        let enter = entering.peek().map(|(at, _)| *at);
        let Some(now) = leaving.peek().map(leaves).into_iter().chain(enter).min() else {
            return steps;
        };
        while let Some((_, cost)) = entering.next_if(|(at, _)| *at == now) {
            sum += u128::from(*cost);
        }
        while let Some((_, cost)) = leaving.next_if(|forward| leaves(forward) == now) {
            sum -= u128::from(*cost);
        }
        steps.push((now, sum));
    }
}

/// The most cost in any window, and the least time from first to last forwarding of a window that
/// holds so much.
pub(super) fn tightest(forwards: &[Forward], window: Nanos) -> (u128, Nanos) {
    let (mut peak, mut apart) = (0, Nanos::FOREVER);
    let (mut first, mut sum) = (0, 0u128);
    for (at, cost) in forwards {
        sum += u128::from(*cost);
        while forwards[first].0.saturating_add(window.get()) <= *at {
            sum -= u128::from(forwards[first].1);
            first += 1;
        }
        let length = Nanos::new(at - forwards[first].0);
        if sum > peak || (sum == peak && length < apart) {
            (peak, apart) = (sum, length);
        }
    }
    (peak, apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forwarding_leaves_the_window_exactly_one_window_later() {
        let window = Nanos::new(10);
        let forwards = [(0, 2), (4, 1), (10, 3), (10, 1)];
        // At 10 the cost of 0 has left: the window is (0, 10].
        assert_eq!(
            steps(&forwards, window),
            [(0, 2), (4, 3), (10, 5), (14, 4), (20, 0)]
        );
        assert_eq!(tightest(&forwards, window), (5, Nanos::new(6)));
    }

    #[test]
    fn of_equal_peaks_the_tightest_is_told() {
        let window = Nanos::new(100);
        assert_eq!(
            tightest(&[(0, 1), (50, 1), (500, 1), (501, 1)], window),
            (2, Nanos::new(1))
        );
    }
}
