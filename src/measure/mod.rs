//! What a run measures, and the results that reports are made of.

mod delays;
mod grid;
mod result;
mod staircase;

pub use delays::Delays;
pub use grid::Grid;
pub use result::{Bucket, CandidateResult, KeyTally, LevelLine, Record, RunResult, Tally};
pub use staircase::Staircase;
