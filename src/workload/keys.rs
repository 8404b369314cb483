//! Whose requests they are: the names of a run's keys, and how a block chooses among its own.

use super::random::{Purpose, WHOLE, generator};
use crate::error::{Error, Result};
use crate::params::{FromValue, Node, Params, Value};
use crate::units::{KeyId, SHARDS};
use rand::RngExt;
use rand::distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;
use rand_pcg::Pcg64;
use std::collections::HashMap;
use std::sync::Arc;

/// The key of a block that names none.
pub(super) const ONE_KEY: &str = "all";

/// The keys that a block states.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KeyField {
    /// One key of this name.
    One(String),
    /// `prefix1` … `prefixN`. The numbers are not padded, so that blocks of different counts share
    /// their first keys.
    Many {
        count: u32,
        prefix: String,
        popularity: Popularity,
    },
}

/// How often each of many keys is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Popularity {
    /// All equally.
    Uniform,
    /// The k-th in proportion to k^−exponent.
    Zipf { exponent: f64 },
    /// The first takes this share of all, the others the rest alike.
    Hot { share: f64 },
}

/// The exponent of a Zipf law: a plain decimal number from 0 to 20.
#[derive(Clone, Copy, Debug)]
struct Exponent(f64);

impl FromValue for Exponent {
    const EXPECTED: &'static str = "a number from 0 to 20 such as 1.1";

    fn from_value(value: &Value) -> std::result::Result<Self, String> {
        let number = match value {
            Value::Number(text) => text.parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|number| (0.0..=20.0).contains(number))
            .map(Self)
            .ok_or_else(|| format!("found {}, expected {}", value.describe(), Self::EXPECTED))
    }

    fn to_toml(&self) -> toml::Value {
        self.0.into()
    }
}

impl KeyField {
    /// Reads the field `keys`; `None` when it is absent.
    pub(super) fn read(params: &mut Params) -> Result<Option<Self>> {
        match params.raw("keys") {
            None => Ok(None),
            Some(Node {
                value: Value::Text(name),
                ..
            }) => {
                params.resolve("keys", name.clone().into());
                Ok(Some(Self::One(name)))
            }
            Some(node) => {
                let Some(mut table) = params.table("keys") else {
                    return Err(params.error(
                        "keys",
                        format!(
                            "found {}, expected a name in quotes or {{ count = N, popularity = \
                             \"uniform\", \"zipf\" or \"hot\" }}",
                            node.value.describe()
                        ),
                    ));
                };
                let keys = Self::read_many(&mut table)?;
                params.resolve("keys", table.finish()?.into());
                Ok(Some(keys))
            }
        }
    }

    fn read_many(table: &mut Params) -> Result<Self> {
        if !table.has("count") {
            table.required::<u64>("count")?;
        }
        let count = table.whole("count", 1, u64::from(u32::MAX), 1)?;
        let popularity = table.choice("popularity", &["uniform", "zipf", "hot"], "uniform")?;
        let popularity = match popularity {
            "hot" => Self::read_hot(table, count)?,
            "zipf" => Popularity::Zipf {
                exponent: table.or("exponent", Exponent(1.0))?.0,
            },
            _ => Popularity::Uniform,
        };
        Ok(Self::Many {
            count: u32::try_from(count).expect("checked above"),
            prefix: table.or("prefix", "key-".to_owned())?,
            popularity,
        })
    }

    fn read_hot(table: &mut Params, count: u64) -> Result<Popularity> {
        let share = table.required::<f64>("share")?;
        if share > 1.0 {
            let message = format!(
                "{share} is out of range; allowed: 0 to 1, the part of all requests that the first key makes"
            );
            return Err(table.error("share", message));
        }
        if count < 2 {
            return Err(table.error("count", "must be at least 2 where the first key is hot"));
        }
        Ok(Popularity::Hot { share })
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

    /// Gives the names their numbers.
    pub(super) fn intern(&self, names: &mut KeyNames) -> Result<Keys> {
        match self {
            Self::One(name) => Ok(Keys::One(names.intern(name)?)),
            Self::Many {
                count,
                prefix,
                popularity,
            } => {
                names.names.reserve(*count as usize);
                names.index.reserve(*count as usize);
                let ids = (1..=*count)
                    .map(|number| names.intern(&format!("{prefix}{number}")))
                    .collect::<Result<Vec<_>>>()?;
                Ok(Keys::Many {
                    ids: ids.into(),
                    popularity: *popularity,
                })
            }
        }
    }
}

/// The names of all keys of a run and their numbers, dense from 0 in the order of the blocks.
#[derive(Debug, Default)]
pub(super) struct KeyNames {
    names: Vec<String>,
    index: HashMap<Box<str>, KeyId>,
}

impl KeyNames {
    /// Bytes that a name takes while it is read, twice over for the index: an estimate.
    const BYTES_EACH: u64 = 120;

    /// The number of the key called `name`, a new one at its first mention.
    pub(super) fn intern(&mut self, name: &str) -> Result<KeyId> {
        if let Some(id) = self.index.get(name) {
            return Ok(*id);
        }
        let id = u32::try_from(self.names.len())
            .map(KeyId)
            .map_err(|_| Error::input("the traffic has more than 2^32 keys; use fewer"))?;
        self.names.push(name.to_owned());
        self.index.insert(name.into(), id);
        Ok(id)
    }

    /// Refuses `more` keys whose names would take more than `memory` bytes.
    pub(super) fn check_room(&self, more: u64, memory: u64) -> std::result::Result<(), String> {
        let all = more.saturating_add(self.names.len() as u64);
        let bytes = all.saturating_mul(Self::BYTES_EACH);
        if bytes <= memory {
            return Ok(());
        }
        Err(format!(
            "the names of {all} keys would take about {} MB, more than the {} MB allowed; use fewer \
             keys, or raise --max-memory",
            bytes / 1_000_000,
            memory / 1_000_000
        ))
    }

    /// The names by number.
    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// The keys of one block.
#[derive(Clone, Debug)]
pub(super) enum Keys {
    One(KeyId),
    Many {
        ids: Arc<[KeyId]>,
        popularity: Popularity,
    },
}

impl Popularity {
    /// Weight of the key at `index` of `count`.
    #[allow(clippy::cast_precision_loss)]
    fn weight(self, index: usize, count: usize) -> f64 {
        match self {
            Self::Uniform => 1.0,
            Self::Zipf { exponent } => (index as f64 + 1.0).powf(-exponent),
            Self::Hot { share } if index == 0 => share,
            Self::Hot { share } => (1.0 - share) / (count as f64 - 1.0),
        }
    }

    /// The choice among keys of these weights; `None` when all weigh nothing.
    fn choice(self, ids: Arc<[KeyId]>, weights: Vec<f64>) -> Option<Choice> {
        match self {
            _ if ids.is_empty() => None,
            Self::Uniform => Some(Choice::Uniform(ids)),
            Self::Zipf { .. } | Self::Hot { .. } => WeightedAliasIndex::new(weights)
                .ok()
                .map(|table| Choice::Weighted(ids, table)),
        }
    }
}

impl Keys {
    /// All of them, in the order of the block.
    pub(super) fn ids(&self) -> &[KeyId] {
        match self {
            Self::One(id) => std::slice::from_ref(id),
            Self::Many { ids, .. } => ids,
        }
    }

    /// The choice among all keys of block `block`.
    pub(super) fn whole(&self, seed: u64, block: u16) -> KeyStream {
        let choice = match self {
            Self::One(id) => Choice::One(*id),
            Self::Many { ids, popularity } => {
                let weights = (0..ids.len())
                    .map(|i| popularity.weight(i, ids.len()))
                    .collect();
                let choice = popularity.choice(ids.clone(), weights);
                choice.expect("some key weighs more than nothing")
            }
        };
        KeyStream {
            choice,
            random: generator(seed, block, WHOLE, Purpose::Keys),
        }
    }

    /// The keys' shares of the block's requests, each with the number of keys that have it.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn shares(&self) -> Vec<(f64, f64)> {
        match self {
            Self::One(_) => vec![(1.0, 1.0)],
            Self::Many {
                ids,
                popularity: Popularity::Uniform,
            } => {
                let count = ids.len() as f64;
                vec![(1.0 / count, count)]
            }
            Self::Many { ids, popularity } => {
                let weights: Vec<f64> = (0..ids.len())
                    .map(|index| popularity.weight(index, ids.len()))
                    .collect();
                let total: f64 = weights.iter().sum();
                weights
                    .into_iter()
                    .map(|weight| (weight / total, 1.0))
                    .collect()
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
        match self {
            Self::One(id) => vec![(id.shard(), 1.0, stream(id.shard(), Choice::One(*id)))],
            Self::Many { ids, popularity } => {
                let mut parts = vec![(Vec::new(), Vec::new()); SHARDS as usize];
                let mut total = 0.0;
                for (index, id) in ids.iter().enumerate() {
                    let (shard_ids, weights) = &mut parts[id.shard() as usize];
                    let weight = popularity.weight(index, ids.len());
                    total += weight;
                    shard_ids.push(*id);
                    weights.push(weight);
                }
                let shards = (0..SHARDS).zip(parts);
                shards
                    .filter_map(|(shard, (ids, weights))| {
                        let share = weights.iter().sum::<f64>() / total;
                        let choice = popularity.choice(ids.into(), weights)?;
                        Some((shard, share, stream(shard, choice)))
                    })
                    .collect()
            }
        }
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
    Uniform(Arc<[KeyId]>),
    Weighted(Arc<[KeyId]>, WeightedAliasIndex<f64>),
}

impl KeyStream {
    /// The next key.
    pub(super) fn draw(&mut self) -> KeyId {
        match &self.choice {
            Choice::One(id) => *id,
            Choice::Uniform(ids) => {
                let count = u32::try_from(ids.len()).expect("at most 2^32 − 1 keys");
                ids[self.random.random_range(0..count) as usize]
            }
            Choice::Weighted(ids, table) => ids[table.sample(&mut self.random)],
        }
    }
}
