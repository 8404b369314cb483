//! What stands out where clients try again.

use super::{Finding, asked, by, names, note};
use crate::measure::{CandidateResult, ClientTally, RunResult};
use crate::report::text::{duration, grouped, multiple, percent};
use crate::units::SimTime;

/// What it took to serve whom, and what came of doing as told; nothing where nobody tried again.
pub(super) fn findings(run: &RunResult) -> Vec<Finding> {
    if !run.candidates.iter().any(CandidateResult::retried) {
        return Vec::new();
    }
    let mut found = attempts(run);
    found.extend(honesty(run));
    found
}

/// The candidates by how many attempts it took, the most first.
fn attempts(run: &RunResult) -> Vec<Finding> {
    let key = |c: &CandidateResult| {
        let all = c.clients()?.total();
        (all.requests > 0).then_some((all.attempts, all.served, all.drained, ends(&all)))
    };
    by(run, key, |same, (attempts, served, drained, ends)| {
        let names = names(run, same).unwrap_or_default();
        let requests = same[0].tally.requests;
        let made = asked(same[0], *attempts);
        let each = match same[0].retried() {
            true => format!(
                ", {} for each",
                multiple((*attempts).into(), requests.into())
            ),
            false => String::new(),
        };
        let last = drained.map(|at| duration(at.since(SimTime::ZERO)));
        let outcome = match last {
            None => "and none was served".to_owned(),
            Some(last) if *served == requests => format!("and all were served by {last}"),
            Some(last) => {
                let share = percent((*served).into(), requests.into());
                format!("and {share} of the requests were served, the last at {last}{ends}")
            }
        };
        let wasted = grouped((*attempts - *served).into());
        note(format!(
            "{names}: {} {made}{each}, of which {wasted} came to nothing, {outcome}",
            grouped((*attempts).into())
        ))
    })
}

/// What became of those who were not served.
fn ends(all: &ClientTally) -> String {
    let many = |count: u64| grouped(count.into());
    match (all.given_up, all.unfinished) {
        (0, 0) => String::new(),
        (given_up, 0) => format!("; {} were given up", many(given_up)),
        (0, unfinished) => format!("; {} still waited at the end", many(unfinished)),
        (given_up, unfinished) => format!(
            "; {} were given up and {} still waited at the end",
            many(given_up),
            many(unfinished)
        ),
    }
}

/// How many of those who came when they were told were admitted.
fn honesty(run: &RunResult) -> Vec<Finding> {
    let key = |c: &CandidateResult| {
        let all = c.clients()?.total();
        (all.as_told > 0).then_some((all.as_told, all.as_told_admitted))
    };
    by(run, key, |same, (as_told, admitted)| {
        let names = names(run, same).unwrap_or_default();
        let share = percent((*admitted).into(), (*as_told).into());
        let many = grouped((*as_told).into());
        let attempts = if *as_told == 1 { "attempt" } else { "attempts" };
        note(format!(
            "of the {many} {attempts} that came just when {names} had told them to, {share} were \
             admitted"
        ))
    })
}

#[cfg(test)]
mod tests {
    use crate::report::chart::fixture;
    use crate::report::findings::findings;

    #[test]
    fn what_it_took_to_serve_a_herd_is_told() {
        let found = findings(&fixture::herd());
        let found: Vec<_> = found.into_iter().map(|finding| finding.text).collect();
        for text in [
            "as told: 5,500 attempts, 5.5 for each, of which 4,500 came to nothing, and all were \
             served by 9 min",
            "none: 1,000 requests, of which 900 came to nothing, and 10.0 % of the requests were \
             served, the last at 0 s; 900 were given up",
        ] {
            assert!(found.iter().any(|found| found == text), "{found:#?}");
        }
    }

    #[test]
    fn nothing_is_said_of_retries_where_there_are_none() {
        let found = findings(&fixture::outage());
        assert!(!found.iter().any(|finding| finding.text.contains("attempt")));
    }
}
