//! A level over time: its line over a grey area, and its bound dashed.

use super::canvas::{Canvas, Point};
use super::page::Plot;
use super::scale::{Scale, thinned};
use super::theme::{AREA, BOUND, INK};
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

    /// Draws it in the lower part of the lane.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, plot: &Plot) {
        let scale = Scale::new(self.most, plot.bottom - self.height, plot.bottom);
        let time = plot.time;
        let points = self.points.iter();
        let points: Vec<Point> = points
            .map(|(at, level)| (time.x(*at), scale.y(*level)))
            .collect();
        let line = thinned(&time.cut(&thinned(&points)));
        if let (Some(first), Some(last)) = (line.first(), line.last()) {
            let mut outline = vec![(first.0, plot.bottom)];
            outline.extend(&line);
            outline.push((last.0, plot.bottom));
            canvas.area(&outline, AREA);
        }
        let bound = scale.y(self.bound);
        canvas.dashes((time.left, bound), (time.right, bound), BOUND, 1.25);
        canvas.path(&line, INK, 1.75);
        for value in scale.apart(&[0.0, self.bound, self.most]) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    }
}
