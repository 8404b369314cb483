//! A scene: the part of one candidate's messages that a sequence diagram shows, in order of time.

mod choice;
mod words;

pub(super) use words::{headline, note, offsets, party, says};

use super::chart::View;
use crate::measure::{CandidateResult, Dialogue, Incident, Message, Party, RunResult, Says};
use crate::units::SimTime;
use std::collections::BTreeSet;

/// A few messages of one candidate.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    pub(super) candidate: &'a CandidateResult,
    /// What takes part: the clients by their first message, then the nodes, then the store.
    pub(super) parties: Vec<Party>,
    /// The messages in the order in which they were sent.
    pub(super) messages: Vec<Message>,
    /// All that happens, in order of time.
    pub(super) moments: Vec<Moment>,
    /// The first race or failure, where it is shown.
    pub(super) incident: Option<Incident>,
    /// How many messages there are in the chosen span that are not shown.
    pub(super) left_out: usize,
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) at: SimTime,
    pub(super) what: What,
}

/// What happens. Messages are told by their place in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// A message is sent, after its sender waited in vain for the answer to another one.
    Timeout {
        /// The message that was not answered.
        lost: usize,
        /// The one that is sent instead.
        next: usize,
    },
    /// A message is sent.
    Sent(usize),
    /// A message arrives.
    Received(usize),
    /// A message that just arrived replaced what it did not know of, or was decided on what had
    /// changed.
    Race(usize),
}

impl What {
    /// What comes first of all that happens at one instant: messages in their order, since what
    /// arrives is sent before what follows from it.
    const fn rank(self) -> (usize, u8) {
        match self {
            Self::Timeout { next, .. } => (next, 0),
            Self::Sent(message) => (message, 1),
            Self::Received(message) => (message, 2),
            Self::Race(message) => (message, 3),
        }
    }
}

impl<'a> Scene<'a> {
    /// The scene that the view chooses, else the one around the first race or failure of the first
    /// candidate that has one, else the first requests of the first candidate that runs on a cluster.
    /// `None` where nobody says anything.
    pub(super) fn of(run: &'a RunResult, view: &View) -> Option<Self> {
        let choice = if view.is_partial() {
            choice::in_view(run, view)
        } else {
            choice::by_incident(run).or_else(|| choice::beginning(run))
        };
        let (candidate, choice) = choice?;
        let dialogue = dialogue(candidate)?;
        let messages = choice.messages;
        let is_shown = |incident: &Incident| {
            let request = incident.request;
            messages.iter().any(|message| message.request == request)
        };
        Some(Self {
            candidate,
            parties: parties(&messages),
            moments: moments(&messages),
            incident: dialogue.incident.filter(is_shown),
            left_out: choice.left_out,
            messages,
        })
    }

    /// Every instant at which something happens, once.
    pub(super) fn instants(&self) -> Vec<SimTime> {
        let instants: BTreeSet<SimTime> = self.moments.iter().map(|moment| moment.at).collect();
        instants.into_iter().collect()
    }

    /// The write that a write replaced without knowing of it.
    pub(super) fn replaced(&self, write: usize) -> Option<&Message> {
        replaced(&self.messages, write)
    }
}

/// What a candidate on a cluster has to show, if it says anything.
fn dialogue(candidate: &CandidateResult) -> Option<&Dialogue> {
    let dialogue = &candidate.cluster.as_ref()?.dialogue;
    (!dialogue.messages.is_empty()).then_some(dialogue)
}

/// Messages between nodes belong to no request.
const fn is_exchange(message: &Message) -> bool {
    matches!(message.says, Says::Exchange(_))
}

/// The client that the request of a message comes from, where that is among the messages.
fn client(messages: &[Message], request: u64) -> Option<Party> {
    let asks =
        |message: &&Message| message.request == request && matches!(message.says, Says::Request(_));
    messages.iter().find(asks).map(|message| message.from)
}

/// The latest write for the same key, by another request, that arrived before this one.
fn replaced(messages: &[Message], write: usize) -> Option<&Message> {
    let this = messages.get(write)?;
    let whose = client(messages, this.request);
    let place = |index: usize| messages[index].received.map(|at| (at, index));
    let is_earlier = |(index, other): &(usize, &Message)| {
        matches!(other.says, Says::Write(_))
            && other.request != this.request
            && place(*index).is_some_and(|at| Some(at) < place(write))
    };
    let earlier = messages.iter().enumerate().filter(is_earlier);
    let mut earlier: Vec<(usize, &Message)> = earlier.collect();
    earlier.sort_by_key(|(index, _)| place(*index));
    let mut latest_first = earlier.into_iter().rev().map(|(_, message)| message);
    // Whose a request is takes a search, so only those from the latest on are asked.
    latest_first.find(|message| client(messages, message.request) == whose)
}

fn parties(messages: &[Message]) -> Vec<Party> {
    let mut clients: Vec<Party> = Vec::new();
    let mut others: BTreeSet<Party> = BTreeSet::new();
    for party in messages
        .iter()
        .flat_map(|message| [message.from, message.to])
    {
        match party {
            Party::Client(_) if clients.contains(&party) => {}
            Party::Client(_) => clients.push(party),
            Party::Node(_) | Party::Store => {
                others.insert(party);
            }
        }
    }
    clients.extend(others);
    clients
}

fn moments(messages: &[Message]) -> Vec<Moment> {
    let mut moments = Vec::with_capacity(2 * messages.len());
    let mut add = |at, what| moments.push(Moment { at, what });
    for (index, message) in messages.iter().enumerate() {
        add(message.sent, What::Sent(index));
        if let Some(at) = message.received {
            add(at, What::Received(index));
            if message.is_race {
                add(at, What::Race(index));
            }
        }
    }
    for (lost, next) in timeouts(messages) {
        add(messages[next].sent, What::Timeout { lost, next });
    }
    moments.sort_by_key(|moment| (moment.at, moment.what.rank()));
    moments
}

/// The messages whose answer was waited for in vain, each with the next one of its request that its
/// sender sent later.
fn timeouts(messages: &[Message]) -> Vec<(usize, usize)> {
    let mut timeouts: Vec<(usize, usize)> = Vec::new();
    for (lost, message) in messages.iter().enumerate() {
        if is_exchange(message) {
            continue;
        }
        let follows = |other: &&Message| {
            other.request == message.request && !is_exchange(other) && other.sent > message.sent
        };
        let later = || messages.iter().filter(follows);
        let is_lost = message.received.is_none() && message.from != Party::Store;
        let Some(next) = later().find(|other| is_lost || other.from == message.from) else {
            continue;
        };
        let asks = matches!(message.says, Says::Ask(_) | Says::Read | Says::Lease(_));
        let is_answer = |other: &&Message| {
            other.from == Party::Store && other.received.is_some_and(|at| at <= next.sent)
        };
        let is_in_vain = is_lost
            || asks
                && !messages
                    .iter()
                    .any(|other| other.request == message.request && is_answer(&other));
        let next = messages.iter().position(|other| std::ptr::eq(other, next));
        if let Some(next) =
            next.filter(|next| is_in_vain && timeouts.iter().all(|(_, known)| known != next))
        {
            timeouts.push((lost, next));
        }
    }
    timeouts
}
