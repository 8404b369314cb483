//! How amounts are kept: as counts where every request costs 1, as sums of costs otherwise.

use super::departures::Departures;
use super::past::Past;
use super::recent::Recent;
use crate::units::Cost;
use std::fmt::Debug;
use std::ops::AddAssign;

/// The form that a run's amounts are kept in, chosen once from its traffic: both give the same
/// numbers, and counts take half the room and no wide arithmetic.
pub trait Amounts: Copy + Debug + Default + Send + Sync + 'static {
    /// What several requests cost together.
    type Sum: Copy + Debug + Default + Ord + Send + From<Cost> + Into<u128> + AddAssign;
    /// What is remembered of the requests of many keys.
    type Past: Past<Self>;

    /// The cost of the request at `index` among those of a batch.
    fn cost(costs: &[Cost], index: usize) -> Cost;
}

/// Every request costs 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts;

/// Requests have costs of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums;

impl Amounts for Counts {
    type Sum = u64;
    type Past = Recent;

    fn cost(_: &[Cost], _: usize) -> Cost {
        1
    }
}

impl Amounts for Sums {
    type Sum = u128;
    type Past = Departures;

    fn cost(costs: &[Cost], index: usize) -> Cost {
        costs[index]
    }
}
