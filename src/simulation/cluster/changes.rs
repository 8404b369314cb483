//! What changes while a deployment runs: clocks, outages, members.

use super::super::deployment::Whom;
use super::engine::{Engine, Event};
use super::said::Said;
use crate::limiter::{Algorithm, Decision};
use crate::measure::Reason;
use crate::units::SimTime;

/// A change of the deployment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// A clock is set.
    Step(Whom),
    /// The outage with this number begins.
    Down(usize),
    /// It has been found out.
    Found(usize),
    /// It is over.
    Up(usize),
    /// A node joins or leaves.
    Member(u16, bool),
}

impl<A: Algorithm> Engine<A> {
    /// Puts in everything that is known to happen.
    pub(super) fn schedule_changes(&mut self) {
        let deployment = self.deployment.clone();
        self.schedule_reloads();
        for step in &deployment.steps {
            self.queue
                .push(step.at, Event::Change(Change::Step(step.of)));
        }
        for (number, outage) in deployment.outages.iter().enumerate() {
            self.queue
                .push(outage.from, Event::Change(Change::Down(number)));
            let found = outage
                .detected_after
                .map(|after| outage.from.saturating_add(after));
            if let Some(found) = found.filter(|found| *found < outage.to) {
                self.queue.push(found, Event::Change(Change::Found(number)));
            }
            self.queue
                .push(outage.to, Event::Change(Change::Up(number)));
        }
        for (node, at) in &deployment.joins {
            self.queue
                .push(*at, Event::Change(Change::Member(*node, true)));
        }
        for (node, at) in &deployment.leaves {
            self.queue
                .push(*at, Event::Change(Change::Member(*node, false)));
        }
    }

    /// A change happens.
    pub(super) fn change(&mut self, change: Change, now: SimTime) {
        match change {
            Change::Step(of) => self.clocks.set(&self.deployment.clone(), of, now),
            Change::Member(node, has_joined) => self.router.set_member(node, has_joined),
            Change::Down(number) => {
                let outage = self.deployment.outages[number];
                match outage.of {
                    Whom::Store if outage.loses_state => {
                        let clock = self.clocks.of(Whom::Store, now);
                        for states in &mut self.states {
                            states.lose(0, clock);
                        }
                    }
                    Whom::Store => {}
                    Whom::Node(node) => self.crash(node, outage.loses_state, now),
                }
            }
            Change::Found(number) => {
                if let Whom::Node(node) = self.deployment.outages[number].of {
                    self.router.avoid(node, true);
                }
            }
            Change::Up(number) => {
                if let Whom::Node(node) = self.deployment.outages[number].of
                    && !self.schedule.is_down(node, now)
                {
                    self.router.avoid(node, false);
                }
            }
        }
    }

    /// A node goes down: what it has in hand is lost.
    fn crash(&mut self, node: u16, loses_state: bool, now: SimTime) {
        let in_hand = self.flights.iter();
        let in_hand = in_hand.filter(|(_, flight)| flight.node == node && !flight.is_answered);
        let in_hand = in_hand.filter(|(_, flight)| flight.reason.is_none());
        let in_hand: Vec<usize> = in_hand.map(|(index, _)| index).collect();
        for flight in in_hand {
            let said = Said::alone(Decision::Deny);
            self.land(flight, said, Some(Reason::NodeCrashed), now);
            if self.flights[flight].events == 0 {
                self.remove(flight);
            }
        }
        for offer in self.leases.crash(node, loses_state) {
            let said = Said::alone(Decision::Deny);
            self.end_wait(&offer, node, said, Some(Reason::NodeCrashed), now);
        }
        if !loses_state {
            return;
        }
        self.sync.lose(node);
        let clock = self.clocks.of(Whom::Node(node), now);
        if self.deployment.states_per_key() > 1 || !self.deployment.has_store() {
            for states in &mut self.states {
                states.lose(usize::from(node), clock);
            }
        }
        for fallback in &mut self.fallback {
            fallback.lose(usize::from(node), clock);
        }
    }
}
