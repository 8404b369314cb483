//! How a whole run grows with its requests and threads. Run with `cargo bench`; see
//! `benches/README.md`.
#![allow(clippy::cast_precision_loss)] // Counts become seconds per request.

#[path = "rig/figures.rs"]
mod figures;
#[path = "rig/job.rs"]
mod job;
#[path = "rig/traffic.rs"]
mod traffic;

use figures::Figures;
use job::{Job, Outcome};
use ratesim::scenario::Source;
use std::path::Path;

/// Seconds; a run that would take longer is left out unless it is asked for.
const PATIENCE: f64 = 120.0;
/// The environment variable that asks for it.
const LONG: &str = "RATESIM_BENCH_LONG";

fn main() {
    if let Some(job) = Job::of_this_process() {
        return job.run();
    }
    let mut figures = Figures::new();
    let pace = requests_and_threads(&mut figures);
    cloudflare(pace, &mut figures);
    if !figures::is_check() {
        figures::leave("scaling", &figures);
    }
}

/// 1, 2, 4, … threads, and all there are; two on any machine, since results are compared as well.
fn threads() -> Vec<usize> {
    let all = std::thread::available_parallelism().map_or(1, Into::into);
    let powers = (0..).map(|power| 1 << power);
    let mut threads: Vec<usize> = powers.take_while(|n| *n < all).collect();
    threads.push(all.max(2));
    threads
}

/// Poisson traffic of 270,000 keys at the limit. Gives the seconds per request of the longest run on
/// all threads.
fn requests_and_threads(figures: &mut Figures) -> f64 {
    let (keys, powers) = if figures::is_check() {
        (1_000, 4..=5)
    } else {
        (270_000, 5..=9)
    };
    println!(
        "whole runs: {keys} keys, Poisson traffic at the limit, every algorithm, all measures"
    );
    print_header();
    let (mut pace, mut pace_of_one) = (0.0, 0.0);
    for power in powers {
        let requests = 10u64.pow(power);
        let size = format!("10^{power}");
        if is_too_long(&size, pace_of_one * requests as f64) {
            break;
        }
        let mut one: Option<Outcome> = None;
        for threads in threads() {
            let outcome = Job::poisson(keys, requests, threads).fastest();
            let one = one.get_or_insert_with(|| outcome.clone());
            print(&size, threads, &outcome, Some(one));
            pace = outcome.seconds / requests as f64;
            pace_of_one = one.seconds / requests as f64;
            if threads == 2 {
                figures.insert("speed_up_of_2".to_owned(), pace_of_one / pace);
            }
        }
    }
    pace
}

/// The scenario of a content delivery network's day, and the same for a tenth and ten times as long.
fn cloudflare(mut pace: f64, figures: &mut Figures) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/cloudflare.toml");
    println!("\nscenarios/cloudflare.toml as it is, for a tenth and for ten times its duration");
    if !path.exists() {
        println!("there is no such file");
        return;
    }
    let scenario = traffic::read(&Source::open(&path).expect("a scenario file"), &[]);
    let (nanos, requests) = (
        scenario.horizon.get(),
        scenario.workload.expected_requests(),
    );
    drop(scenario);
    let parts: &[(f64, &str)] = if figures::is_check() {
        &[(1e-4, "tiny")]
    } else {
        &[(0.1, "tenth"), (1.0, "whole"), (10.0, "tenfold")]
    };
    print_header();
    for (part, name) in parts {
        let requests = requests as f64 * part;
        if is_too_long(&format!("{requests:.1e}"), pace * requests) {
            break;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let nanos = (nanos as f64 * part) as u64;
        let all = threads().pop().unwrap_or(1);
        let outcome = Job::file(&path, nanos, all).fastest();
        let size = format!("{:.1e}", outcome.requests as f64);
        // The results of one thread are compared where that does not take long.
        if *part < 1.0 {
            let one = Job::file(&path, nanos, 1).fastest();
            print(&size, 1, &one, Some(&one));
            print(&size, all, &outcome, Some(&one));
        } else {
            print(&size, all, &outcome, None);
        }
        pace = outcome.seconds / outcome.requests as f64;
        figures.insert(format!("cloudflare_{name}_s"), outcome.seconds);
        if let Some(peak) = outcome.peak {
            figures.insert(format!("cloudflare_{name}_mib"), mebibytes(peak));
        }
    }
}

/// Says so when a run would take too long and was not asked for.
fn is_too_long(size: &str, seconds: f64) -> bool {
    let too_long = seconds > PATIENCE && std::env::var_os(LONG).is_none();
    if too_long {
        println!("{size:>10}  about {seconds:.0} s, not run; {LONG}=1 runs it");
    }
    too_long
}

fn print_header() {
    println!(
        "{:>10}{:>9}{:>10}{:>17}{:>10}{:>10}  results",
        "requests", "threads", "wall s", "ns per decision", "speed-up", "peak MiB"
    );
}

/// One row; beside the run on one thread, where there is one, whose results must be the same.
fn print(size: &str, threads: usize, outcome: &Outcome, one: Option<&Outcome>) {
    let each = outcome.seconds * 1e9 / outcome.decisions as f64;
    let speed_up = one.map_or("-".to_owned(), |one| {
        format!("{:.2}", one.seconds / outcome.seconds)
    });
    let peak = outcome.peak.map_or("not told".to_owned(), |bytes| {
        format!("{:.0}", mebibytes(bytes))
    });
    let same = one.map_or("-", |one| {
        assert_eq!(
            one.digest, outcome.digest,
            "{threads} threads gave other results"
        );
        "the same"
    });
    println!(
        "{size:>10}{threads:>9}{:>10.2}{each:>17.1}{speed_up:>10}{peak:>10}  {same}",
        outcome.seconds
    );
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
