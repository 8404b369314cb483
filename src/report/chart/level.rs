//! A level over time: its line over a grey area, or a thin line for each of several nodes, and its
//! bound dashed.

use super::canvas::{Canvas, Point};
use super::density::between;
use super::page::Plot;
use super::scale::{Course, Scale, thinned};
use super::theme::{AREA, BAND, BOUND, INK};
use super::time::TimeAxis;
use super::words::tick;
use crate::measure::{CandidateResult, RunResult};
use crate::units::{Cost, KeyId};

/// The most nodes whose levels are drawn.
const MOST_NODES: usize = 12;

/// One candidate's level for one key, or that of each of its nodes.
#[derive(Debug)]
pub(super) struct LevelPlot {
    /// By state, nanoseconds and level, straight between points.
    lines: Vec<Vec<(u64, f64)>>,
    /// What the level counts.
    name: &'static str,
    /// How many states the key has: one, or one per node.
    states: usize,
    bound: f64,
    most: f64,
    height: f64,
}

/// By node, the bounds of levels that are not the candidate's own.
pub(super) fn level_bounds(candidate: &CandidateResult) -> &[Cost] {
    let cluster = candidate.cluster.as_ref();
    cluster.map_or(&[], |cluster| &cluster.level_bounds)
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
        let cluster = candidate.cluster.as_ref();
        let states = cluster.map_or(1, |cluster| cluster.states_per_key).max(1);
        let mut lines = exact(run, candidate, key, states.min(MOST_NODES));
        if lines.is_empty() {
            lines.push(sampled(run, candidate));
        }
        lines.retain(|line| !line.is_empty());
        if lines.is_empty() {
            return None;
        }
        let levels = lines.iter().flatten().map(|(_, level)| *level);
        let highest = levels.fold(0.0, f64::max);
        let bounds = level_bounds(candidate).iter().max();
        let bound = *bounds.unwrap_or(&candidate.level_bound) as f64;
        Some(Self {
            lines,
            name: candidate.level_name,
            states,
            bound,
            most: highest.max(bound),
            height,
        })
    }

    /// Its height in pixels.
    pub(super) const fn height(&self) -> f64 {
        self.height
    }

    /// What is drawn.
    pub(super) fn caption(&self) -> String {
        match self.states {
            1 => self.name.to_owned(),
            2..=MOST_NODES => format!("{}, a line per node", self.name),
            _ => format!(
                "{}, a line for each of the first {MOST_NODES} nodes",
                self.name
            ),
        }
    }

    /// A line in pixels. After the last point it stays only if it is back where it began, since a run
    /// may end while it still moves.
    fn course(line: &[(u64, f64)], time: &TimeAxis, scale: Scale) -> Vec<Point> {
        let points = line.iter();
        let mut points: Vec<Point> = points
            .map(|(at, level)| (time.x(*at), scale.y(*level)))
            .collect();
        let is_at_rest = matches!(line, [first, .., last] if (first.1 - last.1).abs() < 1e-9);
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
        let has_bands = |line: &[(u64, f64)]| {
            let line = Self::course(line, time, self.scale(0.0));
            !Course::of(&line).bands.is_empty()
        };
        self.states == 1 && self.lines.iter().any(|line| has_bands(line))
    }

    /// Draws it in the lower part of the lane.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, plot: &Plot) {
        let (time, scale) = (plot.axis, self.scale(plot.bottom));
        let bound = scale.y(self.bound);
        let dashes = |canvas: &mut Canvas<'_>| {
            canvas.dashes((time.left, bound), (time.right, bound), BOUND, 1.25);
        };
        if self.states > 1 {
            dashes(canvas);
            for line in &self.lines {
                canvas.path(&Self::course(line, &time, scale), INK, 1.0);
            }
        } else {
            let line = Self::course(&self.lines[0], &time, scale);
            let course = Course::of(&line);
            draw_areas(canvas, plot, &line, &course);
            dashes(canvas);
            for line in &course.lines {
                canvas.path(line, INK, 1.75);
            }
        }
        for value in scale.apart(&[0.0, self.bound, self.most]) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    }
}

/// The exact levels of a key's first states, which each have a line in runs that are small enough.
fn exact(
    run: &RunResult,
    candidate: &CandidateResult,
    key: KeyId,
    states: usize,
) -> Vec<Vec<(u64, f64)>> {
    let all = candidate.levels.as_deref().unwrap_or_default();
    let places = (0..states).map(|state| state * run.keys.len() + key.0 as usize);
    let lines = places.filter_map(|place| all.get(place)).map(|line| {
        let points = line.points.iter();
        points
            .map(|(at, level)| (at.as_nanos(), level.as_f64()))
            .collect()
    });
    lines.collect()
}

/// The level at the ends of the run's buckets.
fn sampled(run: &RunResult, candidate: &CandidateResult) -> Vec<(u64, f64)> {
    let ends = candidate.series.iter().enumerate();
    ends.filter_map(|(index, bucket)| {
        let end = run.grid.start(index).saturating_add(run.grid.width());
        Some((end.as_nanos(), bucket.level?.as_f64()))
    })
    .collect()
}

/// The area under a line, and the bands in which it moves too fast to be one.
fn draw_areas(canvas: &mut Canvas<'_>, plot: &Plot, line: &[Point], course: &Course) {
    if let (Some(first), Some(last)) = (line.first(), line.last()) {
        let mut outline = vec![(first.0, plot.bottom)];
        outline.extend(line);
        outline.push((last.0, plot.bottom));
        canvas.area(&outline, AREA);
    }
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
}
