//! Whether the traffic is one that closed forms are known for.

use super::cost::Costs;
use super::made::Made;
use super::{Origin, Workload};
use crate::units::SimTime;

impl Workload {
    /// Where the traffic is one Poisson block at unit cost from the beginning to `horizon`: rates per
    /// second and how many keys have each. Otherwise, or where too many keys differ, nothing.
    pub fn poisson_rates(&self, horizon: SimTime) -> Vec<(f64, f64)> {
        const MOST_RATES: usize = 10_000;
        let [block] = self.blocks.as_slice() else {
            return Vec::new();
        };
        let Origin::Made(Made {
            pattern,
            keys,
            costs: Costs::Fixed(1),
            ..
        }) = &block.origin
        else {
            return Vec::new();
        };
        let whole = pattern
            .poisson()
            .filter(|(from, end, _)| *from == SimTime::ZERO && *end >= horizon);
        let Some((_, _, rate)) = whole else {
            return Vec::new();
        };
        let Some(shares) = keys.shares(MOST_RATES) else {
            return Vec::new();
        };
        shares
            .into_iter()
            .map(|(share, count)| (share * rate, count))
            .collect()
    }
}
