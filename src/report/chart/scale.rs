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

/// A step function's line: from each instant on the value, nothing before the first.
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
