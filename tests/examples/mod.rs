//! Worked examples and situations from the field at the level of one key under one algorithm, with
//! numbers worked out by hand.

mod field;
mod worked;
