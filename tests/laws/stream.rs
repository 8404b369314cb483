//! Streams of requests for the laws, and the whole catalog in all its variants.

use crate::setup::candidate;
use proptest::prelude::*;
use ratesim::catalog::ALGORITHMS;
use ratesim::params::Contract;
use ratesim::simulation::Stepper;
use ratesim::units::{Cost, Epoch, Limit, Nanos, SimTime};

/// A contract and the requests that come under it, in order of time.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) limit: Limit,
    pub(crate) epoch: Epoch,
    pub(crate) requests: Vec<(SimTime, Cost)>,
}

/// Combinations of options per kind; a kind that is not listed runs with its defaults.
const VARIANTS: &[(&str, &[&str])] = &[
    (
        "token_bucket",
        &[
            "",
            "initial=0",
            "refill_every=5ns",
            "capacity=4 refill=3/10ns initial=1 refill_every=7ns",
            "capacity=7 refill=3/1s",
            "capacity=3 initial=2 refill=0/1s",
        ],
    ),
    (
        "leaky_bucket",
        &[
            "",
            "mode=meter",
            "drain=ticks",
            "mode=meter drain=ticks",
            "max_wait=0s",
            "max_wait=3ns",
            "mode=meter max_wait=2s",
            "drain=ticks max_wait=0s",
            "drain=ticks max_wait=1ns",
            "drain=ticks max_wait=20s",
            "capacity=4 outflow=3/10ns drain=ticks max_wait=2ns mode=meter",
            "capacity=9 outflow=2/7ns",
            "capacity=9 outflow=20/7ns drain=ticks",
            "capacity=5 outflow=1/3s max_wait=7s",
            "capacity=5 outflow=0/1s",
            "capacity=5 outflow=0/1s max_wait=1s drain=ticks",
        ],
    ),
    (
        "fixed_window",
        &[
            "",
            "anchor=first_request",
            "count_denied=true",
            "anchor=first_request count_denied=true",
        ],
    ),
    ("sliding_window_log", &["", "log_denied=false"]),
    (
        "sliding_window_counter",
        &[
            "",
            "rounding=floor",
            "count_denied=true",
            "rounding=floor count_denied=true",
        ],
    ),
    (
        "gcra",
        &["", "burst=1", "burst=9 rate=2/7ns", "burst=5 rate=0/1s"],
    ),
];

/// One algorithm with one set of options at one integer width, with one fresh key.
pub(crate) struct Subject {
    pub(crate) kind: &'static str,
    pub(crate) options: &'static str,
    pub(crate) stepper: Box<dyn Stepper>,
}

impl Subject {
    /// Whether a denied request is meant to change later decisions.
    pub(crate) fn remembers_denied(&self) -> bool {
        self.options.contains("count_denied=true")
            || (self.kind == "sliding_window_log" && !self.options.contains("log_denied=false"))
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.kind, self.options)
    }
}

impl Stream {
    /// No law looks at a later time; narrow integers must do up to it.
    pub(crate) fn horizon(&self) -> u64 {
        let last = self.requests.last().map_or(0, |(at, _)| at.as_nanos());
        last + 3 * self.limit.window.get() + 100
    }

    /// Every algorithm with every set of options, in the width that its configuration asks for and
    /// in the wide one.
    pub(crate) fn subjects(&self) -> Vec<Subject> {
        let mut subjects = Vec::new();
        for row in ALGORITHMS {
            let listed = VARIANTS.iter().find(|(kind, _)| *kind == row.kind);
            for options in listed.map_or(&[""][..], |(_, options)| options) {
                for horizon in [Nanos::new(self.horizon()), Nanos::FOREVER] {
                    let contract = Contract {
                        limit: self.limit,
                        epoch: self.epoch,
                        lead: Nanos::ZERO,
                        horizon,
                    };
                    subjects.push(Subject {
                        kind: row.kind,
                        options,
                        stepper: candidate(row.kind, options, &contract).stepper(),
                    });
                }
            }
        }
        subjects
    }

    /// Plays the stream to every subject; `law` is called before each request.
    pub(crate) fn play(&self, mut law: impl FnMut(&Subject, SimTime, Cost)) {
        for mut subject in self.subjects() {
            for &(now, cost) in &self.requests {
                law(&subject, now, cost);
                subject.stepper.decide(now, cost);
            }
        }
    }
}

/// A gap between requests: none, a few nanoseconds, a fraction of the window or some windows.
fn gap(window: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => Just(0),
        2 => 0..4u64,
        4 => 0..=window / 4,
        2 => 0..=window,
        1 => Just(window),
        1 => window..=window * 3,
    ]
}

/// A cost: mostly 1, and around the limit.
fn cost(units: u64) -> impl Strategy<Value = Cost> {
    prop_oneof![
        1 => Just(0),
        12 => Just(1),
        3 => 1..=units.max(1),
        1 => Just(units),
        1 => Just(units + 1),
        1 => Just(u64::MAX),
    ]
}

/// Streams under limits of 0 to 10^12 per 1 ns to a year, from any clock.
pub(crate) fn stream() -> impl Strategy<Value = Stream> {
    let units = prop_oneof![
        Just(0),
        Just(1),
        2..12u64,
        2..12u64,
        Just(100),
        Just(1_000_000_000_000)
    ];
    let window = prop_oneof![
        Just(1),
        Just(7),
        Just(10),
        Just(1_000),
        Just(1_000_000_000),
        Just(60_000_000_000),
        Just(366 * 86_400_000_000_000)
    ];
    let epoch = prop_oneof![Just(0), 0..2_000_000_000_000_000_000u64];
    (units, window, epoch, 0..1_000_000_000_000u64).prop_flat_map(
        |(units, window, epoch, first)| {
            let requests = prop::collection::vec((gap(window), cost(units)), 1..40);
            requests.prop_map(move |requests| {
                let mut now = first;
                let requests = requests.into_iter().map(|(gap, cost)| {
                    now += gap;
                    (SimTime::from_nanos(now), cost)
                });
                Stream {
                    limit: Limit {
                        units,
                        window: Nanos::new(window),
                    },
                    epoch: Epoch::from_unix_nanos(epoch),
                    requests: requests.collect(),
                }
            })
        },
    )
}
