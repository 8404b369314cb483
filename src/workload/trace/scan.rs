//! The scan before the run: what a trace holds.

use super::{Format, Record, Stated, TraceFile};
use crate::error::{Error, Result};
use crate::params::Params;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// How many malformed lines are shown.
const SHOWN: usize = 3;

/// What a scan found in a trace.
#[derive(Debug)]
pub struct Survey {
    pub(super) file: TraceFile,
    pub(super) stated: Stated,
    marked: u64,
    valid: u64,
    malformed: u64,
    /// The first malformed lines, with numbers and reasons.
    examples: Vec<String>,
    /// Records that lie behind an earlier one's time.
    pub(super) behind: u64,
    /// Whether times are dates; the first valid line decides.
    pub(super) dated: bool,
    earliest: u64,
    latest: u64,
    pub(super) census: Census,
}

/// What the records within a window of time have.
#[derive(Debug)]
pub(super) struct Census {
    /// In nanoseconds of the trace's own times.
    pub(super) window: Range<u64>,
    pub(super) count: u64,
    pub(super) latest: u64,
    /// Keys by their first mention.
    pub(super) keys: HashMap<Box<str>, u32>,
    /// Endpoints and methods, unless there are too many records to keep them.
    pub(super) marks: Option<MarkIndex>,
}

/// An endpoint and a method.
type Pair = (Option<Arc<str>>, Option<Arc<str>>);

/// Pairs of endpoint and method, by their first mention.
#[derive(Debug, Default)]
pub(super) struct MarkIndex {
    /// By endpoint, then method; an absent one is empty, which no present one is.
    index: HashMap<Box<str>, HashMap<Box<str>, u32>>,
    pub(super) pairs: Vec<Pair>,
}

/// The endpoint and the method of a request.
fn pair<'a>(record: &'a Record, stated: &'a Stated) -> (Option<&'a str>, Option<&'a str>) {
    let endpoint = stated.endpoint.as_deref().or(record.endpoint.as_deref());
    let method = stated.method.as_deref().or(record.method.as_deref());
    (endpoint, method)
}

impl MarkIndex {
    /// The number of the record's pair.
    pub(super) fn get(&self, record: &Record, stated: &Stated) -> Option<u32> {
        let (endpoint, method) = pair(record, stated);
        let methods = self.index.get(endpoint.unwrap_or(""))?;
        methods.get(method.unwrap_or("")).copied()
    }

    fn note(&mut self, record: &Record, stated: &Stated) {
        if self.get(record, stated).is_some() {
            return;
        }
        let number = u32::try_from(self.pairs.len()).expect("bounded by the records kept");
        let (endpoint, method) = pair(record, stated);
        let methods = self.index.entry(endpoint.unwrap_or("").into());
        methods
            .or_default()
            .insert(method.unwrap_or("").into(), number);
        self.pairs
            .push((endpoint.map(Arc::from), method.map(Arc::from)));
    }
}

impl Census {
    fn over(window: Range<u64>, marked: u64) -> Self {
        Self {
            window,
            count: 0,
            latest: 0,
            keys: HashMap::new(),
            marks: (marked > 0).then(MarkIndex::default),
        }
    }

    fn note(&mut self, record: &Record, at: u64, stated: &Stated, marked: u64) {
        if !self.window.contains(&at) {
            return;
        }
        self.count += 1;
        self.latest = self.latest.max(at);
        if let Some(key) = record.key.as_deref().filter(|_| !stated.keys)
            && !self.keys.contains_key(key)
        {
            // Beyond 2^32 keys their names would not fit anyway, and are refused by their count.
            let number = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
            self.keys.insert(key.into(), number);
        }
        if self.count > marked {
            self.marks = None;
        }
        if let Some(marks) = &mut self.marks {
            marks.note(record, stated);
        }
    }

    /// The keys in the order of their first mention.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.keys.iter().collect();
        names.sort_unstable_by_key(|(_, number)| **number);
        names.into_iter().map(|(name, _)| &**name).collect()
    }
}

impl Survey {
    /// Scans a file; the census takes in the records in `window`.
    pub(super) fn scan(
        params: &Params,
        file: TraceFile,
        stated: Stated,
        marked: u64,
        window: Range<u64>,
    ) -> Result<Self> {
        let mut survey = Self {
            file,
            stated,
            marked,
            valid: 0,
            malformed: 0,
            examples: Vec::new(),
            behind: 0,
            dated: false,
            earliest: u64::MAX,
            latest: 0,
            census: Census::over(window, marked),
        };
        survey.run(params)?;
        Ok(survey)
    }

    /// The same with a census of the records in `window` only.
    pub(super) fn within(self, params: &Params, window: Range<u64>) -> Result<Self> {
        if window.start <= self.earliest && self.latest < window.end {
            return Ok(self);
        }
        Self::scan(params, self.file, self.stated, self.marked, window)
    }

    fn run(&mut self, params: &Params) -> Result<()> {
        let file = self.file.clone();
        let failed = |error| super::unreadable(params, &file.shown, error);
        let mut records = file.open().map_err(failed)?;
        while let Some((line, record)) = records.next().map_err(failed)? {
            if let Err(reason) = record.and_then(|record| self.note(&record)) {
                self.malformed += 1;
                if self.examples.len() < SHOWN {
                    self.examples.push(format!("line {line}: {reason}"));
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, record: &Record) -> std::result::Result<(), String> {
        let (dated, at) = record.at.parts();
        if self.valid == 0 {
            self.dated = dated;
        } else if self.dated != dated {
            return Err(mixed(dated));
        }
        self.valid += 1;
        self.behind += u64::from(at < self.latest);
        self.earliest = self.earliest.min(at);
        self.latest = self.latest.max(at);
        self.census.note(record, at, &self.stated, self.marked);
        Ok(())
    }

    /// How many lines are valid.
    pub(super) fn valid(&self) -> u64 {
        self.valid
    }

    /// The earliest date, if times are dates.
    pub(in crate::workload) fn first_date(&self) -> Option<u64> {
        self.dated.then_some(self.earliest)
    }

    /// Whether requests get their keys from the file.
    pub(in crate::workload) fn has_keys(&self) -> bool {
        !self.stated.keys
            && match &self.file.format {
                Format::Combined => true,
                Format::Csv(columns) => columns.has_keys(),
            }
    }

    /// An error about the file.
    pub(super) fn error(&self, params: &Params, message: impl std::fmt::Display) -> Error {
        params.error("file", format!("{} {message}", self.file.shown))
    }

    /// How many lines are malformed and the first of them with reasons; `None` if none are.
    pub(super) fn malformed_lines(&self) -> Option<String> {
        let all = self.valid + self.malformed;
        let more = self.malformed > self.examples.len() as u64;
        (self.malformed > 0).then(|| {
            format!(
                "{} of {all} lines malformed and left out: {}{}",
                self.malformed,
                self.examples.join("; "),
                if more { "; …" } else { "" }
            )
        })
    }

    /// What a user should know of the file.
    pub(super) fn notes(&self) -> Vec<String> {
        let shown = &self.file.shown;
        let malformed = self.malformed_lines();
        let malformed = malformed.map(|lines| format!("{shown}: {lines}"));
        let behind = (self.behind > 0).then(|| {
            format!(
                "{shown}: {} of {} records lie behind an earlier time; they were sorted by time, \
                 stably",
                self.behind, self.valid
            )
        });
        let outside = (self.census.count < self.valid).then(|| {
            format!(
                "{shown}: {} of {} records lie outside of the block's times or the run and were left \
                 out",
                self.valid - self.census.count,
                self.valid
            )
        });
        malformed.into_iter().chain(behind).chain(outside).collect()
    }
}

/// What is wrong with a time of another kind than the first one.
fn mixed(dated: bool) -> String {
    if dated {
        "a date among times since the start".to_owned()
    } else {
        "a time since the start among dates".to_owned()
    }
}
