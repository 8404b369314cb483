//! The integration tests, in one binary.

mod cases;
mod cli;
mod examples;
mod golden;
mod laws;
mod ran;
mod reference;
mod scenarios;
mod setup;
