//! The tables of everything that can be named in a scenario. Adding one means one file, its `mod`
//! line and one row here; lists, help, validation and the tests of the laws follow from the rows.

use crate::error::Result;
use crate::limiter::{TokenBucket, TokenBucketConfig};
use crate::params::{Contract, Params};
use crate::simulation::{Candidate, erase};
use crate::workload::{
    Field, Reading, TrafficRow, read_burst, read_poisson, read_script, read_steady, read_trace,
};

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

/// The traffic patterns, in the order in which they are listed.
pub const TRAFFIC: &[TrafficRow] = &[
    TrafficRow {
        pattern: "burst",
        summary: "A number of requests at once or spread over a short time, once or repeated.",
        fields: &[
            Field {
                name: "at",
                meaning: "when the burst begins: a duration since the start or a clock time (0s)",
            },
            Field {
                name: "count",
                meaning: "requests in a burst (1)",
            },
            Field {
                name: "spread",
                meaning: "the length over which they come evenly (0s: all at once)",
            },
            Field {
                name: "repeat_every",
                meaning: "the time from one burst to the next (a single burst)",
            },
        ],
        read: Reading::Rule(read_burst),
    },
    TrafficRow {
        pattern: "steady",
        summary: "Evenly spaced requests, the first at `from`.",
        fields: &[Field {
            name: "rate",
            meaning: "requests over time, such as \"10/s\" (required)",
        }],
        read: Reading::Rule(read_steady),
    },
    TrafficRow {
        pattern: "poisson",
        summary: "Independent requests at a constant mean rate: exponential gaps.",
        fields: &[Field {
            name: "rate",
            meaning: "requests over time in the mean, such as \"10/s\" (required)",
        }],
        read: Reading::Rule(read_poisson),
    },
    TrafficRow {
        pattern: "script",
        summary: "One request at each instant of a list.",
        fields: &[Field {
            name: "at",
            meaning: "durations since the start or clock times, in any order (required)",
        }],
        read: Reading::Rule(read_script),
    },
    TrafficRow {
        pattern: "trace",
        summary: "The records of a CSV file or an access log, plain or gzip.",
        fields: &[
            Field {
                name: "file",
                meaning: "its path, relative to the scenario's folder (required)",
            },
            Field {
                name: "format",
                meaning: "csv, combined, or auto, which looks at the first lines (auto)",
            },
            Field {
                name: "delimiter",
                meaning: "the character between the columns of a CSV (,)",
            },
            Field {
                name: "fields",
                meaning: "names of the CSV's columns: { time, key, endpoint, method, cost }; several \
                          for cost are summed (each its own name)",
            },
        ],
        read: Reading::Records(read_trace),
    },
];

/// The row of the traffic pattern called `name`.
pub fn traffic(name: &str) -> Option<&'static TrafficRow> {
    TRAFFIC.iter().find(|row| row.pattern == name)
}
