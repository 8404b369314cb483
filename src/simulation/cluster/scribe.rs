//! Writes down messages around the first race or failure.

use crate::measure::{Dialogue, Incident, IncidentKind, Message};
use crate::units::SimTime;
use std::collections::VecDeque;

/// Keeps the first messages of a run, and those around its first incident.
pub(super) struct Scribe {
    /// The most messages kept from the beginning, before the incident, and after it.
    room: usize,
    /// Whether something may go wrong.
    expects: bool,
    opening: Vec<Message>,
    recent: VecDeque<Message>,
    incident: Option<Incident>,
    /// How many more messages are kept after the incident.
    left: usize,
}

impl Scribe {
    /// Messages kept of a run whose every answer is kept.
    const ALL: usize = 1 << 17;
    /// Messages kept of other runs.
    const SOME: usize = 1 << 9;

    pub(super) fn new(with_timeline: bool, expects: bool) -> Self {
        let room = if with_timeline { Self::ALL } else { Self::SOME };
        Self::with_room(room, expects)
    }

    /// Writes nothing down: one node that answers at once says nothing worth drawing.
    pub(super) fn deaf() -> Self {
        Self::with_room(0, false)
    }

    fn with_room(room: usize, expects: bool) -> Self {
        Self {
            room,
            expects,
            opening: Vec::new(),
            recent: VecDeque::new(),
            incident: None,
            left: room,
        }
    }

    /// Whether messages are still written down.
    pub(super) fn listens(&self) -> bool {
        self.left > 0 && (self.expects || self.opening.len() < self.room)
    }

    /// Writes a message down.
    pub(super) fn note(&mut self, message: Message) {
        if self.opening.len() < self.room {
            self.opening.push(message);
            if !self.expects {
                return;
            }
        }
        self.recent.push_back(message);
        if self.incident.is_some() {
            self.left -= 1;
        } else if self.recent.len() > self.room {
            self.recent.pop_front();
        }
    }

    /// Something went wrong.
    pub(super) fn incident(&mut self, at: SimTime, request: u64, kind: IncidentKind) {
        if self.incident.is_none() {
            self.incident = Some(Incident { at, request, kind });
        }
    }

    /// What was written down, in the order in which it was sent.
    pub(super) fn finish(self) -> Dialogue {
        let mut messages = match self.incident {
            Some(_) => self.recent.into(),
            None => self.opening,
        };
        messages.sort_by_key(|message| message.sent);
        Dialogue {
            messages,
            incident: self.incident,
        }
    }
}
