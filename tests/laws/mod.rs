//! The laws that every algorithm keeps under every option, on generated streams, at both integer
//! widths. A new row of the catalog falls under them at once with its defaults.

mod admission;
mod event_path;
mod identity;
mod level;
mod measures;
mod memory;
mod outlook;
mod retries;
mod rules;
mod simultaneous;
mod stream;
