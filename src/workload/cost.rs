//! What each request of a block takes from its limit.

use super::distribution::Distribution;
use super::random::{Purpose, generator};
use crate::error::Result;
use crate::params::{Node, Params, Value};
use crate::units::Cost;
use rand_pcg::Pcg64;

/// The most that one request can cost: what a TOML integer holds.
pub(super) const MAX_COST: Cost = i64::MAX as Cost;

/// The costs of a block's requests.
#[derive(Clone, Debug)]
pub enum Costs {
    /// All the same.
    Fixed(Cost),
    /// Each drawn on its own, whoever asks and when. A draw is rounded to the nearest whole unit,
    /// but one above 0 never to 0: a request that costs something counts.
    Drawn(Distribution),
}

impl Costs {
    /// Whether every request costs 1.
    pub(super) const fn is_unit(&self) -> bool {
        matches!(self, Self::Fixed(1))
    }

    /// Reads the field `cost`; `None` when it is absent.
    pub(super) fn read(params: &mut Params) -> Result<Option<Self>> {
        match params.raw("cost") {
            None => Ok(None),
            Some(Node {
                value: Value::Table(_),
                ..
            }) => Ok(Distribution::numbers(params, "cost")?.map(Self::Drawn)),
            Some(_) => {
                let cost = params.whole("cost", 0, MAX_COST, 1)?;
                Ok(Some(Self::Fixed(cost)))
            }
        }
    }

    /// The costs of the requests of a `part` (a shard or the whole) of block `block`.
    pub(super) fn stream(&self, seed: u64, block: u16, part: u32) -> CostStream {
        match self {
            Self::Fixed(cost) => CostStream::Fixed(*cost),
            Self::Drawn(law) => {
                let random = generator(seed, block, part, Purpose::Costs);
                CostStream::Drawn(law.clone(), random)
            }
        }
    }
}

/// An endless sequence of costs.
pub(super) enum CostStream {
    Fixed(Cost),
    Drawn(Distribution, Pcg64),
}

impl CostStream {
    /// The next cost.
    // What is too large saturates, and is cut to the largest cost.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn draw(&mut self) -> Cost {
        match self {
            Self::Fixed(cost) => *cost,
            Self::Drawn(law, random) => {
                let drawn = law.draw(random);
                let whole = drawn.round() as Cost;
                whole.max(Cost::from(drawn > 0.0)).min(MAX_COST)
            }
        }
    }
}
