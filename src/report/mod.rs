//! Reports: bytes made of a run's results, with no input or output of their own.

pub mod chart;
pub mod csv;
pub mod findings;
pub mod run_json;
pub mod terminal;
pub mod text;
