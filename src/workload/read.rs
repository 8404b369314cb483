//! From the `[[traffic]]` tables of a scenario to a workload.

use super::cost::Costs;
use super::demand::Sources;
use super::identity::{IDENTITY_FIELDS, IdentityFields, PREFIXES, PartNames};
use super::keys::{KeyField, KeyNames, Keys, Names, ONE_KEY};
use super::made::Made;
use super::pattern::{Division, Pattern, Reading, Setting, TrafficRow, point};
use super::trace::{Files, Placing, Stated, Survey};
use super::{Block, Mark, MarkId, Origin, Workload};
use crate::error::{Error, Result};
use crate::params::{Moment, Params, unknown};
use crate::units::{Epoch, Limit, Nanos, SimTime};
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
    /// The most records of a trace whose endpoints and methods are kept: for runs small enough for a
    /// timeline.
    pub marked: u64,
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
fn setting(
    params: &mut Params,
    epoch: Epoch,
    duration: Option<Nanos>,
    keys: u64,
) -> Result<Setting> {
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
        to,
        keys,
    })
}

/// A block whose fields were read as far as they do not depend on the epoch.
struct Draft {
    params: Params,
    row: &'static TrafficRow,
    keys: Option<KeyField>,
    identity: IdentityFields,
    mark: Mark,
    costs: Option<Costs>,
    label: Option<String>,
    legitimate: Option<bool>,
    source: Source,
}

/// Where a draft's instants will come from.
enum Source {
    Rule(fn(&mut Params, &Setting) -> Result<Box<dyn Pattern>>),
    Records(Box<Survey>),
}

impl Draft {
    fn read(
        mut params: Params,
        index: u16,
        rows: &'static [TrafficRow],
        base: &Path,
        marked: u64,
    ) -> Result<Self> {
        let row = row(&mut params, rows)?;
        let keys = KeyField::read(&mut params, "keys", "key-")?;
        let mut identity = IdentityFields::default();
        for (field, name) in IDENTITY_FIELDS.into_iter().enumerate() {
            identity[field] = KeyField::read(&mut params, name, PREFIXES[field])?;
        }
        let mark = mark(&mut params, index)?;
        let costs = Costs::read(&mut params)?;
        let source = match row.read {
            Reading::Rule(read) => Source::Rule(read),
            Reading::Records(read) => {
                let stated = Stated {
                    keys: keys.is_some(),
                    endpoint: mark.endpoint.clone(),
                    method: mark.method.clone(),
                    costs: costs.clone(),
                };
                let files = Files {
                    base,
                    stated,
                    marked,
                };
                Source::Records(Box::new(read(&mut params, &files)?))
            }
        };
        Ok(Self {
            row,
            keys,
            identity,
            mark,
            costs,
            label: params.optional("label")?,
            legitimate: params.optional("legitimate")?,
            source,
            params,
        })
    }
}

/// Reads a block's endpoint and method.
fn mark(params: &mut Params, block: u16) -> Result<Mark> {
    Ok(Mark {
        block,
        endpoint: params.optional::<String>("endpoint")?.map(Arc::from),
        method: params.optional::<String>("method")?.map(Arc::from),
    })
}

impl Workload {
    /// Reads the traffic of a scenario.
    ///
    /// # Errors
    /// Wrong fields; times that do not fit together; no request at all; more keys than fit.
    pub fn read(request: Request) -> Result<Resolved> {
        Reader::new(&request)?.read(request.tables, request.base, request.marked)
    }
}

/// What is gathered while block after block is read.
struct Reader {
    rows: &'static [TrafficRow],
    start: Option<Epoch>,
    epoch: Epoch,
    limit: Limit,
    duration: Option<Nanos>,
    memory: u64,
    notes: Vec<String>,
    names: KeyNames,
    marks: Vec<Mark>,
    blocks: Vec<Block>,
    /// What each of the blocks says of who its requests are.
    identities: Vec<IdentityFields>,
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
            start: request.start,
            epoch: Epoch::default(),
            limit: request.limit,
            duration: request.duration,
            memory: request.memory,
            notes: Vec::new(),
            names: KeyNames::default(),
            marks: Vec::new(),
            blocks: Vec::new(),
            identities: Vec::new(),
        })
    }

    fn read(mut self, tables: Vec<Params>, base: &Path, marked: u64) -> Result<Resolved> {
        let place = tables[0].place().clone();
        let drafts = tables
            .into_iter()
            .zip(0..)
            .map(|(params, index)| Draft::read(params, index, self.rows, base, marked))
            .collect::<Result<Vec<_>>>()?;
        self.epoch = self.start.unwrap_or_else(|| self.first_window(&drafts));
        let mut resolved = Vec::with_capacity(drafts.len());
        for draft in drafts {
            resolved.push(self.block(draft)?);
        }
        let ends = self.blocks.iter().filter_map(|block| block.origin.last());
        let Some(last) = ends.max() else {
            return Err(Error::input(
                "the traffic is empty: no block makes a request (a rate or count of 0, or times \
                 that lie outside the run)",
            )
            .at(place));
        };
        let after = last.saturating_add(self.limit.window).since(SimTime::ZERO);
        let (keys, others) = self.parts()?;
        let keys = Arc::new(keys);
        Ok(Resolved {
            workload: Workload {
                blocks: self.blocks,
                keys: keys.clone(),
                parts: Arc::new(PartNames::new(keys, others)),
                marks: self.marks,
            },
            epoch: self.epoch,
            horizon: self.duration.unwrap_or(after),
            tables: resolved,
            notes: self.notes,
        })
    }

    /// Numbers what identities are made of, behind the keys; gives the names of both.
    fn parts(&mut self) -> Result<(Names, Names)> {
        let keys = self.names.len();
        for (block, fields) in self.blocks.iter_mut().zip(&self.identities) {
            for (drawn, field) in block.identity.iter_mut().zip(fields) {
                let field = field.as_ref();
                *drawn = field
                    .map(|field| field.intern(&mut self.names))
                    .transpose()?;
            }
        }
        let mut names = std::mem::take(&mut self.names).into_names();
        let others = names.split_off(keys);
        Ok((names, others))
    }

    /// The first date of any trace, rounded down to a window of the limit.
    fn first_window(&self, drafts: &[Draft]) -> Epoch {
        let dates = drafts.iter().filter_map(|draft| match &draft.source {
            Source::Records(survey) => survey.first_date(),
            Source::Rule(_) => None,
        });
        let first = dates.min().unwrap_or(0);
        Epoch::from_unix_nanos(first - first % self.limit.window.get())
    }

    /// Resolves what depends on the epoch; gives the block's resolved table.
    fn block(&mut self, draft: Draft) -> Result<toml::Table> {
        let Draft {
            mut params,
            row,
            keys,
            identity,
            mark,
            costs,
            label,
            legitimate,
            source,
        } = draft;
        let count = keys.as_ref().map_or(1, KeyField::count);
        let setting = setting(&mut params, self.epoch, self.duration, count)?;
        let origin = match source {
            Source::Rule(read) => {
                let pattern = read(&mut params, &setting)?;
                let left_out = pattern.left_out();
                if left_out > 0 {
                    let whole = left_out + pattern.expected();
                    self.notes.push(format!(
                        "{}: {left_out} of {whole} requests lie outside of the block's times or the \
                         run and were left out",
                        params.name_of("pattern").trim_end_matches(".pattern")
                    ));
                }
                if pattern.division() == Division::Sources {
                    self.check_sources(&params, keys.as_ref())?;
                }
                Origin::Made(Made {
                    pattern,
                    keys: self.keys(&mut params, keys)?,
                    costs: match costs {
                        Some(costs) => costs,
                        None => Costs::Fixed(params.or("cost", 1)?),
                    },
                    mark: self.mark(mark),
                })
            }
            Source::Records(survey) => {
                let keys = if survey.has_keys() {
                    None
                } else {
                    Some(self.keys(&mut params, keys)?)
                };
                Origin::Recorded(Arc::new(survey.place(Placing {
                    params: &params,
                    setting,
                    keys,
                    names: &mut self.names,
                    mark,
                    marks: &mut self.marks,
                    memory: self.memory,
                    notes: &mut self.notes,
                })?))
            }
        };
        self.blocks.push(Block {
            pattern: row.pattern,
            label,
            legitimate,
            identity: Default::default(),
            origin,
        });
        for (field, name) in identity.iter().zip(IDENTITY_FIELDS) {
            if let Some(field) = field {
                let room = field.check_room(&self.names, self.memory);
                room.map_err(|message| params.error(name, message))?;
            }
        }
        self.identities.push(identity);
        params.finish()
    }

    /// Gives the block's keys their numbers; a block that names none has one key.
    fn keys(&mut self, params: &mut Params, keys: Option<KeyField>) -> Result<Keys> {
        let keys = keys.unwrap_or_else(|| {
            params.resolve("keys", ONE_KEY.into());
            KeyField::One(ONE_KEY.to_owned())
        });
        keys.check_room(&self.names, self.memory)
            .map_err(|message| params.error("keys", message))?;
        keys.intern(&mut self.names)
    }

    /// Refuses keys that cannot each be a source: unequal ones, or more than there is memory for.
    fn check_sources(&self, params: &Params, keys: Option<&KeyField>) -> Result<()> {
        let Some(keys) = keys else {
            return Ok(());
        };
        if !keys.are_alike() {
            let message = "each key is a source at the same rate here, so `popularity` must be \
                           \"uniform\"; use one block for each rate";
            return Err(params.error("keys", message));
        }
        let bytes = keys.count().saturating_mul(Sources::BYTES_EACH);
        if bytes <= self.memory {
            return Ok(());
        }
        let message = format!(
            "{} sources would take about {} MB, more than the {} MB allowed; use fewer keys, or \
             raise --max-memory",
            keys.count(),
            bytes / 1_000_000,
            self.memory / 1_000_000
        );
        Err(params.error("keys", message))
    }

    fn mark(&mut self, mark: Mark) -> MarkId {
        let id = u32::try_from(self.marks.len()).expect("a few marks per block");
        self.marks.push(mark);
        MarkId(id)
    }
}
