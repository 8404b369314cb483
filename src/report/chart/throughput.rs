//! Throughput: what was offered and what was forwarded over time.

use super::View;
use super::bins::Bins;
use super::canvas::Point;
use super::density::between;
use super::outages::{bands, with_outages};
use super::page::{Head, Lane, Lanes, Symbol, columns};
use super::scale::Scale;
use super::span::Span;
use super::theme::{ALLOWED, BOUND};
use super::time::TimeAxis;
use super::verdict::verdict;
use super::words::{name, tick};
use crate::error::Result;
use crate::measure::RunResult;
use crate::report::text::{each, limit};

/// The most bars over the width of the page; fewer where so many would hold hardly a request each.
const BARS: [u64; 3] = [120, 60, 30];

/// The least that the highest bar should hold.
const TELLING: u128 = 5;

/// Draws the throughput; `None` for a run without requests.
#[allow(clippy::cast_precision_loss)]
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    if run.requests == 0 || run.candidates.is_empty() {
        return Ok(None);
    }
    let (left, right) = columns(["9999"]);
    let time = TimeAxis::new(Span::of(run, view).within(run), left, right, run.epoch);
    let (bins, sums) = bars(run, time.span);
    let most = highest(&sums) as f64;
    // What the limit lets through in the long run, in a bar's time; it is a bound for one key only.
    let rate = run.limit.rate().per_second() * bins.width().as_secs_f64();
    let rate = (run.keys.len() == 1 && run.rules().is_none()).then_some(rate);
    let most = most.max(rate.unwrap_or(0.0));
    let height = if run.candidates.len() <= 7 {
        84.0
    } else {
        56.0
    };
    let shades = bands(run, &time);
    let is_shaded = shades.iter().any(|shades| !shades.is_empty());
    let lanes = run.candidates.iter().zip(shades);
    let lanes = lanes.map(|(candidate, shades)| Lane {
        name: name(candidate),
        caption: String::new(),
        verdict: verdict(run, candidate),
        height,
        shades,
    });
    let page = Lanes {
        head: head(run, bins, rate.is_some()),
        axis: time,
        lanes: lanes.collect(),
        footer: with_outages(run, footer(view, &time), is_shaded),
        edges: Vec::new(),
    };
    Ok(Some(page.draw(|canvas, index, plot| {
        let scale = Scale::new(most, plot.top, plot.bottom);
        let outline = |which: usize| -> Vec<Point> {
            let bars = sums[index].iter().enumerate();
            bars.flat_map(|(bin, sums)| {
                let (from, to) = bins.bounds(bin);
                let y = scale.y(sums[which] as f64);
                [(time.x_within(from), y), (time.x_within(to), y)]
            })
            .collect()
        };
        let forwarded = outline(1);
        // From the axis and back to it, so that traffic at the very beginning is boxed too.
        let mut offered = vec![(left, plot.bottom)];
        offered.extend(outline(0));
        offered.push((offered[offered.len() - 1].0, plot.bottom));
        let base: Vec<Point> = forwarded.iter().map(|(x, _)| (*x, plot.bottom)).collect();
        between(canvas, &base, &forwarded, ALLOWED);
        canvas.path(&offered, BOUND, 1.5);
        if let Some(rate) = rate {
            let y = scale.y(rate);
            canvas.dashes((left, y), (right, y), BOUND, 1.25);
        }
        for value in scale.apart(&[0.0, most]) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    })))
}

/// Cost offered and forwarded per bin of each candidate.
fn bars(run: &RunResult, span: Span) -> (Bins, Vec<Vec<[u128; 2]>>) {
    let candidates = run.candidates.iter();
    let cut = |most| {
        let bins = Bins::over(span, most, Some(run.grid.width()));
        let sums = candidates
            .clone()
            .map(|candidate| bins.sum(run, candidate, |bucket| [bucket.offered, bucket.forwarded]));
        (bins, sums.collect::<Vec<_>>())
    };
    let telling = BARS
        .into_iter()
        .map(cut)
        .find(|(_, sums)| highest(sums) >= TELLING);
    telling.unwrap_or_else(|| cut(BARS[BARS.len() - 1]))
}

fn highest(sums: &[Vec<[u128; 2]>]) -> u128 {
    sums.iter().flatten().flatten().max().copied().unwrap_or(0)
}

fn head(run: &RunResult, bins: Bins, has_rate: bool) -> Head {
    let are_counts = run
        .candidates
        .iter()
        .all(|candidate| candidate.tally.offered_cost == candidate.tally.attempts.into());
    let what = if are_counts { "Requests" } else { "Cost units" };
    let note = format!("{what} offered and forwarded per {}", each(bins.width()));
    let mut legend = vec![
        (Symbol::Outline, "offered".to_owned()),
        (Symbol::Block(ALLOWED), "forwarded".to_owned()),
    ];
    if has_rate {
        let limit = limit(run.limit);
        legend.push((Symbol::Dashed, format!("the limit of {limit}, as a rate")));
    }
    Head::new(&run.title, &note, legend)
}

fn footer(view: &View, time: &TimeAxis) -> String {
    let mut phrases = vec![time.unit()];
    if view.is_partial() {
        phrases.push("counts on the right: the whole run".to_owned());
    }
    phrases.join(", ")
}
