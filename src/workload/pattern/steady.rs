//! Steady traffic: evenly spaced requests, the first at `from`.
//!
//! Request i comes at from + ⌊i / rate⌋ in whole nanoseconds, for every i that lies before the end:
//! 3 per second come at 0, 333333333 and 666666666 ns, then at 1 s exactly.

use super::{Division, Even, Instants, Pattern, Setting};
use crate::error::Result;
use crate::params::Params;
use crate::units::{Rate, SimTime};
use rand_pcg::Pcg64;

/// Reads `rate`.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let rate = params.required::<Rate>("rate")?;
    let end = setting.end(params, "rate")?;
    Ok(Box::new(Steady::new(rate, setting, end)))
}

#[derive(Debug)]
struct Steady {
    from: SimTime,
    rate: Rate,
    count: u64,
}

impl Steady {
    fn new(rate: Rate, setting: &Setting, end: SimTime) -> Self {
        // i comes before the end while i · nanos / units < span, so there are ⌈span · units / nanos⌉.
        let span = u128::from(setting.span(end).get());
        let count = (span * u128::from(rate.units())).div_ceil(rate.nanos());
        Self {
            from: setting.from,
            rate,
            count: u64::try_from(count).unwrap_or(u64::MAX),
        }
    }
}

impl Pattern for Steady {
    fn expected(&self) -> u64 {
        self.count
    }

    fn last(&self) -> Option<SimTime> {
        let i = u128::from(self.count.checked_sub(1)?);
        // Below span · units by the definition of count, so it fits.
        let since = i * self.rate.nanos() / u128::from(self.rate.units());
        let since = u64::try_from(since).expect("the last request lies before the end");
        Some(SimTime::from_nanos(self.from.as_nanos() + since))
    }

    fn division(&self) -> Division {
        Division::Whole
    }

    fn instants(&self, _: f64, _: Pcg64) -> Box<dyn Instants> {
        let (length, parts) = (self.rate.nanos(), self.rate.units());
        Box::new(Even::new(self.from, length, parts, self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Purpose, WHOLE, generator};
    use super::*;
    use crate::workload::tests::setting;

    fn instants(rate: &str, from: u64, until: u64) -> (Vec<u64>, Option<u64>) {
        let setting = setting(from, until);
        let steady = Steady::new(rate.parse().unwrap(), &setting, SimTime::from_nanos(until));
        let all: Vec<u64> = steady
            .instants(1.0, generator(0, 0, WHOLE, Purpose::Instants))
            .collect();
        assert_eq!(all.len() as u64, steady.expected());
        (all, steady.last().map(SimTime::as_nanos))
    }

    #[test]
    fn the_first_comes_at_from_and_the_rest_at_exact_multiples() {
        let second = 1_000_000_000;
        assert_eq!(
            instants("3/s", 0, second + 1),
            (vec![0, 333_333_333, 666_666_666, second], Some(second))
        );
        assert_eq!(
            instants("0.5/s", 7, 4 * second + 8),
            (
                vec![7, 2 * second + 7, 4 * second + 7],
                Some(4 * second + 7)
            )
        );
    }

    #[test]
    fn the_end_itself_is_left_out() {
        assert_eq!(instants("1/s", 0, 1_000_000_000).0, [0]);
        assert_eq!(instants("1/s", 5, 5), (vec![], None));
    }

    #[test]
    fn a_rate_of_zero_makes_nothing() {
        assert_eq!(instants("0/s", 0, 1_000), (vec![], None));
    }

    #[test]
    fn several_may_share_one_nanosecond() {
        assert_eq!(instants("3/2ns", 0, 4).0, [0, 0, 1, 2, 2, 3]);
    }
}
