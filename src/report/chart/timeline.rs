//! The timeline: what each candidate answered to each request, over its level.

use super::View;
use super::density::Density;
use super::level::{LevelPlot, level_bounds};
use super::marks::Marks;
use super::outages::{Outages, with_outages};
use super::page::{Head, Lane, Lanes, Symbol, columns};
use super::span::Span;
use super::theme::{ALLOWED, DELAYED, DENIED, ERROR, neutral};
use super::time::TimeAxis;
use super::verdict::verdict;
use super::words::name;
use crate::error::Result;
use crate::measure::{CandidateResult, RunResult};
use crate::report::text::{bounds, duration, grouped, limit};
use crate::units::KeyId;

/// Pixels between the marks and the level.
const GAP: f64 = 12.0;

/// The requests of one lane.
enum Requests {
    Marks(Marks),
    Density(Density),
}

impl Requests {
    fn height(&self) -> f64 {
        match self {
            Self::Marks(marks) => marks.height(),
            Self::Density(density) => density.height(),
        }
    }
}

/// Draws the timeline; `None` for a run without requests.
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    if run.requests == 0 || run.candidates.is_empty() {
        return Ok(None);
    }
    let (left, right) = columns(["9999"]);
    let time = TimeAxis::new(Span::of(run, view), left, right, run.epoch);
    let key = busiest(run);
    let level_height = match run.candidates.len() {
        0..=7 => 84.0,
        8..=12 => 64.0,
        _ => 48.0,
    };
    let levels: Vec<Option<LevelPlot>> = run
        .candidates
        .iter()
        .map(|candidate| LevelPlot::of(run, candidate, key, level_height))
        .collect();
    let has_level = levels.iter().any(Option::is_some);
    let (requests, bins) = requests(run, &time, has_level);
    let outages: Vec<Outages> = run
        .candidates
        .iter()
        .map(|candidate| Outages::of(run, candidate, &time))
        .collect();
    let lanes = run.candidates.iter().zip(&requests).zip(&levels);
    let lanes = lanes
        .zip(&outages)
        .map(|(((candidate, requests), level), outages)| Lane {
            name: name(candidate),
            caption: level.as_ref().map_or_else(String::new, LevelPlot::caption),
            verdict: verdict(run, candidate),
            height: outages.height()
                + requests.height()
                + level.as_ref().map_or(0.0, |level| GAP + level.height()),
            shades: outages.bands.clone(),
        });
    let edges = match run.rules() {
        None => time.window_edges(run.limit),
        Some(_) => None,
    };
    let footer = footer(run, view, &time, edges.is_some(), bins.as_deref(), &levels);
    let is_shaded = outages.iter().any(|outages| !outages.bands.is_empty());
    let page = Lanes {
        head: Head::new(
            &run.title,
            &note(run, key, has_level),
            legend(run, bins.is_some(), has_level),
        ),
        axis: time,
        lanes: lanes.collect(),
        footer: with_outages(run, footer, is_shaded),
        edges: edges.into_iter().flatten().map(|at| time.x(at)).collect(),
    };
    Ok(Some(page.draw(|canvas, index, plot| {
        if let Some(level) = &levels[index] {
            level.draw(canvas, &plot);
        }
        let plot = outages[index].draw_words(canvas, &plot);
        match &requests[index] {
            Requests::Marks(marks) => marks.draw(canvas, &plot),
            Requests::Density(density) => density.draw(canvas, &plot),
        }
    })))
}

/// The requests of every lane, as marks if they can be told apart in all of them, else as strips,
/// with what one bar of these is.
fn requests(run: &RunResult, time: &TimeAxis, has_level: bool) -> (Vec<Requests>, Option<String>) {
    if let Some(marks) = Marks::of(run, time) {
        return (marks.into_iter().map(Requests::Marks).collect(), None);
    }
    let height = if has_level { 72.0 } else { 88.0 };
    let bins = Density::bins(run, time);
    let strips = Density::of(run, bins, height).into_iter();
    let are_counts = run.arrivals.is_some()
        || run
            .candidates
            .iter()
            .all(|c| c.tally.offered_cost == c.tally.attempts.into());
    let retried = run.candidates.iter().any(CandidateResult::retried);
    let what = match (are_counts, retried) {
        (true, false) => "requests",
        (true, true) => "attempts",
        (false, _) => "cost units",
    };
    let unit = format!("{what} per {}", duration(bins.width()));
    (strips.map(Requests::Density).collect(), Some(unit))
}

/// The key with most denials over all candidates, then most requests, then the first.
fn busiest(run: &RunResult) -> KeyId {
    let keys = 0..run.keys.len();
    let rank = |key: &usize| {
        let tallies = run.candidates.iter().filter_map(|c| c.per_key.get(*key));
        let (denied, requests) = tallies.fold((0, 0), |(denied, requests), tally| {
            (denied + tally.denied, requests + tally.requests)
        });
        (denied, requests, std::cmp::Reverse(*key))
    };
    let key = keys.max_by_key(rank).unwrap_or(0);
    KeyId(u32::try_from(key).unwrap_or(0))
}

fn note(run: &RunResult, key: KeyId, has_level: bool) -> String {
    let requests = if run.requests == 1 {
        "request"
    } else {
        "requests"
    };
    let asked = format!("{} {requests}", grouped(run.requests.into()));
    let bounds = bounds(run);
    if run.keys.len() <= 1 {
        return format!("{asked} against {bounds}");
    }
    let all = grouped(run.keys.len() as u128);
    let each = if run.rules().is_none() { "each " } else { "" };
    let mut note = format!("{asked} of {all} keys, {each}against {bounds}");
    if let Some(name) = run.keys.get(key.0 as usize).filter(|_| has_level) {
        let name = super::theme::BODY.fit(&neutral(name), 360.0);
        note += &format!("; the level is that of {name}, the busiest");
    }
    note
}

fn legend(run: &RunResult, is_strip: bool, has_level: bool) -> Vec<(Symbol, String)> {
    let some = |amount: fn(&crate::measure::Tally) -> u64| {
        run.candidates
            .iter()
            .any(|candidate| amount(&candidate.tally) > 0)
    };
    let entries = [
        (
            some(|t| t.allowed - t.delayed),
            Symbol::Disc,
            ALLOWED,
            "allowed",
        ),
        (
            some(|t| t.delayed),
            Symbol::Diamond,
            DELAYED,
            "delayed until",
        ),
        (some(|t| t.denied), Symbol::Cross, DENIED, "denied"),
        (some(|t| t.errors), Symbol::Warning, ERROR, "error (503)"),
    ];
    let mut legend: Vec<(Symbol, String)> = Vec::new();
    for (is_there, mark, color, text) in entries {
        if is_there && is_strip {
            let text = if text == "delayed until" {
                "delayed"
            } else {
                text
            };
            legend.push((Symbol::Block(color), text.to_owned()));
        } else if is_there {
            legend.push((mark, text.to_owned()));
        }
    }
    if has_level {
        legend.push((Symbol::Level, "level".to_owned()));
    }
    legend
}

/// What the dashed line is.
fn bound(run: &RunResult) -> String {
    let is_limit = run
        .candidates
        .iter()
        .all(|c| c.level_bound == run.limit.units && level_bounds(c).is_empty());
    if is_limit {
        format!("dashed: the limit of {}", limit(run.limit))
    } else {
        "dashed: the most that the level can be, or the limit".to_owned()
    }
}

fn footer(
    run: &RunResult,
    view: &View,
    time: &TimeAxis,
    has_edges: bool,
    strip: Option<&str>,
    levels: &[Option<LevelPlot>],
) -> String {
    let mut phrases = vec![time.unit()];
    if run.rules().is_some() {
        // Each rule has windows of its own.
    } else if has_edges {
        phrases.push("vertical lines: clock windows".to_owned());
    } else {
        let window = duration(run.limit.window);
        phrases.push(format!(
            "clock windows of {window} are too short to be drawn"
        ));
    }
    let levels: Vec<&LevelPlot> = levels.iter().flatten().collect();
    if !levels.is_empty() {
        phrases.push(bound(run));
    }
    if levels.iter().any(|level| level.has_bands(time)) {
        phrases.push("dark grey: the level goes up and down within".to_owned());
    }
    if let Some(unit) = strip {
        let has_errors = run.candidates.iter().any(|c| c.tally.errors > 0);
        let refused = if has_errors { "refused" } else { "denied" };
        phrases.push(format!(
            "bars: {unit}, admitted upwards, {refused} downwards"
        ));
    }
    if view.is_partial() {
        phrases.push("counts on the right: the whole run".to_owned());
    }
    phrases.join(", ")
}
