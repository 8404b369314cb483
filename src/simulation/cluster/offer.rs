//! One attempt at a request, before it is decided.

use crate::units::{Nanos, SimTime};
use crate::workload::{Arrival, Identity};
use slab::Slab;
use std::num::NonZeroU32;

/// One attempt. It is small, since many are under way at a time: what only some runs ask for is kept
/// in [`Dossier`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    /// The number of its request in the run.
    pub(super) number: u64,
    /// The request as if it came with this attempt.
    pub(super) arrival: Arrival,
    /// Which attempt it is, from 1 on.
    pub(super) attempt: u32,
    /// One more than where its details are kept.
    details: Option<NonZeroU32>,
}

/// What is known of an attempt where it is not the first, where there are rules, or where decisions
/// are judged by what was offered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Details {
    /// When the first attempt was made.
    pub(super) first: SimTime,
    /// How long it was waited for.
    pub(super) waited: Nanos,
    /// Whether it is made just when the last answer told to.
    pub(super) is_as_told: bool,
    /// Whether what was offered exceeds the limit, where that is asked for.
    pub(super) exceeds: bool,
    /// How much was offered before it, where that is asked for.
    pub(super) before: u64,
    /// Who it is, where there are rules.
    pub(super) who: Identity,
}

/// The details of the attempts that are under way.
#[derive(Default)]
pub(super) struct Dossier {
    kept: Slab<Details>,
}

impl Offer {
    /// The first attempt at a request, with no details.
    pub(super) const fn first(number: u64, arrival: Arrival) -> Self {
        Self {
            number,
            arrival,
            attempt: 1,
            details: None,
        }
    }

    /// The attempt after this one, with no details.
    pub(super) fn next(&self, at: SimTime) -> Self {
        Self {
            arrival: Arrival { at, ..self.arrival },
            attempt: self.attempt + 1,
            details: None,
            ..*self
        }
    }

    fn place(&self) -> Option<usize> {
        self.details.map(|next| next.get() as usize - 1)
    }
}

impl Dossier {
    /// Whether nothing is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// What is known of an attempt.
    pub(super) fn of(&self, offer: &Offer) -> Details {
        let kept = offer.place().map(|place| self.kept[place]);
        kept.unwrap_or(Details {
            first: offer.arrival.at,
            waited: Nanos::ZERO,
            is_as_told: false,
            exceeds: false,
            before: 0,
            who: Identity::default(),
        })
    }

    /// Keeps what is known of an attempt, as long as anything of it is under way.
    pub(super) fn keep(&mut self, offer: &mut Offer, details: Details) {
        match offer.place() {
            Some(place) => self.kept[place] = details,
            None => {
                let next = self.kept.insert(details) + 1;
                let next = u32::try_from(next).expect("fewer attempts under way than memory holds");
                offer.details = NonZeroU32::new(next);
            }
        }
    }

    /// Nothing of an attempt is under way any more.
    pub(super) fn let_go(&mut self, offer: &Offer) {
        if let Some(place) = offer.place() {
            self.kept.remove(place);
        }
    }
}
