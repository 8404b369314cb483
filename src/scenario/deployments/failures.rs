//! What goes wrong: outages, slow stores, timeouts, and what a node does about them.

use super::{Frame, called, list, members, refuse, required, store, whom};
use crate::error::Result;
use crate::params::Params;
use crate::simulation::{Deployment, OnStoreFailure, Outage, Slowdown, Store, Whom};
use crate::units::{Nanos, SimTime};

/// Reads all of it.
pub(super) fn read(params: &mut Params, deployment: &mut Deployment, frame: &Frame) -> Result<()> {
    deployment.on_store_failure = on_store_failure(params, deployment)?;
    deployment.outages = outages(params, deployment, frame)?;
    deployment.slowdowns = slowdowns(params, deployment, frame)?;
    deployment.timeout = timeout(params, deployment, frame)?;
    Ok(())
}

fn on_store_failure(params: &mut Params, deployment: &Deployment) -> Result<OnStoreFailure> {
    const FALLBACK: &str = "local_fallback";
    const NAMES: [&str; 3] = ["fail_open", "fail_closed", FALLBACK];
    if !deployment.has_store() {
        let store = store::name_of(&deployment.store);
        let why = format!("store = \"{store}\" asks no store that could fail");
        refuse(params, "on_store_failure", &why)?;
        refuse(params, "fallback_share", &why)?;
        return Ok(OnStoreFailure::FailOpen);
    }
    let policy = params.choice("on_store_failure", &NAMES, "fail_open")?;
    if policy == FALLBACK {
        let why = "the share of the limit that each node enforces while the store fails it, such as \
                   fallback_share = 0.1";
        let share = required(params, "fallback_share", why)?;
        return Ok(OnStoreFailure::LocalFallback(share));
    }
    let why = format!("it is for on_store_failure = \"{FALLBACK}\"");
    refuse(params, "fallback_share", &why)?;
    Ok(match policy {
        "fail_closed" => OnStoreFailure::FailClosed,
        _ => OnStoreFailure::FailOpen,
    })
}

fn outages(params: &mut Params, deployment: &Deployment, frame: &Frame) -> Result<Vec<Outage>> {
    let mut outages = list(params, "outage", |table| outage(table, deployment, frame))?;
    outages.sort_by_key(|outage| outage.from);
    for (index, later) in outages.iter().enumerate() {
        let overlaps = |earlier: &&Outage| earlier.of == later.of && earlier.to > later.from;
        if outages[..index].iter().any(|earlier| overlaps(&earlier)) {
            let message = format!(
                "{} is already down when its outage at {} begins; make the two one",
                called(later.of),
                later.from.since(SimTime::ZERO)
            );
            return Err(params.error("outage", message));
        }
    }
    Ok(outages)
}

fn outage(table: &mut Params, deployment: &Deployment, frame: &Frame) -> Result<Outage> {
    let of = whom(table, deployment)?;
    let (from, to) = frame.span(table)?;
    let detected_after = match of {
        Whom::Store => {
            let why = "it is for nodes: requests are sent to others then; a store has no others";
            refuse(table, "detected_after", why)?;
            None
        }
        Whom::Node(node) => {
            if !members::is_there(deployment, node, from) {
                let message = format!(
                    "found {}, when node {node} is not there: see `join` and `leave`",
                    from.since(SimTime::ZERO)
                );
                return Err(table.error("from", message));
            }
            table.optional("detected_after")?
        }
    };
    Ok(Outage {
        of,
        from,
        to,
        // A node's memory dies with it; a store's is on a disk, or on another machine.
        loses_state: table.or("loses_state", of != Whom::Store)?,
        detected_after,
    })
}

fn slowdowns(params: &mut Params, deployment: &Deployment, frame: &Frame) -> Result<Vec<Slowdown>> {
    if !deployment.has_store() {
        let store = store::name_of(&deployment.store);
        let why = format!("store = \"{store}\" asks no store that could be slow");
        refuse(params, "slowdown", &why)?;
        return Ok(Vec::new());
    }
    let mut slowdowns = list(params, "slowdown", |table| {
        let (from, to) = frame.span(table)?;
        let adds = table.required("adds")?;
        if adds == Nanos::ZERO || adds > Deployment::LONGEST_TRIP {
            let longest = Deployment::LONGEST_TRIP;
            let message = format!("found {adds}; allowed: more than 0s, up to {longest}");
            return Err(table.error("adds", message));
        }
        Ok(Slowdown { from, to, adds })
    })?;
    slowdowns.sort_by_key(|slowdown| slowdown.from);
    match slowdowns.windows(2).find(|pair| pair[0].to > pair[1].from) {
        Some(pair) => {
            let at = pair[1].from.since(SimTime::ZERO);
            let message = format!("two overlap at {at}; let one end before the next begins");
            Err(params.error("slowdown", message))
        }
        None => Ok(slowdowns),
    }
}

fn timeout(params: &mut Params, deployment: &Deployment, frame: &Frame) -> Result<Option<Nanos>> {
    let down = deployment.outages.first();
    let Some(timeout) = params.optional::<Nanos>("timeout")? else {
        return down.map_or(Ok(None), |outage| {
            let message = format!(
                "is required: {} is down at {}, and what is asked of it then must fail at some \
                 time; such as timeout = \"1s\"",
                called(outage.of),
                outage.from.since(SimTime::ZERO)
            );
            Err(params.error("timeout", message))
        });
    };
    let message = if timeout == Nanos::ZERO {
        "found 0s, but must be longer than that; leave it out to wait as long as it takes"
            .to_owned()
    } else if timeout > frame.horizon {
        format!(
            "{timeout} is longer than the run, {}, so that nothing would fail in it; make it \
             shorter, or `duration` longer",
            frame.horizon
        )
    } else if !deployment.has_store() && down.is_none() {
        let store = store::name_of(&deployment.store);
        let others = match deployment.store {
            Store::Synced { .. } => "exchanges do not wait",
            _ => "nothing is waited for",
        };
        format!(
            "found {timeout}, but with store = \"{store}\" {others} unless a node has an `outage`; \
             leave it out"
        )
    } else {
        return Ok(Some(timeout));
    };
    Err(params.error("timeout", message))
}
