//! Reports: bytes made of a run's result, no input or output.

pub mod chart;
