//! The lognormal distribution: ln X is normal with mean ln(median) and standard deviation σ
//! (`sigma`, a plain number).
//!
//! Mean: median·exp(σ²/2). Quantile p: median·exp(σ·z_p), so that a median and a p99 give σ =
//! ln(p99/median) / 2.3263. The usual law of service times and sizes of transfers.

use super::family::{ShapeFamily, shape_and_scale};
use super::special::normal_quantile;
use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::distr::Distribution as _;
use rand_distr::StandardNormal;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// `sigma` and one statement, or two statements.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let (sigma, median) = shape_and_scale::<Lognormal>(table, unit)?;
    Ok(Arc::new(Lognormal { sigma, median }))
}

#[derive(Debug)]
struct Lognormal {
    sigma: f64,
    median: f64,
}

impl ShapeFamily for Lognormal {
    const KIND: &'static str = "lognormal";
    const SHAPE: &'static str = "sigma";
    const SCALE: Option<&'static str> = None;
    const LEAST: f64 = 1e-5;

    fn shape(variability: f64) -> f64 {
        variability
    }

    fn unit_mean(sigma: f64) -> f64 {
        (sigma * sigma / 2.0).exp()
    }

    fn unit_sd(sigma: f64) -> f64 {
        Self::unit_mean(sigma) * (sigma * sigma).exp_m1().sqrt()
    }

    fn unit_quantile(sigma: f64, p: f64) -> f64 {
        (sigma * normal_quantile(p)).exp()
    }
}

impl Law for Lognormal {
    fn mean(&self) -> f64 {
        self.median * Self::unit_mean(self.sigma)
    }

    fn draw(&self, random: &mut Pcg64) -> f64 {
        let z: f64 = StandardNormal.sample(random);
        self.median * (self.sigma * z).exp()
    }

    /// Lognormal again, at a median larger by exp(σ²).
    fn draw_biased(&self, random: &mut Pcg64) -> f64 {
        (self.sigma * self.sigma).exp() * self.draw(random)
    }
}
