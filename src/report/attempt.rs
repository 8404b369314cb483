//! One attempt as a row of the timeline, whatever the form of the file.

use super::http;
use super::text::cell;
use crate::limiter::Decision;
use crate::measure::{CandidateResult, Reason, Record, RunResult};
use crate::units::{Level, Nanos, Retry, decimal};
use crate::workload::Arrival;
use std::fmt;

/// The columns of the timeline.
pub(super) const COLUMNS: [&str; 16] = [
    "time_s",
    "candidate",
    "request",
    "attempt",
    "node",
    "key",
    "endpoint",
    "cost",
    "decision",
    "status",
    "remaining",
    "retry_after_s",
    "delay_s",
    "level",
    "reason",
    "rule",
];

/// What a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// A name or a word.
    Text(String),
    /// A number as an exact decimal.
    Number(String),
    /// A wait that does not end.
    Never,
    /// The attempt has no such thing.
    Nothing,
}

impl fmt::Display for Cell {
    /// The cell of a CSV file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Number(text) => f.write_str(text),
            Self::Never => f.write_str("inf"),
            Self::Nothing => Ok(()),
        }
    }
}

/// One attempt at one candidate.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    run: &'a RunResult,
    candidate: &'a CandidateResult,
    arrival: &'a Arrival,
    record: &'a Record,
}

/// All attempts in order of time, request, attempt and candidate; none when the run kept no records.
pub(super) fn attempts(run: &RunResult) -> Vec<Attempt<'_>> {
    let of = |candidate| {
        let attempts = run.attempts(candidate).into_iter().flatten();
        attempts.map(move |(arrival, record)| Attempt {
            run,
            candidate,
            arrival,
            record,
        })
    };
    let mut attempts: Vec<_> = run.candidates.iter().flat_map(of).collect();
    // Of equal ones the earlier candidate's stays before the other's.
    attempts.sort_by_key(|it| (it.record.at, it.record.request, it.record.attempt));
    attempts
}

impl Attempt<'_> {
    /// Its cells, one per column.
    pub(super) fn cells(&self) -> [Cell; COLUMNS.len()] {
        let Self {
            run,
            candidate,
            arrival,
            record,
            ..
        } = self;
        let mark = &run.marks[arrival.mark.0 as usize];
        let text = |text: &str| Cell::Text(text.to_owned());
        [
            Cell::number(record.at),
            Cell::Text(cell(&candidate.name)),
            Cell::number(record.request),
            Cell::number(record.attempt),
            match record.reason {
                Some(Reason::NoNode | Reason::Bypass) => Cell::Nothing,
                _ => Cell::number(record.node),
            },
            Cell::Text(cell(&run.keys[arrival.key.0 as usize])),
            Cell::of(mark.endpoint.as_deref(), |name| Cell::Text(cell(name))),
            Cell::number(arrival.cost),
            text(self.decision()),
            Cell::number(http::status(record)),
            Cell::of(record.remaining, Cell::number),
            Cell::of(record.retry, Cell::wait),
            match record.decision {
                Decision::Deny => Cell::Nothing,
                admitted => Cell::length(admitted.delay()),
            },
            Cell::of(record.level, |level: Level| Cell::number(level)),
            Cell::of(self.reason(), text),
            Cell::of(self.rule(), |name| Cell::Text(cell(name))),
        ]
    }

    /// The header fields of its answer.
    pub(super) fn headers(&self) -> Vec<http::Field> {
        http::fields(self.run, self.candidate, self.record)
    }

    fn decision(&self) -> &'static str {
        match self.record.decision {
            _ if self.record.is_error() => "error",
            Decision::Allow => "allow",
            Decision::Delay(_) => "delay",
            Decision::Deny => "deny",
        }
    }

    /// The rule that decided.
    fn rule(&self) -> Option<&str> {
        let chapter = usize::from(self.record.chapter?);
        let chapter = self.candidate.chapters.get(chapter)?;
        Some(&chapter.name)
    }

    /// Why it was not simply allowed.
    fn reason(&self) -> Option<&'static str> {
        let record = self.record;
        match (record.reason, record.retry) {
            (Some(reason), _) => Some(reason.name()),
            (None, None) => None,
            (None, Some(_)) if record.is_too_large => Some("too_large"),
            (None, Some(Retry::After(_))) => Some("over_limit"),
            (None, Some(Retry::Never)) => Some("can_never_pass"),
        }
    }
}

impl Cell {
    fn number(value: impl fmt::Display) -> Self {
        Self::Number(value.to_string())
    }

    fn of<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Nothing, cell)
    }

    fn wait(retry: Retry) -> Self {
        match retry {
            Retry::After(_) => Self::number(retry),
            Retry::Never => Self::Never,
        }
    }

    pub(super) fn length(length: Nanos) -> Self {
        match length {
            Nanos::FOREVER => Self::Never,
            length => Self::number(decimal(length.get().into(), 9)),
        }
    }
}
