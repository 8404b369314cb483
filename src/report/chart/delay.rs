//! Delays: for each candidate that delays, the share of its admitted requests that wait no longer
//! than so long.

use super::View;
use super::canvas::{Align, Canvas, Point};
use super::page::{Head, Lane, Lanes, Plot, Symbol, Verdict, WIDTH, columns};
use super::scale::{Scale, thinned};
use super::theme::{ALLOWED, BODY, DELAYED, INK, SMALL};
use super::time::TimeAxis;
use super::words::name;
use crate::error::Result;
use crate::measure::{CandidateResult, RunResult};
use crate::report::text::{duration, grouped};
use crate::units::Nanos;

/// The shares that are told in numbers, in per cent, by name.
const TOLD: [(u64, &str); 4] = [(50, "p50"), (90, "p90"), (99, "p99"), (100, "max")];

/// One candidate's waits.
struct Waits {
    name: String,
    /// The share of admitted requests forwarded at once.
    at_once: f64,
    /// Finite waits, and the share that waits no longer.
    shares: Vec<(u64, f64)>,
    /// Those of [`TOLD`] that are finite.
    told: Vec<(&'static str, f64, u64)>,
    counts: String,
}

impl Waits {
    /// `None` for a candidate that delays nobody.
    #[allow(clippy::cast_precision_loss)]
    fn of(candidate: &CandidateResult) -> Option<Self> {
        let all = candidate.delays.count();
        let (mut shares, mut seen, mut at_once, mut for_ever) = (Vec::new(), 0, 0, 0);
        for (wait, count) in candidate.delays.waits() {
            seen += count;
            if wait == Nanos::ZERO {
                at_once = count;
            } else if wait.is_forever() {
                for_ever = count;
            } else {
                shares.push((wait.get(), seen as f64 / all as f64));
            }
        }
        let delayed = all - at_once;
        if delayed == 0 {
            return None;
        }
        let told = TOLD.iter().filter_map(|(share, name)| {
            let wait = candidate.delays.percentile(*share)?;
            let is_finite = !wait.is_forever();
            is_finite.then_some((*name, *share as f64 / 100.0, wait.get()))
        });
        let (some, all_of_them) = (grouped(delayed.into()), grouped(all.into()));
        let mut counts = format!("{some} of {all_of_them} admitted are delayed");
        if for_ever > 0 {
            counts += &format!(", {} for ever", grouped(for_ever.into()));
        }
        Some(Self {
            name: name(candidate),
            at_once: at_once as f64 / all as f64,
            told: told.collect(),
            shares,
            counts,
        })
    }

    fn longest(&self) -> u64 {
        self.shares.last().map_or(0, |(wait, _)| *wait)
    }

    /// The told waits with their highest share, the longest first; equal ones share a label.
    fn labels(&self) -> Vec<(u64, f64, String)> {
        let groups = self.told.chunk_by(|a, b| a.2 == b.2);
        let label = |group: &[(&'static str, f64, u64)]| {
            let names: Vec<&str> = group.iter().map(|(name, ..)| *name).collect();
            let (_, share, wait) = group[group.len() - 1];
            let text = format!("{} {}", names.join(", "), duration(Nanos::new(wait)));
            (wait, share, text)
        };
        let mut labels: Vec<_> = groups.map(label).collect();
        labels.reverse();
        labels
    }
}

/// Draws the waits of the whole run, whatever the view; `None` when nobody is delayed.
pub fn draw(run: &RunResult, _: &View) -> Result<Option<String>> {
    let waits: Vec<Waits> = run.candidates.iter().filter_map(Waits::of).collect();
    if waits.is_empty() {
        return Ok(None);
    }
    let widest = waits
        .iter()
        .flat_map(Waits::labels)
        .map(|(.., label)| SMALL.width(&label))
        .fold(0.0, f64::max);
    let (left, right) = columns(["100 %"]);
    let longest = waits.iter().map(Waits::longest).max().unwrap_or(0);
    let longest = if longest == 0 {
        run.limit.window.get()
    } else {
        longest
    };
    let axis = TimeAxis::lengths(longest, left, right - widest - 16.0);
    let height = match waits.len() {
        1 => 220.0,
        2 | 3 => 150.0,
        _ => 100.0,
    };
    let lanes = waits.iter().map(|waits| Lane {
        name: waits.name.clone(),
        caption: String::new(),
        verdict: Verdict {
            counts: waits.counts.clone(),
            broken: None,
        },
        height,
        ..Lane::default()
    });
    let page = Lanes {
        head: head(run),
        axis,
        lanes: lanes.collect(),
        footer: footer(run),
        edges: Vec::new(),
    };
    Ok(Some(page.draw(|canvas, index, plot| {
        let scale = Scale::new(1.0, plot.top, plot.bottom);
        for (share, label) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
            plot.value_label(canvas, scale.y(share), label);
        }
        draw_curve(canvas, &plot, scale, &waits[index]);
        draw_labels(canvas, &plot, scale, &waits[index]);
    })))
}

fn draw_curve(canvas: &mut Canvas<'_>, plot: &Plot, scale: Scale, waits: &Waits) {
    let mut before = scale.y(waits.at_once);
    let start = (plot.axis.left, before);
    canvas.line((start.0, plot.bottom), start, ALLOWED, 4.0);
    let mut curve: Vec<Point> = vec![start];
    for (wait, share) in &waits.shares {
        let x = plot.axis.x(*wait);
        curve.push((x, before));
        before = scale.y(*share);
        curve.push((x, before));
    }
    canvas.path(&thinned(&curve), DELAYED, 2.5);
}

/// Each label stands below and to the right of its place on the curve, where the curve, which only
/// rises, never comes.
fn draw_labels(canvas: &mut Canvas<'_>, plot: &Plot, scale: Scale, waits: &Waits) {
    let line = SMALL.leading();
    let mut placed: Vec<(f64, f64)> = Vec::new();
    for (wait, share, text) in waits.labels() {
        let (x, y) = (plot.axis.x(wait), scale.y(share));
        let mut baseline = y + 4.0 + SMALL.size;
        let end = x + 8.0 + SMALL.width(&text);
        for (other, taken) in &placed {
            if *other < end && (baseline - taken).abs() < line {
                baseline = taken + line;
            }
        }
        placed.push((x, baseline));
        canvas.text((x + 8.0, baseline), &text, SMALL, INK, Align::Left);
    }
    for (_, share, wait) in &waits.told {
        canvas.disc((plot.axis.x(*wait), scale.y(*share)), 4.0, INK);
    }
}

fn head(run: &RunResult) -> Head {
    let note = "Share of the admitted requests that are forwarded after no longer a wait";
    let legend = vec![
        (Symbol::Block(ALLOWED), "forwarded at once".to_owned()),
        (Symbol::Block(DELAYED), "forwarded later".to_owned()),
        (
            Symbol::Dot,
            "what half, 90 %, 99 % and all of them do not exceed".to_owned(),
        ),
    ];
    Head::new(&run.title, note, legend)
}

/// Who is not drawn, by name as far as that is short.
fn footer(run: &RunResult) -> String {
    let others: Vec<String> = run
        .candidates
        .iter()
        .filter(|candidate| Waits::of(candidate).is_none())
        .map(name)
        .collect();
    let axis = "wait before a request is forwarded";
    let names = others.join(", ");
    match others.len() {
        0 => axis.to_owned(),
        _ if BODY.width(&names) < WIDTH => {
            format!("{axis}; nobody is delayed by {names}")
        }
        many => format!("{axis}; the {many} candidates that delay nobody are left out"),
    }
}
