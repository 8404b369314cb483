//! Splitting never saves waiting: Guérin's law (2019) of token buckets that are split over nodes.
//!
//! A bucket of b tokens that regains r, and delays each request until it has a token, has let
//! D(t) = min over s ≤ t of A(s) + ⌊b + r(t − s)⌋ pass by t, or all A(t) that came. For nodes with parts b_i
//! and r_i, each takes its minimum at an s of its own, and parts round down each for itself, so that
//! ΣD_i(t) ≤ D(t) at all t, whoever is sent where: the k-th to pass does so no earlier, and the waits
//! add up to no less.
//!
//! A leaky bucket is such a bucket in two ways. Until it has leaked, a request waits for one without a
//! burst (b = 0). Until its turn comes, it waits for one that holds a single token: so each of N nodes
//! lets one pass at once, and together they are parts of N tokens.

use crate::ran::Ran;
use crate::setup::stepper;
use proptest::prelude::*;
use ratesim::limiter::Decision;
use ratesim::units::{Nanos, Retry, SimTime};

/// Requests of cost 1 and the node that each is sent to.
#[derive(Clone, Debug)]
struct Sent {
    nodes: usize,
    requests: Vec<(u64, usize)>,
    /// Nanoseconds in which the whole bucket regains one.
    interval: u64,
}

fn sent() -> impl Strategy<Value = Sent> {
    (1usize..=5, 1u64..300).prop_flat_map(|(nodes, interval)| {
        let gap = prop_oneof![3 => Just(0), 3 => 0..=interval, 1 => 0..=20 * interval];
        let requests = prop::collection::vec((gap, 0..nodes), 1..60);
        requests.prop_map(move |requests| {
            let mut now = 0;
            let at = requests.into_iter().map(|(gap, node)| {
                now += gap;
                (now, node)
            });
            Sent {
                nodes,
                requests: at.collect(),
                interval,
            }
        })
    })
}

/// When each request passes a limiter that has it wait as long as it says, one after the other.
fn shaped(kind: &str, parameters: &str, arrivals: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut limiter = stepper(kind, parameters, "1/1s");
    let mut last = SimTime::ZERO;
    let passes = arrivals.map(|at| {
        let mut now = SimTime::from_nanos(at).max(last);
        if limiter.decide(now, 1) == Decision::Deny {
            let Retry::After(wait) = limiter.retry_after(now, 1) else {
                panic!("it regains");
            };
            now = now + Nanos::from_wide(wait);
            assert_eq!(limiter.decide(now, 1), Decision::Allow);
        }
        last = now;
        now.as_nanos()
    });
    passes.collect()
}

/// When requests pass a bucket of `burst` tokens that regains one in `interval`, by the law itself.
fn by_law(arrivals: &[u64], burst: u64, interval: u64) -> Vec<u64> {
    let mut passes = Vec::new();
    for (k, now) in (0u64..).zip(arrivals) {
        let since = (0u64..).zip(&arrivals[..passes.len()]);
        let bound = |(j, at): (u64, &u64)| at + (k - j + 1).saturating_sub(burst) * interval;
        let own = 1u64.saturating_sub(burst) * interval;
        passes.push(since.map(bound).fold(now + own, u64::max));
    }
    passes
}

/// Whether the k-th passes a split bucket no earlier than the whole one, for every k.
fn no_earlier(mut split: Vec<u64>, mut whole: Vec<u64>) -> Result<(), TestCaseError> {
    split.sort_unstable();
    whole.sort_unstable();
    prop_assert_eq!(split.len(), whole.len());
    for (split, whole) in split.iter().zip(&whole) {
        prop_assert!(split >= whole, "{} before {}", split, whole);
    }
    Ok(())
}

proptest! {
    #[test]
    fn splitting_a_bucket_never_lowers_the_total_wait(sent in sent(), part in 1u64..4) {
        let nodes = sent.nodes as u64;
        let (burst, slow) = (part * nodes, sent.interval * nodes);
        let arrivals: Vec<u64> = sent.requests.iter().map(|(at, _)| *at).collect();
        for (kind, size, rate, more) in [
            ("token_bucket", "capacity", "refill", ""),
            ("gcra", "burst", "rate", ""),
            ("leaky_bucket", "capacity", "outflow", "mode=meter"),
        ] {
            let bucket = |count, interval| format!("{size}={count} {rate}=1/{interval}ns {more}");
            let whole = bucket(burst, sent.interval);
            let whole = shaped(kind, &whole, arrivals.iter().copied());
            prop_assert_eq!(&whole, &by_law(&arrivals, burst, sent.interval));
            let mut split = Vec::new();
            for node in 0..sent.nodes {
                let own = sent.requests.iter().filter(|(_, to)| *to == node);
                split.extend(shaped(kind, &bucket(part, slow), own.map(|(at, _)| *at)));
            }
            no_earlier(split, whole)?;
        }
    }

    /// The same through scenarios: queues of the nodes with their parts of the outflow, which no request
    /// is denied by.
    #[test]
    fn splitting_a_queue_never_lowers_the_total_wait(sent in sent(), seed in 0u64..1000) {
        let nodes = sent.nodes as u64;
        let routing = if seed % 2 == 0 { "random" } else { "round_robin" };
        let arrivals: Vec<u64> = sent.requests.iter().map(|(at, _)| *at).collect();
        let run = Ran::text(&format!(
            "limit = '{room}/1s'
            seed = {seed}
            traffic = [{{ pattern = 'script', at = {at:?} }}]
            algorithm = [{{ kind = 'leaky_bucket', capacity = {room}, outflow = '1/{}ns' }}]
            deployment = [
                {{ name = 'one' }},
                {{ name = 'split', nodes = {nodes}, routing = '{routing}', share = 'split' }},
            ]",
            sent.interval,
            room = 100 * nodes,
            at = arrivals.iter().map(|at| format!("{at}ns")).collect::<Vec<_>>(),
        ));
        // When each request's turn to leak comes.
        let turns = |name: &str| -> Vec<u64> {
            let answers = run.of(name);
            let turn = answers.each().map(|(arrival, record)| {
                assert!(record.decision.is_admitted());
                (arrival.at + record.decision.delay()).as_nanos()
            });
            turn.collect()
        };
        let (one, split) = (turns("one"), turns("split"));
        prop_assert_eq!(&one, &by_law(&arrivals, 1, sent.interval));
        // Each node lets one pass at once: N tokens in all.
        no_earlier(split.clone(), by_law(&arrivals, nodes, sent.interval))?;
        // Until they have leaked.
        let leaked = |turns: &[u64], interval: u64| -> Vec<u64> {
            turns.iter().map(|turn| turn + interval).collect()
        };
        let whole = leaked(&one, sent.interval);
        prop_assert_eq!(&whole, &by_law(&arrivals, 0, sent.interval));
        no_earlier(leaked(&split, sent.interval * nodes), whole)?;
    }
}

/// Why turns alone are not compared with those of one node: two at once do not wait on two nodes, and
/// leak in twice the time.
#[test]
fn each_node_of_a_split_queue_lets_its_first_request_pass() {
    let run = Ran::text(
        "limit = '10/1s'
        traffic = [{ pattern = 'burst', count = 4 }]
        algorithm = [{ kind = 'leaky_bucket' }]
        deployment = [{ name = 'one' }, { name = 'split', nodes = 2, share = 'split' }]",
    );
    assert_eq!(run.of("one").forwarded(), ["0", "0.1", "0.2", "0.3"]);
    assert_eq!(run.of("split").forwarded(), ["0", "0", "0.2", "0.2"]);
}
