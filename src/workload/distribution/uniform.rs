//! The uniform distribution: all values from `min` to `max` equally likely.
//!
//! Mean and median (min + max)/2, standard deviation (max − min)/√12.

use super::family::location_and_width;
use super::statement::About;
use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand::RngExt;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// Two statements, `min` and `max` among them.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    let own = [("min", About::Min), ("max", About::Max)];
    let parts = |about| match about {
        About::Mean => (1.0, 0.5),
        About::Sd => (0.0, 12f64.sqrt().recip()),
        About::Quantile(p) => (1.0, p),
        About::Max => (1.0, 1.0),
        About::Min | About::Scale => (1.0, 0.0),
    };
    let (min, width) = location_and_width(table, unit, "uniform", &own, parts)?;
    Ok(Arc::new(Uniform { min, width }))
}

#[derive(Debug)]
struct Uniform {
    min: f64,
    width: f64,
}

impl Law for Uniform {
    fn mean(&self) -> f64 {
        self.min + self.width / 2.0
    }

    fn draw(&self, random: &mut Pcg64) -> f64 {
        self.min + self.width * random.random::<f64>()
    }

    /// The density grows with x, its integral with x²: x = √(min² + u·(max² − min²)).
    fn draw_biased(&self, random: &mut Pcg64) -> f64 {
        let (min, max) = (self.min, self.min + self.width);
        let u: f64 = random.random();
        (min * min + u * (max * max - min * min)).sqrt()
    }
}
