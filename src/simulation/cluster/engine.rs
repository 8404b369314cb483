//! The event loop of one candidate: requests, nodes, the store, and what goes wrong.
//!
//! What is due at an instant happens before a request that arrives at it, in the order in which it
//! was put in. So nothing of a request is left when the next one comes where no message takes time,
//! and the answers are those of the fast path.

use super::super::deployment::{Access, Deployment, Store, Whom, Whose};
use super::super::lane::Course;
use super::super::over_limit::OverLimit;
use super::super::probes::Traits;
use super::attempts::{Attempts, Told};
use super::backend::Serving;
use super::changes::Change;
use super::chapters::course_of_all;
use super::clocks::Clocks;
use super::flight::Flight;
use super::judge::By;
use super::leases::Leases;
use super::ledger::{Ending, Ledger};
use super::link::{Link, Trip};
use super::offer::{Dossier, Offer};
use super::over_limit::Messages;
use super::queue::Queue;
use super::router::Router;
use super::rules::{Limits, Ruling};
use super::said::Said;
use super::schedule::Schedule;
use super::scribe::Scribe;
use super::states::States;
use super::sync::Sync;
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Clocked, Measure, Message, Party, Reason, Says};
use crate::units::SimTime;
use slab::Slab;
use std::sync::Arc;

/// What is going to happen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The deployment changes.
    Change(Change),
    /// A request's ask reaches the store.
    AtStore(usize),
    /// The store's answer comes back to the node.
    Back(usize),
    /// A node, or a client of a node that is down, gives a request up.
    GivenUp(usize),
    /// What was decided on a copy of the state reaches the store.
    Written(usize),
    /// Nodes exchange what they admitted.
    Exchange,
    /// A node hears what the others admitted of a key.
    Told(usize),
    /// The rules file is read and found changed: which of the readings that is.
    Reload(usize),
    /// A node's ask for a lease reaches the store.
    LeaseAtStore(usize),
    /// The lease comes back.
    LeaseBack(usize),
    /// A node gives up waiting for a lease.
    LeaseGivenUp(usize),
    /// A client that was refused tries again.
    Again(usize),
}

/// One candidate under one deployment.
pub(super) struct Engine<A: Algorithm> {
    pub(super) deployment: Arc<Deployment>,
    pub(super) course: Course,
    pub(super) queue: Queue<Event>,
    pub(super) clocks: Clocks,
    pub(super) router: Router,
    pub(super) link: Link,
    pub(super) schedule: Schedule,
    /// By chapter of the rules; one where there are none.
    pub(super) states: Vec<States<A>>,
    /// Each node's own states, while the store fails it: by chapter, where nodes fall back.
    pub(super) fallback: Vec<States<A>>,
    pub(super) ruling: Option<Ruling<A>>,
    pub(super) dossier: Dossier,
    pub(super) flights: Slab<Flight<A::State>>,
    pub(super) sync: Sync,
    pub(super) leases: Leases,
    pub(super) ledger: Ledger,
    /// What clients do that are refused; `None` where none of the run tries again.
    pub(super) attempts: Option<Box<Attempts>>,
    pub(super) scribe: Scribe,
    pub(super) waiting: u64,
    pub(super) most_waiting: u64,
    pub(super) races: u64,
    /// Where requests over the limit go, if not nowhere.
    pub(super) messages: Option<Messages>,
    /// What is behind the limiter.
    pub(super) serving: Option<Serving>,
}

impl<A: Algorithm> Engine<A> {
    /// An engine before its run.
    pub(super) fn new(
        limits: Limits<A>,
        deployment: &Arc<Deployment>,
        course: &Course,
        seed: u64,
    ) -> Self {
        let is_leased = matches!(deployment.store, Store::Leased { .. });
        let is_remote = deployment.has_store();
        let can_fail = !deployment.outages.is_empty()
            || deployment.timeout.is_some() && is_remote
            || !deployment.leaves.is_empty()
            || !deployment.joins.is_empty();
        let whole = limits.usual();
        let traits = Traits {
            most: whole.level_bound(),
            delays: limits.delays() || is_remote || deployment.over_limit != OverLimit::Drop,
            estimates: !is_leased
                && whole.estimate(&whole.fresh(), SimTime::ZERO).is_some()
                && course.measures.has(Measure::Estimate),
            counts_denied: whole.counts_denied(),
        };
        let races = matches!(
            deployment.store,
            Store::Central(Access::ReadThenWrite | Access::ReadThenIncrement)
        );
        let mut engine = Self {
            queue: Queue::default(),
            clocks: Clocks::new(deployment),
            router: Router::new(deployment, course.names.clone(), seed),
            link: Link::new(deployment, seed),
            schedule: Schedule::new(deployment),
            states: Vec::new(),
            fallback: Vec::new(),
            ruling: None,
            dossier: Dossier::default(),
            flights: Slab::new(),
            sync: Sync::new(deployment),
            leases: Leases::new(deployment, course.names.len()),
            ledger: match &limits {
                Limits::One(_) => Ledger::new(course, traits, deployment.nodes, can_fail),
                Limits::Rules(_) => {
                    let course = course_of_all(course);
                    Ledger::new(&course, traits, deployment.nodes, can_fail)
                }
            },
            attempts: Attempts::new(deployment, course, seed).map(Box::new),
            scribe: if deployment.is_single() {
                Scribe::deaf()
            } else {
                Scribe::new(course.with_timeline, can_fail || races)
            },
            waiting: 0,
            most_waiting: 0,
            races: 0,
            messages: deployment.over_limit.messages(course),
            serving: Serving::of(deployment, course, seed),
            deployment: deployment.clone(),
            course: course.clone(),
        };
        engine.set_up(limits);
        engine.schedule_changes();
        engine
    }

    /// Everything that is due by `until` happens.
    pub(super) fn run_until(&mut self, until: SimTime) {
        while let Some((now, event)) = self.queue.pop_until(until) {
            match event {
                Event::Change(change) => self.change(change, now),
                Event::AtStore(flight) => self.at_store(flight, now),
                Event::Back(flight) => self.back(flight, now),
                Event::GivenUp(flight) => self.given_up(flight, now),
                Event::Written(flight) => self.written(flight, now),
                Event::Exchange => self.exchange(now),
                Event::Told(telling) => self.hear_of(telling, now),
                Event::Reload(reading) => self.reload(reading, now),
                Event::LeaseAtStore(lease) => self.lease_at_store(lease, now),
                Event::LeaseBack(lease) => self.lease_back(lease, now),
                Event::LeaseGivenUp(lease) => self.lease_given_up(lease, now),
                Event::Again(attempt) => self.try_again(attempt),
            }
        }
    }

    /// A request arrives, after everything that is due has happened.
    pub(super) fn arrive(&mut self, offer: Offer) {
        self.run_until(offer.arrival.at);
        self.attempt(offer);
    }

    /// A client makes an attempt.
    pub(super) fn attempt(&mut self, offer: Offer) {
        let now = offer.arrival.at;
        let offer = self.begin_attempt(offer);
        let trip = if self.deployment.has_store() {
            Some(self.link.ask(now))
        } else {
            None
        };
        if let Some(serving) = &mut self.serving
            && serving.arrive(&offer)
        {
            let said = Said::alone(Decision::Allow);
            self.conclude(&offer, None, said, Some(Reason::Bypass), now);
            return;
        }
        let Some(node) = self.router.node(offer.arrival.key) else {
            let said = Said::alone(Decision::Deny);
            self.conclude(&offer, None, said, Some(Reason::NoNode), now);
            return;
        };
        self.hear(&offer, node, now);
        if self.schedule.is_down(node, now) {
            self.meet_dead_node(offer, node, now);
            return;
        }
        match (self.deployment.store, trip) {
            (Store::Central(_), Some(trip)) => self.ask(offer, node, trip, now),
            (Store::Leased { .. }, Some(trip)) => self.spend(offer, node, trip, now),
            _ => self.decide_locally(offer, node, now),
        }
    }

    /// A node decides by its own state.
    fn decide_locally(&mut self, offer: Offer, node: u16, now: SimTime) {
        let clock = self.clocks.of(Whom::Node(node), now);
        let said = self.judge(By::Usual, usize::from(node), &offer, clock);
        self.owe_for(node, &offer, &said, now);
        self.conclude(&offer, Some(node), said, None, now);
    }

    /// A request of which nothing else is under way is answered.
    pub(super) fn conclude(
        &mut self,
        offer: &Offer,
        node: Option<u16>,
        said: Said,
        reason: Option<Reason>,
        now: SimTime,
    ) {
        self.answer(offer, node, said, reason, now);
        self.dossier.let_go(offer);
    }

    /// A request is answered.
    pub(super) fn answer(
        &mut self,
        offer: &Offer,
        node: Option<u16>,
        mut said: Said,
        reason: Option<Reason>,
        now: SimTime,
    ) {
        let failure = reason.filter(|reason| reason.is_failure());
        let reason = self.settle(&mut said, reason, now);
        if let Some(node) = node {
            self.tell(offer, node, &said, reason, now);
        }
        if let Some(failure) = failure {
            self.fail(offer, node, failure, now);
        }
        if let Some(serving) = &mut self.serving {
            serving.answer(offer, &said, reason, now);
        }
        self.give_parts(offer, &mut said);
        let in_outage = failure.is_some()
            || self.schedule.is_any_down(offer.arrival.at)
            || self.schedule.is_any_down(now);
        let told = Told {
            decision: said.decision,
            retry: said.retry(),
        };
        let ending = Ending {
            at: now,
            node,
            said,
            failure,
            reason,
            in_outage,
        };
        let details = self.dossier.of(offer);
        self.ledger.note(offer, &details, ending);
        self.answer_client(offer, told, now);
    }

    /// The clock that decides at the store on what a node sent at `sent`.
    pub(super) fn deciding(&self, node: u16, sent: SimTime, now: SimTime) -> Clocked {
        match self.deployment.clock {
            Whose::Store => self.clocks.of(Whom::Store, now),
            Whose::Node => {
                let node = Whom::Node(node);
                Clocked::new(now, self.clocks.read(&self.deployment, node, sent))
            }
        }
    }

    /// When an ask with this round trip reaches the store, and when its node gives it up, if it does.
    pub(super) fn fate(&self, trip: Trip, now: SimTime) -> (Option<SimTime>, Option<SimTime>) {
        let reaches = now.saturating_add(trip.out);
        let given_up = self
            .deployment
            .timeout
            .map(|timeout| now.saturating_add(timeout));
        match (self.schedule.store_is_back(reaches), given_up) {
            (None, _) => {
                let is_late = given_up.filter(|at| *at < now.saturating_add(trip.whole));
                (Some(reaches), is_late)
            }
            (Some(_), Some(given_up)) => (None, Some(given_up)),
            // Nobody gives up: what was sent is sent again when the store is back.
            (Some(back), None) => (Some(back), None),
        }
    }

    /// Writes down a message, if anyone listens.
    pub(super) fn message(&mut self, message: impl FnOnce(&Self) -> Message) {
        if self.scribe.listens() {
            let message = message(self);
            self.scribe.note(message);
        }
    }

    /// A client sends its request.
    fn hear(&mut self, offer: &Offer, node: u16, now: SimTime) {
        let is_down = self.schedule.is_down(node, now);
        self.message(|_| Message {
            request: offer.number,
            from: Party::Client(offer.arrival.key),
            to: Party::Node(node),
            sent: now,
            received: (!is_down).then_some(now),
            says: Says::Request(offer.arrival.cost),
            is_race: false,
        });
    }

    /// A node answers its client.
    fn tell(
        &mut self,
        offer: &Offer,
        node: u16,
        said: &Said,
        reason: Option<Reason>,
        now: SimTime,
    ) {
        self.message(|_| Message {
            request: offer.number,
            from: Party::Node(node),
            to: Party::Client(offer.arrival.key),
            sent: now,
            received: Some(now),
            says: match reason.filter(|reason| reason.is_error()) {
                Some(reason) => Says::Failure(reason),
                None => Says::Answer(said.decision),
            },
            is_race: false,
        });
    }
}
