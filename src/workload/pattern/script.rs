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
    let stated = moments.len();
    let mut instants = Vec::with_capacity(stated);
    for moment in moments {
        let at = setting.point(params, "at", moment)?;
        if setting.contains(at) {
            instants.push(at.as_nanos());
        }
    }
    instants.sort_unstable();
    let left_out = (stated - instants.len()) as u64;
    Ok(Box::new(Script {
        instants: instants.into(),
        left_out,
    }))
}

#[derive(Debug)]
struct Script {
    instants: Arc<[u64]>,
    left_out: u64,
}

impl Pattern for Script {
    fn expected(&self) -> u64 {
        self.instants.len() as u64
    }

    fn left_out(&self) -> u64 {
        self.left_out
    }

    fn last(&self) -> Option<SimTime> {
        self.instants.last().copied().map(SimTime::from_nanos)
    }

    fn division(&self) -> Division {
        Division::Whole
    }

    fn instants(&self, _: f64, _: Pcg64) -> Box<dyn Instants> {
        let instants = self.instants.clone();
        Box::new((0..instants.len()).map(move |i| instants[i]))
    }
}
