//! The result files that programs read.

mod backend;
mod clients;

pub use backend::backend;
pub use clients::clients;

use super::attempt::{COLUMNS, Cell, attempts};
use super::text::cell;
use crate::measure::{CandidateResult, METRICS, Measure, Reading, RunResult, Staircase};
use crate::units::KeyId;
use ::csv::{Error, Writer};
use std::cmp::Reverse;
use std::io::Write;

/// The most keys that `keys.csv` lists; of more, those with the most denials and then requests.
pub const MOST_KEYS: usize = 100_000;

/// `summary.csv`: one row per candidate, one column per metric.
///
/// # Errors
/// When `out` cannot be written; so for all of these.
pub fn summary(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(METRICS.iter().map(|metric| metric.column))?;
    for candidate in &run.candidates {
        let readings = METRICS
            .iter()
            .map(|metric| metric.reading(candidate, run).to_string());
        writer.write_record(readings.map(|text| cell(&text)))?;
    }
    Ok(writer.flush()?)
}

/// `timeline.csv`: one row per attempt and candidate, in order of time, request and candidate.
/// Writes nothing but the header when the run kept no records.
///
/// # Errors
/// When `out` cannot be written.
pub fn timeline(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for attempt in attempts(run) {
        writer.write_record(attempt.cells().map(|cell| cell.to_string()))?;
    }
    Ok(writer.flush()?)
}

/// `rules.csv`: one row per rule and candidate, and another one for each change of its limit or
/// algorithm. All counts are of attempts that the rule applied to and of its own keys, by its own limit.
///
/// # Errors
/// When `out` cannot be written.
pub fn rules(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record([
        "candidate",
        "rule",
        "algorithm",
        "limit",
        "from_s",
        "to_s",
        "keys",
        "requests",
        "allowed",
        "denied",
        "denied_by_others",
        "offered_cost",
        "allowed_cost",
        "peak_in_window",
        "overshoot",
        "false_allow",
        "false_deny",
        "estimate_error",
    ])?;
    let has = |measure| run.measures.has(measure);
    let only = |is_measured: bool, text: String| if is_measured { text } else { String::new() };
    for candidate in &run.candidates {
        for chapter in &candidate.chapters {
            let tally = &chapter.tally;
            let bound = u128::from(chapter.limit.units);
            let overshoot = Reading::Ratio(tally.peak_in_window, bound).to_string();
            writer.write_record([
                cell(&candidate.name),
                cell(&chapter.name),
                chapter.algorithm.to_owned(),
                chapter.limit.to_string(),
                chapter.from.to_string(),
                chapter.to.unwrap_or(run.horizon).to_string(),
                chapter.keys.to_string(),
                tally.requests.to_string(),
                tally.allowed.to_string(),
                tally.denied.to_string(),
                tally.errors.to_string(),
                tally.offered_cost.to_string(),
                tally.allowed_cost.to_string(),
                only(has(Measure::Peak), tally.peak_in_window.to_string()),
                only(has(Measure::Peak), overshoot),
                only(has(Measure::Errors), tally.false_allow.to_string()),
                only(has(Measure::Errors), tally.false_deny.to_string()),
                only(has(Measure::Estimate), {
                    let (sum, requests) = chapter.estimates.mean();
                    Reading::Ratio(sum, requests).to_string()
                }),
            ])?;
        }
    }
    Ok(writer.flush()?)
}

/// `series.csv`: one row per time bucket and candidate; amounts in cost units, state as it is at the
/// end of the bucket. `window_count` is the most cost that one key had in its trailing window when
/// something was forwarded in the bucket, empty when nothing was and where rules have windows of their
/// own; `level` is there for one key. Writes nothing but the header when the run did not measure it, as
/// `keys` does.
///
/// # Errors
/// When `out` cannot be written.
pub fn series(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record([
        "time_s",
        "candidate",
        "offered",
        "allowed",
        "denied",
        "forwarded",
        "level",
        "window_count",
        "state_bytes",
        "live_keys",
        "queue_depth",
        "queue_wait_s",
    ])?;
    if !run.measures.has(Measure::Series) {
        return Ok(writer.flush()?);
    }
    let states: Vec<_> = run
        .candidates
        .iter()
        .map(|candidate| {
            (
                at_ends(run, &candidate.state_bytes),
                at_ends(run, &candidate.live_keys),
                depths(run, candidate),
            )
        })
        .collect();
    for index in 0..run.grid.count() {
        for (candidate, states) in run.candidates.iter().zip(&states) {
            writer.write_record(bucket_row(run, candidate, index, states))?;
        }
    }
    Ok(writer.flush()?)
}

/// One row of `series.csv`; `states` are bytes, keys and messages at the ends of all buckets.
fn bucket_row(
    run: &RunResult,
    candidate: &CandidateResult,
    index: usize,
    (bytes, keys, depths): &(Vec<i64>, Vec<i64>, Vec<i64>),
) -> [String; 12] {
    let bucket = &candidate.series[index];
    let has_states = run.measures.has(Measure::Memory);
    let has_window = bucket.forwarded > 0 && has_one_window(run);
    let state = |value: &i64| text(has_states.then_some(value));
    let longest = candidate
        .messages()
        .and_then(|it| it.longest.get(index).copied());
    [
        run.grid.start(index).to_string(),
        cell(&candidate.name),
        bucket.offered.to_string(),
        bucket.allowed.to_string(),
        bucket.denied.to_string(),
        bucket.forwarded.to_string(),
        text(bucket.level),
        text(has_window.then_some(bucket.window_count)),
        state(&bytes[index]),
        state(&keys[index]),
        text(depths.get(index)),
        text(longest.flatten().map(Cell::length)),
    ]
}

/// What there is, as a cell.
fn text(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// How many messages wait at the end of each bucket, where there is a queue of them.
fn depths(run: &RunResult, candidate: &CandidateResult) -> Vec<i64> {
    let messages = candidate.messages();
    messages.map_or_else(Vec::new, |messages| at_ends(run, &messages.depth))
}

/// Whether a key's trailing window was measured: rules have windows and keys of their own.
fn has_one_window(run: &RunResult) -> bool {
    run.measures.has(Measure::Peak) && run.rules().is_none()
}

/// The staircase's value at the last nanosecond of each bucket.
fn at_ends(run: &RunResult, stairs: &Staircase) -> Vec<i64> {
    let mut steps = stairs.steps().into_iter().peekable();
    let mut value = 0;
    let mut values = Vec::with_capacity(run.grid.count());
    for bucket in 0..run.grid.count() {
        let end = run.grid.start(bucket + 1).as_nanos();
        while let Some((_, next)) = steps.next_if(|(at, _)| *at < end) {
            value = next;
        }
        values.push(value);
    }
    values
}

/// `keys.csv`: one row per key and candidate, the keys with the most denials first.
///
/// # Errors
/// When `out` cannot be written.
pub fn keys(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record([
        "key",
        "candidate",
        "requests",
        "allowed",
        "denied",
        "peak_in_window",
        "first_denied_s",
        "attempts",
    ])?;
    let has_peaks = has_one_window(run);
    let peak = |most: u128| match has_peaks {
        true => most.to_string(),
        false => String::new(),
    };
    for key in listed(run) {
        for candidate in &run.candidates {
            let tally = &candidate.per_key[key.0 as usize];
            writer.write_record([
                cell(&run.keys[key.0 as usize]),
                cell(&candidate.name),
                tally.requests.to_string(),
                tally.allowed.to_string(),
                tally.denied.to_string(),
                peak(tally.peak_in_window),
                tally
                    .first_denied
                    .map_or(String::new(), |at| at.to_string()),
                tally.attempts.to_string(),
            ])?;
        }
    }
    Ok(writer.flush()?)
}

/// `nodes.csv`: one row per node and candidate, of the candidates that run on a cluster. `store_ops`,
/// a count here, is empty where nodes ask nobody.
///
/// # Errors
/// When `out` cannot be written.
pub fn nodes(run: &RunResult, out: &mut dyn Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record([
        "candidate",
        "node",
        "requests",
        "allowed",
        "denied",
        "errors",
        "allowed_cost",
        "store_ops",
    ])?;
    for candidate in &run.candidates {
        let Some(cluster) = &candidate.cluster else {
            continue;
        };
        for (node, tally) in cluster.nodes.iter().enumerate() {
            let ops = cluster.has_store.then(|| tally.store_ops.to_string());
            writer.write_record([
                cell(&candidate.name),
                node.to_string(),
                tally.requests.to_string(),
                tally.allowed.to_string(),
                tally.denied.to_string(),
                tally.errors.to_string(),
                tally.allowed_cost.to_string(),
                ops.unwrap_or_default(),
            ])?;
        }
    }
    Ok(writer.flush()?)
}

/// The keys that came at all, those with the most denials first, then those with the most requests.
fn listed(run: &RunResult) -> Vec<KeyId> {
    let any = run.candidates.first();
    let Some(any) = any.filter(|_| run.measures.has(Measure::Keys)) else {
        return Vec::new();
    };
    let came = |key: &KeyId| any.per_key[key.0 as usize].requests > 0;
    let names = u32::try_from(run.keys.len()).expect("key numbers are 32 bits wide");
    let mut keys: Vec<KeyId> = (0..names).map(KeyId).filter(came).collect();
    keys.sort_by_cached_key(|key| {
        let of = |candidate: &CandidateResult| candidate.per_key[key.0 as usize].denied;
        let denied = run.candidates.iter().map(of).max();
        (
            Reverse((denied, any.per_key[key.0 as usize].requests)),
            *key,
        )
    });
    keys.truncate(MOST_KEYS);
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::fixture;
    use crate::workload::Mark;

    fn lines(write: impl Fn(&mut dyn Write) -> Result<(), Error>) -> Vec<String> {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn an_error_is_no_denial_and_tells_nothing_of_the_limiter() {
        let mut run = fixture::outage();
        run.marks.push(Mark {
            block: 0,
            endpoint: None,
            method: None,
        });
        let rows = lines(|out| timeline(&run, out));
        let row = |name: &str| {
            let is_row = |row: &&String| row.starts_with("20,") && row.contains(name);
            rows.iter().find(is_row).unwrap().clone()
        };
        let failed = row("token_bucket / central, fail_closed");
        assert!(
            failed.ends_with("50,1,0,everyone,,1,error,503,,,,,fail_closed,"),
            "{failed}"
        );
        let open = row("token_bucket / central, fail_open");
        assert!(
            open.contains(",allow,200,") && open.ends_with(",fail_open,"),
            "{open}"
        );
    }

    #[test]
    fn every_node_of_a_cluster_has_a_row() {
        let rows = lines(|out| nodes(&fixture::race(), out));
        let name = "\"fixed_window / central, read then write\"";
        assert_eq!(
            rows,
            [
                "candidate,node,requests,allowed,denied,errors,allowed_cost,store_ops".to_owned(),
                format!("{name},0,3,3,0,0,0,3"),
                format!("{name},1,2,2,0,0,0,2"),
            ]
        );
        let alone = lines(|out| nodes(&fixture::ten_gateways(), out));
        assert!(alone[1].ends_with(",0,"), "{}", alone[1]);
    }
}
