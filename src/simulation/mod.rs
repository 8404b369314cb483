//! Running candidates over traffic.

mod candidate;
mod deployment;
mod lane;
mod plan;
mod probes;
mod replay;
mod shard;
mod stepper;

pub use candidate::{Candidate, erase};
pub use deployment::{
    Access, ClockStep, Deployment, OnStoreFailure, Outage, Routing, Slowdown, Store, Ttl, Whom,
    Whose,
};
pub use lane::{Course, Lane, LaneResult};
pub use plan::{Plan, Planned, Progress};
pub use replay::run;
pub use stepper::Stepper;
