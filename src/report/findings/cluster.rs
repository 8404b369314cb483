//! What stands out where a limiter runs on several nodes or behind a store.

use super::{Finding, Held, asked, by, by_count, is_over, names, note};
use crate::measure::{CandidateResult, ClusterResult, RunResult};
use crate::report::text::{duration, grouped, multiple, percent};
use crate::units::Nanos;

/// Races, outages, leaks, and what asking costs.
pub(super) fn findings(run: &RunResult) -> Vec<Finding> {
    let mut found = races(run);
    found.extend(outages(run));
    found.extend(leaks(run));
    found.extend(costs(run));
    found
}

/// Why a cluster forwarded more than the limit, where its algorithm alone would not have, or may not.
pub(super) fn why(run: &RunResult, candidate: &CandidateResult) -> Option<String> {
    let cluster = candidate.cluster.as_ref()?;
    // One that may lend a burst lends at most what it can hold, on top of the limit.
    let held = Held::of(run, candidate);
    let lent = match held.envelope {
        "" => 0,
        _ => u128::from(held.level_bound.max(held.limit.units)),
    };
    let alone = u128::from(held.limit.units) + lent;
    if !is_over(run, candidate) {
        return None;
    }
    let may_be_alone = candidate.tally.peak_in_window <= alone;
    let mut causes = Vec::new();
    if cluster.is_shared || cluster.states_per_key > 1 && !may_be_alone {
        let nodes = cluster.nodes.len();
        let how = if cluster.has_store {
            "learn only now and then what the others admitted"
        } else {
            "do not know of each other"
        };
        causes.push(format!(
            "{nodes} nodes that {how}: up to {nodes} × what one would forward"
        ));
    }
    if cluster.is_leased {
        causes.push("nodes spend what they leased before".to_owned());
    }
    let others = [
        (
            cluster.races,
            "requests were decided on a state that had changed",
        ),
        (
            cluster.forgotten_early,
            "keys were forgotten before their time",
        ),
        (
            cluster.unmetered,
            "what came while the store failed was forwarded unmetered",
        ),
        (
            cluster.fallbacks,
            "while the store failed, each node decided by a state of its own",
        ),
        (
            candidate.messages().map_or(0, |messages| messages.queued),
            "what was queued is forwarded beside what is admitted",
        ),
        (
            candidate.backend().map_or(0, |backend| backend.bypassed),
            "some requests went past the limiter",
        ),
    ];
    let there = others.iter().filter(|(count, _)| *count > 0);
    causes.extend(there.map(|(_, cause)| (*cause).to_owned()));
    if causes.is_empty() {
        return None;
    }
    if may_be_alone && !held.envelope.is_empty() {
        causes.insert(0, held.envelope.to_owned());
    }
    Some(causes.join("; "))
}

fn of(candidate: &CandidateResult, count: fn(&ClusterResult) -> u64) -> u64 {
    candidate.cluster.as_ref().map_or(0, count)
}

fn races(run: &RunResult) -> Vec<Finding> {
    by_count(
        run,
        |c| of(c, |cluster| cluster.races),
        |same, count| {
            let requests = if count == 1 { "request" } else { "requests" };
            let many = grouped(count.into());
            let names = names(run, same).unwrap_or_default();
            format!("{names} decided {many} {requests} on a state that had changed")
        },
    )
}

/// Errors, what was refused wrongly, and the time to recover, of those who had outages or errors.
fn outages(run: &RunResult) -> Vec<Finding> {
    let key = |c: &CandidateResult| {
        let cluster = c.cluster.as_ref()?;
        let (errors, wrongly) = (c.tally.errors, c.tally.wrongly_refused);
        let had_any = errors > 0 || !cluster.outages.is_empty();
        let attempts = c.tally.attempts;
        had_any.then_some((
            errors,
            wrongly,
            cluster.recovery,
            who_failed(cluster),
            attempts,
        ))
    };
    by(
        run,
        key,
        |same, (errors, wrongly, recovery, who, attempts)| {
            let names = names(run, same).unwrap_or_default();
            let requests = asked(same[0], *errors);
            let mut text = match errors {
                0 => format!("{names} had no errors although {who} failed"),
                _ => format!(
                    "{names} refused {} {requests} ({}) because {who} failed",
                    grouped((*errors).into()),
                    percent((*errors).into(), (*attempts).into())
                ),
            };
            if *wrongly > 0 {
                let many = grouped((*wrongly).into());
                let were = if *wrongly == 1 { "was" } else { "were" };
                text += &format!("; of all refused meanwhile, {many} {were} within the limit");
            }
            if let Some(recovery) = recovery.filter(|recovery| *recovery > Nanos::ZERO) {
                let after = duration(recovery);
                text += &format!("; the last answer without it came {after} after the outage");
            }
            note(text)
        },
    )
}

/// Who was down.
fn who_failed(cluster: &ClusterResult) -> &'static str {
    let is_store = |is: bool| cluster.outages.iter().any(|down| down.node.is_none() == is);
    match (is_store(true), is_store(false)) {
        (true, false) => "the store",
        (false, true) => "a node",
        _ => "the store or a node",
    }
}

fn leaks(run: &RunResult) -> Vec<Finding> {
    by_count(
        run,
        |c| of(c, |cluster| cluster.leaked_keys),
        |same, count| {
            let keys = if count == 1 { "key" } else { "keys" };
            let many = grouped(count.into());
            let names = names(run, same).unwrap_or_default();
            format!("{names} still held {many} {keys} at the end that could have been forgotten")
        },
    )
}

/// Operations and latency.
fn costs(run: &RunResult) -> Vec<Finding> {
    let key = |c: &CandidateResult| {
        let cluster = c.cluster.as_ref()?;
        let percentile = |percent| cluster.added_latency.percentile(percent);
        let latency = (percentile(50)?, percentile(99)?);
        let is_remote = cluster.has_store || latency.1 > Nanos::ZERO;
        let exchanges = cluster.states_per_key > 1;
        is_remote.then(|| (latency, cluster.store_ops(), c.tally.requests, exchanges))
    };
    by(run, key, |same, (latency, ops, requests, exchanges)| {
        let names = names(run, same).unwrap_or_default();
        let each = multiple((*ops).into(), u128::from((*requests).max(1)));
        let what = if *ops == 0 {
            names
        } else if *exchanges {
            format!("{names} told the other nodes what was admitted {each} times per request")
        } else {
            format!("{names} used the store {each} times per request")
        };
        let (median, late) = *latency;
        note(match (median, late) {
            (_, Nanos::ZERO) => what,
            _ if *ops == 0 => format!(
                "{what} answered {} later in the median and {} for one in a hundred",
                duration(median),
                duration(late)
            ),
            _ if median == late => format!("{what}; answers took {} longer", duration(median)),
            _ => format!(
                "{what}; answers took {} longer in the median and {} for one in a hundred",
                duration(median),
                duration(late)
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::report::chart::fixture;
    use crate::report::findings::findings;

    fn told(run: &crate::measure::RunResult) -> Vec<String> {
        findings(run).into_iter().map(|f| f.text).collect()
    }

    /// Ten nodes of five each: 40 in a window are more than the 10 that one bucket or one fixed window
    /// could forward, and more than the 5 of a log.
    #[test]
    fn an_overshoot_that_an_algorithm_cannot_explain_is_the_nodes() {
        let found = told(&fixture::ten_gateways());
        let why = "(10 nodes that do not know of each other: up to 10 × what one would forward)";
        assert!(found[0].contains("forwarded 40 within 20 s: 8.0 × the limit"));
        assert!(found[0].ends_with(why), "{}", found[0]);
        assert!(
            !found
                .iter()
                .any(|text| text.contains("does not reach the limit"))
        );
    }

    #[test]
    fn races_and_what_the_store_costs_are_told() {
        let found = told(&fixture::race());
        let name = "fixed_window / central, read then write";
        for text in [
            "decided 1 request on a state that had changed",
            "used the store 1.0 times per request; answers took 5 ms longer",
        ] {
            assert!(found.contains(&format!("{name} {text}")), "{found:#?}");
        }
    }

    /// Requests come every 0.4 s: 38 of them from 20.0 to 34.8 s, which a bucket or a window of 10 per
    /// 5 s that sees 12.5 in that time does not all admit.
    #[test]
    fn errors_and_recovery_are_told_by_what_was_done() {
        let found = told(&fixture::outage());
        let of = |name: &str| {
            let is_of = |text: &&String| text.starts_with(name) && text.contains("failed");
            found
                .iter()
                .find(is_of)
                .unwrap_or_else(|| panic!("{name}: {found:#?}"))
        };
        let closed = of("token_bucket / central, fail_closed");
        assert!(closed.contains("refused 38 requests (25.3 %) because the store failed"));
        assert!(closed.ends_with("the last answer without it came 50 ms after the outage"));
        let open = found.iter().find(|text| text.contains("fail_open"));
        assert!(open.is_some());
    }
}
