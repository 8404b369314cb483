//! Events per second of the event path on one thread: whole runs of one algorithm under one deployment.
//! Run with `cargo bench`; see `benches/README.md`.
#![allow(clippy::cast_precision_loss)] // Counts become events per second.

#[path = "rig/figures.rs"]
mod figures;
#[path = "rig/traffic.rs"]
mod traffic;

use figures::Figures;
use ratesim::scenario::Source;
use ratesim::simulation;
use std::path::Path;
use std::time::Instant;
use traffic::read;

/// Each deployment is timed this often, in turn with the others, so that what else the machine does for
/// some time slows no deployment alone; the fastest counts.
const SAMPLES: u32 = 8;

/// Deployments by name: fields of a `[[deployment]]` table.
const DEPLOYMENTS: [(&str, &str); 8] = [
    ("ten nodes of their own", "store = 'local'"),
    ("atomic", "store = 'central'\nrtt = '5ms'"),
    (
        "atomic, lognormal round trips",
        "store = 'central'\nrtt = { kind = 'lognormal', median = '1ms', p99 = '5ms' }",
    ),
    (
        "atomic, an outage",
        "store = 'central'\nrtt = '5ms'\ntimeout = '50ms'\n\
         outage = [{ of = 'store', from = '0.2s', to = '0.3s' }]",
    ),
    (
        "read, then write",
        "store = 'central'\nrtt = '5ms'\naccess = 'read_then_write'",
    ),
    (
        "read, then increment",
        "store = 'central'\nrtt = '5ms'\naccess = 'read_then_increment'",
    ),
    ("synced", "store = 'synced'\nsync_every = '10ms'"),
    ("leased", "store = 'leased'\nrtt = '5ms'\nbatch = 2"),
];

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread");
    let rate: u64 = if figures::is_check() {
        10_000
    } else {
        2_000_000
    };
    println!("events per second on one thread: {rate} requests a second of 1,000 keys, 10 nodes");
    println!(
        "{:<32}{:<14}{:>12}{:>16}{:>16}",
        "deployment", "algorithm", "measures", "million events", "million/s"
    );
    let deployments = DEPLOYMENTS.into_iter().filter(|(name, _)| is_wanted(name));
    let cases = deployments.flat_map(|deployment| ["counts", "all"].map(|it| (deployment, it)));
    let cases: Vec<_> = cases.collect();
    let mut fastest = vec![(0, f64::INFINITY); cases.len()];
    let samples = if figures::is_check() { 1 } else { SAMPLES };
    for _ in 0..samples {
        for (((_, fields), measures), fastest) in cases.iter().zip(&mut fastest) {
            let (events, seconds) = pool.install(|| timed(&scenario(rate, measures, fields)));
            *fastest = (events, fastest.1.min(seconds));
        }
    }
    let mut figures = Figures::new();
    for (((name, _), measures), (events, seconds)) in cases.iter().zip(fastest) {
        let million = events as f64 / 1e6;
        let per_second = million / seconds;
        println!(
            "{name:<32}{:<14}{measures:>12}{million:>16.1}{per_second:>16.1}",
            "fixed_window"
        );
        figures.insert(format!("{name} {measures}"), per_second);
    }
    // The closing table is of all deployments, or of those of an earlier run.
    if !figures::is_check() && cases.len() == 2 * DEPLOYMENTS.len() {
        figures::leave("events", &figures);
    }
}

/// Whether the command's arguments name a deployment by a part of its name, or none at all.
fn is_wanted(name: &str) -> bool {
    let mut parts = std::env::args()
        .skip(1)
        .filter(|part| !part.starts_with('-'))
        .peekable();
    parts.peek().is_none() || parts.any(|part| name.contains(&part))
}

/// A second of traffic near the limit.
fn scenario(rate: u64, measures: &str, fields: &str) -> String {
    let limit = rate / 2_000;
    format!(
        "limit = '{limit}/1s'\nduration = '1s'\nseed = 1\nmeasure = '{measures}'\n\
         [[traffic]]\npattern = 'poisson'\nrate = '{rate}/s'\nkeys = {{ count = 1000 }}\n\
         [[algorithm]]\nkind = 'fixed_window'\n\
         [[deployment]]\nname = 'timed'\nnodes = 10\n{fields}\n"
    )
}

/// Events of a run, and its seconds.
fn timed(text: &str) -> (u64, f64) {
    let source = Source::new(Path::new("bench.toml"), text);
    let plan = read(&source, &[]).into_plan(false);
    let began = Instant::now();
    let result = simulation::run(&plan, &()).expect("no trace");
    let seconds = began.elapsed().as_secs_f64();
    let cluster = result.candidates[0].cluster.as_ref();
    (cluster.expect("a deployment").events, seconds)
}
