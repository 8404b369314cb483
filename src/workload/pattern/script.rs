//! Scripted traffic: one request at each instant of a list.
//!
//! The list need not be in order; requests at the same instant keep its order.

use super::{Division, Instants, Pattern, Setting};
use crate::error::Result;
use crate::params::{Moment, Params};
use crate::units::SimTime;
use rand_pcg::Pcg64;
use std::sync::Arc;

/// Reads `at`, a list of moments.
pub fn read(params: &mut Params, setting: &Setting) -> Result<Box<dyn Pattern>> {
    let moments = params.required::<Vec<Moment>>("at")?;
    let mut instants = Vec::with_capacity(moments.len());
    for moment in moments {
        let at = setting.point(params, "at", moment)?;
        if setting.contains(at) {
            instants.push(at.as_nanos());
        }
    }
    instants.sort_unstable();
    Ok(Box::new(Script(instants.into())))
}

#[derive(Debug)]
struct Script(Arc<[u64]>);

impl Pattern for Script {
    fn expected(&self) -> u64 {
        self.0.len() as u64
    }

    fn last(&self) -> Option<SimTime> {
        self.0.last().copied().map(SimTime::from_nanos)
    }

    fn division(&self) -> Division {
        Division::Whole
    }

    fn instants(&self, _: f64, _: Pcg64) -> Instants {
        let instants = self.0.clone();
        Box::new((0..instants.len()).map(move |i| instants[i]))
    }
}
