//! Units that nodes take from the store in batches and spend themselves.

use super::super::deployment::{Deployment, Store};
use super::engine::{Engine, Event, Flight};
use super::ledger::Offer;
use super::link::Trip;
use super::said::Said;
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Message, Party, Record, Says};
use crate::units::{Cost, KeyId, Level, Nanos, Retry, SimTime};
use slab::Slab;
use std::collections::{BTreeMap, VecDeque};

/// What all nodes hold on lease and ask for.
pub(super) struct Leases {
    batch: Cost,
    keys: usize,
    /// By node and key, what has been leased and not spent.
    credit: Vec<Cost>,
    asks: Slab<Ask>,
    /// The ask under way for a node and key.
    open: BTreeMap<usize, usize>,
}

/// One ask for a lease.
struct Ask {
    node: u16,
    key: KeyId,
    /// The request that made it necessary.
    number: u64,
    units: Cost,
    /// Requests that wait for it.
    waiters: VecDeque<usize>,
    sent: SimTime,
    way_back: Nanos,
    is_late: bool,
    /// Whether nobody waits for it any more.
    is_over: bool,
    events: u8,
    grant: Option<Grant>,
}

/// What the store gave.
#[derive(Clone, Copy)]
struct Grant {
    units: Cost,
    /// How long the store has the requests wait for which it was taken.
    decision: Decision,
}

impl Leases {
    pub(super) fn new(deployment: &Deployment, keys: usize) -> Self {
        let (batch, places) = match deployment.store {
            Store::Leased { batch } => (batch, keys * usize::from(deployment.nodes)),
            _ => (0, 0),
        };
        Self {
            batch,
            keys,
            credit: vec![0; places],
            asks: Slab::new(),
            open: BTreeMap::new(),
        }
    }

    fn place(&self, node: u16, key: KeyId) -> usize {
        usize::from(node) * self.keys + key.0 as usize
    }

    /// A node goes down: who waits has been told, what comes back finds nobody.
    pub(super) fn crash(&mut self, node: u16, loses_state: bool) {
        for (_, ask) in &mut self.asks {
            if ask.node == node {
                ask.is_over = true;
                ask.waiters.clear();
            }
        }
        let asks = &self.asks;
        self.open.retain(|_, ask| asks[*ask].node != node);
        if loses_state && !self.credit.is_empty() {
            let first = usize::from(node) * self.keys;
            self.credit[first..first + self.keys].fill(0);
        }
    }

    /// An event that referred to an ask is over.
    fn release(&mut self, ask: usize) {
        self.asks[ask].events -= 1;
        if self.asks[ask].events == 0 {
            self.asks.remove(ask);
        }
    }
}

impl<A: Algorithm> Engine<A> {
    /// A request spends what its node has on lease, or waits for more.
    pub(super) fn spend(&mut self, offer: Offer, node: u16, trip: Trip, now: SimTime) {
        let place = self.leases.place(node, offer.arrival.key);
        let open = self.leases.open.get(&place).copied();
        let cost = offer.arrival.cost;
        if cost == 0 || open.is_none() && self.leases.credit[place] >= cost {
            self.leases.credit[place] -= cost;
            let said = self.by_credit(place, Decision::Allow, None);
            self.conclude(&offer, Some(node), said, None, now);
            return;
        }
        let flight = self.take_off(offer, node, now);
        match open {
            Some(ask) => self.leases.asks[ask].waiters.push_back(flight),
            None => self.ask_for_lease(VecDeque::from([flight]), trip, now),
        }
    }

    /// An answer by what is left on lease.
    fn by_credit(&self, place: usize, decision: Decision, retry: Option<Retry>) -> Said {
        let left = self.leases.credit[place];
        Said {
            decision,
            estimate: f64::NAN,
            is_too_large: false,
            retry,
            parts: None,
            record: self.course.with_timeline.then(|| {
                Box::new(Record {
                    remaining: Some(left),
                    level: Some(Level::whole(left.into())),
                    ..Record::without_limiter(decision, retry)
                })
            }),
        }
    }

    /// Denies a request that lacks this much, which the store would lease when it has it.
    fn without_credit(&self, flight: usize, lacks: Cost, now: SimTime) -> Said {
        let Flight { offer, node, .. } = &self.flights[flight];
        let place = self.states[0].place(0, offer.arrival.key);
        let clock = self.deciding(*node, now, now);
        let retry = self.states[0].retry_after(place, clock, lacks);
        let credit = self.leases.place(*node, offer.arrival.key);
        Said {
            is_too_large: lacks > self.states[0].bound(place),
            ..self.by_credit(credit, Decision::Deny, Some(retry))
        }
    }

    /// Asks the store for what the first of those who wait lacks, and at least a batch.
    fn ask_for_lease(&mut self, waiters: VecDeque<usize>, trip: Trip, now: SimTime) {
        let first = &self.flights[waiters[0]];
        let (offer, node) = (first.offer, first.node);
        let place = self.leases.place(node, offer.arrival.key);
        let lacks = offer.arrival.cost - self.leases.credit[place].min(offer.arrival.cost);
        let units = lacks.max(self.leases.batch);
        self.ledger.count_operation(node);
        let (reaches, given_up) = self.fate(trip, now);
        self.message(|_| Message {
            request: offer.number,
            from: Party::Node(node),
            to: Party::Store,
            sent: now,
            received: reaches,
            says: Says::Lease(units),
            is_race: false,
        });
        let ask = self.leases.asks.insert(Ask {
            node,
            key: offer.arrival.key,
            number: offer.number,
            units,
            waiters,
            sent: now,
            way_back: Nanos::new(trip.whole.get() - trip.out.get()),
            is_late: given_up.is_some(),
            is_over: false,
            events: u8::from(reaches.is_some()) + u8::from(given_up.is_some()),
            grant: None,
        });
        self.leases.open.insert(place, ask);
        if let Some(at) = given_up {
            self.queue.push(at, Event::LeaseGivenUp(ask));
        }
        if let Some(at) = reaches {
            self.queue.push(at, Event::LeaseAtStore(ask));
        }
    }

    /// The store leases what it has, up to what is asked for.
    pub(super) fn lease_at_store(&mut self, ask: usize, now: SimTime) {
        let Ask {
            node,
            key,
            number,
            units,
            sent,
            way_back,
            is_late,
            ..
        } = self.leases.asks[ask];
        let clock = self.deciding(node, sent, now);
        let place = self.states[0].place(0, key);
        let units_left = self.states[0].remaining(place, clock).min(units);
        let decision = match units_left {
            0 => {
                // A bucket that is not full at first begins when it is asked, whatever it has.
                self.states[0].look(place, clock, 1);
                Decision::Deny
            }
            granted => self.states[0].decide(place, clock, granted).decision,
        };
        self.leases.asks[ask].grant = Some(Grant {
            units: units_left,
            decision,
        });
        let back = now.saturating_add(way_back);
        self.message(|_| Message {
            request: number,
            from: Party::Store,
            to: Party::Node(node),
            sent: now,
            received: (!is_late).then_some(back),
            says: Says::Granted(units_left),
            is_race: false,
        });
        if !is_late {
            self.leases.asks[ask].events += 1;
            self.queue.push(back, Event::LeaseBack(ask));
        }
        self.leases.release(ask);
    }

    /// A lease comes back: those who wait are served in order.
    pub(super) fn lease_back(&mut self, ask: usize, now: SimTime) {
        let Ask { node, key, .. } = self.leases.asks[ask];
        let place = self.leases.place(node, key);
        let is_over = self.leases.asks[ask].is_over;
        let grant = self.leases.asks[ask].grant;
        if let Some(grant) = grant.filter(|_| !is_over) {
            self.leases.open.remove(&place);
            let was_full = grant.units == self.leases.asks[ask].units;
            let mut waiters = std::mem::take(&mut self.leases.asks[ask].waiters);
            self.leases.credit[place] = self.leases.credit[place].saturating_add(grant.units);
            let mut fresh = grant.units;
            while let Some(flight) = waiters.front().copied() {
                let cost = self.flights[flight].offer.arrival.cost;
                let credit = self.leases.credit[place];
                if credit < cost && was_full {
                    let trip = self.link.write(now);
                    self.ask_for_lease(waiters, trip, now);
                    break;
                }
                waiters.pop_front();
                if credit < cost {
                    let said = self.without_credit(flight, cost - credit, now);
                    self.serve(flight, said, now);
                    continue;
                }
                self.leases.credit[place] -= cost;
                // Only what is spent of this lease waits for its turn at the store.
                let decision = if fresh > 0 {
                    grant.decision
                } else {
                    Decision::Allow
                };
                fresh = fresh.saturating_sub(cost);
                let said = self.by_credit(place, decision, None);
                self.serve(flight, said, now);
            }
        }
        self.leases.release(ask);
    }

    /// Answers a request that waited for a lease.
    fn serve(&mut self, flight: usize, said: Said, now: SimTime) {
        self.land(flight, said, None, now);
        self.flights.remove(flight);
    }

    /// A node gives up waiting for a lease: all who wait for it have been failed.
    pub(super) fn lease_given_up(&mut self, ask: usize, now: SimTime) {
        if !self.leases.asks[ask].is_over {
            let Ask { node, key, .. } = self.leases.asks[ask];
            let place = self.leases.place(node, key);
            self.leases.open.remove(&place);
            self.leases.asks[ask].is_over = true;
            let waiters = std::mem::take(&mut self.leases.asks[ask].waiters);
            for flight in waiters {
                self.miss(flight, now);
                self.flights.remove(flight);
            }
        }
        self.leases.release(ask);
    }
}
