//! Several nodes and stores against their closed forms and bounds.
//!
//! What is random is held within a band of standard errors at fixed seeds; what is certain is held
//! without tolerance, over random settings and at the cases that reach it.

mod floods;
mod leased;
mod outages;
pub(super) mod races;
mod setting;
pub(super) mod splits;
mod synced;
mod waiting;
