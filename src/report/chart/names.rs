//! A column of candidates' names with one row of a chart beside each.

use super::canvas::Canvas;
use super::page::{MARGIN, WIDTH, text_lines};
use super::theme::{BODY, INK};

/// Names in lines, and the rows that follow from them.
#[derive(Debug)]
pub(super) struct Names {
    lines: Vec<Vec<String>>,
    width: f64,
}

impl Names {
    const GAP: f64 = 12.0;

    /// The names in a column of at most a third of the page.
    pub(super) fn new(names: &[String]) -> Self {
        let widest = names
            .iter()
            .map(|name| BODY.width(name))
            .fold(0.0, f64::max);
        let width = widest.min(WIDTH / 3.0);
        let lines = names.iter().map(|name| BODY.wrap(name, width, 4)).collect();
        Self { lines, width }
    }

    /// Where the chart beside the names begins.
    pub(super) fn right(&self) -> f64 {
        MARGIN + self.width + 20.0
    }

    /// Height of all rows in pixels.
    pub(super) fn height(&self) -> f64 {
        (0..self.lines.len()).map(|row| self.row_height(row)).sum()
    }

    #[allow(clippy::cast_precision_loss)]
    fn row_height(&self, row: usize) -> f64 {
        self.lines[row].len() as f64 * BODY.leading() + Self::GAP
    }

    /// Draws the names from `top` on; `paint` draws beside them, given the row and its middle.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        top: f64,
        mut paint: impl FnMut(&mut Canvas<'_>, usize, f64),
    ) {
        let mut y = top;
        for (row, lines) in self.lines.iter().enumerate() {
            let height = self.row_height(row);
            text_lines(canvas, (MARGIN, y + Self::GAP / 2.0), lines, BODY, INK);
            // Letters sit above the middle of their line by what hangs below the baseline.
            paint(canvas, row, y + height / 2.0 - 1.0);
            y += height;
        }
    }
}

/// The baseline of text whose letters' middle is at `middle`.
pub(super) fn baseline(middle: f64) -> f64 {
    middle + 0.36 * BODY.size
}
