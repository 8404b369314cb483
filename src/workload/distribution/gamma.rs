//! The gamma distribution with density x^(k−1)·exp(−x/θ) / (Γ(k)·θ^k), k the `shape`, θ the `scale`.
//!
//! Mean kθ, standard deviation θ√k. At a whole k it is the sum of k exponentials (Erlang): gaps more
//! regular than Poisson's for k > 1, burstier for k < 1.

use super::family::{ShapeFamily, shape_and_scale};
use super::special::gamma_quantile;
use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::distr::Distribution as _;
use rand_distr::Gamma as Sampler;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// `shape` and one statement, or two statements.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let (shape, scale) = shape_and_scale::<Gamma>(table, unit)?;
    let sampler = |shape| Sampler::new(shape, scale).map_err(|error| table.error("kind", error));
    Ok(Arc::new(Gamma {
        mean: shape * scale,
        law: sampler(shape)?,
        biased: sampler(shape + 1.0)?,
    }))
}

#[derive(Debug)]
struct Gamma {
    mean: f64,
    law: Sampler<f64>,
    /// x times the density is that of shape k + 1.
    biased: Sampler<f64>,
}

impl ShapeFamily for Gamma {
    const KIND: &'static str = "gamma";
    const SHAPE: &'static str = "shape";
    const SCALE: Option<&'static str> = Some("scale");
    // Its quantiles take long to compute for large shapes.
    const LEAST: f64 = 0.01;

    fn shape(variability: f64) -> f64 {
        variability.powi(-2)
    }

    fn unit_mean(shape: f64) -> f64 {
        shape
    }

    fn unit_sd(shape: f64) -> f64 {
        shape.sqrt()
    }

    fn unit_quantile(shape: f64, p: f64) -> f64 {
        gamma_quantile(shape, p)
    }
}

impl Law for Gamma {
    fn mean(&self) -> f64 {
        self.mean
    }

    fn draw(&self, random: &mut Pcg64) -> f64 {
        self.law.sample(random)
    }

    fn draw_biased(&self, random: &mut Pcg64) -> f64 {
        self.biased.sample(random)
    }
}
