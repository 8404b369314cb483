//! The span of time that a picture shows.

use super::View;
use super::time::step_at_least;
use crate::measure::{CandidateResult, RunResult, Tries};
use crate::units::{Level, SimTime};

/// The time that a picture shows, in nanoseconds since the beginning; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Span {
    /// The part within the run: of what comes after it, amounts and memory are not known.
    pub(super) fn within(self, run: &RunResult) -> Self {
        Self {
            to: self.to.min(run.horizon.as_nanos()).max(self.from + 1),
            ..self
        }
    }

    /// What the view chooses; where it does not, the requests and their consequences: forwarding
    /// and the levels' return to rest, unless these take so long that the requests would shrink to
    /// a spot.
    pub(super) fn of(run: &RunResult, view: &View) -> Self {
        const MOST_CONSEQUENCE: u64 = 8;
        let retried = run.candidates.iter().filter_map(|c| last_attempt(run, c));
        let last = retried.fold(run.last, SimTime::max).as_nanos();
        let first = run.first.as_nanos();
        let consequence = run.candidates.iter().filter_map(|c| settled(run, c)).max();
        let busy = last - first;
        let patience = if busy == 0 {
            u64::MAX
        } else {
            busy.saturating_mul(MOST_CONSEQUENCE)
        };
        let mut end = consequence
            .unwrap_or(last)
            .min(last.saturating_add(patience))
            .max(last);
        if end == first {
            end = first.saturating_add(run.limit.window.get());
        }
        let room = (end - first) / 40;
        // Coarser before the requests, so that the first label stands there.
        let round = |parts: u64| -> u64 {
            let step = step_at_least(u128::from(end - first).div_ceil(parts.into()));
            u64::try_from(step).unwrap_or(u64::MAX)
        };
        let (before, after) = (round(20), round(50));
        let from = first.saturating_sub(room) / before * before;
        let to = end
            .saturating_add(room)
            .div_ceil(after)
            .saturating_mul(after);
        let (chosen_from, chosen_to) = (view.from, view.to);
        let to = match (chosen_to, chosen_from) {
            (Some(chosen), _) => chosen.as_nanos(),
            // What was chosen to be seen lies behind what would have been shown.
            (None, Some(from)) if from.as_nanos() >= to => run.horizon.as_nanos(),
            _ => to,
        };
        let from = match chosen_from {
            Some(chosen) => chosen.as_nanos(),
            None if from >= to => 0,
            None => from,
        };
        Self {
            from,
            to: to.max(from.saturating_add(1)),
        }
    }

    /// Its length in nanoseconds.
    pub(super) const fn length(self) -> u64 {
        self.to - self.from
    }

    /// Whether it shows the instant.
    pub(super) fn holds(self, at: SimTime) -> bool {
        (self.from..=self.to).contains(&at.as_nanos())
    }
}

/// When a candidate's clients last tried, up to a bucket of the grid, where they try again.
fn last_attempt(run: &RunResult, candidate: &CandidateResult) -> Option<SimTime> {
    let buckets = &candidate.clients()?.buckets;
    let last = buckets
        .iter()
        .rposition(|tries| *tries != Tries::default())?;
    Some(run.grid.start(last))
}

/// When the last consequence of the requests is over: the last forwarding, the last move of a level.
fn settled(run: &RunResult, candidate: &CandidateResult) -> Option<u64> {
    let records = candidate.records.iter().flatten();
    let forwarded = records
        .map(|record| (record.answered, record.decision.delay()))
        .filter(|(_, delay)| !delay.is_forever())
        .map(|(answered, delay)| answered.saturating_add(delay).as_nanos());
    let buckets = candidate
        .series
        .iter()
        .rposition(|bucket| bucket.forwarded > 0);
    let buckets = buckets
        .filter(|_| candidate.records.is_none())
        .map(|index| {
            run.grid
                .start(index)
                .saturating_add(run.grid.width())
                .as_nanos()
        });
    let moves = candidate.levels.iter().flatten().filter_map(|line| {
        let at_rest = line.points.last()?.1.as_f64();
        let moved = |point: &&(SimTime, Level)| (point.1.as_f64() - at_rest).abs() > f64::EPSILON;
        let last_move = line.points.iter().rposition(|point| moved(&point))?;
        Some(line.points[last_move + 1].0.as_nanos())
    });
    forwarded.chain(buckets).chain(moves).max()
}
