//! What an algorithm is, in words, with a small trace to work through.

/// Everything that is said of an algorithm besides its parameters.
#[derive(Debug)]
pub struct Explanation {
    /// How it works.
    pub how: &'static str,
    /// What speaks for it.
    pub good: &'static [&'static str],
    /// What speaks against it.
    pub bad: &'static [&'static str],
    /// Who uses it, and where it is described.
    pub sources: &'static str,
    /// The limit of the worked trace.
    pub limit: &'static str,
    /// Arrivals of the worked trace at unit cost, in milliseconds.
    pub arrivals: &'static [u64],
}
