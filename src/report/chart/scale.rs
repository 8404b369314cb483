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
        let by_value = |a: &&Point, b: &&Point| a.1.total_cmp(&b.1);
        let lowest = column.iter().min_by(by_value).expect("more than four");
        let highest = column.iter().max_by(by_value).expect("more than four");
        thin.extend([column[0], *lowest, *highest, column[column.len() - 1]]);
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
const COLUMN: f64 = 3.0;

fn columns(line: &[Point]) -> impl Iterator<Item = &[Point]> {
    line.chunk_by(|a, b| ((a.0 / COLUMN).floor() - (b.0 / COLUMN).floor()).abs() < 0.5)
}

fn reach(column: &[Point]) -> Reach {
    let left = (column[0].0 / COLUMN).floor() * COLUMN;
    let rows = column.iter().map(|point| point.1);
    Reach {
        left,
        right: left + COLUMN,
        top: rows.clone().fold(f64::INFINITY, f64::min),
        bottom: rows.fold(f64::NEG_INFINITY, f64::max),
    }
}

impl Course {
    /// Parts a thinned line.
    pub(super) fn of(line: &[Point]) -> Self {
        // Two steps up and down to a pixel, and the ends.
        const TURNS: usize = 8;
        let mut course = Self::default();
        let mut was_dense = false;
        let mut last: Option<Point> = None;
        for (index, column) in columns(line).enumerate() {
            let is_dense = column.len() > TURNS;
            let is_new = index == 0 || is_dense != was_dense;
            if is_dense {
                if let Some(line) = course.lines.last_mut().filter(|_| is_new) {
                    line.push(column[0]);
                }
                if is_new {
                    course.bands.push(Vec::new());
                }
                let band = course.bands.last_mut().expect("one was begun");
                band.push(reach(column));
            } else {
                if is_new {
                    course.lines.push(last.into_iter().collect());
                }
                let line = course.lines.last_mut().expect("one was begun");
                line.extend_from_slice(column);
            }
            was_dense = is_dense;
            last = column.last().copied();
        }
        course
    }
}

/// The line itself, or where it turns too often to be seen, the outline of its highest points.
pub(super) fn crest(line: Vec<Point>) -> Vec<Point> {
    if Course::of(&line).bands.is_empty() {
        return line;
    }
    let reaches = columns(&line).map(reach);
    reaches
        .flat_map(|reach| [(reach.left, reach.top), (reach.right, reach.top)])
        .collect()
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
        let rest = (0..10).map(|i| (f64::from(i) * 3.0, 50.0));
        let busy = (0..120).map(|i| (30.0 + f64::from(i) / 4.0, f64::from(i % 2) * 80.0));
        let line: Vec<Point> = rest.chain(busy).chain([(90.0, 50.0)]).collect();
        let course = Course::of(&line);
        assert_eq!((course.lines.len(), course.bands.len()), (2, 1));
        let first = Reach {
            left: 30.0,
            right: 33.0,
            top: 0.0,
            bottom: 80.0,
        };
        assert_eq!(course.bands[0][0], first);
        // The line meets the band on both sides.
        assert_eq!(course.lines[0].last(), Some(&(30.0, 0.0)));
        assert_eq!(course.lines[1].first(), Some(&(59.75, 80.0)));
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
