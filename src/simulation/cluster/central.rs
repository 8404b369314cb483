//! One state behind a round trip: asked in one step, or read and then written or incremented.

use super::super::deployment::{Access, Store, Whom, Whose};
use super::engine::{Engine, Event};
use super::flight::Cargo;
use super::judge::By;
use super::link::Trip;
use super::offer::Offer;
use crate::limiter::Algorithm;
use crate::measure::{Clocked, IncidentKind, Message, Party, Says};
use crate::units::{Level, Nanos, SimTime};

impl<A: Algorithm> Engine<A> {
    fn access(&self) -> Access {
        match self.deployment.store {
            Store::Central(access) => access,
            Store::Local { .. } | Store::Synced { .. } | Store::Leased { .. } => Access::Atomic,
        }
    }

    /// A node asks the store about a request.
    pub(super) fn ask(&mut self, offer: Offer, node: u16, trip: Trip, now: SimTime) {
        let flight = self.take_off(offer, node, now);
        self.ledger.count_operation(node);
        let (reaches, given_up) = self.fate(trip, now);
        let says = match self.access() {
            Access::Atomic => Says::Ask(offer.arrival.cost),
            Access::ReadThenWrite | Access::ReadThenIncrement => Says::Read,
        };
        self.message(|_| Message {
            request: offer.number,
            from: Party::Node(node),
            to: Party::Store,
            sent: now,
            received: reaches,
            says,
            is_race: false,
        });
        if let Some(at) = given_up {
            self.flights[flight].is_late = true;
            self.refer(flight, at, Event::GivenUp(flight));
        }
        if let Some(at) = reaches {
            self.flights[flight].way_back = Nanos::new(trip.whole.get() - trip.out.get());
            self.refer(flight, at, Event::AtStore(flight));
        }
    }

    /// An ask reaches the store.
    pub(super) fn at_store(&mut self, flight: usize, now: SimTime) {
        let ask = &self.flights[flight];
        let (offer, node, sent) = (ask.offer, ask.node, ask.sent);
        let (is_late, back) = (ask.is_late, now.saturating_add(ask.way_back));
        let clock = self.deciding(node, sent, now);
        let says = match self.access() {
            Access::Atomic => {
                let said = self.judge(By::Usual, 0, &offer, clock);
                let decision = said.decision;
                let level = said.level().unwrap_or(Level::whole(0));
                self.flights[flight].cargo = Cargo::Said(said);
                self.scribe
                    .listens()
                    .then_some(Says::Decided(decision, level))
            }
            Access::ReadThenWrite | Access::ReadThenIncrement => {
                let place = self.states[0].place(0, offer.arrival.key);
                let (state, clock) = self.states[0].read(place, clock, offer.arrival.cost);
                let level = self
                    .scribe
                    .listens()
                    .then(|| Says::Value(self.states[0].level_of(place, &state, clock)));
                let version = self.states[0].version(place);
                self.flights[flight].cargo = Cargo::Copy(state, version, clock);
                level
            }
        };
        if let Some(says) = says {
            self.message(|_| Message {
                request: offer.number,
                from: Party::Store,
                to: Party::Node(node),
                sent: now,
                received: (!is_late).then_some(back),
                says,
                is_race: false,
            });
        }
        if !is_late {
            self.refer(flight, back, Event::Back(flight));
        }
        self.release(flight);
    }

    /// The store's answer is back at the node.
    pub(super) fn back(&mut self, flight: usize, now: SimTime) {
        if !self.flights[flight].is_answered {
            match std::mem::take(&mut self.flights[flight].cargo) {
                Cargo::Said(said) => self.land(flight, said, None, now),
                Cargo::Copy(state, version, read) => {
                    self.decide_on_copy(flight, (state, version, read), now);
                }
                Cargo::Nothing => unreachable!("the store has been asked"),
            }
        }
        self.release(flight);
    }

    /// The node decides on what it has read, answers, and sends the write.
    fn decide_on_copy(
        &mut self,
        flight: usize,
        (mut state, version, read): (A::State, u32, Clocked),
        now: SimTime,
    ) {
        let (offer, node) = (self.flights[flight].offer, self.flights[flight].node);
        let clock = match self.deployment.clock {
            // The store's time came with what was read.
            Whose::Store => read,
            Whose::Node => self.clocks.of(Whom::Node(node), now),
        };
        let place = self.states[0].place(0, offer.arrival.key);
        let cost = offer.arrival.cost;
        let said = self.states[0].decide_on(place, &mut state, clock, cost);
        let decision = said.decision;
        self.land(flight, said, None, now);
        if !self.states[0].has_to_write(cost, decision) {
            return;
        }
        self.ledger.count_operation(node);
        let reaches = now.saturating_add(self.link.write(now).out);
        if self.schedule.store_is_back(reaches).is_none() {
            self.flights[flight].sent = now;
            self.flights[flight].cargo = Cargo::Copy(state, version, clock);
            self.refer(flight, reaches, Event::Written(flight));
        } else {
            self.message(|engine| Message {
                request: offer.number,
                from: Party::Node(node),
                to: Party::Store,
                sent: now,
                received: None,
                says: Says::Write(engine.states[0].level_of(place, &state, clock)),
                is_race: false,
            });
        }
    }

    /// What was decided on a copy reaches the store.
    pub(super) fn written(&mut self, flight: usize, now: SimTime) {
        let write = &mut self.flights[flight];
        let (offer, node, sent) = (write.offer, write.node, write.sent);
        let Cargo::Copy(state, version, decided) = std::mem::take(&mut write.cargo) else {
            unreachable!("a write carries a state");
        };
        let place = self.states[0].place(0, offer.arrival.key);
        let is_race = self.states[0].version(place) != version;
        let clock = Clocked::new(now, decided.reading);
        let (says, kind) = if self.access() == Access::ReadThenWrite {
            let level = self.states[0].level_of(place, &state, clock);
            self.states[0].write(place, clock, state);
            (Says::Write(level), IncidentKind::LostUpdate)
        } else {
            // The store, where it keeps the time, adds at the time at which it does so: else what it
            // was asked in between would move what is added.
            let clock = match self.deployment.clock {
                Whose::Store => self.clocks.of(Whom::Store, now),
                Whose::Node => clock,
            };
            self.states[0].charge(place, clock, [offer.arrival.cost]);
            let level = self.states[0].level(place, clock);
            let says = Says::Increment(offer.arrival.cost, level);
            (says, IncidentKind::StaleRead)
        };
        if is_race {
            self.races += 1;
            self.scribe.incident(now, offer.number, kind);
        }
        self.message(|_| Message {
            request: offer.number,
            from: Party::Node(node),
            to: Party::Store,
            sent,
            received: Some(now),
            says,
            is_race,
        });
        self.release(flight);
    }
}
