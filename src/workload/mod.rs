//! Traffic: who asks, when, for how much.

mod arrival;

pub use arrival::{Arrival, Mark, MarkId};
