//! Nodes of the plain simulator that take units from the store in advance.

use super::super::model::Verdict;
use super::simulator::{Simulator, What};
use num_bigint::BigInt;

/// What happens to an ask for a lease.
#[derive(Clone, Copy, Debug)]
pub(super) enum LeaseEvent {
    AtStore,
    Back,
    GivenUp,
}

/// An ask for a lease, of one node and key.
pub(super) struct Ask {
    node: usize,
    key: usize,
    units: u64,
    /// The requests that wait for it.
    waiters: Vec<usize>,
    sent: u64,
    /// When it is back, if the node waits that long.
    back: Option<u64>,
    is_open: bool,
    /// What was given, and what the store said to the whole of it.
    given: u64,
    said: Verdict,
}

impl Simulator<'_> {
    /// A request is answered by what its node has, or waits for more.
    pub(super) fn spend(&mut self, number: usize, node: usize, batch: u64, now: u64) {
        let request = self.setup.requests[number];
        let mut asks = self.asks.iter_mut();
        let open = asks.find(|ask| ask.is_open && (ask.node, ask.key) == (node, request.key));
        let credit = self.credit.entry((node, request.key)).or_default();
        if request.cost == 0 || open.is_none() && *credit >= request.cost {
            *credit -= request.cost;
            self.answer(number, node, Verdict::at_once(), None, now);
            return;
        }
        match open {
            Some(ask) => ask.waiters.push(number),
            None => {
                let credit = *credit;
                self.ask_for_lease(vec![number], node, request.key, (credit, batch), now);
            }
        }
        self.take_off(number, node, false);
    }

    fn ask_for_lease(
        &mut self,
        waiters: Vec<usize>,
        node: usize,
        key: usize,
        (credit, batch): (u64, u64),
        now: u64,
    ) {
        self.operations += 1;
        let lacks = self.setup.requests[waiters[0]].cost - credit;
        let (there, whole) = self.setup.trip(now);
        let is_lost = self.setup.is_down(None, now + there);
        let timeout = self.setup.timeout;
        let is_late = timeout.is_some_and(|timeout| timeout < whole);
        let number = self.asks.len();
        self.asks.push(Ask {
            node,
            key,
            units: lacks.max(batch),
            waiters,
            sent: now,
            back: (!is_late).then_some(now + whole),
            is_open: true,
            given: 0,
            said: Verdict::Deny,
        });
        if is_lost || is_late {
            let timeout = timeout.expect("stated with outages");
            self.expect(now + timeout, What::Lease(LeaseEvent::GivenUp, number));
        }
        if !is_lost {
            self.expect(now + there, What::Lease(LeaseEvent::AtStore, number));
        }
    }

    pub(super) fn lease(&mut self, event: LeaseEvent, number: usize, now: u64) {
        let ask = &mut self.asks[number];
        match event {
            LeaseEvent::AtStore => {
                let reading = match self.setup.by_nodes {
                    true => self.setup.reading(Some(ask.node), ask.sent),
                    false => self.setup.reading(None, now),
                };
                let reading = BigInt::from(reading);
                let state = &mut self.states[0][ask.key];
                let admits = |units: &u64| state.ask(&reading, &(*units).into()).is_admitted();
                ask.given = (0..=ask.units).rev().find(admits).unwrap();
                if ask.given > 0 {
                    ask.said = state.decide(&reading, &ask.given.into());
                } else {
                    state.begin(&reading);
                }
                if let Some(back) = ask.back {
                    self.expect(back, What::Lease(LeaseEvent::Back, number));
                }
            }
            LeaseEvent::Back if ask.is_open => self.serve(number, now),
            LeaseEvent::GivenUp if ask.is_open => {
                ask.is_open = false;
                for waiter in std::mem::take(&mut ask.waiters) {
                    self.give_up(waiter, now);
                }
            }
            LeaseEvent::Back | LeaseEvent::GivenUp => {}
        }
    }

    /// Whoever waits for a lease that is there is served in order; where it was all that was asked for and
    /// does not do, more is asked for.
    fn serve(&mut self, number: usize, now: u64) {
        let ask = &mut self.asks[number];
        ask.is_open = false;
        let (node, key, units, mut fresh) = (ask.node, ask.key, ask.units, ask.given);
        let (is_all, said) = (fresh == units, ask.said.clone());
        let waiters = std::mem::take(&mut ask.waiters);
        let mut credit = self.credit[&(node, key)] + fresh;
        for (index, waiter) in waiters.iter().enumerate() {
            let cost = self.setup.requests[*waiter].cost;
            if credit >= cost {
                credit -= cost;
                // What was on lease before has been forwarded already.
                let verdict = match fresh {
                    0 => Verdict::at_once(),
                    _ => said.clone(),
                };
                fresh = fresh.saturating_sub(cost);
                self.answer(*waiter, node, verdict, None, now);
            } else if is_all {
                let super::setup::Store::Leased(batch) = self.setup.store else {
                    unreachable!("leases are taken from such stores alone");
                };
                let waiters = waiters[index..].to_vec();
                self.ask_for_lease(waiters, node, key, (credit, batch), now);
                break;
            } else {
                self.answer(*waiter, node, Verdict::Deny, None, now);
            }
        }
        self.credit.insert((node, key), credit);
    }

    /// A node goes down: nobody waits there any more.
    pub(super) fn end_leases(&mut self, node: usize, loses_state: bool) {
        for ask in self.asks.iter_mut().filter(|ask| ask.node == node) {
            ask.is_open = false;
        }
        if loses_state {
            self.credit.retain(|(who, _), _| *who != node);
        }
    }
}
