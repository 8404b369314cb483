//! Clients that try again: the `client` of a scenario, of a deployment and of a traffic block.

use super::deployments::{refuse, required};
use crate::error::{Error, Result};
use crate::params::Params;
use crate::simulation::{Backoff, Client, Clients, Jitter, Precision, Retrying};
use crate::units::{Factor, Nanos};
use std::sync::Arc;

/// The `client`s of a scenario that are none of a deployment's.
pub(super) struct Stated {
    /// The scenario's own.
    pub(super) scenario: Option<Client>,
    /// Those of the traffic blocks.
    pub(super) blocks: Vec<Option<Client>>,
}

impl Stated {
    /// What the clients of each block do under a deployment that says this of them: what a block says
    /// counts most, then what a deployment does.
    pub(super) fn under(&self, deployment: Option<Client>) -> Arc<Clients> {
        let usual = deployment.or(self.scenario).unwrap_or(Client::ONCE);
        let by_block = self.blocks.iter().map(|block| block.unwrap_or(usual));
        Arc::new(Clients {
            by_block: by_block.collect(),
        })
    }

    /// Whether every block has its own, so that no other matters.
    pub(super) fn is_complete(&self) -> bool {
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
pub(super) fn read(owner: &mut Params) -> Result<Option<Client>> {
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
pub(super) fn unused(owner: &Params) -> Error {
    let message = "every traffic block has a `client` of its own, so that this one never matters";
    owner.error("client", message)
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
