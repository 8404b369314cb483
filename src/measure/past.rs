//! What is remembered of the requests of many keys: enough to know the sum of every trailing window.

use super::Grid;
use super::amounts::Amounts;
use super::batch::{Answers, Columns};
use super::forwards::Verdicts;
use crate::units::Limit;

/// How many requests' entries are read ahead: few enough to stay in the nearest cache.
pub(super) const TOUCHED: usize = 64;

/// The requests of many keys within reach of the window, in order of their forwarding.
pub trait Past<A: Amounts>: Send + Sized {
    /// Nothing was forwarded yet. With a grid, the highest window of each of its buckets is noted.
    fn new(limit: Limit, tops: Option<Grid>) -> Self;

    /// Makes room for `keys` keys.
    fn reach(&mut self, keys: usize);

    /// Judges a batch of decisions and notes what they forward.
    ///
    /// A request of cost 0 is neither a false allow nor a false deny, and one that is never
    /// forwarded counts in no window.
    fn judge(&mut self, batch: &Columns, answers: &Answers, verdicts: &mut Verdicts<A>);

    /// The sum of what was noted in (now − w, now], where `now` is not before an earlier one of the
    /// key.
    fn sum(&mut self, slot: usize, now: u64) -> A::Sum;

    /// Reads what sums and notes of requests of these keys will read, so that the reads, which depend
    /// on nothing, wait for memory together and not one after the other.
    fn touch(&self, slots: &[u32]);

    /// Notes a request that came and was forwarded at `now`, for which the sum has just been asked.
    fn note(&mut self, slot: usize, now: u64, cost: u64);

    /// The highest sum that a key has had in a window.
    fn peak(&self, slot: usize) -> A::Sum;

    /// The highest sum that any key has had.
    fn highest(&self) -> A::Sum;

    /// For each bucket of the grid the highest sum that any key had when something was forwarded in
    /// it; empty without a grid.
    fn tops(&self) -> &[A::Sum];
}
