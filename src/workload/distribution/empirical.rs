//! An empirical distribution: each of the listed `values`, in proportion to its entry in `weights`
//! (all alike where these are absent).

use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::distr::Distribution as _;
use rand_distr::weighted::WeightedAliasIndex;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// `values` and, if they differ, `weights`.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let values = unit.read_list(table, "values")?;
    if values.is_empty() {
        return Err(table.error("values", "must hold at least one value"));
    }
    let weights = match table.optional::<Vec<f64>>("weights")? {
        Some(weights) if weights.len() != values.len() => {
            let (found, wanted) = (weights.len(), values.len());
            let message = format!("{found} weights for {wanted} values; give one for each");
            return Err(table.error("weights", message));
        }
        Some(weights) => weights,
        None => vec![1.0; values.len()],
    };
    let total: f64 = weights.iter().sum();
    let choice = WeightedAliasIndex::new(weights.clone())
        .map_err(|_| table.error("weights", "must not all be 0, nor add up beyond any number"))?;
    let pairs = weights.iter().zip(&values);
    let biased: Vec<f64> = pairs.map(|(weight, value)| weight * value).collect();
    Ok(Arc::new(Empirical {
        mean: biased.iter().sum::<f64>() / total,
        values,
        choice,
        biased: WeightedAliasIndex::new(biased).ok(),
    }))
}

#[derive(Debug)]
struct Empirical {
    values: Vec<f64>,
    mean: f64,
    choice: WeightedAliasIndex<f64>,
    /// The choice by weight times value; none where all values are 0.
    biased: Option<WeightedAliasIndex<f64>>,
}

impl Law for Empirical {
    fn mean(&self) -> f64 {
        self.mean
    }

    fn draw(&self, random: &mut Pcg64) -> f64 {
        self.values[self.choice.sample(random)]
    }

    fn draw_biased(&self, random: &mut Pcg64) -> f64 {
        let biased = self.biased.as_ref();
        biased.map_or(0.0, |choice| self.values[choice.sample(random)])
    }
}
