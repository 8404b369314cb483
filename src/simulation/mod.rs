//! Running candidates over traffic.

mod candidate;
mod stepper;

pub use candidate::{Candidate, erase};
pub use stepper::Stepper;
