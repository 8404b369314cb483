//! ratesim compares rate-limiting algorithms on the same traffic, exactly.
//!
//! Six algorithms (token bucket, leaky bucket, fixed window counter, sliding window log, sliding
//! window counter, GCRA) are driven with a virtual clock over scripted, randomized or recorded
//! traffic. Every decision is made in integer arithmetic. See `ARCHITECTURE.md` for the map.

pub mod catalog;
pub mod error;
pub mod limiter;
pub mod measure;
pub mod params;
pub mod report;
pub mod rules;
pub mod scenario;
pub mod simulation;
pub mod units;
pub mod workload;
