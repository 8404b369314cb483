//! Renewal traffic: independent gaps of any one distribution.
//!
//! Request k comes at from + G_1 + … + G_k; the gaps G are drawn from `gap`, in nanoseconds, and
//! fractions of a nanosecond are carried from one to the next. So the first comes one gap after
//! `from`. With mean gap μ and standard deviation σ the requests within a long time t have mean t/μ and
//! variance σ²·t/μ³ (Cox, Renewal Theory, 1962, chapter 4). The gaps are those of the block as a whole,
//! whose requests draw their keys; a share of them is no renewal stream of the same law, so the block
//! is made in one sequence.

use super::{Carry, Division, Instants, Pattern, Setting, length, mean_count};
use crate::error::Result;
use crate::params::Params;
use crate::units::SimTime;
use crate::workload::Distribution;
use rand_pcg::Pcg64;

/// Reads `gap`.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let gap = length(params, "gap")?;
    if gap.mean() <= 0.0 {
        return Err(params.error("gap", "must be longer than 0 in the mean"));
    }
    let end = setting.end(params, "gap")?;
    Ok(Box::new(Renewal {
        from: setting.from,
        end,
        gap,
    }))
}

#[derive(Debug)]
struct Renewal {
    from: SimTime,
    end: SimTime,
    gap: Distribution,
}

impl Pattern for Renewal {
    fn expected(&self) -> u64 {
        let span = self.end.since(self.from).get();
        mean_count(span as f64 / self.gap.mean())
    }

    fn last(&self) -> Option<SimTime> {
        (self.expected() > 0).then(|| SimTime::from_nanos(self.end.as_nanos() - 1))
    }

    fn division(&self) -> Division {
        Division::Whole
    }

    fn instants(&self, _: f64, mut random: Pcg64) -> Instants {
        let (gap, end) = (self.gap.clone(), self.end.as_nanos());
        let (mut at, mut carry) = (self.from.as_nanos(), Carry::default());
        Box::new(std::iter::from_fn(move || {
            at = at.saturating_add(carry.whole(gap.draw(&mut random)));
            (at < end).then_some(at)
        }))
    }
}
