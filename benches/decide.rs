//! Nanoseconds per decision: the product's lanes, hand-written loops, and governor, over the same
//! arrivals. Run with `cargo bench`; see `benches/README.md`.

#[path = "rig/figures.rs"]
mod figures;
#[path = "rig/floor.rs"]
mod floor;
#[path = "rig/governed.rs"]
mod governed;
#[path = "rig/lanes.rs"]
mod lanes;
#[path = "rig/traffic.rs"]
mod traffic;

use divan::Bencher;
use divan::counter::ItemsCount;
use figures::Figures;
use floor::FLOORS;
use lanes::Drawn;
use ratesim::measure::Selection;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::Instant;

fn main() {
    divan::main();
    let timings = TIMINGS.lock().expect("no benchmark panicked");
    if !figures::is_check() && !timings.fastest.is_empty() {
        timings.print();
        timings.leave();
    }
}

/// The arrivals of the number of keys that is being timed: too many to hold for all numbers at once.
static DRAWN: Mutex<Option<(u64, Arc<Drawn>)>> = Mutex::new(None);

/// The arrivals of so many keys: several requests for each.
fn drawn(keys: u64) -> Arc<Drawn> {
    let mut held = DRAWN.lock().expect("no benchmark panicked");
    if let Some((_, drawn)) = held.as_ref().filter(|(of, _)| *of == keys) {
        return drawn.clone();
    }
    *held = None;
    let drawn = Arc::new(match keys {
        _ if figures::is_check() => Drawn::new(keys.min(1_000), 100_000),
        ..=1_000 => Drawn::new(keys, 5_000_000),
        1_001..=1_000_000 => Drawn::new(keys, 20_000_000),
        _ => Drawn::new(keys, 4 * keys),
    });
    *held = Some((keys, drawn.clone()));
    drawn
}

static TIMINGS: Mutex<Timings> = Mutex::new(Timings {
    fastest: BTreeMap::new(),
    admitted: BTreeMap::new(),
});

/// What is timed: the number of keys, the algorithm, and who decides.
type Case = (u64, &'static str, &'static str);

/// What the benchmarks have shown.
struct Timings {
    /// Nanoseconds per decision in the fastest sample.
    fastest: BTreeMap<Case, f64>,
    /// How many requests an algorithm admits, whoever decides.
    admitted: BTreeMap<(u64, &'static str), u64>,
}

/// Who decides, in the order of the columns.
const COLUMNS: [&str; 6] = [
    "floor",
    "floor_by_shard",
    "no_measures",
    "all_measures",
    "governor_dashmap",
    "governor_hashmap",
];

impl Timings {
    /// Notes a sample.
    ///
    /// # Panics
    /// When it admits another number of requests than those before it.
    #[allow(clippy::cast_precision_loss)]
    fn note(&mut self, case: Case, nanos: u128, requests: u64, admitted: u64) {
        let (keys, kind, who) = case;
        let expected = *self.admitted.entry((keys, kind)).or_insert(admitted);
        assert_eq!(admitted, expected, "{who}: {kind} with {keys} keys");
        let each = nanos as f64 / requests as f64;
        let fastest = self.fastest.entry(case).or_insert(each);
        *fastest = fastest.min(each);
    }

    fn print(&self) {
        println!("\nns per decision, the fastest sample");
        println!(
            "{:>10}  {:<24}{}",
            "keys",
            "algorithm",
            COLUMNS.map(|who| format!("{who:>17}")).concat()
        );
        for (keys, kind) in self.admitted.keys() {
            let cell = |who| match self.fastest.get(&(*keys, *kind, who)) {
                Some(each) => format!("{each:>17.1}"),
                None => format!("{:>17}", "-"),
            };
            println!("{keys:>10}  {kind:<24}{}", COLUMNS.map(cell).concat());
        }
    }

    /// Leaves the figures for the closing table.
    fn leave(&self) {
        let figures = self
            .fastest
            .iter()
            .map(|((keys, kind, who), each)| (format!("{keys} {kind} {who}"), *each));
        figures::leave("decide", &figures.collect::<Figures>());
    }
}

/// Times one way to decide.
fn time(bencher: Bencher, case: Case, decide: impl Fn(&Drawn) -> u64) {
    let drawn = drawn(case.0);
    let requests = ItemsCount::new(drawn.requests);
    bencher.counter(requests).bench_local(|| {
        let begun = Instant::now();
        let admitted = black_box(decide(black_box(&drawn)));
        let nanos = begun.elapsed().as_nanos();
        let mut timings = TIMINGS.lock().expect("no benchmark panicked");
        timings.note(case, nanos, drawn.requests, admitted);
    });
}

/// The algorithms that there are loops for: all of the catalog.
fn kinds() -> impl Iterator<Item = &'static str> {
    FLOORS.iter().map(|(kind, _)| *kind)
}

fn floor_of(kind: &str) -> floor::Floor {
    let found = FLOORS.iter().find(|(of, _)| *of == kind);
    found.expect("a loop for every algorithm").1
}

macro_rules! at {
    ($name:ident, $keys:literal) => {
        mod $name {
            use super::*;

            #[divan::bench(args = kinds(), sample_count = 10, sample_size = 1, max_time = 2)]
            fn floor(bencher: Bencher, kind: &'static str) {
                let floor = black_box(floor_of(kind));
                time(bencher, ($keys, kind, "floor"), |d| {
                    floor(&d.by_time, d.keys)
                });
            }

            #[divan::bench(args = kinds(), sample_count = 10, sample_size = 1, max_time = 2)]
            fn floor_by_shard(bencher: Bencher, kind: &'static str) {
                let floor = black_box(floor_of(kind));
                time(bencher, ($keys, kind, "floor_by_shard"), |d| {
                    floor(&d.by_shard, d.keys)
                });
            }

            #[divan::bench(args = kinds(), sample_count = 5, sample_size = 1, max_time = 2)]
            fn all_measures(bencher: Bencher, kind: &'static str) {
                time(bencher, ($keys, kind, "all_measures"), |d| {
                    d.decide(kind, Selection::ALL)
                });
            }

            #[divan::bench(args = kinds(), sample_count = 5, sample_size = 1, max_time = 2)]
            fn no_measures(bencher: Bencher, kind: &'static str) {
                time(bencher, ($keys, kind, "no_measures"), |d| {
                    d.decide(kind, Selection::COUNTS)
                });
            }

            #[divan::bench(sample_count = 5, sample_size = 1, max_time = 2)]
            fn governor_dashmap(bencher: Bencher) {
                time(bencher, ($keys, "gcra", "governor_dashmap"), |d| {
                    governed::dashmap(&d.by_time)
                });
            }

            #[divan::bench(sample_count = 5, sample_size = 1, max_time = 2)]
            fn governor_hashmap(bencher: Bencher) {
                time(bencher, ($keys, "gcra", "governor_hashmap"), |d| {
                    governed::hashmap(&d.by_time)
                });
            }
        }
    };
}

at!(keys_1, 1);
at!(keys_1000, 1_000);
at!(keys_270000, 270_000);
at!(keys_10000000, 10_000_000);
