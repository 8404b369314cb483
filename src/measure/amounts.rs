//! How amounts are kept: as counts where every request costs 1, as sums of costs otherwise.

use crate::units::Cost;
use std::fmt::Debug;
use std::ops::{AddAssign, SubAssign};

/// The form that a run's amounts are kept in, chosen once from its traffic: both give the same
/// numbers, and counts take half the room and no wide arithmetic.
pub trait Amounts: Copy + Debug + Default + Send + Sync + 'static {
    /// One request of a key's past.
    type Entry: Copy + Debug + Default + Send;
    /// What several of them cost together.
    type Sum: Copy + Debug + Default + Ord + Send + From<Cost> + Into<u128> + AddAssign + SubAssign;

    /// The cost of the request at `index` among those of a batch.
    fn cost(costs: &[Cost], index: usize) -> Cost;
    /// A request at `at` of this cost.
    fn entry(at: u64, cost: Cost) -> Self::Entry;
    /// When it was.
    fn at(entry: Self::Entry) -> u64;
    /// What it cost.
    fn cost_of(entry: Self::Entry) -> Cost;
}

/// Every request costs 1: a past is a list of times, and a sum is its length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts;

/// Requests have costs of their own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums;

impl Amounts for Counts {
    type Entry = u64;
    type Sum = u64;

    fn cost(_: &[Cost], _: usize) -> Cost {
        1
    }
    fn entry(at: u64, _: Cost) -> u64 {
        at
    }
    fn at(entry: u64) -> u64 {
        entry
    }
    fn cost_of(_: u64) -> Cost {
        1
    }
}

impl Amounts for Sums {
    type Entry = (u64, Cost);
    type Sum = u128;

    fn cost(costs: &[Cost], index: usize) -> Cost {
        costs[index]
    }
    fn entry(at: u64, cost: Cost) -> (u64, Cost) {
        (at, cost)
    }
    fn at((at, _): (u64, Cost)) -> u64 {
        at
    }
    fn cost_of((_, cost): (u64, Cost)) -> Cost {
        cost
    }
}
