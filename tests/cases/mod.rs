//! Situations that people reported about rate limiters in production, with the numbers that exact
//! arithmetic gives.

mod bursts;
mod costs;
mod many_keys;
mod measures;
mod nodes;
mod rates;
mod real_traffic;
mod rules;
mod state;
mod waits;
mod worked_examples;
