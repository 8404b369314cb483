//! Who a request is: the address that it comes from, its user and the API key that it shows.
//!
//! They are for rules that count by them, and only who counts asks for them: arrivals carry their key
//! alone. Each is drawn for itself, with random numbers of its own.

use super::keys::{KeyField, KeyStream, Keys};
use super::random::Purpose;
use super::{Arrival, Names, Workload};
use crate::units::KeyId;
use std::sync::Arc;

/// The fields of a block that say who its requests are; what it does not say is the request's key.
pub const IDENTITY_FIELDS: [&str; 3] = ["ip", "user", "api_key"];

/// What each of the fields is drawn with.
const PURPOSES: [Purpose; 3] = [Purpose::Addresses, Purpose::Users, Purpose::ApiKeys];

/// What several are called where nothing else is said.
pub(super) const PREFIXES: [&str; 3] = ["ip-", "user-", "api-key-"];

/// What a block says of who its requests are, by [`IDENTITY_FIELDS`].
pub(super) type IdentityFields = [Option<KeyField>; 3];

/// A text that is part of who a request is, as an index into [`PartNames`]. Below the number of the
/// run's keys it is that key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub u32);

impl From<KeyId> for PartId {
    fn from(key: KeyId) -> Self {
        Self(key.0)
    }
}

/// Who a request is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The key that the traffic gives it.
    pub client: PartId,
    /// Its address.
    pub ip: PartId,
    /// Its user.
    pub user: PartId,
    /// The API key that it shows.
    pub api_key: PartId,
}

/// The texts of a run's parts: the names of its keys, then those that are only parts. Each text has one
/// number.
#[derive(Clone, Debug, Default)]
pub struct PartNames {
    keys: Arc<Names>,
    others: Names,
}

impl PartNames {
    /// The names of a run's keys, and behind them those that are none.
    pub fn new(keys: Arc<Names>, others: Names) -> Self {
        Self { keys, others }
    }

    /// The text of a part.
    pub fn name(&self, part: PartId) -> &str {
        let number = part.0 as usize;
        match self.keys.get(number) {
            Some(name) => name,
            None => &self.others[number - self.keys.len()],
        }
    }
}

/// Draws who requests are, in the order of a run's arrivals: the same seed and order give the same.
#[derive(Debug)]
pub struct Identities {
    /// The block of each mark.
    blocks: Vec<u16>,
    /// By block and field, what is drawn from.
    sources: Vec<[Option<KeyStream>; 3]>,
}

impl Identities {
    /// Who this request is, the next one of the run.
    pub fn draw(&mut self, arrival: &Arrival) -> Identity {
        let block = self.blocks[arrival.mark.0 as usize];
        let client = PartId::from(arrival.key);
        let sources = self.sources[usize::from(block)].iter_mut();
        let mut parts = [client; 3];
        for (part, source) in parts.iter_mut().zip(sources) {
            if let Some(source) = source {
                *part = source.draw().into();
            }
        }
        let [ip, user, api_key] = parts;
        Identity {
            client,
            ip,
            user,
            api_key,
        }
    }
}

impl Workload {
    /// Who the requests of a run with this seed are.
    pub fn identities(&self, seed: u64) -> Identities {
        let stream = |keys: &Keys, block, purpose| keys.whole(seed, block, purpose);
        let sources = self.blocks.iter().zip(0..).map(|(block, index)| {
            std::array::from_fn(|field| {
                let keys = block.identity[field].as_ref();
                keys.map(|keys| stream(keys, index, PURPOSES[field]))
            })
        });
        Identities {
            blocks: self.marks.iter().map(|mark| mark.block).collect(),
            sources: sources.collect(),
        }
    }

    /// What parts of identities are called.
    pub fn part_names(&self) -> Arc<PartNames> {
        self.parts.clone()
    }
}
