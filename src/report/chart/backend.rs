//! The backend: how busy its workers are and how long answers take, over time, with the limiter and
//! without.

use super::View;
use super::bins::Bins;
use super::canvas::{Canvas, Point};
use super::density::between;
use super::page::{Head, Lane, Lanes, Plot, Symbol, Verdict, columns};
use super::scale::Scale;
use super::span::Span;
use super::theme::{ALLOWED, BOUND, DENIED, ERROR};
use super::time::TimeAxis;
use super::words::name;
use crate::error::Result;
use crate::measure::{BackendResult, CandidateResult, RunResult, Served};
use crate::report::text::{duration, each, grouped, percent};
use crate::units::Nanos;
use std::ops::Range;

/// The most bars over the width of the page.
const BARS: u64 = 240;

/// Height of the strip in which overload is marked.
const STRIP: f64 = 8.0;

/// What a backend went through in one bar.
#[derive(Clone, Copy, Debug, Default)]
struct Bar {
    /// Shares of the workers' time.
    busy: f64,
    wasted: f64,
    slowest: Option<Nanos>,
    is_overloaded: bool,
}

/// One candidate's backend.
struct Load<'a> {
    candidate: &'a CandidateResult,
    backend: &'a BackendResult,
    with: Vec<Bar>,
    without: Vec<Bar>,
}

#[allow(clippy::cast_precision_loss)]
fn bars(run: &RunResult, bins: Bins, served: &Served, workers: u32) -> Vec<Bar> {
    let mut bars = vec![Bar::default(); bins.count()];
    for (index, row) in served.rows.iter().enumerate() {
        let Some(bin) = bins.bin(run.grid.start(index)) else {
            continue;
        };
        let bar = &mut bars[bin];
        bar.busy += row.busy as f64;
        bar.wasted += row.wasted as f64;
        bar.slowest = bar.slowest.max(row.slowest);
        bar.is_overloaded |= row.overloaded > 0;
    }
    for (bin, bar) in bars.iter_mut().enumerate() {
        let (from, to) = bins.bounds(bin);
        let length = to.min(run.horizon.as_nanos()).saturating_sub(from).max(1);
        let whole = length as f64 * f64::from(workers);
        (bar.busy, bar.wasted) = (bar.busy / whole, bar.wasted / whole);
    }
    bars
}

/// Draws the backends; `None` where there is none.
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    if run.requests == 0 || run.candidates.iter().all(|c| c.backend().is_none()) {
        return Ok(None);
    }
    let (left, right) = columns(["100 ms"]);
    let time = TimeAxis::new(Span::of(run, view).within(run), left, right, run.epoch);
    let bins = Bins::over(time.span, BARS, Some(run.grid.width()));
    let loads = run.candidates.iter().filter_map(|candidate| {
        let backend = candidate.backend()?;
        let bars = |served| bars(run, bins, served, backend.workers);
        Some(Load {
            candidate,
            backend,
            with: bars(&backend.with),
            without: bars(&backend.without),
        })
    });
    let loads: Vec<Load> = loads.collect();
    let height = if loads.len() <= 5 { 62.0 } else { 44.0 };
    let lanes = loads.iter().flat_map(|load| load.lanes(run, height));
    let page = Lanes {
        head: head(run, bins, &loads),
        axis: time,
        lanes: lanes.collect(),
        footer: footer(view, &time),
        edges: Vec::new(),
    };
    let decades = Decades::of(&loads);
    Ok(Some(page.draw(|canvas, index, plot| {
        let load = &loads[index / 2];
        if index % 2 == 0 {
            load.draw_busy(canvas, bins, &plot);
        } else {
            load.draw_answers(canvas, bins, &plot, decades);
        }
    })))
}

impl Load<'_> {
    /// The lane of the workers and that of the answers.
    fn lanes(&self, run: &RunResult, height: f64) -> [Lane; 2] {
        let backend = self.backend;
        let time = u128::from(backend.workers) * u128::from(run.horizon.as_nanos());
        let busy = |served: &Served| percent(served.busy, time);
        let mut counts = format!(
            "busy {} ({} without)",
            busy(&backend.with),
            busy(&backend.without)
        );
        if backend.with.wasted > 0 {
            let share = percent(backend.with.wasted, backend.with.busy);
            counts += &format!(", {share} of it denying");
        }
        let overloaded = |served: &Served| grouped(served.overloaded.into());
        let broken = format!(
            "{} found it overloaded ({} without)",
            overloaded(&backend.with),
            overloaded(&backend.without)
        );
        let quantile = |served: &Served, percent| {
            let time = served.responses.percentile(percent);
            time.map_or("–".to_owned(), duration)
        };
        let answers = |percent| {
            let [with, without] =
                [&backend.with, &backend.without].map(|served| quantile(served, percent));
            format!("{with} ({without} without)")
        };
        let workers = Lane {
            name: name(self.candidate),
            caption: "workers at work".to_owned(),
            verdict: Verdict {
                counts,
                broken: (backend.with.overloaded > 0).then_some(broken),
            },
            height,
            shades: Vec::new(),
        };
        let answers = Lane {
            caption: "slowest answer".to_owned(),
            verdict: Verdict {
                counts: format!("answers: p50 {}, p99 {}", answers(50), answers(99)),
                broken: None,
            },
            height,
            ..Lane::default()
        };
        [workers, answers]
    }

    /// Runs of bars in which it was overloaded.
    fn overloads(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let overloaded = self.with.iter().enumerate();
        for (bin, _) in overloaded.filter(|(_, bar)| bar.is_overloaded) {
            match runs.last_mut() {
                Some(last) if last.end == bin => last.end += 1,
                _ => runs.push(bin..bin + 1),
            }
        }
        runs
    }

    fn draw_busy(&self, canvas: &mut Canvas<'_>, bins: Bins, plot: &Plot) {
        let time = plot.axis;
        let scale = Scale::new(1.0, plot.top + STRIP + 2.0, plot.bottom);
        let outline = |bars: &[Bar], value: fn(&Bar) -> f64| -> Vec<Point> {
            let corners = bars.iter().enumerate().flat_map(|(bin, bar)| {
                let (from, to) = bins.bounds(bin);
                let y = scale.y(value(bar));
                [(time.x_within(from), y), (time.x_within(to), y)]
            });
            corners.collect()
        };
        let busy = outline(&self.with, |bar| bar.busy);
        let wasted = outline(&self.with, |bar| bar.wasted);
        let base: Vec<Point> = busy.iter().map(|(x, _)| (*x, plot.bottom)).collect();
        between(canvas, &base, &busy, ALLOWED);
        if self.backend.with.wasted > 0 {
            between(canvas, &base, &wasted, DENIED);
        }
        let without = outline(&self.without, |bar| bar.busy);
        canvas.path(&without, BOUND, 1.5);
        for run in self.overloads() {
            let (from, to) = (bins.bounds(run.start).0, bins.bounds(run.end - 1).1);
            let (from, to) = (time.x_within(from), time.x_within(to));
            canvas.block((from, plot.top), (to, plot.top + STRIP - 2.0), ERROR);
        }
        for (value, label) in [(0.0, "0 %"), (1.0, "100 %")] {
            plot.value_label(canvas, scale.y(value), label);
        }
    }

    fn draw_answers(&self, canvas: &mut Canvas<'_>, bins: Bins, plot: &Plot, decades: Decades) {
        let scale = Scale::new(decades.count(), plot.top + 2.0, plot.bottom);
        for (bars, color, width) in [(&self.without, BOUND, 1.5), (&self.with, ALLOWED, 2.0)] {
            for line in answered(bars, bins, plot.axis, |time| scale.y(decades.above(time))) {
                canvas.path(&line, color, width);
            }
        }
        for power in scale.apart(&decades.shown()) {
            plot.value_label(canvas, scale.y(power), &decades.label(power));
        }
    }
}

/// Lines over the bars in which something was answered, broken where nothing was.
fn answered(bars: &[Bar], bins: Bins, time: TimeAxis, y: impl Fn(Nanos) -> f64) -> Vec<Vec<Point>> {
    let mut lines: Vec<Vec<Point>> = Vec::new();
    let mut is_open = false;
    for (bin, bar) in bars.iter().enumerate() {
        let Some(slowest) = bar.slowest else {
            is_open = false;
            continue;
        };
        if !is_open {
            lines.push(Vec::new());
            is_open = true;
        }
        let (from, to) = bins.bounds(bin);
        let y = y(slowest);
        let line = lines.last_mut().expect("one was begun");
        line.extend([(time.x_within(from), y), (time.x_within(to), y)]);
    }
    lines
}

/// Powers of ten of nanoseconds that hold every answer.
#[derive(Clone, Copy, Debug)]
struct Decades {
    first: u32,
    last: u32,
}

impl Decades {
    fn of(loads: &[Load]) -> Self {
        let bars = loads
            .iter()
            .flat_map(|load| load.with.iter().chain(&load.without));
        let times: Vec<u64> = bars
            .filter_map(|bar| bar.slowest)
            .map(|time| time.get().max(1))
            .collect();
        let first = times.iter().min().map_or(0, |least| least.ilog10());
        let last = times.iter().max().map_or(1, |most| most.ilog10() + 1);
        Self {
            first,
            last: last.max(first + 1),
        }
    }

    fn count(self) -> f64 {
        f64::from(self.last - self.first)
    }

    #[allow(clippy::cast_precision_loss)]
    fn above(self, time: Nanos) -> f64 {
        (time.get().max(1) as f64).log10() - f64::from(self.first)
    }

    /// The heights that are labelled: the lowest, the highest, and the middle, where that is a power.
    fn shown(self) -> Vec<f64> {
        let middle = self.count() / 2.0;
        let mut shown = vec![0.0, self.count()];
        shown.extend((self.last - self.first).is_multiple_of(2).then_some(middle));
        shown
    }

    /// How the power at a height reads.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn label(self, height: f64) -> String {
        let power = self.first + height.round() as u32;
        duration(10u64.checked_pow(power).map_or(Nanos::FOREVER, Nanos::new))
    }
}

fn head(run: &RunResult, bins: Bins, loads: &[Load]) -> Head {
    let note = format!(
        "How busy the backend is, and its slowest answer on a scale of powers of ten, per {}",
        each(bins.width())
    );
    let mut legend = vec![(Symbol::Block(ALLOWED), "with the limiter".to_owned())];
    if loads.iter().any(|load| load.backend.with.wasted > 0) {
        let text = "of that, denying requests".to_owned();
        legend.push((Symbol::Block(DENIED), text));
    }
    legend.push((Symbol::Outline, "without a limiter".to_owned()));
    if loads.iter().any(|load| load.backend.with.overloaded > 0) {
        let text = "overloaded: too many wait (503)".to_owned();
        legend.push((Symbol::Block(ERROR), text));
    }
    Head::new(&run.title, &note, legend)
}

fn footer(view: &View, time: &TimeAxis) -> String {
    let mut phrases = vec![time.unit()];
    if view.is_partial() {
        phrases.push("numbers on the right: the whole run".to_owned());
    }
    phrases.join(", ")
}
