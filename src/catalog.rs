//! The tables of everything that can be named in a scenario. Adding one means one file, its `mod`
//! line and one row here; lists, help, validation and the tests of the laws follow from the rows.

use crate::error::Result;
use crate::limiter::{TokenBucket, TokenBucketConfig};
use crate::params::{Contract, Params};
use crate::report::chart::{self, ChartRow};
use crate::simulation::{Candidate, erase};

/// One parameter of an algorithm, as help and documentation show it.
#[derive(Debug)]
pub struct Parameter {
    /// Its field in the scenario.
    pub name: &'static str,
    /// What it means, with its unit and default.
    pub meaning: &'static str,
}

/// One algorithm.
pub struct AlgorithmRow {
    /// Its `kind` in the scenario.
    pub kind: &'static str,
    /// Its name in titles.
    pub title: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// What its level counts: the label of its axis.
    pub level: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether a scenario without `[[algorithm]]` runs it.
    pub by_default: bool,
    /// Reads the parameters and builds it.
    pub build: fn(&mut Params, &Contract) -> Result<Box<dyn Candidate>>,
}

/// The algorithms, in the order in which they are listed and run.
pub const ALGORITHMS: &[AlgorithmRow] = &[AlgorithmRow {
    kind: "token_bucket",
    title: "Token bucket",
    summary: "Tokens refill at a rate up to a capacity; a request takes its cost in tokens or is denied.",
    level: "tokens",
    parameters: &[
        Parameter {
            name: "capacity",
            meaning: "the most tokens it holds: the largest burst (the limit's count)",
        },
        Parameter {
            name: "refill",
            meaning: "tokens gained over time (the limit's rate)",
        },
        Parameter {
            name: "initial",
            meaning: "tokens at a key's first request (the capacity)",
        },
        Parameter {
            name: "refill_every",
            meaning: "refill in whole steps of this length, counted from the key's first request (continuous)",
        },
    ],
    by_default: true,
    build: |params, contract| {
        let config = TokenBucketConfig::read(params, contract)?;
        Ok(if config.fits_narrow() {
            erase(TokenBucket::<u64>::new(&config))
        } else {
            erase(TokenBucket::<u128>::new(&config))
        })
    },
}];

/// The row of the algorithm called `kind`.
pub fn algorithm(kind: &str) -> Option<&'static AlgorithmRow> {
    ALGORITHMS.iter().find(|row| row.kind == kind)
}

/// The pictures, in the order in which they are listed and drawn.
pub const CHARTS: &[ChartRow] = &[
    ChartRow {
        name: "timeline",
        title: "Timeline",
        meaning: "Each request allowed, delayed or denied, over the level of tokens, queue or count.",
        draw: chart::timeline,
    },
    ChartRow {
        name: "window",
        title: "Trailing window",
        meaning: "Cost forwarded in the trailing window against the limit: what sticks out is the overshoot.",
        draw: chart::window,
    },
    ChartRow {
        name: "throughput",
        title: "Throughput",
        meaning: "Cost offered and cost forwarded over time.",
        draw: chart::throughput,
    },
    ChartRow {
        name: "memory",
        title: "Memory",
        meaning: "Bytes of limiter state over time, and per live key at the peak.",
        draw: chart::memory,
    },
    ChartRow {
        name: "error",
        title: "Errors",
        meaning: "False allows and false denies against an exact count of the trailing window.",
        draw: chart::error,
    },
];
