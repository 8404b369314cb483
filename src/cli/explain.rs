//! `ratesim explain`: what an algorithm is, with a trace worked by the algorithm itself.

use super::args::Explain;
use super::terminal::Terminal;
use anstyle::Style;
use comfy_table::{CellAlignment, Table, presets};
use ratesim::catalog::{ALGORITHMS, AlgorithmRow, CHARTS, algorithm};
use ratesim::error::{Error, Result};
use ratesim::limiter::Decision;
use ratesim::params::unknown;
use ratesim::report::chart::{self, View};
use ratesim::report::text::{duration, limit};
use ratesim::scenario::{Bounds, Overrides, Scenario, Source};
use ratesim::simulation;
use ratesim::units::{Nanos, Retry, SimTime};
use std::fmt::Write;
use std::path::Path;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
/// Columns that running text is wrapped to.
const WIDTH: usize = 88;

pub(crate) fn run(args: &Explain) -> Result<()> {
    let kinds: Vec<_> = ALGORITHMS.iter().map(|row| row.kind).collect();
    let row = algorithm(&args.algorithm)
        .ok_or_else(|| Error::input(format!("algorithm: {}", unknown(&args.algorithm, &kinds))))?;
    let scenario = worked_scenario(row)?;
    let mut text = about(row);
    text.push_str(&worked_trace(row, &scenario));
    if let Some(path) = &args.chart {
        draw(scenario, path)?;
        let _ = writeln!(text, "\nThe figure is in {}.", path.display());
    }
    Terminal::default().print(&text)
}

/// What the algorithm is, its parameters, what speaks for it and against it.
fn about(row: &AlgorithmRow) -> String {
    let it = row.explanation;
    let mut text = format!("{BOLD}{}{BOLD:#} {DIM}({}){DIM:#}\n", row.title, row.kind);
    paragraph(&mut text, "", it.how);
    let _ = writeln!(text, "\n{BOLD}Parameters{BOLD:#}, with their defaults");
    for parameter in row.parameters {
        paragraph(
            &mut text,
            &format!("  {}: ", parameter.name),
            parameter.meaning,
        );
    }
    let _ = writeln!(text, "\n{BOLD}For and against{BOLD:#}");
    for point in it.good {
        paragraph(&mut text, "  + ", point);
    }
    for point in it.bad {
        paragraph(&mut text, "  − ", point);
    }
    let _ = writeln!(text, "\n{BOLD}Where it is used and described{BOLD:#}");
    paragraph(&mut text, "  ", it.sources);
    text
}

/// Appends words wrapped to [`WIDTH`], later lines indented to where the first begins.
fn paragraph(text: &mut String, begin: &str, words: &str) {
    let indent = begin.chars().count().min(8);
    let mut line = begin.to_owned();
    let mut empty = true;
    for word in words.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "{}", line.trim_end());
            line = " ".repeat(indent);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

/// The worked trace as a scenario with this algorithm alone.
fn worked_scenario(row: &AlgorithmRow) -> Result<Scenario> {
    let it = row.explanation;
    let at: Vec<_> = it
        .arrivals
        .iter()
        .map(|millis| format!("\"{millis}ms\""))
        .collect();
    let text = format!(
        "title = \"{}\"\nlimit = \"{}\"\n[[traffic]]\npattern = \"script\"\nat = [{}]\n[[algorithm]]\nkind = \"{}\"\n",
        row.title,
        it.limit,
        at.join(", "),
        row.kind
    );
    let source = Source::new(Path::new("the worked trace"), text);
    Scenario::read(&source, &Overrides::default(), &Bounds::default())
}

/// The trace as a table.
fn worked_trace(row: &AlgorithmRow, scenario: &Scenario) -> String {
    let it = row.explanation;
    let mut stepper = scenario.candidates[0].candidate.stepper();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "time",
        "before",
        row.level,
        "decision",
        "waits",
        "retry after",
    ]);
    for millis in it.arrivals {
        let now = SimTime::ZERO + Nanos::from_millis(*millis);
        let before = stepper.level(now);
        let decision = stepper.decide(now, 1);
        let (word, waits) = match decision {
            Decision::Allow => ("allow", String::new()),
            Decision::Delay(wait) => ("delay", duration(wait)),
            Decision::Deny => ("deny", String::new()),
        };
        let retry = match (decision, stepper.retry_after(now, 1)) {
            (Decision::Deny, Retry::After(nanos)) => duration(Nanos::from_wide(nanos)),
            (Decision::Deny, Retry::Never) => "never".to_owned(),
            _ => String::new(),
        };
        table.add_row([
            format!("{now} s"),
            before.to_string(),
            stepper.level(now).to_string(),
            word.to_owned(),
            waits,
            retry,
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((2, 1));
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines: Vec<_> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    format!(
        "\n{BOLD}A trace to work through{BOLD:#}, limit {}\n{}\n",
        limit(scenario.limit),
        lines.join("\n")
    )
}

/// Draws the trace's timeline into a file, as SVG or PNG by its name.
fn draw(scenario: Scenario, path: &Path) -> Result<()> {
    let wants_png = match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => true,
        Some("svg") => false,
        _ => {
            return Err(Error::input(format!(
                "--chart {}: must end in .png or .svg",
                path.display()
            )));
        }
    };
    let result = simulation::run(&scenario.into_plan(true), &())?;
    let timeline = &CHARTS[0];
    let svg = chart::draw(timeline, &result, &View::default())?.unwrap_or_default();
    let bytes = if wants_png {
        chart::png(&svg)?
    } else {
        svg.into_bytes()
    };
    std::fs::write(path, bytes)
        .map_err(|cause| Error::run(format!("cannot write {}", path.display())).because(cause))
}
