//! From the `[[deployment]]` tables of a scenario to deployments.
//!
//! A field that means nothing beside the others (a skew of clocks that nobody asks, a batch without
//! leases) is refused: it would be ignored otherwise, and whoever wrote it expects something of it.

mod clocks;
mod defaults;
mod expiry;
mod failures;
mod frame;
mod members;
mod notes;
mod over_limit;
mod placement;
mod store;
#[cfg(test)]
mod tests;

pub(super) use defaults::Defaults;
pub(super) use frame::Frame;

use super::candidates::check_name;
use super::rules::of_deployment;
use crate::error::{Place, Result};
use crate::params::{FromValue, Params, Value};
use crate::rules::Rules;
use crate::simulation::{Deployment, OnStoreFailure, OverLimit, Ttl, Whom, Whose};
use crate::workload::Distribution;
use std::sync::Arc;

/// A deployment, and the table that it was read from, for errors that show only later.
pub(super) struct Placed {
    pub(super) deployment: Arc<Deployment>,
    pub(super) params: Params,
}

/// Reads the `[[deployment]]` tables, or takes one node that answers at once where there are none.
/// What a user should know goes to `notes`.
pub(super) fn read(
    mut tables: Vec<Params>,
    defaults: &Defaults,
    frame: &Frame,
    rules: Option<&Arc<Rules>>,
    notes: &mut Vec<String>,
) -> Result<Vec<Placed>> {
    if tables.is_empty() {
        let place = Place::Flag("the default deployment".into());
        tables.push(Params::empty("deployment.0", place));
    }
    let are_several = tables.len() > 1;
    let mut placed: Vec<Placed> = Vec::with_capacity(tables.len());
    for mut params in tables {
        let mut deployment = one(&mut params, defaults, frame)?;
        let clients = frame.clients.under(&mut params, frame.horizon, notes)?;
        deployment.clients = Some(clients);
        deployment.name = name(&mut params, &deployment, are_several)?;
        deployment.rules = of_deployment(&mut params, rules)?;
        if deployment.rules.is_some() {
            store::check_rules(&params, &deployment)?;
        }
        params.check_known()?;
        if placed
            .iter()
            .any(|other| other.deployment.name == deployment.name)
        {
            let message = format!(
                "`{}` is the name of an earlier deployment; names must differ",
                deployment.name
            );
            return Err(params.error("name", message));
        }
        notes::add(&params, &deployment, frame, notes);
        placed.push(Placed {
            deployment: Arc::new(deployment),
            params,
        });
    }
    let has_own = |placed: &Placed| placed.params.has("over_limit");
    if placed.iter().all(has_own) {
        notes.extend(defaults.unused.clone());
    }
    let retry = |placed: &Placed| {
        let clients = placed.deployment.clients.as_ref();
        clients.is_some_and(|clients| clients.retry())
    };
    if !placed.iter().any(retry) {
        for placed in &mut placed {
            Arc::make_mut(&mut placed.deployment).clients = None;
        }
    }
    Ok(placed)
}

/// Reads everything but the name, part after part: later ones look at what earlier ones said.
fn one(params: &mut Params, defaults: &Defaults, frame: &Frame) -> Result<Deployment> {
    let nodes = members::nodes(params)?;
    let mut deployment = Deployment {
        name: String::new(),
        nodes,
        routing: members::routing(params, nodes)?,
        store: store::kind(params)?,
        rtt: Distribution::always(0.0),
        clock: Whose::Node,
        skews: Vec::new(),
        steps: Vec::new(),
        timeout: None,
        on_store_failure: OnStoreFailure::FailOpen,
        outages: Vec::new(),
        slowdowns: Vec::new(),
        joins: Vec::new(),
        leaves: Vec::new(),
        ttl: Ttl::Design,
        lost_expires: Vec::new(),
        over_limit: OverLimit::Drop,
        placement: None,
        backend: None,
        clients: None,
        rules: None,
    };
    store::link(params, &mut deployment)?;
    members::changes(params, &mut deployment, frame)?;
    failures::read(params, &mut deployment, frame)?;
    clocks::read(params, &mut deployment, frame)?;
    expiry::read(params, &mut deployment, frame)?;
    over_limit::read(params, &mut deployment, defaults)?;
    placement::read(params, &mut deployment, defaults)?;
    Ok(deployment)
}

/// What the deployment is called.
fn name(params: &mut Params, deployment: &Deployment, are_several: bool) -> Result<String> {
    if are_several && !params.has("name") {
        let message = "is required where there are several deployments, such as name = \"central\"";
        return Err(params.error("name", message));
    }
    let usual = if deployment.is_single() {
        "single"
    } else {
        "cluster"
    };
    let name = params.or("name", usual.to_owned())?;
    check_name(params, &name)?;
    Ok(name)
}

/// Refuses a field that nothing would come of here, with why that is or what it belongs to.
pub(super) fn refuse(params: &mut Params, name: &'static str, why: &str) -> Result<()> {
    match params.raw(name) {
        Some(node) => {
            let found = node.value.describe();
            Err(params.error(name, format!("found {found}, but {why}")))
        }
        None => Ok(()),
    }
}

/// The field `name`, or an error that says what requires it and what it is.
pub(super) fn required<T: FromValue>(
    params: &mut Params,
    name: &'static str,
    why: &str,
) -> Result<T> {
    let value = params.optional(name)?;
    value.ok_or_else(|| params.error(name, format!("is required: {why}")))
}

/// The field `name` as a table, where it is given; anything else is refused with what is `expected`.
fn section(params: &mut Params, name: &'static str, expected: &str) -> Result<Option<Params>> {
    match params.raw(name) {
        None => Ok(None),
        Some(node) => match params.table(name) {
            Some(table) => Ok(Some(table)),
            None => {
                let found = node.value.describe();
                Err(params.error(name, format!("found {found}, expected {expected}")))
            }
        },
    }
}

/// The list of tables `name`, each read to its end by `read`.
fn list<T>(
    params: &mut Params,
    name: &'static str,
    read: impl Fn(&mut Params) -> Result<T>,
) -> Result<Vec<T>> {
    let mut items = Vec::new();
    let mut resolved = Vec::new();
    for mut table in params.tables(name)? {
        items.push(read(&mut table)?);
        resolved.push(table.finish()?);
    }
    if !items.is_empty() {
        params.resolve(name, resolved.into());
    }
    Ok(items)
}

/// Refuses a list that does not say something of each node.
fn check_length(params: &Params, name: &str, length: usize, nodes: u16) -> Result<()> {
    if length == usize::from(nodes) {
        return Ok(());
    }
    let message = format!("has {length} items, but must have one per node, and `nodes` is {nodes}");
    Err(params.error(name, message))
}

/// The field `of`: the store, where there is one, or a node.
fn whom(table: &mut Params, deployment: &Deployment) -> Result<Whom> {
    let of = required(table, "of", Whom::EXPECTED)?;
    match of {
        Whom::Store if !deployment.has_store() => {
            let store = store::name_of(&deployment.store);
            let message = format!(
                "found \"store\", but store = \"{store}\" has none to ask; allowed: the nodes, {}",
                numbers(deployment.nodes)
            );
            Err(table.error("of", message))
        }
        Whom::Node(node) => check_node(table, "of", node, deployment.nodes).map(|()| of),
        Whom::Store => Ok(of),
    }
}

/// Refuses the number of a node that there is not.
fn check_node(table: &Params, name: &str, node: u16, nodes: u16) -> Result<()> {
    if node < nodes {
        return Ok(());
    }
    let message = format!("there is no node {node}; allowed: {}", numbers(nodes));
    Err(table.error(name, message))
}

/// The numbers of the nodes.
fn numbers(nodes: u16) -> String {
    match nodes {
        1 => "0, the only node".to_owned(),
        _ => format!("0 to {}", nodes - 1),
    }
}

/// A node or the store as messages call it.
fn called(of: Whom) -> String {
    match of {
        Whom::Store => "the store".to_owned(),
        Whom::Node(node) => format!("node {node}"),
    }
}

impl FromValue for Whom {
    const EXPECTED: &'static str = "\"store\", or the number of a node, from 0";

    fn from_value(value: &Value) -> std::result::Result<Self, String> {
        let node = match value {
            Value::Text(text) if text == "store" => return Ok(Self::Store),
            Value::Number(text) => text.parse().ok(),
            _ => None,
        };
        let wrong = || format!("found {}, expected {}", value.describe(), Self::EXPECTED);
        node.map(Self::Node).ok_or_else(wrong)
    }

    fn to_toml(&self) -> toml::Value {
        match self {
            Self::Store => "store".into(),
            Self::Node(node) => i64::from(*node).into(),
        }
    }
}
