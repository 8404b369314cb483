//! What stands out around a limiter: messages over the limit, and the backend behind it.

use super::{Finding, by, names, note};
use crate::measure::{BackendResult, CandidateResult, Delays, RunResult, Served};
use crate::report::text::{duration, grouped, percent};
use crate::units::Nanos;

/// What became of messages, and what a backend was saved.
pub(super) fn findings(run: &RunResult) -> Vec<Finding> {
    let mut found = messages(run);
    found.extend(backends(run));
    found.extend(bypassed(run));
    found.extend(users(run));
    found
}

/// Whether all that the candidate delayed became messages, which are told of as such.
pub(super) fn has_only_messages(candidate: &CandidateResult) -> bool {
    let queued = candidate.messages().map(|messages| messages.queued);
    queued == Some(candidate.tally.delayed)
}

/// Whether some requests were neither within the limit nor refused.
pub(super) fn has_others(candidate: &CandidateResult) -> bool {
    let queued = candidate.messages().map_or(0, |messages| messages.queued);
    let bypassed = candidate.backend().map_or(0, |backend| backend.bypassed);
    queued + bypassed > 0
}

fn count(many: u64, one: &str) -> String {
    let plural = if many == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(many.into()))
}

fn messages(run: &RunResult) -> Vec<Finding> {
    let key = |c: &CandidateResult| {
        let messages = c.messages().filter(|messages| messages.queued > 0)?;
        let longest = messages.waits.percentile(100)?;
        Some((
            messages.queued,
            messages.depth_peak,
            longest,
            messages.overflow,
            messages.left(),
        ))
    };
    by(run, key, |same, (queued, peak, longest, overflow, left)| {
        let names = names(run, same).unwrap_or_default();
        let mut text = format!(
            "{names} queued {}, up to {} at a time and for up to {}",
            count(*queued, "request"),
            grouped((*peak).into()),
            duration(*longest)
        );
        match overflow {
            0 => text += "; none was lost",
            _ => text += &format!("; {} found the queue full", count(*overflow, "request")),
        }
        if *left > 0 {
            let wait = if *left == 1 { "waits" } else { "wait" };
            text += &format!("; {} still {wait} at the end", grouped((*left).into()));
        }
        note(text)
    })
}

/// What a backend went through, in the words of one row.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    busy: String,
    late: Option<Nanos>,
    overloaded: u64,
}

impl Row {
    fn of(run: &RunResult, backend: &BackendResult, served: &Served) -> Self {
        let time = u128::from(backend.workers) * u128::from(run.horizon.as_nanos());
        Self {
            busy: percent(served.busy, time),
            late: served.responses.percentile(99),
            overloaded: served.overloaded,
        }
    }
}

fn length(time: Option<Nanos>) -> String {
    time.map_or("nothing".to_owned(), duration)
}

fn backends(run: &RunResult) -> Vec<Finding> {
    let key = |c: &CandidateResult| {
        let backend = c.backend()?;
        let with = Row::of(run, backend, &backend.with);
        let without = Row::of(run, backend, &backend.without);
        let wasted = backend.with.wasted;
        let wasted = (wasted > 0).then(|| percent(wasted, backend.with.busy));
        Some((without, with, wasted))
    };
    by(run, key, |same, (without, with, wasted)| {
        let names = names(run, same).unwrap_or_default();
        let mut text = format!(
            "behind {names} the backend worked {} of the time ({} without a limiter), 99 of 100 answers \
             took no longer than {} ({})",
            with.busy,
            without.busy,
            length(with.late),
            length(without.late)
        );
        if with.overloaded + without.overloaded > 0 {
            let met = match with.overloaded {
                0 => "none".to_owned(),
                many => count(many, "request"),
            };
            let without = grouped(without.overloaded.into());
            text += &format!(", and {met} met it overloaded ({without})");
        }
        if let Some(wasted) = wasted {
            text += &format!("; {wasted} of its work was denying requests");
        }
        note(text)
    })
}

fn bypassed(run: &RunResult) -> Vec<Finding> {
    let key = |c: &CandidateResult| {
        let backend = c.backend()?;
        (backend.bypassed > 0).then_some((backend.bypassed, c.tally.requests))
    };
    by(run, key, |same, (bypassed, requests)| {
        let names = names(run, same).unwrap_or_default();
        let share = percent((*bypassed).into(), (*requests).into());
        let many = count(*bypassed, "request");
        note(format!("{many} ({share}) went past the limiter of {names}"))
    })
}

/// How requests labelled legitimate fared at a backend.
fn users(run: &RunResult) -> Vec<Finding> {
    let fare = |served: &Served| {
        let late = |times: &Delays| times.percentile(99);
        (
            served.legitimate_lost,
            late(&served.legitimate_responses),
            served.legitimate,
        )
    };
    let key = |c: &CandidateResult| {
        let backend = c.backend()?;
        let (with, without) = (fare(&backend.with), fare(&backend.without));
        (with.2 > 0).then_some((with, without))
    };
    by(run, key, |same, (with, without)| {
        let names = names(run, same).unwrap_or_default();
        let lost = |(lost, _, all): (u64, Option<Nanos>, u64)| percent(lost.into(), all.into());
        note(format!(
            "behind {names} {} of the legitimate requests were lost ({} without a limiter), and 99 of 100 \
             of the others' answers took no longer than {} ({})",
            lost(*with),
            lost(*without),
            length(with.1),
            length(without.1)
        ))
    })
}

#[cfg(test)]
mod tests {
    use crate::report::chart::fixture;
    use crate::report::findings::findings;

    #[test]
    fn queues_and_backends_are_told() {
        let run = fixture::around();
        let found: Vec<_> = findings(&run).into_iter().map(|f| f.text).collect();
        for told in [
            "queued 12 requests, up to 10 at a time and for up to 36 s; 5 requests found the queue full; \
             3 still wait at the end",
            "queued 12 requests, up to 10 at a time and for up to 36 s; none was lost; 3 still wait",
            "24 requests (10.0 %) went past the limiter of token_bucket",
            "99 of 100 answers took no longer than 400 ms (9 s), and none met it overloaded",
            "99 of 100 answers took no longer than 1.6 s (9 s), and",
            "2.5 % of the legitimate requests were lost (55.0 % without a limiter)",
        ] {
            let is_told = found.iter().any(|text| text.contains(told));
            assert!(is_told, "{told}: {found:#?}");
        }
        assert!(
            !found
                .iter()
                .any(|text| text.contains("does not reach the limit"))
        );
    }
}
