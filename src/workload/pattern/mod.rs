//! Patterns: the rules by which a traffic block makes its instants. One file each.

mod burst;
mod diurnal;
mod on_off;
mod poisson;
mod ramp;
mod renewal;
mod script;
mod steady;

pub use burst::read as read_burst;
pub use diurnal::read as read_diurnal;
pub use on_off::read as read_on_off;
pub use poisson::read as read_poisson;
pub use ramp::read as read_ramp;
pub use renewal::read as read_renewal;
pub use script::read as read_script;
pub use steady::read as read_steady;

use super::distribution::Distribution;
use super::trace::{Files, Survey};
use crate::error::Result;
use crate::params::{Moment, Params};
use crate::units::{Epoch, Nanos, SimTime};
use rand_pcg::Pcg64;

/// One field of a table of the scenario, as help and documentation show it.
#[derive(Debug)]
pub struct Field {
    /// Its name in the scenario.
    pub name: &'static str,
    /// What it means, with its unit and default.
    pub meaning: &'static str,
}

/// One traffic pattern of the catalog.
#[derive(Debug)]
pub struct TrafficRow {
    /// Its `pattern` in the scenario.
    pub pattern: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// Its own fields; those of every pattern are [`super::COMMON_FIELDS`].
    pub fields: &'static [Field],
    /// Reads the fields.
    pub read: Reading,
}

/// How a pattern is read.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    /// A rule that makes instants; its clock times need the epoch.
    Rule(fn(&mut Params, &Setting) -> Result<Box<dyn Pattern>>),
    /// Records of a file, read before the epoch is known since it may follow from their dates.
    Records(fn(&mut Params, &Files) -> Result<Survey>),
}

/// Instants of requests in nanoseconds since the start, in order: one by one, or many at a call.
pub trait Instants: Iterator<Item = u64> + Send {
    /// Writes the next instants from the front on and gives their number, which is short of the room
    /// only at the end.
    fn fill(&mut self, room: &mut [u64]) -> usize;
}

impl<I: Iterator<Item = u64> + Send> Instants for I {
    fn fill(&mut self, room: &mut [u64]) -> usize {
        let mut filled = 0;
        for (place, instant) in room.iter_mut().zip(self) {
            *place = instant;
            filled += 1;
        }
        filled
    }
}

/// A rule that makes the instants of a traffic block.
pub trait Pattern: Send + Sync {
    /// How many requests come: exact where the rule fixes it, else the mean, rounded up. It is 0
    /// only when none can come.
    fn expected(&self) -> u64;

    /// How many requests the rule states by number that the block's times or the run's end cut off.
    fn left_out(&self) -> u64 {
        0
    }

    /// The latest instant at which a request can come; `None` when none can.
    fn last(&self) -> Option<SimTime>;

    /// How its requests fall to the keys.
    fn division(&self) -> Division;

    /// For a Poisson stream of constant rate: from when to when, and requests per second.
    fn poisson(&self) -> Option<(SimTime, SimTime, f64)> {
        None
    }

    /// The instants of a part of the traffic, at a `share` of 1 all of it: the only one that any but
    /// [`Division::Shares`] is asked for, by [`Division::Sources`] once for each key.
    fn instants(&self, share: f64, random: Pcg64) -> Box<dyn Instants>;
}

/// How the requests of a pattern fall to its block's keys, and so to the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// They are one sequence, and each draws its key.
    Whole,
    /// Those of any part of the keys, taken alone, follow the same rule at that part's share of the
    /// rate, so that the shards make their own.
    Shares,
    /// Every key is a source of its own that follows the rule.
    Sources,
}

/// What a block's fields are resolved against.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// What the clock reads at time 0.
    pub epoch: Epoch,
    /// The block's `from`: no request comes before it.
    pub from: SimTime,
    /// The earlier of the block's `to` and the end of the run, if any: no request comes at or after
    /// it.
    pub until: Option<SimTime>,
    /// The block's `to`, which may lie behind the end of the run.
    pub to: Option<SimTime>,
    /// How many keys the block has.
    pub keys: u64,
}

impl Setting {
    /// The block's end, which a pattern that never ends by itself needs.
    pub fn end(&self, params: &Params, field: &str) -> Result<SimTime> {
        self.until.ok_or_else(|| {
            params.error(
                field,
                "never ends by itself; give this block `to`, or the scenario `duration`",
            )
        })
    }

    /// The length from `from` to `end`.
    fn span(&self, end: SimTime) -> Nanos {
        end.since(self.from)
    }

    /// Whether a request may come at `at`.
    pub fn contains(&self, at: SimTime) -> bool {
        at >= self.from && self.until.is_none_or(|until| at < until)
    }

    /// The point of the run that the field `name` states as `moment`.
    pub fn point(&self, params: &Params, name: &str, moment: Moment) -> Result<SimTime> {
        point(params, name, moment, self.epoch)
    }
}

/// The point of a run with this epoch that the field `name` states as `moment`.
pub fn point(params: &Params, name: &str, moment: Moment, epoch: Epoch) -> Result<SimTime> {
    let length = moment.since_start(epoch).ok_or_else(|| {
        params.error(
            name,
            format!("this clock time lies before the start, {epoch}"),
        )
    })?;
    Ok(SimTime::ZERO.saturating_add(length))
}

/// The field `name` as lengths that have a mean.
fn length(params: &mut Params, name: &'static str) -> Result<Distribution> {
    let Some(law) = Distribution::durations(params, name)? else {
        let message = "is required: a duration such as \"250ms\", or a distribution such as \
                       { kind = \"exponential\", mean = \"250ms\" }";
        return Err(params.error(name, message));
    };
    if law.mean().is_finite() {
        return Ok(law);
    }
    let message = "has a tail so heavy that it has no mean, and so no rate; give a larger `shape`";
    Err(params.error(name, message))
}

/// A mean number of requests, rounded up but for the last digits of floats; 0 only for 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn mean_count(mean: f64) -> u64 {
    (mean * (1.0 - 1e-12)).ceil() as u64
}

/// Lengths in whole nanoseconds: the fraction that is cut off is carried into the next one, so that
/// rounding changes no mean.
#[derive(Clone, Copy, Debug, Default)]
struct Carry(f64);

impl Carry {
    /// What the clock advances by for a length in nanoseconds; beyond the clock it saturates.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn whole(&mut self, length: f64) -> u64 {
        let length = length + self.0;
        let whole = length.floor();
        self.0 = length - whole;
        whole as u64
    }
}

/// A clock that advances by lengths with fractions of a nanosecond, and forgets none.
///
/// It counts in parts of a nanosecond, as fine as leaves room for its whole span in 63 bits. What is cut
/// off a length is below one part: with 2^40 requests in the span that lowers their rate by less than
/// 2^−23 of it.
#[derive(Clone, Copy, Debug)]
struct FineClock {
    from: u64,
    /// The time since `from`, and the time at which it ends, in parts.
    since: u64,
    end: u64,
    /// Parts in a nanosecond: two to this power.
    fineness: u32,
}

impl FineClock {
    fn new(from: SimTime, end: SimTime) -> Self {
        let span = end.since(from).get();
        let fineness = span.leading_zeros().clamp(1, 63) - 1;
        Self {
            from: from.as_nanos(),
            since: 0,
            end: span << fineness,
            fineness,
        }
    }

    /// What a length in nanoseconds is multiplied by for [`FineClock::advance`].
    fn parts_per_nano(&self) -> f64 {
        2f64.powi(self.fineness.cast_signed())
    }

    /// Goes on by a length in parts; gives the whole nanosecond, or nothing once the end is reached.
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn advance(&mut self, parts: f64) -> Option<u64> {
        // A length beyond the clock saturates.
        self.since = self.since.saturating_add(parts as u64);
        (self.since < self.end).then_some(self.from + (self.since >> self.fineness))
    }
}

/// Evenly spaced instants: first + ⌊i · length / parts⌋ for i = 0 … count − 1, exactly, by carrying
/// the remainder from one to the next.
#[derive(Clone, Debug)]
struct Even {
    /// The next instant; `None` behind the clock's end.
    at: Option<u64>,
    /// ⌊length / parts⌋, `None` where the clock has no room for it, and the rest of that division.
    step: Option<u64>,
    rest: u64,
    /// What the floor has cut off so far, in parts.
    carried: u64,
    parts: u64,
    left: u64,
}

impl Even {
    /// `parts` is below 2^63, as counts of units are.
    fn new(first: SimTime, length: u128, parts: u64, count: u64) -> Self {
        let parts = parts.max(1);
        let rest = length % u128::from(parts);
        Self {
            at: Some(first.as_nanos()),
            step: u64::try_from(length / u128::from(parts)).ok(),
            rest: u64::try_from(rest).expect("below the parts"),
            carried: 0,
            parts,
            left: count,
        }
    }
}

impl Iterator for Even {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at?;
        self.carried += self.rest;
        let wraps = self.carried >= self.parts;
        self.carried -= if wraps { self.parts } else { 0 };
        let step = self.step.map(|step| step.saturating_add(wraps.into()));
        self.at = step.and_then(|step| at.checked_add(step));
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn even_instants_are_the_floors_of_exact_fractions(
            first in 0u64..1 << 40,
            length in 0u64..1 << 50,
            parts in (0..62).prop_flat_map(|bits| 1u64..2u64 << bits),
        ) {
            let even = Even::new(SimTime::from_nanos(first), length.into(), parts, 100);
            prop_assert_eq!(even.clone().count(), 100);
            for (i, at) in even.enumerate() {
                let exact = i as u128 * u128::from(length) / u128::from(parts);
                prop_assert_eq!(u128::from(at), u128::from(first) + exact);
            }
        }

        #[test]
        fn even_instants_end_with_the_clock(length in (64..84).prop_flat_map(|bits| 1u128..2u128 << bits)) {
            let even = Even::new(SimTime::ZERO, length, 7, u64::MAX);
            let exact = |i: u128| i * length / 7;
            let within = (0..1_000).take_while(|i| exact(*i) <= u64::MAX.into());
            let expected: Vec<u128> = within.map(exact).collect();
            let found: Vec<u128> = even.take(1_000).map(u128::from).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
