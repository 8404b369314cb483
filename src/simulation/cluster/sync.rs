//! Nodes that decide by themselves and tell each other every so often what they admitted.

use super::super::deployment::{Deployment, Store, Whom};
use super::engine::{Engine, Event};
use super::judge::Slot;
use crate::limiter::Algorithm;
use crate::measure::{Message, Party, Says};
use crate::units::{Cost, Nanos, SimTime};
use slab::Slab;

/// What nodes have admitted and not yet told.
pub(super) struct Sync {
    /// The time between exchanges; `None` where nodes keep to themselves.
    every: Option<Nanos>,
    nodes: usize,
    /// By chapter, and there by key and node.
    owed: Vec<Vec<Cost>>,
    /// Who owes something, and of which key.
    owing: Vec<(Slot, u16)>,
    is_due: bool,
    /// What a node is going to hear of a key.
    on_the_way: Slab<Telling>,
}

/// A key, the node that tells or hears of it, and how much was admitted.
type Telling = (Slot, u16, Cost);

impl Sync {
    pub(super) fn new(deployment: &Deployment) -> Self {
        Self {
            every: match deployment.store {
                // One node has no others.
                Store::Synced { every } if deployment.nodes > 1 => Some(every),
                _ => None,
            },
            nodes: deployment.nodes.into(),
            owed: Vec::new(),
            owing: Vec::new(),
            is_due: false,
            on_the_way: Slab::new(),
        }
    }

    /// Whether nothing is going to be heard.
    pub(super) fn is_idle(&self) -> bool {
        self.on_the_way.is_empty()
    }

    /// A node forgets what it has not told.
    pub(super) fn lose(&mut self, node: u16) {
        for (key, who) in std::mem::take(&mut self.owing) {
            match who == node {
                true => *self.owed(key, who) = 0,
                false => self.owing.push((key, who)),
            }
        }
    }

    /// What a node owes of a key.
    fn owed(&mut self, (chapter, key): Slot, node: u16) -> &mut Cost {
        let (chapter, key) = (usize::from(chapter), key.0 as usize);
        if self.owed.len() <= chapter {
            self.owed.resize_with(chapter + 1, Vec::new);
        }
        let owed = &mut self.owed[chapter];
        if owed.len() <= key * self.nodes {
            owed.resize((key + 1) * self.nodes, 0);
        }
        &mut owed[key * self.nodes + usize::from(node)]
    }

    /// A node owes more of a key.
    fn add(&mut self, key: Slot, node: u16, cost: Cost) {
        let owed = self.owed(key, node);
        let is_first = *owed == 0;
        *owed = owed.saturating_add(cost);
        if is_first {
            self.owing.push((key, node));
        }
    }

    /// Takes what nodes that are up owe, by key and then by node.
    fn take(&mut self, is_up: &[bool]) -> Vec<Telling> {
        let mut owing = std::mem::take(&mut self.owing);
        owing.sort_unstable();
        let mut taken = Vec::with_capacity(owing.len());
        for (key, node) in owing {
            if is_up[usize::from(node)] {
                taken.push((key, node, std::mem::take(self.owed(key, node))));
            } else {
                self.owing.push((key, node));
            }
        }
        taken
    }
}

impl<A: Algorithm> Engine<A> {
    /// A node has admitted something that it will tell the others.
    pub(super) fn owe(&mut self, node: u16, key: Slot, cost: Cost, now: SimTime) {
        let Some(every) = self.sync.every.filter(|_| cost > 0) else {
            return;
        };
        self.sync.add(key, node, cost);
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
        let nodes = 0..self.deployment.nodes;
        let is_up = nodes.map(|node| !self.schedule.is_down(node, now));
        let is_up: Vec<bool> = is_up.collect();
        let told = self.sync.take(&is_up);
        for (_, node, _) in &told {
            self.ledger.count_operation(*node);
        }
        let way = match told.is_empty() {
            true => Nanos::ZERO,
            false => self.link.write(now).out,
        };
        let listening = (0..).zip(is_up);
        let listening = listening.filter(|(node, is_up)| *is_up && self.router.is_member(*node));
        let listening: Vec<u16> = listening.map(|(node, _)| node).collect();
        for told in told.chunk_by(|(one, ..), (other, ..)| one == other) {
            for node in &listening {
                self.tell_node(*node, told, now, way);
            }
        }
        if let Some(every) = self.sync.every.filter(|_| !self.sync.owing.is_empty()) {
            self.exchange_after(every, now);
        }
    }

    /// A node is told what the others admitted of one key.
    fn tell_node(&mut self, node: u16, told: &[Telling], now: SimTime, way: Nanos) {
        let others = || told.iter().filter(|(_, other, _)| *other != node);
        let arrives = now.saturating_add(way);
        for (key, other, cost) in others() {
            self.message(|_| Message {
                request: 0,
                from: Party::Node(*other),
                to: Party::Node(node),
                sent: now,
                received: Some(arrives),
                says: Says::Exchange(*cost),
                is_race: false,
            });
            if way > Nanos::ZERO {
                let telling = self.sync.on_the_way.insert((*key, node, *cost));
                self.queue.push(arrives, Event::Told(telling));
            }
        }
        if way == Nanos::ZERO
            && let Some((key, ..)) = others().next()
        {
            self.told(node, *key, others().map(|(.., cost)| *cost), now);
        }
    }

    /// What another one admitted reaches a node.
    pub(super) fn hear_of(&mut self, telling: usize, now: SimTime) {
        let (key, node, cost) = self.sync.on_the_way.remove(telling);
        self.told(node, key, [cost], now);
    }

    /// A node charges itself with what others admitted of a key.
    fn told(
        &mut self,
        node: u16,
        (chapter, key): Slot,
        costs: impl IntoIterator<Item = Cost>,
        now: SimTime,
    ) {
        if self.schedule.is_down(node, now) {
            return;
        }
        let clock = self.clocks.of(Whom::Node(node), now);
        let Some(chapter) = self.in_force(chapter) else {
            return;
        };
        let states = &mut self.states[chapter];
        let place = states.place(usize::from(node), key);
        states.charge(place, clock, costs);
    }
}
