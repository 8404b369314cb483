//! The integration tests, in one binary.

mod around;
mod cases;
mod cli;
mod envelopes;
mod examples;
mod fuzz;
mod golden;
mod http;
mod laws;
mod ran;
mod reference;
mod scenarios;
mod setup;
mod theory;
