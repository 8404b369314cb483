//! Timings of drawing arrivals, with nobody to decide on them. Run with `cargo bench`; see
//! `benches/README.md`.

#[path = "rig/traffic.rs"]
mod traffic;

use divan::Bencher;
use divan::counter::ItemsCount;
use ratesim::workload::Arrival;

fn main() {
    divan::main();
}

/// Requests of one iteration, on average.
const REQUESTS: u64 = 1_000_000;

#[divan::bench(args = [1, 1_000, 270_000], sample_count = 5, sample_size = 1)]
fn arrivals(bencher: Bencher, keys: u64) {
    let workload = traffic::scenario(keys, REQUESTS).workload;
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
