//! The exact reference: what a candidate forwarded for one key, window by window.

use crate::limiter::Decision;
use crate::units::{Cost, Limit, SimTime};
use std::collections::VecDeque;

/// What the exact reference says of one decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Allowed although it brought the cost forwarded in (f − w, f] above n.
    pub false_allow: bool,
    /// Denied although the cost forwarded in (t − w, t] left room for it.
    pub false_deny: bool,
    /// For something forwarded: the cost forwarded in (f − w, f], itself included.
    pub window_count: u128,
}

/// One key's forwards within reach of the window: (time, cost) in order of forwarding.
///
/// A candidate forwards each key's requests in the order of their arrival, so three places that only
/// move forward answer every question: what has left the window of now, what has left the window of
/// the latest forward, and what is still to be forwarded.
#[derive(Clone, Debug, Default)]
pub struct Forwards {
    entries: VecDeque<(u64, Cost)>,
    /// Entries at the front that lie in (t − w, t].
    due: usize,
    due_cost: u128,
    /// Entries at the front that have left the window of the latest forward.
    passed: usize,
    /// Cost of the others.
    recent_cost: u128,
}

impl Forwards {
    /// Judges a decision at `now` and, for an admission, notes what it forwards.
    ///
    /// A request of cost 0 is neither a false allow nor a false deny, and one that is never
    /// forwarded counts in no window.
    pub fn observe(
        &mut self,
        limit: Limit,
        now: SimTime,
        cost: Cost,
        decision: Decision,
    ) -> Verdict {
        self.move_to(limit.window.get(), now.as_nanos());
        let bound = u128::from(limit.units);
        let cost_wide = u128::from(cost);
        if !decision.is_admitted() {
            let false_deny = self.due_cost + cost_wide <= bound;
            return Verdict {
                false_deny,
                ..Verdict::default()
            };
        }
        let at = now.saturating_add(decision.delay());
        if cost == 0 || at == SimTime::MAX {
            return Verdict::default();
        }
        self.forward(limit.window.get(), at.as_nanos(), cost);
        if at == now {
            self.due = self.entries.len();
            self.due_cost += cost_wide;
        }
        let window_count = self.recent_cost;
        Verdict {
            false_allow: window_count > bound,
            false_deny: false,
            window_count,
        }
    }

    /// Judges a decision at `now` by all that was offered in (t − w, t], and notes what it offered.
    ///
    /// Allowed although the offered cost, itself included, exceeds n; denied although it does not.
    pub fn observe_offered(
        &mut self,
        limit: Limit,
        now: SimTime,
        cost: Cost,
        decision: Decision,
    ) -> Verdict {
        let offered = self.observe(limit, now, cost, Decision::Allow);
        let exceeds = offered.false_allow;
        Verdict {
            false_allow: cost > 0 && exceeds && decision.is_admitted(),
            false_deny: cost > 0 && !exceeds && !decision.is_admitted(),
            window_count: offered.window_count,
        }
    }

    /// Drops what left the window of `now` and takes in what was forwarded by `now`.
    fn move_to(&mut self, window: u64, now: u64) {
        while let Some((at, cost)) = self.entries.get(self.due) {
            if *at > now {
                break;
            }
            self.due_cost += u128::from(*cost);
            self.due += 1;
        }
        while let Some((at, cost)) = self.entries.front() {
            if now.saturating_sub(*at) < window || *at > now {
                break;
            }
            self.due -= 1;
            self.due_cost -= u128::from(*cost);
            if self.passed > 0 {
                self.passed -= 1;
            } else {
                self.recent_cost -= u128::from(*cost);
            }
            self.entries.pop_front();
        }
    }

    /// Notes a forward at `at` and drops from the recent cost what lies outside (at − w, at].
    fn forward(&mut self, window: u64, at: u64, cost: Cost) {
        self.entries.push_back((at, cost));
        self.recent_cost += u128::from(cost);
        while let Some((earlier, left)) = self.entries.get(self.passed) {
            if at.saturating_sub(*earlier) < window {
                break;
            }
            self.recent_cost -= u128::from(*left);
            self.passed += 1;
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
    use super::*;
    use crate::units::Nanos;

    const FIVE_A_MINUTE: Limit = Limit {
        units: 5,
        window: Nanos::from_secs(60),
    };

    fn at(seconds: u64) -> SimTime {
        SimTime::ZERO + Nanos::from_secs(seconds)
    }

    #[test]
    fn a_burst_over_the_edge_is_five_false_allows() {
        let mut forwards = Forwards::default();
        let seconds = (55..60).chain(60..65);
        let verdicts: Vec<_> = seconds
            .map(|second| forwards.observe(FIVE_A_MINUTE, at(second), 1, Decision::Allow))
            .collect();
        assert_eq!(
            verdicts
                .iter()
                .filter(|verdict| verdict.false_allow)
                .count(),
            5
        );
        assert_eq!(verdicts[9].window_count, 10);
    }

    #[test]
    fn the_window_is_open_at_its_far_end() {
        let mut forwards = Forwards::default();
        forwards.observe(FIVE_A_MINUTE, at(0), 5, Decision::Allow);
        assert!(
            !forwards
                .observe(FIVE_A_MINUTE, at(59), 1, Decision::Deny)
                .false_deny
        );
        assert!(
            forwards
                .observe(FIVE_A_MINUTE, at(60), 1, Decision::Deny)
                .false_deny
        );
        assert!(
            !forwards
                .observe(FIVE_A_MINUTE, at(60), 6, Decision::Deny)
                .false_deny
        );
    }

    #[test]
    fn what_waits_counts_when_it_is_forwarded_and_not_before() {
        let mut forwards = Forwards::default();
        let delayed = Decision::Delay(Nanos::from_secs(100));
        assert_eq!(
            forwards
                .observe(FIVE_A_MINUTE, at(0), 5, Decision::Allow)
                .window_count,
            5
        );
        assert_eq!(
            forwards
                .observe(FIVE_A_MINUTE, at(0), 5, delayed)
                .window_count,
            5
        );
        // At 70 s the first five are gone and the second five still wait.
        assert!(
            forwards
                .observe(FIVE_A_MINUTE, at(70), 1, Decision::Deny)
                .false_deny
        );
        assert!(
            !forwards
                .observe(FIVE_A_MINUTE, at(100), 1, Decision::Deny)
                .false_deny
        );
        let last = Decision::Delay(Nanos::from_secs(20));
        assert!(
            forwards
                .observe(FIVE_A_MINUTE, at(100), 1, last)
                .false_allow
        );
    }

    #[test]
    fn counting_all_that_is_offered_judges_by_demand() {
        let mut offered = Forwards::default();
        let verdicts: Vec<_> = (0..7)
            .map(|second| {
                let decision = if second == 1 {
                    Decision::Deny
                } else {
                    Decision::Allow
                };
                offered.observe_offered(FIVE_A_MINUTE, at(second), 1, decision)
            })
            .collect();
        // The second request was refused with room; the sixth and seventh were beyond five offered.
        let wrong = |verdict: &Verdict| (verdict.false_deny, verdict.false_allow);
        assert_eq!(wrong(&verdicts[1]), (true, false));
        assert_eq!(
            verdicts.iter().map(wrong).filter(|wrong| wrong.1).count(),
            2
        );
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
