//! Running candidates over traffic.

mod candidate;
mod client;
mod cluster;
mod deployment;
mod lane;
mod merge;
mod over_limit;
mod placement;
mod plan;
mod probes;
mod replay;
mod ruled;
mod run;
mod shard;
mod stepper;

pub use candidate::{Candidate, erase};
pub use client::{Backoff, Client, Clients, Jitter, Precision, Retrying};
pub use cluster::Cluster;
pub use deployment::{
    Access, ClockStep, Deployment, OnStoreFailure, Outage, Routing, Slowdown, Store, Ttl, Whom,
    Whose,
};
pub use lane::{Course, Lane, LaneResult};
pub use over_limit::{OverLimit, Queueing};
pub use placement::{Backend, Bypassing, Placement};
pub use plan::{Plan, Planned, Progress};
pub use ruled::{Limiters, under_rules};
pub use run::run;
pub use stepper::Stepper;
