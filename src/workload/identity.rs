//! Who a request says it is: the address, the user and the key that it shows.

use super::{Arrival, Names, Workload};
use crate::units::KeyId;
use std::sync::Arc;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The key that the traffic gives it.
    pub client: PartId,
    /// Its address.
    pub ip: PartId,
    /// Its user.
    pub user: PartId,
    /// The key that it shows.
    pub api_key: PartId,
}

/// The texts of a run's parts: the names of its keys, then those that are only parts.
#[derive(Clone, Debug, Default)]
pub struct PartNames {
    keys: Arc<Names>,
    others: Names,
}

impl PartNames {
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
pub struct Identities {}

impl Identities {
    /// Who this request is, the next one of the run. What its block does not say is its key.
    pub fn draw(&mut self, arrival: &Arrival) -> Identity {
        let key = PartId::from(arrival.key);
        Identity {
            client: key,
            ip: key,
            user: key,
            api_key: key,
        }
    }
}

impl Workload {
    /// Who the requests of a run with this seed are.
    pub fn identities(&self, _seed: u64) -> Identities {
        Identities {}
    }

    /// What parts of identities are called.
    pub fn part_names(&self) -> Arc<PartNames> {
        Arc::new(PartNames {
            keys: self.keys(),
            others: Names::default(),
        })
    }
}
