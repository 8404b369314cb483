//! From the `[[traffic]]` tables of a scenario to a workload.

use super::keys::{KeyField, KeyNames, Keys, ONE_KEY};
use super::pattern::{Reading, Setting, TrafficRow, point};
use super::{Block, Mark, MarkId, Origin, Workload};
use crate::error::{Error, Result};
use crate::params::{Moment, Params, unknown};
use crate::units::{Cost, Epoch, Limit, Nanos, SimTime};
use std::path::Path;
use std::sync::Arc;

/// What a workload is read from.
pub struct Request<'a> {
    /// The `[[traffic]]` tables.
    pub tables: Vec<Params>,
    /// The patterns that they can name.
    pub rows: &'static [TrafficRow],
    /// What the clock reads at time 0, where the scenario says so.
    pub start: Option<Epoch>,
    /// The contract: a start that follows from a trace is rounded down to its window.
    pub limit: Limit,
    /// The folder that paths are relative to.
    pub base: &'a Path,
    /// When the run ends, where the scenario says so.
    pub duration: Option<Nanos>,
    /// The most bytes that names of keys and held records may take.
    pub memory: u64,
}

/// A workload and what it was resolved to.
pub struct Resolved {
    /// The traffic.
    pub workload: Workload,
    /// What the clock reads at time 0.
    pub epoch: Epoch,
    /// When the run ends: the duration, else the last request that can come plus one window.
    pub horizon: Nanos,
    /// The tables with every default, which read to the same workload.
    pub tables: Vec<toml::Table>,
    /// What was found on the way that a user should know: lines left out or out of order.
    pub notes: Vec<String>,
}

/// Names the row that a table asks for.
fn row(params: &mut Params, rows: &'static [TrafficRow]) -> Result<&'static TrafficRow> {
    let names: Vec<_> = rows.iter().map(|row| row.pattern).collect();
    if !params.has("pattern") {
        let allowed = names.join(", ");
        return Err(params.error("pattern", format!("is required: one of {allowed}")));
    }
    let name = params.required::<String>("pattern")?;
    rows.iter()
        .find(|row| row.pattern == name)
        .ok_or_else(|| params.error("pattern", unknown(&name, &names)))
}

/// Reads `from` and `to` against the end of the run.
fn setting(params: &mut Params, epoch: Epoch, duration: Option<Nanos>) -> Result<Setting> {
    let from = params.or("from", Moment::Since(Nanos::ZERO))?;
    let from = point(params, "from", from, epoch)?;
    let to = params.optional::<Moment>("to")?;
    let to = to.map(|to| point(params, "to", to, epoch)).transpose()?;
    if to.is_some_and(|to| from >= to) {
        return Err(params.error("to", "must be later than `from`"));
    }
    let end = duration.map(|length| SimTime::ZERO.saturating_add(length));
    Ok(Setting {
        epoch,
        from,
        until: to.into_iter().chain(end).min(),
    })
}

/// Reads a block's endpoint and method.
fn mark(params: &mut Params, block: u16) -> Result<Mark> {
    Ok(Mark {
        block,
        endpoint: params.optional::<String>("endpoint")?.map(Arc::from),
        method: params.optional::<String>("method")?.map(Arc::from),
    })
}

/// The most that one request can cost: what a TOML integer holds.
pub(super) const MAX_COST: Cost = i64::MAX as Cost;

impl Workload {
    /// Reads the traffic of a scenario.
    ///
    /// # Errors
    /// Wrong fields; times that do not fit together; no request at all; more keys than fit.
    pub fn read(request: Request) -> Result<Resolved> {
        Reader::new(&request)?.read(request.tables)
    }
}

/// What is gathered while block after block is read.
struct Reader {
    rows: &'static [TrafficRow],
    epoch: Epoch,
    limit: Limit,
    duration: Option<Nanos>,
    memory: u64,
    names: KeyNames,
    marks: Vec<Mark>,
    blocks: Vec<Block>,
}

impl Reader {
    fn new(request: &Request) -> Result<Self> {
        if request.tables.is_empty() {
            return Err(Error::input(
                "there is no traffic; add a [[traffic]] block, such as pattern = \"burst\", at = \
                 \"0s\", count = 10",
            ));
        }
        if request.tables.len() > usize::from(u16::MAX) {
            return Err(Error::input(
                "more than 65535 [[traffic]] blocks; use fewer",
            ));
        }
        Ok(Self {
            rows: request.rows,
            epoch: request.start.unwrap_or_default(),
            limit: request.limit,
            duration: request.duration,
            memory: request.memory,
            names: KeyNames::default(),
            marks: Vec::new(),
            blocks: Vec::new(),
        })
    }

    fn read(mut self, tables: Vec<Params>) -> Result<Resolved> {
        let mut resolved = Vec::with_capacity(tables.len());
        let place = tables[0].place().clone();
        for (index, mut params) in tables.into_iter().enumerate() {
            let index = u16::try_from(index).expect("checked by `new`");
            let block = self.block(&mut params, index)?;
            self.blocks.push(block);
            resolved.push(params.finish()?);
        }
        let last = self
            .blocks
            .iter()
            .filter_map(|block| block.origin.last())
            .max();
        let Some(last) = last else {
            return Err(Error::input(
                "the traffic is empty: no block makes a request (a rate or count of 0, or times \
                 that lie outside the run)",
            )
            .at(place));
        };
        let after = last.saturating_add(self.limit.window).since(SimTime::ZERO);
        Ok(Resolved {
            workload: Workload {
                blocks: self.blocks,
                keys: Arc::new(self.names.into_names()),
                marks: self.marks,
            },
            epoch: self.epoch,
            horizon: self.duration.unwrap_or(after),
            tables: resolved,
            notes: Vec::new(),
        })
    }

    fn block(&mut self, params: &mut Params, index: u16) -> Result<Block> {
        let row = row(params, self.rows)?;
        let setting = setting(params, self.epoch, self.duration)?;
        let keys = KeyField::read(params)?;
        let mark = mark(params, index)?;
        let label = params.optional("label")?;
        let legitimate = params.optional("legitimate")?;
        let Reading::Rule(read) = row.read;
        let cost = params.whole("cost", 0, MAX_COST, 1)?;
        let pattern = read(params, &setting)?;
        let keys = self.keys(params, keys)?;
        let origin = Origin::Made {
            pattern,
            keys,
            cost,
            mark: self.mark(mark),
        };
        Ok(Block {
            pattern: row.pattern,
            label,
            legitimate,
            origin,
        })
    }

    /// Gives the block's keys their numbers; a block that names none has one key.
    fn keys(&mut self, params: &mut Params, keys: Option<KeyField>) -> Result<Keys> {
        let keys = keys.unwrap_or_else(|| {
            params.resolve("keys", ONE_KEY.into());
            KeyField::One(ONE_KEY.to_owned())
        });
        let bytes = (self.names.len() + keys.count()).saturating_mul(KeyNames::BYTES_EACH);
        if bytes > self.memory {
            return Err(params.error(
                "keys",
                format!(
                    "the names of {} keys would take about {} MB, more than the {} MB allowed; \
                     use fewer keys",
                    keys.count(),
                    bytes / 1_000_000,
                    self.memory / 1_000_000
                ),
            ));
        }
        keys.intern(&mut self.names)
    }

    fn mark(&mut self, mark: Mark) -> MarkId {
        let id = u32::try_from(self.marks.len()).expect("a few marks per block");
        self.marks.push(mark);
        MarkId(id)
    }
}
