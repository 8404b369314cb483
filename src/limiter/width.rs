//! The integer that an algorithm keeps its scaled quantities in: narrow where they fit, wide where
//! they might not.

use crate::units::Nanos;
use std::fmt::Debug;
use std::ops::{Add, Mul, Rem, Sub};

/// An unsigned integer wide enough for one configuration's levels.
///
/// Algorithms scale levels by the denominator of their rate, so that every step is whole. Whether
/// the largest product fits 64 bits is decided once, from the configuration; the step itself is the
/// same code at both widths.
pub trait Width:
    Copy
    + Ord
    + Debug
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Rem<Output = Self>
    + 'static
{
    /// A count in this width.
    fn of(count: u64) -> Self;
    /// The value in this width; the configuration has made sure that it fits.
    fn narrow(value: u128) -> Self;
    /// The value in the widest integer.
    fn wide(self) -> u128;
    /// The quotient by `divisor`, which is not 0, rounded up.
    fn ceil_div(self, divisor: Self) -> Self;
}

impl Width for u64 {
    fn of(count: u64) -> Self {
        count
    }
    fn narrow(value: u128) -> Self {
        Self::try_from(value).expect("the configuration chose a width that holds its levels")
    }
    fn wide(self) -> u128 {
        u128::from(self)
    }
    fn ceil_div(self, divisor: Self) -> Self {
        // Rates of one unit per so many nanoseconds, which most are, need no division.
        if divisor == 1 {
            self
        } else {
            self.div_ceil(divisor)
        }
    }
}

impl Width for u128 {
    fn of(count: u64) -> Self {
        Self::from(count)
    }
    fn narrow(value: u128) -> Self {
        value
    }
    fn wide(self) -> u128 {
        self
    }
    fn ceil_div(self, divisor: Self) -> Self {
        self.div_ceil(divisor)
    }
}

/// Whether the narrow width serves a run up to `horizon` whose values stay within `largest`.
///
/// A horizon of [`Nanos::FOREVER`] says that the end of the run is not known: then every algorithm
/// takes its wide form, whatever its values.
pub(crate) const fn fits_narrow(largest: u128, horizon: Nanos) -> bool {
    largest <= u64::MAX as u128 && !horizon.is_forever()
}
