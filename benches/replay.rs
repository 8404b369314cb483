//! Timings of the fast path: drawing arrivals, and deciding and measuring them, per algorithm and
//! number of keys. Run with `cargo bench`; see `benches/README.md`.

use divan::Bencher;
use divan::counter::ItemsCount;
use ratesim::catalog::ALGORITHMS;
use ratesim::scenario::{Bounds, Overrides, Scenario, Source};
use ratesim::simulation;
use ratesim::workload::Arrival;
use std::path::Path;

fn main() {
    divan::main();
}

/// Requests of one iteration, on average.
const REQUESTS: u64 = 1_000_000;
const KEYS: [u64; 3] = [1, 1_000, 270_000];

/// Poisson traffic near a limit of ten per second and key.
fn scenario(kinds: &[&str], keys: u64) -> Scenario {
    let algorithms: Vec<_> = kinds
        .iter()
        .map(|kind| format!("[[algorithm]]\nkind = \"{kind}\"\n"))
        .collect();
    let rate = 10 * keys;
    let duration = 1_000_000_000 * REQUESTS / rate;
    let text = format!(
        "limit = \"10/s\"\nduration = \"{duration}ns\"\nseed = 1\n[[traffic]]\npattern = \"poisson\"\n\
         rate = \"{rate}/s\"\nkeys = {{ count = {keys} }}\n{}",
        algorithms.concat()
    );
    let source = Source::new(Path::new("bench.toml"), text);
    Scenario::read(&source, &Overrides::default(), &Bounds::default()).expect("a valid scenario")
}

/// Drawing arrivals alone.
#[divan::bench(args = KEYS, sample_count = 5)]
fn arrivals(bencher: Bencher, keys: u64) {
    let workload = scenario(&["gcra"], keys).workload;
    bencher.counter(ItemsCount::new(REQUESTS)).bench_local(|| {
        let mut batch: Vec<Arrival> = Vec::new();
        let mut requests = 0;
        let mut rounds = workload.rounds(1);
        while rounds.advance().expect("no trace") {
            for feed in rounds.feeds() {
                while feed.fill(&mut batch) {
                    requests += batch.len();
                }
            }
        }
        requests
    });
}

/// Decisions with all measures, arrivals included.
#[divan::bench(args = cases(), sample_count = 5)]
fn run(bencher: Bencher, (kind, keys): &(&str, u64)) {
    let plan = scenario(&[kind], *keys).into_plan(false);
    bencher
        .counter(ItemsCount::new(REQUESTS))
        .bench_local(|| simulation::run(&plan, &()).expect("no trace").requests);
}

/// Every algorithm at every number of keys.
fn cases() -> Vec<(&'static str, u64)> {
    let kinds = ALGORITHMS.iter().map(|row| row.kind);
    kinds
        .flat_map(|kind| KEYS.map(|keys| (kind, keys)))
        .collect()
}
