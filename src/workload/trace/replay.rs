//! A trace placed on the clock of a run, and its arrivals.

use super::blocks::Block;
use super::names::{Mentions, Names};
use super::pipeline::Pipeline;
use super::scan::{MarkIndex, Survey};
use super::{Record, Stated, TraceFile};
use crate::error::{Error, Result};
use crate::params::Params;
use crate::units::{KeyId, SimTime};
use crate::workload::cost::CostStream;
use crate::workload::keys::{KeyNames, KeyStream, Keys};
use crate::workload::pattern::Setting;
use crate::workload::random::{Purpose, WHOLE};
use crate::workload::rounds::Arrivals;
use crate::workload::{Arrival, Mark, MarkId};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::vec;

/// What a trace is placed into: the run's keys and marks, and what its block says.
pub(in crate::workload) struct Placing<'a> {
    pub(in crate::workload) params: &'a Params,
    pub(in crate::workload) setting: Setting,
    /// The keys that the block states, where its records have none or are not asked.
    pub(in crate::workload) keys: Option<Keys>,
    pub(in crate::workload) names: &'a mut KeyNames,
    /// The block's mark.
    pub(in crate::workload) mark: Mark,
    pub(in crate::workload) marks: &'a mut Vec<Mark>,
    pub(in crate::workload) memory: u64,
    pub(in crate::workload) notes: &'a mut Vec<String>,
}

/// A trace on the clock of a run.
pub(in crate::workload) struct Trace {
    file: TraceFile,
    stated: Stated,
    dated: bool,
    /// The records that take part, in nanoseconds of the trace's own times.
    window: Range<u64>,
    /// What the trace's times read at time 0.
    origin: u64,
    keys: RecordKeys,
    mark: MarkId,
    /// Where endpoints and methods are kept: the number of the first pair's mark is `mark`.
    marks: Option<MarkIndex>,
    requests: u64,
    last: Option<SimTime>,
    /// All arrivals in order, if the file is not.
    held: Option<Vec<Arrival>>,
}

enum RecordKeys {
    /// The records say. The number of a name leads to the key.
    Named(Names, Vec<KeyId>),
    /// The block says.
    Drawn(Keys),
}

impl Survey {
    /// Places the trace on the clock.
    pub(in crate::workload) fn place(self, placing: Placing) -> Result<Trace> {
        let Placing {
            params,
            setting,
            keys,
            ..
        } = placing;
        let origin = if self.is_dated() {
            setting.epoch.unix_nanos()
        } else {
            0
        };
        let bound = |at: SimTime| origin.saturating_add(at.as_nanos());
        let window = bound(setting.from)..bound(setting.until.unwrap_or(SimTime::MAX));
        let mut survey = self.within(params, window.clone())?;
        placing.notes.extend(
            survey
                .notes()
                .into_iter()
                .map(|note| format!("{}: {note}", params.name_of("file"))),
        );
        let keys = match keys {
            Some(keys) => RecordKeys::Drawn(keys),
            None => {
                let ids = named(&survey, params, placing.names, placing.memory)?;
                RecordKeys::Named(std::mem::take(&mut survey.census.keys), ids)
            }
        };
        let dated = survey.is_dated();
        let census = &mut survey.census;
        let mark = MarkId(u32::try_from(placing.marks.len()).map_err(|_| too_many_marks())?);
        let marks = census.marks.take();
        match &marks {
            Some(index) => {
                let pairs = index.pairs(&survey.stated);
                placing.marks.extend(pairs.map(|(endpoint, method)| Mark {
                    block: placing.mark.block,
                    endpoint,
                    method,
                }));
            }
            None => placing.marks.push(placing.mark),
        }
        let requests = census.count;
        let last = (requests > 0).then(|| SimTime::from_nanos(census.latest - origin));
        let mut trace = Trace {
            file: survey.file,
            stated: survey.stated,
            dated,
            window,
            origin,
            keys,
            mark,
            marks,
            requests,
            last,
            held: None,
        };
        if survey.behind > 0 {
            trace.hold(params, placing.memory)?;
        }
        Ok(trace)
    }
}

fn too_many_marks() -> Error {
    Error::input("the traffic has more than 2^32 endpoints; use fewer")
}

/// Numbers the keys of the records.
fn named(
    survey: &Survey,
    params: &Params,
    names: &mut KeyNames,
    memory: u64,
) -> Result<Vec<KeyId>> {
    let own = &survey.census.keys;
    names
        .check_room(own.len() as u64, memory)
        .map_err(|message| survey.error(params, format!("has too many keys: {message}")))?;
    own.iter()
        .map(|name| names.intern(&String::from_utf8_lossy(name)))
        .collect()
}

impl Trace {
    /// Whether every request costs 1.
    pub(in crate::workload) fn has_unit_costs(&self) -> bool {
        match &self.stated.costs {
            Some(costs) => costs.is_unit(),
            None => !self.file.format.has_costs(),
        }
    }

    /// How many requests it makes.
    pub(in crate::workload) fn requests(&self) -> u64 {
        self.requests
    }

    /// When its last request comes.
    pub(in crate::workload) fn last(&self) -> Option<SimTime> {
        self.last
    }

    /// Reads all arrivals and sorts them.
    fn hold(&mut self, params: &Params, memory: u64) -> Result<()> {
        let shown = &self.file.shown;
        let bytes = self.requests.saturating_mul(size_of::<Arrival>() as u64);
        // The stable sort needs half as much again.
        let bytes = bytes.saturating_add(bytes / 2);
        if bytes > memory {
            return Err(params.error(
                "file",
                format!(
                    "{shown} is not in order of time, and to sort its {} records would take about \
                     {} MB, more than the {} MB allowed; sort the file, cut it by `from` and \
                     `to`, or raise --max-memory",
                    self.requests,
                    bytes / 1_000_000,
                    memory / 1_000_000
                ),
            ));
        }
        let failed = |error| super::unreadable(params, shown, error);
        let mut pipeline = self.file.open().map_err(failed)?;
        let mut held = Vec::new();
        held.reserve_exact(usize::try_from(self.requests).unwrap_or(0));
        while let Some(parts) = pipeline.next(|block| self.part(block)).map_err(failed)? {
            for part in parts {
                held.extend_from_slice(&part.arrivals);
                part.end?;
            }
        }
        held.sort_by_key(|arrival| arrival.at);
        for (arrival, seq) in held.iter_mut().zip(0..) {
            arrival.seq = seq;
        }
        self.held = Some(held);
        Ok(())
    }

    /// The arrivals of a block, up to one that cannot be.
    fn part(&self, block: &Block) -> Part {
        let mut parser = self.file.parser(self.marks.is_some());
        let mut part = Part {
            arrivals: Vec::new(),
            end: Ok(()),
        };
        let mut keys = Mentions::default();
        let mut room = Vec::new();
        for line in block.lines() {
            let Ok(record) = parser.record(&line) else {
                continue;
            };
            let (dated, at) = record.at.parts();
            if dated != self.dated || !self.window.contains(&at) {
                continue;
            }
            let Some(mark) = self.mark_of(&record, &mut room) else {
                part.end = Err(self.unknown());
                break;
            };
            keys.push(record.key.as_deref().unwrap_or_default());
            part.arrivals.push(Arrival {
                at: SimTime::from_nanos(at - self.origin),
                cost: record.cost.unwrap_or(1),
                seq: 0,
                key: KeyId::default(),
                mark,
            });
        }
        self.put_keys(&keys, &mut part);
        part
    }

    /// Puts the keys that are mentioned into the arrivals. Keys that the block draws, and costs that it
    /// states, are left to [`Drawn`].
    fn put_keys(&self, keys: &Mentions, part: &mut Part) {
        let RecordKeys::Named(names, ids) = &self.keys else {
            return;
        };
        for (index, key) in keys.iter().enumerate() {
            let Some(number) = names.get(key) else {
                part.arrivals.truncate(index);
                part.end = Err(self.unknown());
                return;
            };
            part.arrivals[index].key = ids[number as usize];
        }
    }

    /// The mark of the record's endpoint and method. `room` is room to work in.
    fn mark_of(&self, record: &Record, room: &mut Vec<u8>) -> Option<MarkId> {
        let Some(index) = &self.marks else {
            return Some(self.mark);
        };
        let number = index.get(record, &self.stated, room)?;
        Some(MarkId(self.mark.0 + number))
    }

    fn unknown(&self) -> Error {
        self.changed("it has a key or an endpoint that it did not have")
    }

    fn changed(&self, how: &str) -> Error {
        Error::run(format!(
            "{} was changed while it was being used ({how}); run again on a file that stays",
            self.file.path.display()
        ))
    }

    fn unreadable(&self, cause: io::Error) -> Error {
        Error::run(format!(
            "{} can no longer be read",
            self.file.path.display()
        ))
        .because(cause)
    }

    /// Its arrivals as block `block` of a run.
    pub(in crate::workload) fn arrivals(trace: &Arc<Self>, seed: u64, block: u16) -> Arrivals {
        let costs = trace.stated.costs.as_ref();
        let drawn = Drawn {
            keys: match &trace.keys {
                RecordKeys::Drawn(keys) => Some(keys.whole(seed, block, Purpose::Keys)),
                RecordKeys::Named(..) => None,
            },
            costs: costs.map(|costs| costs.stream(seed, block, WHOLE)),
        };
        let trace = trace.clone();
        if trace.held.is_some() {
            Box::new(Held {
                trace,
                given: 0,
                drawn,
            })
        } else {
            Box::new(Streamed {
                trace,
                pipeline: None,
                parts: Vec::new().into_iter(),
                arrivals: Vec::new().into_iter(),
                end: Ok(()),
                drawn,
                given: 0,
                previous: SimTime::ZERO,
            })
        }
    }
}

/// What a block of the file gives.
struct Part {
    arrivals: Vec<Arrival>,
    /// What came behind them.
    end: Result<()>,
}

/// What the block states itself, drawn for each record in the order of time.
struct Drawn {
    keys: Option<KeyStream>,
    costs: Option<CostStream>,
}

impl Drawn {
    fn fill(&mut self, mut arrival: Arrival) -> Arrival {
        if let Some(keys) = &mut self.keys {
            arrival.key = keys.draw();
        }
        if let Some(costs) = &mut self.costs {
            arrival.cost = costs.draw();
        }
        arrival
    }
}

/// Arrivals from memory.
struct Held {
    trace: Arc<Trace>,
    given: usize,
    drawn: Drawn,
}

impl Iterator for Held {
    type Item = Result<Arrival>;

    fn next(&mut self) -> Option<Self::Item> {
        let arrival = *self.trace.held.as_ref()?.get(self.given)?;
        self.given += 1;
        Some(Ok(self.drawn.fill(arrival)))
    }
}

/// Arrivals from the file, which is opened at the first one.
struct Streamed {
    trace: Arc<Trace>,
    pipeline: Option<Pipeline>,
    /// The parts of the present batch that are still to come.
    parts: vec::IntoIter<Part>,
    /// The arrivals of the present part that are still to come, and what comes behind them.
    arrivals: vec::IntoIter<Arrival>,
    end: Result<()>,
    drawn: Drawn,
    given: u64,
    previous: SimTime,
}

impl Streamed {
    fn draw(&mut self) -> Result<Option<Arrival>> {
        loop {
            if let Some(mut arrival) = self.arrivals.next() {
                if arrival.at < self.previous {
                    return Err(self.trace.changed("its records were in order of time"));
                }
                self.previous = arrival.at;
                arrival.seq = self.given;
                self.given += 1;
                return Ok(Some(self.drawn.fill(arrival)));
            }
            std::mem::replace(&mut self.end, Ok(()))?;
            if let Some(part) = self.parts.next() {
                self.arrivals = part.arrivals.into_iter();
                self.end = part.end;
            } else if !self.read()? {
                break;
            }
        }
        if self.given == self.trace.requests {
            Ok(None)
        } else {
            Err(self.trace.changed("it had another number of records"))
        }
    }

    /// Reads the next batch; false at the end.
    fn read(&mut self) -> Result<bool> {
        let trace = &self.trace;
        let failed = |error| trace.unreadable(error);
        let pipeline = match &mut self.pipeline {
            Some(pipeline) => pipeline,
            closed => closed.insert(trace.file.open().map_err(failed)?),
        };
        let parts = pipeline.next(|block| trace.part(block)).map_err(failed)?;
        let is_more = parts.is_some();
        self.parts = parts.unwrap_or_default().into_iter();
        Ok(is_more)
    }
}

impl Iterator for Streamed {
    type Item = Result<Arrival>;

    fn next(&mut self) -> Option<Self::Item> {
        self.draw().transpose()
    }
}
