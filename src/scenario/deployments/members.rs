//! The nodes: how many, how requests find them, and which come and go.

use super::{Frame, check_length, check_node, list, refuse, required};
use crate::error::Result;
use crate::params::Params;
use crate::simulation::{Deployment, Routing};
use crate::units::SimTime;

/// The most nodes.
const MOST: u16 = 1_024;

/// The greatest weight of a node.
const HEAVIEST: u64 = 1_000_000;

/// Reads how many nodes there are.
pub(super) fn nodes(params: &mut Params) -> Result<u16> {
    let nodes = params.whole("nodes", 1, MOST.into(), 1)?;
    Ok(u16::try_from(nodes).expect("checked above"))
}

/// Reads how requests find a node.
pub(super) fn routing(params: &mut Params, nodes: u16) -> Result<Routing> {
    const NAMES: [&str; 4] = ["round_robin", "random", "sticky", "weighted"];
    let routing = match params.choice("routing", &NAMES, "round_robin")? {
        "random" => Routing::Random,
        "sticky" => Routing::Sticky,
        "weighted" => return weights(params, nodes).map(Routing::Weighted),
        _ => Routing::RoundRobin,
    };
    refuse(params, "weights", "weights are for routing = \"weighted\"")?;
    Ok(routing)
}

fn weights(params: &mut Params, nodes: u16) -> Result<Vec<u32>> {
    let why = "routing = \"weighted\" goes by a whole number per node, such as [10, 1]";
    let weights: Vec<u64> = required(params, "weights", why)?;
    check_length(params, "weights", weights.len(), nodes)?;
    if let Some(weight) = weights.iter().find(|weight| **weight > HEAVIEST) {
        let message = format!("{weight} is out of range; allowed: 0 to {HEAVIEST}");
        return Err(params.error("weights", message));
    }
    if weights.iter().all(|weight| *weight == 0) {
        let message = "all are 0, so that no node would be sent anything; make one greater";
        return Err(params.error("weights", message));
    }
    let narrow = |weight| u32::try_from(weight).expect("checked above");
    Ok(weights.into_iter().map(narrow).collect())
}

/// Reads which nodes join and leave.
pub(super) fn changes(
    params: &mut Params,
    deployment: &mut Deployment,
    frame: &Frame,
) -> Result<()> {
    deployment.joins = moves(params, "join", deployment.nodes, frame)?;
    deployment.leaves = moves(params, "leave", deployment.nodes, frame)?;
    for (node, left) in &deployment.leaves {
        let joined = deployment.joins.iter().find(|(other, _)| other == node);
        if let Some((_, joined)) = joined.filter(|(_, joined)| joined >= left) {
            let message = format!(
                "node {node} leaves at {} but joins only at {}; a node that goes and comes again \
                 has an `outage`",
                left.since(SimTime::ZERO),
                joined.since(SimTime::ZERO)
            );
            return Err(params.error("leave", message));
        }
    }
    if !is_served(deployment, SimTime::ZERO) {
        let message =
            "no node is there at the beginning that requests are sent to; let one be there";
        return Err(params.error("join", message));
    }
    let left = deployment.leaves.iter().map(|(_, left)| *left);
    match left.clone().find(|left| !is_served(deployment, *left)) {
        Some(left) => {
            let message = format!(
                "from {} on no node is there that requests are sent to; let one stay",
                left.since(SimTime::ZERO)
            );
            Err(params.error("leave", message))
        }
        None => Ok(()),
    }
}

/// Reads the nodes that move and when, in order of time; each moves once.
fn moves(
    params: &mut Params,
    name: &'static str,
    nodes: u16,
    frame: &Frame,
) -> Result<Vec<(u16, SimTime)>> {
    let mut moves = list(params, name, |table| {
        let node = table.required::<u64>("node")?;
        let node = u16::try_from(node).unwrap_or(u16::MAX);
        check_node(table, "node", node, nodes)?;
        Ok((node, frame.instant(table, "at")?))
    })?;
    moves.sort_by_key(|(_, at)| *at);
    for (index, (node, at)) in moves.iter().enumerate() {
        if moves[..index].iter().any(|(other, _)| other == node) {
            let message = format!(
                "node {node} does so twice, the second time at {}; a node that goes and comes again \
                 has an `outage`",
                at.since(SimTime::ZERO)
            );
            return Err(params.error(name, message));
        }
    }
    Ok(moves)
}

/// Whether `node` is there at `at`.
pub(super) fn is_there(deployment: &Deployment, node: u16, at: SimTime) -> bool {
    let moved = |moves: &[(u16, SimTime)]| {
        let mut moves = moves.iter().filter(|(other, _)| *other == node);
        moves.next().map(|(_, when)| *when <= at)
    };
    moved(&deployment.joins) != Some(false) && moved(&deployment.leaves) != Some(true)
}

/// Whether a node is there at `at` that requests are sent to.
fn is_served(deployment: &Deployment, at: SimTime) -> bool {
    (0..deployment.nodes).any(|node| {
        let is_sent_some = match &deployment.routing {
            Routing::Weighted(weights) => weights[usize::from(node)] > 0,
            Routing::RoundRobin | Routing::Random | Routing::Sticky => true,
        };
        is_sent_some && is_there(deployment, node, at)
    })
}
