//! Clients that try again: the `client` of a scenario, of a deployment and of a traffic block.

use super::deployments::{refuse, required};
use crate::error::Result;
use crate::params::Params;
use crate::simulation::{Backoff, Client, Clients, Jitter, Precision, Retrying};
use crate::units::{Factor, Nanos};
use std::sync::Arc;

/// The `client`s of a scenario that are none of a deployment's.
#[derive(Default)]
pub(super) struct Stated {
    /// The scenario's own.
    scenario: Option<Client>,
    /// Those of the traffic blocks.
    blocks: Vec<Option<Client>>,
    /// What is to be said if the run is no longer than this.
    slow: Vec<(Nanos, String)>,
    /// What is to be said of the scenario's own, if no block needs it.
    unused: Option<String>,
}

impl Stated {
    /// Reads them from the scenario and from its traffic.
    pub(super) fn read(root: &mut Params, traffic: &mut [Params]) -> Result<Self> {
        let mut stated = Self {
            scenario: read(root)?,
            ..Self::default()
        };
        for table in traffic {
            let client = read(table)?;
            stated
                .slow
                .extend(client.and_then(|it| too_slow(table, it)));
            stated.blocks.push(client);
        }
        if let Some(client) = stated.scenario {
            stated.slow.extend(too_slow(root, client));
            stated.unused = stated.is_complete().then(|| unused(root));
        }
        Ok(stated)
    }

    /// What a user should know of those that nothing comes of in a run of this length.
    pub(super) fn notes(&self, length: Nanos) -> impl Iterator<Item = String> {
        let slow = self.slow.iter().filter(move |(wait, _)| *wait >= length);
        let slow = slow.map(|(_, note)| note);
        self.unused.iter().chain(slow).cloned()
    }

    /// Reads a deployment's, and gives what its clients do by block: what a block says counts most, then
    /// what the deployment does. What a user should know goes to `notes`.
    pub(super) fn under(
        &self,
        deployment: &mut Params,
        length: Nanos,
        notes: &mut Vec<String>,
    ) -> Result<Arc<Clients>> {
        let own = read(deployment)?;
        if let Some(client) = own {
            notes.extend(self.is_complete().then(|| unused(deployment)));
            let slow = too_slow(deployment, client).filter(|(wait, _)| *wait >= length);
            notes.extend(slow.map(|(_, note)| note));
        }
        let usual = own.or(self.scenario).unwrap_or(Client::ONCE);
        let by_block = self.blocks.iter().map(|block| block.unwrap_or(usual));
        Ok(Arc::new(Clients {
            by_block: by_block.collect(),
        }))
    }

    /// Whether every block has its own, so that no other matters.
    fn is_complete(&self) -> bool {
        self.blocks.iter().all(Option::is_some)
    }
}

/// How each retries that is refused.
const NONE: &str = "none";
const IMMEDIATE: &str = "immediate";
const FIXED: &str = "fixed";
const EXPONENTIAL: &str = "exponential";
const RETRY_AFTER: &str = "retry_after";
const NAMES: [&str; 5] = [NONE, IMMEDIATE, FIXED, EXPONENTIAL, RETRY_AFTER];

/// Which retries a field is for.
const OWNERS: [(&str, &[&str]); 8] = [
    ("wait", &[FIXED, RETRY_AFTER]),
    ("spread", &[FIXED, RETRY_AFTER]),
    ("base", &[EXPONENTIAL]),
    ("cap", &[EXPONENTIAL]),
    ("factor", &[EXPONENTIAL]),
    ("jitter", &[EXPONENTIAL]),
    ("precision", &[RETRY_AFTER]),
    (
        "max_attempts",
        &[IMMEDIATE, FIXED, EXPONENTIAL, RETRY_AFTER],
    ),
];

/// The most attempts at one request.
const MOST_ATTEMPTS: u64 = 1_000_000;

/// Reads the field `client` of a table, if it is there.
fn read(owner: &mut Params) -> Result<Option<Client>> {
    let Some(node) = owner.raw("client") else {
        return Ok(None);
    };
    let Some(mut params) = owner.table("client") else {
        let message = format!(
            "found {}, expected a table such as {{ retry = \"fixed\", wait = \"1s\" }}",
            node.value.describe()
        );
        return Err(owner.error("client", message));
    };
    let client = one(&mut params)?;
    owner.resolve("client", params.finish()?.into());
    Ok(Some(client))
}

/// What is said of a `client` that nothing comes of.
fn unused(owner: &Params) -> String {
    let message = "every traffic block has a `client` of its own, so that this one never matters";
    owner.error("client", message).to_string()
}

/// What is said of a `client` of which nothing comes in a run that is no longer than this.
fn too_slow(owner: &Params, client: Client) -> Option<(Nanos, String)> {
    let wait = client.shortest_wait();
    let message = format!(
        "no retry comes before {wait}, when the run is over: nobody tries again; make the wait \
         shorter, or `duration` longer"
    );
    client
        .retries()
        .then(|| (wait, owner.error("client", message).to_string()))
}

fn one(params: &mut Params) -> Result<Client> {
    if !params.has("retry") {
        let message = format!("is required: one of {}", NAMES.join(", "));
        return Err(params.error("retry", message));
    }
    let retry = params.choice("retry", &NAMES, NONE)?;
    for (name, owners) in OWNERS {
        if !owners.contains(&retry) {
            let owners: Vec<_> = owners.iter().map(|name| format!("\"{name}\"")).collect();
            let owners = owners.join(" or ");
            let why = format!("it is for retry = {owners}, and this one is \"{retry}\"");
            refuse(params, name, &why)?;
        }
    }
    let retrying = match retry {
        NONE => {
            refuse(
                params,
                "give_up",
                "with retry = \"none\" there is nothing to give up",
            )?;
            return Ok(Client::ONCE);
        }
        FIXED => fixed(params)?,
        EXPONENTIAL => Retrying::Exponential(backoff(params)?),
        RETRY_AFTER => retry_after(params)?,
        _ => Retrying::Immediate,
    };
    let max_attempts = params.whole("max_attempts", 1, MOST_ATTEMPTS, 10)?;
    let client = Client {
        retrying,
        max_attempts: u32::try_from(max_attempts).expect("checked above"),
        give_up: params.optional("give_up")?,
    };
    let shortest = client.shortest_wait();
    if let Some(give_up) = client.give_up.filter(|give_up| *give_up < shortest) {
        let message = format!(
            "found {give_up}, but no retry comes before {shortest}, so that there would be none; \
             make it longer, or choose retry = \"none\""
        );
        return Err(params.error("give_up", message));
    }
    Ok(client)
}

fn fixed(params: &mut Params) -> Result<Retrying> {
    let why = "retry = \"fixed\" waits for a fixed time, such as wait = \"1s\"";
    let wait = required(params, "wait", why)?;
    let spread = params.or("spread", Nanos::ZERO)?;
    if wait == Nanos::ZERO && spread == Nanos::ZERO {
        let message = "found 0s, but must be longer than that; choose retry = \"immediate\"";
        return Err(params.error("wait", message));
    }
    Ok(Retrying::Fixed { wait, spread })
}

fn retry_after(params: &mut Params) -> Result<Retrying> {
    let precision = match params.choice("precision", &["seconds", "exact"], "seconds")? {
        "exact" => Precision::Exact,
        _ => Precision::Seconds,
    };
    Ok(Retrying::RetryAfter {
        precision,
        spread: params.or("spread", Nanos::ZERO)?,
        otherwise: params.or("wait", Nanos::from_secs(1))?,
    })
}

fn backoff(params: &mut Params) -> Result<Backoff> {
    const DECORRELATED: &str = "decorrelated";
    let base = params.or("base", Nanos::from_millis(100))?;
    if base == Nanos::ZERO {
        let message = "found 0s, but must be longer than that; choose retry = \"immediate\"";
        return Err(params.error("base", message));
    }
    let cap = params.or("cap", Nanos::from_secs(20).max(base))?;
    if cap < base {
        let message = format!("found {cap}, but must be no shorter than `base`, {base}");
        return Err(params.error("cap", message));
    }
    let names = ["none", "full", "equal", DECORRELATED];
    let jitter = params.choice("jitter", &names, "none")?;
    if jitter == DECORRELATED {
        let why = "jitter = \"decorrelated\" goes by three times the wait before";
        refuse(params, "factor", why)?;
    }
    let factor = match jitter {
        DECORRELATED => Factor::whole(3),
        _ => params.or("factor", Factor::whole(2))?,
    };
    Ok(Backoff {
        base,
        cap,
        factor,
        jitter: match jitter {
            "full" => Jitter::Full,
            "equal" => Jitter::Equal,
            DECORRELATED => Jitter::Decorrelated,
            _ => Jitter::None,
        },
    })
}
