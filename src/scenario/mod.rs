//! Scenarios: one TOML file that says what is asked (the limit), who asks (traffic) and who answers
//! (algorithms under deployments).
//!
//! A file becomes a tree of values with places, the command line's changes are applied to the tree,
//! and the tree is resolved: every field is read by whoever owns it, unknown ones are refused, and
//! every default is written down, so that the resolved scenario can be printed and run again.

mod bounds;
mod candidates;
mod clients;
mod deployments;
mod overrides;
mod print;
mod source;
mod tree;

pub use bounds::Bounds;
pub use overrides::Overrides;
pub use print::to_toml;
pub use source::Source;

use crate::catalog::TRAFFIC;
use crate::error::Result;
use crate::measure::{Reference, Selection};
use crate::params::{FromValue, Params};
use crate::simulation::{Plan, Planned};
use crate::units::{Epoch, Limit, Nanos, SimTime};
use crate::workload::{Request, Workload};
use clients::Stated;
use deployments::Frame;

/// A scenario with everything resolved: what a run needs.
pub struct Scenario {
    /// What the pictures are headed with.
    pub title: String,
    /// What it shows, in the author's words; may be empty.
    pub description: String,
    /// The contract.
    pub limit: Limit,
    /// What the clock reads at time 0.
    pub epoch: Epoch,
    /// Where all random streams start from.
    pub seed: u64,
    /// When measuring ends.
    pub horizon: Nanos,
    /// What decisions are judged by.
    pub reference: Reference,
    /// What is measured.
    pub measures: Selection,
    /// Who asks, and when.
    pub workload: Workload,
    /// Who answers.
    pub candidates: Vec<Planned>,
    /// Every field with its value, defaults included.
    pub resolved: toml::Table,
    /// What a reader should know before the results: lines of a trace that were left out, say.
    pub notes: Vec<String>,
}

impl Scenario {
    /// Resolves a scenario file under the command line's changes.
    ///
    /// Errors are about the input and carry the place of the field in question. A scenario larger
    /// than the bounds is refused, but for its timeline; see [`Scenario::timeline_note`].
    pub fn read(source: &Source, overrides: &Overrides, bounds: &Bounds) -> Result<Self> {
        let mut fields = tree::parse(&source.lines())?;
        overrides.apply(&mut fields)?;
        let mut root = Params::new("", source.beginning(), fields);
        let header = Header::read(&mut root, source.stem())?;
        let mut traffic = root.tables("traffic")?;
        let clients = Stated::read(&mut root, &mut traffic)?;
        if traffic.is_empty() {
            let message = "is required: at least one [[traffic]] table, each with its pattern";
            return Err(root.error("traffic", message));
        }
        let algorithms = root.tables("algorithm")?;
        let deployments = root.tables("deployment")?;
        // Refuses unknown fields of the file itself before a long trace is read.
        let mut resolved = root.finish()?;

        let traffic = Workload::read(Request {
            tables: traffic,
            rows: TRAFFIC,
            start: header.start,
            limit: header.limit,
            base: source.folder(),
            duration: header.duration,
            memory: bounds.memory,
            // A timeline has at least one row per record, so more records leave none.
            marked: bounds.timeline,
        })?;
        resolved.insert("start".to_owned(), traffic.epoch.to_toml());
        resolved.insert("duration".to_owned(), traffic.horizon.to_toml());
        resolved.insert("traffic".to_owned(), traffic.tables.into());

        let mut notes = traffic.notes;
        let frame = Frame {
            limit: header.limit,
            epoch: traffic.epoch,
            horizon: traffic.horizon,
            clients,
        };
        notes.extend(frame.clients.notes(frame.horizon));
        let placed = deployments::read(deployments, &frame, &mut notes)?;
        let wanted = &overrides.algorithms;
        let chosen = candidates::read(algorithms, wanted, &placed, &frame, &mut notes)?;
        resolved.insert("algorithm".to_owned(), chosen.tables.into());
        let tables = placed.into_iter().map(|placed| placed.params.finish());
        let tables = tables.collect::<Result<Vec<_>>>()?;
        resolved.insert("deployment".to_owned(), tables.into());
        let scenario = Self {
            title: header.title,
            description: header.description,
            limit: header.limit,
            epoch: traffic.epoch,
            seed: header.seed,
            horizon: traffic.horizon,
            reference: header.reference,
            measures: header.measures,
            workload: traffic.workload,
            candidates: chosen.candidates,
            resolved,
            notes,
        };
        scenario.check(bounds)?;
        Ok(scenario)
    }

    /// The run that the scenario asks for; `with_timeline` keeps every answer.
    pub fn into_plan(self, with_timeline: bool) -> Plan {
        Plan {
            title: self.title,
            limit: self.limit,
            epoch: self.epoch,
            horizon: SimTime::ZERO.saturating_add(self.horizon),
            seed: self.seed,
            workload: self.workload,
            candidates: self.candidates,
            reference: self.reference,
            measures: self.measures,
            with_timeline,
        }
    }
}

/// The plain fields of the file.
struct Header {
    title: String,
    description: String,
    limit: Limit,
    start: Option<Epoch>,
    seed: u64,
    duration: Option<Nanos>,
    reference: Reference,
    measures: Selection,
}

impl Header {
    /// The largest seed: TOML's largest integer, so that the resolved scenario can state it.
    const MAX_SEED: u64 = i64::MAX.unsigned_abs();

    fn read(root: &mut Params, stem: &str) -> Result<Self> {
        let title = root.or("title", stem.to_owned())?;
        if title.chars().any(char::is_control) {
            return Err(root.error("title", "must be one line without control characters"));
        }
        let description = root.or("description", String::new())?;
        let limit = root.required::<Limit>("limit")?;
        let start = root.optional("start")?;
        let seed = root.whole("seed", 0, Self::MAX_SEED, 0)?;
        let duration = root.optional::<Nanos>("duration")?;
        if duration == Some(Nanos::ZERO) {
            let message = "must be longer than 0; leave it out to run until the last request";
            return Err(root.error("duration", message));
        }
        let reference = match root.choice("reference", &["forwarded", "offered"], "forwarded")? {
            "offered" => Reference::Offered,
            _ => Reference::Forwarded,
        };
        Ok(Self {
            title,
            description,
            limit,
            start,
            seed,
            duration,
            reference,
            measures: root.or("measure", Selection::ALL)?,
        })
    }
}
