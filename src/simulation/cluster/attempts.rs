//! Attempts: who is refused tries again, or does not.

use super::super::client::{Clients, Refusal};
use super::super::deployment::Deployment;
use super::super::lane::Course;
use super::engine::{Engine, Event};
use super::offer::{Details, Dossier, Offer};
use super::offered::Offered;
use crate::limiter::{Algorithm, Decision};
use crate::measure::{ClientsProbe, ClientsResult, Measure, Tried};
use crate::units::{Retry, SimTime};
use crate::workload::random::{NO_BLOCK, Purpose, WHOLE, generator};
use rand_pcg::Pcg64;
use slab::Slab;
use std::sync::Arc;

/// What the clients of one candidate do.
pub(super) struct Attempts {
    clients: Arc<Clients>,
    /// The traffic block of each mark.
    blocks: Arc<[u16]>,
    horizon: SimTime,
    random: Pcg64,
    /// What is offered by this candidate's own attempts, where decisions are judged by it.
    offered: Option<Offered>,
    /// How often each key was asked for.
    per_key: Vec<u64>,
    /// Attempts that are going to be made.
    again: Slab<Offer>,
    probe: ClientsProbe,
}

/// What a client is told.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) decision: Decision,
    pub(super) retry: Option<Retry>,
}

impl Attempts {
    /// The clients of a deployment; `None` where no client of the run tries again.
    pub(super) fn new(deployment: &Deployment, course: &Course, seed: u64) -> Option<Self> {
        let clients = deployment.clients.clone()?;
        let grid = course.measures.has(Measure::Series).then_some(course.grid);
        Some(Self {
            blocks: course.blocks.clone(),
            horizon: course.horizon,
            random: generator(seed, NO_BLOCK, WHOLE, Purpose::Retries),
            offered: course.knows_offers().then(|| Offered::new(course)),
            per_key: vec![0; course.names.len()],
            again: Slab::new(),
            probe: ClientsProbe::new(clients.by_block.len(), course.limit, grid),
            clients,
        })
    }

    fn block(&self, offer: &Offer) -> u16 {
        self.blocks[offer.arrival.mark.0 as usize]
    }

    /// An attempt is made: what others have offered by now includes retries.
    fn begin(&mut self, offer: &mut Offer, dossier: &mut Dossier) {
        let block = self.block(offer);
        self.probe.begin(block, offer.arrival.at, offer.attempt > 1);
        self.per_key[offer.arrival.key.0 as usize] += 1;
        if let Some(offered) = &mut self.offered {
            let offers = offered.note(&[offer.arrival]);
            let details = Details {
                exceeds: offers.exceeds.first().copied().unwrap_or_default(),
                before: offers.before.first().copied().unwrap_or_default(),
                ..dossier.of(offer)
            };
            dossier.keep(offer, details);
        }
    }

    /// An attempt has been answered: when its client tries again, and what it then offers.
    fn answer(
        &mut self,
        offer: &Offer,
        told: Told,
        now: SimTime,
        dossier: &mut Dossier,
    ) -> Option<(SimTime, usize)> {
        let block = self.block(offer);
        let details = dossier.of(offer);
        let is_admitted = told.decision.is_admitted();
        self.probe.answer(&Tried {
            block,
            at: offer.arrival.at,
            first: details.first,
            is_as_told: details.is_as_told,
            forwarded: is_admitted.then(|| now.saturating_add(told.decision.delay())),
            is_retry: offer.attempt > 1,
        });
        if is_admitted {
            return None;
        }
        let refusal = Refusal {
            at: now,
            attempt: offer.attempt,
            first: details.first,
            waited: details.waited,
            told: told.retry,
        };
        let client = self.clients.by_block[usize::from(block)];
        let Some(again) = client.next(&refusal, &mut self.random) else {
            self.probe.give_up(block);
            return None;
        };
        if again.at >= self.horizon {
            self.probe.leave(block);
            return None;
        }
        let mut offer = offer.next(again.at);
        let details = Details {
            waited: again.wait,
            is_as_told: again.is_as_told,
            ..details
        };
        dossier.keep(&mut offer, details);
        Some((again.at, self.again.insert(offer)))
    }

    /// How often each key was asked for, and what the clients did.
    pub(super) fn finish(self) -> (Vec<u64>, ClientsResult) {
        (self.per_key, self.probe.finish())
    }
}

impl<A: Algorithm> Engine<A> {
    /// An attempt is going to be made.
    pub(super) fn begin_attempt(&mut self, mut offer: Offer) -> Offer {
        if let Some(attempts) = &mut self.attempts {
            attempts.begin(&mut offer, &mut self.dossier);
        }
        offer
    }

    /// A client is told what became of its attempt.
    pub(super) fn answer_client(&mut self, offer: &Offer, told: Told, now: SimTime) {
        let Some(attempts) = &mut self.attempts else {
            return;
        };
        if let Some((at, again)) = attempts.answer(offer, told, now, &mut self.dossier) {
            self.queue.push(at, Event::Again(again));
        }
    }

    /// A client tries again.
    pub(super) fn try_again(&mut self, again: usize) {
        let attempts = self.attempts.as_mut();
        let attempts = attempts.expect("only clients that try again come again");
        let offer = attempts.again.remove(again);
        self.attempt(offer);
    }
}
