//! Clocks that differ: whose decides, how far each is off, and when one is set anew.

use super::{Frame, check_length, list, refuse, required, store, whom};
use crate::error::Result;
use crate::params::{FromValue, Params};
use crate::simulation::{ClockStep, Deployment, OnStoreFailure, Whom, Whose};
use crate::units::{Limit, Nanos, Offset};

/// What has the nodes' clocks decide.
const NODES_DECIDE: &str = "clock = \"node\" has the nodes' clocks decide";

/// How far a clock may be off.
const FARTHEST: Nanos = Limit::MAX_WINDOW;

/// Reads all of it.
pub(super) fn read(params: &mut Params, deployment: &mut Deployment, frame: &Frame) -> Result<()> {
    deployment.clock = clock(params, deployment)?;
    deployment.skews = skews(params, deployment)?;
    let mut steps = list(params, "clock_step", |table| step(table, deployment, frame))?;
    steps.sort_by_key(|step| step.at);
    deployment.steps = steps;
    let (behind, ahead) = deployment.offsets();
    let farthest = behind.get().unsigned_abs().max(ahead.get().unsigned_abs());
    if farthest > FARTHEST.get() {
        let message = format!(
            "a clock would be {} off; allowed is up to {FARTHEST}",
            Nanos::new(farthest)
        );
        let name = if deployment.steps.is_empty() {
            "skew"
        } else {
            "clock_step"
        };
        return Err(params.error(name, message));
    }
    Ok(())
}

fn clock(params: &mut Params, deployment: &Deployment) -> Result<Whose> {
    if !deployment.has_store() {
        let store = store::name_of(&deployment.store);
        let why = format!("store = \"{store}\" always goes by the clock of the node; leave it out");
        refuse(params, "clock", &why)?;
        return Ok(Whose::Node);
    }
    Ok(match params.choice("clock", &["store", "node"], "store")? {
        "node" => Whose::Node,
        _ => Whose::Store,
    })
}

/// Whether any decision goes by a node's clock.
fn nodes_decide(deployment: &Deployment) -> bool {
    let falls_back = matches!(
        deployment.on_store_failure,
        OnStoreFailure::LocalFallback(_)
    );
    deployment.clock == Whose::Node || falls_back
}

fn skews(params: &mut Params, deployment: &Deployment) -> Result<Vec<Offset>> {
    if deployment.nodes == 1 {
        let why = "with one node there is no other clock that it could differ from; give more \
                   `nodes`, or a `clock_step`";
        refuse(params, "skew", why)?;
    } else if !nodes_decide(deployment) {
        let why = format!("no node's clock decides anything here; {NODES_DECIDE}");
        refuse(params, "skew", &why)?;
    }
    let Some(skews) = params.optional::<Vec<Offset>>("skew")? else {
        return Ok(Vec::new());
    };
    check_length(params, "skew", skews.len(), deployment.nodes)?;
    Ok(skews)
}

fn step(table: &mut Params, deployment: &Deployment, frame: &Frame) -> Result<ClockStep> {
    let of = whom(table, deployment)?;
    let message = match of {
        Whom::Store if deployment.clock == Whose::Node => {
            "found \"store\", but the store's clock decides nothing here; clock = \"store\" has it \
             decide"
                .to_owned()
        }
        Whom::Node(node) if !nodes_decide(deployment) => {
            format!("found {node}, but no node's clock decides anything here; {NODES_DECIDE}")
        }
        _ => {
            let at = frame.instant(table, "at")?;
            let by = required(table, "by", Offset::EXPECTED)?;
            return Ok(ClockStep { of, at, by });
        }
    };
    Err(table.error("of", message))
}
