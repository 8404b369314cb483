//! The exponential distribution: P(X > x) = exp(−x/μ).
//!
//! μ is the mean and the standard deviation, μ·ln 2 the median. It has no memory: gaps of it make a
//! Poisson stream.

use super::statement::{About, exactly, read as read_statements};
use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::distr::Distribution as _;
use rand_distr::Exp1;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// One statement: mean, median, sd or a quantile.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let statements = read_statements(table, unit, &[])?;
    let fixes = "exactly one of `mean`, `median`, `sd` and quantiles such as `p99`";
    let [one] = exactly(table, &statements, fixes)?;
    let unscaled = match one.about {
        About::Quantile(p) => -(-p).ln_1p(),
        _ => 1.0,
    };
    Ok(Arc::new(Exponential(one.value / unscaled)))
}

/// By its mean.
#[derive(Debug)]
struct Exponential(f64);

impl Law for Exponential {
    fn mean(&self) -> f64 {
        self.0
    }

    fn draw(&self, random: &mut Pcg64) -> f64 {
        let unscaled: f64 = Exp1.sample(random);
        self.0 * unscaled
    }

    /// x·exp(−x/μ) is the density of a sum of two.
    fn draw_biased(&self, random: &mut Pcg64) -> f64 {
        self.draw(random) + self.draw(random)
    }
}
