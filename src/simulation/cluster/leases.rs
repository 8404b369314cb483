//! Units that nodes take from the store in batches and spend themselves.

use super::super::deployment::{Deployment, Store};
use super::engine::{Engine, Event};
use super::link::Trip;
use super::offer::Offer;
use super::said::{Aside, Said};
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Message, Party, Record, Says};
use crate::units::{Cost, KeyId, Level, Nanos, Retry, SimTime};
use crate::workload::Arrival;
use slab::Slab;
use smallvec::{SmallVec, smallvec};
use std::num::NonZeroUsize;

/// What all nodes hold on lease and ask for.
pub(super) struct Leases {
    batch: Cost,
    keys: usize,
    /// By node and key, what has been leased and not spent.
    credit: Vec<Cost>,
    asks: Slab<Ask>,
    /// By node and key, one more than the ask under way for them.
    open: Vec<Option<NonZeroUsize>>,
}

/// Requests that wait for a lease, in order. The first of them lie with the ask: few keys have many.
type Waiters = SmallVec<[Offer; 2]>;

/// One ask for a lease.
struct Ask {
    node: u16,
    key: KeyId,
    /// The request that made it necessary.
    number: u64,
    units: Cost,
    /// Requests that wait for it.
    waiters: Waiters,
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

impl Ask {
    /// Whether the store gave all that was asked for.
    fn is_full(&self) -> bool {
        self.grant.is_some_and(|grant| grant.units == self.units)
    }
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
            open: vec![None; places],
        }
    }

    fn place(&self, node: u16, key: KeyId) -> usize {
        usize::from(node) * self.keys + key.0 as usize
    }

    /// A node goes down: what comes back finds nobody. Gives those who waited, in order.
    pub(super) fn crash(&mut self, node: u16, loses_state: bool) -> Vec<Offer> {
        let mut waited = Vec::new();
        for (_, ask) in &mut self.asks {
            if ask.node == node {
                ask.is_over = true;
                waited.extend(ask.waiters.drain(..));
            }
        }
        waited.sort_unstable_by_key(|offer| (offer.number, offer.attempt));
        if self.open.is_empty() {
            return waited;
        }
        let first = usize::from(node) * self.keys;
        let places = first..first + self.keys;
        self.open[places.clone()].fill(None);
        if loses_state {
            self.credit[places].fill(0);
        }
        waited
    }

    /// Whether no ask is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.asks.is_empty()
    }

    /// The ask under way for a place.
    fn open(&self, place: usize) -> Option<usize> {
        self.open[place].map(|next| next.get() - 1)
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
        let open = self.leases.open(place);
        let cost = offer.arrival.cost;
        if cost == 0 || open.is_none() && self.leases.credit[place] >= cost {
            self.leases.credit[place] -= cost;
            let said = self.by_credit(place, Decision::Allow, None);
            self.conclude(&offer, Some(node), said, None, now);
            return;
        }
        self.begin_to_wait();
        match open {
            Some(ask) => self.leases.asks[ask].waiters.push(offer),
            None => self.ask_for_lease(node, smallvec![offer], trip, now),
        }
    }

    /// An answer by what is left on lease.
    fn by_credit(&self, place: usize, decision: Decision, retry: Option<Retry>) -> Said {
        let left = self.leases.credit[place];
        let record = || Record {
            remaining: Some(left),
            level: Some(Level::whole(left.into())),
            ..Record::without_limiter(decision, retry)
        };
        let records = self.course.with_timeline;
        let aside = || Aside {
            retry,
            record: records.then(record),
            parts: None,
        };
        Said {
            aside: (records || retry.is_some()).then(|| Box::new(aside())),
            ..Said::alone(decision)
        }
    }

    /// Denies a request that lacks this much, which the store would lease when it has it.
    fn without_credit(&self, node: u16, key: KeyId, lacks: Cost, now: SimTime) -> Said {
        let place = self.states[0].place(0, key);
        let clock = self.deciding(node, now, now);
        let is_told = self.course.with_timeline || self.deployment.clients_listen();
        let retry = is_told.then(|| self.states[0].retry_after(place, clock, lacks));
        let credit = self.leases.place(node, key);
        Said {
            is_too_large: lacks > self.states[0].bound(place),
            ..self.by_credit(credit, Decision::Deny, retry)
        }
    }

    /// Asks the store for what the first of those who wait lacks, and at least a batch.
    fn ask_for_lease(&mut self, node: u16, waiters: Waiters, trip: Trip, now: SimTime) {
        let Offer {
            number, arrival, ..
        } = waiters[0];
        let place = self.leases.place(node, arrival.key);
        let lacks = arrival.cost - self.leases.credit[place].min(arrival.cost);
        let units = lacks.max(self.leases.batch);
        self.ledger.count_operation(node);
        let (reaches, given_up) = self.fate(trip, now);
        self.message(|_| Message {
            request: number,
            from: Party::Node(node),
            to: Party::Store,
            sent: now,
            received: reaches,
            says: Says::Lease(units),
            is_race: false,
        });
        let ask = self.leases.asks.insert(Ask {
            node,
            key: arrival.key,
            number,
            units,
            waiters,
            sent: now,
            way_back: Nanos::new(trip.whole.get() - trip.out.get()),
            is_late: given_up.is_some(),
            is_over: false,
            events: u8::from(reaches.is_some()) + u8::from(given_up.is_some()),
            grant: None,
        });
        self.leases.open[place] = NonZeroUsize::new(ask + 1);
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

    /// A lease comes back to its node.
    pub(super) fn lease_back(&mut self, ask: usize, now: SimTime) {
        let back = &mut self.leases.asks[ask];
        let (node, key, was_full) = (back.node, back.key, back.is_full());
        if let Some(grant) = back.grant.filter(|_| !back.is_over) {
            let waiters = std::mem::take(&mut back.waiters);
            let place = self.leases.place(node, key);
            self.leases.open[place] = None;
            self.leases.credit[place] = self.leases.credit[place].saturating_add(grant.units);
            self.spend_in_turn(node, &waiters, grant, was_full, now);
        }
        self.leases.release(ask);
    }

    /// Those who waited for a lease are served in order, until it is spent. If it is all that was asked
    /// for, the others wait for more.
    fn spend_in_turn(
        &mut self,
        node: u16,
        waiters: &[Offer],
        grant: Grant,
        was_full: bool,
        now: SimTime,
    ) {
        let mut fresh = grant.units;
        for (offer, served) in waiters.iter().zip(0..) {
            let Arrival { key, cost, .. } = offer.arrival;
            let place = self.leases.place(node, key);
            let credit = self.leases.credit[place];
            if credit < cost && was_full {
                let trip = self.link.write(now);
                let others = Waiters::from_slice(&waiters[served..]);
                return self.ask_for_lease(node, others, trip, now);
            }
            let said = if credit < cost {
                self.without_credit(node, key, cost - credit, now)
            } else {
                self.leases.credit[place] -= cost;
                // Only what is spent of this lease waits for its turn at the store.
                let decision = match fresh {
                    0 => Decision::Allow,
                    _ => grant.decision,
                };
                fresh = fresh.saturating_sub(cost);
                self.by_credit(place, decision, None)
            };
            self.end_wait(offer, node, said, None, now);
        }
    }

    /// A node gives up waiting for a lease: all who wait for it have been failed.
    pub(super) fn lease_given_up(&mut self, ask: usize, now: SimTime) {
        if !self.leases.asks[ask].is_over {
            let Ask { node, key, .. } = self.leases.asks[ask];
            let place = self.leases.place(node, key);
            self.leases.open[place] = None;
            self.leases.asks[ask].is_over = true;
            let waiters = std::mem::take(&mut self.leases.asks[ask].waiters);
            for offer in waiters {
                let (said, reason) = self.without_store(&offer, node, now);
                self.end_wait(&offer, node, said, Some(reason), now);
            }
        }
        self.leases.release(ask);
    }
}
