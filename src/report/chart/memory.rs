//! Memory: bytes of limiter state over time, and per live key at the peak.

use super::View;
use super::canvas::{Align, Canvas, Point, page};
use super::names::{Names, baseline};
use super::page::{
    Head, Lane, Lanes, MARGIN, Plot, Verdict, WIDTH, columns, draw_axis, text_lines,
};
use super::scale::{Scale, stairs};
use super::span::Span;
use super::theme::{AREA, BODY, BOUND, INK, MUTED, NAME, SMALL};
use super::time::TimeAxis;
use super::words::name;
use crate::error::Result;
use crate::measure::{CandidateResult, RunResult};
use crate::report::text;
use plotters::style::RGBColor;

/// An amount of memory, to the byte.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn bytes(amount: f64) -> String {
    text::bytes(amount.round() as u128)
}

/// The most lines in one panel; more candidates have a lane each.
const MOST_LINES: usize = 8;

/// Colours of lines, none of which stands for a decision; the second four are dashed.
const LINES: [RGBColor; 4] = [
    INK,
    RGBColor(0, 158, 115),
    RGBColor(140, 86, 40),
    RGBColor(86, 180, 233),
];

/// Bytes over time, and what they come to.
struct Memory {
    name: String,
    steps: Vec<(u64, f64)>,
    peak: f64,
    per_key: f64,
}

impl Memory {
    #[allow(clippy::cast_precision_loss)]
    fn of(candidate: &CandidateResult) -> Self {
        let steps = candidate.state_bytes.steps();
        let peak = steps
            .iter()
            .map(|(_, bytes)| *bytes)
            .max()
            .unwrap_or(0)
            .max(0);
        let peak_at = steps
            .iter()
            .find(|(_, bytes)| *bytes == peak)
            .map_or(0, |(at, _)| *at);
        let live = candidate.live_keys.steps();
        let then = live.iter().take_while(|(at, _)| *at <= peak_at).last();
        let keys = then.map_or(0, |(_, keys)| *keys).max(1);
        Self {
            name: name(candidate),
            steps: steps
                .iter()
                .map(|(at, bytes)| (*at, *bytes as f64))
                .collect(),
            peak: peak as f64,
            per_key: peak as f64 / keys as f64,
        }
    }
}

/// Draws the memory; `None` for a run without requests.
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    if run.requests == 0 || run.candidates.is_empty() {
        return Ok(None);
    }
    let memories: Vec<Memory> = run.candidates.iter().map(Memory::of).collect();
    let span = Span::of(run, view).within(run);
    Ok(Some(if memories.len() <= MOST_LINES {
        in_one(run, span, &memories)
    } else {
        in_lanes(run, span, &memories)
    }))
}

fn most(memories: &[Memory]) -> f64 {
    memories
        .iter()
        .map(|memory| memory.peak)
        .fold(0.0, f64::max)
}

fn head(run: &RunResult) -> Head {
    let note = "Bytes of state for the keys that cannot be forgotten yet";
    Head::new(&run.title, note, Vec::new())
}

/// A lane per candidate, all on one scale.
fn in_lanes(run: &RunResult, span: Span, memories: &[Memory]) -> String {
    let (left, right) = columns(["999.9 kB"]);
    let time = TimeAxis::new(span, left, right, run.epoch);
    let most = most(memories);
    let lanes = memories.iter().map(|memory| Lane {
        name: memory.name.clone(),
        caption: String::new(),
        verdict: Verdict {
            counts: format!(
                "peak {}, {} per live key",
                bytes(memory.peak),
                bytes(memory.per_key)
            ),
            broken: None,
        },
        height: 48.0,
        ..Lane::default()
    });
    let page = Lanes {
        head: head(run),
        axis: time,
        edges: Vec::new(),
        lanes: lanes.collect(),
        footer: time.unit(),
    };
    page.draw(|canvas, index, plot| {
        let scale = Scale::new(most, plot.top, plot.bottom);
        let line = stairs(&memories[index].steps, &time, scale);
        let mut area = vec![(left, plot.bottom)];
        area.extend(&line);
        area.push((right, plot.bottom));
        canvas.area(&area, AREA);
        canvas.path(&line, INK, 1.5);
        for value in scale.apart(&[0.0, most]) {
            plot.value_label(canvas, scale.y(value), &bytes(value));
        }
    })
}

/// A course over time, with the names of all candidates that share it, beside its line.
struct Label {
    lines: Vec<String>,
    /// One of the memories that take this course.
    example: usize,
    /// Upper edge in pixels from the panel's.
    top: f64,
}

impl Label {
    #[allow(clippy::cast_precision_loss)]
    fn height(&self) -> f64 {
        self.lines.len() as f64 * SMALL.leading() + 8.0
    }
}

/// The distinct courses in the order of the candidates: lines that coincide would hide each other.
fn courses(memories: &[Memory], room: f64) -> Vec<Label> {
    let is_same = |a: &Memory, b: &Memory| {
        let is_equal = |((t, v), (u, w)): (&(u64, f64), &(u64, f64))| t == u && (v - w).abs() < 0.5;
        a.steps.len() == b.steps.len() && a.steps.iter().zip(&b.steps).all(is_equal)
    };
    let mut labels: Vec<Label> = Vec::new();
    for (index, memory) in memories.iter().enumerate() {
        let known = labels
            .iter_mut()
            .find(|label| is_same(&memories[label.example], memory));
        let lines = SMALL.wrap(&memory.name, room, 3);
        match known {
            Some(label) => label.lines.extend(lines),
            None => labels.push(Label {
                lines,
                example: index,
                top: 0.0,
            }),
        }
    }
    for label in &mut labels {
        let peak = bytes(memories[label.example].peak);
        label.lines.push(format!("peak {peak}"));
    }
    labels
}

/// Labels at the heights of their lines' peaks, moved apart where they would touch, and the height
/// of a panel that holds them.
fn labels(memories: &[Memory], room: f64) -> (Vec<Label>, f64) {
    const LEAST: f64 = 260.0;
    let mut labels = courses(memories, room);
    let needed: f64 = labels.iter().map(Label::height).sum();
    let height = needed.max(LEAST);
    let scale = Scale::new(most(memories), 0.0, height);
    let peak = |label: &Label| memories[label.example].peak;
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|a, b| peak(&labels[*b]).total_cmp(&peak(&labels[*a])));
    let mut free = 0.0f64;
    for index in &order {
        let wanted = scale.y(peak(&labels[*index])) - 0.75 * SMALL.leading();
        labels[*index].top = wanted.max(free);
        free = labels[*index].top + labels[*index].height();
    }
    let mut end = height;
    for index in order.iter().rev() {
        let label = &mut labels[*index];
        label.top = label.top.min(end - label.height());
        end = label.top;
    }
    (labels, height)
}

/// All lines in one panel, and bars per live key below.
fn in_one(run: &RunResult, span: Span, memories: &[Memory]) -> String {
    const SAMPLE: f64 = 30.0;
    let names: Vec<String> = memories.iter().map(|memory| memory.name.clone()).collect();
    let widest = names
        .iter()
        .map(|name| SMALL.width(name))
        .fold(120.0, f64::max);
    let room = widest.min(300.0);
    let (left, right) = columns(["999.9 kB"]);
    let right = right - room - SAMPLE - 20.0;
    let time = TimeAxis::new(span, left, right, run.epoch);
    let (labels, panel) = labels(memories, room);
    let names = Names::new(&names);
    let head = head(run);
    let top = MARGIN + head.height();
    let bottom = top + panel;
    let below = bottom + 26.0 + 2.0 * SMALL.leading() + 24.0;
    let height = below + NAME.leading() + 8.0 + names.height() + MARGIN;
    page(WIDTH, height.ceil(), |canvas| {
        head.draw(canvas, MARGIN);
        let plot = Plot {
            axis: time,
            top,
            bottom,
        };
        draw_lines(canvas, plot, memories, &labels);
        draw_axis(canvas, &time, bottom, true);
        text_lines(canvas, (left, bottom + 30.0), &[time.unit()], SMALL, MUTED);
        for (course, label) in labels.iter().enumerate() {
            let (x, y) = (right + 14.0, top + label.top);
            let middle = y + 0.75 * SMALL.leading();
            draw_line(canvas, &[(x, middle), (x + SAMPLE, middle)], course);
            text_lines(
                canvas,
                (x + SAMPLE + 8.0, y + 3.0),
                &label.lines,
                SMALL,
                INK,
            );
        }
        let title = ["Bytes per live key at the peak".to_owned()];
        let rows = text_lines(canvas, (MARGIN, below), &title, NAME, INK) + 8.0;
        draw_bars(canvas, &names, rows, memories);
    })
}

fn draw_line(canvas: &mut Canvas<'_>, points: &[Point], course: usize) {
    let color = LINES[course % LINES.len()];
    if course < LINES.len() {
        canvas.path(points, color, 2.0);
    } else {
        canvas.dashed_path(points, color, 2.0);
    }
}

fn draw_lines(canvas: &mut Canvas<'_>, plot: Plot, memories: &[Memory], labels: &[Label]) {
    let most = most(memories);
    let scale = Scale::new(most, plot.top, plot.bottom);
    for (course, label) in labels.iter().enumerate() {
        let steps = &memories[label.example].steps;
        draw_line(canvas, &stairs(steps, &plot.axis, scale), course);
    }
    for value in scale.apart(&[0.0, most, most / 2.0]) {
        plot.value_label(canvas, scale.y(value), &bytes(value));
    }
}

fn draw_bars(canvas: &mut Canvas<'_>, names: &Names, top: f64, memories: &[Memory]) {
    let most = memories
        .iter()
        .map(|memory| memory.per_key)
        .fold(1.0, f64::max);
    let widest = memories
        .iter()
        .map(|memory| BODY.width(&bytes(memory.per_key)));
    let widest = widest.fold(0.0, f64::max);
    let left = names.right();
    let longest = WIDTH - MARGIN - left - widest - 16.0;
    names.draw(canvas, top, |canvas, row, y| {
        let value = memories[row].per_key;
        let end = left + value / most * longest;
        canvas.block((left, y - 8.0), (end, y + 8.0), BOUND);
        canvas.text(
            (end + 8.0, baseline(y)),
            &bytes(value),
            BODY,
            INK,
            Align::Left,
        );
    });
}
