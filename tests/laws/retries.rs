//! Where clients try again, every measure is of attempts, and they add up, whatever the deployment.

use crate::ran::{Ran, scenario};
use ratesim::measure::{CandidateResult, RunResult};
use ratesim::report::csv;
use ratesim::simulation;

/// Nodes, stores and failures: what is refused comes with status 429 and 503.
const DEPLOYMENTS: &[&str] = &[
    "name = 'single'",
    "name = 'three'\nnodes = 3\nshare = 'split'",
    "name = 'central'\nnodes = 2\nstore = 'central'\nrtt = { kind = 'exponential', mean = '40ms' }",
    "name = 'racing'\nnodes = 2\nstore = 'central'\naccess = 'read_then_write'\nrtt = '150ms'",
    "name = 'synced'\nnodes = 2\nstore = 'synced'\nsync_every = '700ms'",
    "name = 'leased'\nnodes = 2\nstore = 'leased'\nbatch = 2\nrtt = '100ms'",
    "name = 'failing'\nnodes = 2\nstore = 'central'\nrtt = '20ms'\ntimeout = '300ms'\n\
     on_store_failure = 'fail_closed'\n\
     outage = [{ of = 'store', from = '10s', to = '20s' }, { of = 1, from = '15s', to = '25s' }]",
];

const CLIENTS: &[&str] = &[
    "{ retry = 'immediate', max_attempts = 4 }",
    "{ retry = 'fixed', wait = '1s', spread = '2s', give_up = '7s' }",
    "{ retry = 'exponential', jitter = 'full' }",
    "{ retry = 'exponential', jitter = 'decorrelated', base = '300ms' }",
    "{ retry = 'retry_after' }",
    "{ retry = 'retry_after', precision = 'exact', spread = '1s' }",
];

fn text(client: &str, fields: &str) -> String {
    let deployments = DEPLOYMENTS
        .iter()
        .map(|it| format!("[[deployment]]\n{it}\n"));
    format!(
        "limit = '5/2s'
        duration = '40s'
        seed = 5
        {fields}
        client = {client}
        [[traffic]]
        pattern = 'poisson'
        rate = '6/s'
        keys = {{ count = 3, popularity = 'zipf' }}
        cost = {{ kind = 'uniform', min = 0, max = 3 }}
        label = 'random'
        [[traffic]]
        pattern = 'burst'
        count = 8
        repeat_every = '5s'
        client = {{ retry = 'none' }}
        [[algorithm]]
        kind = 'token_bucket'
        [[algorithm]]
        kind = 'leaky_bucket'
        [[algorithm]]
        kind = 'fixed_window'
        [[algorithm]]
        kind = 'sliding_window_log'
        [[algorithm]]
        kind = 'sliding_window_counter'
        {}",
        deployments.collect::<String>()
    )
}

fn check(run: &RunResult, candidate: &CandidateResult) {
    let (name, tally) = (&candidate.name, &candidate.tally);
    assert_eq!(tally.requests, run.requests, "{name}");
    assert_eq!(
        tally.attempts,
        tally.allowed + tally.denied + tally.errors,
        "{name}"
    );
    let clients = candidate.clients().unwrap();
    let all = clients.total();
    assert_eq!(
        (all.requests, all.attempts),
        (tally.requests, tally.attempts),
        "{name}"
    );
    assert_eq!(
        (all.served, all.wasted()),
        (tally.allowed, tally.denied + tally.errors),
        "{name}"
    );
    assert_eq!(
        all.served + all.given_up + all.unfinished,
        all.requests,
        "{name}"
    );
    let silent = &clients.blocks[1];
    assert_eq!(
        (silent.attempts, silent.unfinished),
        (silent.requests, 0),
        "{name}"
    );
    let buckets = clients.buckets.iter();
    let made = buckets.map(|it| {
        [
            it.first_admitted,
            it.first_refused,
            it.again_admitted,
            it.again_refused,
        ]
    });
    let made = made.fold([0; 4], |sums, more| {
        std::array::from_fn(|i| sums[i] + more[i])
    });
    assert_eq!(made[0] + made[1], run.requests, "{name}");
    assert_eq!(made.iter().sum::<u64>(), tally.attempts, "{name}");

    let keys = candidate.per_key.iter();
    let by_key = keys.fold([0; 5], |sums, key| {
        let own = [
            key.requests,
            key.attempts,
            key.allowed,
            key.denied,
            key.errors,
        ];
        std::array::from_fn(|i| sums[i] + own[i])
    });
    let whole = [
        tally.requests,
        tally.attempts,
        tally.allowed,
        tally.denied,
        tally.errors,
    ];
    assert_eq!(by_key, whole, "{name}");
    let offered: u128 = candidate.series.iter().map(|bucket| bucket.offered).sum();
    assert_eq!(offered, tally.offered_cost, "{name}");
    let nodes = &candidate.cluster.as_ref().unwrap().nodes;
    if !nodes.is_empty() {
        let at_nodes: u64 = nodes.iter().map(|node| node.requests).sum();
        assert_eq!(at_nodes, tally.attempts, "{name}");
    }

    // Each request is tried in turn, from its own time on, until it is admitted.
    let mut last = vec![(0, false); usize::try_from(run.requests).unwrap()];
    let mut cost = 0;
    for (arrival, record) in run.attempts(candidate).unwrap() {
        cost += u128::from(arrival.cost);
        let (attempt, is_served) = &mut last[usize::try_from(record.request).unwrap()];
        *attempt += 1;
        assert_eq!((record.attempt, *is_served), (*attempt, false), "{name}");
        assert!(record.at >= arrival.at && record.at < run.horizon, "{name}");
        assert!(record.attempt > 1 || record.at == arrival.at, "{name}");
        *is_served = record.decision.is_admitted();
    }
    assert_eq!(cost, tally.offered_cost, "{name}");
    assert!(last.iter().all(|(attempts, _)| *attempts > 0), "{name}");
}

#[test]
fn attempts_add_up_under_every_deployment_and_client() {
    for client in CLIENTS {
        for fields in ["", "reference = 'offered'"] {
            let run = Ran::text(&text(client, fields)).result;
            assert_eq!(run.candidates.len(), 5 * DEPLOYMENTS.len());
            for candidate in &run.candidates {
                check(&run, candidate);
                assert!(candidate.retried(), "{}", candidate.name);
            }
            let failing = run
                .candidates
                .iter()
                .filter(|it| it.deployment == "failing");
            assert!(failing.clone().all(|it| it.tally.errors > 0));
        }
    }
}

/// Everything that a run writes of its attempts.
fn written(text: &str) -> Vec<u8> {
    let run = simulation::run(&scenario(text).into_plan(true), &()).unwrap();
    let mut bytes = Vec::new();
    for write in [
        csv::summary,
        csv::timeline,
        csv::series,
        csv::keys,
        csv::nodes,
        csv::clients,
    ] {
        write(&run, &mut bytes).unwrap();
    }
    bytes
}

#[test]
fn the_same_seed_gives_the_same_attempts() {
    let text = text(CLIENTS[2], "");
    assert!(written(&text) == written(&text));
    let other = text.replace("seed = 5", "seed = 6");
    assert!(written(&text) != written(&other));
}

#[test]
fn clients_that_ask_once_change_nothing() {
    let with = text("{ retry = 'none' }", "");
    let without: String = with
        .lines()
        .filter(|line| !line.contains("client ="))
        .collect::<Vec<_>>()
        .join("\n");
    assert!(without.len() < with.len());
    assert!(written(&with) == written(&without));
}

/// What a candidate offers is what its own clients try: those who try again at once offer each request so
/// often. A window of ten seconds in which 3 come and 2 are admitted holds 3 + 1·3.
#[test]
fn what_is_offered_includes_a_candidates_own_retries() {
    let run = Ran::text(
        "limit = '5/10s'
        duration = '20s'
        reference = 'offered'
        traffic = [{ pattern = 'script', at = ['0s', '1s', '2s'] }]
        algorithm = [{ kind = 'fixed_window', name = 'it' }]
        deployment = [
            { name = 'once' },
            { name = 'more', client = { retry = 'immediate', max_attempts = 4 } },
        ]",
    );
    for candidate in &run.result.candidates {
        assert_eq!(candidate.tally.denied, 0, "{}", candidate.name);
    }
    let run = Ran::text(
        "limit = '2/10s'
        duration = '20s'
        reference = 'offered'
        traffic = [{ pattern = 'script', at = ['0s', '1s', '2s', '10.5s'] }]
        algorithm = [{ kind = 'fixed_window' }]
        deployment = [
            { name = 'once', client = { retry = 'none' } },
            { name = 'more', client = { retry = 'immediate', max_attempts = 4 } },
        ]",
    );
    // In (0.5, 10.5] the requests of 1, 2 and 10.5 s: the last one is one too many for who counts all that
    // is offered, whatever was admitted.
    for (name, attempts, false_allow) in [("once", 4, 1), ("more", 7, 1)] {
        let tally = run.of(name).result.tally;
        assert_eq!(
            (tally.attempts, tally.false_allow),
            (attempts, false_allow),
            "{name}"
        );
        assert_eq!(tally.false_deny, 0, "{name}");
    }
}
