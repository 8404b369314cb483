//! The exact reference: what a candidate forwarded for one key, window by window.

use super::amounts::Amounts;
use super::batch::{Answers, Columns};
use crate::units::{Cost, Limit, SimTime};

/// What the exact reference says of a batch of decisions, in columns.
///
/// An admission is wrong (a false allow) when it brings the cost forwarded in (f − w, f] above n, a
/// denial (a false deny) when the cost forwarded in (t − w, t] left room for it.
#[derive(Clone, Debug, Default)]
pub struct Verdicts<A: Amounts> {
    /// Whether each decision was wrong.
    pub wrong: Vec<bool>,
    /// The cost forwarded in (t − w, t] before each request. Empty where it is not asked for.
    pub before: Vec<A::Sum>,
}

impl<A: Amounts> Verdicts<A> {
    /// Makes room for the verdicts on `requests` decisions.
    pub fn begin(&mut self, requests: usize, before: bool) {
        self.wrong.resize(requests, false);
        let before = if before { requests } else { 0 };
        self.before.resize(before, A::Sum::default());
    }

    /// Judges by all that was offered instead: allowed although that exceeds n, denied although it
    /// does not.
    pub fn judge_offers(&mut self, batch: &Columns, answers: &Answers) {
        let judged = batch.exceeds.iter().zip(&answers.admitted);
        self.wrong.clear();
        self.wrong
            .extend(judged.map(|(exceeds, admitted)| exceeds == admitted));
    }
}

/// The cost within the trailing window (t − w, t] over time, as a step function: from each instant
/// on, the value. `forwards` must be in time order.
pub fn trailing_window(forwards: &[(SimTime, Cost)], limit: Limit) -> Vec<(SimTime, u128)> {
    let mut steps: Vec<(SimTime, u128)> = Vec::with_capacity(2 * forwards.len());
    let (mut entering, mut leaving, mut value) = (0, 0, 0u128);
    while leaving < forwards.len() {
        let leaves = forwards[leaving].0.saturating_add(limit.window);
        let enters = forwards.get(entering).map_or(SimTime::MAX, |(at, _)| *at);
        let now = leaves.min(enters);
        while entering < forwards.len() && forwards[entering].0 == now {
            value += u128::from(forwards[entering].1);
            entering += 1;
        }
        while leaving < entering && forwards[leaving].0.saturating_add(limit.window) == now {
            value -= u128::from(forwards[leaving].1);
            leaving += 1;
        }
        steps.push((now, value));
        if now == SimTime::MAX {
            break;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::amounts::{Counts, Sums};
    use super::super::past::Past;
    use super::super::recent::Recent;
    use super::*;
    use crate::limiter::Decision;
    use crate::measure::{Batch, Cut, Grid};
    use crate::units::KeyId;
    use crate::units::Nanos;
    use crate::workload::{Arrival, MarkId};
    use proptest::prelude::*;

    const FIVE_A_MINUTE: Limit = Limit {
        units: 5,
        window: Nanos::from_secs(60),
    };

    fn at(seconds: u64) -> SimTime {
        SimTime::ZERO + Nanos::from_secs(seconds)
    }

    /// One key's requests, (seconds, cost, decision), as a batch with its answers.
    fn batch(steps: &[(u64, Cost, Decision)], with_costs: bool) -> (Batch, Answers) {
        let arrival = |(seconds, cost, _): &(u64, Cost, Decision)| Arrival {
            at: at(*seconds),
            cost: *cost,
            seq: 0,
            key: KeyId(0),
            mark: MarkId(0),
        };
        let mut batch = Batch::default();
        batch.arrivals.extend(steps.iter().map(arrival));
        batch.cut(&Cut {
            grid: Some(grid()),
            costs: with_costs,
            marks: false,
            by_key: false,
        });
        let mut answers = Answers::default();
        answers.begin(steps.len(), true, false);
        for (index, (.., decision)) in steps.iter().enumerate() {
            answers.note(index, *decision);
        }
        (batch, answers)
    }

    fn grid() -> Grid {
        Grid::over(Nanos::from_secs(100_000))
    }

    /// The verdicts, the highest windows of the buckets, and the highest of all.
    fn judged_as<A: Amounts>(batch: &Batch, answers: &Answers) -> (Verdicts<A>, Vec<u128>, u128) {
        let mut verdicts = Verdicts::default();
        let mut past = A::Past::new(FIVE_A_MINUTE, Some(grid()));
        past.reach(1);
        verdicts.begin(batch.len(), true);
        past.judge(&batch.whole(), answers, &mut verdicts);
        let tops: Vec<u128> = past.tops().iter().map(|top| (*top).into()).collect();
        let highest: u128 = past.highest().into();
        assert_eq!(highest, past.peak(0).into());
        (verdicts, tops, highest)
    }

    /// The verdicts, and the highest windows of the buckets.
    fn judged(steps: &[(u64, Cost, Decision)]) -> (Verdicts<Sums>, Vec<u128>) {
        let (verdicts, tops, _) = judged_with_peak(steps);
        (verdicts, tops)
    }

    fn judged_with_peak(steps: &[(u64, Cost, Decision)]) -> (Verdicts<Sums>, Vec<u128>, u128) {
        let (batch, mut answers) = batch(steps, true);
        let (verdicts, tops, highest) = judged_as::<Sums>(&batch, &answers);
        let told = |verdicts: &Verdicts<Sums>| format!("{verdicts:?}");
        if batch.costs.iter().all(|cost| *cost == 1) {
            let (units, unit_tops, unit_highest) = judged_as::<Counts>(&batch, &answers);
            assert_eq!(unit_highest, highest);
            assert_eq!(units.wrong, verdicts.wrong);
            let wide: Vec<u128> = units.before.iter().map(|sum| u128::from(*sum)).collect();
            assert_eq!(wide, verdicts.before);
            assert_eq!(unit_tops, tops);
        }
        if answers.waits.iter().all(|wait| *wait == 0) {
            // A candidate that could wait but does not is like one that never does.
            answers.waits.clear();
            let again = judged_as::<Sums>(&batch, &answers);
            assert_eq!((told(&again.0), &again.1), (told(&verdicts), &tops));
        }
        (verdicts, tops, highest)
    }

    #[test]
    fn a_burst_over_the_edge_is_five_false_allows() {
        let seconds = (55..60).chain(60..65);
        let steps: Vec<_> = seconds.map(|second| (second, 1, Decision::Allow)).collect();
        let (verdicts, tops) = judged(&steps);
        assert_eq!(verdicts.wrong, [[false; 5], [true; 5]].concat());
        assert_eq!(tops.iter().max(), Some(&10));
    }

    #[test]
    fn the_window_is_open_at_its_far_end() {
        let (verdicts, _) = judged(&[
            (0, 5, Decision::Allow),
            (59, 1, Decision::Deny),
            (60, 1, Decision::Deny),
            (60, 6, Decision::Deny),
        ]);
        assert_eq!(verdicts.wrong, [false, false, true, false]);
        assert_eq!(verdicts.before, [0, 5, 0, 0]);
    }

    #[test]
    fn what_waits_counts_when_it_is_forwarded_and_not_before() {
        let delayed = Decision::Delay(Nanos::from_secs(100));
        let last = Decision::Delay(Nanos::from_secs(20));
        let (verdicts, tops) = judged(&[
            (0, 5, Decision::Allow),
            (0, 5, delayed),
            // The first five are gone and the second five still wait.
            (70, 1, Decision::Deny),
            (100, 1, Decision::Deny),
            (100, 1, last),
        ]);
        assert_eq!(verdicts.wrong, [false, false, true, false, true]);
        let top = |seconds| tops[grid().bucket(at(seconds)).unwrap()];
        // A bucket is two minutes.
        assert_eq!((top(0), top(120)), (5, 6));
    }

    #[test]
    fn what_is_never_forwarded_counts_in_no_window() {
        let (verdicts, tops) = judged(&[
            (0, 9, Decision::Delay(Nanos::FOREVER)),
            (1, 0, Decision::Allow),
            (2, 5, Decision::Allow),
        ]);
        assert_eq!(tops.iter().max(), Some(&5));
        assert_eq!(verdicts.wrong, [false; 3]);
    }

    #[test]
    fn counting_all_that_is_offered_judges_by_demand() {
        // The second request was refused with room; the sixth and seventh were beyond five offered.
        let steps: Vec<_> = (0..7)
            .map(|second| match second {
                1 => (second, 1, Decision::Deny),
                _ => (second, 1, Decision::Allow),
            })
            .collect();
        let (mut batch, answers) = batch(&steps, false);
        let mut past = Recent::new(FIVE_A_MINUTE, None);
        past.reach(1);
        batch.note_offers::<Counts>(&mut past, FIVE_A_MINUTE);
        let mut verdicts = Verdicts::<Counts>::default();
        verdicts.judge_offers(&batch.whole(), &answers);
        assert_eq!(
            verdicts.wrong,
            [false, true, false, false, false, true, true]
        );
        assert_eq!(batch.offered.before, [0, 1, 2, 3, 4, 5, 6]);
    }

    proptest! {
        /// The definition, word for word, on every request of random traffic that waits at random.
        #[test]
        fn verdicts_are_what_the_definition_says(
            steps in prop::collection::vec((0u64..40, 0u64..4, 0u64..50, 0u8..4), 1..60),
            is_unit: bool,
            in_order: bool,
        ) {
            let (mut now, mut free) = (0, 0);
            let steps: Vec<_> = steps.into_iter().map(|(gap, cost, wait, kind)| {
                let cost = if is_unit { 1 } else { cost };
                now += gap;
                // First in, first out: nothing is forwarded before an earlier request. Several queues
                // keep no order among them.
                let ready = if in_order { now.max(free) } else { now };
                let decision = match kind {
                    0 => Decision::Deny,
                    1 => { free = ready + wait; Decision::Delay(Nanos::from_secs(free - now)) }
                    _ if ready == now => Decision::Allow,
                    _ => Decision::Delay(Nanos::from_secs(ready - now)),
                };
                (now, cost, decision)
            }).collect();
            let (verdicts, tops, highest) = judged_with_peak(&steps);
            let forwards: Vec<_> = steps.iter().map(|(now, cost, decision)| {
                decision.is_admitted().then(|| ((at(*now) + decision.delay()), *cost))
            }).collect();
            let within = |upto: usize, end: SimTime| -> u128 {
                let past = forwards[..upto].iter().flatten();
                let inside = past.filter(|(when, _)| *when <= end && end.since(*when) < FIVE_A_MINUTE.window);
                inside.map(|(_, cost)| u128::from(*cost)).sum()
            };
            let mut expected = vec![0; grid().count()];
            for (index, (now, cost, decision)) in steps.iter().enumerate() {
                prop_assert_eq!(verdicts.before[index], within(index, at(*now)));
                if !decision.is_admitted() {
                    let room = within(index, at(*now)) + u128::from(*cost) <= 5;
                    prop_assert_eq!(verdicts.wrong[index], room);
                    continue;
                }
                let end = at(*now) + decision.delay();
                let count = within(index + 1, end);
                prop_assert_eq!(verdicts.wrong[index], *cost > 0 && count > 5);
                if *cost > 0 {
                    // Whatever is decided later is forwarded in the same windows.
                    let top = &mut expected[grid().bucket(end).unwrap()];
                    *top = within(steps.len(), end).max(*top);
                }
            }
            prop_assert_eq!(highest, tops.iter().copied().max().unwrap_or(0));
            prop_assert_eq!(tops, expected);
        }
    }

    #[test]
    fn the_trailing_window_rises_with_forwards_and_falls_a_window_later() {
        let steps = trailing_window(
            &[(at(1), 2), (at(1), 1), (at(30), 1), (at(61), 4)],
            FIVE_A_MINUTE,
        );
        assert_eq!(
            steps,
            [
                (at(1), 3),
                (at(30), 4),
                (at(61), 5),
                (at(90), 4),
                (at(121), 0)
            ]
        );
    }
}
