//! The page that charts share: title, legend, lanes over one time axis, footer.
//!
//! Everything is measured before the page is made, so that its height follows from what it holds
//! and no text meets another or the edge.

use super::canvas::{Align, Canvas, Point, page};
use super::theme::{
    ALLOWED, AREA, BODY, BOUND, DELAYED, DENIED, ERROR, FAINT, Face, INK, MUTED, NAME, OUTAGE,
    SMALL, TITLE, neutral,
};
use super::time::TimeAxis;
use plotters::style::RGBColor;

/// Width of every page in pixels.
pub(super) const WIDTH: f64 = 1_270.0;
/// Free space at the page's edges.
pub(super) const MARGIN: f64 = 28.0;
/// Radius of a mark in the legend.
const MARK: f64 = 6.5;

/// What a legend explains.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    /// Allowed at once.
    Disc,
    /// Delayed, and the line to its forwarding.
    Diamond,
    /// Denied.
    Cross,
    /// Refused because something failed.
    Warning,
    /// A message.
    Arrow(RGBColor),
    /// A message that never arrives.
    Lost,
    /// A filled area or bar.
    Block(RGBColor),
    /// An outline over an area.
    Outline,
    /// A line.
    Line(RGBColor),
    /// The dashed limit.
    Dashed,
    /// A level: a line over its grey area.
    Level,
    /// A place on a curve.
    Dot,
    /// Best of all.
    Best,
    /// Worst of all.
    Worst,
}

impl Symbol {
    const WIDTH: f64 = 30.0;

    fn draw(self, canvas: &mut Canvas<'_>, (x, y): Point) {
        let (left, right, middle) = (x, x + Self::WIDTH, x + Self::WIDTH / 2.0);
        match self {
            Self::Disc => canvas.disc((middle, y), MARK, ALLOWED),
            Self::Cross => canvas.cross((middle, y), MARK, DENIED),
            Self::Warning => canvas.warning((middle, y), MARK, ERROR),
            Self::Arrow(color) => canvas.arrow((left, y), (right, y), color, 1.75),
            Self::Lost => {
                canvas.line((left, y), (right - 5.0, y), ERROR, 1.75);
                canvas.cross((right - 5.0, y), 5.0, ERROR);
            }
            Self::Diamond => {
                canvas.line((middle, y), (right, y), DELAYED, 1.5);
                canvas.line((right, y - 5.0), (right, y + 5.0), DELAYED, 1.5);
                canvas.diamond((left + 8.0, y), MARK * 1.2, DELAYED);
                canvas.line((left + 8.0, y), (middle, y), DELAYED, 1.5);
            }
            Self::Block(color) => {
                canvas.block((left + 6.0, y - 6.0), (right - 6.0, y + 6.0), color);
            }
            Self::Line(color) => canvas.line((left, y), (right, y), color, 2.0),
            Self::Outline => canvas.line((left, y), (right, y), BOUND, 1.5),
            Self::Dashed => canvas.dashes((left, y), (right, y), BOUND, 1.25),
            Self::Dot => canvas.disc((middle, y), 4.5, INK),
            Self::Best => canvas.check((middle, y), MARK, ALLOWED),
            Self::Worst => canvas.wedge((middle, y), MARK, DENIED),
            Self::Level => {
                canvas.block((left, y - 3.0), (right, y + 7.0), AREA);
                canvas.line((left, y - 3.0), (right, y - 3.0), INK, 1.5);
            }
        }
    }
}

/// What stands above the data: the title, what is drawn, and the legend.
#[derive(Debug)]
pub(super) struct Head {
    title: Vec<String>,
    note: Vec<String>,
    legend: Vec<Vec<(Symbol, String)>>,
}

impl Head {
    const SYMBOL_GAP: f64 = 8.0;
    const ENTRY_GAP: f64 = 28.0;

    /// Lays out the texts over the width of the page.
    pub(super) fn new(title: &str, note: &str, legend: Vec<(Symbol, String)>) -> Self {
        let room = WIDTH - 2.0 * MARGIN;
        let mut rows: Vec<Vec<(Symbol, String)>> = Vec::new();
        let mut used = f64::INFINITY;
        for (symbol, text) in legend {
            let wide = Self::entry_width(&text);
            if used + wide > room {
                rows.push(Vec::new());
                used = 0.0;
            }
            used += wide;
            rows.last_mut()
                .expect("one was pushed")
                .push((symbol, text));
        }
        Self {
            title: TITLE.wrap(&neutral(title), room, 3),
            note: BODY.wrap(&neutral(note), room, 3),
            legend: rows,
        }
    }

    fn entry_width(text: &str) -> f64 {
        Symbol::WIDTH + Self::SYMBOL_GAP + BODY.width(text) + Self::ENTRY_GAP
    }

    /// Height in pixels.
    pub(super) fn height(&self) -> f64 {
        lines(&self.title, TITLE) + lines(&self.note, BODY) + 26.0 + 28.0 * rows(&self.legend)
    }

    /// Draws it with its upper edge at `top`.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        let y = text_lines(canvas, (MARGIN, top), &self.title, TITLE, INK);
        let y = text_lines(canvas, (MARGIN, y), &self.note, BODY, MUTED);
        let mut baseline = y + 10.0 + BODY.size;
        for row in &self.legend {
            let mut x = MARGIN;
            for (symbol, text) in row {
                symbol.draw(canvas, (x, baseline - 0.36 * BODY.size));
                let start = x + Symbol::WIDTH + Self::SYMBOL_GAP;
                canvas.text((start, baseline), text, BODY, INK, Align::Left);
                x += Self::entry_width(text);
            }
            baseline += 28.0;
        }
    }
}

#[allow(clippy::cast_precision_loss)]
fn rows<T>(items: &[T]) -> f64 {
    items.len() as f64
}

fn lines(texts: &[String], face: Face) -> f64 {
    face.leading() * rows(texts)
}

/// Lines of text under each other, the first's upper edge at the point; gives the lower edge.
pub(super) fn text_lines(
    canvas: &mut Canvas<'_>,
    (x, top): Point,
    texts: &[String],
    face: Face,
    color: RGBColor,
) -> f64 {
    let mut y = top;
    for text in texts {
        canvas.text((x, y + face.size), text, face, color, Align::Left);
        y += face.leading();
    }
    y
}

/// What a lane says at its right end.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    /// The counts: `5 of 10 admitted`; may be empty where the promise is broken.
    pub(super) counts: String,
    /// How the promise was broken, if it was.
    pub(super) broken: Option<String>,
}

/// One candidate's strip of the page.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    pub(super) name: String,
    /// What is drawn in it, in grey after the name.
    pub(super) caption: String,
    pub(super) verdict: Verdict,
    /// Height of its data in pixels.
    pub(super) height: f64,
    /// The columns between which its data has a shade behind it.
    pub(super) shades: Vec<(f64, f64)>,
}

impl Lane {
    const GAP: f64 = 24.0;
    const BELOW_HEAD: f64 = 10.0;
    const BELOW_DATA: f64 = 26.0;

    fn face(&self) -> Face {
        if self.verdict.broken.is_some() {
            NAME
        } else {
            BODY
        }
    }

    fn verdict_width(&self) -> f64 {
        let broken = self.verdict.broken.as_ref();
        let broken = broken.map_or(0.0, |text| Self::GAP + NAME.width(text));
        self.face().width(&self.verdict.counts) + broken
    }

    fn name_width(&self) -> f64 {
        let caption = if self.caption.is_empty() {
            0.0
        } else {
            12.0 + SMALL.width(&self.caption)
        };
        NAME.width(&self.name) + caption
    }

    /// Whether the verdict needs a line of its own.
    fn is_tall(&self, room: f64) -> bool {
        self.name_width() + Self::GAP + self.verdict_width() > room
    }

    fn head_height(&self, room: f64) -> f64 {
        let lines = if self.is_tall(room) { 2.0 } else { 1.0 };
        lines * NAME.leading() + Self::BELOW_HEAD
    }

    fn draw_head(&self, canvas: &mut Canvas<'_>, left: f64, right: f64, top: f64) {
        let room = right - left;
        let baseline = top + NAME.size;
        let caption_room = (room / 3.0).min(SMALL.width(&self.caption));
        let name = NAME.fit(&self.name, room - caption_room - 12.0);
        canvas.text((left, baseline), &name, NAME, INK, Align::Left);
        if !self.caption.is_empty() {
            let caption = SMALL.fit(&self.caption, caption_room);
            let start = left + NAME.width(&name) + 12.0;
            canvas.text((start, baseline), &caption, SMALL, MUTED, Align::Left);
        }
        let baseline = if self.is_tall(room) {
            baseline + NAME.leading()
        } else {
            baseline
        };
        let mut end = right;
        let mut color = MUTED;
        if let Some(broken) = &self.verdict.broken {
            color = DENIED;
            canvas.text((end, baseline), broken, NAME, color, Align::Right);
            end -= NAME.width(broken) + Self::GAP;
        }
        if self.verdict.counts.is_empty() {
            return;
        }
        canvas.text(
            (end, baseline),
            &self.verdict.counts,
            self.face(),
            color,
            Align::Right,
        );
    }
}

/// An axis that runs along the page.
pub(super) trait Axis: Copy {
    /// The columns of pixels at which it begins and ends.
    fn ends(&self) -> (f64, f64);
    /// The columns of its ticks, and how they read.
    fn labels(&self) -> Vec<(f64, String)>;
}

impl Axis for TimeAxis {
    fn ends(&self) -> (f64, f64) {
        (self.left, self.right)
    }

    fn labels(&self) -> Vec<(f64, String)> {
        let ticks = self.ticks().into_iter();
        ticks.map(|(at, label)| (self.x(at), label)).collect()
    }
}

/// Where one lane's data goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plot<A = TimeAxis> {
    pub(super) axis: A,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl<A: Axis> Plot<A> {
    /// A label on the value axis, its middle at `y`.
    pub(super) fn value_label(&self, canvas: &mut Canvas<'_>, y: f64, text: &str) {
        let point = (self.axis.ends().0 - 8.0, y + 0.36 * SMALL.size);
        canvas.text(point, text, SMALL, MUTED, Align::Right);
    }
}

/// A page of lanes over one axis.
#[derive(Debug)]
pub(super) struct Lanes<A = TimeAxis> {
    pub(super) head: Head,
    pub(super) axis: A,
    /// The columns of thin vertical lines.
    pub(super) edges: Vec<f64>,
    pub(super) lanes: Vec<Lane>,
    pub(super) footer: String,
}

/// The columns between which data is drawn, when the value labels are these.
pub(super) fn columns<'a>(labels: impl IntoIterator<Item = &'a str>) -> (f64, f64) {
    let widest = labels
        .into_iter()
        .map(|label| SMALL.width(label))
        .fold(24.0, f64::max);
    (MARGIN + widest + 8.0, WIDTH - MARGIN)
}

impl<A: Axis> Lanes<A> {
    const AXIS: f64 = 26.0;

    /// Draws the page; `paint` draws the data of the lane with the given index.
    pub(super) fn draw(&self, mut paint: impl FnMut(&mut Canvas<'_>, usize, Plot<A>)) -> String {
        let (left, right) = self.axis.ends();
        let footer = SMALL.wrap(&self.footer, right - left, 3);
        let lanes: f64 = self
            .lanes
            .iter()
            .map(|lane| lane.head_height(right - left) + lane.height + Lane::BELOW_DATA)
            .sum();
        let below = Self::AXIS + lines(&footer, SMALL) - Lane::BELOW_DATA + 8.0;
        let height = 2.0 * MARGIN + self.head.height() + lanes + below;
        page(WIDTH, height.ceil(), |canvas| {
            self.head.draw(canvas, MARGIN);
            let mut y = MARGIN + self.head.height();
            let last = self.lanes.len() - 1;
            for (index, lane) in self.lanes.iter().enumerate() {
                lane.draw_head(canvas, left, right, y);
                let top = y + lane.head_height(right - left);
                let bottom = top + lane.height;
                for (from, to) in &lane.shades {
                    canvas.block((*from, top), (*to, bottom), OUTAGE);
                }
                for x in &self.edges {
                    canvas.line((*x, top), (*x, bottom), FAINT, 1.25);
                }
                let axis = self.axis;
                paint(canvas, index, Plot { axis, top, bottom });
                draw_axis(canvas, &axis, bottom, index == last);
                y = bottom + Lane::BELOW_DATA;
            }
            let top = y - Lane::BELOW_DATA + Self::AXIS + 4.0;
            text_lines(canvas, (left, top), &footer, SMALL, MUTED);
        })
    }
}

/// The axis under data that ends at `y`.
pub(super) fn draw_axis(canvas: &mut Canvas<'_>, axis: &impl Axis, y: f64, with_labels: bool) {
    let (left, right) = axis.ends();
    canvas.line((left, y), (right, y), INK, 1.25);
    for (x, label) in axis.labels() {
        canvas.line((x, y), (x, y + 5.0), INK, 1.25);
        if with_labels {
            // A label at the edge moves inwards rather than over it.
            let half = SMALL.width(&label) / 2.0;
            let x = x.clamp(MARGIN + half, WIDTH - MARGIN / 2.0 - half);
            let point = (x, y + 8.0 + SMALL.size);
            canvas.text(point, &label, SMALL, INK, Align::Center);
        }
    }
}
