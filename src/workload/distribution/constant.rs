//! The constant distribution: always the same `value`.

use super::{Law, Unit};
use crate::error::Result;
use crate::params::Params;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// `value`.
pub(super) fn read(table: &mut Params, unit: Unit) -> Result<Arc<dyn Law>> {
    match unit.read(table, "value")? {
        Some(value) => Ok(Arc::new(Constant(value))),
        None => Err(table.error("value", format!("is required: {}", unit.expected()))),
    }
}

#[derive(Debug)]
pub(super) struct Constant(pub(super) f64);

impl Law for Constant {
    fn mean(&self) -> f64 {
        self.0
    }

    fn draw(&self, _: &mut Pcg64) -> f64 {
        self.0
    }

    fn draw_biased(&self, _: &mut Pcg64) -> f64 {
        self.0
    }

    fn constant(&self) -> Option<f64> {
        Some(self.0)
    }
}
