//! Several nodes, a store, and what fails: who decides is who tells.

use super::{assert_told, told};
use crate::ran::Ran;

/// Of 100 a minute three nodes have 34, 33 and 33, and each tells its own.
#[test]
fn a_node_tells_the_part_of_the_limit_that_it_enforces() {
    let run = Ran::text(
        "limit = '100/1m'
        traffic = [{ pattern = 'burst', count = 4 }]
        algorithm = [{ kind = 'fixed_window' }]
        deployment = [{ name = 'three', nodes = 3, share = 'split' }]",
    );
    let expected = [
        "200 34 33 60 60 -",
        "200 33 32 60 60 -",
        "200 33 32 60 60 -",
        "200 34 32 60 60 -",
    ];
    assert_told(&run, &["fixed_window"], &expected);
}

/// The store is down from 10 s on, and the third request has waited in vain by 11 s. The first two have
/// used both of the limit. A fallback of half of it has one: the fourth request comes too late for that.
#[test]
fn where_no_limiter_was_asked_nothing_is_told() {
    let run = Ran::text(
        "limit = '2/1m'
        traffic = [{ pattern = 'script', at = ['1s', '2s', '10s', '20s'] }]
        algorithm = [{ kind = 'fixed_window' }]
        [[deployment]]
        name = 'open'
        store = 'central'
        timeout = '1s'
        on_store_failure = 'fail_open'
        outage = [{ of = 'store', from = '10s', to = '1m' }]
        [[deployment]]
        name = 'closed'
        store = 'central'
        timeout = '1s'
        on_store_failure = 'fail_closed'
        outage = [{ of = 'store', from = '10s', to = '1m' }]
        [[deployment]]
        name = 'local'
        store = 'central'
        timeout = '1s'
        on_store_failure = 'local_fallback'
        fallback_share = '1/2'
        outage = [{ of = 'store', from = '10s', to = '1m' }]",
    );
    let before = ["200 2 1 60 59 -", "200 2 0 60 58 -"];
    let with = |after: [&'static str; 2]| [before, after].concat();
    assert_told(&run, &["open"], &with(["200 nothing"; 2]));
    assert_told(&run, &["closed"], &with(["503 nothing"; 2]));
    // The node decides at 11 s and at 21 s.
    let local = ["200 1 0 60 49 -", "429 1 0 60 39 39"];
    assert_told(&run, &["local"], &with(local));
}

#[test]
fn a_node_that_is_down_tells_nothing() {
    let run = Ran::text(
        "limit = '2/1m'
        traffic = [{ pattern = 'burst', at = '5s' }]
        algorithm = [{ kind = 'fixed_window' }]
        deployment = [{
            name = 'one', timeout = '1s', outage = [{ of = 0, from = '4s', to = '10s' }],
        }]",
    );
    assert_eq!(told(&run, "fixed_window"), ["503 nothing"]);
}

/// At 0:00:05 the second node's clock reads 23:59:55 of the year before: its minute ends in 5 s.
#[test]
fn a_clock_that_is_behind_tells_its_own_time() {
    let run = Ran::text(
        "limit = '5/1m'
        start = '2026-01-01T00:00:00Z'
        traffic = [{ pattern = 'burst', at = '5s', count = 2 }]
        algorithm = [{ kind = 'fixed_window' }]
        deployment = [{ name = 'two', nodes = 2, skew = ['0s', '-10s'] }]",
    );
    let expected = ["200 5 4 1767225660 55 -", "200 5 4 1767225600 5 -"];
    assert_told(&run, &["fixed_window"], &expected);
}

/// A round trip takes 10 s: the store decides at 5 s, and tells what it knows then.
#[test]
fn a_store_tells_what_is_so_when_it_decides() {
    let run = Ran::text(
        "limit = '1/1m'
        traffic = [{ pattern = 'burst', count = 2 }]
        algorithm = [{ kind = 'fixed_window' }]
        deployment = [{ name = 'far', store = 'central', rtt = '10s' }]",
    );
    assert_told(
        &run,
        &["fixed_window"],
        &["200 1 0 60 55 -", "429 1 0 60 55 55"],
    );
}

/// Of four units the node leases three, and then the last one. When the store will have more it learns
/// only as it asks in vain.
#[test]
fn what_is_spent_on_lease_tells_what_is_left_of_it() {
    let run = Ran::text(
        "limit = '4/1m'
        traffic = [{ pattern = 'burst', count = 5 }]
        algorithm = [{ kind = 'fixed_window' }]
        deployment = [{ name = 'leased', store = 'leased', batch = 3 }]",
    );
    let expected = [
        "200 4 2 - - -",
        "200 4 1 - - -",
        "200 4 0 - - -",
        "200 4 0 - - -",
        "429 4 0 - - 60",
    ];
    assert_told(&run, &["fixed_window"], &expected);
}

/// A counter that begins anew only when its key expires, 90 s after it was last written or, with `none`,
/// never, whatever the limit's window says.
#[test]
fn a_count_that_only_its_expiry_ends_tells_the_expiry() {
    let run = Ran::text(
        "limit = '2/1m'
        traffic = [{ pattern = 'script', at = ['0s', '30s', '40s'] }]
        algorithm = [{ kind = 'fixed_window', anchor = 'first_request' }]
        deployment = [{ name = 'long', ttl = '90s' }, { name = 'leak', ttl = 'none' }]",
    );
    let long = ["200 2 1 90 90 -", "200 2 0 120 90 -", "429 2 0 120 80 80"];
    assert_told(&run, &["long"], &long);
    let leak = ["200 2 1 - - -", "200 2 0 - - -", "429 2 0 - - -"];
    assert_told(&run, &["leak"], &leak);
}

/// Who reads an empty key does not know that it will never expire. All who read it later are told so,
/// whoever's clock decides.
#[test]
fn a_count_that_never_ends_is_told_to_those_who_read_it() {
    let run = Ran::text(
        "limit = '2/1m'
        traffic = [{ pattern = 'script', at = ['0s', '1s', '2s', '70s'] }]
        algorithm = [{ kind = 'fixed_window', anchor = 'first_request' }]
        [[deployment]]
        name = 'store'
        store = 'central'
        access = 'read_then_write'
        rtt = '10ms'
        ttl = 'none'
        [[deployment]]
        name = 'node'
        store = 'central'
        access = 'read_then_write'
        rtt = '10ms'
        ttl = 'none'
        clock = 'node'",
    );
    let expected = [
        "200 2 1 61 60 -",
        "200 2 0 - - -",
        "429 2 0 - - -",
        "429 2 0 - - -",
    ];
    assert_told(&run, &["store", "node"], &expected);
}
