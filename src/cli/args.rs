//! The flags, in one table.

use clap::{Args, Parser, Subcommand, ValueEnum};
use ratesim::params::{FromValue, Moment, Value};
use ratesim::scenario::{Bounds, Overrides};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  ratesim run scenarios/boundary_burst.toml
  ratesim run scenarios/*.toml -o results --no-charts
  ratesim run day.toml --algorithm gcra,fixed_window --limit 100/1m
  ratesim run day.toml --set traffic.0.rate=200/s --set algorithm.gcra.burst=5
  ratesim check day.toml > resolved.toml
  ratesim list
  ratesim explain gcra --chart gcra.png
  ratesim new question
  ratesim completions bash > ~/.local/share/bash-completion/completions/ratesim

Exit status: 0 done, 1 failed while running, 2 wrong input.";

/// Simulate and compare rate limiters on the same traffic, exactly.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run scenarios: print what stands out, write tables and pictures
    #[command(after_help = EXAMPLES)]
    Run(Run),
    /// Validate scenarios and rules files (.yaml) and print them with every default filled in
    Check(Check),
    /// List algorithms, traffic patterns, charts and ready scenarios
    List,
    /// Explain an algorithm: what it is, its parameters, trade-offs, a worked trace
    Explain(Explain),
    /// Write a commented scenario to start from
    New(New),
    /// Print completions for a shell
    Completions(Completions),
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Its kind, such as token_bucket
    #[arg(value_name = "ALGORITHM")]
    pub(crate) algorithm: String,
    /// Draw the worked trace into this file (.png or .svg)
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
}

/// Arguments of `new`.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// Name of the file; .toml is added where it has no ending
    #[arg(value_name = "NAME")]
    pub(crate) name: PathBuf,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Folder of the results, with several scenarios one folder in it for each [default:
    /// output/SCENARIO]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Draw no pictures
    #[arg(long)]
    pub(crate) no_charts: bool,
    /// Forms of the timeline, one or both; the other tables are always CSV
    #[arg(
        long,
        value_name = "FORM,...",
        value_delimiter = ',',
        default_value = "csv"
    )]
    pub(crate) format: Vec<Form>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Draw pictures from this moment on: a duration since the start or a clock time
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "no_charts")]
    pub(crate) from: Option<Moment>,
    /// Draw pictures up to this moment
    #[arg(long, value_name = "TIME", value_parser = moment, conflicts_with = "no_charts")]
    pub(crate) to: Option<Moment>,
    /// Threads to run on; results do not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

/// A form in which the timeline is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// timeline.csv
    Csv,
    /// timeline.jsonl: one JSON object per attempt, with the header fields of its HTTP answer
    Jsonl,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
}

/// The scenarios and what is changed in them.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// Scenario files
    #[arg(required = true, value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<PathBuf>,
    /// Seed of the random streams instead of the file's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Limit instead of the file's, such as 5/1m
    #[arg(long, value_name = "N/W", allow_hyphen_values = true)]
    limit: Option<String>,
    /// Algorithms to run, by name or kind, instead of the file's
    #[arg(long = "algorithm", value_name = "KIND,...", value_delimiter = ',')]
    algorithms: Vec<String>,
    /// What to measure beside the counts: all, counts (nothing else), or some of errors, peak,
    /// estimate, memory, delay, series, keys
    #[arg(long = "measure", value_name = "NAME,...", value_delimiter = ',')]
    measures: Vec<String>,
    /// Set any field, such as traffic.0.rate=200/s; may be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Refuse runs of more requests
    #[arg(long, value_name = "N", default_value_t = Bounds::default().requests)]
    max_requests: u64,
    /// Leave out timelines of more rows (requests times candidates)
    #[arg(long, value_name = "N", default_value_t = Bounds::default().timeline)]
    max_timeline: u64,
    /// Refuse runs that keep more than this for their keys
    #[arg(long, value_name = "MB", default_value_t = Bounds::default().memory / MEGABYTE)]
    max_memory: u64,
}

const MEGABYTE: u64 = 1_000_000;

impl Input {
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            set: self.set.clone(),
            limit: self.limit.clone(),
            seed: self.seed,
            measures: self.measures.clone(),
            algorithms: self.algorithms.clone(),
        }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            requests: self.max_requests,
            timeline: self.max_timeline,
            memory: self.max_memory.saturating_mul(MEGABYTE),
        }
    }
}

fn moment(text: &str) -> Result<Moment, String> {
    Moment::from_value(&Value::Text(text.to_owned()))
}
