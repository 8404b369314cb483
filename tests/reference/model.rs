//! What a reference algorithm answers.

use num_bigint::BigInt;
use num_rational::BigRational;

/// What is decided of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Deny,
    /// Admitted, with the wait in whole nanoseconds; none for a wait without end.
    Admit(Option<BigInt>),
}

impl Verdict {
    pub(crate) fn at_once() -> Self {
        Self::Admit(Some(BigInt::ZERO))
    }

    pub(crate) fn is_admitted(&self) -> bool {
        *self != Self::Deny
    }
}

/// One key under a reference algorithm. Times are nanoseconds since the scenario began.
pub(crate) trait Model {
    /// Decides and keeps what follows from it.
    fn decide(&mut self, now: &BigInt, cost: &BigInt) -> Verdict;

    /// What would be decided.
    fn ask(&self, now: &BigInt, cost: &BigInt) -> Verdict;

    /// Charges what was admitted elsewhere, without a question.
    fn charge(&mut self, now: &BigInt, cost: &BigInt);

    /// A request within what it can hold asks for the state, which begins with the first who does.
    fn begin(&mut self, _now: &BigInt) {}

    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn Model>;

    /// Moments within [from, to) at which a request might be admitted and no longer later.
    fn moments(&self, _from: &BigInt, _to: &BigInt) -> Vec<BigInt> {
        Vec::new()
    }
}

pub(crate) fn ratio(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

pub(crate) fn whole(value: &BigInt) -> BigRational {
    BigRational::from_integer(value.clone())
}
