//! The floor: for each algorithm the loop that one writes by hand for a single case.
//!
//! Unit cost, the limit a constant, 64-bit integers, one vector of states by key, and nothing kept but
//! the number of admitted requests. Each rule is that of the catalog's defaults at 10 per second, so
//! that it admits exactly as many as the product does.

use std::hint::black_box;

/// A request: when, in nanoseconds, and the index of its key's state.
pub(crate) type Request = (u64, u32);

/// A loop over requests in order of time per key, with this many keys; how many it admits.
pub(crate) type Floor = fn(&[Request], usize) -> u64;

/// The loop of each algorithm, by its kind.
pub(crate) const FLOORS: &[(&str, Floor)] = &[
    ("token_bucket", token_bucket),
    ("leaky_bucket", leaky_bucket),
    ("fixed_window", fixed_window),
    ("sliding_window_log", sliding_window_log),
    ("sliding_window_counter", sliding_window_counter),
    ("gcra", gcra),
];

/// n of the limit n/w.
const LIMIT: u32 = 10;
/// w of the limit n/w.
const WINDOW: u64 = 1_000_000_000;
/// Nanoseconds per unit: what a bucket gains or leaks a unit in.
const INTERVAL: u64 = WINDOW / LIMIT as u64;

/// Levels in nanoseconds of refill: a token is one interval.
fn token_bucket(requests: &[Request], keys: usize) -> u64 {
    #[derive(Clone)]
    struct Bucket {
        level: u64,
        last: u64,
    }
    let full = Bucket {
        level: WINDOW,
        last: 0,
    };
    let mut buckets = vec![full; keys];
    let mut allowed = 0;
    for &(now, key) in requests {
        let bucket = &mut buckets[key as usize];
        let level = WINDOW.min(bucket.level + (now - bucket.last));
        let pass = level >= INTERVAL;
        bucket.level = if pass { level - INTERVAL } else { level };
        bucket.last = now;
        allowed += u64::from(pass);
    }
    allowed
}

/// Backlogs in nanoseconds of outflow: what is found there is the wait.
fn leaky_bucket(requests: &[Request], keys: usize) -> u64 {
    #[derive(Clone, Default)]
    struct Bucket {
        backlog: u64,
        last: u64,
    }
    let mut buckets = vec![Bucket::default(); keys];
    let (mut allowed, mut waited) = (0, 0u64);
    for &(now, key) in requests {
        let bucket = &mut buckets[key as usize];
        let backlog = bucket.backlog.saturating_sub(now - bucket.last);
        let pass = backlog + INTERVAL <= WINDOW;
        bucket.last = now;
        bucket.backlog = if pass { backlog + INTERVAL } else { backlog };
        waited = waited.wrapping_add(if pass { backlog } else { 0 });
        allowed += u64::from(pass);
    }
    black_box(waited);
    allowed
}

fn fixed_window(requests: &[Request], keys: usize) -> u64 {
    #[derive(Clone, Default)]
    struct Counter {
        end: u64,
        count: u32,
    }
    let mut counters = vec![Counter::default(); keys];
    let mut allowed = 0;
    for &(now, key) in requests {
        let counter = &mut counters[key as usize];
        if now >= counter.end {
            counter.end = now - now % WINDOW + WINDOW;
            counter.count = 0;
        }
        let pass = counter.count < LIMIT;
        counter.count += u32::from(pass);
        allowed += u64::from(pass);
    }
    allowed
}

/// A ring of the last n requests, admitted or not: there is room when the oldest has left the window.
fn sliding_window_log(requests: &[Request], keys: usize) -> u64 {
    #[derive(Clone, Default)]
    struct Log {
        leaves: [u64; LIMIT as usize],
        oldest: usize,
    }
    let mut logs = vec![Log::default(); keys];
    let mut allowed = 0;
    for &(now, key) in requests {
        let log = &mut logs[key as usize];
        let oldest = &mut log.leaves[log.oldest];
        allowed += u64::from(*oldest <= now);
        *oldest = now + WINDOW;
        log.oldest = if log.oldest + 1 < log.leaves.len() {
            log.oldest + 1
        } else {
            0
        };
    }
    allowed
}

/// prev·(w − elapsed) + (cur + 1)·w ≤ n·w: exact in 64 bits at this limit.
fn sliding_window_counter(requests: &[Request], keys: usize) -> u64 {
    #[derive(Clone, Default)]
    struct Counter {
        start: u64,
        previous: u32,
        current: u32,
    }
    let mut counters = vec![Counter::default(); keys];
    let mut allowed = 0;
    for &(now, key) in requests {
        let counter = &mut counters[key as usize];
        let mut elapsed = now - counter.start;
        if elapsed >= WINDOW {
            counter.previous = if elapsed < 2 * WINDOW {
                counter.current
            } else {
                0
            };
            counter.current = 0;
            elapsed %= WINDOW;
            counter.start = now - elapsed;
        }
        let faded = u64::from(counter.previous) * (WINDOW - elapsed);
        let counted = u64::from(counter.current + 1) * WINDOW;
        let pass = faded + counted <= u64::from(LIMIT) * WINDOW;
        counter.current += u32::from(pass);
        allowed += u64::from(pass);
    }
    allowed
}

fn gcra(requests: &[Request], keys: usize) -> u64 {
    let mut expected = vec![0u64; keys];
    let mut allowed = 0;
    for &(now, key) in requests {
        let expected = &mut expected[key as usize];
        let due = now.max(*expected) + INTERVAL;
        let pass = due <= now + WINDOW;
        *expected = if pass { due } else { *expected };
        allowed += u64::from(pass);
    }
    allowed
}
