//! Reports: bytes made of a run's results, with no input or output of their own.

pub mod run_json;
