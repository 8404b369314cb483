//! A backend behind the limiter, and beside it the same one without a limiter.

use super::super::deployment::Deployment;
use super::super::lane::Course;
use super::super::placement::{Backend, Bypassing, Placement};
use super::offer::Offer;
use super::said::Said;
use super::servers::{Job, Servers, Work};
use crate::limiter::Decision;
use crate::measure::{BackendResult, Reason};
use crate::units::{Nanos, Share, SimTime};
use crate::workload::Distribution;
use crate::workload::random::{Purpose, numbered, word};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Feeds two backends in order of time: one with what the limiter forwards, when it does, and one with
/// every request when it comes.
pub(super) struct Serving {
    seed: u64,
    service_time: Distribution,
    constant: Option<Nanos>,
    placement: Option<Placement>,
    workers: u32,
    labels: Option<Arc<[Option<bool>]>>,
    /// What is on its way: when it arrives, its place among what arrives then, and what it asks for.
    coming: BinaryHeap<Reverse<(SimTime, u64, Job)>>,
    sent: u64,
    bypassed: u64,
    with: Servers,
    without: Servers,
}

impl Serving {
    /// Both backends before a run, where the deployment has one. What a request takes depends on the seed
    /// and its number alone.
    pub(super) fn of(deployment: &Deployment, course: &Course, seed: u64) -> Option<Self> {
        let backend: &Backend = deployment.backend.as_ref()?;
        Some(Self {
            seed,
            constant: backend.service_time.constant().map(nanos),
            service_time: backend.service_time.clone(),
            placement: deployment.placement,
            workers: backend.workers,
            labels: course.labels.clone(),
            coming: BinaryHeap::new(),
            sent: 0,
            bypassed: 0,
            with: Servers::new(backend, course),
            without: Servers::new(backend, course),
        })
    }

    /// A request is made: without a limiter it would be at the backend. Whether it goes past the one that
    /// there is.
    pub(super) fn arrive(&mut self, offer: &Offer) -> bool {
        let now = offer.arrival.at;
        let job = self.job(offer, now, Work::Request);
        // Whom nobody refuses does not try again.
        if offer.attempt == 1 {
            self.without.count_labelled(job.label);
            self.without.take(now, job);
            self.with.count_labelled(job.label);
        } else {
            // It was not lost when it was refused.
            self.with.find(job.label);
        }
        let bypasses = match self.placement {
            Some(Placement::Client(rule)) => self.bypasses(rule, offer),
            _ => false,
        };
        self.bypassed += u64::from(bypasses);
        bypasses
    }

    fn bypasses(&self, rule: Bypassing, offer: &Offer) -> bool {
        if rule.only_illegitimate && self.label(offer) != Some(false) {
            return false;
        }
        let word = word(self.seed, Purpose::Bypasses, offer.number);
        rule.share.holds(word)
    }

    /// A request is answered at `now`, and forwarded if it was admitted.
    pub(super) fn answer(
        &mut self,
        offer: &Offer,
        said: &Said,
        reason: Option<Reason>,
        now: SimTime,
    ) {
        self.run_until(now);
        let is_admitted = said.decision.is_admitted();
        if !is_admitted {
            self.with.lose(self.label(offer));
        }
        let delay = said.decision.delay();
        let hop = self.placement.map_or(Nanos::ZERO, Placement::hop);
        let leaves = now.saturating_add(delay);
        // A message's client has its answer; what it waits for no longer counts.
        let since = match reason {
            Some(Reason::Queued) => leaves,
            _ => offer.arrival.at,
        };
        match (said.decision, self.placement) {
            (Decision::Allow | Decision::Delay(_), _) => {
                let job = self.job(offer, since, Work::Request);
                self.send(leaves.saturating_add(hop), job);
            }
            (Decision::Deny, Some(Placement::Server { deny_cost }))
                if !reason.is_some_and(Reason::is_error) =>
            {
                let job = self.job(offer, since, Work::Denial);
                let service = Nanos::new(deny_cost.count(job.service.get()));
                self.send(now, Job { service, ..job });
            }
            (Decision::Deny, _) => {}
        }
    }

    fn send(&mut self, at: SimTime, job: Job) {
        self.coming.push(Reverse((at, self.sent, job)));
        self.sent += 1;
    }

    /// What a request asks of a worker.
    fn job(&self, offer: &Offer, since: SimTime, work: Work) -> Job {
        let service = self.constant.unwrap_or_else(|| {
            let mut random = numbered(self.seed, Purpose::Services, offer.number);
            nanos(self.service_time.draw(&mut random))
        });
        Job {
            since,
            service,
            work,
            label: self.label(offer),
        }
    }

    fn label(&self, offer: &Offer) -> Option<bool> {
        let labels = self.labels.as_ref()?;
        labels[offer.arrival.mark.0 as usize]
    }

    /// The backend meets what arrives by `now`: nothing that is sent later arrives before that.
    fn run_until(&mut self, now: SimTime) {
        while let Some(Reverse((at, ..))) = self.coming.peek()
            && *at <= now
        {
            let Some(Reverse((at, _, job))) = self.coming.pop() else {
                return;
            };
            self.with.take(at, job);
        }
    }

    /// Ends the run.
    pub(super) fn finish(mut self) -> BackendResult {
        self.run_until(SimTime::MAX);
        BackendResult {
            workers: self.workers,
            is_server: matches!(self.placement, Some(Placement::Server { .. })),
            is_client: matches!(self.placement, Some(Placement::Client(_))),
            bypassed: self.bypassed,
            with: self.with.finish(),
            without: self.without.finish(),
        }
    }
}

/// A drawn length, to the nearest nanosecond.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn nanos(drawn: f64) -> Nanos {
    Nanos::new(drawn.round() as u64)
}

impl Share {
    /// Whether a word, any being as likely as another, falls into this share of all words.
    fn holds(self, word: u64) -> bool {
        let (parts, of) = match self {
            Self::Whole => return true,
            Self::Part { of, .. } => (1, of),
            Self::Fraction { parts, of } => (parts, of),
        };
        // Both are at most 10^18.
        u128::from(word) * u128::from(of) < u128::from(parts) << 64
    }
}
