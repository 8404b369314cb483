//! What stands out in a run, in words.

mod around;
mod clients;
mod cluster;
mod rules;

use super::text::{above, bytes, duration, grouped, limit, multiple, percent, visible};
use crate::measure::{CandidateResult, Chapter, Measure, RunResult};
use crate::units::{Cost, Limit, Nanos, SimTime};
use std::collections::BTreeMap;

/// One sentence about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How it is to be taken.
    pub tone: Tone,
    /// The sentence.
    pub text: String,
}

/// How a finding is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A promise was broken.
    Bad,
    /// A promise was kept.
    Good,
    /// Good to know.
    Note,
}

/// The findings of a run, the gravest first.
pub fn findings(run: &RunResult) -> Vec<Finding> {
    if run.requests == 0 {
        return vec![note(
            "no request came: the random traffic happened to make none".to_owned(),
        )];
    }
    let mut found = Vec::new();
    let is_idle = |c: &CandidateResult| {
        let refused = c.tally.denied + c.tally.errors;
        refused == 0 && !is_over(run, c) && !around::has_others(c)
    };
    if run.candidates.iter().all(is_idle) {
        found.push(note(
            "no request was denied: this traffic does not reach the limit".to_owned(),
        ));
    }
    if run.measures.has(Measure::Peak) {
        found.extend(over_limit(run));
        found.extend(within_limit(run));
    }
    found.extend(first_denials(run));
    found.extend(too_large(run));
    found.extend(false_denials(run));
    found.extend(clients::findings(run));
    found.extend(cluster::findings(run));
    found.extend(around::findings(run));
    found.extend(estimates(run));
    found.extend(most_denied(run));
    found.extend(delays(run));
    found.extend(memory(run));
    found
}

fn note(text: String) -> Finding {
    Finding {
        tone: Tone::Note,
        text,
    }
}

fn is_over(run: &RunResult, candidate: &CandidateResult) -> bool {
    candidate.is_over(run)
}

/// What a candidate's peak is held against: the limit and the algorithm that keeps it; with rules, those
/// of the rule that was exceeded the most.
struct Held<'a> {
    limit: Limit,
    rule: Option<&'a Chapter>,
    /// The most that the level can be.
    level_bound: Cost,
    envelope: &'static str,
}

impl<'a> Held<'a> {
    fn of(run: &RunResult, candidate: &'a CandidateResult) -> Self {
        let rule = Chapter::worst(&candidate.chapters);
        Self {
            limit: candidate.limit(run),
            rule,
            level_bound: rule.map_or(candidate.level_bound, |rule| rule.level_bound),
            envelope: rule.map_or(candidate.envelope, |rule| rule.envelope),
        }
    }
}

/// Who forwarded more than the limit in some window, by how much, and why that is no accident;
/// those who did just the same share a sentence.
fn over_limit(run: &RunResult) -> Vec<Finding> {
    let mut groups: Vec<Vec<&CandidateResult>> = Vec::new();
    for candidate in run
        .candidates
        .iter()
        .filter(|candidate| is_over(run, candidate))
    {
        let what = |c: &CandidateResult| {
            let (tally, held) = (&c.tally, Held::of(run, c));
            (
                tally.peak_in_window,
                held.limit,
                held.rule.map(|rule| rule.name.clone()),
                tally.false_allow,
                why(run, c),
            )
        };
        match groups
            .iter_mut()
            .find(|group| what(group[0]) == what(candidate))
        {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group[0].tally.peak_in_window));
    groups
        .iter()
        .filter_map(|group| broken_promise(run, group))
        .collect()
}

/// Why the candidate may forward more than the limit, if it may.
fn why(run: &RunResult, candidate: &CandidateResult) -> String {
    rules::why(candidate)
        .map(str::to_owned)
        .or_else(|| cluster::why(run, candidate))
        .unwrap_or_else(|| Held::of(run, candidate).envelope.to_owned())
}

fn broken_promise(run: &RunResult, group: &[&CandidateResult]) -> Option<Finding> {
    let tally = group[0].tally;
    let held = Held::of(run, group[0]);
    let times = above(tally.peak_in_window, held.limit.units);
    let rule = held.rule.map_or_else(String::new, |rule| {
        format!(" by the rule `{}`", visible(&rule.name))
    });
    let wrongly = match tally.false_allow {
        0 => String::new(),
        1 => "; 1 request was allowed wrongly".to_owned(),
        many => format!(
            "; {} requests were allowed wrongly",
            grouped(u128::from(many))
        ),
    };
    let why = match why(run, group[0]).as_str() {
        "" => String::new(),
        why => format!(" ({why})"),
    };
    let text = format!(
        "{} forwarded {} within {}{rule}: {times}{wrongly}{why}",
        names(run, group)?,
        grouped(tally.peak_in_window),
        duration(held.limit.window),
    );
    Some(Finding {
        tone: Tone::Bad,
        text,
    })
}

fn within_limit(run: &RunResult) -> Option<Finding> {
    let kept: Vec<_> = run
        .candidates
        .iter()
        .filter(|candidate| !is_over(run, candidate))
        .collect();
    let kept_to = match (run.rules(), kept.len()) {
        (None, _) => limit(run.limit),
        (Some(_), 1) => "the limits of its rules".to_owned(),
        (Some(_), _) => "the limits of their rules".to_owned(),
    };
    let text = format!("{} kept to {kept_to}", names(run, &kept)?);
    Some(Finding {
        tone: Tone::Good,
        text,
    })
}

/// Names joined as in a sentence; `None` for nobody. All candidates under one of several deployments
/// are named by it.
fn names(run: &RunResult, candidates: &[&CandidateResult]) -> Option<String> {
    const SEVERAL: usize = 3;
    let is_named = |one: &CandidateResult| candidates.iter().any(|other| std::ptr::eq(one, *other));
    let mut names: Vec<String> = Vec::new();
    for candidate in candidates {
        let all = run.candidates.iter();
        let mut alike = all.filter(|other| other.deployment == candidate.deployment);
        let count = alike.clone().count();
        let is_whole = count >= SEVERAL && count < run.candidates.len() && alike.all(is_named);
        let name = if is_whole {
            format!("all of {}", visible(&candidate.deployment))
        } else {
            visible(&candidate.name)
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (last, others) = names.split_last()?;
    if others.is_empty() {
        return Some(last.clone());
    }
    Some(format!("{} and {last}", others.join(", ")))
}

/// When the earliest and the latest of the candidates began to refuse.
fn first_denials(run: &RunResult) -> Vec<Finding> {
    let mut times: Vec<SimTime> = run
        .candidates
        .iter()
        .filter_map(CandidateResult::first_denied)
        // What is refused within the first window is plain from the table.
        .filter(|at| at.since(run.first) > run.limit.window)
        .collect();
    times.sort_unstable();
    times.dedup();
    let ends = [times.first(), times.last().filter(|_| times.len() > 1)];
    let of = |at: &SimTime| {
        let who: Vec<_> = run
            .candidates
            .iter()
            .filter(|c| c.first_denied() == Some(*at))
            .collect();
        let after = duration(at.since(run.first));
        Some(note(format!(
            "{} first denied a request {after} after the first request",
            names(run, &who)?
        )))
    };
    ends.into_iter().flatten().filter_map(of).collect()
}

/// Who was asked for more than can ever be held.
fn too_large(run: &RunResult) -> Vec<Finding> {
    by_count(
        run,
        |c| c.tally.too_large,
        |same, count| {
            let names = names(run, same).unwrap_or_default();
            let requests = if count == 1 {
                "request costs"
            } else {
                "requests cost"
            };
            let many = grouped(u128::from(count));
            format!("{many} {requests} more than {names} can ever hold: no wait helps")
        },
    )
}

/// Who refused what the limit had room for, and why that is no accident.
fn false_denials(run: &RunResult) -> Vec<Finding> {
    by(
        run,
        |c| Some((c.tally.false_deny, c.tally.attempts)).filter(|(count, _)| *count > 0),
        |same, (count, attempts)| {
            let count = *count;
            let requests = asked(same[0], count);
            let share = percent(u128::from(count), u128::from(*attempts));
            let many = grouped(u128::from(count));
            let mut causes: Vec<&str> = Vec::new();
            for cause in same.iter().flat_map(|c| rules::cautions(c)) {
                if !causes.contains(&cause) {
                    causes.push(cause);
                }
            }
            let why = match causes.as_slice() {
                [] => String::new(),
                causes => format!(" ({})", causes.join("; ")),
            };
            let names = names(run, same).unwrap_or_default();
            let limits = if run.rules().is_some() {
                "the limits of the rules"
            } else {
                "the limit"
            };
            note(format!(
                "{names} denied {many} {requests} ({share}) that {limits} had room for{why}"
            ))
        },
    )
}

/// What so many of a candidate's answers were given to.
fn asked(candidate: &CandidateResult, count: u64) -> &'static str {
    match (candidate.retried(), count) {
        (true, 1) => "attempt",
        (true, _) => "attempts",
        (false, 1) => "request",
        (false, _) => "requests",
    }
}

/// How far estimates of a trailing window were from what it held.
fn estimates(run: &RunResult) -> Vec<Finding> {
    let of = |candidate: &CandidateResult| {
        let (sum, requests) = candidate.estimates.mean();
        (sum > 0).then(|| {
            note(format!(
                "{} took the last window to hold {} more or less than it did, in the mean",
                visible(&candidate.name),
                percent(sum, requests)
            ))
        })
    };
    run.candidates.iter().filter_map(of).collect()
}

/// Whom the candidates denied most, where there are several keys.
fn most_denied(run: &RunResult) -> Option<Finding> {
    const MOST_NAMED: usize = 3;
    if run.keys.len() < 2 || !run.measures.has(Measure::Keys) {
        return None;
    }
    let denied = |key: &usize| run.candidates.iter().map(|c| c.per_key[*key].denied).max();
    let mut keys: Vec<usize> = (0..run.keys.len())
        .filter(|key| denied(key).is_some_and(|n| n > 0))
        .collect();
    let count = keys.len();
    keys.sort_by_key(|key| (std::cmp::Reverse(denied(key)), *key));
    keys.truncate(MOST_NAMED);
    let named: Vec<String> = keys
        .iter()
        .filter_map(|key| {
            let rank = |c: &&CandidateResult| c.per_key[*key].denied;
            // Of several with as many denials the first.
            let worst = run.candidates.iter().rev().max_by_key(rank)?;
            let tally = worst.per_key[*key];
            let most = grouped(u128::from(tally.denied));
            let whole = grouped(u128::from(tally.attempts));
            Some(format!(
                "{} (up to {most} of {whole} {})",
                visible(&run.keys[*key]),
                asked(worst, tally.attempts)
            ))
        })
        .collect();
    let keys = if count == 1 { "key was" } else { "keys were" };
    let count = grouped(count as u128);
    (!named.is_empty()).then(|| {
        note(format!(
            "{count} {keys} denied something; most: {}",
            named.join(", ")
        ))
    })
}

/// A sentence for each count above 0 that candidates have, the largest first; those with the same
/// count share it.
fn by_count(
    run: &RunResult,
    count: fn(&CandidateResult) -> u64,
    sentence: impl Fn(&[&CandidateResult], u64) -> String,
) -> Vec<Finding> {
    let key = |c: &CandidateResult| Some(count(c)).filter(|count| *count > 0);
    by(run, key, |same, count| note(sentence(same, *count)))
}

/// A finding for each key that candidates have, the greatest first, told of all that share it.
fn by<K: Ord>(
    run: &RunResult,
    key: impl Fn(&CandidateResult) -> Option<K>,
    finding: impl Fn(&[&CandidateResult], &K) -> Finding,
) -> Vec<Finding> {
    let mut groups: BTreeMap<K, Vec<&CandidateResult>> = BTreeMap::new();
    for candidate in &run.candidates {
        if let Some(key) = key(candidate) {
            groups.entry(key).or_default().push(candidate);
        }
    }
    let groups = groups.iter().rev();
    groups.map(|(key, same)| finding(same, key)).collect()
}

fn delays(run: &RunResult) -> Vec<Finding> {
    let waits = |candidate: &CandidateResult| {
        if around::has_only_messages(candidate) {
            return None;
        }
        let longest = candidate
            .delays
            .percentile(100)
            .filter(|longest| *longest > Nanos::ZERO)?;
        let delayed = candidate.tally.delayed;
        let requests = if delayed == 1 { "request" } else { "requests" };
        let text = format!(
            "{} delayed {} {requests}, the longest {}",
            visible(&candidate.name),
            grouped(u128::from(delayed)),
            duration(longest),
        );
        Some(note(text))
    };
    run.candidates.iter().filter_map(waits).collect()
}

/// Who needs the most memory and who the least.
fn memory(run: &RunResult) -> Option<Finding> {
    let peak = |candidate: &&CandidateResult| candidate.state_bytes.peak();
    let most = run.candidates.iter().max_by_key(peak)?;
    let least = run.candidates.iter().min_by_key(peak)?;
    let (high, low) = (
        u128::try_from(peak(&most)).ok()?,
        u128::try_from(peak(&least)).ok()?,
    );
    // A few bytes more or less are not worth a sentence.
    if high < 100 || high < 2 * low.max(1) {
        return None;
    }
    let times = match low {
        0 => String::new(),
        _ => format!(
            ", {} × the {} of {}",
            multiple(high, low),
            bytes(low),
            visible(&least.name)
        ),
    };
    let text = format!(
        "{} held up to {} of state{times}",
        visible(&most.name),
        bytes(high)
    );
    Some(note(text))
}
