//! The traffic that the timings share: Poisson, ten requests a second and key, at a limit of ten a
//! second.
#![allow(dead_code)] // Each benchmark uses its part.

use ratesim::catalog::ALGORITHMS;
use ratesim::scenario::{Bounds, Overrides, Scenario, Source};
use ratesim::units::NANOS_PER_SECOND;
use std::path::Path;

/// Requests per second and key.
const RATE: u64 = 10;

/// About this many requests of this many keys, and every algorithm of the catalog at its defaults.
pub(crate) fn scenario(keys: u64, requests: u64) -> Scenario {
    let kinds = ALGORITHMS.iter().map(|row| row.kind);
    let algorithms: String = kinds
        .map(|kind| format!("[[algorithm]]\nkind = \"{kind}\"\n"))
        .collect();
    let rate = RATE * keys;
    let duration = u128::from(requests) * u128::from(NANOS_PER_SECOND) / u128::from(rate);
    let text = format!(
        "limit = \"{RATE}/1s\"\nduration = \"{duration}ns\"\nseed = 1\n[[traffic]]\n\
         pattern = \"poisson\"\nrate = \"{rate}/s\"\nkeys = {{ count = {keys} }}\n{algorithms}"
    );
    read(&Source::new(Path::new("bench.toml"), text), &[])
}

/// A scenario without bounds on its size, changed by `path=value` pairs.
pub(crate) fn read(source: &Source, set: &[String]) -> Scenario {
    let overrides = Overrides {
        set: set.to_vec(),
        ..Overrides::default()
    };
    let bounds = Bounds {
        requests: u64::MAX,
        memory: u64::MAX,
        ..Bounds::default()
    };
    Scenario::read(source, &overrides, &bounds).expect("a valid scenario")
}
