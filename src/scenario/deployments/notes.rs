//! What is allowed and yet not likely meant.

use super::Frame;
use crate::params::Params;
use crate::simulation::{Deployment, OnStoreFailure, Store};
use crate::units::Nanos;

/// Adds a note, with its place, for each thing that comes to nothing or to something odd.
pub(super) fn add(
    params: &Params,
    deployment: &Deployment,
    frame: &Frame,
    notes: &mut Vec<String>,
) {
    let mut note = |name: &str, message: String| {
        notes.push(params.error(name, message).to_string());
    };
    let limit = frame.limit;
    match deployment.store {
        Store::Local { is_split: true } if u64::from(deployment.nodes) > limit.units => {
            let message = format!(
                "{} nodes share a limit of {limit}: a node without a unit of its own admits nothing; \
                 use fewer nodes, or a larger limit",
                deployment.nodes
            );
            note("share", message);
        }
        Store::Synced { .. } if deployment.nodes == 1 => {
            let message = "one node has no others to exchange anything with; give more `nodes`";
            note("store", message.to_owned());
        }
        Store::Synced { every } if every >= frame.horizon => {
            let message = format!(
                "{every} is no shorter than the run, {}: nodes never exchange anything; make it \
                 shorter",
                frame.horizon
            );
            note("sync_every", message);
        }
        Store::Leased { batch } if batch > limit.units => {
            let message = format!(
                "{batch} is above the limit of {limit}: one node can take all that there is; make it \
                 smaller"
            );
            note("batch", message);
        }
        _ => {}
    }
    timeouts(deployment, note);
}

/// Timeouts that nothing meets, or everything.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn timeouts(deployment: &Deployment, mut note: impl FnMut(&str, String)) {
    let policy = deployment.on_store_failure;
    match deployment.timeout {
        None if policy != OnStoreFailure::FailOpen => {
            let message = "without a `timeout` nothing fails, so that this never matters";
            note("on_store_failure", message.to_owned());
        }
        Some(timeout) if deployment.has_store() => {
            let rtt = deployment.rtt.constant();
            let rtt = rtt.map_or(Nanos::ZERO, |nanos| Nanos::new(nanos as u64));
            if rtt > timeout {
                let message = format!(
                    "{timeout} is shorter than a round trip, {rtt}: every operation on the store \
                     fails; make it longer"
                );
                note("timeout", message);
            }
        }
        _ => {}
    }
}
