//! The message queue: how many requests over the limit wait, against what it holds, over time.

use super::View;
use super::canvas::{Canvas, Point};
use super::page::{Head, Lane, Lanes, Plot, Symbol, Verdict, columns};
use super::scale::{Scale, stairs};
use super::span::Span;
use super::theme::{AREA, BOUND, DELAYED, DENIED};
use super::time::TimeAxis;
use super::words::{name, tick};
use crate::error::Result;
use crate::measure::{CandidateResult, MessagesResult, RunResult};
use crate::report::text::{duration, grouped};
use crate::units::Nanos;

/// Height of the strip in which what found no room is marked.
const STRIP: f64 = 9.0;

/// One candidate's messages.
struct Queue<'a> {
    candidate: &'a CandidateResult,
    messages: &'a MessagesResult,
    steps: Vec<(u64, f64)>,
    /// Whether the capacity is near enough to the peak to be drawn.
    is_near: bool,
}

impl<'a> Queue<'a> {
    #[allow(clippy::cast_precision_loss)]
    fn of(candidate: &'a CandidateResult) -> Option<Self> {
        let messages = candidate.messages()?;
        let steps = messages.depth.steps().into_iter();
        Some(Self {
            candidate,
            messages,
            steps: steps.map(|(at, depth)| (at, depth as f64)).collect(),
            is_near: messages.capacity <= messages.depth_peak.saturating_mul(3),
        })
    }

    #[allow(clippy::cast_precision_loss)]
    fn most(&self) -> f64 {
        let peak = self.messages.depth_peak as f64;
        if self.is_near {
            peak.max(self.messages.capacity as f64)
        } else {
            peak
        }
    }

    fn lane(&self, height: f64) -> Lane {
        let messages = self.messages;
        let waits = |percent| messages.waits.percentile(percent).unwrap_or(Nanos::ZERO);
        let mut counts = format!(
            "{} queued, waits: p50 {}, p99 {}, max {}",
            grouped(messages.queued.into()),
            duration(waits(50)),
            duration(waits(99)),
            duration(waits(100)),
        );
        if messages.left() > 0 {
            counts += &format!("; {} left", grouped(messages.left().into()));
        }
        Lane {
            name: name(self.candidate),
            caption: format!(
                "room for {}, worked off at {}",
                grouped(messages.capacity.into()),
                messages.drain
            ),
            verdict: Verdict {
                counts,
                broken: (messages.overflow > 0)
                    .then(|| format!("{} lost", grouped(messages.overflow.into()))),
            },
            height,
            ..Lane::default()
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, run: &RunResult, plot: &Plot, most: f64) {
        let time = plot.axis;
        let scale = Scale::new(most, plot.top + STRIP + 3.0, plot.bottom);
        let line = stairs(&self.steps, &time, scale);
        let mut area: Vec<Point> = vec![(time.left, plot.bottom)];
        area.extend(&line);
        area.push((time.right, plot.bottom));
        canvas.area(&area, AREA);
        canvas.path(&line, DELAYED, 2.0);
        self.draw_overflow(canvas, run, plot);
        #[allow(clippy::cast_precision_loss)]
        let capacity = self.messages.capacity as f64;
        let mut values = vec![0.0, most];
        if self.is_near && capacity <= most {
            let y = scale.y(capacity);
            canvas.dashes((time.left, y), (time.right, y), BOUND, 1.25);
            values.insert(1, capacity);
        }
        for value in scale.apart(&values) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    }

    /// A block for each bucket in which something found no room.
    fn draw_overflow(&self, canvas: &mut Canvas<'_>, run: &RunResult, plot: &Plot) {
        let time = plot.axis;
        let full = self.messages.overflows.iter().enumerate();
        let full = full.filter(|(_, count)| **count > 0);
        let mut blocks: Vec<(f64, f64)> = Vec::new();
        for (bucket, _) in full {
            let ends = [bucket, bucket + 1].map(|bucket| run.grid.start(bucket).as_nanos());
            if ends[1] <= time.span.from || ends[0] >= time.span.to {
                continue;
            }
            let from = time.x_within(ends[0]);
            // What happens for a moment is still seen.
            let to = time.x_within(ends[1]).max(from + 4.0);
            match blocks.last_mut() {
                Some(last) if from <= last.1 + 0.5 => last.1 = to,
                _ => blocks.push((from, to)),
            }
        }
        for (from, to) in blocks {
            canvas.block((from, plot.top), (to, plot.top + STRIP - 2.0), DENIED);
        }
    }
}

/// Draws the queues; `None` where no request became a message.
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    let queues: Vec<Queue> = run.candidates.iter().filter_map(Queue::of).collect();
    if queues.iter().all(|queue| queue.messages.queued == 0) {
        return Ok(None);
    }
    let (left, right) = columns(["9999"]);
    let time = TimeAxis::new(Span::of(run, view).within(run), left, right, run.epoch);
    let height = if queues.len() <= 4 { 130.0 } else { 84.0 };
    let most = queues.iter().map(Queue::most).fold(0.0, f64::max);
    let page = Lanes {
        head: head(run, &queues),
        axis: time,
        lanes: queues.iter().map(|queue| queue.lane(height)).collect(),
        footer: footer(view, &time),
        edges: Vec::new(),
    };
    Ok(Some(page.draw(|canvas, index, plot| {
        queues[index].draw(canvas, run, &plot, most);
    })))
}

fn head(run: &RunResult, queues: &[Queue]) -> Head {
    let mut legend = vec![(Symbol::Line(DELAYED), "messages that wait".to_owned())];
    if queues.iter().any(|queue| queue.is_near) {
        legend.push((Symbol::Dashed, "as many as there is room for".to_owned()));
    }
    if queues.iter().any(|queue| queue.messages.overflow > 0) {
        let text = "found no room: refused".to_owned();
        legend.push((Symbol::Block(DENIED), text));
    }
    let note = "Requests over the limit that wait in a queue to be worked off";
    Head::new(&run.title, note, legend)
}

fn footer(view: &View, time: &TimeAxis) -> String {
    let mut phrases = vec![time.unit()];
    if view.is_partial() {
        phrases.push("counts on the right: the whole run".to_owned());
    }
    phrases.join(", ")
}
