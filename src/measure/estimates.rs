//! How far an estimating algorithm's count lies from the true one.

use super::amounts::Amounts;
use super::batch::{Answers, Columns};
use super::forwards::Verdicts;
use super::past::Past;
use crate::units::{Cost, Limit, to_float};

/// The mean relative error |estimate − true| / true over requests with a true count above 0.
///
/// Both are taken just before the request is decided; the true count is the cost of the same counted
/// requests in (t − w, t]. Each ratio is kept to twelve decimals, so that sums do not depend on their
/// order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimates {
    sum: u128,
    requests: u64,
}

/// Where the true count of one candidate's counted requests comes from.
pub enum Truth<A: Amounts> {
    /// It counts what it forwards.
    Forwarded,
    /// It counts all requests, and what was offered is known.
    Offered,
    /// It counts denied requests up to this cost.
    Counted(A::Past, Cost),
}

impl Estimates {
    /// Decimals that ratios are kept to, as a factor.
    pub const SCALE: u128 = 1_000_000_000_000;

    /// Compares a candidate's estimates of a batch with the true counts.
    pub fn observe<A: Amounts>(
        &mut self,
        truth: &mut Truth<A>,
        batch: &Columns,
        answers: &Answers,
        verdicts: &Verdicts<A>,
    ) {
        match truth {
            Truth::Forwarded => {
                for (estimate, before) in answers.estimates.iter().zip(&verdicts.before) {
                    self.add(*estimate, (*before).into());
                }
            }
            Truth::Offered => {
                for (estimate, before) in answers.estimates.iter().zip(batch.before) {
                    self.add(*estimate, (*before).into());
                }
            }
            Truth::Counted(past, bound) => {
                self.count::<A>(past, *bound, batch, answers);
            }
        }
    }

    fn count<A: Amounts>(
        &mut self,
        past: &mut A::Past,
        bound: Cost,
        batch: &Columns,
        answers: &Answers,
    ) {
        for (index, estimate) in answers.estimates.iter().enumerate() {
            let (slot, now) = (batch.slots[index] as usize, batch.times[index]);
            let cost = A::cost(batch.costs, index);
            self.add(*estimate, past.sum(slot, now).into());
            if cost > 0 && (answers.admitted[index] || cost <= bound) {
                past.note(slot, now, cost);
            }
        }
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    fn add(&mut self, estimate: f64, truth: u128) {
        // Who was not asked has no estimate.
        if truth == 0 || estimate.is_nan() {
            return;
        }
        let truth = to_float(truth);
        let error = (estimate - truth).abs() / truth * Self::SCALE as f64;
        self.sum += if error < u64::MAX as f64 {
            u128::from(error as u64)
        } else {
            error as u128
        };
        self.requests += 1;
    }

    /// Adds another shard's.
    pub fn merge(&mut self, other: Self) {
        self.sum += other.sum;
        self.requests += other.requests;
    }

    /// Numerator and denominator of the mean; the latter is 0 where nothing was estimated.
    pub fn mean(&self) -> (u128, u128) {
        (self.sum, u128::from(self.requests) * Self::SCALE)
    }
}

impl<A: Amounts> Truth<A> {
    /// The truth of a candidate that counts denied requests up to `bound` in the limit's windows.
    pub fn counted(limit: Limit, bound: Cost) -> Self {
        Self::Counted(A::Past::new(limit, None), bound)
    }

    /// Makes room for `keys` keys.
    pub fn reach(&mut self, keys: usize) {
        if let Self::Counted(past, _) = self {
            past.reach(keys);
        }
    }
}
