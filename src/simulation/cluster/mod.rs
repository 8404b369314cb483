//! The event path: limiters on several nodes, or behind a store that takes time to answer.
//!
//! Arrivals are drawn once, in one order, and handed to one engine per candidate; engines run side by
//! side. An engine keeps a heap of what is going to happen and compares its top with the next arrival.

mod attempts;
mod backend;
mod central;
mod changes;
mod chapters;
mod clocks;
mod engine;
mod failures;
mod flight;
mod history;
mod judge;
mod leases;
mod ledger;
mod link;
mod offer;
mod offered;
mod over_limit;
mod queue;
mod router;
mod rules;
mod said;
mod schedule;
mod scribe;
mod servers;
mod states;
mod sync;

use super::deployment::{Deployment, Store, Whom};
use super::lane::{Course, LaneResult};
use super::plan::{Plan, Planned, Progress};
use crate::error::Result;
use crate::limiter::Algorithm;
use crate::measure::{Chapter, ClusterResult, Dialogue, Downtime, Offers, Staircase};
use crate::units::SimTime;
use crate::workload::{Arrival, Identity};
use backend::Serving;
use engine::Engine;
use ledger::Closed;
use offer::{Details, Offer};
use offered::Offered;
use over_limit::Messages;
use rayon::prelude::*;
pub(super) use rules::{Book, RuleLimiters};
use rules::{Limits, Ruling, clock_of};
use states::Remains;
use std::sync::Arc;

/// A candidate on the event path, whatever its algorithm.
pub trait Cluster: Send {
    /// The next requests arrive, the first of which has this number.
    /// Who they are is said where there are rules.
    fn step(&mut self, arrivals: &[Arrival], first: u64, offers: &Offers, who: &[Identity]);
    /// Ends the run: all that is under way comes to its end. The keys came as often as `requests`
    /// says.
    fn finish(self: Box<Self>, requests: &[u64]) -> Closing;
}

/// What a candidate on the event path yields.
pub struct Closing {
    pub(super) result: LaneResult,
    pub(super) cluster: ClusterResult,
    pub(super) chapters: Vec<Chapter>,
}

/// The engine of one limit: the limiter that enforces the whole of it, then those of the deployment's
/// shares.
pub(super) fn cluster<A: Algorithm>(
    parts: Vec<A>,
    deployment: &Arc<Deployment>,
    course: &Course,
    seed: u64,
) -> Box<dyn Cluster> {
    Box::new(Engine::new(Limits::One(parts), deployment, course, seed))
}

/// The engine of rules.
pub(super) fn ruled<A: Algorithm>(
    book: &Arc<Book<A>>,
    deployment: &Arc<Deployment>,
    course: &Course,
    seed: u64,
) -> Box<dyn Cluster> {
    let limits = Limits::Rules(book.clone());
    Box::new(Engine::new(limits, deployment, course, seed))
}

impl<A: Algorithm> Cluster for Engine<A> {
    fn step(&mut self, arrivals: &[Arrival], first: u64, offers: &Offers, who: &[Identity]) {
        let has_details =
            !(offers.exceeds.is_empty() && offers.before.is_empty() && who.is_empty());
        for ((number, arrival), index) in (first..).zip(arrivals).zip(0..) {
            let mut offer = Offer::first(number, *arrival);
            if has_details {
                let details = Details {
                    exceeds: offers.exceeds.get(index).copied().unwrap_or_default(),
                    before: offers.before.get(index).copied().unwrap_or_default(),
                    who: who.get(index).copied().unwrap_or_default(),
                    ..self.dossier.of(&offer)
                };
                self.dossier.keep(&mut offer, details);
            }
            self.arrive(offer);
        }
    }

    fn finish(mut self: Box<Self>, requests: &[u64]) -> Closing {
        self.run_until(SimTime::MAX);
        // What is under way bounds memory: nothing may be kept of a request that is over.
        debug_assert!(self.flights.is_empty() && self.dossier.is_empty());
        debug_assert!(self.leases.is_idle() && self.sync.is_idle());
        let Self {
            deployment,
            course,
            clocks,
            schedule,
            states,
            fallback,
            ledger,
            ruling,
            scribe,
            most_waiting,
            races,
            queue,
            attempts,
            messages,
            serving,
            ..
        } = *self;
        let states_per_key = deployment.states_per_key();
        let end = course.horizon;
        let level_bounds = states[0].level_bounds();
        let has_store = deployment.has_store();
        let mut remains = Remains::default();
        for (own, has_store) in states
            .into_iter()
            .zip(std::iter::repeat(has_store))
            .chain(fallback.into_iter().zip(std::iter::repeat(false)))
        {
            remains.add(own.finish(|limiter| clock_of(&clocks, has_store, limiter, end)));
        }
        let (tried, clients) = attempts.map(|attempts| attempts.finish()).unzip();
        let leaked_keys = remains.leaked;
        let forgotten_early = remains.forgotten_early;
        let Closed {
            result,
            nodes,
            added,
            unmetered,
            fallbacks,
            chapters,
        } = ledger.finish(requests, tried.as_deref().unwrap_or(requests), remains);
        let cluster = ClusterResult {
            nodes: if deployment.is_single() {
                Vec::new()
            } else {
                nodes
            },
            states_per_key,
            level_bounds,
            parts: deployment.parts().collect(),
            fallback: deployment.fallback(),
            lead: deployment.lead(),
            is_shared: deployment.is_shared(),
            is_leased: matches!(deployment.store, Store::Leased { .. }),
            has_store: deployment.has_store() || matches!(deployment.store, Store::Synced { .. }),
            added_latency: added,
            in_flight_peak: most_waiting,
            races,
            unmetered,
            fallbacks,
            outages: downtimes(&deployment),
            recovery: schedule.recovery(end),
            leaked_keys,
            forgotten_early,
            events: queue.inserted() + requests.iter().sum::<u64>(),
            // One node that answers at once has nothing to say to anybody.
            dialogue: match deployment.is_single() {
                true => Dialogue::default(),
                false => scribe.finish(),
            },
            clients,
            messages: messages.map(Messages::finish),
            backend: serving.map(Serving::finish),
        };
        let keys = ruling.iter().flat_map(Ruling::keys);
        let chapters = chapters.into_iter().zip(keys);
        let chapters = chapters.map(|(chapter, keys)| Chapter {
            keys: keys as u64,
            ..chapter
        });
        Closing {
            result,
            cluster,
            chapters: chapters.collect(),
        }
    }
}

fn downtimes(deployment: &Deployment) -> Vec<Downtime> {
    let outages = deployment.outages.iter().map(|outage| Downtime {
        node: match outage.of {
            Whom::Store => None,
            Whom::Node(node) => Some(node),
        },
        from: outage.from,
        to: outage.to,
    });
    let mut outages: Vec<Downtime> = outages.collect();
    outages.sort_by_key(|outage| (outage.from, outage.node));
    outages
}

/// What the event path yields.
pub(super) struct Events {
    /// One per candidate that takes it.
    pub(super) results: Vec<Closing>,
    /// The arrivals in order, where they are kept.
    pub(super) arrivals: Vec<Arrival>,
    pub(super) requests: u64,
    /// When the first and the last request came.
    pub(super) span: Option<(SimTime, SimTime)>,
}

/// Runs candidates that all have a deployment.
pub(super) fn run(
    plan: &Plan,
    candidates: &[&Planned],
    course: &Course,
    progress: &dyn Progress,
) -> Result<Events> {
    // One engine has all keys, where the fast path has them in lanes.
    let course = &Course {
        instants: Staircase::<1>::EXACT,
        ..course.clone()
    };
    let begin = |planned: &&Planned| {
        let deployment = planned.cluster.as_ref()?;
        Some(planned.candidate.cluster(deployment, course, plan.seed))
    };
    let mut engines: Vec<_> = candidates.iter().filter_map(begin).collect();
    let mut per_key = vec![0u64; course.names.len()];
    let mut offered = course.knows_offers().then(|| Offered::new(course));
    let mut events = Events {
        results: Vec::new(),
        arrivals: Vec::new(),
        requests: 0,
        span: None,
    };
    let none = Offers::default();
    let mut identities = plan
        .rules()
        .is_some()
        .then(|| plan.workload.identities(plan.seed));
    let mut who = Vec::new();
    plan.workload
        .rounds(plan.seed)
        .work_off_in_order(|arrivals| {
            for arrival in arrivals {
                per_key[arrival.key.0 as usize] += 1;
            }
            let offers = match &mut offered {
                Some(offered) => offered.note(arrivals),
                None => &none,
            };
            who.clear();
            if let Some(identities) = &mut identities {
                who.extend(arrivals.iter().map(|arrival| identities.draw(arrival)));
            }
            let first = events.requests;
            let engines = engines.par_iter_mut().with_max_len(1);
            engines.for_each(|engine| engine.step(arrivals, first, offers, &who));
            events.requests += arrivals.len() as u64;
            if let (Some(first), Some(last)) = (arrivals.first(), arrivals.last()) {
                let begun = events.span.map_or(first.at, |(begun, _)| begun);
                events.span = Some((begun, last.at));
            }
            if course.with_timeline {
                events.arrivals.extend_from_slice(arrivals);
            }
            progress.advance(arrivals.len() as u64);
        })?;
    let engines = engines.into_par_iter().with_max_len(1);
    events.results = engines.map(|engine| engine.finish(&per_key)).collect();
    Ok(events)
}
