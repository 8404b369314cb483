//! The run that deployments are read for.

use super::super::clients::Stated;
use crate::error::Result;
use crate::params::{Contract, Moment, Params};
use crate::simulation::Deployment;
use crate::units::{Epoch, Limit, Nanos, SimTime};
use crate::workload::point;

/// What a deployment's moments and its algorithms are resolved against.
pub(in crate::scenario) struct Frame {
    /// The contract.
    pub(in crate::scenario) limit: Limit,
    /// What the clock reads at time 0.
    pub(in crate::scenario) epoch: Epoch,
    /// When the run ends.
    pub(in crate::scenario) horizon: Nanos,
    /// What clients do where a deployment does not say.
    pub(in crate::scenario) clients: Stated,
}

impl Frame {
    /// The moment `name`, which must lie within the run.
    pub(in crate::scenario) fn instant(
        &self,
        table: &mut Params,
        name: &'static str,
    ) -> Result<SimTime> {
        let moment = table.required::<Moment>(name)?;
        self.within(table, name, moment)
    }

    /// The point of the run that the field `name` states as `moment`.
    pub(super) fn within(&self, table: &Params, name: &str, moment: Moment) -> Result<SimTime> {
        let at = point(table, name, moment, self.epoch)?;
        if at < SimTime::ZERO.saturating_add(self.horizon) {
            return Ok(at);
        }
        let message = format!(
            "{} is not within the run, which ends at {}; make it earlier, or `duration` longer",
            at.since(SimTime::ZERO),
            self.horizon
        );
        Err(table.error(name, message))
    }

    /// The moments `from`, within the run, and `to`, after it.
    pub(super) fn span(&self, table: &mut Params) -> Result<(SimTime, SimTime)> {
        let from = self.instant(table, "from")?;
        let to = table.required::<Moment>("to")?;
        let to = point(table, "to", to, self.epoch)?;
        if from < to {
            return Ok((from, to));
        }
        let message = format!(
            "found {}, but must be later than `from`, {}",
            to.since(SimTime::ZERO),
            from.since(SimTime::ZERO)
        );
        Err(table.error("to", message))
    }

    /// What an algorithm is built against under a deployment.
    pub(in crate::scenario) fn contract(&self, deployment: &Deployment) -> Contract {
        // No clock ahead is less than none, and none behind more: see `Deployment::offsets`.
        let (behind, ahead) = deployment.offsets();
        let (behind, ahead) = (behind.get().unsigned_abs(), ahead.get().unsigned_abs());
        // Levels are asked for up to the end of the last bucket of the series, which may lie a little
        // beyond the end of the run; what is in flight then is decided within two round trips.
        let trips = longest_trip(deployment).saturating_mul(2);
        let horizon = self.horizon.get().saturating_mul(2);
        let horizon = [behind, ahead, trips]
            .into_iter()
            .fold(horizon, u64::saturating_add);
        Contract {
            limit: self.limit,
            epoch: self.epoch,
            lead: Nanos::new(behind),
            horizon: Nanos::new(horizon),
        }
    }
}

/// What no round trip takes longer than, in nanoseconds.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn longest_trip(deployment: &Deployment) -> u64 {
    let longest = Deployment::LONGEST_TRIP.get();
    let usual = match deployment.rtt.constant() {
        Some(nanos) => (nanos.ceil() as u64).min(longest),
        None => longest,
    };
    let slowest = deployment.slowdowns.iter().map(|slow| slow.adds.get());
    usual.saturating_add(slowest.max().unwrap_or(0))
}
