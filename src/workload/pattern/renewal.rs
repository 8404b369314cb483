//! Renewal traffic: independent gaps of any one distribution.
//!
//! Request k comes at from + G_1 + … + G_k; the gaps G are drawn from `gap`, in nanoseconds, and
//! fractions of a nanosecond add up. So the first comes one gap after
//! `from`. With mean gap μ and standard deviation σ the requests within a long time t have mean t/μ and
//! variance σ²·t/μ³ (Cox, Renewal Theory, 1962, chapter 4). The gaps are those of the block as a whole,
//! whose requests draw their keys; a share of them is no renewal stream of the same law, so the block
//! is made in one sequence.

use super::{Division, FineClock, Instants, Pattern, Setting, length, mean_count};
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

    fn instants(&self, _: f64, mut random: Pcg64) -> Box<dyn Instants> {
        let gap = self.gap.clone();
        let mut clock = FineClock::new(self.from, self.end);
        let parts = clock.parts_per_nano();
        Box::new(std::iter::from_fn(move || {
            clock.advance(gap.draw(&mut random) * parts)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::statistics::{assert_law, counts, gaps, moments};
    use crate::workload::tests::{made, params, setting};

    const SECOND: u64 = 1_000_000_000;

    fn renewal(gap: &str, from: u64, end: u64) -> (Vec<u64>, u64) {
        let setting = setting(from, end);
        let pattern = read(&mut params(&format!("gap = {gap}")), &setting).unwrap();
        (made(&*pattern, &setting, 1), pattern.expected())
    }

    /// Weibull of shape 1/2: its mean is twice its scale, here 1 ms.
    #[test]
    fn gaps_follow_their_law() {
        let gap = "{ kind = \"weibull\", shape = 0.5, mean = \"2ms\" }";
        let (all, expected) = renewal(gap, 0, 50 * SECOND);
        assert_eq!(expected, 25_000);
        let gaps = gaps(all.iter().map(|at| *at as f64 / 1e6));
        assert_law(&gaps, |ms| -(-ms.sqrt()).exp_m1(), "gaps");
    }

    /// Gamma gaps of shape 4 and mean 1 ms: σ²t/μ³ is a quarter of the mean.
    #[test]
    fn counts_have_the_mean_and_the_variance_of_the_gaps() {
        let gap = "{ kind = \"gamma\", shape = 4, mean = \"1ms\" }";
        let (all, _) = renewal(gap, 0, 200 * SECOND);
        let (mean, variance) = moments(&counts(&all, SECOND / 10, 2_000));
        assert!(
            (mean - 100.0).abs() < 4.0 * (25.0f64 / 2_000.0).sqrt(),
            "{mean}"
        );
        let error = 25.0 * (2.0f64 / 2_000.0).sqrt();
        assert!((variance - 25.0).abs() < 4.0 * error, "{variance}");
    }

    #[test]
    fn the_first_comes_one_gap_after_from_and_the_end_is_left_out() {
        assert_eq!(renewal("\"100ns\"", 50, 350), (vec![150, 250], 3));
        assert_eq!(renewal("\"100ns\"", 50, 50), (vec![], 0));
    }

    #[test]
    fn gaps_shorter_than_the_clock_keep_their_rate() {
        let gap = "{ kind = \"empirical\", values = [\"0ns\", \"1ns\"], weights = [7, 3] }";
        let (all, expected) = renewal(gap, 0, 3_000);
        assert_eq!(expected, 10_000);
        // σ²t/μ³ = 0.21 · 3,000 / 0.027.
        let error = (0.21 * 3_000.0 / 0.027f64).sqrt();
        assert!(
            (all.len() as f64 - 10_000.0).abs() < 4.0 * error,
            "{}",
            all.len()
        );
    }
}
