//! The integration tests, in one binary.

mod cli;
mod examples;
mod laws;
mod reference;
mod setup;
