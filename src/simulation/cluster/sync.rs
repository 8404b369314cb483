//! Nodes that decide by themselves and tell each other every so often what they admitted.

use super::super::deployment::{Deployment, Store, Whom};
use super::engine::{Engine, Event};
use super::judge::Slot;
use crate::limiter::Algorithm;
use crate::measure::{Message, Party, Says};
use crate::units::{Cost, Nanos, SimTime};
use std::collections::BTreeMap;

/// What nodes have admitted and not yet told.
pub(super) struct Sync {
    /// The time between exchanges; `None` where nodes keep to themselves.
    every: Option<Nanos>,
    /// By key and node.
    owed: BTreeMap<(Slot, u16), Cost>,
    is_due: bool,
}

impl Sync {
    pub(super) fn new(deployment: &Deployment) -> Self {
        Self {
            every: match deployment.store {
                // One node has no others.
                Store::Synced { every } if deployment.nodes > 1 => Some(every),
                _ => None,
            },
            owed: BTreeMap::new(),
            is_due: false,
        }
    }

    /// A node forgets what it has not told.
    pub(super) fn lose(&mut self, node: u16) {
        self.owed.retain(|(_, who), _| *who != node);
    }
}

impl<A: Algorithm> Engine<A> {
    /// A node has admitted something that it will tell the others.
    pub(super) fn owe(&mut self, node: u16, key: Slot, cost: Cost, now: SimTime) {
        let Some(every) = self.sync.every.filter(|_| cost > 0) else {
            return;
        };
        let owed = self.sync.owed.entry((key, node)).or_default();
        *owed = owed.saturating_add(cost);
        self.exchange_after(every, now);
    }

    /// The next exchange after `now`, unless it has been put in or would come after the run.
    fn exchange_after(&mut self, every: Nanos, now: SimTime) {
        if !self.sync.is_due {
            self.sync.is_due = true;
            let passed = now.as_nanos() % every.get();
            let next = now.saturating_add(Nanos::new(every.get() - passed));
            if next < self.course.horizon {
                self.queue.push(next, Event::Exchange);
            }
        }
    }

    /// Every node that is up and takes part charges itself with what the others that are up admitted.
    pub(super) fn exchange(&mut self, now: SimTime) {
        self.sync.is_due = false;
        let owed = std::mem::take(&mut self.sync.owed);
        let nodes = 0..self.deployment.nodes;
        let up: Vec<u16> = nodes
            .filter(|node| !self.schedule.is_down(*node, now))
            .collect();
        let mut by_key: BTreeMap<Slot, Vec<(u16, Cost)>> = BTreeMap::new();
        for ((key, node), cost) in owed {
            if up.contains(&node) {
                self.ledger.count_operation(node);
                by_key.entry(key).or_default().push((node, cost));
            } else {
                self.sync.owed.insert((key, node), cost);
            }
        }
        let way = match by_key.is_empty() {
            true => Nanos::ZERO,
            false => self.link.write(now).out,
        };
        let listening = up.iter().filter(|node| self.router.is_member(**node));
        let listening: Vec<u16> = listening.copied().collect();
        for (key, told) in by_key {
            for node in &listening {
                for (other, cost) in told.iter().filter(|(other, _)| other != node) {
                    self.tell_node(*other, *node, (key, *cost), (now, way));
                }
            }
        }
        if let Some(every) = self.sync.every.filter(|_| !self.sync.owed.is_empty()) {
            self.exchange_after(every, now);
        }
    }

    fn tell_node(
        &mut self,
        from: u16,
        to: u16,
        (key, cost): (Slot, Cost),
        (now, way): (SimTime, Nanos),
    ) {
        let arrives = now.saturating_add(way);
        self.message(|_| Message {
            request: 0,
            from: Party::Node(from),
            to: Party::Node(to),
            sent: now,
            received: Some(arrives),
            says: Says::Exchange(cost),
            is_race: false,
        });
        if way == Nanos::ZERO {
            self.told(to, key, cost, now);
        } else {
            self.queue.push(arrives, Event::Told(to, key, cost));
        }
    }

    /// A node charges itself with what another one admitted.
    pub(super) fn told(&mut self, node: u16, (chapter, key): Slot, cost: Cost, now: SimTime) {
        if self.schedule.is_down(node, now) {
            return;
        }
        let clock = self.clocks.of(Whom::Node(node), now);
        let Some(chapter) = self.in_force(chapter) else {
            return;
        };
        let states = &mut self.states[chapter];
        let place = states.place(usize::from(node), key);
        states.charge(place, clock, cost);
    }
}
