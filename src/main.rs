//! The command `ratesim`.
fn main() {}
