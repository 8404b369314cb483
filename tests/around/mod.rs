//! What is around a limiter, simulated plainly: a queue of messages by exact fractions, and workers with a
//! list of those who wait. Nothing is shared with the code under test.

mod laws;
mod scenarios;
mod servers;

use crate::ran::{Answers, Ran};
use ratesim::limiter::Decision;
use ratesim::measure::{Delays, Reason, Served};
use ratesim::units::Nanos;
use std::collections::VecDeque;

/// What each request over the limit is told by a queue: how long it waits until it is taken, `None` where
/// there is no room; `units` messages are taken in `nanos` nanoseconds. A message is taken that much after
/// it came or after the one before it was taken, whichever is later; at one instant, what is due comes
/// first.
pub(crate) fn drain(
    times: &[u64],
    capacity: usize,
    (units, nanos): (u128, u128),
) -> Vec<Option<u64>> {
    let mut waiting: VecDeque<u128> = VecDeque::new();
    let mut last = 0u128;
    let told = times.iter().map(|&time| {
        let now = u128::from(time) * units;
        waiting.retain(|taken| *taken > now);
        if waiting.len() == capacity {
            return None;
        }
        last = last.max(now) + nanos;
        waiting.push_back(last);
        Some(u64::try_from(last.div_ceil(units)).unwrap() - time)
    });
    told.collect()
}

/// One thing for a worker to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) at: u64,
    /// Since when its client waits.
    pub(crate) since: u64,
    pub(crate) service: u64,
    pub(crate) is_denial: bool,
    pub(crate) is_legitimate: bool,
}

/// A backend, and when the run ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) workers: usize,
    pub(crate) room: usize,
    pub(crate) end: u64,
}

/// What it came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    reached: u64,
    served: u64,
    denied: u64,
    overloaded: u64,
    unfinished: u64,
    busy: u128,
    wasted: u128,
    queue_peak: u64,
    responses: Vec<u64>,
    legitimate: Vec<u64>,
    /// Of the legitimate ones, those that found it overloaded.
    pub(crate) turned_away: Vec<Job>,
}

impl Outcome {
    /// Serves what comes before the end, in order of time: each worker takes the next of those who wait
    /// when it is done.
    pub(crate) fn of(jobs: &[Job], setting: Setting) -> Self {
        let mut outcome = Self::default();
        let mut running: Vec<u64> = Vec::new();
        let mut waiting: VecDeque<Job> = VecDeque::new();
        for job in jobs.iter().filter(|job| job.at < setting.end) {
            outcome.reached += 1;
            outcome.work_until(job.at, &mut running, &mut waiting, setting);
            if running.len() < setting.workers {
                running.push(outcome.begin(job, job.at, setting));
            } else if waiting.len() < setting.room {
                waiting.push_back(*job);
                outcome.queue_peak = outcome.queue_peak.max(waiting.len() as u64);
            } else {
                outcome.overloaded += 1;
                if job.is_legitimate && !job.is_denial {
                    outcome.turned_away.push(*job);
                }
            }
        }
        outcome.work_until(u64::MAX, &mut running, &mut waiting, setting);
        outcome.responses.sort_unstable();
        outcome.legitimate.sort_unstable();
        outcome
    }

    fn work_until(
        &mut self,
        now: u64,
        running: &mut Vec<u64>,
        waiting: &mut VecDeque<Job>,
        setting: Setting,
    ) {
        while let Some(first) = running.iter().copied().min().filter(|end| *end <= now) {
            let place = running.iter().position(|end| *end == first).unwrap();
            running.swap_remove(place);
            if let Some(next) = waiting.pop_front() {
                running.push(self.begin(&next, first, setting));
            }
        }
    }

    fn begin(&mut self, job: &Job, at: u64, setting: Setting) -> u64 {
        let end = at + job.service;
        let busy = u128::from(end.min(setting.end).saturating_sub(at));
        self.busy += busy;
        if job.is_denial {
            self.denied += 1;
            self.wasted += busy;
            return end;
        }
        if end <= setting.end {
            self.served += 1;
        } else {
            self.unfinished += 1;
        }
        self.responses.push(end - job.since);
        if job.is_legitimate {
            self.legitimate.push(end - job.since);
        }
        end
    }

    /// Holds what was measured against this.
    pub(crate) fn hold(&self, served: &Served, who: &str) {
        let counts = [
            (served.reached, self.reached),
            (served.served, self.served),
            (served.denied, self.denied),
            (served.overloaded, self.overloaded),
            (served.unfinished, self.unfinished),
            (served.queue_peak, self.queue_peak),
        ];
        for (index, (found, expected)) in counts.iter().enumerate() {
            assert_eq!(found, expected, "{who}: count {index}");
        }
        assert_eq!(served.busy, self.busy, "{who}: work");
        assert_eq!(served.wasted, self.wasted, "{who}: wasted work");
        for (times, expected) in [
            (&served.responses, &self.responses),
            (&served.legitimate_responses, &self.legitimate),
        ] {
            for percent in [50, 99, 100] {
                let expected = rank(expected, percent).map(Nanos::new);
                assert_eq!(
                    times.percentile(percent as u64),
                    expected,
                    "{who}: p{percent}"
                );
            }
            assert_eq!(times.count(), expected.len() as u64, "{who}");
        }
        // The rows of the picture add up to the whole.
        let sum = |part: fn(&ratesim::measure::ServedRow) -> u128| -> u128 {
            served.rows.iter().map(part).sum()
        };
        assert_eq!(sum(|row| row.busy), self.busy, "{who}: rows");
        assert_eq!(sum(|row| row.wasted), self.wasted, "{who}: rows");
        let overloaded = sum(|row| row.overloaded.into());
        assert_eq!(overloaded, self.overloaded.into(), "{who}: rows");
        let slowest = served.rows.iter().filter_map(|row| row.slowest).max();
        let most = self.responses.last().copied().map(Nanos::new);
        assert_eq!(slowest, most, "{who}: rows");
    }
}

/// The nearest rank: the least value that so many of 100 do not exceed.
fn rank(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// What a limiter's answers, and its place, make of the requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) hop: u64,
    /// The share of a service time that a denial takes.
    pub(crate) deny_cost: Option<(u64, u64)>,
}

/// What a run's backend meets where each request takes `service` nanoseconds: behind the limiter that gave
/// these answers, and without one. Requests of the
/// first block of traffic are the legitimate ones, where any are labelled so.
pub(crate) fn jobs(answers: &Answers, run: &Ran, service: u64, place: Place) -> [Vec<Job>; 2] {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    let are_labelled = answers.result.tally.legitimate > 0;
    for (arrival, record) in answers.each() {
        let at = arrival.at.as_nanos();
        let mark = &run.result.marks[arrival.mark.0 as usize];
        let job = Job {
            at,
            since: at,
            service,
            is_denial: false,
            is_legitimate: are_labelled && mark.block == 0,
        };
        without.push(job);
        let forwarded = at + record.decision.delay().get();
        let since = match record.reason {
            Some(Reason::Queued) => forwarded,
            _ => at,
        };
        match (record.decision, place.deny_cost) {
            (Decision::Deny, None) => {}
            (Decision::Deny, Some((parts, of))) => with.push(Job {
                service: service * parts / of,
                is_denial: true,
                ..job
            }),
            _ => with.push(Job {
                at: forwarded + place.hop,
                since,
                ..job
            }),
        }
    }
    // Stable: at one instant, in the order in which they were asked for.
    with.sort_by_key(|job| job.at);
    [with, without]
}

/// Holds a candidate's backend against the plain one, with its limiter and without.
pub(crate) fn hold(run: &Ran, name: &str, setting: Setting, service: u64, place: Place) {
    let answers = run.of(name);
    let found = answers.result.backend().expect("a backend");
    let [with, without] = jobs(&answers, run, service, place);
    let [with, without] = [with, without].map(|jobs| Outcome::of(&jobs, setting));
    with.hold(&found.with, &format!("{name}, with"));
    without.hold(&found.without, &format!("{name}, without"));
    let tally = answers.result.tally;
    let turned_away = |outcome: &Outcome| outcome.turned_away.len() as u64;
    let lost = tally.legitimate_denied + turned_away(&with);
    assert_eq!(found.with.legitimate_lost, lost, "{name}");
    assert_eq!(
        found.without.legitimate_lost,
        turned_away(&without),
        "{name}"
    );
    for served in [&found.with, &found.without] {
        assert_eq!(served.legitimate, tally.legitimate, "{name}");
    }
}

/// A quantile in seconds, as files show it.
pub(crate) fn seconds(times: &Delays, percent: u64) -> String {
    let time = times.percentile(percent).expect("something");
    (ratesim::units::SimTime::ZERO + time).to_string()
}
