//! A page to draw on: lines, areas, marks and text in pixels, written as SVG through plotters.
//!
//! plotters' SVG knows whole coordinates only. The canvas therefore counts quarters of a pixel and
//! states the size in pixels, so that marks stand where their time says and lines stay sharp.

use super::theme::{FAMILY, Face};
use plotters::backend::SVGBackend;
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor, ShapeStyle, TextStyle, WHITE};

/// Canvas units per pixel.
const UNITS: u32 = 4;

/// plotters places the top of a text so far above its baseline, in ems.
const TOP_ABOVE_BASELINE: f64 = 0.76;

/// A point in pixels from the upper left corner.
pub(super) type Point = (f64, f64);

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Align {
    Left,
    Center,
    Right,
}

/// The page.
pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
}

/// Draws a page of the given size in pixels.
pub(super) fn page(width: f64, height: f64, paint: impl FnOnce(&mut Canvas<'_>)) -> String {
    let mut svg = String::new();
    let (width, height) = (units(width), units(height));
    let size = (width.unsigned_abs(), height.unsigned_abs());
    {
        let mut canvas = Canvas {
            backend: SVGBackend::with_string(&mut svg, size),
        };
        canvas.block((0.0, 0.0), pixels(size), WHITE);
        paint(&mut canvas);
        canvas.backend.present().expect(DRAWS);
    }
    let in_units = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    let in_pixels = format!("width=\"{}\" height=\"{}\"", size.0 / UNITS, size.1 / UNITS);
    svg.replacen(&in_units, &in_pixels, 1)
}

fn pixels(size: (u32, u32)) -> Point {
    (f64::from(size.0 / UNITS), f64::from(size.1 / UNITS))
}

#[allow(clippy::cast_possible_truncation)] // Saturating, and a page is far smaller.
fn units(pixels: f64) -> i32 {
    (pixels * f64::from(UNITS)).round() as i32
}

fn at(point: Point) -> (i32, i32) {
    (units(point.0), units(point.1))
}

fn stroke(color: RGBColor, width: f64) -> ShapeStyle {
    color.stroke_width(units(width).unsigned_abs())
}

/// Why drawing cannot fail.
const DRAWS: &str = "a string takes any drawing";

impl Canvas<'_> {
    /// A straight line.
    pub(super) fn line(&mut self, from: Point, to: Point, color: RGBColor, width: f64) {
        let style = stroke(color, width);
        self.backend
            .draw_line(at(from), at(to), &style)
            .expect(DRAWS);
    }

    /// A dashed straight line.
    pub(super) fn dashes(&mut self, from: Point, to: Point, color: RGBColor, width: f64) {
        self.dashed_path(&[from, to], color, width);
    }

    /// A dashed line through all points.
    pub(super) fn dashed_path(&mut self, points: &[Point], color: RGBColor, width: f64) {
        const DASH: f64 = 7.0;
        const GAP: f64 = 5.0;
        let mut dash: Vec<Point> = points.first().copied().into_iter().collect();
        let (mut is_drawn, mut left) = (true, DASH);
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let mut done = 0.0;
            while length - done > left {
                done += left;
                let share = done / length;
                let turn = (
                    from.0 + (to.0 - from.0) * share,
                    from.1 + (to.1 - from.1) * share,
                );
                if is_drawn {
                    dash.push(turn);
                    self.path(&dash, color, width);
                }
                is_drawn = !is_drawn;
                left = if is_drawn { DASH } else { GAP };
                dash = vec![turn];
            }
            left -= length - done;
            dash.push(to);
        }
        if is_drawn {
            self.path(&dash, color, width);
        }
    }

    /// A line through all points.
    pub(super) fn path(&mut self, points: &[Point], color: RGBColor, width: f64) {
        if points.len() > 1 {
            let style = stroke(color, width);
            let path = points.iter().copied().map(at);
            self.backend.draw_path(path, &style).expect(DRAWS);
        }
    }

    /// A filled polygon.
    pub(super) fn area(&mut self, points: &[Point], color: RGBColor) {
        if points.len() > 2 {
            let outline = points.iter().copied().map(at);
            self.backend
                .fill_polygon(outline, &color.filled())
                .expect(DRAWS);
        }
    }

    /// A filled rectangle between two corners.
    pub(super) fn block(&mut self, corner: Point, opposite: Point, color: RGBColor) {
        let (a, b) = (at(corner), at(opposite));
        let upper = (a.0.min(b.0), a.1.min(b.1));
        let lower = (a.0.max(b.0), a.1.max(b.1));
        self.backend
            .draw_rect(upper, lower, &color.filled(), true)
            .expect(DRAWS);
    }

    /// A filled disc.
    pub(super) fn disc(&mut self, center: Point, radius: f64, color: RGBColor) {
        let radius = units(radius).unsigned_abs();
        let style = color.filled();
        self.backend
            .draw_circle(at(center), radius, &style, true)
            .expect(DRAWS);
    }

    /// A square on its tip.
    pub(super) fn diamond(&mut self, center: Point, radius: f64, color: RGBColor) {
        let (x, y) = center;
        let tips = [
            (x - radius, y),
            (x, y - radius),
            (x + radius, y),
            (x, y + radius),
        ];
        self.area(&tips, color);
    }

    /// A diagonal cross.
    pub(super) fn cross(&mut self, center: Point, radius: f64, color: RGBColor) {
        let ((x, y), arm, width) = (center, radius * 0.8, (radius * 0.4).max(1.5));
        self.line((x - arm, y - arm), (x + arm, y + arm), color, width);
        self.line((x - arm, y + arm), (x + arm, y - arm), color, width);
    }

    /// A check mark.
    pub(super) fn check(&mut self, (x, y): Point, radius: f64, color: RGBColor) {
        let knee = (x - radius * 0.25, y + radius * 0.7);
        let ends = [(x - radius * 0.9, y), (x + radius, y - radius * 0.8)];
        let width = (radius * 0.4).max(1.5);
        self.path(&[ends[0], knee, ends[1]], color, width);
    }

    /// A triangle that points up, with a gap in it where it is large enough: a warning.
    pub(super) fn warning(&mut self, (x, y): Point, radius: f64, color: RGBColor) {
        let (top, bottom) = (y - radius, y + radius * 0.8);
        self.area(
            &[(x - radius, bottom), (x + radius, bottom), (x, top)],
            color,
        );
        if radius > 5.0 {
            let gap = (y - radius * 0.15, y + radius * 0.4);
            self.line((x, gap.0), (x, gap.1), WHITE, radius * 0.25);
        }
    }

    /// A line that ends in the head of an arrow.
    pub(super) fn arrow(&mut self, from: Point, to: Point, color: RGBColor, width: f64) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
        let (along, half) = (4.0 + 3.5 * width, 2.0 + 1.75 * width);
        let (ux, uy) = (dx / length, dy / length);
        let neck = (to.0 - ux * along, to.1 - uy * along);
        self.line(from, neck, color, width);
        let side = |sign: f64| (neck.0 - sign * uy * half, neck.1 + sign * ux * half);
        self.area(&[side(1.0), to, side(-1.0)], color);
    }

    /// A triangle that points down.
    pub(super) fn wedge(&mut self, (x, y): Point, radius: f64, color: RGBColor) {
        let (top, bottom) = (y - radius * 0.8, y + radius * 0.8);
        let corners = [(x - radius, top), (x + radius, top), (x, bottom)];
        self.area(&corners, color);
    }

    /// A text whose baseline runs through `point`.
    pub(super) fn text(
        &mut self,
        point: Point,
        text: &str,
        face: Face,
        color: RGBColor,
        align: Align,
    ) {
        let position = match align {
            Align::Left => HPos::Left,
            Align::Center => HPos::Center,
            Align::Right => HPos::Right,
        };
        let style = TextStyle::from(face.font(UNITS.into()))
            .color(&color)
            .pos(Pos::new(position, VPos::Top));
        debug_assert_eq!(style.font.get_name(), FAMILY);
        let top = (point.0, point.1 - TOP_ABOVE_BASELINE * face.size);
        self.backend.draw_text(text, &style, at(top)).expect(DRAWS);
    }
}
