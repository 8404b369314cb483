//! What the tables of the file itself say of all deployments.

use super::{over_limit, placement};
use crate::error::Result;
use crate::params::Params;
use crate::simulation::{Backend, OverLimit};

/// What deployments have that do not say otherwise.
#[derive(Default)]
pub(in crate::scenario) struct Defaults {
    /// What becomes of requests over the limit.
    pub(super) over_limit: OverLimit,
    /// What is behind the limiter.
    pub(super) backend: Option<Backend>,
    /// Whether some traffic is labelled as not legitimate; known once the traffic is read.
    pub(in crate::scenario) has_illegitimate: bool,
    /// What is to be noted where no deployment takes the file's `over_limit`.
    pub(super) unused: Option<String>,
}

impl Defaults {
    /// Reads the tables.
    pub(in crate::scenario) fn read(root: &mut Params) -> Result<Self> {
        let over_limit = over_limit::table(root)?;
        let unused = over_limit.is_some().then(|| {
            let message =
                "every deployment has its own, so that this one counts for none; remove it";
            root.error("over_limit", message).to_string()
        });
        Ok(Self {
            over_limit: over_limit.unwrap_or_default(),
            backend: placement::backend(root)?,
            has_illegitimate: false,
            unused,
        })
    }
}
