//! Time, rates and identities: the quantities that every other layer computes with.
//!
//! All of them are integers or ratios of integers. Only lawful arithmetic is offered: a point in
//! time plus a length is a point, two points differ by a length, points are never added.

use std::fmt;
use std::ops::{Add, Sub};

mod divisor;
mod factor;
mod offset;
mod parse;
mod share;
mod text;

pub use divisor::Divisor;
pub use factor::Factor;
pub use offset::Offset;
pub use parse::{UnitError, parse_clock_time, parse_decimal_seconds};
pub use share::Share;
pub use text::decimal;

/// Cost units: what a request takes from its limit. Most requests cost 1.
pub type Cost = u64;

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A point on the virtual clock, in whole nanoseconds since the scenario began.
///
/// The clock itself may read any date at time 0 (see [`Epoch`]); algorithms that follow clock
/// windows get that phase in their configuration, so that the points stay small integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

impl SimTime {
    /// When the scenario begins.
    pub const ZERO: Self = Self(0);
    /// The end of the clock, 584 years after the beginning; stands for "never" where a point is
    /// required.
    pub const MAX: Self = Self(u64::MAX);

    /// The point `nanos` nanoseconds after the beginning.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the beginning.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The length from `earlier` to `self`, zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }

    /// The point `length` later, or the end of the clock.
    pub const fn saturating_add(self, length: Nanos) -> Self {
        Self(self.0.saturating_add(length.0))
    }

    /// The point `length` earlier, or the beginning.
    pub const fn saturating_sub(self, length: Nanos) -> Self {
        Self(self.0.saturating_sub(length.0))
    }
}

impl Add<Nanos> for SimTime {
    type Output = Self;
    fn add(self, length: Nanos) -> Self {
        Self(self.0 + length.0)
    }
}

impl Sub for SimTime {
    type Output = Nanos;
    fn sub(self, earlier: Self) -> Nanos {
        Nanos(self.0 - earlier.0)
    }
}

/// A length of time in whole nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(u64);

impl Nanos {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// Longer than the clock can run (584 years): a wait that does not end.
    pub const FOREVER: Self = Self(u64::MAX);

    /// A length of `nanos` nanoseconds.
    pub const fn new(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A length of whole seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * NANOS_PER_SECOND)
    }

    /// A length of whole milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// The length in nanoseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// A length from a wide count; what does not fit the clock is [`Nanos::FOREVER`].
    pub fn from_wide(nanos: u128) -> Self {
        u64::try_from(nanos).map_or(Self::FOREVER, Self)
    }

    /// Whether this is [`Nanos::FOREVER`].
    pub const fn is_forever(self) -> bool {
        self.0 == u64::MAX
    }

    /// The length in seconds, for charts and statistics only.
    #[allow(clippy::cast_precision_loss)]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

/// An exact rate: cost units per nanosecond as a reduced fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    units: u64,
    nanos: u128,
}

impl Rate {
    /// `units` per `nanos` nanoseconds, reduced. `None` when `nanos` is 0, when the reduced count of
    /// units passes 2^63 − 1, or the reduced length 2^85: beyond these, products with times and
    /// capacities would leave 128 bits.
    pub fn new(units: u128, nanos: u128) -> Option<Self> {
        if nanos == 0 {
            return None;
        }
        let divisor = num_integer::gcd(units, nanos);
        let units = i64::try_from(units / divisor).ok()?;
        let nanos = nanos / divisor;
        (nanos < 1 << 85).then_some(Self {
            units: units.unsigned_abs(),
            nanos,
        })
    }

    /// Units in the reduced fraction; 0 for a rate of zero.
    pub const fn units(self) -> u64 {
        self.units
    }

    /// Nanoseconds in the reduced fraction, at least 1.
    pub const fn nanos(self) -> u128 {
        self.nanos
    }

    /// Units per second, for charts, estimates and random sources only.
    #[allow(clippy::cast_precision_loss)]
    pub fn per_second(self) -> f64 {
        self.units as f64 / self.nanos as f64 * 1e9
    }
}

/// The contract `n/w`: at most `units` cost units in any window of length `window`, per key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    /// n, the cost units.
    pub units: u64,
    /// w, the window; never zero.
    pub window: Nanos,
}

impl Limit {
    /// The largest count that a limit, a capacity or a burst may state.
    pub const MAX_UNITS: u64 = 1_000_000_000_000;
    /// The longest window, 366 days.
    pub const MAX_WINDOW: Nanos = Nanos::from_secs(366 * 86_400);

    /// The rate n/w.
    pub fn rate(self) -> Rate {
        Rate::new(u128::from(self.units), u128::from(self.window.get()))
            .expect("a limit has a window, and both lie within their bounds")
    }
}

/// What the clock reads when the scenario begins: nanoseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(u64);

impl Epoch {
    /// A clock that reads `nanos` nanoseconds after 1970-01-01T00:00:00Z at time 0.
    pub const fn from_unix_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the Unix epoch at time 0.
    pub const fn unix_nanos(self) -> u64 {
        self.0
    }

    /// How far into its clock window of length `window` the scenario begins.
    pub const fn phase(self, window: Nanos) -> Nanos {
        Nanos(self.0 % window.0)
    }

    /// How far into its (UTC) day the scenario begins.
    pub const fn time_of_day(self) -> Nanos {
        Nanos(self.0 % (86_400 * NANOS_PER_SECOND))
    }
}

/// A key (client, user, address) as a dense number: an index into the run's key names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub u32);

/// The number of shards that the keys of every run are cut into.
///
/// It is fixed: each shard has random streams of its own and results merge in shard order, so that
/// any number of threads gives the same bytes.
pub const SHARDS: u32 = 64;

impl KeyId {
    /// The shard that decides for this key.
    pub const fn shard(self) -> u32 {
        self.0 % SHARDS
    }

    /// The key's index within its shard.
    pub const fn slot(self) -> usize {
        (self.0 / SHARDS) as usize
    }

    /// The key at `slot` of `shard`.
    pub fn at(shard: usize, slot: usize) -> Self {
        let id = slot * SHARDS as usize + shard;
        Self(u32::try_from(id).expect("a run has fewer than 2^32 keys"))
    }
}

/// When a denied request would be admitted if nothing else arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Retry {
    /// After this many whole nanoseconds and not one earlier. Wide, since a capacity of 10^12
    /// refilled once a year takes longer than the clock runs.
    After(u128),
    /// Never: the cost is above what can ever be held, or nothing is ever refilled.
    Never,
}

/// Nanoseconds in whole seconds, rounded up: who is told to wait so long is never early.
pub const fn whole_seconds(nanos: u128) -> u128 {
    nanos.div_ceil(NANOS_PER_SECOND as u128)
}

impl Retry {
    /// The wait in whole seconds; see [`whole_seconds`]. `None` for never.
    pub fn whole_seconds(self) -> Option<u128> {
        match self {
            Self::After(nanos) => Some(whole_seconds(nanos)),
            Self::Never => None,
        }
    }
}

impl fmt::Display for Retry {
    /// Decimal seconds, or `inf`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(nanos) => f.write_str(&decimal(*nanos, 9)),
            Self::Never => f.write_str("inf"),
        }
    }
}

/// An exact quantity of cost units that need not be whole: tokens, backlog, estimate.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Numerator.
    pub parts: u128,
    /// Denominator, at least 1.
    pub per_unit: u128,
}

impl Level {
    /// A whole level.
    pub const fn whole(units: u128) -> Self {
        Self {
            parts: units,
            per_unit: 1,
        }
    }

    /// `parts / per_unit` units.
    pub const fn new(parts: u128, per_unit: u128) -> Self {
        Self { parts, per_unit }
    }

    /// The level to a float's precision: for statistics.
    pub fn ratio(self) -> f64 {
        to_float(self.parts) / to_float(self.per_unit)
    }

    /// The level for drawing.
    #[allow(clippy::cast_precision_loss)]
    pub fn as_f64(self) -> f64 {
        let whole = self.parts / self.per_unit;
        let rest = self.parts % self.per_unit;
        whole as f64 + rest as f64 / self.per_unit as f64
    }
}

/// A count as a float, in two halves, each of which converts without a call: for statistics.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
pub fn to_float(wide: u128) -> f64 {
    let (high, low) = ((wide >> 64) as u64, wide as u64);
    high as f64 * 2f64.powi(64) + low as f64
}
