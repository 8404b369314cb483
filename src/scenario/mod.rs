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
mod rules;
mod source;
mod tree;
mod yaml;

pub use bounds::Bounds;
pub use overrides::Overrides;
pub use print::to_toml;
pub use rules::RulesFile;
pub use source::Source;

use crate::catalog::TRAFFIC;
use crate::error::Result;
use crate::measure::{Reference, Selection};
use crate::params::{FromValue, Params};
use crate::simulation::{Plan, Planned};
use crate::units::{Epoch, Limit, Nanos, SimTime};
use crate::workload::{Request, Workload};
use clients::Stated;
use deployments::{Defaults, Frame};
use std::sync::Arc;

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
        let mut rules = rules::read(&mut root, source.folder())?;
        let contract = rules.as_ref().map(rules::Stated::limit);
        let header = Header::read(&mut root, source.stem(), contract)?;
        let mut notes = Vec::new();
        if contract.is_some_and(|first| first != header.limit) {
            // Without its place, it is the same for the resolved scenario.
            notes.push(format!(
                "limit: found {}, but each rule holds requests to a limit of its own; this one only says \
                 what follows from a window where nothing else is said, such as the duration",
                header.limit
            ));
        }
        let mut traffic = root.tables("traffic")?;
        let clients = Stated::read(&mut root, &mut traffic)?;
        if traffic.is_empty() {
            let message = "is required: at least one [[traffic]] table, each with its pattern";
            return Err(root.error("traffic", message));
        }
        let algorithms = root.tables("algorithm")?;
        let deployments = root.tables("deployment")?;
        let mut defaults = Defaults::read(&mut root)?;
        // Refuses unknown fields of the file itself before a long trace is read.
        let mut resolved = root.finish()?;
        rules::check_identities(&traffic, rules.as_ref(), &mut notes)?;

        let traffic = Workload::read(Request {
            tables: traffic,
            rows: TRAFFIC,
            start: header.start,
            limit: header.limit,
            base: source.folder(),
            duration: header.duration,
            memory: bounds.memory,
            // A timeline has at least one row per record, so more records leave none; rules look at
            // all of them.
            marked: if rules.is_some() {
                u64::MAX
            } else {
                bounds.timeline
            },
        })?;
        resolved.insert("start".to_owned(), traffic.epoch.to_toml());
        resolved.insert("duration".to_owned(), traffic.horizon.to_toml());
        resolved.insert("traffic".to_owned(), traffic.tables.into());

        notes.extend(traffic.notes);
        let frame = Frame {
            limit: header.limit,
            epoch: traffic.epoch,
            horizon: traffic.horizon,
            clients,
        };
        let blocks = traffic.workload.blocks();
        defaults.has_illegitimate = blocks.iter().any(|block| block.legitimate == Some(false));
        notes.extend(frame.clients.notes(frame.horizon));
        let placed_rules = rules
            .as_mut()
            .map(|rules| rules.place(&frame))
            .transpose()?;
        let placed_rules = placed_rules.map(Arc::new);
        let placed = deployments::read(
            deployments,
            &defaults,
            &frame,
            placed_rules.as_ref(),
            &mut notes,
        )?;
        if let Some(rules) = &rules {
            let deployed = placed
                .iter()
                .filter_map(|placed| placed.deployment.rules.clone());
            let deployed: Vec<_> = deployed.collect();
            let end = SimTime::ZERO.saturating_add(traffic.horizon);
            rules::add_notes(rules, &deployed, &traffic.workload, end, &mut notes);
            resolved.insert("rules".to_owned(), rules.resolved()?.into());
            if !rules.tables.is_empty() {
                resolved.insert("rule".to_owned(), rules.tables.clone().into());
            }
        }
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

    fn read(root: &mut Params, stem: &str, contract: Option<Limit>) -> Result<Self> {
        let title = root.or("title", stem.to_owned())?;
        if title.chars().any(char::is_control) {
            return Err(root.error("title", "must be one line without control characters"));
        }
        let description = root.or("description", String::new())?;
        let limit = match contract {
            Some(first) => root.or("limit", first)?,
            None => root.required::<Limit>("limit")?,
        };
        let start = root.optional("start")?;
        let seed = root.whole("seed", 0, Self::MAX_SEED, 0)?;
        let duration = root.optional::<Nanos>("duration")?;
        if duration == Some(Nanos::ZERO) {
            let message = "must be longer than 0; leave it out to run until the last request";
            return Err(root.error("duration", message));
        }
        let reference = match root.choice("reference", &["forwarded", "offered"], "forwarded")? {
            "offered" if contract.is_some() => {
                let message = "found \"offered\", which counts against one limit, and there are rules; \
                               allowed with rules: \"forwarded\"";
                return Err(root.error("reference", message));
            }
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
