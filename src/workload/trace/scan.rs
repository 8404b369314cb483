//! The scan before the run: what a trace holds.

use super::blocks::Block;
use super::names::{Mentions, Names};
use super::{Format, Record, Stated, TraceFile};
use crate::error::{Error, Result};
use crate::params::Params;
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
    dated: Option<bool>,
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
    pub(super) keys: Names,
    /// Endpoints and methods, unless there are too many records to keep them.
    pub(super) marks: Option<MarkIndex>,
}

/// An endpoint and a method.
type Pair = (Option<Arc<str>>, Option<Arc<str>>);

/// Pairs of endpoint and method, by their first mention.
#[derive(Debug, Default)]
pub(super) struct MarkIndex {
    /// What the records say of both, with a line end between; an absent one is empty, which no
    /// present one is.
    pairs: Names,
}

impl MarkIndex {
    /// Writes what stands for the record's pair over `pair`: what the block states is the same in
    /// all of them and left out.
    fn write(record: &Record, stated: &Stated, pair: &mut Vec<u8>) {
        let endpoint = record.endpoint.as_deref();
        let method = record.method.as_deref();
        pair.clear();
        pair.extend_from_slice(
            endpoint
                .filter(|_| stated.endpoint.is_none())
                .unwrap_or(b""),
        );
        pair.push(b'\n');
        pair.extend_from_slice(method.filter(|_| stated.method.is_none()).unwrap_or(b""));
    }

    /// The number of the record's pair. `pair` is room to work in.
    pub(super) fn get(&self, record: &Record, stated: &Stated, pair: &mut Vec<u8>) -> Option<u32> {
        Self::write(record, stated, pair);
        self.pairs.get(pair)
    }

    /// The pairs by number.
    pub(super) fn pairs(&self, stated: &Stated) -> impl Iterator<Item = Pair> {
        self.pairs.iter().map(|pair| {
            let text = String::from_utf8_lossy(pair);
            let (endpoint, method) = text.split_once('\n').unwrap_or_default();
            let present = |text: &str| (!text.is_empty()).then(|| Arc::from(text));
            (
                stated.endpoint.clone().or_else(|| present(endpoint)),
                stated.method.clone().or_else(|| present(method)),
            )
        })
    }
}

impl Census {
    fn over(window: Range<u64>, marked: u64) -> Self {
        Self {
            window,
            count: 0,
            latest: 0,
            keys: Names::default(),
            marks: (marked > 0).then(MarkIndex::default),
        }
    }
}

/// What one block adds to a survey.
#[derive(Default)]
struct Found {
    /// Lines, blank ones included.
    lines: u64,
    /// The kind of its times, if a line is valid.
    dated: Option<bool>,
    /// The times of the valid lines.
    times: Vec<u64>,
    /// Records in the window, and the latest of their times.
    count: u64,
    latest: u64,
    /// Keys and pairs of records in the window that the survey does not have yet.
    keys: Names,
    pairs: Names,
    /// The keys of all records in the window.
    mentions: Mentions,
    malformed: u64,
    /// The first malformed lines, by their numbers within the block.
    examples: Vec<(u64, String)>,
}

impl Found {
    fn note(
        &mut self,
        record: &Record,
        survey: &Survey,
        pair: &mut Vec<u8>,
    ) -> std::result::Result<(), String> {
        let (dated, at) = record.at.parts();
        if *self.dated.get_or_insert(dated) != dated {
            return Err(mixed(dated));
        }
        self.times.push(at);
        let census = &survey.census;
        if !census.window.contains(&at) {
            return Ok(());
        }
        self.count += 1;
        self.latest = self.latest.max(at);
        if let Some(key) = record.key.as_deref().filter(|_| !survey.stated.keys) {
            self.mentions.push(key);
        }
        if let Some(marks) = &census.marks
            && marks.get(record, &survey.stated, pair).is_none()
        {
            self.pairs.note(pair);
        }
        Ok(())
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
            dated: None,
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
        let mut pipeline = file.open().map_err(failed)?;
        let mut lines = 0;
        while let Some(found) = pipeline
            .next(|block| self.look(block, self.dated))
            .map_err(failed)?
        {
            for (mut found, block) in found.into_iter().zip(pipeline.worked_on()) {
                // The first valid line of the file decides which kind of times is malformed; a block
                // that was read without knowing it, and guessed wrong, is read again.
                if self.dated.is_some()
                    && found.dated.is_some_and(|dated| Some(dated) != self.dated)
                {
                    found = self.look(block, self.dated);
                }
                lines += self.add(found, lines);
            }
        }
        Ok(())
    }

    /// What a block adds; the kind of times that is valid is told by its first one if not known.
    fn look(&self, block: &Block, dated: Option<bool>) -> Found {
        let mut found = Found {
            dated,
            ..Found::default()
        };
        let mut parser = self.file.parser(self.census.marks.is_some());
        let mut pair = Vec::new();
        let mut lines = block.lines();
        for line in &mut lines {
            let record = parser.record(&line);
            if let Err(reason) = record.and_then(|record| found.note(&record, self, &mut pair)) {
                found.malformed += 1;
                if found.examples.len() < SHOWN {
                    found.examples.push((line.number, reason));
                }
            }
        }
        found.lines = lines.number();
        for key in std::mem::take(&mut found.mentions).iter() {
            if self.census.keys.get(key).is_none() {
                found.keys.note(key);
            }
        }
        found
    }

    /// Adds what the next block, which begins behind `before` lines, has; gives its lines.
    fn add(&mut self, found: Found, before: u64) -> u64 {
        self.dated = self.dated.or(found.dated);
        self.valid += found.times.len() as u64;
        for at in found.times {
            self.behind += u64::from(at < self.latest);
            self.earliest = self.earliest.min(at);
            self.latest = self.latest.max(at);
        }
        self.malformed += found.malformed;
        for (line, reason) in found.examples {
            if self.examples.len() < SHOWN {
                let line = before + line;
                self.examples.push(format!("line {line}: {reason}"));
            }
        }
        let census = &mut self.census;
        census.count += found.count;
        census.latest = census.latest.max(found.latest);
        found.keys.iter().for_each(|key| census.keys.note(key));
        if census.count > self.marked {
            census.marks = None;
        }
        if let Some(marks) = &mut census.marks {
            found.pairs.iter().for_each(|pair| marks.pairs.note(pair));
        }
        found.lines
    }

    /// How many lines are valid.
    pub(super) fn valid(&self) -> u64 {
        self.valid
    }

    /// Whether times are dates.
    pub(super) fn is_dated(&self) -> bool {
        self.dated == Some(true)
    }

    /// The earliest date, if times are dates.
    pub(in crate::workload) fn first_date(&self) -> Option<u64> {
        self.is_dated().then_some(self.earliest)
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
