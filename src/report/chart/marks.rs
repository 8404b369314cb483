//! One mark per request: a blue disc allowed, a vermilion cross denied, an orange diamond delayed
//! with a line to the moment it is forwarded, a purple warning refused because something failed.

use super::canvas::Canvas;
use super::page::Plot;
use super::theme::{ALLOWED, DELAYED, DENIED, ERROR};
use super::time::TimeAxis;
use crate::limiter::Decision;
use crate::measure::{CandidateResult, Record, RunResult};

/// Radius in pixels and most rows: marks of one instant stand on each other, smaller ones higher.
const SIZES: [(f64, usize); 3] = [(6.5, 4), (5.0, 8), (3.5, 12)];

/// The most rows of waits drawn apart.
const WAIT_ROWS: usize = 6;

/// The most marks in a lane: more of them are a texture and no longer read one by one.
const MOST: usize = 400;

/// 0 allowed at once, 1 delayed, 2 denied, 3 refused because something failed.
pub(super) fn kind(record: &Record) -> usize {
    match record.decision {
        _ if record.is_error() => 3,
        Decision::Allow => 0,
        Decision::Delay(_) => 1,
        Decision::Deny => 2,
    }
}

/// One request in its place.
#[derive(Clone, Copy, Debug)]
struct Mark {
    x: f64,
    row: usize,
    kind: usize,
    /// Where its line ends, and whether that is within the picture.
    until: Option<(f64, bool)>,
}

/// The marks of one lane in rows from the bottom, none over another.
#[derive(Debug)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    radius: f64,
    rows: usize,
}

impl Marks {
    /// The marks of every candidate, all of one size; `None` when they would overlap in one of them
    /// or there are no records.
    pub(super) fn of(run: &RunResult, time: &TimeAxis) -> Option<Vec<Self>> {
        SIZES.iter().find_map(|(radius, most_rows)| {
            let lanes = run.candidates.iter();
            lanes
                .map(|lane| Self::packed(run, lane, time, *radius, *most_rows))
                .collect()
        })
    }

    fn packed(
        run: &RunResult,
        candidate: &CandidateResult,
        time: &TimeAxis,
        radius: f64,
        most_rows: usize,
    ) -> Option<Self> {
        let mut marks = Vec::new();
        for (_, record) in run.attempts(candidate)? {
            if !time.span.holds(record.at) {
                continue;
            }
            let until = record.answered.saturating_add(record.decision.delay());
            let until = (time.x_within(until.as_nanos()), time.span.holds(until));
            let kind = kind(record);
            marks.push(Mark {
                x: time.x(record.at.as_nanos()),
                row: 0,
                kind,
                until: (kind == 1).then_some(until),
            });
            if marks.len() > MOST {
                return None;
            }
        }
        if is_crowded(&marks, radius) {
            return None;
        }
        let immediate = pack(
            &mut marks,
            |mark| mark.kind != 1,
            radius,
            0,
            most_rows,
            true,
        );
        // Each wait in a row of its own as far as that goes, else the diamonds among the others.
        let apart = immediate.and_then(|rows| {
            pack(
                &mut marks,
                |mark| mark.kind == 1,
                radius,
                rows,
                rows + WAIT_ROWS,
                true,
            )
        });
        let rows = match apart {
            Some(rows) => rows,
            None => pack(&mut marks, |_| true, radius, 0, most_rows, false)?,
        };
        Some(Self {
            marks,
            radius,
            rows,
        })
    }

    fn pitch(&self) -> f64 {
        2.0 * self.radius + 1.0
    }

    /// Height of all rows in pixels.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn height(&self) -> f64 {
        self.rows as f64 * self.pitch() + 3.0
    }

    /// Draws them in the upper part of the lane.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, plot: &Plot) {
        let lowest = plot.top + self.height() - self.radius - 3.0;
        let y = |mark: &Mark| lowest - mark.row as f64 * self.pitch();
        for mark in &self.marks {
            if let Some((end, is_seen)) = mark.until {
                canvas.line((mark.x, y(mark)), (end, y(mark)), DELAYED, 1.75);
                let half = self.radius * 0.75;
                if is_seen {
                    canvas.line((end, y(mark) - half), (end, y(mark) + half), DELAYED, 1.75);
                }
            }
        }
        for mark in &self.marks {
            let center = (mark.x, y(mark));
            match mark.kind {
                0 => canvas.disc(center, self.radius, ALLOWED),
                1 => canvas.diamond(center, self.radius * 1.15, DELAYED),
                2 => canvas.cross(center, self.radius, DENIED),
                _ => canvas.warning(center, self.radius, ERROR),
            }
        }
    }
}

/// Whether the marks of more than a few instants would cover their neighbours: stacked on each other
/// they would tell the order of requests no better than a strip.
fn is_crowded(marks: &[Mark], radius: f64) -> bool {
    const FEW: usize = 24;
    let covers = |pair: &&[Mark]| (0.01..1.5 * radius).contains(&(pair[1].x - pair[0].x));
    let crowded = marks.windows(2).filter(covers).count();
    marks.len() > FEW && crowded > marks.len() / 4
}

/// Puts each chosen mark into the lowest row from `base` on where it touches none before it; a wait
/// takes its whole line where `with_lines`. Gives the rows used, `None` beyond `most`.
fn pack(
    marks: &mut [Mark],
    chosen: impl Fn(&Mark) -> bool,
    radius: f64,
    base: usize,
    most: usize,
    with_lines: bool,
) -> Option<usize> {
    // Neighbours may touch but not cover each other.
    let (reach, touching) = (radius * 2.0, 0.5);
    let mut ends: Vec<f64> = Vec::new();
    for mark in marks.iter_mut().filter(|mark| chosen(mark)) {
        let row = ends.iter().position(|end| *end <= mark.x + touching);
        let row = row.unwrap_or_else(|| {
            ends.push(f64::NEG_INFINITY);
            ends.len() - 1
        });
        if base + row >= most {
            return None;
        }
        let line = mark
            .until
            .filter(|_| with_lines)
            .map_or(mark.x, |(end, _)| end);
        ends[row] = line.max(mark.x) + reach;
        mark.row = base + row;
    }
    Some(base + ends.len())
}
