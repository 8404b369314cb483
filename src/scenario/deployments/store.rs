//! Where the state lives, and how long the way there is.

use super::{refuse, required};
use crate::error::Result;
use crate::params::Params;
use crate::simulation::{Access, Deployment, Store};
use crate::units::{Limit, Nanos};
use crate::workload::Distribution;

/// The stores, as a scenario names them.
const LOCAL: &str = "local";
const CENTRAL: &str = "central";
const SYNCED: &str = "synced";
const LEASED: &str = "leased";

/// The ways of asking a central store, as a scenario names them.
const ATOMIC: &str = "atomic";
const READ_THEN_WRITE: &str = "read_then_write";
const READ_THEN_INCREMENT: &str = "read_then_increment";

/// How a scenario names this kind of store.
pub(super) fn name_of(store: &Store) -> &'static str {
    match store {
        Store::Local { .. } => LOCAL,
        Store::Central(_) => CENTRAL,
        Store::Synced { .. } => SYNCED,
        Store::Leased { .. } => LEASED,
    }
}

/// Reads where the state lives, and refuses what belongs to other stores.
pub(super) fn kind(params: &mut Params) -> Result<Store> {
    let kind = params.choice("store", &[LOCAL, CENTRAL, SYNCED, LEASED], LOCAL)?;
    for (name, owner) in [
        ("share", LOCAL),
        ("access", CENTRAL),
        ("sync_every", SYNCED),
        ("batch", LEASED),
    ] {
        if owner != kind {
            let why = format!("it is for store = \"{owner}\", and this one is \"{kind}\"");
            refuse(params, name, &why)?;
        }
    }
    Ok(match kind {
        CENTRAL => Store::Central(access(params)?),
        SYNCED => Store::Synced {
            every: sync_every(params)?,
        },
        LEASED => Store::Leased {
            batch: batch(params)?,
        },
        _ => Store::Local {
            is_split: params.choice("share", &["whole", "split"], "whole")? == "split",
        },
    })
}

fn access(params: &mut Params) -> Result<Access> {
    const NAMES: [&str; 3] = [ATOMIC, READ_THEN_WRITE, READ_THEN_INCREMENT];
    Ok(match params.choice("access", &NAMES, ATOMIC)? {
        READ_THEN_WRITE => Access::ReadThenWrite,
        READ_THEN_INCREMENT => Access::ReadThenIncrement,
        _ => Access::Atomic,
    })
}

fn sync_every(params: &mut Params) -> Result<Nanos> {
    let why = "how often nodes tell each other what they admitted, such as sync_every = \"100ms\"";
    let every = required(params, "sync_every", why)?;
    if every == Nanos::ZERO {
        return Err(params.error("sync_every", "found 0s, but must be longer than that"));
    }
    Ok(every)
}

fn batch(params: &mut Params) -> Result<u64> {
    if !params.has("batch") {
        let why = "how many units a node takes from the store at a time, such as batch = 10";
        required::<u64>(params, "batch", why)?;
    }
    params.whole("batch", 1, Limit::MAX_UNITS, 1)
}

/// Refuses stores that know one state for each request, where rules bring it before several.
pub(super) fn check_rules(params: &Params, deployment: &Deployment) -> Result<()> {
    let (name, found) = match deployment.store {
        Store::Leased { .. } => ("store", LEASED),
        Store::Central(Access::ReadThenWrite) => ("access", READ_THEN_WRITE),
        Store::Central(Access::ReadThenIncrement) => ("access", READ_THEN_INCREMENT),
        Store::Central(Access::Atomic) | Store::Local { .. } | Store::Synced { .. } => {
            return Ok(());
        }
    };
    let message = format!(
        "found \"{found}\", which is simulated for one state, and rules bring a request before \
         several; allowed with rules: store = \"{LOCAL}\", \"{SYNCED}\", or \"{CENTRAL}\" with access = \
         \"{ATOMIC}\"; or leave the rules out"
    );
    Err(params.error(name, message))
}

/// Reads how long a round trip takes.
pub(super) fn link(params: &mut Params, deployment: &mut Deployment) -> Result<()> {
    if matches!(deployment.store, Store::Local { .. }) {
        let why = "store = \"local\" asks nobody, so there is no round trip; leave it out, or choose \
                   another store";
        return refuse(params, "rtt", why);
    }
    match Distribution::durations(params, "rtt")? {
        Some(rtt) => deployment.rtt = rtt,
        None => params.resolve("rtt", Nanos::ZERO.to_string().into()),
    }
    let longest = Deployment::LONGEST_TRIP;
    let stated = deployment.rtt.constant();
    if stated.is_some_and(|nanos| nanos > longest.as_secs_f64() * 1e9) {
        let message = format!("is longer than {longest}, the longest allowed");
        return Err(params.error("rtt", message));
    }
    Ok(())
}
