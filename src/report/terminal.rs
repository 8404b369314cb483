//! What the terminal shows of a run: the table of candidates, the findings, and a small timeline.
//!
//! Text carries ANSI styles; whoever prints it strips them where they are not wanted.

use super::findings::{Tone, findings};
use super::text::{bounds, clock, duration, grouped, limit, reading, visible};
use crate::limiter::Decision;
use crate::measure::{CandidateResult, METRICS, Reading, Record, RunResult};
use crate::units::{Nanos, SimTime};
use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table, presets};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
/// The colours of the charts as near as a terminal has them; each also has a sign of its own.
const ALLOWED: Style = AnsiColor::Blue.on_default();
const DELAYED: Style = AnsiColor::Yellow.on_default();
const DENIED: Style = AnsiColor::Red.on_default();
const ERROR: Style = AnsiColor::Magenta.on_default();
const BROKEN: Style = AnsiColor::Red.on_default().bold();

/// Columns that sentences are wrapped to.
const WIDTH: usize = 100;

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Everything that a run prints: heading, table, findings and, for a small run, its timeline.
pub fn report(run: &RunResult) -> String {
    let mut text = heading(run);
    text.push_str(&table(run));
    text.push('\n');
    if let Some(table) = theory_table(run) {
        text.push_str(&table);
        text.push('\n');
    }
    for finding in findings(run) {
        let sign = match finding.tone {
            Tone::Bad => styled(BROKEN, "✗"),
            Tone::Good => styled(ALLOWED, "✓"),
            Tone::Note => styled(DIM, "·"),
        };
        let _ = writeln!(text, "{sign} {}", wrapped(&finding.text));
    }
    if let Some(timeline) = timeline(run) {
        text.push('\n');
        text.push_str(&timeline);
    }
    text
}

/// A sentence in lines of at most [`WIDTH`] columns, the later ones indented by two.
fn wrapped(sentence: &str) -> String {
    let mut text = String::new();
    let mut column = 2;
    for word in sentence.split(' ') {
        let width = word.width();
        if column > 2 && column + 1 + width > WIDTH {
            text.push_str("\n  ");
            column = 2;
        } else if column > 2 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += width;
    }
    text
}

fn heading(run: &RunResult) -> String {
    let count = |many: u64, one: &str| {
        let plural = if many == 1 { "" } else { "s" };
        format!("{} {one}{plural}", grouped(u128::from(many)))
    };
    let keys = run.keys.len() as u64;
    let (each, of) = match (keys, run.rules()) {
        (2.., None) => (
            format!(" for each of {}", count(keys, "key")),
            String::new(),
        ),
        // Rules count by keys of their own.
        _ => (String::new(), format!(" of {}", count(keys, "key"))),
    };
    let line = format!(
        "{}{each}, {}{of} in {}",
        match run.rules() {
            None => format!("limit {}", limit(run.limit)),
            Some(_) => bounds(run),
        },
        count(run.requests, "request"),
        duration(run.horizon.since(SimTime::ZERO)),
    );
    format!(
        "{}\n{}\n\n",
        styled(BOLD, &visible(&run.title)),
        styled(DIM, &line)
    )
}

/// The measures that have a heading, candidates as rows. Columns in which nobody has anything (no
/// delay, no error) are left out.
fn table(run: &RunResult) -> String {
    let shown: Vec<_> = METRICS
        .iter()
        .filter(|metric| !metric.heading.is_empty())
        .collect();
    let rows: Vec<Vec<Reading>> = run
        .candidates
        .iter()
        .map(|candidate| {
            shown
                .iter()
                .map(|metric| metric.reading(candidate, run))
                .collect()
        })
        .collect();
    let says_something = |column: &usize| {
        let optional = [
            "delayed",
            "errors",
            "delay\np99",
            "store\nops",
            "added\np99",
            "races",
            "per\nkey",
            "legit.\ndenied",
            "abusive\nallowed",
            "attempts\nper req.",
            "served in\nthe end",
            "last\nserved",
            "honest",
            "denied\nby",
            "queued",
            "over-\nflow",
            "backend\nbusy",
            "response\np99",
            "over-\nloaded",
        ]
        .contains(&shown[*column].heading);
        let is_measured = |measure| run.measures.has(measure);
        if !shown[*column].measure.is_none_or(is_measured) {
            return false;
        }
        let per_key_of_one = shown[*column].heading == "per\nkey" && run.keys.len() == 1;
        !per_key_of_one && (!optional || rows.iter().any(|row| !is_nothing(&row[*column])))
    };
    let columns: Vec<usize> = (0..shown.len()).filter(says_something).collect();
    let mut table = plain_table();
    table.set_header(columns.iter().map(|column| shown[*column].heading));
    for row in &rows {
        table.add_row(columns.iter().map(|column| reading(&row[*column])));
    }
    align(&mut table);
    let heading_lines = 2;
    let mut text = String::new();
    for (index, line) in table.lines().enumerate() {
        let over = index
            .checked_sub(heading_lines)
            .and_then(|row| run.candidates.get(row))
            .is_some_and(|candidate| candidate.is_over(run));
        let style = match (index < heading_lines, over) {
            (true, _) => DIM,
            (_, true) => BROKEN,
            _ => Style::new(),
        };
        let _ = writeln!(text, "{}", styled(style, line.trim_end()));
    }
    text
}

/// Closed forms beside what was measured, where one covers the scenario.
fn theory_table(run: &RunResult) -> Option<String> {
    let mut table = plain_table();
    table.set_header(["share denied", "closed form", "measured", "apart"]);
    let mut any = false;
    for candidate in &run.candidates {
        if let Some(found) = candidate.theory {
            any = true;
            table.add_row([
                visible(&candidate.name),
                format!("{:.2} %", 100.0 * found.theory),
                format!("{:.2} %", 100.0 * found.measured),
                format!("{:+.1} standard errors", found.distance()),
            ]);
        }
    }
    align(&mut table);
    let mut text = String::new();
    for (index, line) in table.lines().enumerate() {
        let style = if index == 0 { DIM } else { Style::new() };
        let _ = writeln!(text, "{}", styled(style, line.trim_end()));
    }
    any.then_some(text)
}

/// A table without lines.
fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// Names to the left, everything else to the right.
fn align(table: &mut Table) {
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn is_nothing(reading: &Reading) -> bool {
    match reading {
        Reading::Absent
        | Reading::Ratio(_, 0)
        | Reading::MeanBytes(_, 0)
        | Reading::Share(_, 0)
        | Reading::PerRequest(_, 0) => true,
        Reading::Count(value)
        | Reading::Bytes(value)
        | Reading::Ratio(value, _)
        | Reading::MeanBytes(value, _)
        | Reading::Share(value, _)
        | Reading::PerRequest(value, _) => *value == 0,
        Reading::Real(_) => false,
        Reading::Time(time) => *time == Nanos::ZERO,
        Reading::Text(text) => text.is_empty(),
    }
}

/// The widest timeline, in columns: each request takes two, or one where two do not fit.
const MOST_COLUMNS: usize = 72;

/// One line per candidate with a sign per request, under a ruler of their times.
fn timeline(run: &RunResult) -> Option<String> {
    let arrivals = run.arrivals.as_ref()?;
    if arrivals.is_empty() || arrivals.len() > MOST_COLUMNS || run.keys.len() > 1 {
        return None;
    }
    // One column stands for one request of all candidates, which retries come between.
    if run.candidates.iter().any(CandidateResult::retried) {
        return None;
    }
    let names: Vec<String> = run.candidates.iter().map(|c| visible(&c.name)).collect();
    let margin = names.iter().map(|name| name.width()).max()? + 2;
    let times: Vec<SimTime> = arrivals.iter().map(|arrival| arrival.at).collect();
    let stride = if 2 * arrivals.len() <= MOST_COLUMNS {
        2
    } else {
        1
    };
    let of_day = run.epoch.time_of_day();
    let times: Vec<SimTime> = times.iter().map(|at| at.saturating_add(of_day)).collect();
    let (labels, ticks) = ruler(&times, stride);
    let mut text = format!(
        "{}   {} allowed  {} delayed  {} denied",
        styled(BOLD, "timeline"),
        styled(ALLOWED, "●"),
        styled(DELAYED, "◆"),
        styled(DENIED, "×"),
    );
    if run.candidates.iter().any(|c| c.tally.errors > 0) {
        let _ = write!(text, "  {} error", styled(ERROR, "▲"));
    }
    text.push('\n');
    let indent = " ".repeat(margin);
    let _ = writeln!(text, "{indent}{}", styled(DIM, labels.trim_end()));
    let _ = writeln!(text, "{indent}{}", styled(DIM, ticks.trim_end()));
    for (name, candidate) in names.iter().zip(&run.candidates) {
        let pad = " ".repeat(margin - name.width());
        let _ = writeln!(text, "{name}{pad}{}", signs(candidate, stride));
    }
    Some(text)
}

fn signs(candidate: &CandidateResult, stride: usize) -> String {
    let sign = |record: &Record| match record.decision {
        _ if record.is_error() => styled(ERROR, "▲"),
        Decision::Allow => styled(ALLOWED, "●"),
        Decision::Delay(_) => styled(DELAYED, "◆"),
        Decision::Deny => styled(DENIED, "×"),
    };
    let signs: Vec<String> = candidate.records.iter().flatten().map(sign).collect();
    signs.join(&" ".repeat(stride - 1))
}

/// Labels and ticks above the columns. The first request and those after a pause (more than twice the
/// gap before) are labelled first, then whatever has room between them.
fn ruler(times: &[SimTime], stride: usize) -> (String, String) {
    let gaps: Vec<Nanos> = times
        .windows(2)
        .map(|pair| pair[1].since(pair[0]))
        .collect();
    let finest = gaps
        .iter()
        .filter(|gap| **gap > Nanos::ZERO)
        .map(|gap| gap.get());
    let origin = times[0].as_nanos();
    let step = finest.fold(origin, num_integer::gcd).max(1);
    let label = |index: usize| clock(times[index], Nanos::new(step));
    let room = |index: usize| stride * index..stride * index + label(index).width() + 1;
    let follows_pause = |index: &usize| {
        let before = gaps.get(index.wrapping_sub(2)).copied().unwrap_or_default();
        *index == 0 || gaps[index - 1].get() > before.get().saturating_mul(2)
    };
    let changes = |index: &usize| *index == 0 || gaps[index - 1] > Nanos::ZERO;
    let all = || (0..times.len()).filter(changes);
    let mut taken: Vec<usize> = Vec::new();
    for index in all().filter(follows_pause).chain(all()) {
        let here = room(index);
        let is_free = taken
            .iter()
            .map(|other| room(*other))
            .all(|there| there.end <= here.start || here.end <= there.start);
        if is_free {
            taken.push(index);
        }
    }
    taken.sort_unstable();
    let (mut labels, mut ticks) = (String::new(), String::new());
    for index in taken {
        let column = stride * index;
        let _ = write!(
            labels,
            "{:1$}{2}",
            "",
            column - labels.width(),
            label(index)
        );
        let _ = write!(ticks, "{:1$}|", "", column - ticks.width());
    }
    (labels, ticks)
}
