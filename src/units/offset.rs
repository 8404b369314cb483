//! Signed lengths: how far one clock is ahead of another.

use super::{Nanos, SimTime, UnitError};
use std::fmt;
use std::str::FromStr;

/// How far a clock is ahead of the virtual one, in whole nanoseconds; behind it where negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(i64);

impl Offset {
    /// As the virtual clock.
    pub const ZERO: Self = Self(0);

    /// An offset of `nanos` nanoseconds.
    pub const fn new(nanos: i64) -> Self {
        Self(nanos)
    }

    /// The offset in nanoseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Both, one after the other; as far as the clock reaches.
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What a clock with this offset reads at `at`; not before the beginning.
    pub const fn read(self, at: SimTime) -> SimTime {
        SimTime::from_nanos(at.as_nanos().saturating_add_signed(self.0))
    }
}

impl FromStr for Offset {
    type Err = UnitError;

    /// Reads `250ms`, `-10s`, `+1.5s`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (is_behind, length) = match text.strip_prefix('-') {
            Some(length) => (true, length),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let length: Nanos = length.parse()?;
        let nanos = i64::try_from(length.get())
            .map_err(|_| UnitError(format!("`{text}` is longer than 292 years")))?;
        Ok(Self(if is_behind { -nanos } else { nanos }))
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Nanos::new(self.0.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_and_written_with_their_sign() {
        for (text, nanos) in [("-10s", -10_000_000_000), ("1500us", 1_500_000), ("0s", 0)] {
            let offset: Offset = text.parse().unwrap();
            assert_eq!(offset.get(), nanos);
            assert_eq!(offset.to_string().parse::<Offset>().unwrap(), offset);
        }
        assert_eq!("+2s".parse::<Offset>().unwrap().get(), 2_000_000_000);
        assert!("--2s".parse::<Offset>().is_err());
    }

    #[test]
    fn a_clock_behind_reads_earlier() {
        let at = SimTime::from_nanos(5);
        assert_eq!(Offset::new(-3).read(at).as_nanos(), 2);
        assert_eq!(Offset::new(4).read(at).as_nanos(), 9);
    }
}
