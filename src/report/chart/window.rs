//! The trailing window: the cost forwarded for one key in (t − w, t], against the limit. What sticks
//! out above the limit is the overshoot.

use super::View;
use super::canvas::{Canvas, Point};
use super::density::between;
use super::outages::{bands, with_outages};
use super::page::{Head, Lane, Lanes, Plot, Symbol, Verdict, columns};
use super::scale::{COLUMN, Scale, crest, stairs};
use super::span::Span;
use super::theme::{ALLOWED, ALLOWED_AREA, BOUND, DENIED};
use super::time::TimeAxis;
use super::trailing::{forwards, steps, worst_key};
use super::verdict::verdict;
use super::words::{name, tick};
use crate::error::Result;
use crate::measure::{CandidateResult, RunResult};
use crate::report::text::{duration, each, grouped, limit, visible};

/// Draws the trailing window; `None` for a run without requests.
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    if run.rules().is_some() {
        // Each rule has a limit, a window and keys of its own.
        return Ok(None);
    }
    if run.requests == 0 || run.candidates.is_empty() {
        return Ok(None);
    }
    let (left, right) = columns(["9999"]);
    let time = TimeAxis::new(Span::of(run, view), left, right, run.epoch);
    let sums: Vec<_> = run.candidates.iter().map(|lane| sums(run, lane)).collect();
    let bound = number(run.limit.units.into());
    let highest = sums
        .iter()
        .flatten()
        .map(|(_, sum)| *sum)
        .fold(0.0, f64::max);
    let most = (bound * 1.15).max(highest);
    let height = if run.candidates.len() <= 7 {
        96.0
    } else {
        60.0
    };
    let shades = bands(run, &time);
    let is_shaded = shades.iter().any(|shades| !shades.is_empty());
    let lanes = run.candidates.iter().zip(shades);
    let lanes = lanes.map(|(candidate, shades)| Lane {
        name: name(candidate),
        caption: caption(run, candidate),
        verdict: result(run, candidate),
        height,
        shades,
    });
    let is_crest = sums.iter().any(|sums| {
        let line = stairs(sums, &time, Scale::new(most, 0.0, height));
        crest(&line).1
    });
    let edges = time.window_edges(run.limit);
    let footer = footer(run, &time, edges.is_some(), is_crest);
    let page = Lanes {
        head: head(run),
        axis: time,
        lanes: lanes.collect(),
        footer: with_outages(run, footer, is_shaded),
        edges: edges.into_iter().flatten().map(|at| time.x(at)).collect(),
    };
    Ok(Some(page.draw(|canvas, index, plot| {
        let scale = Scale::new(most, plot.top, plot.bottom);
        draw_sum(canvas, &plot, scale, &sums[index], bound);
        let peak = sums[index].iter().map(|(_, sum)| *sum).fold(0.0, f64::max);
        for value in scale.apart(&[0.0, bound, peak]) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    })))
}

/// The sum as an area, what is above the bound apart from what is below.
fn draw_sum(canvas: &mut Canvas<'_>, plot: &Plot, scale: Scale, sums: &[(u64, f64)], bound: f64) {
    let limit = scale.y(bound);
    let (line, _) = crest(&stairs(sums, &plot.axis, scale));
    let rows = |row: &dyn Fn(f64) -> f64| -> Vec<Point> {
        line.iter().map(|(x, y)| (*x, row(*y))).collect()
    };
    let kept = rows(&|y| y.max(limit));
    between(canvas, &kept, &rows(&|_| plot.bottom), ALLOWED_AREA);
    canvas.path(&kept, ALLOWED, 1.25);
    if line.iter().any(|(_, y)| *y < limit) {
        let above = rows(&|y| y.min(limit));
        between(canvas, &above, &rows(&|_| limit), DENIED);
    }
    let (left, right) = (plot.axis.left, plot.axis.right);
    canvas.dashes((left, limit), (right, limit), BOUND, 1.25);
}

#[allow(clippy::cast_precision_loss)]
fn number(cost: u128) -> f64 {
    cost as f64
}

/// Whose window a lane shows, where there are several keys.
fn caption(run: &RunResult, candidate: &CandidateResult) -> String {
    if run.keys.len() < 2 || candidate.records.is_none() {
        return String::new();
    }
    visible(&run.keys[worst_key(candidate).0 as usize])
}

/// From each instant on, the cost in the trailing window: exact for the worst key where there are
/// records, else the most of any key per bucket.
fn sums(run: &RunResult, candidate: &CandidateResult) -> Vec<(u64, f64)> {
    if let Some(forwards) = forwards(run, candidate, worst_key(candidate)) {
        let steps = steps(&forwards, run.limit.window);
        return steps
            .into_iter()
            .map(|(at, sum)| (at, number(sum)))
            .collect();
    }
    let ends = run.grid.start(candidate.series.len()).as_nanos();
    let buckets = candidate.series.iter().enumerate();
    buckets
        .map(|(index, bucket)| {
            let from = run.grid.start(index).as_nanos();
            (from, number(bucket.window_count))
        })
        .chain([(ends, 0.0)])
        .collect()
}

fn result(run: &RunResult, candidate: &CandidateResult) -> Verdict {
    let counts = format!("at most {}", grouped(candidate.tally.peak_in_window));
    let broken = verdict(run, candidate).broken;
    Verdict {
        counts: if broken.is_some() {
            String::new()
        } else {
            counts
        },
        broken,
    }
}

fn head(run: &RunResult) -> Head {
    let window = each(run.limit.window);
    let whose = match (run.keys.len(), &run.arrivals) {
        (0 | 1, _) => "",
        (_, Some(_)) => " for the key with the highest peak",
        (_, None) => " for any one key",
    };
    let note = format!("Cost forwarded{whose} in the {window} up to each moment");
    let is_broken = |c: &CandidateResult| c.tally.peak_in_window > run.limit.units.into();
    let mut legend = vec![(Symbol::Block(ALLOWED_AREA), "within the limit".to_owned())];
    if run.candidates.iter().any(is_broken) {
        legend.push((Symbol::Block(DENIED), "above the limit".to_owned()));
    }
    legend.push((Symbol::Dashed, format!("limit of {}", limit(run.limit))));
    Head::new(&run.title, &note, legend)
}

fn footer(run: &RunResult, time: &TimeAxis, has_edges: bool, is_crest: bool) -> String {
    let mut phrases = vec![time.unit()];
    if has_edges {
        phrases.push("vertical lines: clock windows".to_owned());
    }
    if run.arrivals.is_none() {
        let bucket = duration(run.grid.width());
        phrases.push(format!("the most of any key in each {bucket}"));
    }
    if is_crest {
        let each = duration(time.round_length(COLUMN));
        phrases.push(format!("drawn is the highest in every {each} or so"));
    }
    phrases.join(", ")
}
