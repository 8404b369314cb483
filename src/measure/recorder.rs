//! Every answer, for runs small enough to be drawn request by request.

use super::amounts::Amounts;
use super::forwards::Verdicts;
use super::{Clocked, Outlook, Record};
use crate::limiter::{Algorithm, Decision};
use crate::units::{Cost, Retry, SimTime};

/// Records of one candidate, in the order of its answers.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// The answers.
    pub records: Vec<Record>,
}

impl Record {
    /// What an algorithm's answer to a request of `cost` leaves behind, by the state after it. Which
    /// request it was is filled in by whoever knows its number.
    pub fn of<A: Algorithm>(
        algorithm: &A,
        state: &A::State,
        now: Clocked,
        cost: Cost,
        decision: Decision,
    ) -> Self {
        let reading = now.reading;
        let retry = || algorithm.retry_after(state, reading, cost);
        let remaining = algorithm.remaining(state, reading);
        Self {
            request: 0,
            attempt: 1,
            at: now.at,
            decision,
            reason: None,
            node: 0,
            answered: now.at,
            remaining: Some(remaining),
            retry: (decision == Decision::Deny).then(retry),
            level: Some(algorithm.level(state, reading)),
            outlook: Some(Outlook::of(algorithm, state, now, remaining)),
            is_too_large: decision == Decision::Deny && cost > algorithm.level_bound(),
            is_false: false,
            chapter: None,
        }
    }

    /// An answer that no limiter gave, to be filled in likewise.
    pub const fn without_limiter(decision: Decision, retry: Option<Retry>) -> Self {
        Self {
            request: 0,
            attempt: 1,
            at: SimTime::ZERO,
            decision,
            reason: None,
            node: 0,
            answered: SimTime::ZERO,
            remaining: None,
            retry,
            level: None,
            outlook: None,
            is_too_large: false,
            is_false: false,
            chapter: None,
        }
    }
}

impl Record {
    /// Corrects what was worked out by a clock that has stopped for its key, which begins anew only when
    /// it expires: that is this long from now.
    pub fn await_expiry(&mut self, expiry: Retry) {
        let correct = |wait: &mut Retry| {
            if matches!(wait, Retry::After(1..)) {
                *wait = expiry;
            }
        };
        self.retry.as_mut().map(correct);
        if let Some(outlook) = &mut self.outlook {
            correct(&mut outlook.more);
            correct(&mut outlook.whole);
        }
    }
}

impl Outlook {
    fn of<A: Algorithm>(algorithm: &A, state: &A::State, now: Clocked, remaining: Cost) -> Self {
        let until = |cost| algorithm.retry_after(state, now.reading, cost);
        Self {
            clock: now.shows,
            remaining,
            more: until(remaining + 1),
            whole: match algorithm.level_bound() {
                0 => Retry::Never,
                most => until(most),
            },
        }
    }
}

impl Recorder {
    /// Notes the verdicts on the latest answers.
    pub fn judge<A: Amounts>(&mut self, verdicts: &Verdicts<A>) {
        let first = self.records.len() - verdicts.wrong.len();
        for (record, wrong) in self.records[first..].iter_mut().zip(&verdicts.wrong) {
            record.is_false = *wrong;
        }
    }
}
