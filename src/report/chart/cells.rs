//! A table whose cells are a number over a bar: named rows, columns under headings.

use super::canvas::{Align, Canvas};
use super::names::Names;
use super::page::{MARGIN, WIDTH, text_lines};
use super::theme::{ALLOWED, AREA, BOUND, DENIED, Face, INK, MUTED, SMALL};
use plotters::style::RGBColor;

/// How a cell stands to the others of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    /// Best, alone or with others.
    Best,
    /// Worst, alone or with others.
    Worst,
    /// Neither.
    Between,
}

/// One cell.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// The number as it is read; empty for a cell with nothing in it.
    pub(super) text: String,
    /// The bar's length as a share of the column's width.
    pub(super) share: f64,
    pub(super) color: RGBColor,
    pub(super) rank: Rank,
    /// Whether the number breaks the promise.
    pub(super) is_broken: bool,
}

impl Cell {
    /// A plain one.
    pub(super) fn new(text: String, share: f64, color: RGBColor) -> Self {
        Self {
            text,
            share,
            color,
            rank: Rank::Between,
            is_broken: false,
        }
    }
}

/// A heading, and a cell per row.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) cells: Vec<Cell>,
}

/// The table's numbers.
const NUMBER: Face = SMALL;
/// The same where the promise is broken.
const BROKEN: Face = Face {
    size: SMALL.size,
    bold: true,
};

/// A table to be drawn.
pub(super) struct Cells<'a> {
    names: &'a Names,
    columns: &'a [Column],
    /// The distance from column to column.
    pitch: f64,
    headings: Vec<Vec<String>>,
}

impl<'a> Cells<'a> {
    const GAP: f64 = 18.0;
    const MARK: f64 = 5.0;

    /// The table with columns as wide as `count` of them would be over the page.
    pub(super) fn new(names: &'a Names, columns: &'a [Column], count: usize) -> Self {
        let pitch = (WIDTH - MARGIN + Self::GAP - names.right()) / number(count);
        let room = pitch - Self::GAP;
        let headings = columns
            .iter()
            .map(|column| SMALL.wrap(&column.heading, room, 4))
            .collect();
        Self {
            names,
            columns,
            pitch,
            headings,
        }
    }

    fn heading_height(&self) -> f64 {
        let most = self.headings.iter().map(Vec::len).max().unwrap_or(0);
        number(most) * SMALL.leading() + 6.0
    }

    /// Height in pixels.
    pub(super) fn height(&self) -> f64 {
        self.heading_height() + self.names.height()
    }

    /// Draws it with its upper edge at `top`.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let rows = top + self.heading_height();
        let width = self.pitch - Self::GAP;
        let left = |column: usize| self.names.right() + number(column) * self.pitch;
        for (column, lines) in self.headings.iter().enumerate() {
            let above = number(lines.len()) * SMALL.leading() + 6.0;
            text_lines(canvas, (left(column), rows - above), lines, SMALL, MUTED);
        }
        self.names.draw(canvas, rows, |canvas, row, y| {
            for (index, column) in self.columns.iter().enumerate() {
                draw_cell(canvas, (left(index), y), width, &column.cells[row]);
            }
        });
    }
}

#[allow(clippy::cast_precision_loss)]
fn number(count: usize) -> f64 {
    count as f64
}

fn draw_cell(canvas: &mut Canvas<'_>, (left, middle): (f64, f64), width: f64, cell: &Cell) {
    if cell.text.is_empty() {
        return;
    }
    let (face, ink) = if cell.is_broken {
        (BROKEN, DENIED)
    } else {
        (NUMBER, INK)
    };
    let baseline = middle + 0.5;
    let text = face.fit(&cell.text, width - 4.0 * Cells::MARK);
    canvas.text((left, baseline), &text, face, ink, Align::Left);
    let mark = (
        left + face.width(&text) + 5.0 + Cells::MARK,
        baseline - 0.36 * face.size,
    );
    let color = match cell.rank {
        Rank::Best => {
            canvas.check(mark, Cells::MARK, ALLOWED);
            ALLOWED
        }
        Rank::Worst => {
            canvas.wedge(mark, Cells::MARK, DENIED);
            DENIED
        }
        Rank::Between => cell.color,
    };
    let (top, bottom) = (middle + 5.0, middle + 11.0);
    canvas.block((left, top), (left + width, bottom), AREA);
    if cell.share > 0.0 {
        // What there is once in a million is still seen.
        let end = left + (cell.share.min(1.0) * width).max(1.5);
        canvas.block((left, top), (end, bottom), color);
    }
}

/// The colour of a bar that is neither good nor bad.
pub(super) const NEUTRAL: RGBColor = BOUND;
