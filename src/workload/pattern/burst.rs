//! Bursts: a number of requests at once or spread over a short time, once or again and again.
//!
//! Request i of a burst comes at + ⌊i · spread / count⌋ in whole nanoseconds, i = 0 … count − 1;
//! further bursts follow every `repeat_every`.

use super::{Division, Even, Instants, Pattern, Setting};
use crate::error::Result;
use crate::params::{Moment, Params, count};
use crate::units::{Nanos, SimTime};
use rand_pcg::Pcg64;

/// Reads `at`, `count`, `spread` and `repeat_every`.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let at = params.or("at", Moment::Since(Nanos::ZERO))?;
    let at = setting.point(params, "at", at)?;
    let size = count(params, "count", 1)?;
    let spread = params.or("spread", Nanos::ZERO)?;
    let repeat_every = params.optional::<Nanos>("repeat_every")?;
    let bursts = match repeat_every {
        None => 1,
        Some(every) if every == Nanos::ZERO || every < spread => {
            return Err(params.error(
                "repeat_every",
                format!("must be longer than 0 and at least `spread`, {spread}"),
            ));
        }
        Some(every) => {
            let end = setting.end(params, "repeat_every")?;
            end.since(at).get().div_ceil(every.get())
        }
    };
    Ok(Box::new(Burst {
        at,
        size,
        spread,
        every: repeat_every.unwrap_or_default(),
        bursts,
        setting: *setting,
    }))
}

#[derive(Clone, Debug)]
struct Burst {
    at: SimTime,
    size: u64,
    spread: Nanos,
    every: Nanos,
    bursts: u64,
    setting: Setting,
}

impl Burst {
    /// When burst `k` begins; beyond the clock it is the clock's end, where nothing comes.
    fn start(&self, k: u64) -> SimTime {
        let later = u128::from(k) * u128::from(self.every.get());
        self.at.saturating_add(Nanos::from_wide(later))
    }

    /// How many requests of burst `k` come before `bound`: those with i · spread / count below the
    /// length that is left.
    fn before(&self, k: u64, bound: SimTime) -> u64 {
        let length = u128::from(bound.since(self.start(k)).get());
        if length == 0 {
            return 0;
        }
        if self.spread == Nanos::ZERO {
            return self.size;
        }
        let cut = (length * u128::from(self.size)).div_ceil(self.spread.get().into());
        u64::try_from(cut).map_or(self.size, |cut| cut.min(self.size))
    }

    /// The numbers of the requests of burst `k` that come within the block's times.
    fn range(&self, k: u64) -> (u64, u64) {
        let until = self.setting.until.unwrap_or(SimTime::MAX);
        let first = self.before(k, self.setting.from);
        (first, self.before(k, until).max(first))
    }

    /// The bursts that `from` does not cut away as a whole, nor cut into.
    fn first_whole(&self) -> u64 {
        let cut = self.setting.from.since(self.at).get();
        let cut_away = if self.every == Nanos::ZERO {
            u64::from(cut > 0)
        } else {
            cut.div_ceil(self.every.get())
        };
        cut_away.min(self.bursts)
    }
}

impl Pattern for Burst {
    fn expected(&self) -> u64 {
        // Bursts do not overlap, so that the block's times cut into at most one at either end.
        let whole = self.first_whole();
        let cut = |k: u64| {
            let (first, end) = self.range(k);
            end - first
        };
        let head = if whole > 0 { cut(whole - 1) } else { 0 };
        let Some(last) = self.bursts.checked_sub(1).filter(|last| *last >= whole) else {
            return head;
        };
        (last - whole)
            .saturating_mul(self.size)
            .saturating_add(head)
            .saturating_add(cut(last))
    }

    fn left_out(&self) -> u64 {
        // Bursts that repeat do so until they are cut off.
        let stated = if self.every == Nanos::ZERO {
            self.size
        } else {
            0
        };
        stated.saturating_sub(self.expected())
    }

    fn last(&self) -> Option<SimTime> {
        let last = self.bursts.checked_sub(1)?;
        let earlier = last.checked_sub(1);
        [Some(last), earlier].into_iter().flatten().find_map(|k| {
            let (first, end) = self.range(k);
            let i = end.checked_sub(1).filter(|i| *i >= first)?;
            let since = u128::from(i) * u128::from(self.spread.get()) / u128::from(self.size);
            Some(self.start(k).saturating_add(Nanos::from_wide(since)))
        })
    }

    fn division(&self) -> Division {
        Division::Whole
    }

    fn instants(&self, _: f64, _: Pcg64) -> Box<dyn Instants> {
        let burst = self.clone();
        let begin = self.first_whole().saturating_sub(1);
        Box::new((begin..self.bursts).flat_map(move |k| {
            let (first, end) = burst.range(k);
            let spread = u128::from(burst.spread.get());
            // A burst is cut at its head only by `from`, once: stepping over that is no loss.
            Even::new(burst.start(k), spread, burst.size, end)
                .skip(usize::try_from(first).unwrap_or(usize::MAX))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::random::{Purpose, WHOLE, generator};
    use super::*;
    use crate::units::Epoch;

    /// Instants of a burst with (at, size, spread, every, bursts) within [from, until).
    fn instants(burst: (u64, u64, u64, u64, u64), from: u64, until: Option<u64>) -> Vec<u64> {
        let (at, size, spread, every, bursts) = burst;
        let burst = Burst {
            at: SimTime::from_nanos(at),
            size,
            spread: Nanos::new(spread),
            every: Nanos::new(every),
            bursts,
            setting: Setting {
                epoch: Epoch::default(),
                from: SimTime::from_nanos(from),
                until: until.map(SimTime::from_nanos),
                to: None,
                keys: 1,
            },
        };
        let all: Vec<u64> = burst
            .instants(1.0, generator(0, 0, WHOLE, Purpose::Instants))
            .collect();
        assert_eq!(burst.expected(), all.len() as u64);
        assert_eq!(burst.last().map(SimTime::as_nanos), all.last().copied());
        all
    }

    #[test]
    fn a_burst_comes_at_once_or_spread_evenly() {
        assert_eq!(instants((55, 3, 0, 0, 1), 0, None), [55, 55, 55]);
        assert_eq!(instants((55, 5, 5, 0, 1), 0, None), [55, 56, 57, 58, 59]);
        assert_eq!(instants((0, 3, 10, 0, 1), 0, None), [0, 3, 6]);
        assert!(instants((0, 0, 10, 0, 1), 0, None).is_empty());
    }

    #[test]
    fn bursts_repeat_until_the_end() {
        assert_eq!(
            instants((10, 2, 4, 10, 3), 0, Some(33)),
            [10, 12, 20, 22, 30, 32]
        );
        assert_eq!(
            instants((10, 2, 4, 10, 3), 0, Some(32)),
            [10, 12, 20, 22, 30]
        );
    }

    #[test]
    fn from_and_to_cut_into_bursts() {
        assert_eq!(
            instants((10, 2, 4, 10, 3), 12, Some(33)),
            [12, 20, 22, 30, 32]
        );
        assert_eq!(instants((10, 2, 4, 10, 3), 13, Some(33)), [20, 22, 30, 32]);
        assert_eq!(instants((10, 2, 4, 10, 3), 31, Some(33)), [32]);
        assert!(instants((10, 2, 4, 10, 3), 33, Some(40)).is_empty());
        assert_eq!(instants((10, 4, 4, 0, 1), 11, Some(13)), [11, 12]);
        assert!(instants((10, 4, 0, 0, 1), 11, None).is_empty());
    }
}
