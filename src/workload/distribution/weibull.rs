//! The Weibull distribution: P(X > x) = exp(−(x/λ)^k), k the `shape`, λ the `scale`.
//!
//! Mean λ·Γ(1 + 1/k); quantile p: λ·(−ln(1 − p))^(1/k). At k = 1 it is exponential; below, short
//! values cluster and the tail is long.

use super::family::{ShapeFamily, shape_and_scale};
use super::special::ln_gamma;
use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::distr::Distribution as _;
use rand_distr::{Exp1, Gamma as Sampler};
use rand_pcg::Pcg64;
use std::sync::Arc;

/// `shape` and one statement, or two statements.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let (shape, scale) = shape_and_scale::<Weibull>(table, unit)?;
    let biased = Sampler::new(1.0 + shape.recip(), 1.0);
    Ok(Arc::new(Weibull {
        power: shape.recip(),
        scale,
        biased: biased.map_err(|error| table.error("kind", error))?,
    }))
}

#[derive(Debug)]
struct Weibull {
    /// 1/k.
    power: f64,
    scale: f64,
    /// Under the density times x, (X/λ)^k is a gamma variable of shape 1 + 1/k.
    biased: Sampler<f64>,
}

impl ShapeFamily for Weibull {
    const KIND: &'static str = "weibull";
    const SHAPE: &'static str = "shape";
    const SCALE: Option<&'static str> = Some("scale");
    const LEAST: f64 = 1e-4;

    fn shape(variability: f64) -> f64 {
        variability.recip()
    }

    fn unit_mean(shape: f64) -> f64 {
        ln_gamma(1.0 + shape.recip()).exp()
    }

    fn unit_sd(shape: f64) -> f64 {
        let mean = Self::unit_mean(shape);
        // E X²/(E X)² − 1, without the loss of digits in a difference of nearly equal squares.
        let excess = ln_gamma(1.0 + 2.0 / shape) - 2.0 * ln_gamma(1.0 + shape.recip());
        mean * excess.exp_m1().max(0.0).sqrt()
    }

    fn unit_quantile(shape: f64, p: f64) -> f64 {
        (-(-p).ln_1p()).powf(shape.recip())
    }
}

impl Law for Weibull {
    fn mean(&self) -> f64 {
        self.scale * Self::unit_mean(self.power.recip())
    }

    /// (X/λ)^k is exponential with mean 1.
    fn draw(&self, random: &mut Pcg64) -> f64 {
        let exponential: f64 = Exp1.sample(random);
        self.scale * exponential.powf(self.power)
    }

    fn draw_biased(&self, random: &mut Pcg64) -> f64 {
        self.scale * self.biased.sample(random).powf(self.power)
    }
}
