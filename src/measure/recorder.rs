//! Every answer, for runs small enough to be drawn request by request.

use super::amounts::Amounts;
use super::forwards::Verdicts;
use super::{Clocked, Record};
use crate::limiter::{Algorithm, Decision};
use crate::units::{Cost, SimTime};

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
        Self {
            request: 0,
            attempt: 1,
            at: now.at,
            decision,
            reason: None,
            node: 0,
            answered: now.at,
            remaining: Some(algorithm.remaining(state, reading)),
            retry: (decision == Decision::Deny).then(retry),
            level: Some(algorithm.level(state, reading)),
            is_false: false,
        }
    }

    /// An answer that no limiter gave, to be filled in likewise.
    pub const fn without_limiter(decision: Decision) -> Self {
        Self {
            request: 0,
            attempt: 1,
            at: SimTime::ZERO,
            decision,
            reason: None,
            node: 0,
            answered: SimTime::ZERO,
            remaining: None,
            retry: None,
            level: None,
            is_false: false,
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
