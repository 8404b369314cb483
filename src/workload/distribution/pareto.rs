//! The Pareto distribution: P(X > x) = (x_m/x)^α from the `minimum` x_m on, α the `shape`.
//!
//! Mean x_m·α/(α − 1) for α > 1, else none; variance finite for α > 2. On and off periods of this law
//! with 1 < α < 2 make traffic that is bursty over all scales (Willinger, Taqqu, Sherman and Wilson,
//! 1997).

use super::family::{ShapeFamily, shape_and_scale};
use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::distr::Distribution as _;
use rand_distr::Pareto as Sampler;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// `shape` and one statement, or two statements.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let (shape, minimum) = shape_and_scale::<Pareto>(table, unit)?;
    let sampler = |shape| Sampler::new(minimum, shape).map_err(|error| table.error("kind", error));
    Ok(Arc::new(Pareto {
        mean: minimum * Pareto::unit_mean(shape),
        law: sampler(shape)?,
        // Never drawn from where there is no mean.
        biased: if shape > 1.0 {
            sampler(shape - 1.0)?
        } else {
            sampler(shape)?
        },
    }))
}

#[derive(Debug)]
struct Pareto {
    mean: f64,
    law: Sampler<f64>,
    /// x times the density is that of shape α − 1.
    biased: Sampler<f64>,
}

impl ShapeFamily for Pareto {
    const KIND: &'static str = "pareto";
    const SHAPE: &'static str = "shape";
    const SCALE: Option<&'static str> = Some("minimum");
    const LEAST: f64 = 1e-5;

    fn shape(variability: f64) -> f64 {
        variability.recip()
    }

    fn unit_mean(shape: f64) -> f64 {
        if shape > 1.0 {
            shape / (shape - 1.0)
        } else {
            f64::INFINITY
        }
    }

    fn unit_sd(shape: f64) -> f64 {
        if shape > 2.0 {
            (shape / (shape - 2.0)).sqrt() / (shape - 1.0)
        } else {
            f64::INFINITY
        }
    }

    fn unit_quantile(shape: f64, p: f64) -> f64 {
        (1.0 - p).powf(-shape.recip())
    }
}

impl Law for Pareto {
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
