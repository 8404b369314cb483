//! Timings of drawing arrivals, with nobody to decide on them. Run with `cargo bench`; see
//! `benches/README.md`.

#[path = "rig/traffic.rs"]
mod traffic;

use divan::Bencher;
use divan::counter::ItemsCount;
use ratesim::scenario::Source;
use ratesim::workload::{Arrival, Workload};
use std::path::Path;
use traffic::{read, scenario};

fn main() {
    divan::main();
}

/// Requests of one iteration, on average.
const REQUESTS: u64 = 1_000_000;

#[divan::bench(args = [1, 1_000, 270_000], sample_count = 5, sample_size = 1)]
fn arrivals(bencher: Bencher, keys: u64) {
    draw(bencher, &scenario(keys, REQUESTS).workload);
}

/// Drawing the arrivals of a million requests of 270,000 keys a second, by pattern.
#[divan::bench(args = TRAFFIC, sample_count = 5)]
fn arrivals_of(bencher: Bencher, (_, block): &(&str, &str)) {
    let text = format!("limit = \"10/s\"\nduration = \"1s\"\n[[traffic]]\n{block}");
    let source = Source::new(Path::new("bench.toml"), text);
    draw(bencher, &read(&source, &[]).workload);
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
