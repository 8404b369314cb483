//! Rules: which limit a request counts against, by what it asks for and who asks.
//!
//! A [`Rule`] says which requests it is for ([`Pattern`], methods), what they are counted by
//! ([`Part`]s of a key), how many pass ([`Limit`](crate::units::Limit)), what each of them costs and by
//! which algorithm. All rules that apply to a request are asked; how they are charged together is
//! [`Charge`]. [`Rules`] is what a limiter goes by over a whole run: rules that stand in a file change
//! when the file does, at the next reading.

mod keys;
mod network;
mod part;
mod pattern;
mod rule;
mod set;
mod versions;

pub use keys::RuleKeys;
pub use network::Prefixes;
pub use part::Part;
pub use pattern::{Pattern, path};
pub use rule::{OwnAlgorithm, Rule};
pub use set::RuleSet;
pub use versions::{Charge, Load, OnReload, Rules, Version};
