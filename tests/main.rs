//! The integration tests, in one binary.

mod cases;
mod cli;
mod golden;
mod ran;
mod scenarios;
