//! The sequence: who says what to whom around the first race or failure, in order of time.
//!
//! Time runs downwards, in order and not to scale: every instant at which something is sent or
//! received has a row of its own, with its time on the left.

mod rows;

use super::View;
use super::canvas::{Align, Canvas, page};
use super::page::{Head, MARGIN, Symbol, WIDTH, text_lines};
use super::theme::{
    ALLOWED, DELAYED, DENIED, ERROR, FAINT, Face, INK, MUTED, OUTAGE, SMALL, neutral,
};
use super::words::name;
use crate::error::Result;
use crate::limiter::Decision;
use crate::measure::{Message, Party, RunResult, Says};
use crate::report::scene::{Scene, headline, note, offsets, party, says};
use crate::report::text::{clock, grouped};
use crate::units::{Nanos, SimTime};
use plotters::style::{RGBColor, WHITE};
use rows::{Arrow, Remark, Rows};

/// What is remarked on races and failures.
const REMARK: Face = Face {
    size: SMALL.size,
    bold: true,
};

/// Pixels from one row to the next.
const PITCH: f64 = 27.0;

/// Between the times and the first lane.
const GUTTER: f64 = 20.0;

/// Draws the sequence; `None` where nobody says anything.
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    let Some(scene) = Scene::of(run, view) else {
        return Ok(None);
    };
    let instants = scene.instants();
    let since = since(run, &instants);
    let times = offsets(&instants);
    let widest = since.iter().chain(&times).map(|text| SMALL.width(text));
    let axis = MARGIN + widest.fold(0.0, f64::max);
    let lanes = Lanes::new(run, &scene, axis + GUTTER);
    let rows = Rows::of(&scene, &lanes.middles, (axis + GUTTER, WIDTH - MARGIN));
    let head = head(run, &scene);
    let footer = SMALL.wrap(&footer(&scene), WIDTH - 2.0 * MARGIN, 3);
    let names = MARGIN + head.height() + 6.0;
    let top = names + lanes.height().max(2.0 * SMALL.leading()) + 10.0;
    let bottom = top + number(rows.count()) * PITCH + 8.0;
    let height = bottom + 12.0 + number(footer.len()) * SMALL.leading() + MARGIN;
    let drawing = Drawing {
        scene: &scene,
        rows: &rows,
        lanes: &lanes,
        top,
        bottom,
        axis,
    };
    Ok(Some(page(WIDTH, height.ceil(), |canvas| {
        head.draw(canvas, MARGIN);
        let first = top - 10.0 - number(since.len()) * SMALL.leading();
        text_lines(canvas, (MARGIN, first), &since, SMALL, MUTED);
        lanes.draw_names(canvas, top - 10.0);
        drawing.draw_lanes(canvas);
        drawing.draw_times(canvas, &times);
        drawing.draw_arrows(canvas);
        drawing.draw_words(canvas);
        text_lines(canvas, (MARGIN, bottom + 12.0), &footer, SMALL, MUTED);
    })))
}

#[allow(clippy::cast_precision_loss)]
fn number(count: usize) -> f64 {
    count as f64
}

/// What the times on the left count from.
fn since(run: &RunResult, instants: &[SimTime]) -> Vec<String> {
    let first = instants.first().copied().unwrap_or(SimTime::ZERO);
    let begins = first.saturating_add(run.epoch.time_of_day());
    let begins = clock(begins, Nanos::new(begins.as_nanos()));
    vec!["time since".to_owned(), begins]
}

fn head(run: &RunResult, scene: &Scene<'_>) -> Head {
    let note = format!("{}: {}", name(scene.candidate), headline(scene));
    let is_said = |what: fn(&Message) -> bool| scene.messages.iter().any(what);
    let is_admitted = |m: &Message| matches!(answer(m), Some(answer) if answer.is_admitted());
    let is_denied = |m: &Message| matches!(answer(m), Some(Decision::Deny));
    let entries = [
        (is_said(is_admitted), Symbol::Arrow(ALLOWED), "allowed"),
        (is_said(is_denied), Symbol::Arrow(DENIED), "denied"),
        (
            is_said(|m| matches!(m.says, Says::Failure(_))),
            Symbol::Arrow(ERROR),
            "error (503)",
        ),
        (
            is_said(|m| m.received.is_none()),
            Symbol::Lost,
            "never arrives",
        ),
        (!outages(scene).is_empty(), Symbol::Block(OUTAGE), "down"),
    ];
    let legend = entries.into_iter().filter(|(is_there, ..)| *is_there);
    let legend = legend.map(|(_, symbol, text)| (symbol, text.to_owned()));
    Head::new(&run.title, &note, legend.collect())
}

/// What a node answers its client.
const fn answer(message: &Message) -> Option<Decision> {
    match message.says {
        Says::Answer(decision) => Some(decision),
        _ => None,
    }
}

fn color(message: &Message) -> RGBColor {
    if message.is_race {
        return DENIED;
    }
    match message.says {
        Says::Failure(_) => ERROR,
        Says::Answer(Decision::Allow) => ALLOWED,
        Says::Answer(Decision::Delay(_)) => DELAYED,
        Says::Answer(Decision::Deny) => DENIED,
        _ if message.received.is_none() => ERROR,
        _ => MUTED,
    }
}

/// The times within the scene at which those who take part are down: who, from when, until when.
fn outages(scene: &Scene<'_>) -> Vec<(usize, SimTime, SimTime)> {
    let first = scene
        .moments
        .first()
        .map_or(SimTime::ZERO, |moment| moment.at);
    let last = scene
        .moments
        .last()
        .map_or(SimTime::ZERO, |moment| moment.at);
    let outages = scene.candidate.cluster.iter().flat_map(|c| &c.outages);
    let seen = outages.filter(|outage| outage.from <= last && outage.to > first);
    seen.filter_map(|outage| {
        let who = outage.node.map_or(Party::Store, Party::Node);
        let lane = scene.parties.iter().position(|party| *party == who)?;
        Some((lane, outage.from, outage.to))
    })
    .collect()
}

fn footer(scene: &Scene<'_>) -> String {
    let mut phrases = vec![
        "downwards in order of time, not to scale".to_owned(),
        "#n: the request's number, as in timeline.csv".to_owned(),
    ];
    if scene
        .messages
        .iter()
        .any(|m| matches!(m.says, Says::Value(_) | Says::Decided(..)))
    {
        let name = scene.candidate.level_name;
        phrases.push(format!(
            "numbers read and written: the key's state ({name}), in cost units"
        ));
    }
    if scene.left_out > 0 {
        let shown = grouped(scene.messages.len() as u128);
        let all = grouped((scene.messages.len() + scene.left_out) as u128);
        phrases.push(format!("the first {shown} of {all} messages of this time"));
    }
    phrases.join("; ")
}

/// Who takes part, each in a column.
struct Lanes {
    middles: Vec<f64>,
    names: Vec<Vec<String>>,
    face: Face,
}

impl Lanes {
    fn new(run: &RunResult, scene: &Scene<'_>, left: f64) -> Self {
        const MANY: usize = 8;
        let count = scene.parties.len();
        let pitch = (WIDTH - MARGIN - left) / number(count);
        let middle = |lane: usize| left + (number(lane) + 0.5) * pitch;
        let face = if count > MANY {
            REMARK
        } else {
            super::theme::NAME
        };
        let name = |who: &Party| face.wrap(&neutral(&party(run, *who)), pitch - 14.0, 3);
        Self {
            middles: (0..count).map(middle).collect(),
            names: scene.parties.iter().map(name).collect(),
            face,
        }
    }

    fn height(&self) -> f64 {
        let most = self.names.iter().map(Vec::len).max().unwrap_or(0);
        number(most) * self.face.leading()
    }

    /// Draws the names above their lanes, which begin at `top`.
    fn draw_names(&self, canvas: &mut Canvas<'_>, top: f64) {
        for (middle, lines) in self.middles.iter().zip(&self.names) {
            let mut y = top - number(lines.len()) * self.face.leading() + self.face.size;
            for line in lines {
                canvas.text((*middle, y), line, self.face, INK, Align::Center);
                y += self.face.leading();
            }
        }
    }
}

/// A scene laid out on a page.
struct Drawing<'a> {
    scene: &'a Scene<'a>,
    rows: &'a Rows,
    lanes: &'a Lanes,
    top: f64,
    bottom: f64,
    /// Where the times end.
    axis: f64,
}

impl Drawing<'_> {
    fn y(&self, row: usize) -> f64 {
        self.top + (number(row) + 0.75) * PITCH
    }

    /// Where an instant lies, between rows if nothing happens then.
    fn y_of(&self, at: SimTime) -> f64 {
        let rows = &self.rows;
        match rows.times.iter().rposition(|(_, time)| *time <= at) {
            None => self.top,
            Some(index) if rows.times[index].1 == at => self.y(rows.times[index].0) - PITCH / 2.0,
            Some(index) => match rows.times.get(index + 1) {
                Some((row, _)) => self.y(*row) - PITCH / 2.0,
                None => self.bottom,
            },
        }
    }

    fn draw_lanes(&self, canvas: &mut Canvas<'_>) {
        for middle in &self.lanes.middles {
            canvas.line((*middle, self.top), (*middle, self.bottom), FAINT, 2.0);
        }
        for (lane, from, to) in outages(self.scene) {
            let x = self.lanes.middles[lane];
            let (from, to) = (self.y_of(from), self.y_of(to));
            canvas.block((x - 9.0, from), (x + 9.0, to.max(from + 4.0)), OUTAGE);
            canvas.dashes((x, from), (x, to.max(from + 4.0)), ERROR, 1.25);
        }
    }

    /// The instants, and a faint line from each to where it happens.
    fn draw_times(&self, canvas: &mut Canvas<'_>, times: &[String]) {
        const GUIDE: RGBColor = RGBColor(240, 240, 240);
        let next = self.rows.times.iter().skip(1).map(|(row, _)| *row);
        let ends = next.chain([self.rows.count()]).map(|row| row - 1);
        for (((row, _), last), time) in self.rows.times.iter().zip(ends).zip(times) {
            let y = self.y(*row);
            if last > *row {
                let x = self.axis + 8.0;
                canvas.line((x, y), (x, self.y(last)), FAINT, 1.5);
            }
            canvas.line((self.axis + 8.0, y), (WIDTH - MARGIN, y), GUIDE, 1.0);
            let baseline = y + 0.36 * SMALL.size;
            canvas.text((self.axis, baseline), time, SMALL, MUTED, Align::Right);
        }
    }

    fn draw_arrows(&self, canvas: &mut Canvas<'_>) {
        const LOST: f64 = 0.72;
        for arrow in &self.rows.arrows {
            let message = &self.scene.messages[arrow.message];
            let color = color(message);
            let width = if message.is_race { 2.75 } else { 1.75 };
            let from = (self.lanes.middles[arrow.from], self.y(arrow.sent));
            let x = self.lanes.middles[arrow.to];
            match arrow.received {
                Some(row) => {
                    let knee = (self.knee(arrow), from.1);
                    canvas.path(&[from, knee], color, width);
                    canvas.arrow(knee, (x, self.y(row)), color, width);
                }
                None => {
                    let end = (from.0 + LOST * (x - from.0), from.1);
                    canvas.line(from, end, color, width);
                    canvas.cross(end, 6.0, color);
                }
            }
            canvas.disc(from, 2.5, color);
        }
    }

    /// The column up to which a message stays in its row: past the lanes of others, where it would
    /// seem to touch what happens to them later.
    fn knee(&self, arrow: &Arrow) -> f64 {
        let middles = &self.lanes.middles;
        let before = if arrow.to > arrow.from {
            arrow.to - 1
        } else {
            arrow.to + 1
        };
        if before == arrow.from {
            return middles[arrow.from];
        }
        middles[before] + 0.2 * (middles[arrow.to] - middles[before])
    }

    fn draw_words(&self, canvas: &mut Canvas<'_>) {
        for arrow in &self.rows.arrows {
            let message = &self.scene.messages[arrow.message];
            let color = match color(message) {
                MUTED => INK,
                color => color,
            };
            let face = if message.is_race { REMARK } else { SMALL };
            let baseline = self.y(arrow.sent) - 5.0;
            label(
                canvas,
                (arrow.text.0, baseline),
                &words(self.scene, arrow),
                face,
                color,
            );
        }
        for remark in &self.rows.remarks {
            let baseline = self.y(remark.row) + 0.36 * REMARK.size;
            let color = match remark.is_race {
                true => DENIED,
                false => ERROR,
            };
            let text = remarks(self.scene, remark);
            let text = REMARK.fit(&text, remark.text.1 - remark.text.0);
            label(canvas, (remark.text.0, baseline), &text, REMARK, color);
            let point = (
                self.lanes.middles[remark.lane],
                baseline - 0.36 * REMARK.size,
            );
            match remark.is_race {
                true => canvas.cross(point, 7.0, color),
                false => canvas.warning(point, 7.0, color),
            }
        }
    }
}

/// A text on a white ground, so that lines do not run through it.
fn label(
    canvas: &mut Canvas<'_>,
    (left, baseline): (f64, f64),
    text: &str,
    face: Face,
    color: RGBColor,
) {
    let right = left + face.width(text);
    let (top, bottom) = (baseline - 0.82 * face.size, baseline + 0.22 * face.size);
    canvas.block((left - 2.0, top), (right, bottom), WHITE);
    canvas.text((left, baseline), text, face, color, Align::Left);
}

fn words(scene: &Scene<'_>, arrow: &Arrow) -> String {
    says(scene, &scene.messages[arrow.message])
}

fn remarks(scene: &Scene<'_>, remark: &Remark) -> String {
    note(scene, remark.what).unwrap_or_default()
}
