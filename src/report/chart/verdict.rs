//! What a lane says at its right end: how many were admitted, and how the promise was broken.

use super::page::Verdict;
use super::trailing::{forwards, tightest, worst_key};
use super::words::within;
use crate::measure::{CandidateResult, Chapter, RunResult};
use crate::report::text::{above, duration, grouped};

/// The candidate's result over the whole run.
pub(super) fn verdict(run: &RunResult, candidate: &CandidateResult) -> Verdict {
    let tally = &candidate.tally;
    let errors = match tally.errors {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        many => format!(", {} errors", grouped(many.into())),
    };
    let attempts = if candidate.retried() { " attempts" } else { "" };
    let counts = format!(
        "{} of {}{attempts} admitted{errors}",
        grouped(tally.allowed.into()),
        grouped(tally.attempts.into())
    );
    Verdict {
        counts,
        broken: candidate.is_over(run).then(|| broken(run, candidate)),
    }
}

/// `10 within 10 s: 2.0 × the limit`.
fn broken(run: &RunResult, candidate: &CandidateResult) -> String {
    let bound = candidate.limit(run);
    let (peak, window) = (candidate.tally.peak_in_window, bound.window);
    if let Some(worst) = Chapter::worst(&candidate.chapters) {
        let window = duration(window);
        let over = above(peak, bound.units);
        return format!(
            "{}: {} in one window of {window}: {over}",
            worst.name,
            grouped(peak)
        );
    }
    let exact = forwards(run, candidate, worst_key(candidate))
        .map(|forwards| tightest(&forwards, window))
        .filter(|(found, _)| *found == peak);
    let place = match exact {
        Some((_, apart)) => within(apart, window),
        None => format!("in one window of {}", duration(window)),
    };
    let whose = if run.keys.len() > 1 {
        " for one key"
    } else {
        ""
    };
    let over = above(peak, bound.units);
    format!("{}{whose} {place}: {over}", grouped(peak))
}
