//! Timings of the fast path: drawing arrivals, and deciding and measuring them, per algorithm and
//! number of keys. Run with `cargo bench`; see `benches/README.md`.

use divan::Bencher;
use divan::counter::ItemsCount;
use ratesim::catalog::ALGORITHMS;
use ratesim::scenario::{Bounds, Overrides, Scenario, Source};
use ratesim::simulation;
use ratesim::workload::{Arrival, Workload};
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
    read(text)
}

fn read(text: String) -> Scenario {
    let source = Source::new(Path::new("bench.toml"), text);
    Scenario::read(&source, &Overrides::default(), &Bounds::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Drawing arrivals alone: Poisson traffic of equally busy keys.
#[divan::bench(args = KEYS, sample_count = 5)]
fn arrivals(bencher: Bencher, keys: u64) {
    draw(bencher, &scenario(&["gcra"], keys).workload);
}

/// Drawing the arrivals of a million requests of 270,000 keys a second, by pattern.
#[divan::bench(args = TRAFFIC, sample_count = 5)]
fn arrivals_of(bencher: Bencher, (_, block): &(&str, &str)) {
    let text = format!("limit = \"10/s\"\nduration = \"1s\"\n[[traffic]]\n{block}");
    draw(bencher, &read(text).workload);
}

/// Names and fields of traffic blocks.
const TRAFFIC: [(&str, &str); 6] = [
    (
        "log-normal",
        "pattern = 'poisson'\nrate = '1000000/s'\n\
         keys = { count = 270000, popularity = 'lognormal', sigma = 1 }",
    ),
    (
        "Zipf",
        "pattern = 'poisson'\nrate = '1000000/s'\n\
         keys = { count = 270000, popularity = 'zipf', exponent = 1 }",
    ),
    (
        "diurnal",
        "pattern = 'diurnal'\nmean_rate = '1000000/s'\nperiod = '1s'\nkeys = { count = 270000 }",
    ),
    (
        "ramp",
        "pattern = 'ramp'\nfrom_rate = 0\nto_rate = '2000000/s'\nkeys = { count = 270000 }",
    ),
    (
        "steady",
        "pattern = 'steady'\nrate = '1000000/s'\nkeys = { count = 270000 }",
    ),
    (
        "on-off",
        "pattern = 'on_off'\nrate = '100/s'\non = '10ms'\noff = '260ms'\n\
         keys = { count = 270000 }",
    ),
];

fn draw(bencher: Bencher, workload: &Workload) {
    let counter = ItemsCount::new(workload.expected_requests());
    bencher.counter(counter).bench_local(|| {
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
