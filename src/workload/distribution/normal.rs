//! The normal distribution, cut off at 0: a draw below 0 is drawn again.
//!
//! What is stated (mean μ, standard deviation σ, quantiles) belongs to the law before the cut; with μ
//! at three σ or more the cut takes less than 0.14 % of it. The mean of what is drawn is
//! μ + σ·φ(μ/σ)/Φ(μ/σ), with φ the standard normal density and Φ its integral.

use super::family::location_and_width;
use super::special::{normal_cdf, normal_quantile};
use super::statement::About;
use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::RngExt;
use rand::distr::Distribution as _;
use rand_distr::StandardNormal;
use rand_pcg::Pcg64;
use std::f64::consts::PI;
use std::sync::Arc;

/// Two statements, of which one speaks of the width: `mean` and `sd`, or two quantiles.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let parts = |about| match about {
        About::Sd => (0.0, 1.0),
        About::Quantile(p) => (1.0, normal_quantile(p)),
        _ => (1.0, 0.0),
    };
    let (mean, sd) = location_and_width(table, unit, "normal", &[], parts)?;
    Ok(Arc::new(Normal { mean, sd }))
}

/// Its mean is not below 0, so that at least half of the draws stay.
#[derive(Debug)]
struct Normal {
    mean: f64,
    sd: f64,
}

impl Normal {
    /// φ(μ/σ).
    fn density_at_cut(&self) -> f64 {
        let z = self.mean / self.sd;
        (-z * z / 2.0).exp() / (2.0 * PI).sqrt()
    }
}

impl Law for Normal {
    fn mean(&self) -> f64 {
        self.mean + self.sd * self.density_at_cut() / normal_cdf(self.mean / self.sd)
    }

    fn draw(&self, random: &mut Pcg64) -> f64 {
        loop {
            let z: f64 = StandardNormal.sample(random);
            let value = self.mean + self.sd * z;
            if value >= 0.0 {
                return value;
            }
        }
    }

    /// By rejection. x·f(x) lies below μ·f(x) + max(x − μ, 0)·f(x), and touches it from μ on. The
    /// first part is the law itself, the second μ plus a Rayleigh variable; their weights are
    /// μ·Φ(μ/σ) and σ/√(2π).
    fn draw_biased(&self, random: &mut Pcg64) -> f64 {
        let body = self.mean * normal_cdf(self.mean / self.sd);
        let tail = self.sd / (2.0 * PI).sqrt();
        loop {
            let u: f64 = random.random();
            if u * (body + tail) >= body {
                let u: f64 = random.random();
                return self.mean + self.sd * (-2.0 * (-u).ln_1p()).sqrt();
            }
            let value = self.draw(random);
            let u: f64 = random.random();
            if u * self.mean <= value {
                return value;
            }
        }
    }
}
