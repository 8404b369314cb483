//! The integration tests, in one binary.

mod examples;
mod laws;
mod reference;
mod setup;
