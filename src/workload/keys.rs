//! Whose requests they are: the names of a run's keys, and how a block chooses among its own.

mod addresses;
mod alias;
mod names;
mod popularity;

pub(super) use names::KeyNames;
pub use names::Names;
pub(super) use popularity::Popularity;

use super::random::{Purpose, WHOLE, generator};
use crate::error::Result;
use crate::params::{Node, Params, Value};
use crate::units::{KeyId, SHARDS};
use addresses::Network;
use alias::AliasTable;
use rand::Rng;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// The key of a block that names none.
pub(super) const ONE_KEY: &str = "all";

/// The keys that a block states.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KeyField {
    /// One key of this name.
    One(String),
    /// Several of them.
    Many {
        count: u32,
        naming: Naming,
        popularity: Popularity,
    },
}

/// What several keys are called.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Naming {
    /// `prefix1` … `prefixN`. The numbers are not padded, so that blocks of different counts share
    /// their first keys.
    Counted(String),
    /// Addresses that lie evenly in a network.
    Addresses(Network),
}

impl KeyField {
    /// Reads the field `name`, such as `keys`; `None` when it is absent. Where nothing else is said,
    /// several are called `prefix` and a number.
    pub(super) fn read(
        params: &mut Params,
        name: &'static str,
        prefix: &str,
    ) -> Result<Option<Self>> {
        match params.raw(name) {
            None => Ok(None),
            Some(Node {
                value: Value::Text(text),
                ..
            }) => {
                params.resolve(name, text.clone().into());
                Ok(Some(Self::One(text)))
            }
            Some(node) => {
                let Some(mut table) = params.table(name) else {
                    return Err(params.error(
                        name,
                        format!(
                            "found {}, expected a name in quotes or {{ count = N, popularity = \
                             \"uniform\", \"zipf\", \"lognormal\" or \"hot\" }}",
                            node.value.describe()
                        ),
                    ));
                };
                let keys = Self::read_many(&mut table, prefix)?;
                params.resolve(name, table.finish()?.into());
                Ok(Some(keys))
            }
        }
    }

    fn read_many(table: &mut Params, prefix: &str) -> Result<Self> {
        if !table.has("count") {
            table.required::<u64>("count")?;
        }
        let count = table.whole("count", 1, u64::from(u32::MAX), 1)?;
        let popularity = Popularity::read(table, count)?;
        let naming = match table.optional::<Network>("network")? {
            Some(_) if table.has("prefix") => {
                let message = "is for counted names, and these are addresses of a `network`; leave \
                               one of them out";
                return Err(table.error("prefix", message));
            }
            Some(network) if u128::from(count) > network.size() => {
                let message = format!("has {} addresses, fewer than `count`", network.size());
                return Err(table.error("network", message));
            }
            Some(network) => Naming::Addresses(network),
            None => Naming::Counted(table.or("prefix", prefix.to_owned())?),
        };
        Ok(Self::Many {
            count: u32::try_from(count).expect("checked above"),
            naming,
            popularity,
        })
    }

    /// Whether no key is chosen more often than another.
    pub(super) fn are_alike(&self) -> bool {
        match self {
            Self::One(_) => true,
            Self::Many { popularity, .. } => *popularity == Popularity::Uniform,
        }
    }

    /// How many keys it names.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::One(_) => 1,
            Self::Many { count, .. } => u64::from(*count),
        }
    }

    /// Refuses keys whose names would take more than `memory` bytes.
    pub(super) fn check_room(
        &self,
        names: &KeyNames,
        memory: u64,
    ) -> std::result::Result<(), String> {
        match self {
            Self::One(_) => names.check_room(1, memory),
            Self::Many { count, naming, .. } => match naming {
                Naming::Counted(prefix) => names.check_counted(prefix, *count, memory),
                Naming::Addresses(_) => names.check_room(u64::from(*count), memory),
            },
        }
    }

    /// Gives the names their numbers.
    pub(super) fn intern(&self, names: &mut KeyNames) -> Result<Keys> {
        match self {
            Self::One(name) => Ok(Keys::One(names.intern(name)?)),
            Self::Many {
                count,
                naming,
                popularity,
            } => Ok(Keys::Many {
                ids: match naming {
                    Naming::Counted(prefix) => names.intern_counted(prefix, *count)?,
                    Naming::Addresses(network) => {
                        let addresses = (0..*count).map(|index| network.address(index, *count));
                        let ids = addresses.map(|address| names.intern(&address.to_string()));
                        Ids::Listed(ids.collect::<Result<_>>()?)
                    }
                },
                popularity: *popularity,
            }),
        }
    }
}

/// Numbers of keys, in the order of their block.
#[derive(Clone, Debug)]
pub(super) enum Ids {
    /// From the first on in equal steps: keys that no earlier block names, or those of one shard.
    Run { first: u32, step: u32, count: u32 },
    /// Any others.
    Listed(Arc<[KeyId]>),
}

impl Ids {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Run { count, .. } => *count as usize,
            Self::Listed(ids) => ids.len(),
        }
    }

    /// The one at `index`, below the length.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn get(&self, index: usize) -> KeyId {
        match self {
            Self::Run { first, step, .. } => KeyId(first + index as u32 * step),
            Self::Listed(ids) => ids[index],
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = KeyId> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The parts of the shards that have any.
    fn by_shard(&self) -> Vec<(u32, Self)> {
        let parts: Vec<Self> = match *self {
            Self::Run {
                first,
                step: 1,
                count,
            } => (0..SHARDS)
                .map(|shard| {
                    let skip = (shard + SHARDS - first % SHARDS) % SHARDS;
                    Self::Run {
                        first: first.saturating_add(skip),
                        step: SHARDS,
                        count: count.saturating_sub(skip).div_ceil(SHARDS),
                    }
                })
                .collect(),
            _ => {
                let mut parts = vec![Vec::new(); SHARDS as usize];
                self.iter()
                    .for_each(|id| parts[id.shard() as usize].push(id));
                parts
                    .into_iter()
                    .map(|ids| Self::Listed(ids.into()))
                    .collect()
            }
        };
        let parts = (0..SHARDS).zip(parts);
        parts.filter(|(_, ids)| ids.len() > 0).collect()
    }
}

/// The keys of one block.
#[derive(Clone, Debug)]
pub(super) enum Keys {
    One(KeyId),
    Many { ids: Ids, popularity: Popularity },
}

impl Keys {
    /// All of them, in the order of the block.
    pub(super) fn ids(&self) -> Ids {
        match self {
            Self::One(id) => Ids::Run {
                first: id.0,
                step: 1,
                count: 1,
            },
            Self::Many { ids, .. } => ids.clone(),
        }
    }

    /// The weight of each key.
    fn weights(&self) -> Vec<f64> {
        match self {
            Self::One(_) => vec![1.0],
            Self::Many { ids, popularity } => (0..ids.len())
                .map(|index| popularity.weight(index, ids.len()))
                .collect(),
        }
    }

    /// The choice among all keys of block `block`, made for `purpose`.
    pub(super) fn whole(&self, seed: u64, block: u16, purpose: Purpose) -> KeyStream {
        let choice = match self {
            Self::One(id) => Choice::One(*id),
            Self::Many {
                ids,
                popularity: Popularity::Uniform,
            } => Choice::Uniform(ids.clone()),
            Self::Many { ids, .. } => {
                let table = AliasTable::new(ids.iter(), &self.weights());
                Choice::Weighted(table.expect("some key weighs more than nothing"))
            }
        };
        KeyStream {
            choice,
            random: generator(seed, block, WHOLE, purpose),
        }
    }

    /// The keys' shares of the block's requests, each with the number of keys that have it; `None`
    /// where more than `most` keys differ.
    pub(super) fn shares(&self, most: usize) -> Option<Vec<(f64, f64)>> {
        match self {
            Self::One(_) => Some(vec![(1.0, 1.0)]),
            Self::Many {
                ids,
                popularity: Popularity::Uniform,
            } => {
                let count = ids.len() as f64;
                Some(vec![(1.0 / count, count)])
            }
            Self::Many { ids, .. } if ids.len() > most => None,
            Self::Many { .. } => {
                let weights = self.weights();
                let total: f64 = weights.iter().sum();
                let shares = weights.into_iter().map(|weight| (weight / total, 1.0));
                Some(shares.collect())
            }
        }
    }

    /// For each shard with keys of block `block`: the shard, its share of the block's requests, and
    /// the choice among its keys.
    pub(super) fn split(&self, seed: u64, block: u16) -> Vec<(u32, f64, KeyStream)> {
        let stream = |shard, choice| KeyStream {
            choice,
            random: generator(seed, block, shard, Purpose::Keys),
        };
        let (ids, popularity) = match self {
            Self::One(id) => return vec![(id.shard(), 1.0, stream(id.shard(), Choice::One(*id)))],
            Self::Many { ids, popularity } => (ids, *popularity),
        };
        let parts = ids.by_shard().into_iter();
        if popularity == Popularity::Uniform {
            let all = ids.len() as f64;
            return parts
                .map(|(shard, ids)| {
                    let share = ids.len() as f64 / all;
                    (shard, share, stream(shard, Choice::Uniform(ids)))
                })
                .collect();
        }
        let mut weights = vec![Vec::new(); SHARDS as usize];
        for (id, weight) in ids.iter().zip(self.weights()) {
            weights[id.shard() as usize].push(weight);
        }
        let sums: Vec<f64> = weights.iter().map(|weights| weights.iter().sum()).collect();
        let total: f64 = sums.iter().sum();
        parts
            .filter_map(|(shard, ids)| {
                let table = AliasTable::new(ids.iter(), &weights[shard as usize])?;
                let share = sums[shard as usize] / total;
                Some((shard, share, stream(shard, Choice::Weighted(table))))
            })
            .collect()
    }
}

/// An endless sequence of keys, drawn independently by their popularity.
#[derive(Debug)]
pub(super) struct KeyStream {
    choice: Choice,
    random: Pcg64,
}

#[derive(Debug)]
enum Choice {
    One(KeyId),
    Uniform(Ids),
    Weighted(AliasTable),
}

impl KeyStream {
    /// The next key.
    pub(super) fn draw(&mut self) -> KeyId {
        let mut key = [KeyId::default()];
        self.fill(&mut key);
        key[0]
    }

    /// The next keys, as many as there is room for.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn fill(&mut self, keys: &mut [KeyId]) {
        let random = &mut self.random;
        match &self.choice {
            Choice::One(id) => keys.fill(*id),
            Choice::Uniform(ids) => {
                let count = ids.len() as u128;
                for key in keys {
                    // The upper half of word · count, which is off from alike by count / 2^64.
                    let place = (u128::from(random.next_u64()) * count) >> 64;
                    *key = ids.get(place as usize);
                }
            }
            Choice::Weighted(table) => {
                for key in keys {
                    *key = table.choose(random.next_u64());
                }
            }
        }
    }
}
