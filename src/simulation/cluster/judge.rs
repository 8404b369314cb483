//! One request before all limiters that apply to it.
//!
//! Without rules there is one, by the request's key. With rules there may be several, or none; the
//! limiters of a chapter decide on keys of their own.

use super::engine::Engine;
use super::offer::Offer;
use super::said::{Aside, Part, Said};
use super::states::States;
use crate::limiter::{Algorithm, Decision};
use crate::measure::{Clocked, Record};
use crate::rules::Charge;
use crate::units::{Cost, KeyId, Nanos, Retry, SimTime};

/// A chapter of the rules and a key of it; without rules chapter 0 and the request's key.
pub(super) type Slot = (u16, KeyId);

/// Which of a node's limiters decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The deployment's own.
    Usual,
    /// Those that a node falls back on.
    Fallback,
}

/// One limiter that applies to a request, and what it is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask {
    pub(super) slot: Slot,
    pub(super) cost: Cost,
}

impl<A: Algorithm> Engine<A> {
    /// Decides a request by the limiters with this number.
    pub(super) fn judge(&mut self, by: By, limiter: usize, offer: &Offer, clock: Clocked) -> Said {
        let Some(ruling) = &self.ruling else {
            let states = match by {
                By::Usual => &mut self.states[0],
                By::Fallback => &mut self.fallback[0],
            };
            let place = states.place(limiter, offer.arrival.key);
            return states.decide(place, clock, offer.arrival.cost);
        };
        let charge = ruling.charge();
        let asks = self.asks(offer);
        let states = match by {
            By::Usual => &mut self.states,
            By::Fallback => &mut self.fallback,
        };
        Bench {
            states,
            limiter,
            clock,
            records: self.course.with_timeline,
            retries: self.deployment.clients_listen(),
        }
        .decide(&asks, charge)
    }

    /// The limiters that a request is brought before, where there are rules, with room for its keys.
    fn asks(&mut self, offer: &Offer) -> Vec<Ask> {
        let Some(ruling) = &mut self.ruling else {
            return Vec::new();
        };
        let asks = ruling.asks(offer, &self.dossier.of(offer).who);
        for ask in &asks {
            let (chapter, key) = ask.slot;
            let length = ruling.name_length(ask.slot);
            for states in [&mut self.states, &mut self.fallback] {
                if let Some(states) = states.get_mut(usize::from(chapter)) {
                    states.meet(key, length);
                }
            }
        }
        asks
    }

    /// What was admitted or refused without asking counts as if all limiters had let it pass: what they
    /// had room for is told by that.
    pub(super) fn give_parts(&mut self, offer: &Offer, said: &mut Said) {
        if self.ruling.is_some() && said.parts().is_none() {
            let parts = self.asks(offer).into_iter().map(Part::passed);
            said.aside.get_or_insert_default().parts = Some(parts.collect());
        }
    }

    /// What a request was charged at a node is what the others will be told.
    pub(super) fn owe_for(&mut self, node: u16, offer: &Offer, said: &Said, now: SimTime) {
        let is_admitted = said.decision.is_admitted();
        let Some(parts) = said.parts() else {
            if is_admitted {
                self.owe(node, (0, offer.arrival.key), offer.arrival.cost, now);
            }
            return;
        };
        let each = |ruling: &super::rules::Ruling<A>| ruling.charge() == Charge::Each;
        if is_admitted || self.ruling.as_ref().is_some_and(each) {
            for part in parts.iter().filter(|part| part.decision.is_admitted()) {
                self.owe(node, part.slot, part.cost, now);
            }
        }
    }
}

/// The limiters of one place, by chapter, and the clock that they go by.
struct Bench<'a, A: Algorithm> {
    states: &'a mut [States<A>],
    limiter: usize,
    clock: Clocked,
    records: bool,
    /// Whether clients listen to when they are told to come again.
    retries: bool,
}

impl<A: Algorithm> Bench<'_, A> {
    /// The chapter's states and the place of the key's.
    fn at(&mut self, (chapter, key): Slot) -> (&mut States<A>, usize) {
        let states = &mut self.states[usize::from(chapter)];
        let place = states.place(self.limiter, key);
        (states, place)
    }

    fn remaining(&mut self, slot: Slot) -> Cost {
        let clock = self.clock;
        let (states, place) = self.at(slot);
        states.remaining(place, clock)
    }

    /// Whether a limiter would admit what it is asked for.
    fn admits(&mut self, ask: &Ask) -> bool {
        ask.cost == 0 || ask.cost <= self.remaining(ask.slot)
    }

    fn ask(&mut self, ask: &Ask) -> (Part, Said) {
        let clock = self.clock;
        let (states, place) = self.at(ask.slot);
        let said = states.decide(place, clock, ask.cost);
        let part = Part {
            decision: said.decision,
            estimate: said.estimate,
            ..Part::passed(*ask)
        };
        (part, said)
    }

    fn decide(&mut self, asks: &[Ask], charge: Charge) -> Said {
        if let [ask] = asks {
            let (part, mut said) = self.ask(ask);
            let aside = said.aside.get_or_insert_default();
            aside.parts = Some(Box::new([part]));
            if let Some(record) = &mut aside.record {
                record.chapter = Some(part.slot.0);
            }
            return said;
        }
        let (parts, is_too_large) = match charge {
            Charge::All => self.all_or_nothing(asks),
            Charge::Each => self.in_turn(asks),
        };
        let decision = together(&parts);
        let is_told = self.retries && decision == Decision::Deny;
        let aside = Aside {
            retry: is_told.then(|| self.retry(asks)),
            record: self.records.then(|| self.record(asks, decision)).flatten(),
            parts: Some(parts.into()),
        };
        Said {
            decision,
            estimate: f64::NAN,
            is_too_large,
            aside: Some(Box::new(aside)),
        }
    }

    /// Those that admit it are charged only if all of them do. One that denies goes by its own law: it
    /// may count what it denies.
    fn all_or_nothing(&mut self, asks: &[Ask]) -> (Vec<Part>, bool) {
        let admits: Vec<bool> = asks.iter().map(|ask| self.admits(ask)).collect();
        let do_all = admits.iter().all(|admits| *admits);
        let mut is_too_large = false;
        let parts = asks.iter().zip(admits).map(|(ask, admits)| {
            if admits && !do_all {
                return Part::passed(*ask);
            }
            let (part, said) = self.ask(ask);
            is_too_large |= said.is_too_large;
            part
        });
        (parts.collect(), is_too_large)
    }

    /// Each is asked in its turn and charged, up to the first that denies.
    fn in_turn(&mut self, asks: &[Ask]) -> (Vec<Part>, bool) {
        let mut parts = Vec::with_capacity(asks.len());
        for ask in asks {
            let (part, said) = self.ask(ask);
            parts.push(part);
            if part.decision == Decision::Deny {
                return (parts, said.is_too_large);
            }
        }
        (parts, false)
    }

    /// What is kept of the answer: of a denial the limiter that it has to wait for the longest, of an
    /// admission the one that has the least left; the first of several. `None` where none applies.
    fn record(&mut self, asks: &[Ask], decision: Decision) -> Option<Record> {
        let clock = self.clock;
        let mut told: Option<(Retry, Cost, &Ask)> = None;
        for ask in asks {
            let left = self.remaining(ask.slot);
            let (states, place) = self.at(ask.slot);
            let wait = match decision == Decision::Deny && ask.cost > left {
                true => states.retry_after(place, clock, ask.cost),
                false => Retry::After(0),
            };
            let is_stricter = |(longest, least, _): &(Retry, Cost, &Ask)| match decision {
                Decision::Deny => wait > *longest,
                _ => left < *least,
            };
            if told.as_ref().is_none_or(is_stricter) {
                told = Some((wait, left, ask));
            }
        }
        let (_, _, ask) = told?;
        let retry = (decision == Decision::Deny).then(|| self.retry(asks));
        let remaining = asks.iter().map(|ask| self.remaining(ask.slot)).min();
        let (states, place) = self.at(ask.slot);
        Some(Record {
            remaining,
            retry,
            chapter: Some(ask.slot.0),
            ..states.record(place, clock, ask.cost, decision)
        })
    }

    /// How long it takes until all of them would admit it if nothing else came. One whose turn has come
    /// may have passed it when that of another one has, so that they are asked again and again.
    fn retry(&mut self, asks: &[Ask]) -> Retry {
        /// Limiters that take turns for longer than this hardly ever agree: what is given then is the
        /// least that it takes.
        const ROUNDS: usize = 1_000;
        let mut wait: u128 = 0;
        for _ in 0..ROUNDS {
            let before = wait;
            for ask in asks {
                let clock = self.clock;
                let (states, place) = self.at(ask.slot);
                match states.would_admit_after(place, clock, wait, ask.cost) {
                    Retry::After(more) => wait += more,
                    Retry::Never => return Retry::Never,
                }
            }
            if wait == before {
                break;
            }
        }
        Retry::After(wait)
    }
}

/// What several limiters say together: it passes when the last of them lets it.
fn together(parts: &[Part]) -> Decision {
    let mut waits = Nanos::ZERO;
    for part in parts {
        match part.decision {
            Decision::Deny => return Decision::Deny,
            Decision::Delay(wait) => waits = waits.max(wait),
            Decision::Allow => {}
        }
    }
    match waits {
        Nanos::ZERO => Decision::Allow,
        waits => Decision::Delay(waits),
    }
}
