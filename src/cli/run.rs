//! `ratesim run`: reads scenarios, runs them, prints what stands out and writes the results.

use super::args::{Form, Run};
use super::input;
use super::output::{INDEX, Output};
use super::progress::Bar;
use super::terminal::Terminal;
use ratesim::catalog::CHARTS;
use ratesim::error::{Error, Result};
use ratesim::measure::{Measure, RunResult};
use ratesim::params::Moment;
use ratesim::report::chart::{self, View};
use ratesim::report::{csv, jsonl, mermaid, run_json, terminal};
use ratesim::scenario::Scenario;
use ratesim::simulation::{self, Progress};
use ratesim::units::SimTime;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A scenario that is ready to run.
struct Job {
    scenario: Scenario,
    folder: PathBuf,
    view: View,
    with_timeline: bool,
}

/// Runs the scenarios in turn. All of them are read before the first runs, so that wrong input
/// touches no output.
pub(crate) fn run(args: &Run) -> Result<()> {
    let threads = args.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|cause| Error::run("cannot start the threads").because(cause))?;
    let jobs = pool.install(|| prepare(args))?;
    let mut terminal = Terminal::default();
    for job in jobs {
        let text = pool.install(|| job.run(args))?;
        if !args.quiet {
            terminal.print(&text)?;
        }
    }
    Ok(())
}

fn prepare(args: &Run) -> Result<Vec<Job>> {
    let folders = folders(&args.input.scenarios, args.output.as_deref())?;
    for folder in &folders {
        Output::check(folder)?;
    }
    let read = input::read(&args.input, args.quiet)?;
    let mut jobs = Vec::with_capacity(read.len());
    for (read, folder) in read.into_iter().zip(folders) {
        let view = view(args, &read.scenario)?;
        jobs.push(Job {
            scenario: read.scenario,
            folder,
            view,
            with_timeline: read.with_timeline,
        });
    }
    Ok(jobs)
}

/// Where each scenario's results go.
fn folders(scenarios: &[PathBuf], output: Option<&Path>) -> Result<Vec<PathBuf>> {
    let mut owners: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    let mut folders = Vec::with_capacity(scenarios.len());
    for path in scenarios {
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        let folder = match output {
            Some(folder) if scenarios.len() == 1 => folder.to_owned(),
            Some(folder) => folder.join(stem),
            None => Path::new("output").join(stem),
        };
        if let Some(other) = owners.insert(folder.clone(), path) {
            return Err(Error::input(format!(
                "{} and {} would both write to {}; run them apart, each with its own -o",
                other.display(),
                path.display(),
                folder.display()
            )));
        }
        folders.push(folder);
    }
    Ok(folders)
}

/// The span that pictures show, as points of the scenario's time.
fn view(args: &Run, scenario: &Scenario) -> Result<View> {
    let point = |flag: &str, moment: Option<Moment>| {
        let Some(moment) = moment else {
            return Ok(None);
        };
        let since = moment.since_start(scenario.epoch).ok_or_else(|| {
            let start = scenario.epoch;
            Error::input(format!("{flag} lies before the start, {start}"))
        })?;
        Ok(Some(SimTime::ZERO.saturating_add(since)))
    };
    let view = View {
        from: point("--from", args.from)?,
        to: point("--to", args.to)?,
    };
    let begins = view.from.unwrap_or(SimTime::ZERO);
    let end = scenario.horizon;
    if begins >= SimTime::ZERO.saturating_add(end) {
        return Err(Error::input(format!(
            "--from must lie before the end of the run at {end}"
        )));
    }
    if view.to.is_some_and(|to| to <= begins) {
        return Err(Error::input("--to must be later than --from"));
    }
    Ok(view)
}

impl Job {
    /// Runs the scenario, writes its results, and gives the text to print.
    fn run(self, args: &Run) -> Result<String> {
        // Made before the run, which may take long: a folder that cannot be written is known now.
        let mut output = Output::begin(&self.folder)?;
        let resolved = self.scenario.resolved.clone();
        let notes = self.scenario.notes.clone();
        let plan = self.scenario.into_plan(self.with_timeline);
        let expected = plan.workload.expected_requests();
        let bar = Bar::new(plan.title.clone(), expected, "requests", args.quiet);
        let result = simulation::run(&plan, &bar)?;
        drop(bar);

        tables(&result, &args.format, &mut output)?;
        if !args.no_charts {
            pictures(&result, &self.view, args.quiet, &mut output)?;
        }
        let files = output.files().to_vec();
        let origin = run_json::Origin {
            scenario: &resolved,
            seed: plan.seed,
            notes: &notes,
            files: &files,
        };
        output.file(INDEX, |out| run_json::write(&result, origin, out))?;
        let written = output.commit()?;
        Ok(format!(
            "{}{}",
            terminal::report(&result),
            listing(&self.folder, &written)
        ))
    }
}

/// Writes the tables, the timeline in these forms.
fn tables(result: &RunResult, forms: &[Form], output: &mut Output) -> Result<()> {
    output.file("summary.csv", |out| Ok(csv::summary(result, out)?))?;
    let has_timeline = |form| result.arrivals.is_some() && forms.contains(&form);
    if has_timeline(Form::Csv) {
        output.file("timeline.csv", |out| Ok(csv::timeline(result, out)?))?;
    }
    if has_timeline(Form::Jsonl) {
        output.file("timeline.jsonl", |out| jsonl::timeline(result, out))?;
    }
    if result.measures.has(Measure::Series) {
        output.file("series.csv", |out| Ok(csv::series(result, out)?))?;
    }
    if result.measures.has(Measure::Keys) {
        output.file("keys.csv", |out| Ok(csv::keys(result, out)?))?;
    }
    if result.rules().is_some() {
        output.file("rules.csv", |out| Ok(csv::rules(result, out)?))?;
    }
    let clusters = result.candidates.iter().filter_map(|c| c.cluster.as_ref());
    if clusters.flat_map(|cluster| &cluster.nodes).next().is_some() {
        output.file("nodes.csv", |out| Ok(csv::nodes(result, out)?))?;
    }
    if result.candidates.iter().any(|c| c.backend().is_some()) {
        output.file("backend.csv", |out| Ok(csv::backend(result, out)?))?;
    }
    if result.candidates.iter().any(|c| c.clients().is_some()) {
        output.file("clients.csv", |out| Ok(csv::clients(result, out)?))?;
    }
    Ok(())
}

/// Draws the charts that the run has something for, each as SVG and as PNG, and the sequence as text.
fn pictures(result: &RunResult, view: &View, quiet: bool, output: &mut Output) -> Result<()> {
    let count = CHARTS.len() as u64;
    let bar = Bar::new("Drawing".to_owned(), count, "charts", quiet);
    let drawn = CHARTS
        .par_iter()
        .map(|row| {
            let svg = chart::draw(row, result, view)?;
            let picture = svg.map(|svg| Ok((chart::png(&svg)?, svg))).transpose()?;
            bar.advance(1);
            Ok(picture)
        })
        .collect::<Result<Vec<_>>>()?;
    drop(bar);
    for (row, picture) in CHARTS.iter().zip(drawn) {
        let Some((png, svg)) = picture else {
            continue;
        };
        output.file(&format!("{}.svg", row.name), |out| {
            out.write_all(svg.as_bytes())
        })?;
        output.file(&format!("{}.png", row.name), |out| out.write_all(&png))?;
    }
    if let Some(text) = mermaid::sequence(result, view) {
        output.file("sequence.mmd", |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// The files of the result, in words.
fn listing(folder: &Path, files: &[PathBuf]) -> String {
    let of = |endings: &[&str]| {
        let ends = |path: &&PathBuf| {
            path.extension()
                .is_some_and(|ending| endings.iter().any(|known| ending == *known))
        };
        files.iter().filter(ends).collect::<Vec<_>>()
    };
    let named =
        |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let tables: Vec<_> = of(&["csv", "jsonl", "json", "mmd"])
        .iter()
        .map(|path| named(path.file_name()))
        .collect();
    let pictures: Vec<_> = of(&["png"])
        .iter()
        .map(|path| named(path.file_stem()))
        .collect();
    let pictures = match pictures.as_slice() {
        [] => String::new(),
        names => format!("\n  pictures (.png, .svg): {}", names.join(", ")),
    };
    format!(
        "\nIn {}: {}{pictures}\n",
        folder.display(),
        tables.join(", ")
    )
}
