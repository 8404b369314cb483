//! Limiters on several nodes and behind stores: clocks that disagree, limits that add up, keys that
//! never expire, stores that are down.

use crate::ran::{Answers, Ran};
use ratesim::measure::Reason;
use ratesim::units::{Nanos, SimTime};

/// Every algorithm, at its defaults.
const ALL: &str = "algorithm = [
    { kind = 'token_bucket' },
    { kind = 'leaky_bucket' },
    { kind = 'fixed_window' },
    { kind = 'fixed_window', name = 'since first', anchor = 'first_request' },
    { kind = 'sliding_window_log' },
    { kind = 'sliding_window_log', name = 'log of admitted', log_denied = false },
    { kind = 'sliding_window_counter' },
    { kind = 'gcra' },
]\n";

/// The nodes that the requests came to, one digit each.
fn nodes(answers: &Answers) -> String {
    let nodes = answers.each().map(|(_, record)| record.node.to_string());
    nodes.collect()
}

/// A thousand pairs: the store hears 1 s, 0 s, 1 s, 0 s, … and each step forward is no new second.
#[test]
fn a_clock_that_goes_back_and_forth_mints_nothing() {
    let run = Ran::text(&format!(
        "limit = '1/1s'
        duration = '2s'
        traffic = [{{ pattern = 'burst', at = '1s', count = 2000 }}]
        {ALL}
        [[deployment]]
        name = 'atomic'
        nodes = 2
        store = 'central'
        clock = 'node'
        skew = ['0s', '-1s']
        [[deployment]]
        name = 'read then write'
        nodes = 2
        store = 'central'
        access = 'read_then_write'
        clock = 'node'
        skew = ['0s', '-1s']"
    ));
    assert_eq!(run.all().count(), 16);
    for (name, answers) in run.all() {
        assert_eq!(nodes(&answers), "01".repeat(1000), "{name}");
        let only_the_first = "a".to_owned() + &"x".repeat(1999);
        assert_eq!(answers.letters(), only_the_first, "{name}");
    }
}

/// Five calls at T, one that says T − 10 s, five at T: the late one gives nothing back.
#[test]
fn a_node_ten_seconds_behind_gives_the_others_nothing_back() {
    let run = Ran::text(&format!(
        "limit = '4/2s'
        duration = '30s'
        traffic = [{{ pattern = 'burst', at = '20s', count = 11 }}]
        {ALL}
        [[deployment]]
        nodes = 2
        routing = 'weighted'
        weights = [10, 1]
        store = 'central'
        clock = 'node'
        skew = ['0s', '-10s']"
    ));
    assert_eq!(run.all().count(), 8);
    for (name, answers) in run.all() {
        assert_eq!(nodes(&answers), "00000100000", "{name}");
        assert_eq!(answers.letters().replace('w', "a"), "aaaaxxxxxxx", "{name}");
    }
}

/// Each node has a bucket of 51 at 10 a second: N · (51 + 10) within the first second, its end
/// included, and N · 10 in each one after.
#[test]
fn buckets_of_the_nodes_add_up() {
    for nodes in 2..=5 {
        let run = Ran::text(&format!(
            "limit = '10/s'
            duration = '5.001s'
            traffic = [{{ pattern = 'burst', count = {}, repeat_every = '100ms' }}]
            algorithm = [{{ kind = 'token_bucket', capacity = 51 }}]
            deployment = [{{ nodes = {nodes} }}]",
            60 * nodes
        ));
        let answers = run.of("token_bucket");
        let admitted = answers
            .each()
            .filter(|(_, record)| record.decision.is_admitted());
        // A second begins just after its first instant and ends with its last.
        let second = |at: SimTime| at.as_nanos().saturating_sub(1) / Nanos::from_secs(1).get();
        let mut seconds = [0; 5];
        for (arrival, _) in admitted {
            seconds[usize::try_from(second(arrival.at)).unwrap()] += 1;
        }
        assert_eq!(seconds[0], 61 * nodes);
        assert_eq!(seconds[1..], [10 * nodes; 4]);
    }
}

const AN_HOUR_OF_CALLS: &str = "limit = '10/1m'
    duration = '1h'
    traffic = [{ pattern = 'steady', rate = '1/s' }]\n";

/// The process dies between the increment and the expire of the only key.
#[test]
fn a_counter_without_an_expiry_denies_for_ever() {
    for store in ["local", "central"] {
        let run = Ran::text(&format!(
            "{AN_HOUR_OF_CALLS}
            algorithm = [{{ kind = 'fixed_window', anchor = 'first_request' }}]
            deployment = [
                {{ name = 'right', store = '{store}' }},
                {{ name = 'immortal', store = '{store}', lost_expire = ['0s'] }},
                {{ name = 'from the third minute on', store = '{store}', lost_expire = ['2m'] }},
            ]"
        ));
        assert_eq!(run.of("right").counts(), (600, 3_000));
        let minute = "a".repeat(10) + &"x".repeat(50);
        assert_eq!(run.of("right").letters(), minute.repeat(60));
        let immortal = run.of("immortal");
        assert_eq!(immortal.counts(), (10, 3_590));
        assert_eq!(immortal.letters(), "a".repeat(10) + &"x".repeat(3_590));
        assert!(immortal.retries().iter().all(|retry| retry == "inf"));
        // Two good minutes, and the ten of the third.
        let third = run.of("from the third minute on");
        assert_eq!(third.counts(), (30, 3_570));
    }
}

/// Windows of the clock, entries and levels do not go by the key's expiry: only the key leaks.
#[test]
fn a_key_without_an_expiry_only_leaks_where_the_state_knows_the_time() {
    let run = Ran::text(
        "limit = '10/1m'
        duration = '1h'
        traffic = [{ pattern = 'steady', rate = '1/s', to = '30m' }]
        [[deployment]]
        name = 'right'
        store = 'central'
        [[deployment]]
        name = 'immortal'
        store = 'central'
        lost_expire = ['0s']",
    );
    for (name, answers) in run.all() {
        let (algorithm, deployment) = name.split_once(" / ").unwrap();
        let right = run.of(&format!("{algorithm} / right"));
        assert_eq!(answers.letters(), right.letters(), "{name}");
        let leaked = answers.result.cluster.as_ref().unwrap().leaked_keys;
        assert_eq!(leaked, u64::from(deployment == "immortal"), "{name}");
    }
}

/// 50 requests a second and no store for a minute, under both policies and two timeouts.
#[test]
fn requests_in_flight_pile_up_to_the_rate_times_the_timeout() {
    let policies = [
        ("fail_open", Reason::FailOpen),
        ("fail_closed", Reason::FailClosed),
    ];
    for (policy, reason) in policies {
        for (timeout, in_flight) in [(10, 500), (1, 50)] {
            let run = Ran::text(&format!(
                "limit = '10/s'
                duration = '100s'
                traffic = [{{ pattern = 'steady', rate = '50/s' }}]
                algorithm = [{{ kind = 'fixed_window' }}]
                [[deployment]]
                nodes = 3
                store = 'central'
                rtt = '2ms'
                timeout = '{timeout}s'
                on_store_failure = '{policy}'
                outage = [{{ of = 'store', from = '10s', to = '70s' }}]"
            ));
            let answers = run.of("fixed_window");
            let failed = answers
                .each()
                .filter(|(_, record)| record.reason == Some(reason));
            let mut count = 0;
            for (arrival, record) in failed {
                count += 1;
                let (from, to) = (Nanos::from_secs(10), Nanos::from_secs(70));
                let at = arrival.at.since(SimTime::ZERO);
                assert!(from <= at && at < to, "{at}");
                let waited = record.answered - arrival.at;
                assert_eq!(waited, Nanos::from_secs(timeout));
                let passes = policy == "fail_open";
                assert_eq!(record.decision.is_admitted(), passes);
            }
            assert_eq!(count, 3_000);
            // The other forty seconds are those of the limit.
            let tally = &answers.result.tally;
            let (open, closed) = if policy == "fail_open" {
                (3_000, 0)
            } else {
                (0, 3_000)
            };
            assert_eq!((tally.allowed, tally.errors), (400 + open, closed));
            assert_eq!(tally.denied, 1_600);
            let cluster = answers.result.cluster.as_ref().unwrap();
            assert_eq!(cluster.in_flight_peak, in_flight);
        }
    }
}

/// Memory is what is held: where clocks step or a write is long on its way, a state may be over before
/// it was last touched, and still nothing less than nothing is held.
#[test]
fn what_is_held_is_never_less_than_nothing() {
    for (what, text) in [
        (
            "a late write",
            "limit = '3/1s'
            duration = '2s'
            traffic = [{ pattern = 'script', at = ['0s'] }]
            deployment = [{ nodes = 2, store = 'central', access = 'read_then_write', rtt = '1s' }]",
        ),
        (
            "a clock that steps",
            "limit = '2/1s'
            duration = '3s'
            traffic = [{ pattern = 'steady', rate = '40/s' }]
            deployment = [{ clock_step = [
                { of = 0, at = '1s', by = '-1ms' },
                { of = 0, at = '2s', by = '1s' },
            ] }]",
        ),
        (
            "clocks that leap",
            "limit = '5/2s'
            duration = '20s'
            traffic = [{ pattern = 'poisson', rate = '30/s', keys = { count = 5 } }]
            [[deployment]]
            nodes = 7
            routing = 'random'
            clock_step = [{ of = 1, at = '5s', by = '5s' }, { of = 2, at = '7s', by = '-30d' }]",
        ),
    ] {
        let run = Ran::text(&format!("start = '2026-01-01T00:00:00Z'\n{ALL}{text}"));
        for (name, answers) in run.all() {
            for held in [&answers.result.state_bytes, &answers.result.live_keys] {
                let least = held.steps().iter().map(|(_, value)| *value).min();
                assert!(least.is_none_or(|least| least >= 0), "{what}: {name}");
                // What is written so late that it is over already is never held.
                assert!(held.peak() > 0 || what == "a late write", "{what}: {name}");
            }
        }
    }
}

/// What waits for a lease is told when there will be as much as it lacks, each request by its own cost.
#[test]
fn a_request_that_waits_for_a_lease_is_told_when_its_own_cost_is_there() {
    let run = Ran::text(
        "limit = '4/10s'
        algorithm = [{ kind = 'fixed_window' }, { kind = 'token_bucket' }]
        [[traffic]]
        pattern = 'script'
        at = ['1s', '1.1s', '6s']
        cost = 3
        [[deployment]]
        nodes = 1
        store = 'leased'
        batch = 1
        rtt = '0s'",
    );
    // At 1.1 s one unit is left of four; the window begins anew at 10 s. The bucket holds 1 + 0.1 · 0.4.
    let fixed = run.of("fixed_window");
    assert_eq!(fixed.letters(), "axx");
    assert_eq!(fixed.retries(), ["8.9", "4"]);
    let bucket = run.of("token_bucket");
    assert_eq!(bucket.letters(), "axa");
    assert_eq!(bucket.retries(), ["4.9"]);
}
