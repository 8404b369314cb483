//! What each algorithm forwards at most, whatever comes.
//!
//! N(τ) is the cost forwarded within a closed interval of length τ. The bounds are exact; there is no
//! tolerance in any of them.

use ratesim::units::{Limit, Nanos, Rate};

/// What a key's requests came to: when a request was forwarded (or came), and its cost.
pub(crate) type Event = (u64, u64);

/// One bound.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// N(τ) ≤ burst + rate · τ.
    Line { burst: u64, rate: Rate },
    /// N(τ) ≤ first + each · (⌊τ/every⌋ + 1), where `each` is what the rate gains in `every`.
    Steps { first: u64, rate: Rate, every: u64 },
    /// One after the other: what is forwarded before the last one in a closed interval is at most rate
    /// · (τ + slack).
    Queue { rate: Rate, slack: u64 },
    /// At most this within any half-open interval of the length.
    Window { most: u64, length: u64 },
}

/// Whether a bound holds; what breaks it, if not.
pub(crate) type Held = Result<(), String>;

impl Bound {
    /// Checks a key's events, which are in order of time.
    pub(crate) fn check(self, events: &[Event]) -> Held {
        match self {
            Self::Line { burst, rate } => {
                let full = parts(burst, rate.nanos());
                vessel(events, rate, |_, after| after <= full)
            }
            // Only the nanoseconds that moments are rounded up to leave something in the vessel.
            Self::Queue { rate, slack } => {
                let left = parts(slack, rate.units().into());
                vessel(events, rate, |before, _| before <= left)
            }
            Self::Steps { first, rate, every } => steps(events, first, rate, every),
            Self::Window { most, length } => within(events, length, |sum| sum <= most.into()),
        }
    }
}

fn parts(count: u64, each: u128) -> u128 {
    u128::from(count)
        .checked_mul(each)
        .expect("parts of a unit")
}

/// A vessel that gains every cost and loses `rate`: what it holds is the most, over all intervals that
/// end here, by which the cost within passed rate · τ. Asked before and after each cost is added.
fn vessel(events: &[Event], rate: Rate, holds: impl Fn(u128, u128) -> bool) -> Held {
    let (mut level, mut last) = (0u128, 0);
    for &(at, cost) in events {
        level = level.saturating_sub(parts(at - last, rate.units().into()));
        let before = level;
        level += parts(cost, rate.nanos());
        last = at;
        if !holds(before, level) {
            let over = format!("{before} and then {level} in 1/{} of a unit", rate.nanos());
            return Err(format!("{over} at {at} ns"));
        }
    }
    Ok(())
}

/// τ < k · every allows first + each · k: all k that the events span, up to a bound.
fn steps(events: &[Event], first: u64, rate: Rate, every: u64) -> Held {
    let (Some(begin), Some(end)) = (events.first(), events.last()) else {
        return Ok(());
    };
    let most = if events.len() <= 1_000 { 64 } else { 8 };
    for k in 1..=((end.0 - begin.0) / every + 1).min(most) {
        let length = every.saturating_mul(k);
        let allowed = parts(first, rate.nanos()) + parts(length, rate.units().into());
        within(events, length, |sum| sum * rate.nanos() <= allowed)?;
    }
    Ok(())
}

/// Holds every sum over (t − length, t] against a bound.
fn within(events: &[Event], length: u64, holds: impl Fn(u128) -> bool) -> Held {
    let (mut oldest, mut sum) = (0, 0u128);
    for &(at, cost) in events {
        sum += u128::from(cost);
        while at - events[oldest].0 >= length {
            sum -= u128::from(events[oldest].1);
            oldest += 1;
        }
        if !holds(sum) {
            return Err(format!("{sum} within {length} ns up to {at} ns"));
        }
    }
    Ok(())
}

/// The bounds on what one candidate does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Envelope {
    /// On what is forwarded, at the time of its forwarding.
    pub(crate) forwarded: Vec<Bound>,
    /// On what is admitted, at the time of its arrival.
    pub(crate) admitted: Vec<Bound>,
    /// The longest wait.
    pub(crate) wait: Option<Nanos>,
}

impl Envelope {
    /// The bounds of a resolved `[[algorithm]]` table.
    pub(crate) fn of(table: &toml::Table, limit: Limit) -> Self {
        let text = |name: &str| table.get(name).and_then(toml::Value::as_str);
        let count = |name: &str| {
            let value = table[name].as_integer().expect("a count");
            u64::try_from(value).expect("a count")
        };
        let rate = |name: &str| text(name).expect("a rate").parse().expect("a rate");
        let time = |name: &str| text(name)?.parse::<Nanos>().ok();
        match text("kind").expect("a kind") {
            "token_bucket" => {
                let every = time("refill_every");
                Self::bucket(count("capacity"), rate("refill"), every)
            }
            "gcra" => Self::bucket(count("burst"), rate("rate"), None),
            "leaky_bucket" => {
                let queue = text("mode") == Some("queue");
                let ticks = text("drain") == Some("ticks");
                let (capacity, outflow) = (count("capacity"), rate("outflow"));
                let mut envelope = Self::leaky(capacity, outflow, queue, ticks);
                envelope.wait = envelope.wait.into_iter().chain(time("max_wait")).min();
                envelope
            }
            "fixed_window" => Self::only(vec![Self::edges(limit)]),
            "sliding_window_log" => Self::only(vec![Bound::Window {
                most: limit.units,
                length: limit.window.get(),
            }]),
            "sliding_window_counter" => Self::counter(limit, text("rounding") == Some("floor")),
            kind => panic!("no envelope is known for {kind}"),
        }
    }

    fn only(forwarded: Vec<Bound>) -> Self {
        Self {
            forwarded,
            ..Self::default()
        }
    }

    /// b + rτ; with steps b + q(⌊τ/Δ⌋ + 1).
    fn bucket(capacity: u64, rate: Rate, every: Option<Nanos>) -> Self {
        Self::only(vec![match every {
            None => Bound::Line {
                burst: capacity,
                rate,
            },
            Some(every) => Bound::Steps {
                first: capacity,
                rate,
                every: every.get(),
            },
        }])
    }

    /// Departures 1 + ⌊rτ⌋, delay (b − 1)T; on ticks b·T, since each waits for its own tick.
    fn leaky(capacity: u64, rate: Rate, queue: bool, ticks: bool) -> Self {
        // Ticks that passed unseen free one more unit.
        let line = Bound::Line {
            burst: capacity + u64::from(ticks),
            rate,
        };
        if !queue {
            return Self::only(vec![line]);
        }
        let whole = rate.units() <= 1;
        let before = capacity.saturating_sub(u64::from(!ticks));
        let drained = parts(before, rate.nanos()).checked_div(rate.units().into());
        Self {
            forwarded: vec![Bound::Queue {
                rate,
                slack: u64::from(!whole),
            }],
            admitted: vec![line],
            wait: drained.map(|wait| Nanos::from_wide(wait + u128::from(!whole))),
        }
    }

    /// n(⌊τ/w⌋ + 2).
    fn edges(limit: Limit) -> Bound {
        Bound::Steps {
            first: limit.units,
            rate: limit.rate(),
            every: limit.window.get(),
        }
    }

    /// n + nτ/w, and 2n − 1 in a trailing window; rounded down, 2n.
    fn counter(limit: Limit, floor: bool) -> Self {
        let most = (2 * limit.units).saturating_sub(u64::from(!floor));
        let window = Bound::Window {
            most,
            length: limit.window.get(),
        };
        let shape = if floor {
            Self::edges(limit)
        } else {
            Bound::Line {
                burst: limit.units,
                rate: limit.rate(),
            }
        };
        Self::only(vec![window, shape])
    }
}
