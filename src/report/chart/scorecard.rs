//! The scorecard: all candidates over the measures that tell them apart.

use super::View;
use super::canvas::page;
use super::cells::{Cell, Cells, Column, NEUTRAL, Rank};
use super::names::Names;
use super::page::{Head, MARGIN, Symbol, WIDTH, text_lines};
use super::theme::{MUTED, SMALL};
use super::words::name;
use crate::error::Result;
use crate::measure::{CandidateResult, METRICS, Reading, RunResult};
use crate::report::text;

/// What is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    Less,
    More,
    /// Below 1 nothing is gained.
    UpToOne,
    /// It depends on who asks.
    Neither,
}

/// One measure.
struct Measure {
    heading: &'static str,
    /// Its column in the list of measures, or what else to read.
    read: fn(&CandidateResult, &RunResult) -> Reading,
    better: Better,
}

const MEASURES: [Measure; 15] = [
    Measure {
        heading: "most in a window, of the limit",
        read: |c, run| listed("overshoot", c, run),
        better: Better::UpToOne,
    },
    Measure {
        heading: "false allows",
        read: |c, run| listed("false_allow", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "false denies",
        read: |c, run| listed("false_deny", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "denied",
        read: |c, _| Reading::Share(c.tally.denied.into(), c.tally.attempts.into()),
        better: Better::Neither,
    },
    Measure {
        heading: "errors (503)",
        read: |c, run| listed("errors", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "legitimate denied",
        read: |c, run| listed("legitimate_denied", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "abusive allowed",
        read: |c, run| listed("abusive_allowed", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "served in the end",
        read: |c, run| listed("goodput", c, run),
        better: Better::More,
    },
    Measure {
        heading: "attempts per request",
        read: |c, run| listed("attempts_per_request", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "last request served at",
        read: |c, run| listed("drained_s", c, run),
        better: Better::Neither,
    },
    Measure {
        heading: "fairness among keys",
        read: fairness,
        better: Better::More,
    },
    Measure {
        heading: "longest wait",
        read: |c, run| listed("delay_max_s", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "added latency, p99",
        read: |c, run| listed("added_latency_p99_s", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "store operations per request",
        read: |c, run| listed("store_ops", c, run),
        better: Better::Less,
    },
    Measure {
        heading: "peak memory",
        read: |c, run| listed("state_bytes_peak", c, run),
        better: Better::Less,
    },
];

fn listed(column: &str, candidate: &CandidateResult, run: &RunResult) -> Reading {
    METRICS
        .iter()
        .find(|metric| metric.column == column)
        .map_or(Reading::Absent, |metric| metric.reading(candidate, run))
}

/// Jain's index, where there are several keys.
fn fairness(candidate: &CandidateResult, run: &RunResult) -> Reading {
    if run.keys.len() < 2 {
        return Reading::Absent;
    }
    value(&listed("fairness", candidate, run)).map_or(Reading::Absent, Reading::Real)
}

#[allow(clippy::cast_precision_loss)]
fn value(reading: &Reading) -> Option<f64> {
    match reading {
        Reading::Ratio(_, 0) | Reading::MeanBytes(_, 0) => None,
        Reading::Share(_, 0) | Reading::PerRequest(_, 0) => None,
        Reading::Text(_) | Reading::Absent => None,
        Reading::Count(value) | Reading::Bytes(value) => Some(*value as f64),
        Reading::Ratio(parts, whole)
        | Reading::MeanBytes(parts, whole)
        | Reading::Share(parts, whole)
        | Reading::PerRequest(parts, whole) => Some(*parts as f64 / *whole as f64),
        Reading::Real(value) => Some(*value),
        Reading::Time(time) => Some(time.get() as f64),
    }
}

/// Draws the whole run, whatever the view; `None` for a run without requests.
#[allow(clippy::cast_precision_loss)]
pub fn draw(run: &RunResult, _: &View) -> Result<Option<String>> {
    if run.requests == 0 || run.candidates.is_empty() {
        return Ok(None);
    }
    let names: Vec<String> = run.candidates.iter().map(name).collect();
    let names = Names::new(&names);
    let columns: Vec<Column> = MEASURES
        .iter()
        .filter_map(|measure| column(measure, run))
        .collect();
    if columns.is_empty() {
        return Ok(None);
    }
    // A few columns are not drawn out over the whole page.
    let cells = Cells::new(&names, &columns, columns.len().max(5));
    let head = head(run, &columns);
    let footer = SMALL.wrap(&footer(&columns), WIDTH - 2.0 * MARGIN, 4);
    let top = MARGIN + head.height();
    let bottom = top + cells.height() + 18.0;
    let height = bottom + footer.len() as f64 * SMALL.leading() + MARGIN;
    Ok(Some(page(WIDTH, height.ceil(), |canvas| {
        head.draw(canvas, MARGIN);
        cells.draw(canvas, top);
        text_lines(canvas, (MARGIN, bottom), &footer, SMALL, MUTED);
    })))
}

/// The measure's column; `None` where nobody has anything in it.
fn column(measure: &Measure, run: &RunResult) -> Option<Column> {
    let readings: Vec<Reading> = run
        .candidates
        .iter()
        .map(|candidate| (measure.read)(candidate, run))
        .collect();
    let values: Vec<Option<f64>> = readings.iter().map(value).collect();
    let most = values.iter().flatten().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let texts: Vec<String> = readings.iter().map(text::reading).collect();
    let ranks = ranks(measure.better, &values, &texts);
    let cells = values.iter().zip(texts).zip(ranks);
    let cells = cells.map(|((value, text), rank)| {
        let share = value.map_or(0.0, |value| value / most.max(f64::MIN_POSITIVE));
        let mut cell = Cell::new(text, share, NEUTRAL);
        cell.rank = rank;
        cell.is_broken =
            measure.better == Better::UpToOne && value.is_some_and(|value| value > 1.0);
        cell
    });
    Some(Column {
        heading: measure.heading.to_owned(),
        cells: cells.collect(),
    })
}

/// Who is best and who worst; nobody where all read the same. What reads the same ranks the same.
fn ranks(better: Better, values: &[Option<f64>], texts: &[String]) -> Vec<Rank> {
    let badness = |value: f64| match better {
        Better::Less => value,
        Better::More => -value,
        Better::UpToOne => value.max(1.0),
        Better::Neither => 0.0,
    };
    let known: Vec<(f64, &String)> = values
        .iter()
        .zip(texts)
        .filter_map(|(value, text)| Some((badness((*value)?), text)))
        .collect();
    let best = known.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let worst = known.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(best), Some(worst)) = (best, worst) else {
        return vec![Rank::Between; values.len()];
    };
    let is_like = |value: f64, text: &String, other: &(f64, &String)| {
        badness(value) <= other.0 && badness(value) >= other.0 || text == other.1
    };
    let is_level = best.0 >= worst.0 || best.1 == worst.1;
    let rank = |(value, text): (&Option<f64>, &String)| match value {
        Some(value) if !is_level && is_like(*value, text, best) => Rank::Best,
        Some(value) if !is_level && is_like(*value, text, worst) => Rank::Worst,
        _ => Rank::Between,
    };
    values.iter().zip(texts).map(rank).collect()
}

fn has(columns: &[Column], what: impl Fn(&Cell) -> bool) -> bool {
    columns.iter().flat_map(|column| &column.cells).any(what)
}

fn head(run: &RunResult, columns: &[Column]) -> Head {
    let bounds = text::bounds(run);
    let requests = text::grouped(run.requests.into());
    let note = format!("All candidates at a glance: {requests} requests against {bounds}");
    let legend = if has(columns, |cell| cell.rank != Rank::Between) {
        vec![
            (Symbol::Best, "best of the column".to_owned()),
            (Symbol::Worst, "worst of the column".to_owned()),
        ]
    } else {
        Vec::new()
    };
    Head::new(&run.title, &note, legend)
}

fn footer(columns: &[Column]) -> String {
    let mut phrases = vec!["bars: share of the column's highest"];
    if has(columns, |cell| cell.is_broken) {
        phrases.push("bold: above the limit; at or below it all are equally good");
    }
    phrases.push("how much is denied is neither good nor bad in itself");
    if columns
        .iter()
        .any(|column| column.heading.starts_with("fairness"))
    {
        phrases.push("fairness: 1 when all keys fare alike (Jain's index)");
    }
    phrases.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(better: Better, values: &[f64]) -> String {
        let texts: Vec<String> = values.iter().map(|value| format!("{value:.1}")).collect();
        let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let sign = |rank| match rank {
            Rank::Best => '+',
            Rank::Worst => '-',
            Rank::Between => '.',
        };
        ranks(better, &values, &texts)
            .into_iter()
            .map(sign)
            .collect()
    }

    #[test]
    fn the_best_and_the_worst_are_marked_and_equals_alike() {
        assert_eq!(ranked(Better::Less, &[0.0, 5.0, 2.0, 0.0]), "+-.+");
        assert_eq!(ranked(Better::More, &[0.2, 0.9]), "-+");
        assert_eq!(ranked(Better::Less, &[3.0, 3.0]), "..");
        assert_eq!(ranked(Better::Neither, &[0.0, 1.0]), "..");
    }

    #[test]
    fn keeping_the_limit_by_more_is_no_better() {
        assert_eq!(ranked(Better::UpToOne, &[0.5, 1.0, 2.0, 1.4]), "++-.");
        assert_eq!(ranked(Better::UpToOne, &[0.5, 1.0]), "..");
    }

    #[test]
    fn what_reads_the_same_ranks_the_same() {
        assert_eq!(ranked(Better::Less, &[1.01, 1.02, 7.0]), "++-");
        assert_eq!(ranked(Better::Less, &[1.01, 1.02]), "..");
    }
}
