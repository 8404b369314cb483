//! Attempts: first ones and retries over time, admitted and refused.

use super::View;
use super::bins::Bins;
use super::canvas::{Canvas, Point};
use super::density::between;
use super::outages::{bands, with_outages};
use super::page::{Head, Lane, Lanes, Plot, Symbol, Verdict, columns};
use super::scale::Scale;
use super::span::Span;
use super::theme::{ALLOWED, ALLOWED_AREA, DENIED, DENIED_AREA};
use super::time::TimeAxis;
use super::words::{name, tick};
use crate::error::Result;
use crate::measure::{CandidateResult, RunResult, Tries};
use crate::report::text::{duration, each, grouped, percent};
use crate::units::SimTime;
use plotters::style::RGBColor;

/// The most bars over the width of the page.
const BARS: u64 = 240;

/// What bars are made of, from below: its colour and its name.
const PARTS: [(RGBColor, &str); 4] = [
    (ALLOWED, "first attempts admitted"),
    (ALLOWED_AREA, "retries admitted"),
    (DENIED, "first attempts refused"),
    (DENIED_AREA, "retries refused"),
];

/// Draws the attempts; `None` where nobody tries again.
#[allow(clippy::cast_precision_loss)]
pub fn draw(run: &RunResult, view: &View) -> Result<Option<String>> {
    if !run.candidates.iter().any(CandidateResult::retried) {
        return Ok(None);
    }
    let (left, right) = columns(["9999"]);
    let time = TimeAxis::new(Span::of(run, view).within(run), left, right, run.epoch);
    let bins = Bins::over(time.span, BARS, Some(run.grid.width()));
    let bars: Vec<Vec<[u128; 4]>> = run
        .candidates
        .iter()
        .map(|candidate| {
            let tries = candidate.clients().map_or(&[][..], |it| &it.buckets);
            bins.sum_of(run, tries, parts)
        })
        .collect();
    let heights = bars.iter().flatten().map(|bar| bar.iter().sum::<u128>());
    let most = heights.max().unwrap_or(0) as f64;
    let height = if run.candidates.len() <= 6 {
        96.0
    } else {
        64.0
    };
    let shades = bands(run, &time);
    let is_shaded = shades.iter().any(|shades| !shades.is_empty());
    let lanes = run.candidates.iter().zip(shades);
    let lanes = lanes.map(|(candidate, shades)| Lane {
        name: name(candidate),
        caption: String::new(),
        verdict: verdict(candidate),
        height,
        shades,
    });
    let page = Lanes {
        head: head(run, bins),
        axis: time,
        lanes: lanes.collect(),
        footer: with_outages(run, footer(view, &time), is_shaded),
        edges: Vec::new(),
    };
    Ok(Some(page.draw(|canvas, index, plot| {
        let scale = Scale::new(most, plot.top, plot.bottom);
        paint(canvas, &plot, scale, bins, &bars[index]);
        for value in scale.apart(&[0.0, most]) {
            plot.value_label(canvas, scale.y(value), &tick(value));
        }
    })))
}

fn parts(tries: &Tries) -> [u128; 4] {
    [
        tries.first_admitted,
        tries.again_admitted,
        tries.first_refused,
        tries.again_refused,
    ]
    .map(u128::from)
}

/// Bars on top of each other, those next to each other in one area.
#[allow(clippy::cast_precision_loss)]
fn paint(canvas: &mut Canvas<'_>, plot: &Plot, scale: Scale, bins: Bins, bars: &[[u128; 4]]) {
    let mut from = 0;
    for run in bars.chunk_by(|a, b| (a.iter().sum::<u128>() > 0) == (b.iter().sum::<u128>() > 0)) {
        let begin = from;
        from += run.len();
        if run[0].iter().sum::<u128>() == 0 {
            continue;
        }
        // The upper edge of so many parts.
        let edge = |count: usize| -> Vec<Point> {
            let bars = run.iter().enumerate();
            bars.flat_map(|(index, bar)| {
                let (start, end) = bins.bounds(begin + index);
                let y = scale.y(bar[..count].iter().sum::<u128>() as f64);
                let y = stretched(y, scale.y(bar.iter().sum::<u128>() as f64), plot.bottom);
                [(plot.axis.x_within(start), y), (plot.axis.x_within(end), y)]
            })
            .collect()
        };
        for (part, (color, _)) in PARTS.iter().enumerate() {
            if run.iter().any(|bar| bar[part] > 0) {
                between(canvas, &edge(part), &edge(part + 1), *color);
            }
        }
    }
}

/// A row of a bar that reaches from `bottom` up to `top`, which is stretched where it would be too low
/// to be seen.
fn stretched(y: f64, top: f64, bottom: f64) -> f64 {
    const LEAST: f64 = 2.5;
    let height = bottom - top;
    match height < LEAST {
        true => bottom - (bottom - y) * LEAST / height,
        false => y,
    }
}

/// `5,500 attempts for 1,000 requests, all served by 9 min`.
fn verdict(candidate: &CandidateResult) -> Verdict {
    let Some(clients) = candidate.clients() else {
        return Verdict::default();
    };
    let all = clients.total();
    let plural = |count: u64, one: &str| {
        let s = if count == 1 { "" } else { "s" };
        format!("{} {one}{s}", grouped(count.into()))
    };
    let tried = format!(
        "{} for {}",
        plural(all.attempts, "attempt"),
        plural(all.requests, "request")
    );
    let last = all.drained.map(|at| duration(at.since(SimTime::ZERO)));
    let served = match last {
        None => "none served".to_owned(),
        Some(last) if all.served == all.requests => format!("done at {last}"),
        Some(last) => {
            let share = percent(all.served.into(), all.requests.into());
            format!("{share} served, the last at {last}")
        }
    };
    Verdict {
        counts: format!("{tried}, {served}"),
        broken: None,
    }
}

fn head(run: &RunResult, bins: Bins) -> Head {
    let note = format!("Attempts made per {}", each(bins.width()));
    let legend = PARTS.iter();
    let legend = legend.map(|(color, name)| (Symbol::Block(*color), (*name).to_owned()));
    Head::new(&run.title, &note, legend.collect())
}

fn footer(view: &View, time: &TimeAxis) -> String {
    let mut phrases = vec![time.unit()];
    if view.is_partial() {
        phrases.push("counts on the right: the whole run".to_owned());
    }
    phrases.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn drawn(run: &RunResult) -> Option<String> {
        draw(run, &View::default()).unwrap()
    }

    /// Waves of 1,000, 900, …, 100.
    #[test]
    fn a_herd_is_told_by_its_attempts_and_when_the_last_was_served() {
        let told = drawn(&fixture::herd()).unwrap();
        assert!(told.contains("5,500 attempts for 1,000 requests, done at 9 min"));
        assert!(told.contains("1,000 attempts for 1,000 requests, 10.0 % served, the last at 0 s"));
        assert!(told.contains("retries refused"));
    }

    #[test]
    fn where_nobody_tries_again_nothing_is_drawn() {
        let mut run = fixture::herd();
        run.candidates.remove(0);
        assert!(drawn(&run).is_none());
        assert!(drawn(&fixture::race()).is_none());
    }
}
