//! Blocks whose instants a rule makes, and how they are cut into shards.

use super::MarkId;
use super::cost::Costs;
use super::demand::{Demand, Sources};
use super::keys::Keys;
use super::pattern::{Division, Pattern};
use super::random::{Purpose, WHOLE, generator};
use super::stream::Stream;
use crate::units::SHARDS;

/// A rule with the keys and costs of its block.
pub(super) struct Made {
    pub(super) pattern: Box<dyn Pattern>,
    pub(super) keys: Keys,
    pub(super) costs: Costs,
    pub(super) mark: MarkId,
}

impl Made {
    /// The arrivals of block `index` as one sequence.
    pub(super) fn sequence(&self, seed: u64, index: u16) -> Stream {
        let random = generator(seed, index, WHOLE, Purpose::Instants);
        let demand = Demand::Drawn {
            instants: self.pattern.instants(1.0, random),
            keys: self.keys.whole(seed, index, Purpose::Keys),
        };
        let costs = self.costs.stream(seed, index, WHOLE);
        Stream::new(demand, costs, self.mark, index, (0, 1))
    }

    /// The parts of block `index` that the shards make themselves; none where the rule is one
    /// sequence.
    pub(super) fn streams(&self, seed: u64, index: u16) -> Vec<(u32, Stream)> {
        let parts = match self.pattern.division() {
            Division::Whole => Vec::new(),
            Division::Shares => self.shares(seed, index),
            Division::Sources => self.sources(seed, index),
        };
        let streams = parts.into_iter().map(|(shard, demand)| {
            let costs = self.costs.stream(seed, index, shard);
            let numbers = (u64::from(shard), u64::from(SHARDS));
            let stream = Stream::new(demand, costs, self.mark, index, numbers);
            (shard, stream)
        });
        streams.collect()
    }

    fn shares(&self, seed: u64, index: u16) -> Vec<(u32, Demand)> {
        let split = self.keys.split(seed, index).into_iter();
        let parts = split.map(|(shard, share, keys)| {
            let random = generator(seed, index, shard, Purpose::Instants);
            let instants = self.pattern.instants(share, random);
            (shard, Demand::Drawn { instants, keys })
        });
        parts.collect()
    }

    fn sources(&self, seed: u64, index: u16) -> Vec<(u32, Demand)> {
        let mut shards: Vec<_> = (0..SHARDS).map(|_| Vec::new()).collect();
        for (key, number) in self.keys.ids().iter().zip(0..) {
            let random = generator(seed, index, number, Purpose::Source);
            let instants = self.pattern.instants(1.0, random);
            shards[key.shard() as usize].push((key, instants));
        }
        let shards = (0..SHARDS).zip(shards);
        shards
            .filter(|(_, sources)| !sources.is_empty())
            .map(|(shard, sources)| (shard, Demand::Sources(Sources::new(sources))))
            .collect()
    }
}
