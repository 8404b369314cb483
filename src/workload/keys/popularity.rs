//! How often each of many keys is chosen.
//!
//! Weights follow from a key's place in its block alone, not from the seed: the same clients are the
//! busy ones in every run, the first the busiest.

use crate::error::Result;
use crate::params::{FromValue, Params, Value};
use crate::workload::distribution::normal_quantile;

/// How often each of many keys is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::workload) enum Popularity {
    /// All equally.
    Uniform,
    /// The k-th in proportion to k^−exponent.
    Zipf { exponent: f64 },
    /// Rates are log-normal: the logarithm of the k-th of N weights is the normal quantile of standard
    /// deviation `sigma` at 1 − (k − 1/2)/N.
    Lognormal { sigma: f64 },
    /// The first takes this share of all, the others the rest alike.
    Hot { share: f64 },
}

/// The names of all kinds.
const KINDS: [&str; 4] = ["uniform", "zipf", "lognormal", "hot"];

/// The exponent of a Zipf law, or the standard deviation of a logarithm: a plain decimal number from 0
/// to 20.
#[derive(Clone, Copy, Debug)]
struct Steepness(f64);

impl FromValue for Steepness {
    const EXPECTED: &'static str = "a number from 0 to 20 such as 1.1";

    fn from_value(value: &Value) -> std::result::Result<Self, String> {
        let number = match value {
            Value::Number(text) => text.parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|number| (0.0..=20.0).contains(number))
            .map(Self)
            .ok_or_else(|| format!("found {}, expected {}", value.describe(), Self::EXPECTED))
    }

    fn to_toml(&self) -> toml::Value {
        self.0.into()
    }
}

impl Popularity {
    /// Reads `popularity` and the field that goes with it, for `count` keys.
    pub(super) fn read(table: &mut Params, count: u64) -> Result<Self> {
        Ok(match table.choice("popularity", &KINDS, KINDS[0])? {
            "hot" => Self::read_hot(table, count)?,
            "zipf" => Self::Zipf {
                exponent: table.or("exponent", Steepness(1.0))?.0,
            },
            "lognormal" => Self::Lognormal {
                sigma: table.required::<Steepness>("sigma")?.0,
            },
            _ => Self::Uniform,
        })
    }

    fn read_hot(table: &mut Params, count: u64) -> Result<Self> {
        let share = table.required::<f64>("share")?;
        if share > 1.0 {
            let message = format!(
                "{share} is out of range; allowed: 0 to 1, the part of all requests that the first key makes"
            );
            return Err(table.error("share", message));
        }
        if count < 2 {
            return Err(table.error("count", "must be at least 2 where the first key is hot"));
        }
        Ok(Self::Hot { share })
    }

    /// Weight of the key at `index` of `count`.
    pub(super) fn weight(self, index: usize, count: usize) -> f64 {
        match self {
            Self::Uniform => 1.0,
            Self::Zipf { exponent } => (index as f64 + 1.0).powf(-exponent),
            Self::Lognormal { sigma } => {
                (-sigma * normal_quantile((index as f64 + 0.5) / count as f64)).exp()
            }
            Self::Hot { share } if index == 0 => share,
            Self::Hot { share } => (1.0 - share) / (count as f64 - 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lognormal(sigma: f64, count: usize) -> Vec<f64> {
        let law = Popularity::Lognormal { sigma };
        (0..count).map(|index| law.weight(index, count)).collect()
    }

    /// The standard normal distribution function by Simpson's rule from 0.
    fn normal_cdf(x: f64) -> f64 {
        let density = |t: f64| (-t * t / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let h = x / 2_000.0;
        let inner = (1..2_000u32).map(|i| {
            let weight = if i % 2 == 1 { 4.0 } else { 2.0 };
            weight * density(f64::from(i) * h)
        });
        0.5 + h / 3.0 * (density(0.0) + density(x) + inner.sum::<f64>())
    }

    /// The busiest share p of log-normal sources makes Φ(σ − Φ⁻¹(1 − p)) of the requests; the quantiles
    /// are those of tables.
    #[test]
    fn the_busiest_log_normal_sources_make_their_closed_share() {
        for sigma in [0.5, 1.0, 2.0] {
            let weights = lognormal(sigma, 1_000_000);
            let total: f64 = weights.iter().sum();
            for (busiest, quantile) in [
                (500_000, 0.0),
                (100_000, 1.281_551_565_544_6),
                (10_000, 2.326_347_874_040_8),
                (1_000, 3.090_232_306_167_8),
            ] {
                let share = weights[..busiest].iter().sum::<f64>() / total;
                let expected = normal_cdf(sigma - quantile);
                // The busiest of a million stands for all that is rarer still: at sigma 2 a part of 0.0006
                // of the law's requests is missing.
                let miss = (share - expected).abs();
                assert!(miss < 0.001, "{sigma}, {busiest}: {share} for {expected}");
            }
        }
    }

    /// Mean and median of a log-normal variable have the ratio exp(σ²/2).
    #[test]
    fn log_normal_sources_have_the_median_one_and_the_mean_of_their_law() {
        for sigma in [0.0f64, 0.3, 1.5] {
            let weights = lognormal(sigma, 100_001);
            assert!((weights[50_000] - 1.0).abs() < 1e-12, "{sigma}");
            let mean = weights.iter().sum::<f64>() / 100_001.0;
            let expected = (sigma * sigma / 2.0).exp();
            assert!((mean / expected - 1.0).abs() < 0.002, "{sigma}: {mean}");
            assert!(weights.is_sorted_by(|a, b| a >= b), "{sigma}");
        }
    }
}
