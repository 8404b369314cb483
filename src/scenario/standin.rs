//! Stands in for the workload and the plan until they are merged.
#![allow(missing_docs)]
use crate::catalog::AlgorithmRow;
use crate::error::Result;
use crate::params::Params;
use crate::simulation::Candidate;
use crate::units::{Epoch, Limit, Nanos};
use std::path::Path;

pub struct Planned {
    pub name: String,
    pub row: &'static AlgorithmRow,
    pub deployment: String,
    pub candidate: Box<dyn Candidate>,
}
pub struct Request<'a> {
    pub tables: Vec<Params>,
    pub start: Option<Epoch>,
    pub limit: Limit,
    pub base: &'a Path,
    pub duration: Option<Nanos>,
    pub seed: u64,
}
pub struct Resolved {
    pub workload: Workload,
    pub epoch: Epoch,
    pub horizon: Nanos,
    pub tables: Vec<toml::Table>,
    pub notes: Vec<String>,
}
pub struct Workload(u64);
impl Workload {
    pub fn read(request: Request) -> Result<Resolved> {
        let _ = (request.base, request.seed, request.limit);
        let mut tables = Vec::new();
        let mut total = 0;
        for mut table in request.tables {
            table.choice("pattern", &["burst"], "burst")?;
            total += table.required::<u64>("count")?;
            tables.push(table.finish()?);
        }
        Ok(Resolved {
            workload: Self(total),
            epoch: request.start.unwrap_or_default(),
            horizon: request.duration.unwrap_or(Nanos::from_secs(1)),
            tables,
            notes: Vec::new(),
        })
    }
    pub fn expected_requests(&self) -> u64 {
        self.0
    }
}
