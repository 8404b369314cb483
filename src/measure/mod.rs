//! What a run measures, and the results that reports are made of.

mod delays;
mod estimates;
mod forwards;
mod grid;
mod metrics;
mod occupancy;
mod recorder;
mod redis;
mod result;
mod series;
mod staircase;
mod tally;
pub mod theory;

pub use delays::Delays;
pub use estimates::{Counted, Estimates};
pub use forwards::{Forwards, Verdict, trailing_window};
pub use grid::Grid;
pub use metrics::{METRICS, Metric, Reading};
pub use occupancy::{Held, Occupancy};
pub use recorder::Recorder;
pub use redis::redis_bytes;
pub use result::{Bucket, CandidateResult, LevelLine, Record, RunResult};
pub use series::Series;
pub use staircase::Staircase;
pub use tally::{KeyTally, Tally};
