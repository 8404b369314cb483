//! The keyed limiter of the `governor` crate under its fake clock: GCRA of 10 per second, burst 10.

use super::floor::Request;
use governor::clock::FakeRelativeClock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::{DashMapStateStore, HashMapStateStore, KeyedStateStore};
use governor::{Quota, RateLimiter};
use std::num::NonZeroU32;
use std::time::Duration;

/// Its default store, a concurrent map; how many requests are admitted.
pub(crate) fn dashmap(requests: &[Request]) -> u64 {
    admitted(DashMapStateStore::<u32>::default(), requests)
}

/// Its other store, a map behind a lock.
pub(crate) fn hashmap(requests: &[Request]) -> u64 {
    admitted(HashMapStateStore::<u32>::default(), requests)
}

fn admitted<S: KeyedStateStore<u32>>(store: S, requests: &[Request]) -> u64 {
    let quota = Quota::per_second(NonZeroU32::new(10).expect("not zero"));
    let clock = FakeRelativeClock::default();
    let limiter: RateLimiter<_, _, _, NoOpMiddleware<Nanos>> =
        RateLimiter::new(quota, store, clock.clone());
    let (mut last, mut admitted) = (0, 0);
    for (now, key) in requests {
        clock.advance(Duration::from_nanos(now - last));
        last = *now;
        admitted += u64::from(limiter.check_key(key).is_ok());
    }
    admitted
}
