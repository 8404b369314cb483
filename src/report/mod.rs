//! Reports: bytes made of a run's results, with no input or output of their own.

mod attempt;
pub mod chart;
pub mod csv;
pub mod findings;
pub mod http;
pub mod jsonl;
pub mod mermaid;
pub mod run_json;
mod scene;
pub mod terminal;
pub mod text;
