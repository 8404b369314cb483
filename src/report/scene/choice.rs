//! Which messages make a scene: few enough to be read.

use super::{dialogue, is_exchange, replaced};
use crate::measure::{CandidateResult, Dialogue, Incident, Message, Party, RunResult, Says};
use crate::report::chart::View;
use crate::units::SimTime;
use std::collections::{BTreeMap, BTreeSet};

/// The most requests of a scene that the view does not choose.
const MOST_REQUESTS: usize = 6;
/// Requests of a scene in which nothing goes wrong.
const FIRST_REQUESTS: usize = 4;
/// The most messages.
const MOST_MESSAGES: usize = 40;
/// The most that take part.
const MOST_PARTIES: usize = 12;

/// The messages of a scene.
pub(super) struct Choice {
    pub(super) messages: Vec<Message>,
    pub(super) left_out: usize,
}

type Chosen<'a> = Option<(&'a CandidateResult, Choice)>;

/// The first messages in the view of the candidate whose incident lies there, else of the first that
/// says anything there.
pub(super) fn in_view<'a>(run: &'a RunResult, view: &View) -> Chosen<'a> {
    let from = view.from.unwrap_or(SimTime::ZERO);
    let to = view.to.unwrap_or(SimTime::MAX);
    let is_seen = |message: &&Message| message.sent <= to && last(message) >= from;
    let talking = || {
        run.candidates
            .iter()
            .filter(|c| dialogue(c).is_some_and(|d| d.messages.iter().any(|m| is_seen(&m))))
    };
    let has_incident = |candidate: &&CandidateResult| {
        let incident = dialogue(candidate).and_then(|dialogue| dialogue.incident);
        incident.is_some_and(|incident| (from..=to).contains(&incident.at))
    };
    let candidate = talking().find(has_incident).or_else(|| talking().next())?;
    let seen = dialogue(candidate)?.messages.iter().filter(is_seen);
    let mut parties = BTreeSet::new();
    let mut messages = Vec::new();
    let mut left_out = 0;
    for message in seen {
        let more = [message.from, message.to];
        let new = more
            .iter()
            .filter(|party| !parties.contains(*party))
            .count();
        let has_room = messages.len() < MOST_MESSAGES && parties.len() + new <= MOST_PARTIES;
        if left_out > 0 || !has_room {
            left_out += 1;
            continue;
        }
        parties.extend(more);
        messages.push(*message);
    }
    Some((candidate, Choice { messages, left_out }))
}

/// The requests that take part in the first incident of the first candidate that has one, and those
/// that overlap it.
pub(super) fn by_incident(run: &RunResult) -> Chosen<'_> {
    run.candidates.iter().find_map(|candidate| {
        let dialogue = dialogue(candidate)?;
        let incident = dialogue.incident?;
        let requests = Requests::of(dialogue);
        let center = requests.extents.get(&incident.request)?;
        let partner = partner(dialogue, incident);
        let overlaps = |extent: &Extent| extent.from <= center.to && center.from <= extent.to;
        let near = requests
            .extents
            .iter()
            .filter(|(request, extent)| overlaps(extent) || Some(**request) == partner);
        let mut near: Vec<u64> = near.map(|(request, _)| *request).collect();
        near.sort_by_key(|request| {
            (
                *request != incident.request,
                Some(*request) != partner,
                requests.extents[request].client != center.client,
                request.abs_diff(incident.request),
                *request,
            )
        });
        Some((candidate, requests.take(&near, MOST_REQUESTS)))
    })
}

/// The first requests of the first candidate that says anything; where nodes tell each other what
/// they admitted, the last ones before they first do.
pub(super) fn beginning(run: &RunResult) -> Chosen<'_> {
    let candidate = run.candidates.iter().find(|c| dialogue(c).is_some())?;
    let dialogue = dialogue(candidate)?;
    let requests = Requests::of(dialogue);
    let mut in_order: Vec<u64> = requests.extents.keys().copied().collect();
    in_order.sort_by_key(|request| (requests.extents[request].from, *request));
    let exchange = dialogue
        .messages
        .iter()
        .find(|message| is_exchange(message));
    if let Some(exchange) = exchange {
        in_order.retain(|request| requests.extents[request].from <= exchange.sent);
        in_order.reverse();
    }
    let mut choice = requests.take(&in_order, FIRST_REQUESTS);
    if let Some(exchange) = exchange {
        requests.add_exchanges(&mut choice.messages, |m| m.sent == exchange.sent);
    }
    Some((candidate, choice))
}

/// The request whose write was replaced.
fn partner(dialogue: &Dialogue, incident: Incident) -> Option<u64> {
    let is_race = |message: &Message| message.is_race && message.request == incident.request;
    let race = dialogue.messages.iter().position(is_race)?;
    replaced(&dialogue.messages, race).map(|message| message.request)
}

fn last(message: &Message) -> SimTime {
    message.received.unwrap_or(message.sent)
}

/// From a request's first message to its last.
#[derive(Clone, Copy, Debug)]
struct Extent {
    from: SimTime,
    to: SimTime,
    client: Option<Party>,
}

/// A dialogue by its requests.
struct Requests<'a> {
    messages: &'a [Message],
    extents: BTreeMap<u64, Extent>,
}

impl<'a> Requests<'a> {
    fn of(dialogue: &'a Dialogue) -> Self {
        let messages = &dialogue.messages;
        let mut extents: BTreeMap<u64, Extent> = BTreeMap::new();
        for message in messages.iter().filter(|message| !is_exchange(message)) {
            let extent = extents.entry(message.request).or_insert_with(|| Extent {
                from: message.sent,
                to: message.sent,
                client: None,
            });
            extent.to = extent.to.max(last(message));
            if matches!(message.says, Says::Request(_)) {
                extent.client = Some(message.from);
            }
        }
        Self { messages, extents }
    }

    /// The messages of as many of the wanted requests as there is room for, the first ones first, and
    /// what the nodes among them tell each other meanwhile.
    fn take(&self, wanted: &[u64], most: usize) -> Choice {
        let mut taken: BTreeSet<u64> = BTreeSet::new();
        let mut parties: BTreeSet<Party> = BTreeSet::new();
        let mut count = 0;
        for request in wanted {
            let own = || {
                self.messages
                    .iter()
                    .filter(|m| m.request == *request && !is_exchange(m))
            };
            let more: BTreeSet<Party> = own().flat_map(|m| [m.from, m.to]).collect();
            let all: BTreeSet<Party> = parties.union(&more).copied().collect();
            let has_room = count + own().count() <= MOST_MESSAGES && all.len() <= MOST_PARTIES;
            if taken.len() == most || !has_room && !taken.is_empty() {
                break;
            }
            count += own().count();
            parties = all;
            taken.insert(*request);
        }
        let own = self.messages.iter();
        let own = own.filter(|message| !is_exchange(message) && taken.contains(&message.request));
        let mut messages: Vec<Message> = own.copied().collect();
        let from = messages.iter().map(|message| message.sent).min();
        let to = messages.iter().map(last).max();
        if let (Some(from), Some(to)) = (from, to) {
            self.add_exchanges(&mut messages, |m| (from..=to).contains(&m.sent));
        }
        Choice {
            messages,
            left_out: 0,
        }
    }

    /// Adds the chosen messages between nodes that take part already, as far as there is room and
    /// they are not there yet, in the order in which all were sent.
    fn add_exchanges(&self, messages: &mut Vec<Message>, chosen: impl Fn(&Message) -> bool) {
        let parties: BTreeSet<Party> = messages.iter().flat_map(|m| [m.from, m.to]).collect();
        let is_within = |m: &&Message| parties.contains(&m.from) && parties.contains(&m.to);
        let known = messages.iter().filter(|message| is_exchange(message));
        let known: BTreeSet<SimTime> = known.map(|message| message.sent).collect();
        let exchanges = self.messages.iter().filter(|m| is_exchange(m) && chosen(m));
        let new = exchanges.filter(|m| !known.contains(&m.sent) && is_within(m));
        let room = MOST_MESSAGES.saturating_sub(messages.len());
        messages.extend(new.take(room).copied());
        messages.sort_by_key(|message| message.sent);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scene;
    use super::*;
    use crate::report::chart::fixture;
    use crate::units::Nanos;

    fn shown(run: &RunResult, view: &View) -> Vec<u64> {
        let scene = Scene::of(run, view).unwrap();
        let requests: BTreeSet<u64> = scene.messages.iter().map(|m| m.request).collect();
        requests.into_iter().collect()
    }

    /// Request 4 replaces what 3 wrote; twenty others like 4 are under way at the same time.
    #[test]
    fn of_many_at_once_those_that_race_are_shown_with_a_few_others() {
        let mut run = fixture::race();
        let cluster = run.candidates[1].cluster.as_mut().unwrap();
        let messages = &mut cluster.dialogue.messages;
        let fourth: Vec<Message> = messages
            .iter()
            .filter(|m| m.request == 4)
            .copied()
            .collect();
        for request in 5..25 {
            let later = Nanos::new(10_000 * request);
            messages.extend(fourth.iter().map(|message| Message {
                request,
                sent: message.sent + later,
                received: message.received.map(|at| at + later),
                is_race: false,
                ..*message
            }));
        }
        messages.sort_by_key(|message| message.sent);
        assert_eq!(shown(&run, &View::default()), [3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_view_chooses_what_is_under_way_in_it() {
        let run = fixture::race();
        let at = |micros: u64| Some(SimTime::from_nanos(micros * 1_000));
        // The first request's last message arrives at 10.0075 s, the second's at 10.0085 s.
        let view = |from, to| View { from, to };
        assert_eq!(shown(&run, &view(at(10_007_600), None)), [4]);
        assert_eq!(shown(&run, &view(None, at(10_000_500))), [3]);
        assert!(Scene::of(&run, &view(at(11_000_000), None)).is_none());
    }
}
