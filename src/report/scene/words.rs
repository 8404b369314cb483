//! What is said in a scene.

use super::{Scene, What};
use crate::limiter::Decision;
use crate::measure::{IncidentKind, Message, Party, Reason, Record, RunResult, Says};
use crate::report::text::{duration, grouped};
use crate::units::{Cost, Level, SimTime, decimal};

/// A client's, a node's or the store's name, as it stands in the input.
pub(in crate::report) fn party(run: &RunResult, party: Party) -> String {
    match party {
        Party::Client(key) => match &run.keys[key.0 as usize] {
            name if name.starts_with("client") => name.to_owned(),
            name => format!("client {name}"),
        },
        Party::Node(node) => format!("node {node}"),
        Party::Store => "store".to_owned(),
    }
}

/// A level with at most three decimals, cut off.
fn level(level: Level) -> String {
    let text = level.to_string();
    let end = text
        .find('.')
        .map_or(text.len(), |point| text.len().min(point + 4));
    let short = &text[..end];
    if short.contains('.') {
        short.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        short.to_owned()
    }
}

fn cost(cost: Cost) -> String {
    grouped(cost.into())
}

fn decision(decision: Decision) -> String {
    match decision {
        Decision::Allow => "allow".to_owned(),
        Decision::Delay(wait) => format!("delay {}", duration(wait)),
        Decision::Deny => "deny".to_owned(),
    }
}

/// A reason in words: `fail closed`.
fn reason(reason: Reason) -> String {
    reason.name().replace('_', " ")
}

/// What a message says, after the number of its request.
pub(in crate::report) fn says(scene: &Scene<'_>, message: &Message) -> String {
    let text = match message.says {
        Says::Request(1) => "request".to_owned(),
        Says::Request(units) => format!("request of {}", cost(units)),
        Says::Answer(answer) => match exception(scene, message) {
            Some(why) => format!("{} ({})", decision(answer), reason(why)),
            None => decision(answer),
        },
        Says::Failure(why) => format!("error ({})", reason(why)),
        Says::Ask(units) => format!("ask {}", cost(units)),
        Says::Decided(answer, left) => {
            let name = scene.candidate.level_name;
            format!("{} ({name} {})", decision(answer), level(left))
        }
        Says::Read => "read".to_owned(),
        Says::Value(value) => format!("{} {}", scene.candidate.level_name, level(value)),
        Says::Write(value) => format!("write {}", level(value)),
        Says::Increment(1, value) => format!("increment to {}", level(value)),
        Says::Increment(units, value) => format!("add {} to {}", cost(units), level(value)),
        Says::Lease(units) => format!("lease {}", cost(units)),
        Says::Granted(0) => "nothing left".to_owned(),
        Says::Granted(units) => format!("granted {}", cost(units)),
        Says::Exchange(units) => return format!("admitted {}", cost(units)),
    };
    format!("#{} {text}", message.request)
}

/// Why a request was answered otherwise than by the limiter's own decision, where that is recorded.
fn exception(scene: &Scene<'_>, answer: &Message) -> Option<Reason> {
    let records = scene.candidate.records.as_deref()?;
    let is_meant = |record: &&Record| record.request == answer.request && record.at <= answer.sent;
    records.iter().rfind(is_meant)?.reason
}

/// What is remarked on a moment, if it is a race or a wait in vain.
pub(in crate::report) fn note(scene: &Scene<'_>, what: What) -> Option<String> {
    match what {
        What::Sent(_) | What::Received(_) => None,
        What::Timeout { lost, next } => {
            let (lost, next) = (&scene.messages[lost], &scene.messages[next]);
            let waited = duration(next.sent.since(lost.sent));
            Some(format!("#{}: no answer in {waited}", lost.request))
        }
        What::Race(message) => Some(race(scene, message)),
    }
}

fn race(scene: &Scene<'_>, index: usize) -> String {
    let message = &scene.messages[index];
    let request = message.request;
    match message.says {
        Says::Write(written) => {
            let other = scene.replaced(index).map(|other| match other.says {
                Says::Write(value) => format!("#{}'s {}", other.request, level(value)),
                _ => format!("#{}'s", other.request),
            });
            let other = other.unwrap_or_else(|| "what another wrote".to_owned());
            format!(
                "lost update: #{request}'s write {} replaced {other}",
                level(written)
            )
        }
        Says::Increment(units, after) => {
            let is_read = |m: &&Message| m.request == request && matches!(m.says, Says::Value(_));
            let read = scene.messages.iter().rfind(is_read).map(|m| m.says);
            let before = u128::from(units).saturating_mul(after.per_unit);
            let before = Level::new(after.parts.saturating_sub(before), after.per_unit);
            let before = level(before);
            match read {
                Some(Says::Value(read)) => {
                    let read = level(read);
                    format!(
                        "stale read: #{request} was decided on {read}, but it was {before} by then"
                    )
                }
                _ => format!("stale read: #{request} was decided before it was {before}"),
            }
        }
        _ => format!("#{request} was decided on what had changed"),
    }
}

/// What the scene shows, in one sentence.
pub(in crate::report) fn headline(scene: &Scene<'_>) -> String {
    let Some(incident) = scene.incident else {
        let is_exchange = scene.messages.iter().any(super::is_exchange);
        return match is_exchange {
            true => "nodes tell each other what they admitted".to_owned(),
            false => "who says what to whom".to_owned(),
        };
    };
    let request = incident.request;
    match incident.kind {
        IncidentKind::LostUpdate => {
            format!("a race: #{request} writes over what it did not know of")
        }
        IncidentKind::StaleRead => {
            format!(
                "a race: #{request} is decided on a count that changes before its increment arrives"
            )
        }
        IncidentKind::StoreFailure => format!("the store fails #{request}"),
        IncidentKind::NodeFailure => format!("a node fails #{request}"),
    }
}

/// How long after the first of some instants, which are in order, each of them is: in one unit, with
/// as few decimals as tell them apart.
pub(in crate::report) fn offsets(instants: &[SimTime]) -> Vec<String> {
    const UNITS: [(u64, u32, &str); 4] = [
        (10_000_000_000, 9, "s"),
        (1_000_000, 6, "ms"),
        (1_000, 3, "µs"),
        (0, 0, "ns"),
    ];
    const EXACT: u32 = 3;
    let (Some(first), Some(last)) = (instants.first(), instants.last()) else {
        return Vec::new();
    };
    let length = last.since(*first).get();
    let unit = UNITS.iter().find(|(least, ..)| length >= *least);
    let (_, digits, name) = unit.expect("no length is below 0");
    let rounded = |at: &SimTime, places: u32| {
        let grain = 10u64.pow(digits - places);
        let offset = u128::from(at.since(*first).get());
        (offset + u128::from(grain) / 2) / u128::from(grain)
    };
    let is_exact = |places: &u32| {
        let grain = 10u64.pow(digits - places);
        instants
            .iter()
            .all(|at| at.since(*first).get().is_multiple_of(grain))
    };
    let tells_apart = |places: &u32| {
        instants
            .windows(2)
            .all(|pair| rounded(&pair[0], *places) < rounded(&pair[1], *places))
    };
    let places = (0..=*digits.min(&EXACT))
        .find(is_exact)
        .or_else(|| (EXACT.min(*digits)..=*digits).find(tells_apart))
        .unwrap_or(*digits);
    let text = |at: &SimTime| format!("{} {name}", decimal(rounded(at, places), places));
    instants.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(nanos: &[u64]) -> Vec<String> {
        let instants: Vec<SimTime> = nanos.iter().copied().map(SimTime::from_nanos).collect();
        offsets(&instants)
    }

    #[test]
    fn offsets_have_one_unit_and_as_few_decimals_as_tell_them_apart() {
        assert_eq!(told(&[7, 2_500_007, 5_000_007]), ["0 ms", "2.5 ms", "5 ms"]);
        assert_eq!(told(&[0, 20_000]), ["0 µs", "20 µs"]);
        assert_eq!(told(&[5, 5]), ["0 ns", "0 ns"]);
        assert_eq!(
            told(&[0, 2_500_000, 12_000_000_000]),
            ["0 s", "0.003 s", "12 s"]
        );
        assert_eq!(
            told(&[0, 5_123_401, 5_123_444]),
            ["0 ms", "5.1234 ms", "5.12344 ms"]
        );
    }

    #[test]
    fn levels_are_cut_to_three_decimals() {
        assert_eq!(level(Level::whole(1_200)), "1200");
        assert_eq!(level(Level::new(27, 4)), "6.75");
        assert_eq!(level(Level::new(2, 3)), "0.666");
        assert_eq!(level(Level::new(40_001, 10_000)), "4");
    }
}
