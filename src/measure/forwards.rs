//! The exact reference: what a candidate forwarded for one key, window by window.

use super::amounts::Amounts;
use super::batch::{Answers, Batch};
use super::departures::Departures;
use super::windows::Windows;
use crate::units::{Cost, Limit, Nanos, SimTime};

/// What the exact reference says of a batch of decisions, in columns.
#[derive(Clone, Debug, Default)]
pub struct Verdicts<A: Amounts> {
    /// Allowed although it brought the cost forwarded in (f − w, f] above n.
    pub false_allow: Vec<bool>,
    /// Denied although the cost forwarded in (t − w, t] left room for it.
    pub false_deny: Vec<bool>,
    /// For something forwarded: the cost forwarded in (f − w, f], itself included; else 0.
    pub counts: Vec<A::Sum>,
    /// The cost forwarded in (t − w, t] before the request.
    pub before: Vec<A::Sum>,
}

impl<A: Amounts> Verdicts<A> {
    /// Makes room for the verdicts on `requests` decisions.
    fn begin(&mut self, requests: usize) {
        self.false_allow.resize(requests, false);
        self.false_deny.resize(requests, false);
        self.counts.resize(requests, A::Sum::default());
        self.before.resize(requests, A::Sum::default());
    }

    /// Forgets what is not asked for.
    pub fn keep(&mut self, errors: bool, counts: bool) {
        if !errors {
            self.false_allow.clear();
            self.false_deny.clear();
        }
        if !counts {
            self.counts.clear();
        }
    }

    /// Judges by all that was offered instead: allowed although that exceeds n, denied although it
    /// does not.
    pub fn judge_offers(&mut self, batch: &Batch, answers: &Answers) {
        self.false_allow.clear();
        self.false_deny.clear();
        let judged = batch.offered.exceeds.iter().zip(&answers.admitted);
        self.false_allow.extend(
            judged
                .clone()
                .map(|(exceeds, admitted)| *exceeds & admitted),
        );
        self.false_deny
            .extend(judged.map(|(exceeds, admitted)| !exceeds & !admitted));
    }

    /// Notes the verdict on the decision at `index`: whether the sum exceeds the limit, of a request
    /// that was admitted or not, and what its window holds if it is forwarded.
    #[inline]
    pub(super) fn note(
        &mut self,
        index: usize,
        (exceeds, admitted): (bool, bool),
        cost: Cost,
        count: A::Sum,
    ) {
        self.false_allow[index] = exceeds & admitted & (cost > 0);
        self.false_deny[index] = !exceeds & !admitted;
        self.counts[index] = count;
    }
}

/// What a candidate forwarded for each key of a shard, within reach of the window.
#[derive(Clone, Debug)]
pub enum Forwards<A: Amounts> {
    /// Everything is forwarded as it comes.
    AtOnce(Windows<A>),
    /// Requests wait.
    Later(Departures<A>),
}

impl<A: Amounts> Forwards<A> {
    /// Nothing was forwarded yet.
    pub fn new(window: Nanos, delays: bool) -> Self {
        if delays {
            Self::Later(Departures::new(window))
        } else {
            Self::AtOnce(Windows::new(window))
        }
    }

    /// Makes room for `keys` keys.
    pub fn reach(&mut self, keys: usize) {
        match self {
            Self::AtOnce(windows) => windows.reach(keys),
            Self::Later(departures) => departures.reach(keys),
        }
    }

    /// Judges a batch of decisions and notes what they forward.
    ///
    /// A request of cost 0 is neither a false allow nor a false deny, and one that is never
    /// forwarded counts in no window.
    pub fn judge(
        &mut self,
        limit: Limit,
        batch: &Batch,
        answers: &Answers,
        verdicts: &mut Verdicts<A>,
    ) {
        verdicts.begin(batch.len());
        match self {
            Self::AtOnce(windows) => at_once(windows, limit, batch, answers, verdicts),
            Self::Later(departures) => departures.judge(limit, batch, answers, verdicts),
        }
    }
}

fn at_once<A: Amounts>(
    windows: &mut Windows<A>,
    limit: Limit,
    batch: &Batch,
    answers: &Answers,
    verdicts: &mut Verdicts<A>,
) {
    let bound = A::Sum::from(limit.units);
    for run in batch.runs() {
        windows.touch(&batch.slots[run.clone()]);
        for index in run {
            let (slot, now) = (batch.slots[index] as usize, batch.times[index]);
            let cost = A::cost(&batch.costs, index);
            let admitted = answers.admitted[index];
            let before = windows.sum(slot, now);
            let mut sum = before;
            sum += cost.into();
            let forwards = admitted && cost > 0;
            if forwards {
                windows.note(slot, now, cost);
            }
            let count = if forwards { sum } else { A::Sum::default() };
            verdicts.note(index, (sum > bound, admitted), cost, count);
            verdicts.before[index] = before;
        }
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
    use super::*;
    use crate::limiter::Decision;
    use crate::units::KeyId;
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
        let mut batch = Batch {
            arrivals: steps.iter().map(arrival).collect(),
            ..Batch::default()
        };
        batch.cut(with_costs);
        let mut answers = Answers::default();
        answers.begin(steps.len(), true, false);
        for (index, (.., decision)) in steps.iter().enumerate() {
            answers.note(index, *decision);
        }
        (batch, answers)
    }

    fn judged(steps: &[(u64, Cost, Decision)]) -> Verdicts<Sums> {
        let (batch, mut answers) = batch(steps, true);
        let delays = answers.waits.iter().any(|wait| *wait > 0);
        let mut verdicts = Verdicts::default();
        let mut later = Forwards::new(FIVE_A_MINUTE.window, true);
        later.reach(1);
        later.judge(FIVE_A_MINUTE, &batch, &answers, &mut verdicts);
        if !delays {
            // Without waits both forms must say the same.
            answers.waits.clear();
            let mut at_once = Forwards::<Sums>::new(FIVE_A_MINUTE.window, false);
            at_once.reach(1);
            let mut again = Verdicts::default();
            at_once.judge(FIVE_A_MINUTE, &batch, &answers, &mut again);
            assert_eq!(format!("{again:?}"), format!("{verdicts:?}"));
        }
        verdicts
    }

    #[test]
    fn a_burst_over_the_edge_is_five_false_allows() {
        let seconds = (55..60).chain(60..65);
        let steps: Vec<_> = seconds.map(|second| (second, 1, Decision::Allow)).collect();
        let verdicts = judged(&steps);
        let wrong = verdicts.false_allow.iter().filter(|wrong| **wrong).count();
        assert_eq!(wrong, 5);
        assert_eq!(verdicts.counts[9], 10);
    }

    #[test]
    fn the_window_is_open_at_its_far_end() {
        let verdicts = judged(&[
            (0, 5, Decision::Allow),
            (59, 1, Decision::Deny),
            (60, 1, Decision::Deny),
            (60, 6, Decision::Deny),
        ]);
        assert_eq!(verdicts.false_deny, [false, false, true, false]);
        assert_eq!(verdicts.before, [0, 5, 0, 0]);
    }

    #[test]
    fn what_waits_counts_when_it_is_forwarded_and_not_before() {
        let delayed = Decision::Delay(Nanos::from_secs(100));
        let last = Decision::Delay(Nanos::from_secs(20));
        let verdicts = judged(&[
            (0, 5, Decision::Allow),
            (0, 5, delayed),
            // The first five are gone and the second five still wait.
            (70, 1, Decision::Deny),
            (100, 1, Decision::Deny),
            (100, 1, last),
        ]);
        assert_eq!(verdicts.counts, [5, 5, 0, 0, 6]);
        assert_eq!(verdicts.false_deny, [false, false, true, false, false]);
        assert_eq!(verdicts.false_allow, [false, false, false, false, true]);
    }

    #[test]
    fn what_is_never_forwarded_counts_in_no_window() {
        let verdicts = judged(&[
            (0, 9, Decision::Delay(Nanos::FOREVER)),
            (1, 0, Decision::Allow),
            (2, 5, Decision::Allow),
        ]);
        assert_eq!(verdicts.counts, [0, 0, 5]);
        assert_eq!(verdicts.false_allow, [false; 3]);
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
        let mut windows = Windows::<Counts>::new(FIVE_A_MINUTE.window);
        windows.reach(1);
        batch.note_offers(&mut windows, FIVE_A_MINUTE);
        let mut verdicts = Verdicts::<Counts>::default();
        verdicts.judge_offers(&batch, &answers);
        let places = |column: &[bool]| -> Vec<usize> {
            let all = column.iter().enumerate();
            all.filter_map(|(place, wrong)| wrong.then_some(place))
                .collect()
        };
        assert_eq!(places(&verdicts.false_deny), [1]);
        assert_eq!(places(&verdicts.false_allow), [5, 6]);
        assert_eq!(batch.offered.before, [0, 1, 2, 3, 4, 5, 6]);
    }

    proptest! {
        /// The definition, word for word, on every request of random traffic that waits at random.
        #[test]
        fn verdicts_are_what_the_definition_says(
            steps in prop::collection::vec((0u64..40, 0u64..4, 0u64..50, 0u8..4), 1..60),
        ) {
            let (mut now, mut free) = (0, 0);
            let steps: Vec<_> = steps.into_iter().map(|(gap, cost, wait, kind)| {
                now += gap;
                // First in, first out: nothing is forwarded before an earlier request.
                let ready = now.max(free);
                let decision = match kind {
                    0 => Decision::Deny,
                    1 => { free = ready + wait; Decision::Delay(Nanos::from_secs(free - now)) }
                    _ if ready == now => Decision::Allow,
                    _ => Decision::Delay(Nanos::from_secs(ready - now)),
                };
                (now, cost, decision)
            }).collect();
            let verdicts = judged(&steps);
            let forwards: Vec<_> = steps.iter().map(|(now, cost, decision)| {
                decision.is_admitted().then(|| ((at(*now) + decision.delay()), *cost))
            }).collect();
            let within = |upto: usize, end: SimTime| -> u128 {
                let past = forwards[..upto].iter().flatten();
                let inside = past.filter(|(when, _)| *when <= end && end.since(*when) < FIVE_A_MINUTE.window);
                inside.map(|(_, cost)| u128::from(*cost)).sum()
            };
            for (index, (now, cost, decision)) in steps.iter().enumerate() {
                if !decision.is_admitted() {
                    let room = within(index, at(*now)) + u128::from(*cost) <= 5;
                    prop_assert_eq!(verdicts.false_deny[index], room);
                } else if *cost > 0 {
                    let count = within(index + 1, at(*now) + decision.delay());
                    prop_assert_eq!(verdicts.counts[index], count);
                    prop_assert_eq!(verdicts.false_allow[index], count > 5);
                }
            }
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
