//! Requests that wait for what is going to happen to them.

use super::engine::{Engine, Event};
use super::offer::Offer;
use super::said::Said;
use crate::limiter::Algorithm;
use crate::measure::{Clocked, Reason};
use crate::units::{Nanos, SimTime};

/// What is on its way with a request.
#[derive(Default)]
pub(super) enum Cargo<S> {
    /// Nothing but the request.
    #[default]
    Nothing,
    /// What was said, on its way back.
    Said(Said),
    /// The state that was read, or is being written, with its version and the clock that goes with it.
    Copy(S, u32, Clocked),
}

/// A request in flight.
pub(super) struct Flight<S> {
    pub(super) offer: Offer,
    pub(super) node: u16,
    /// Events that refer to it.
    pub(super) events: u8,
    pub(super) is_answered: bool,
    /// Whether the node will have given it up before the store answers.
    pub(super) is_late: bool,
    /// Why it fails, where that is certain.
    pub(super) reason: Option<Reason>,
    pub(super) cargo: Cargo<S>,
    pub(super) sent: SimTime,
    /// How long the store's answer takes.
    pub(super) way_back: Nanos,
}

impl<A: Algorithm> Engine<A> {
    /// A request begins to wait.
    pub(super) fn begin_to_wait(&mut self) {
        self.waiting += 1;
        self.most_waiting = self.most_waiting.max(self.waiting);
    }

    /// A request that waits, and of which nothing else is under way, is answered.
    pub(super) fn end_wait(
        &mut self,
        offer: &Offer,
        node: u16,
        said: Said,
        reason: Option<Reason>,
        now: SimTime,
    ) {
        self.waiting -= 1;
        self.conclude(offer, Some(node), said, reason, now);
    }

    /// A request begins to wait for what is going to happen to it.
    pub(super) fn take_off(&mut self, offer: Offer, node: u16, now: SimTime) -> usize {
        self.begin_to_wait();
        self.flights.insert(Flight {
            offer,
            node,
            events: 0,
            is_answered: false,
            is_late: false,
            reason: None,
            cargo: Cargo::Nothing,
            sent: now,
            way_back: Nanos::ZERO,
        })
    }

    /// Puts in an event that refers to a flight.
    pub(super) fn refer(&mut self, flight: usize, at: SimTime, event: Event) {
        self.flights[flight].events += 1;
        self.queue.push(at, event);
    }

    /// An event that referred to a flight is over: the last one lets go of it.
    pub(super) fn release(&mut self, flight: usize) {
        let left = &mut self.flights[flight].events;
        *left -= 1;
        if *left == 0 && self.flights[flight].is_answered {
            self.remove(flight);
        }
    }

    /// Nothing of a request is under way any more.
    pub(super) fn remove(&mut self, flight: usize) {
        let gone = self.flights.remove(flight);
        self.dossier.let_go(&gone.offer);
    }

    /// A request in flight is answered. What was sent for it may still be under way.
    pub(super) fn land(&mut self, flight: usize, said: Said, reason: Option<Reason>, now: SimTime) {
        let waits = &mut self.flights[flight];
        if waits.is_answered {
            return;
        }
        waits.is_answered = true;
        let (offer, node) = (waits.offer, waits.node);
        self.waiting -= 1;
        self.answer(&offer, Some(node), said, reason, now);
    }
}
