//! A strip of bars for requests too many to be told apart: admitted upwards, denied and failed
//! downwards from a common line, on one scale.

use super::bins::Bins;
use super::canvas::{Canvas, Point};
use super::page::Plot;
use super::theme::{ALLOWED, BOUND, DELAYED, DENIED, ERROR};
use super::time::TimeAxis;
use super::words::tick;
use crate::measure::RunResult;
use plotters::style::RGBColor;

/// The strip of one lane.
#[derive(Debug)]
pub(super) struct Density {
    bins: Bins,
    /// Allowed at once, delayed, denied, failed.
    sums: Vec<[u128; 4]>,
    /// The most upwards and downwards in any lane.
    most: [u128; 2],
    height: f64,
}

/// Room for the labels of a direction that has nothing to show.
const LEAST: f64 = 9.0;

impl Density {
    /// Pixels per bar.
    const BAR: f64 = 4.0;

    /// The bins that all lanes of a run share.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn bins(run: &RunResult, time: &TimeAxis) -> Bins {
        let grain = run.arrivals.is_none().then(|| run.grid.width());
        let most = ((time.right - time.left) / Self::BAR) as u64;
        Bins::over(time.span, most, grain)
    }

    /// The strips of all candidates, each `height` pixels high, on one scale.
    pub(super) fn of(run: &RunResult, bins: Bins, height: f64) -> Vec<Self> {
        let sums: Vec<Vec<[u128; 4]>> = run
            .candidates
            .iter()
            .map(|candidate| bins.decisions(run, candidate))
            .collect();
        let most =
            |amount: fn(&[u128; 4]) -> u128| sums.iter().flatten().map(amount).max().unwrap_or(0);
        let most = [
            most(|[now, later, ..]| now + later),
            most(|[.., denied, failed]| denied + failed),
        ];
        let strip = |sums| Self {
            bins,
            sums,
            most,
            height,
        };
        sums.into_iter().map(strip).collect()
    }

    /// Its height in pixels.
    pub(super) const fn height(&self) -> f64 {
        self.height
    }

    /// Whether anything was delayed.
    fn has_delays(&self) -> bool {
        self.sums.iter().any(|[_, delayed, ..]| *delayed > 0)
    }

    /// Draws it in the upper part of the lane.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, plot: &Plot) {
        let (up, down) = (self.most[0] as f64, self.most[1] as f64);
        let free = self.height - 2.0 * LEAST;
        let per_unit = free / (up + down).max(1.0);
        let line = plot.top + LEAST + up * per_unit;
        let edge = |bars: &dyn Fn(&[u128; 4]) -> f64| self.outline(&plot.axis, bars);
        let base = edge(&|_| line);
        let now = edge(&|[now, ..]| line - *now as f64 * per_unit);
        let all = edge(&|[now, later, ..]| line - (*now + *later) as f64 * per_unit);
        let denied = edge(&|[_, _, denied, _]| line + *denied as f64 * per_unit);
        let refused = edge(&|[.., denied, failed]| line + (*denied + *failed) as f64 * per_unit);
        between(canvas, &base, &now, ALLOWED);
        if self.has_delays() {
            between(canvas, &now, &all, DELAYED);
        }
        between(canvas, &base, &denied, DENIED);
        if self.sums.iter().any(|[.., failed]| *failed > 0) {
            between(canvas, &denied, &refused, ERROR);
        }
        canvas.line((plot.axis.left, line), (plot.axis.right, line), BOUND, 0.75);
        if self.most[0] > 0 {
            plot.value_label(canvas, plot.top + LEAST, &tick(up));
        }
        if self.most[1] > 0 {
            plot.value_label(canvas, plot.top + self.height - LEAST, &tick(down));
        }
    }

    /// The bars' ends as one stepped line.
    fn outline(&self, time: &TimeAxis, y: &dyn Fn(&[u128; 4]) -> f64) -> Vec<Point> {
        let mut points = Vec::with_capacity(self.sums.len() * 2);
        for (bin, sums) in self.sums.iter().enumerate() {
            let (from, to) = self.bins.bounds(bin);
            points.push((time.x_within(from), y(sums)));
            points.push((time.x_within(to), y(sums)));
        }
        points
    }
}

/// The area between two lines over the same columns.
pub(super) fn between(canvas: &mut Canvas<'_>, one: &[Point], other: &[Point], color: RGBColor) {
    let mut outline = one.to_vec();
    outline.extend(other.iter().rev());
    canvas.area(&outline, color);
}
