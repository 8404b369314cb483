//! The plain simulator: what is due, in a list.

use super::super::model::{Model, Verdict};
use super::leases::{Ask, LeaseEvent};
use super::setup::{Access, Deployed, KEYS, Policy, Routing, Store};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// What a request was answered, by which node, and when.
pub(super) struct Answer {
    pub(super) at: u64,
    pub(super) node: usize,
    pub(super) verdict: Verdict,
    pub(super) reason: Option<&'static str>,
}

/// What came of a run.
pub(super) struct Done {
    pub(super) answers: Vec<Answer>,
    pub(super) most_waiting: u64,
    pub(super) operations: u64,
    pub(super) races: u64,
}

/// What is going to happen; numbers are those of requests, but for an outage's own.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Down(usize),
    Exchange,
    Told(usize, usize, u64),
    AtStore(usize),
    Back(usize),
    GivenUp(usize),
    Landed(usize),
    Lease(LeaseEvent, usize),
}

/// A state that was read: the state, when by the clock that decides, and how often it had changed.
struct Copy {
    state: Box<dyn Model>,
    reading: i64,
    version: u64,
}

/// A request that waits for the store, or for a node that is down.
#[derive(Default)]
pub(super) struct Flight {
    pub(super) node: usize,
    sent: u64,
    is_late: bool,
    /// When the store's answer is back.
    back: u64,
    /// Whether its node was down when it came.
    is_stranded: bool,
    verdict: Option<Verdict>,
    copy: Option<Copy>,
}

pub(super) struct Simulator<'a> {
    pub(super) setup: &'a Deployed,
    /// The nodes that the run sent the requests to.
    told: &'a [usize],
    due: Vec<(u64, u64, What)>,
    inserted: u64,
    /// By limiter and key.
    pub(super) states: Vec<Vec<Box<dyn Model>>>,
    /// By key, how often the store's state has changed.
    versions: Vec<u64>,
    /// By node and key.
    fallback: Vec<Vec<Box<dyn Model>>>,
    pub(super) flights: BTreeMap<usize, Flight>,
    answers: BTreeMap<usize, Answer>,
    /// By node and key, what was admitted since the last exchange.
    owed: BTreeMap<(usize, usize), u64>,
    turns: Vec<i64>,
    /// By node and key, what is on lease there.
    pub(super) credit: BTreeMap<(usize, usize), u64>,
    pub(super) asks: Vec<Ask>,
    waiting: u64,
    most_waiting: u64,
    pub(super) operations: u64,
    races: u64,
}

impl<'a> Simulator<'a> {
    pub(super) fn new(setup: &'a Deployed, told: &'a [usize]) -> Self {
        let limiters = match setup.store {
            Store::Central(_) | Store::Leased(_) => 1,
            Store::Own | Store::Split | Store::Synced(_) => setup.nodes,
        };
        let mut simulator = Self {
            setup,
            told,
            due: Vec::new(),
            inserted: 0,
            states: Vec::new(),
            versions: vec![0; KEYS],
            fallback: Vec::new(),
            flights: BTreeMap::new(),
            answers: BTreeMap::new(),
            owed: BTreeMap::new(),
            turns: vec![0; setup.nodes],
            credit: BTreeMap::new(),
            asks: Vec::new(),
            waiting: 0,
            most_waiting: 0,
            operations: 0,
            races: 0,
        };
        simulator.states = (0..limiters).map(|it| simulator.fresh(it)).collect();
        simulator.fallback = (0..setup.nodes)
            .map(|_| simulator.fresh_fallback())
            .collect();
        simulator
    }

    /// Fresh states of a limiter.
    fn fresh(&self, limiter: usize) -> Vec<Box<dyn Model>> {
        let whole = &self.setup.algorithm;
        let own = match self.setup.store {
            Store::Split => whole.of_node(limiter as u64, self.setup.nodes as u64),
            _ => whole.clone(),
        };
        (0..KEYS).map(|_| own.model()).collect()
    }

    fn fresh_fallback(&self) -> Vec<Box<dyn Model>> {
        let share = match self.setup.policy {
            Policy::Fallback(parts, of) => (parts, of),
            Policy::Open | Policy::Closed => (1, 1),
        };
        let own = self.setup.algorithm.fraction(share);
        (0..KEYS).map(|_| own.model()).collect()
    }

    pub(super) fn run(mut self) -> Done {
        for (number, outage) in self.setup.outages.iter().enumerate() {
            self.expect(outage.from, What::Down(number));
        }
        let last = self.setup.requests.iter().map(|it| it.at).max();
        if let (Store::Synced(every), Some(last)) = (self.setup.store, last) {
            for exchange in 1..=last / every {
                self.expect(exchange * every, What::Exchange);
            }
        }
        for number in 0..self.setup.requests.len() {
            self.happen(self.setup.requests[number].at);
            self.arrive(number);
        }
        self.happen(u64::MAX);
        Done {
            answers: self.answers.into_values().collect(),
            most_waiting: self.most_waiting,
            operations: self.operations,
            races: self.races,
        }
    }

    pub(super) fn expect(&mut self, at: u64, what: What) {
        self.due.push((at, self.inserted, what));
        self.inserted += 1;
    }

    /// All that is due by `until`, the earliest first and what was put in first of that.
    fn happen(&mut self, until: u64) {
        loop {
            let due = self.due.iter().enumerate();
            let due = due.filter(|(_, (at, ..))| *at <= until);
            let Some((index, _)) = due.min_by_key(|(_, (at, inserted, _))| (*at, *inserted)) else {
                return;
            };
            let (now, _, what) = self.due.remove(index);
            match what {
                What::Down(outage) => self.go_down(outage, now),
                What::Exchange => self.exchange(now),
                What::Told(node, key, cost) => self.hear(node, key, cost, now),
                What::AtStore(number) => self.at_store(number, now),
                What::Back(number) => self.back(number, now),
                What::GivenUp(number) => self.give_up(number, now),
                What::Landed(number) => self.land(number, now),
                What::Lease(event, ask) => self.lease(event, ask, now),
            }
        }
    }

    fn route(&mut self, number: usize) -> usize {
        match &self.setup.routing {
            Routing::RoundRobin => number % self.setup.nodes,
            Routing::Told(_) => self.told[number],
            // The node whose turn it is most pays for all.
            Routing::Weighted(weights) => {
                for (turn, weight) in self.turns.iter_mut().zip(weights) {
                    *turn += weight;
                }
                let most = self.turns.iter().max().unwrap();
                let node = self.turns.iter().position(|it| it == most).unwrap();
                self.turns[node] -= weights.iter().sum::<i64>();
                node
            }
        }
    }

    fn arrive(&mut self, number: usize) {
        let request = self.setup.requests[number];
        let now = request.at;
        if !(0..self.setup.nodes).any(|node| self.setup.is_served(node, now)) {
            self.answer(number, 0, Verdict::Deny, Some("no_node"), now);
            return;
        }
        let node = self.route(number);
        assert!(self.setup.is_served(node, now), "sent to {node} at {now}");
        if self.setup.is_down(Some(node), now) {
            self.take_off(number, node, true);
            let timeout = self.setup.timeout.expect("stated with outages");
            self.expect(now + timeout, What::GivenUp(number));
            return;
        }
        match self.setup.store {
            Store::Central(_) => {
                self.take_off(number, node, false);
                self.ask(number, now);
            }
            Store::Leased(batch) => self.spend(number, node, batch, now),
            Store::Own | Store::Split | Store::Synced(_) => {
                let reading = BigInt::from(self.setup.reading(Some(node), now));
                let state = &mut self.states[node][request.key];
                let verdict = state.decide(&reading, &request.cost.into());
                if verdict.is_admitted() {
                    *self.owed.entry((node, request.key)).or_default() += request.cost;
                }
                self.answer(number, node, verdict, None, now);
            }
        }
    }

    /// A request begins to wait.
    pub(super) fn take_off(&mut self, number: usize, node: usize, is_stranded: bool) {
        self.waiting += 1;
        self.most_waiting = self.most_waiting.max(self.waiting);
        let flight = Flight {
            node,
            sent: self.setup.requests[number].at,
            is_stranded,
            ..Flight::default()
        };
        self.flights.insert(number, flight);
    }

    fn ask(&mut self, number: usize, now: u64) {
        self.operations += 1;
        let ((there, whole), timeout) = (self.setup.trip(now), self.setup.timeout);
        let reaches = now + there;
        let is_lost = self.setup.is_down(None, reaches);
        let is_late = timeout.is_some_and(|timeout| timeout < whole);
        if is_lost || is_late {
            let timeout = timeout.expect("stated with outages");
            self.expect(now + timeout, What::GivenUp(number));
        }
        if !is_lost {
            let flight = self.flights.get_mut(&number).unwrap();
            (flight.is_late, flight.back) = (is_late, now + whole);
            self.expect(reaches, What::AtStore(number));
        }
    }

    /// Whether the limiter takes a request of this cost into account at all.
    fn may_pass(&self, cost: u64) -> bool {
        0 < cost && cost <= self.setup.algorithm.most()
    }

    fn at_store(&mut self, number: usize, now: u64) {
        let request = self.setup.requests[number];
        let may_pass = self.may_pass(request.cost);
        let flight = self.flights.get_mut(&number).unwrap();
        let reading = match self.setup.by_nodes {
            true => self.setup.reading(Some(flight.node), flight.sent),
            false => self.setup.reading(None, now),
        };
        let clock = BigInt::from(reading);
        let state = &mut self.states[0][request.key];
        if self.setup.store == Store::Central(Access::Atomic) {
            flight.verdict = Some(state.decide(&clock, &request.cost.into()));
        } else {
            let version = self.versions[request.key];
            if may_pass {
                state.begin(&clock);
            }
            let state = state.fork();
            flight.copy = Some(Copy {
                state,
                reading,
                version,
            });
        }
        let (is_late, back) = (flight.is_late, flight.back);
        if !is_late {
            self.expect(back, What::Back(number));
        }
    }

    fn back(&mut self, number: usize, now: u64) {
        if self.answers.contains_key(&number) {
            return;
        }
        let request = self.setup.requests[number];
        let flight = self.flights.get_mut(&number).unwrap();
        let node = flight.node;
        if let Some(verdict) = flight.verdict.take() {
            self.answer(number, node, verdict, None, now);
            return;
        }
        let copy = flight.copy.as_mut().expect("it was read");
        if self.setup.by_nodes {
            copy.reading = self.setup.reading(Some(node), now);
        }
        let verdict = copy
            .state
            .decide(&copy.reading.into(), &request.cost.into());
        let is_counted = verdict.is_admitted() || self.setup.algorithm.counts_denied();
        self.answer(number, node, verdict, None, now);
        if is_counted && self.may_pass(request.cost) {
            self.operations += 1;
            let lands = now + self.setup.trip(now).0;
            if !self.setup.is_down(None, lands) {
                self.expect(lands, What::Landed(number));
            }
        }
    }

    fn land(&mut self, number: usize, now: u64) {
        let request = self.setup.requests[number];
        let copy = self.flights.get_mut(&number).unwrap().copy.take().unwrap();
        let version = &mut self.versions[request.key];
        self.races += u64::from(*version != copy.version);
        *version += 1;
        let state = &mut self.states[0][request.key];
        if self.setup.store == Store::Central(Access::Write) {
            *state = copy.state;
        } else {
            let reading = match self.setup.by_nodes {
                true => copy.reading,
                false => self.setup.reading(None, now),
            };
            state.charge(&reading.into(), &request.cost.into());
        }
    }

    pub(super) fn give_up(&mut self, number: usize, now: u64) {
        if self.answers.contains_key(&number) {
            return;
        }
        let request = self.setup.requests[number];
        let Flight {
            node, is_stranded, ..
        } = self.flights[&number];
        let (verdict, reason) = match self.setup.policy {
            _ if is_stranded => (Verdict::Deny, "node_down"),
            Policy::Open => (Verdict::at_once(), "fail_open"),
            Policy::Closed => (Verdict::Deny, "fail_closed"),
            Policy::Fallback(..) => {
                let reading = self.setup.reading(Some(node), now);
                let state = &mut self.fallback[node][request.key];
                let verdict = state.decide(&reading.into(), &request.cost.into());
                (verdict, "local_fallback")
            }
        };
        self.answer(number, node, verdict, Some(reason), now);
    }

    pub(super) fn answer(
        &mut self,
        number: usize,
        node: usize,
        verdict: Verdict,
        reason: Option<&'static str>,
        at: u64,
    ) {
        self.waiting -= u64::from(self.flights.contains_key(&number));
        let answer = Answer {
            at,
            node,
            verdict,
            reason,
        };
        assert!(self.answers.insert(number, answer).is_none());
    }

    fn go_down(&mut self, outage: usize, now: u64) {
        let outage = self.setup.outages[outage];
        let Some(node) = outage.of else {
            if outage.loses_state {
                self.states[0] = self.fresh(0);
                self.versions = self.versions.iter().map(|version| version + 1).collect();
            }
            return;
        };
        let flights = self.flights.iter();
        let in_hand = flights.filter(|(_, flight)| flight.node == node && !flight.is_stranded);
        let in_hand: Vec<usize> = in_hand.map(|(number, _)| *number).collect();
        for number in in_hand {
            if !self.answers.contains_key(&number) {
                self.answer(number, node, Verdict::Deny, Some("node_crashed"), now);
            }
        }
        self.end_leases(node, outage.loses_state);
        if outage.loses_state {
            if !self.setup.has_store() {
                self.states[node] = self.fresh(node);
            }
            self.fallback[node] = self.fresh_fallback();
            self.owed.retain(|(who, _), _| *who != node);
        }
    }

    /// Nodes that are up tell what they owe to the others that are.
    fn exchange(&mut self, now: u64) {
        let setup = self.setup;
        let is_up = |node: &usize| !setup.is_down(Some(*node), now);
        let (told, kept) = std::mem::take(&mut self.owed)
            .into_iter()
            .partition::<BTreeMap<_, _>, _>(|((node, _), _)| is_up(node));
        self.owed = kept;
        for ((from, key), cost) in told {
            let others = (0..setup.nodes).filter(|node| *node != from);
            let others = others.filter(|node| setup.is_member(*node, now));
            for node in others.filter(is_up) {
                self.expect(now + setup.trip(now).0, What::Told(node, key, cost));
            }
        }
    }

    fn hear(&mut self, node: usize, key: usize, cost: u64, now: u64) {
        if cost > 0 && self.setup.algorithm.most() > 0 && !self.setup.is_down(Some(node), now) {
            let reading = self.setup.reading(Some(node), now);
            self.states[node][key].charge(&reading.into(), &cost.into());
        }
    }
}
