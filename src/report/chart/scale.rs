//! The value axis of a lane.

use super::canvas::Point;
use super::time::TimeAxis;

/// Values from 0 up to a most, over rows of pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    most: f64,
    top: f64,
    bottom: f64,
}

impl Scale {
    /// 0 at `bottom`, `most` at `top`.
    pub(super) fn new(most: f64, top: f64, bottom: f64) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        Self { most, top, bottom }
    }

    /// The row of a value.
    pub(super) fn y(self, value: f64) -> f64 {
        self.bottom - value / self.most * (self.bottom - self.top)
    }

    /// Those of `values`, the first most wanted, whose labels are at least a line apart.
    pub(super) fn apart(self, values: &[f64]) -> Vec<f64> {
        const LINE: f64 = 16.0;
        let mut kept: Vec<f64> = Vec::new();
        for value in values {
            let y = self.y(*value);
            if kept.iter().all(|other| (self.y(*other) - y).abs() >= LINE) {
                kept.push(*value);
            }
        }
        kept
    }
}

/// Thins a line in time order to what half a pixel can show: the first, lowest, highest and last of
/// its points there, and none that lie on the straight line between their neighbours.
pub(super) fn thinned(points: &[Point]) -> Vec<Point> {
    const PER_PIXEL: f64 = 2.0;
    let mut thin: Vec<Point> = Vec::new();
    for column in points.chunk_by(|a, b| {
        let difference = (a.0 * PER_PIXEL).floor() - (b.0 * PER_PIXEL).floor();
        difference.abs() < 0.5
    }) {
        if column.len() <= 4 {
            thin.extend_from_slice(column);
            continue;
        }
        let by_value = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let lowest = (0..column.len()).min_by(by_value).expect("more than four");
        let highest = (0..column.len()).max_by(by_value).expect("more than four");
        let extremes = [lowest.min(highest), lowest.max(highest)];
        let kept = [0, extremes[0], extremes[1], column.len() - 1];
        thin.extend(kept.map(|index| column[index]));
    }
    let mut kept: Vec<Point> = Vec::with_capacity(thin.len());
    for point in thin {
        if let [.., before, middle] = kept[..]
            && is_straight(before, middle, point)
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}

/// Whether the middle point lies between the others on their straight line.
fn is_straight(before: Point, middle: Point, after: Point) -> bool {
    const NOTHING: f64 = 1e-3;
    let (x, y) = (after.0 - before.0, after.1 - before.1);
    let (dx, dy) = (middle.0 - before.0, middle.1 - before.1);
    let length = x.hypot(y);
    let is_between = dx * x + dy * y >= 0.0 && dx.hypot(dy) <= length;
    (x * dy - y * dx).abs() <= NOTHING * length && is_between
}

/// The highest and lowest row of a line between two columns of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reach {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A line in parts: drawn as such where its turns can be told apart, as the band that it moves in
/// where they cannot.
#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) lines: Vec<Vec<Point>>,
    pub(super) bands: Vec<Vec<Reach>>,
}

/// Pixels of the columns in which turns are counted.
pub(super) const COLUMN: f64 = 4.0;

/// The line cut into columns of pixels, the first of which begins where it begins.
fn columns(line: &[Point]) -> Vec<&[Point]> {
    let start = line.first().map_or(0.0, |point| point.0);
    let column = |point: &Point| ((point.0 - start) / COLUMN).floor();
    line.chunk_by(|a, b| (column(a) - column(b)).abs() < 0.5)
        .collect()
}

/// How often the line turns up or down in each column, by more than its own width.
fn turns(columns: &[&[Point]]) -> Vec<usize> {
    const VISIBLE: f64 = 2.0;
    let (mut extreme, mut way) = (columns.first().map_or(0.0, |column| column[0].1), 0.0f64);
    let mut turns = Vec::with_capacity(columns.len());
    for column in columns {
        let mut here = 0;
        for (_, row) in *column {
            let step = row - extreme;
            if step * way >= 0.0 && way.abs() > 0.0 {
                extreme = *row;
            } else if step.abs() > VISIBLE {
                here += usize::from(way.abs() > 0.0);
                (extreme, way) = (*row, step.signum());
            }
        }
        turns.push(here);
    }
    turns
}

/// Whether two columns lie within two others of each other.
fn is_near(a: &[Point], b: &[Point]) -> bool {
    (a[0].0 - b[0].0).abs() < 3.0 * COLUMN
}

/// Whether the columns on both sides are chosen and near.
fn is_between(columns: &[&[Point]], index: usize, chosen: impl Fn(usize) -> bool) -> bool {
    let is_chosen = |other: usize| {
        let other_column = columns.get(other);
        other_column.is_some_and(|column| is_near(column, columns[index]) && chosen(other))
    };
    index > 0 && is_chosen(index - 1) && is_chosen(index + 1)
}

/// In which columns the line turns more often than can be seen: there, or there and in the columns
/// around.
fn dense(columns: &[&[Point]], turns: &[usize]) -> Vec<bool> {
    const MOST_HERE: usize = 2;
    const MOST_AROUND: usize = 8;
    let is_dense = |index: usize| {
        let around = index.saturating_sub(2)..(index + 3).min(turns.len());
        let around = around.filter(|other| is_near(columns[index], columns[*other]));
        let around: usize = around.map(|other| turns[other]).sum();
        turns[index] > MOST_HERE || (turns[index] > 0 && around > MOST_AROUND)
    };
    (0..columns.len())
        .map(|index| is_dense(index) || is_between(columns, index, is_dense))
        .collect()
}

fn reach(column: &[Point], next: Option<&Point>) -> Reach {
    let rows = column.iter().map(|point| point.1);
    let last = column[column.len() - 1].0;
    Reach {
        left: column[0].0,
        right: next.map_or(last, |point| point.0.min(column[0].0 + COLUMN)),
        top: rows.clone().fold(f64::INFINITY, f64::min),
        bottom: rows.fold(f64::NEG_INFINITY, f64::max),
    }
}

impl Course {
    /// Parts a thinned line.
    pub(super) fn of(line: &[Point]) -> Self {
        let mut course = Self::default();
        let mut was_dense = None;
        let mut last: Option<Point> = None;
        let columns = columns(line);
        let dense = dense(&columns, &turns(&columns));
        for (index, is_dense) in dense.into_iter().enumerate() {
            let column = columns[index];
            let is_new = was_dense != Some(is_dense);
            if is_dense {
                if let Some(line) = course.lines.last_mut().filter(|_| is_new) {
                    line.push(column[0]);
                }
                if is_new {
                    course.bands.push(Vec::new());
                }
                let next = columns.get(index + 1).map(|next| &next[0]);
                let band = course.bands.last_mut().expect("one was begun");
                band.push(reach(column, next));
            } else {
                if is_new {
                    course.lines.push(last.into_iter().collect());
                }
                let line = course.lines.last_mut().expect("one was begun");
                line.extend_from_slice(column);
            }
            was_dense = Some(is_dense);
            last = column.last().copied();
        }
        course
    }
}

/// The line, or if it turns too often to be seen somewhere, the outline of its highest points; and
/// whether it is that.
pub(super) fn crest(line: &[Point]) -> (Vec<Point>, bool) {
    let columns = columns(line);
    let turns = turns(&columns);
    if !dense(&columns, &turns).contains(&true) {
        return (line.to_vec(), false);
    }
    let mut crest = Vec::with_capacity(2 * columns.len());
    let has_turns = |index: usize| turns[index] > 0;
    let is_outline = |index: usize| has_turns(index) || is_between(&columns, index, has_turns);
    for (index, column) in columns.iter().enumerate() {
        if !is_outline(index) {
            crest.extend_from_slice(column);
            continue;
        }
        let own = reach(column, columns.get(index + 1).map(|next| &next[0]));
        // Where nothing happens beside it the line is level, at the height at which it was left.
        let touches = |left: usize, right: usize| {
            let ends = reach(columns[left], Some(&columns[right][0])).right;
            is_outline(left) && is_outline(right) && columns[right][0].0 - ends < 0.5
        };
        if index == 0 || !touches(index - 1, index) {
            crest.push((own.left, column[0].1));
        }
        crest.extend([(own.left, own.top), (own.right, own.top)]);
        if index + 1 == columns.len() || !touches(index, index + 1) {
            crest.push((own.right, column[column.len() - 1].1));
        }
    }
    (crest, true)
}

/// A step function's line: from each instant on the value, 0 before the first.
pub(super) fn stairs(steps: &[(u64, f64)], time: &TimeAxis, scale: Scale) -> Vec<Point> {
    let mut before = scale.y(0.0);
    if steps.is_empty() {
        return vec![(time.left, before), (time.right, before)];
    }
    let mut points = Vec::with_capacity(steps.len() * 2);
    for (at, value) in steps {
        let x = time.x(*at);
        points.push((x, before));
        before = scale.y(*value);
        points.push((x, before));
    }
    let end = points[points.len() - 1].0;
    points.push((time.right.max(end), before));
    thinned(&time.cut(&thinned(&points)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_would_touch_are_left_out() {
        let scale = Scale::new(1_000.0, 0.0, 100.0);
        assert_eq!(
            scale.apart(&[0.0, 5.0, 1_000.0, 500.0]),
            [0.0, 1_000.0, 500.0]
        );
    }

    #[test]
    fn points_on_a_straight_line_are_left_out_and_corners_kept() {
        let bent = [
            (0.0, 0.0),
            (1.0, 1.0),
            (2.0, 2.0),
            (2.0, 5.0),
            (2.0, 3.0),
            (9.0, 3.0),
        ];
        let corners = [(0.0, 0.0), (2.0, 2.0), (2.0, 5.0), (2.0, 3.0), (9.0, 3.0)];
        assert_eq!(thinned(&bent), corners);
        // A window that ends and fills again in one instant.
        let spike = [(0.0, 5.0), (1.0, 5.0), (1.0, 0.0), (1.0, 5.0), (2.0, 5.0)];
        assert_eq!(thinned(&spike), spike);
    }

    #[test]
    fn turns_too_close_to_be_told_apart_are_a_band() {
        let rest = (0..8).map(|i| (f64::from(i) * 4.0, 50.0));
        let busy = (0..128).map(|i| (32.0 + f64::from(i) / 4.0, f64::from(i % 2) * 80.0));
        let line: Vec<Point> = rest.chain(busy).chain([(90.0, 50.0)]).collect();
        let course = Course::of(&line);
        assert_eq!((course.lines.len(), course.bands.len()), (2, 1));
        let first = Reach {
            left: 32.0,
            right: 36.0,
            top: 0.0,
            bottom: 80.0,
        };
        assert_eq!(course.bands[0][0], first);
        // The line meets the band on both sides.
        assert_eq!(course.lines[0].last(), Some(&(32.0, 0.0)));
        assert_eq!(course.lines[1].first(), Some(&(63.75, 80.0)));
        let (crest, has_outline) = crest(&line);
        assert!(has_outline);
        assert!(
            crest
                .windows(2)
                .any(|pair| pair == [(32.0, 0.0), (36.0, 0.0)])
        );
    }

    /// A step function that turns often, rests, and turns often again: at rest its outline is level.
    #[test]
    fn an_outline_is_level_where_nothing_happens() {
        let turns = |from: f64| (0..40).map(move |i| (from + f64::from(i) / 4.0, i % 2));
        let steps = turns(0.0).chain(turns(200.0));
        let mut line: Vec<Point> = Vec::new();
        let mut before = 0.0;
        for (x, up) in steps {
            line.push((x, before));
            before = f64::from(up) * 50.0;
            line.push((x, before));
        }
        let (crest, has_outline) = crest(&line);
        assert!(has_outline);
        let wide = crest
            .windows(2)
            .filter(|pair| pair[1].0 - pair[0].0 > 100.0);
        let rests: Vec<_> = wide.map(|pair| (pair[0].1, pair[1].1)).collect();
        assert_eq!(rests, [(50.0, 50.0)]);
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let zigzag: Vec<Point> = (0..100_000)
            .map(|i| (f64::from(i) / 1_000.0, f64::from(i % 7)))
            .collect();
        let thin = thinned(&zigzag);
        assert!(thin.len() <= 800);
        assert!(thin.iter().any(|point| point.1 < 0.5));
        assert!(thin.iter().any(|point| point.1 > 5.5));
    }
}
