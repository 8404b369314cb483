//! Where the limiter stands, and the backend behind it.

use super::{Defaults, refuse, required, section};
use crate::error::Result;
use crate::params::{Params, unknown};
use crate::simulation::{Backend, Bypassing, Deployment, Placement};
use crate::units::{Nanos, Share};
use crate::workload::Distribution;

const MIDDLEWARE: &str = "middleware";
const CLIENT: &str = "client";
const SERVER: &str = "server";
const GATEWAY: &str = "gateway";

/// The longest hop.
const LONGEST_HOP: Nanos = Deployment::LONGEST_TRIP;

/// The most workers.
const MOST_WORKERS: u64 = 100_000;

/// Reads the file's table `backend`; `None` where it is absent.
pub(super) fn backend(root: &mut Params) -> Result<Option<Backend>> {
    const NAME: &str = "backend";
    const EXPECTED: &str = "a table such as { workers = 4, service_time = \"20ms\" }";
    let Some(mut table) = section(root, NAME, EXPECTED)? else {
        return Ok(None);
    };
    let service_time = Distribution::durations(&mut table, "service_time")?;
    let workers = table.whole("workers", 1, MOST_WORKERS, 1)?;
    let queue = table.optional("queue")?;
    // A slip of the pen is told before what it leaves to be missed.
    table.check_known()?;
    let service_time = service_time.ok_or_else(|| {
        let message = "is required: how long a worker takes for a request, such as service_time = \
                       \"20ms\", or a distribution";
        table.error("service_time", message)
    })?;
    if service_time.constant() == Some(0.0) {
        let message = "found 0s, but must be longer than that: a backend that takes no time needs no \
                       protection";
        return Err(table.error("service_time", message));
    }
    let backend = Backend {
        workers: u32::try_from(workers).expect("checked above"),
        service_time,
        queue,
    };
    root.resolve(NAME, table.finish()?.into());
    Ok(Some(backend))
}

/// Reads where a deployment's limiter stands, and refuses what belongs to other places.
pub(super) fn read(
    params: &mut Params,
    deployment: &mut Deployment,
    defaults: &Defaults,
) -> Result<()> {
    const NAMES: [&str; 4] = [MIDDLEWARE, CLIENT, SERVER, GATEWAY];
    deployment.backend.clone_from(&defaults.backend);
    let place = params.optional::<String>("placement")?;
    if let Some(text) = place.as_deref().filter(|text| !NAMES.contains(text)) {
        return Err(params.error("placement", unknown(text, &NAMES)));
    }
    let place = place.as_deref();
    for (name, owners) in [
        ("bypass", &[CLIENT][..]),
        ("bypass_by", &[CLIENT]),
        ("deny_cost", &[SERVER]),
        ("hop", &[MIDDLEWARE, GATEWAY]),
    ] {
        if place.is_none_or(|place| !owners.contains(&place)) {
            let owners = owners.join("\" or \"");
            let found = match place {
                Some(place) => format!("this one is \"{place}\""),
                None => "none is given".to_owned(),
            };
            let why = format!("it is for placement = \"{owners}\", and {found}");
            refuse(params, name, &why)?;
        }
    }
    let Some(place) = place else {
        return Ok(());
    };
    if deployment.backend.is_none() {
        let message = format!(
            "found \"{place}\", but without a backend it makes no difference where the limiter stands; \
             add a [backend] table, such as service_time = \"20ms\" and workers = 4"
        );
        return Err(params.error("placement", message));
    }
    deployment.placement = Some(match place {
        CLIENT => Placement::Client(bypass(params, defaults)?),
        SERVER => Placement::Server {
            deny_cost: params.or("deny_cost", Share::Fraction { parts: 1, of: 10 })?,
        },
        MIDDLEWARE => {
            let why = "the latency that it adds to every request, such as hop = \"1ms\"";
            let hop = required(params, "hop", why)?;
            Placement::Middleware {
                hop: checked(params, hop)?,
            }
        }
        _ => {
            let hop = params.or("hop", Nanos::ZERO)?;
            Placement::Gateway {
                hop: checked(params, hop)?,
            }
        }
    });
    Ok(())
}

fn bypass(params: &mut Params, defaults: &Defaults) -> Result<Bypassing> {
    let why = "the share of requests whose client leaves the limiter out, such as bypass = 0.2";
    let share = required(params, "bypass", why)?;
    let by = params.choice("bypass_by", &["all", "illegitimate"], "all")?;
    let only_illegitimate = by == "illegitimate";
    if only_illegitimate && !defaults.has_illegitimate {
        let message = "found \"illegitimate\", but no traffic is labelled so; write legitimate = false \
                       in its [[traffic]] table, or bypass_by = \"all\"";
        return Err(params.error("bypass_by", message));
    }
    Ok(Bypassing {
        share,
        only_illegitimate,
    })
}

fn checked(params: &Params, hop: Nanos) -> Result<Nanos> {
    if hop <= LONGEST_HOP {
        return Ok(hop);
    }
    let message = format!("{hop} is longer than {LONGEST_HOP}, the longest allowed");
    Err(params.error("hop", message))
}
