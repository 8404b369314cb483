//! Random setups and requests, aimed at the edges.

use super::bucket::{Cells, Leak, Tokens};
use super::model::{Model, ratio};
use super::window::{History, Rule};
use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const DAY: u64 = 86_400_000_000_000;

/// A time before any that a clock reads.
const LONG_AGO: i64 = -1_000_000_000_000_000_000;

/// A stream of random choices.
pub(crate) struct Draw(Pcg64Mcg);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    pub(crate) fn up_to(&mut self, most: u64) -> u64 {
        self.0.random_range(0..=most)
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.random_range(0..choices.len())]
    }

    pub(crate) fn yes(&mut self) -> bool {
        self.0.random_bool(0.5)
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.up_to(99) < percent
    }
}

/// An algorithm with every option that it has.
#[derive(Clone, Copy, Debug)]
enum Options {
    Tokens {
        initial: u64,
        every: Option<u64>,
    },
    Leak {
        queue: bool,
        ticks: bool,
        max_wait: Option<u64>,
    },
    Fixed {
        first: bool,
        denied: bool,
    },
    Log {
        denied: bool,
    },
    Counter {
        floor: bool,
        denied: bool,
    },
    Cells,
}

/// A contract, a clock, and an algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) units: u64,
    pub(crate) window: u64,
    pub(crate) epoch: u64,
    /// A bucket's capacity or burst.
    size: u64,
    /// A bucket's rate: units per nanoseconds.
    rate: (u64, u64),
    options: Options,
}

impl Setup {
    pub(crate) fn draw(draw: &mut Draw) -> Self {
        let units = draw.one_of(&[0, 1, 1, 2, 3, 5, 7, 10, 60, 1_000, 1_000_000_000_000]);
        let window = draw.one_of(&[
            1,
            7,
            10,
            1_000,
            333_333_333,
            1_000_000_000,
            3_000_000_000,
            60_000_000_000,
            30 * DAY,
            365 * DAY,
        ]);
        let size = draw.one_of(&[units, units, 0, 1, 2, 5, 9, 1_000_000_000_000]);
        let rate = draw.one_of(&[
            (units, window),
            (units, window),
            (3, 1_000_000_000),
            (1, 3_000_000_000),
            (2, 7),
            (7, 2),
            (0, 1),
            (7, 30 * DAY),
            (1, 365 * DAY),
            (1_000_000_000_000, 1_000_000_000),
        ]);
        let mut setup = Self {
            units,
            window,
            epoch: draw.one_of(&[0, 1, 1_700_000_000_123_456_789, 8_000_000_000_000_000_000]),
            size,
            rate,
            options: Options::Cells,
        };
        setup.options = setup.draw_options(draw);
        setup
    }

    /// A setup of a few units in a few hundred nanoseconds, whose rates are never 0: for many requests
    /// between which little time passes.
    pub(crate) fn small(draw: &mut Draw, epoch: u64) -> Self {
        let units = draw.one_of(&[1, 2, 3, 4, 5, 8, 12]);
        let window = draw.one_of(&[100, 300, 700, 1_000, 2_000]);
        let mut setup = Self {
            units,
            window,
            epoch,
            size: draw.one_of(&[units, units, 1, 2, 5, 9]),
            rate: draw.one_of(&[
                (units, window),
                (units, window),
                (1, 100),
                (2, 300),
                (3, 700),
                (1, 1_000),
            ]),
            options: Options::Cells,
        };
        setup.options = setup.draw_options(draw);
        setup
    }

    /// What the node with this number enforces of it where several share it: rates are divided, of counts
    /// the first nodes get one more where they do not divide.
    pub(crate) fn of_node(&self, node: u64, nodes: u64) -> Self {
        let count = |whole: u64| whole / nodes + u64::from(node < whole % nodes);
        self.part(count, (1, nodes))
    }

    /// A fraction of it, counts rounded down.
    pub(crate) fn fraction(&self, (parts, of): (u64, u64)) -> Self {
        self.part(|whole| whole * parts / of, (parts, of))
    }

    fn part(&self, count: impl Fn(u64) -> u64, (parts, of): (u64, u64)) -> Self {
        let options = match self.options {
            Options::Tokens { initial, every } => Options::Tokens {
                initial: count(initial),
                every,
            },
            other => other,
        };
        Self {
            units: count(self.units),
            size: count(self.size),
            rate: (self.rate.0 * parts, self.rate.1 * of),
            options,
            ..self.clone()
        }
    }

    /// The most that it can hold.
    pub(crate) fn most(&self) -> u64 {
        match self.options {
            Options::Tokens { .. } | Options::Leak { .. } | Options::Cells => self.size,
            _ => self.units,
        }
    }

    /// Whether it keeps a count of what it admitted, that a store can add to.
    pub(crate) fn counts(&self) -> bool {
        !matches!(
            self.options,
            Options::Tokens { .. } | Options::Leak { .. } | Options::Cells
        )
    }

    /// Whether it counts denied requests.
    pub(crate) fn counts_denied(&self) -> bool {
        match self.options {
            Options::Fixed { denied, .. }
            | Options::Log { denied }
            | Options::Counter { denied, .. } => denied,
            Options::Tokens { .. } | Options::Leak { .. } | Options::Cells => false,
        }
    }

    fn draw_options(&mut self, draw: &mut Draw) -> Options {
        match draw.up_to(6) {
            0 => Options::Tokens {
                initial: draw.one_of(&[self.size, self.size, 0, self.size / 2]),
                every: draw
                    .yes()
                    .then(|| draw.one_of(&[1, 7, self.window, 1_000_000_000])),
            },
            1 | 2 => {
                let ticks = draw.yes();
                let wait = self.rate.1.checked_div(self.rate.0).unwrap_or(5);
                let max_wait = draw.yes().then(|| {
                    let some = draw.up_to(wait.saturating_mul(3));
                    draw.one_of(&[0, 1, wait, wait + 1, some])
                });
                if ticks && max_wait.is_some() {
                    // Every tick of a wait is looked at.
                    self.size = self.size.min(9);
                }
                Options::Leak {
                    queue: draw.chance(70),
                    ticks,
                    max_wait,
                }
            }
            3 => Options::Fixed {
                first: draw.yes(),
                denied: draw.yes(),
            },
            4 => Options::Log { denied: draw.yes() },
            5 => Options::Counter {
                floor: draw.yes(),
                denied: draw.yes(),
            },
            _ => Options::Cells,
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self.options {
            Options::Tokens { .. } => "token_bucket",
            Options::Leak { .. } => "leaky_bucket",
            Options::Fixed { .. } => "fixed_window",
            Options::Log { .. } => "sliding_window_log",
            Options::Counter { .. } => "sliding_window_counter",
            Options::Cells => "gcra",
        }
    }

    /// The parameters as a scenario writes them.
    pub(crate) fn parameters(&self) -> String {
        let (size, rate) = (self.size, format!("{}/{}ns", self.rate.0, self.rate.1));
        let choose = |yes, a: &'static str, b: &'static str| if yes { a } else { b };
        match self.options {
            Options::Tokens { initial, every } => {
                let every = every.map_or(String::new(), |every| format!("refill_every={every}ns"));
                format!("capacity={size} refill={rate} initial={initial} {every}")
            }
            Options::Leak {
                queue,
                ticks,
                max_wait,
            } => {
                let mode = choose(queue, "queue", "meter");
                let drain = choose(ticks, "ticks", "continuous");
                let wait = max_wait.map_or(String::new(), |wait| format!("max_wait={wait}ns"));
                format!("capacity={size} outflow={rate} mode={mode} drain={drain} {wait}")
            }
            Options::Fixed { first, denied } => {
                let anchor = choose(first, "first_request", "clock");
                format!("anchor={anchor} count_denied={denied}")
            }
            Options::Log { denied } => format!("log_denied={denied}"),
            Options::Counter { floor, denied } => {
                let rounding = choose(floor, "floor", "none");
                format!("rounding={rounding} count_denied={denied}")
            }
            Options::Cells => format!("burst={size} rate={rate}"),
        }
    }

    pub(crate) fn model(&self) -> Box<dyn Model> {
        let size = BigInt::from(self.size);
        let rate = ratio(self.rate.0, self.rate.1);
        let history = |rule, denied_too| History {
            rule,
            limit: self.units.into(),
            window: self.window.into(),
            epoch: self.epoch.into(),
            denied_too,
            counted: Vec::new(),
            last: LONG_AGO.into(),
        };
        match self.options {
            Options::Tokens { initial, every } => Box::new(Tokens {
                capacity: size,
                rate,
                initial: initial.into(),
                every: every.map(Into::into),
                state: None,
            }),
            Options::Leak {
                queue,
                ticks,
                max_wait,
            } => Box::new(Leak {
                capacity: size,
                rate,
                queue,
                ticks,
                max_wait: max_wait.map(Into::into),
                epoch: self.epoch.into(),
                backlog: ratio(0, 1),
                last: LONG_AGO.into(),
            }),
            Options::Fixed {
                first: false,
                denied,
            } => Box::new(history(Rule::FixedClock, denied)),
            Options::Fixed {
                first: true,
                denied,
            } => Box::new(history(Rule::FixedFirst, denied)),
            Options::Log { denied } => Box::new(history(Rule::Log, denied)),
            Options::Counter { floor, denied } => {
                Box::new(history(Rule::Counter { floor }, denied))
            }
            Options::Cells => Box::new(Cells {
                burst: size,
                rate,
                due: ratio(LONG_AGO, 1),
                spent: BigInt::ZERO,
            }),
        }
    }

    /// Requests at times that mostly go forward, at most until about the year 2500.
    pub(crate) fn requests(&self, draw: &mut Draw, count: usize) -> Vec<(u64, u64)> {
        let end = 16_725_225_600_000_000_000 - self.epoch;
        let interval = self.rate.1.checked_div(self.rate.0).unwrap_or(1);
        let mut now = match draw.up_to(9) {
            0 => end - draw.up_to(self.window),
            1 => draw.up_to(end),
            _ => draw.up_to(self.window),
        };
        let mut requests = Vec::with_capacity(count);
        for _ in 0..count {
            let to_edge = self.window - (now + self.epoch) % self.window;
            let random = [
                draw.up_to(3),
                draw.up_to(interval * 2),
                draw.up_to(self.window / (self.units / 2 + 1)),
                draw.up_to(self.window),
                draw.up_to(self.window * 3),
            ];
            let gap = draw.one_of(&[
                0,
                0,
                0,
                0,
                1,
                to_edge - 1,
                to_edge,
                interval,
                interval + 1,
                self.window,
                random[0],
                random[1],
                random[2],
                random[2],
                random[3],
                random[4],
            ]);
            if now + gap <= end {
                now += gap;
            }
            let back = draw.up_to(self.window.min(now));
            let stamp = if draw.chance(4) { now - back } else { now };
            requests.push((stamp, self.cost(draw)));
        }
        requests
    }

    fn cost(&self, draw: &mut Draw) -> u64 {
        let most = self.most();
        let any = draw.up_to(most);
        draw.one_of(&[
            1,
            1,
            1,
            1,
            1,
            1,
            0,
            most,
            most + 1,
            u64::MAX,
            any,
            any,
            any / 3 + 1,
        ])
    }
}
