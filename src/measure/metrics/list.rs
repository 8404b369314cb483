//! The measures, each read from a candidate's result.

use super::{Metric, Reading, around, clients};
use crate::measure::{CandidateResult, ClusterResult, Measure};
use crate::units::SimTime;

pub(super) fn count(value: u64) -> Reading {
    Reading::Count(u128::from(value))
}

pub(super) fn share(parts: u64, whole: u64) -> Reading {
    Reading::Share(u128::from(parts), u128::from(whole))
}

/// A non-negative integral or peak.
fn positive(value: impl TryInto<u128>) -> u128 {
    value.try_into().unwrap_or(0)
}

fn percentile(candidate: &CandidateResult, percent: u64) -> Reading {
    candidate
        .delays
        .percentile(percent)
        .map_or(Reading::Absent, Reading::Time)
}

/// What only a cluster has; absent where one node answers at once.
fn of_cluster(
    candidate: &CandidateResult,
    read: impl FnOnce(&ClusterResult) -> Option<Reading>,
) -> Reading {
    let cluster = candidate.cluster.as_ref();
    let cluster = cluster.filter(|cluster| !cluster.nodes.is_empty());
    cluster.and_then(read).unwrap_or(Reading::Absent)
}

/// Jain's index (Σx)² / (k Σx²) over the k keys that came, x being a key's admitted share, kept to
/// nine decimals.
fn fairness(candidate: &CandidateResult) -> Reading {
    let (mut keys, mut sum, mut squares) = (0u128, 0u128, 0u128);
    for key in candidate.per_key.iter().filter(|key| key.requests > 0) {
        let share = u128::from(key.allowed) * 1_000_000_000 / u128::from(key.requests);
        keys += 1;
        sum += share;
        squares += share * share;
    }
    // With fewer than 2^32 keys both products stay below 2^128.
    Reading::Ratio(sum * sum, keys * squares)
}

/// Every measure, in the order of the columns.
pub const METRICS: &[Metric] = &[
    Metric {
        column: "candidate",
        heading: "candidate",
        meaning: "name of the candidate",
        measure: None,
        read: |c, _| Reading::Text(c.name.clone()),
    },
    Metric {
        column: "algorithm",
        heading: "",
        meaning: "kind of its algorithm",
        measure: None,
        read: |c, _| Reading::Text(c.algorithm.to_owned()),
    },
    Metric {
        column: "deployment",
        heading: "",
        meaning: "name of its deployment",
        measure: None,
        read: |c, _| Reading::Text(c.deployment.clone()),
    },
    Metric {
        column: "requests",
        heading: "",
        meaning: "requests that arrived",
        measure: None,
        read: |c, _| count(c.tally.requests),
    },
    Metric {
        column: "attempts",
        heading: "",
        meaning: "attempts at them, retries included",
        measure: None,
        read: |c, _| count(c.tally.attempts),
    },
    Metric {
        column: "allowed",
        heading: "allowed",
        meaning: "attempts admitted, at once or later",
        measure: None,
        read: |c, _| count(c.tally.allowed),
    },
    Metric {
        column: "delayed",
        heading: "delayed",
        meaning: "attempts admitted and forwarded later",
        measure: None,
        read: |c, _| count(c.tally.delayed),
    },
    Metric {
        column: "denied",
        heading: "denied",
        meaning: "attempts refused",
        measure: None,
        read: |c, _| count(c.tally.denied),
    },
    Metric {
        column: "errors",
        heading: "errors",
        meaning: "attempts refused because the store or a node failed (status 503)",
        measure: None,
        read: |c, _| count(c.tally.errors),
    },
    Metric {
        column: "allowed_share",
        heading: "",
        meaning: "allowed / requests",
        measure: None,
        read: |c, _| share(c.tally.allowed, c.tally.requests),
    },
    Metric {
        column: "peak_in_window",
        heading: "peak in\nwindow",
        meaning: "the most cost forwarded for one key in any half-open window of the limit's length",
        measure: Some(Measure::Peak),
        read: |c, _| Reading::Count(c.tally.peak_in_window),
    },
    Metric {
        column: "overshoot",
        heading: "of\nlimit",
        meaning: "peak_in_window / n; 1 or less is a kept promise",
        measure: Some(Measure::Peak),
        read: |c, run| Reading::Ratio(c.tally.peak_in_window, u128::from(c.limit(run).units)),
    },
    Metric {
        column: "false_allow",
        heading: "false\nallow",
        meaning: "attempts allowed although that brought the cost forwarded in (f − w, f] above n",
        measure: Some(Measure::Errors),
        read: |c, _| count(c.tally.false_allow),
    },
    Metric {
        column: "false_deny",
        heading: "false\ndeny",
        meaning: "attempts denied although the cost forwarded in (t − w, t] left room for them",
        measure: Some(Measure::Errors),
        read: |c, _| count(c.tally.false_deny),
    },
    Metric {
        column: "error_rate",
        heading: "error\nrate",
        meaning: "(false_allow + false_deny) / attempts",
        measure: Some(Measure::Errors),
        read: |c, _| share(c.tally.false_allow + c.tally.false_deny, c.tally.attempts),
    },
    Metric {
        column: "estimate_error",
        heading: "",
        meaning: "for estimating algorithms, mean of |estimate − true count| / true count over \
                  requests with a true count above 0",
        measure: Some(Measure::Estimate),
        read: |c, _| {
            let (sum, requests) = c.estimates.mean();
            Reading::Ratio(sum, requests)
        },
    },
    Metric {
        column: "state_bytes_peak",
        heading: "peak\nmemory",
        meaning: "the most bytes of state held for keys that cannot be forgotten",
        measure: Some(Measure::Memory),
        read: |c, _| Reading::Bytes(positive(c.state_bytes.peak())),
    },
    Metric {
        column: "state_bytes_mean",
        heading: "",
        meaning: "bytes of state, mean over the run's time",
        measure: Some(Measure::Memory),
        read: |c, run| {
            let horizon = u128::from(run.horizon.as_nanos());
            Reading::MeanBytes(positive(c.state_bytes.integral()), horizon)
        },
    },
    Metric {
        column: "state_bytes_per_key",
        heading: "per\nkey",
        meaning: "bytes of state per live key, mean over time and keys",
        measure: Some(Measure::Memory),
        read: |c, _| {
            let bytes = positive(c.state_bytes.integral());
            Reading::MeanBytes(bytes, positive(c.live_keys.integral()))
        },
    },
    Metric {
        column: "redis_bytes_peak",
        heading: "",
        meaning: "the most bytes that Redis would report for the same state (MEMORY USAGE)",
        measure: Some(Measure::Memory),
        read: |c, _| Reading::Bytes(positive(c.redis_bytes.peak())),
    },
    Metric {
        column: "live_keys_peak",
        heading: "",
        meaning: "the most keys that could not be forgotten at one time",
        measure: Some(Measure::Memory),
        read: |c, _| Reading::Count(positive(c.live_keys.peak())),
    },
    Metric {
        column: "store_ops",
        heading: "store\nops",
        meaning: "operations on a remote store, or messages between nodes, per request; absent where \
                  nodes ask nobody",
        measure: None,
        read: |c, _| {
            let requests = u128::from(c.tally.requests);
            let per_request = |ops: u64| Reading::PerRequest(u128::from(ops), requests);
            of_cluster(c, |cluster| {
                cluster.has_store.then(|| per_request(cluster.store_ops()))
            })
        },
    },
    Metric {
        column: "delay_p50_s",
        heading: "",
        meaning: "wait of admitted attempts, median, in seconds",
        measure: Some(Measure::Delay),
        read: |c, _| percentile(c, 50),
    },
    Metric {
        column: "delay_p99_s",
        heading: "delay\np99",
        meaning: "wait of admitted requests, 99th percentile, in seconds",
        measure: Some(Measure::Delay),
        read: |c, _| percentile(c, 99),
    },
    Metric {
        column: "delay_max_s",
        heading: "",
        meaning: "the longest wait of an admitted request, in seconds",
        measure: Some(Measure::Delay),
        read: |c, _| percentile(c, 100),
    },
    Metric {
        column: "fairness",
        heading: "",
        meaning: "Jain's index of the keys' admitted shares: 1 when all keys fare alike, 1/keys when \
                  one takes all",
        measure: Some(Measure::Keys),
        read: |c, _| fairness(c),
    },
    Metric {
        column: "first_denied_s",
        heading: "",
        meaning: "when the first request was refused, in seconds; absent when none was",
        measure: Some(Measure::Keys),
        read: |c, _| {
            c.first_denied()
                .map_or(Reading::Absent, |at| Reading::Time(at.since(SimTime::ZERO)))
        },
    },
    Metric {
        column: "too_large",
        heading: "",
        meaning: "of the denied, requests that cost more than can ever be held",
        measure: None,
        read: |c, _| count(c.tally.too_large),
    },
    Metric {
        column: "legitimate_denied",
        heading: "legit.\ndenied",
        meaning: "share of the attempts labelled legitimate that was refused",
        measure: None,
        read: |c, _| share(c.tally.legitimate_denied, c.tally.legitimate),
    },
    Metric {
        column: "abusive_allowed",
        heading: "abusive\nallowed",
        meaning: "share of the attempts labelled not legitimate that was admitted",
        measure: None,
        read: |c, _| share(c.tally.abusive_allowed, c.tally.abusive),
    },
    Metric {
        column: "offered_cost",
        heading: "",
        meaning: "cost of all attempts",
        measure: None,
        read: |c, _| Reading::Count(c.tally.offered_cost),
    },
    Metric {
        column: "allowed_cost",
        heading: "",
        meaning: "cost of the admitted attempts",
        measure: None,
        read: |c, _| Reading::Count(c.tally.allowed_cost),
    },
    Metric {
        column: "theory",
        heading: "",
        meaning: "the share denied by the closed form, where one covers the scenario",
        measure: Some(Measure::Series),
        read: |c, _| {
            c.theory
                .map_or(Reading::Absent, |t| Reading::Real(t.theory))
        },
    },
    Metric {
        column: "theory_error_se",
        heading: "",
        meaning: "how far the measured share lies from it, in standard errors (batch means)",
        measure: Some(Measure::Series),
        read: |c, _| {
            c.theory
                .map_or(Reading::Absent, |t| Reading::Real(t.distance()))
        },
    },
    Metric {
        column: "added_latency_p50_s",
        heading: "",
        meaning: "from a request's arrival at its node to the answer, median, in seconds",
        measure: None,
        read: |c, _| {
            of_cluster(c, |cluster| {
                cluster.added_latency.percentile(50).map(Reading::Time)
            })
        },
    },
    Metric {
        column: "added_latency_p99_s",
        heading: "added\np99",
        meaning: "from a request's arrival at its node to the answer, 99th percentile, in seconds",
        measure: None,
        read: |c, _| {
            of_cluster(c, |cluster| {
                cluster.added_latency.percentile(99).map(Reading::Time)
            })
        },
    },
    Metric {
        column: "in_flight_peak",
        heading: "",
        meaning: "the most requests that waited for an answer at one time",
        measure: None,
        read: |c, _| of_cluster(c, |cluster| Some(count(cluster.in_flight_peak))),
    },
    Metric {
        column: "races",
        heading: "races",
        meaning: "decisions on a state that had changed before they were written",
        measure: None,
        read: |c, _| of_cluster(c, |cluster| Some(count(cluster.races))),
    },
    Metric {
        column: "wrongly_refused",
        heading: "",
        meaning: "requests refused while something was down, or because it had been, although the \
                  limit had room for them",
        measure: Some(Measure::Errors),
        read: |c, _| of_cluster(c, |_| Some(count(c.tally.wrongly_refused))),
    },
    Metric {
        column: "recovery_s",
        heading: "",
        meaning: "from the end of an outage to the last answer given without the store or the node \
                  because of it, the longest of all outages, in seconds",
        measure: None,
        read: |c, _| of_cluster(c, |cluster| cluster.recovery.map(Reading::Time)),
    },
    Metric {
        column: "leaked_keys",
        heading: "",
        meaning: "keys still held at the end that could have been forgotten",
        measure: None,
        read: |c, _| of_cluster(c, |cluster| Some(count(cluster.leaked_keys))),
    },
    Metric {
        column: "forgotten_early",
        heading: "",
        meaning: "how often a key was forgotten although its state was not yet like a fresh one",
        measure: None,
        read: |c, _| of_cluster(c, |cluster| Some(count(cluster.forgotten_early))),
    },
    Metric {
        column: "denied_by",
        heading: "denied\nby",
        meaning: "under rules, how many requests each of them denied; one that several rules denied counts \
                  for each",
        measure: None,
        read: |c, _| match denied_by(c) {
            text if text.is_empty() => Reading::Absent,
            text => Reading::Text(text),
        },
    },
    around::QUEUED,
    around::OVERFLOW,
    around::QUEUE_DEPTH_PEAK,
    around::QUEUE_WAIT_P50_S,
    around::QUEUE_WAIT_P99_S,
    around::QUEUE_WAIT_MAX_S,
    around::LEFT_IN_QUEUE,
    around::BYPASSED,
    around::BACKEND_UTILISATION,
    around::RESPONSE_P50_S,
    around::RESPONSE_P99_S,
    around::OVERLOADED,
    around::WASTED_WORK_SHARE,
    clients::ATTEMPTS_PER_REQUEST,
    clients::GOODPUT,
    clients::WASTED_ATTEMPTS,
    clients::AMPLIFICATION,
    clients::GIVEN_UP,
    clients::UNFINISHED,
    clients::DRAINED_S,
    clients::RETRY_HONESTY,
];

/// `posts 12, login 3`: the rules that denied anything.
fn denied_by(candidate: &CandidateResult) -> String {
    let mut rules: Vec<(&str, u64)> = Vec::new();
    for chapter in &candidate.chapters {
        match rules.iter_mut().find(|(name, _)| *name == &*chapter.name) {
            Some((_, denied)) => *denied += chapter.tally.denied,
            None => rules.push((&chapter.name, chapter.tally.denied)),
        }
    }
    rules.retain(|(_, denied)| *denied > 0);
    let texts: Vec<String> = rules
        .iter()
        .map(|(name, denied)| format!("{name} {denied}"))
        .collect();
    texts.join(", ")
}
