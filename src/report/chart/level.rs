//! A level over time: its line over a grey area, and its bound dashed.

use super::canvas::{Canvas, Point};
use super::density::between;
use super::page::Plot;
use super::scale::{Course, Scale, thinned};
use super::theme::{AREA, BAND, BOUND, INK};
use super::time::TimeAxis;
use super::words::tick;
use crate::measure::{CandidateResult, RunResult};
use crate::units::KeyId;

/// One candidate's level for one key.
#[derive(Debug)]
pub(super) struct LevelPlot {
    /// Nanoseconds and level, straight between points.
    points: Vec<(u64, f64)>,
    bound: f64,
    most: f64,
    height: f64,
}

impl LevelPlot {
    /// The level of `key`, from its exact break points, or from the ends of the run's buckets in a
    /// long run with one key; `None` when the run kept neither.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn of(
        run: &RunResult,
        candidate: &CandidateResult,
        key: KeyId,
        height: f64,
    ) -> Option<Self> {
        let lines = candidate.levels.as_ref();
        let exact = lines
            .and_then(|lines| lines.get(key.0 as usize))
            .map(|line| {
                let points = line.points.iter();
                points
                    .map(|(at, level)| (at.as_nanos(), level.as_f64()))
                    .collect()
            });
        let sampled = || -> Vec<(u64, f64)> {
            let ends = candidate.series.iter().enumerate();
            ends.filter_map(|(index, bucket)| {
                let end = run.grid.start(index).saturating_add(run.grid.width());
                Some((end.as_nanos(), bucket.level?.as_f64()))
            })
            .collect()
        };
        let points: Vec<(u64, f64)> = exact.unwrap_or_else(sampled);
        if points.is_empty() {
            return None;
        }
        let highest = points.iter().map(|(_, level)| *level).fold(0.0, f64::max);
        let bound = candidate.level_bound as f64;
        Some(Self {
            points,
            bound,
            most: highest.max(bound),
            height,
        })
    }

    /// Its height in pixels.
    pub(super) const fn height(&self) -> f64 {
        self.height
    }

    /// Its line in pixels. After the last point it stays only if it is back where it began, since a
    /// run may end while it still moves.
    fn line(&self, time: &TimeAxis, scale: Scale) -> Vec<Point> {
        let points = self.points.iter();
        let mut points: Vec<Point> = points
            .map(|(at, level)| (time.x(*at), scale.y(*level)))
            .collect();
        let is_at_rest =
            matches!(self.points[..], [first, .., last] if (first.1 - last.1).abs() < 1e-9);
        if let Some(last) = points.last().copied().filter(|_| is_at_rest) {
            points.push((time.right.max(last.0), last.1));
        }
        thinned(&time.cut(&thinned(&points)))
    }

    fn scale(&self, bottom: f64) -> Scale {
        Scale::new(self.most, bottom - self.height, bottom)
    }

    /// Whether some of it is drawn as a band.
    pub(super) fn has_bands(&self, time: &TimeAxis) -> bool {
        !Course::of(&self.line(time, self.scale(0.0)))
            .bands
            .is_empty()
    }

    /// Draws it in the lower part of the lane.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, plot: &Plot) {
        let (time, scale) = (plot.time, self.scale(plot.bottom));
        let line = self.line(&time, scale);
        if let (Some(first), Some(last)) = (line.first(), line.last()) {
            let mut outline = vec![(first.0, plot.bottom)];
            outline.extend(&line);
            outline.push((last.0, plot.bottom));
            canvas.area(&outline, AREA);
        }
        let course = Course::of(&line);
        for band in &course.bands {
            let upper = band
                .iter()
                .flat_map(|at| [(at.left, at.top), (at.right, at.top)]);
            let lower = band
                .iter()
                .flat_map(|at| [(at.left, at.bottom), (at.right, at.bottom)]);
            between(
                canvas,
                &upper.collect::<Vec<_>>(),
                &lower.collect::<Vec<_>>(),
                BAND,
            );
        }
        let bound = scale.y(self.bound);
        canvas.dashes((time.left, bound), (time.right, bound), BOUND, 1.25);
        for line in &course.lines {
            canvas.path(line, INK, 1.75);
        }
        for value in scale.apart(&[0.0, self.bound, self.most]) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    }
}
