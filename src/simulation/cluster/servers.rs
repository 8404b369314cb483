//! Equal workers with one queue before them: first come, first served.

use super::super::lane::Course;
use super::super::placement::Backend;
use crate::measure::{Grid, Measure, Served, ServedRow};
use crate::units::{Nanos, SimTime};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What one request asks of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Job {
    /// Since when its client waits.
    pub(super) since: SimTime,
    pub(super) service: Nanos,
    pub(super) work: Work,
    /// Whether it ought to pass, where that is said.
    pub(super) label: Option<bool>,
}

/// What a worker does for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    /// It serves it.
    Request,
    /// It denies it.
    Denial,
}

/// The workers during a run. Requests come in order of time, and begin to be worked on in the order in
/// which they come: the next one at once or when the first worker is free, whichever is later.
pub(super) struct Servers {
    /// The end of the run: what comes then or later is in no measure.
    end: SimTime,
    /// When each worker is free.
    free: BinaryHeap<Reverse<SimTime>>,
    /// When those that wait begin to be worked on, in order.
    begins: VecDeque<SimTime>,
    room: Option<u64>,
    grid: Option<Grid>,
    busy: Spread,
    wasted: Spread,
    measured: Served,
}

impl Servers {
    pub(super) fn new(backend: &Backend, course: &Course) -> Self {
        let grid = course.measures.has(Measure::Series).then_some(course.grid);
        let buckets = grid.map_or(0, Grid::count);
        Self {
            end: course.horizon,
            free: (0..backend.workers)
                .map(|_| Reverse(SimTime::ZERO))
                .collect(),
            begins: VecDeque::new(),
            room: backend.queue,
            grid,
            busy: Spread::new(buckets),
            wasted: Spread::new(buckets),
            measured: Served {
                rows: vec![ServedRow::default(); buckets],
                ..Served::default()
            },
        }
    }

    /// Counts a request by what is said of its traffic.
    pub(super) fn count_labelled(&mut self, label: Option<bool>) {
        self.measured.legitimate += u64::from(label == Some(true));
    }

    /// A request was refused.
    pub(super) fn lose(&mut self, label: Option<bool>) {
        self.measured.legitimate_lost += u64::from(label == Some(true));
    }

    /// A request that was refused is made again.
    pub(super) fn find(&mut self, label: Option<bool>) {
        self.measured.legitimate_lost -= u64::from(label == Some(true));
    }

    /// A request comes, after all that came before it.
    pub(super) fn take(&mut self, at: SimTime, job: Job) {
        if at >= self.end {
            return;
        }
        while self.begins.front().is_some_and(|begins| *begins <= at) {
            self.begins.pop_front();
        }
        self.measured.reached += 1;
        let Reverse(free) = *self.free.peek().expect("at least one worker");
        if free > at
            && self
                .room
                .is_some_and(|room| self.begins.len() as u64 >= room)
        {
            self.refuse(at, job);
            return;
        }
        let begins = free.max(at);
        let ends = begins.saturating_add(job.service);
        self.free.pop();
        self.free.push(Reverse(ends));
        if begins > at {
            self.begins.push_back(begins);
            let waiting = self.begins.len() as u64;
            self.measured.queue_peak = self.measured.queue_peak.max(waiting);
        }
        self.note_work(job.work, begins, ends);
        if job.work == Work::Request {
            self.note_answer(at, ends.since(job.since), job.label);
        }
    }

    fn refuse(&mut self, at: SimTime, job: Job) {
        self.measured.overloaded += 1;
        // Whoever is denied is lost anyway.
        if job.work == Work::Request {
            self.lose(job.label);
        }
        if let Some(row) = self.row(at) {
            row.overloaded += 1;
        }
    }

    fn row(&mut self, at: SimTime) -> Option<&mut ServedRow> {
        let bucket = self.grid?.bucket(at)?;
        self.measured.rows.get_mut(bucket)
    }

    fn note_work(&mut self, work: Work, begins: SimTime, ends: SimTime) {
        let measured = &mut self.measured;
        match (work, ends <= self.end) {
            (Work::Denial, _) => measured.denied += 1,
            (Work::Request, true) => measured.served += 1,
            (Work::Request, false) => measured.unfinished += 1,
        }
        let (begins, ends) = (begins.min(self.end), ends.min(self.end));
        let length = u128::from(ends.since(begins).get());
        measured.busy += length;
        measured.wasted += if work == Work::Denial { length } else { 0 };
        if let Some(grid) = self.grid {
            self.busy.add(grid, begins, ends);
            if work == Work::Denial {
                self.wasted.add(grid, begins, ends);
            }
        }
    }

    fn note_answer(&mut self, at: SimTime, response: Nanos, label: Option<bool>) {
        self.measured.responses.add(response);
        if label == Some(true) {
            self.measured.legitimate_responses.add(response);
        }
        if let Some(row) = self.row(at) {
            row.slowest = row.slowest.max(Some(response));
        }
    }

    /// Ends the run.
    pub(super) fn finish(self) -> Served {
        let mut measured = self.measured;
        if let Some(grid) = self.grid {
            let sums = self.busy.sums(grid).zip(self.wasted.sums(grid));
            for (row, (busy, wasted)) in measured.rows.iter_mut().zip(sums) {
                (row.busy, row.wasted) = (busy, wasted);
            }
        }
        measured
    }
}

/// Lengths of time spread over the buckets of a grid that they lie in.
struct Spread {
    /// What lies in a bucket without filling it.
    parts: Vec<u128>,
    /// How many more lengths fill this bucket than the one before.
    changes: Vec<i64>,
}

impl Spread {
    fn new(buckets: usize) -> Self {
        Self {
            parts: vec![0; buckets],
            changes: vec![0; buckets + 1],
        }
    }

    /// Adds a length that ends no later than the run does.
    fn add(&mut self, grid: Grid, from: SimTime, to: SimTime) {
        let Some(first) = grid.bucket(from).filter(|_| from < to) else {
            return;
        };
        let last = grid.bucket(to).unwrap_or(self.parts.len());
        if first == last {
            self.parts[first] += u128::from(to.since(from).get());
            return;
        }
        self.parts[first] += u128::from(grid.start(first + 1).since(from).get());
        if let Some(part) = self.parts.get_mut(last) {
            *part += u128::from(to.since(grid.start(last)).get());
        }
        self.changes[first + 1] += 1;
        self.changes[last] -= 1;
    }

    fn sums(self, grid: Grid) -> impl Iterator<Item = u128> {
        let mut filled = 0i64;
        self.parts
            .into_iter()
            .zip(self.changes)
            .map(move |(part, change)| {
                filled += change;
                let filled = u128::from(filled.unsigned_abs());
                part + filled * u128::from(grid.width().get())
            })
    }
}
