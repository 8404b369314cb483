//! What becomes of requests over the limit.

use super::{Defaults, refuse, required, section};
use crate::error::Result;
use crate::params::Params;
use crate::simulation::{Deployment, OverLimit, Queueing};
use crate::units::{Limit, Rate};

const NAME: &str = "over_limit";
const EXPECTED: &str =
    "a table such as { action = \"queue\", capacity = 100, drain_rate = \"5/s\" }";

/// Reads the table `over_limit` of the file or of a deployment; `None` where it is absent.
pub(super) fn table(params: &mut Params) -> Result<Option<OverLimit>> {
    let Some(mut table) = section(params, NAME, EXPECTED)? else {
        return Ok(None);
    };
    let over_limit = rule(&mut table)?;
    params.resolve(NAME, table.finish()?.into());
    Ok(Some(over_limit))
}

fn rule(table: &mut Params) -> Result<OverLimit> {
    if table.choice("action", &["drop", "queue"], "drop")? == "drop" {
        for name in ["capacity", "drain_rate"] {
            let why =
                "action = \"drop\" refuses what is over the limit; it is for action = \"queue\"";
            refuse(table, name, why)?;
        }
        return Ok(OverLimit::Drop);
    }
    let why = "how many messages may wait, such as capacity = 100";
    let capacity = required::<u64>(table, "capacity", why)?;
    if !(1..=Limit::MAX_UNITS).contains(&capacity) {
        let message = format!(
            "{capacity} is out of range; allowed: 1 to {}; a queue that holds nothing is action = \
             \"drop\"",
            Limit::MAX_UNITS
        );
        return Err(table.error("capacity", message));
    }
    let why = "how fast messages are worked off, such as drain_rate = \"5/s\"";
    let drain = required::<Rate>(table, "drain_rate", why)?;
    if drain.units() == 0 {
        let message = "found 0, at which no message would ever be taken; allowed: more than 0, such \
                       as \"5/s\"";
        return Err(table.error("drain_rate", message));
    }
    Ok(OverLimit::Queue(Queueing { capacity, drain }))
}

/// Reads what a deployment does, if it is not what all do.
pub(super) fn read(
    params: &mut Params,
    deployment: &mut Deployment,
    defaults: &Defaults,
) -> Result<()> {
    deployment.over_limit = table(params)?.unwrap_or(defaults.over_limit);
    Ok(())
}
