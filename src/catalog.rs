//! The tables of everything that can be named in a scenario. Adding one means one file, its `mod`
//! line and one row here; lists, help, validation and the tests of the laws follow from the rows.

mod client;
mod deployment;
mod rule;

pub use client::CLIENT;
pub use deployment::{BACKEND, DEPLOYMENT, OVER_LIMIT};
pub use rule::{RULE, RULES};

use crate::error::{Error, Result};
use crate::limiter::{
    self, Config, Explanation, FixedWindow, FixedWindowConfig, Gcra, GcraConfig, LeakyBucket,
    LeakyBucketConfig, SlidingWindowCounter, SlidingWindowCounterConfig, SlidingWindowLog,
    SlidingWindowLogConfig, TokenBucket, TokenBucketConfig,
};
use crate::measure::Measure;
use crate::params::{Contract, Params};
use crate::report::chart::{self, ChartRow};
use crate::simulation::{Candidate, erase};
use crate::units::Share;
use crate::workload::{
    Field, Reading, TrafficRow, read_burst, read_diurnal, read_on_off, read_poisson, read_ramp,
    read_renewal, read_script, read_steady, read_trace,
};

/// One parameter of an algorithm, as help and documentation show it.
#[derive(Debug)]
pub struct Parameter {
    /// Its field in the scenario.
    pub name: &'static str,
    /// What it means, with its unit and default.
    pub meaning: &'static str,
}

/// Builds an algorithm of its parameters, once for each share of them that a limiter enforces.
pub type Build = fn(&mut Params, &Contract, &[Share]) -> Result<Box<dyn Candidate>>;

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
    /// Why it may forward more than the limit in one window; empty where it never does.
    pub envelope: &'static str,
    /// What it is, in words, with a worked trace.
    pub explanation: &'static Explanation,
    /// Why it may deny what the limit has room for, if it may; empty otherwise.
    pub caution: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether a scenario without `[[algorithm]]` runs it.
    pub by_default: bool,
    /// Whether it adds up what it admits, so that a store can increment it without a question.
    pub increments: bool,
    /// Reads the parameters and builds it, once for each share of them that a limiter enforces.
    pub build: Build,
}

/// The configurations of limiters that each enforce a share.
fn shared<C: Config>(config: &C, shares: &[Share], params: &Params) -> Result<Vec<C>> {
    let parts: Option<Vec<C>> = shares.iter().map(|share| config.share(*share)).collect();
    parts.ok_or_else(|| {
        let message = "a node's share of this rate is too fine to be kept exactly; use rounder rates \
                       or fewer nodes";
        Error::input(message).at(params.place().clone())
    })
}

/// The algorithms, in the order in which they are listed and run.
pub const ALGORITHMS: &[AlgorithmRow] = &[
    TOKEN_BUCKET,
    LEAKY_BUCKET,
    FIXED_WINDOW,
    SLIDING_WINDOW_LOG,
    SLIDING_WINDOW_COUNTER,
    GCRA,
];

const TOKEN_BUCKET: AlgorithmRow = AlgorithmRow {
    kind: "token_bucket",
    explanation: &limiter::TOKEN_BUCKET,
    title: "Token bucket",
    summary: "Tokens refill at a rate up to a capacity; a request takes its cost in tokens or is denied.",
    level: "tokens",
    envelope: "a full bucket comes on top of the rate: up to twice the limit at the default capacity",
    caution: "",
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
    increments: false,
    build: |params, contract, shares| {
        let config = TokenBucketConfig::read(params, contract)?;
        let parts = shared(&config, shares, params)?;
        let narrow = |part: &TokenBucketConfig| part.fits_narrow(contract.horizon);
        Ok(if parts.iter().all(narrow) {
            erase(parts.iter().map(TokenBucket::<u64>::new))
        } else {
            erase(parts.iter().map(TokenBucket::<u128>::new))
        })
    },
};

const LEAKY_BUCKET: AlgorithmRow = AlgorithmRow {
    kind: "leaky_bucket",
    explanation: &limiter::LEAKY_BUCKET,
    title: "Leaky bucket",
    summary: "Requests queue in a bucket that leaks at a constant rate, and are forwarded in their turn; what overflows is denied.",
    level: "queued",
    envelope: "its capacity comes on top of what leaks",
    caution: "what waits in its queue holds a place before it is forwarded",
    parameters: &[
        Parameter {
            name: "capacity",
            meaning: "the most units it holds, the leaking one included (the limit's count)",
        },
        Parameter {
            name: "outflow",
            meaning: "units that leak over time (the limit's rate)",
        },
        Parameter {
            name: "mode",
            meaning: "queue: requests wait for their turn; meter: the same decisions without a delay (queue)",
        },
        Parameter {
            name: "drain",
            meaning: "continuous, or ticks: one unit leaves at each whole multiple of 1/outflow of the clock (continuous)",
        },
        Parameter {
            name: "max_wait",
            meaning: "deny a request that would wait longer than this (none)",
        },
    ],
    by_default: true,
    increments: false,
    build: |params, contract, shares| {
        let config = LeakyBucketConfig::read(params, contract)?;
        let parts = shared(&config, shares, params)?;
        let narrow = |part: &LeakyBucketConfig| part.fits_narrow(contract.horizon);
        Ok(if parts.iter().all(narrow) {
            erase(parts.iter().map(LeakyBucket::<u64>::new))
        } else {
            erase(parts.iter().map(LeakyBucket::<u128>::new))
        })
    },
};

const FIXED_WINDOW: AlgorithmRow = AlgorithmRow {
    kind: "fixed_window",
    explanation: &limiter::FIXED_WINDOW,
    title: "Fixed window counter",
    summary: "A counter per window of the clock; a request is allowed while the count stays within the limit.",
    level: "count",
    envelope: "each window is counted on its own: up to twice the limit around an edge",
    caution: "",
    parameters: &[
        Parameter {
            name: "anchor",
            meaning: "clock: windows are whole multiples of w since 1970; first_request: a window opens with the key's first request in it (clock)",
        },
        Parameter {
            name: "count_denied",
            meaning: "whether denied requests are counted too (false)",
        },
    ],
    by_default: true,
    increments: true,
    build: |params, contract, shares| {
        let config = FixedWindowConfig::read(params, contract)?;
        let parts = shared(&config, shares, params)?;
        Ok(erase(parts.iter().map(FixedWindow::new)))
    },
};

const SLIDING_WINDOW_LOG: AlgorithmRow = AlgorithmRow {
    kind: "sliding_window_log",
    explanation: &limiter::SLIDING_WINDOW_LOG,
    title: "Sliding window log",
    summary: "The times of the last window's requests; a request is allowed while they stay within the limit.",
    level: "entries",
    envelope: "",
    caution: "the denied requests that it logs count too; log_denied = false leaves them out",
    parameters: &[Parameter {
        name: "log_denied",
        meaning: "whether denied requests are logged too, the textbook form (true)",
    }],
    by_default: true,
    increments: true,
    build: |params, contract, shares| {
        let config = SlidingWindowLogConfig::read(params, contract)?;
        let parts = shared(&config, shares, params)?;
        Ok(erase(parts.iter().map(SlidingWindowLog::new)))
    },
};

const SLIDING_WINDOW_COUNTER: AlgorithmRow = AlgorithmRow {
    kind: "sliding_window_counter",
    explanation: &limiter::SLIDING_WINDOW_COUNTER,
    title: "Sliding window counter",
    summary: "Counts of this and the previous clock window, the latter fading as time passes: an estimate of the sliding count.",
    level: "estimate",
    envelope: "it guesses the last window's share: up to one less than twice the limit",
    caution: "it takes the last window's requests to have come evenly",
    parameters: &[
        Parameter {
            name: "rounding",
            meaning: "of the previous window's share: none, or floor to whole units (none)",
        },
        Parameter {
            name: "count_denied",
            meaning: "whether denied requests are counted too (false)",
        },
    ],
    by_default: true,
    increments: true,
    build: |params, contract, shares| {
        let config = SlidingWindowCounterConfig::read(params, contract)?;
        let parts = shared(&config, shares, params)?;
        let narrow = |part: &SlidingWindowCounterConfig| part.fits_narrow(contract.horizon);
        Ok(if parts.iter().all(narrow) {
            erase(parts.iter().map(SlidingWindowCounter::<u64>::new))
        } else {
            erase(parts.iter().map(SlidingWindowCounter::<u128>::new))
        })
    },
};

const GCRA: AlgorithmRow = AlgorithmRow {
    kind: "gcra",
    explanation: &limiter::GCRA,
    title: "GCRA",
    summary: "One theoretical arrival time per key; a request may come ahead of it by a tolerance. Admits what a token bucket does.",
    level: "ahead",
    envelope: "a full bucket comes on top of the rate: up to twice the limit at the default capacity",
    caution: "",
    parameters: &[
        Parameter {
            name: "burst",
            meaning: "the most units that pass at once (the limit's count)",
        },
        Parameter {
            name: "rate",
            meaning: "units over time, one per emission interval (the limit's rate)",
        },
    ],
    by_default: false,
    increments: false,
    build: |params, contract, shares| {
        let config = GcraConfig::read(params, contract)?;
        let parts = shared(&config, shares, params)?;
        let narrow = |part: &GcraConfig| part.fits_narrow(contract.horizon);
        Ok(if parts.iter().all(narrow) {
            erase(parts.iter().map(Gcra::<u64>::new))
        } else {
            erase(parts.iter().map(Gcra::<u128>::new))
        })
    },
};

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
        pattern: "renewal",
        summary: "Independent gaps of any distribution, the first one after `from`.",
        fields: &[Field {
            name: "gap",
            meaning: "from one request to the next: a duration or a distribution (required)",
        }],
        read: Reading::Rule(read_renewal),
    },
    TrafficRow {
        pattern: "on_off",
        summary: "Sources, one per key, that send while they are on and are silent while they are off.",
        fields: &[
            Field {
                name: "rate",
                meaning: "requests of one source over time while it is on (required)",
            },
            Field {
                name: "on",
                meaning: "how long a source is on: a duration or a distribution (required)",
            },
            Field {
                name: "off",
                meaning: "how long it is off: a duration or a distribution (required)",
            },
            Field {
                name: "arrivals",
                meaning: "while on: steady, or poisson (steady)",
            },
            Field {
                name: "start",
                meaning: "on: a period on begins at `from`; random: at any point of its periods \
                          (on for one key, random for several)",
            },
        ],
        read: Reading::Rule(read_on_off),
    },
    TrafficRow {
        pattern: "ramp",
        summary: "Independent requests at a mean rate that changes linearly from `from` to `to`.",
        fields: &[
            Field {
                name: "from_rate",
                meaning: "requests over time in the mean at `from` (required)",
            },
            Field {
                name: "to_rate",
                meaning: "requests over time in the mean at `to` (required)",
            },
        ],
        read: Reading::Rule(read_ramp),
    },
    TrafficRow {
        pattern: "diurnal",
        summary: "Independent requests at a mean rate that rises and falls like a cosine.",
        fields: &[
            Field {
                name: "mean_rate",
                meaning: "requests over time in the mean over a period (required)",
            },
            Field {
                name: "amplitude",
                meaning: "how far the rate swings, as a share of the mean: 0 to 1 (0.5)",
            },
            Field {
                name: "period",
                meaning: "from one peak to the next (1d)",
            },
            Field {
                name: "peak_at",
                meaning: "a peak: a duration since the start or a clock time (half a period)",
            },
        ],
        read: Reading::Rule(read_diurnal),
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

/// The pictures, in the order in which they are listed and drawn.
pub const CHARTS: &[ChartRow] = &[
    ChartRow {
        name: "timeline",
        title: "Timeline",
        meaning: "Each request allowed, delayed or denied, over the level of tokens, queue or count.",
        needs: &[Measure::Series, Measure::Keys],
        draw: chart::timeline,
    },
    ChartRow {
        name: "window",
        title: "Trailing window",
        meaning: "Cost forwarded in the trailing window against the limit: what sticks out is the overshoot.",
        needs: &[Measure::Peak, Measure::Series, Measure::Keys],
        draw: chart::window,
    },
    ChartRow {
        name: "envelope",
        title: "Envelope",
        meaning: "The most that was forwarded within any interval, by its length, under a bucket's bound.",
        needs: &[Measure::Peak, Measure::Keys],
        draw: chart::envelope,
    },
    ChartRow {
        name: "throughput",
        title: "Throughput",
        meaning: "Cost offered and cost forwarded over time.",
        needs: &[Measure::Series],
        draw: chart::throughput,
    },
    ChartRow {
        name: "attempts",
        title: "Attempts",
        meaning: "First attempts and retries over time, admitted and refused, where clients try again.",
        needs: &[Measure::Series],
        draw: chart::attempts,
    },
    ChartRow {
        name: "delay",
        title: "Delay",
        meaning: "How long admitted requests wait, where some do: the share that waits no longer.",
        needs: &[Measure::Delay],
        draw: chart::delay,
    },
    ChartRow {
        name: "keys",
        title: "Keys",
        meaning: "Whose requests were denied: the share per key, the keys with most requests first.",
        needs: &[Measure::Keys],
        draw: chart::keys,
    },
    ChartRow {
        name: "memory",
        title: "Memory",
        meaning: "Bytes of limiter state over time, and per live key at the peak.",
        needs: &[Measure::Memory],
        draw: chart::memory,
    },
    ChartRow {
        name: "error",
        title: "Errors",
        meaning: "False allows and false denies against an exact count of the trailing window.",
        needs: &[Measure::Errors],
        draw: chart::error,
    },
    ChartRow {
        name: "scorecard",
        title: "Scorecard",
        meaning: "All candidates over the measures that tell them apart, the best and the worst marked.",
        needs: &[],
        draw: chart::scorecard,
    },
    ChartRow {
        name: "queue",
        title: "Message queue",
        meaning: "Requests over the limit that wait to be worked off, against the room there is.",
        needs: &[Measure::Series],
        draw: chart::queue,
    },
    ChartRow {
        name: "backend",
        title: "Backend",
        meaning: "How busy the backend is and how long answers take, with the limiter and without.",
        needs: &[Measure::Series],
        draw: chart::backend,
    },
    ChartRow {
        name: "sequence",
        title: "Sequence",
        meaning: "Messages between clients, nodes and the store around the first race or failure.",
        needs: &[],
        draw: chart::sequence,
    },
];
