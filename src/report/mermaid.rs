//! A sequence diagram as Mermaid text.

use super::chart::View;
use super::scene::{Scene, What, headline, note, offsets, party, says};
use super::text::{clock, visible};
use crate::measure::{Party, RunResult};
use crate::units::{Nanos, SimTime};
use std::fmt::Write;

/// `sequence.mmd`: the scene that the picture `sequence` shows, as a Mermaid `sequenceDiagram`;
/// `None` where nobody says anything.
///
/// Mermaid has no slanted arrows: a message stands where it arrives, with the instants at which it
/// was sent and received, and one that never arrives where it was sent.
pub fn sequence(run: &RunResult, view: &View) -> Option<String> {
    let scene = Scene::of(run, view)?;
    let mut text = String::from("sequenceDiagram\n");
    let mut line = |line: String| {
        let _ = writeln!(text, "    {line}");
    };
    line(format!("title {}", escaped(&title(run, &scene))));
    for who in &scene.parties {
        let name = escaped(&party(run, *who));
        line(format!("participant {} as {name}", id(*who)));
    }
    let instants = scene.instants();
    let offsets = offsets(&instants);
    let offset = |at: SimTime| {
        let index = instants
            .binary_search(&at)
            .expect("an instant of the scene");
        offsets[index].as_str()
    };
    for moment in &scene.moments {
        match moment.what {
            What::Timeout { next, .. } => {
                let who = scene.messages[next].from;
                line(remark(&scene, who, moment.what));
            }
            What::Race(index) => {
                let who = scene.messages[index].to;
                line(remark(&scene, who, moment.what));
            }
            What::Sent(index) | What::Received(index) => {
                let message = &scene.messages[index];
                let is_sent = matches!(moment.what, What::Sent(_));
                if is_sent == message.received.is_some() {
                    continue;
                }
                let arrow = if is_sent { "-x" } else { "->>" };
                let times = match message.received {
                    Some(at) if at > message.sent => {
                        format!("{} → {}", offset(message.sent), offset(at))
                    }
                    _ => offset(message.sent).to_owned(),
                };
                let said = escaped(&format!("{} ({times})", says(&scene, message)));
                line(format!(
                    "{}{arrow}{}: {said}",
                    id(message.from),
                    id(message.to)
                ));
            }
        }
    }
    Some(text)
}

fn title(run: &RunResult, scene: &Scene<'_>) -> String {
    let first = scene
        .moments
        .first()
        .map_or(SimTime::ZERO, |moment| moment.at);
    let begins = first.saturating_add(run.epoch.time_of_day());
    format!(
        "{}: {}, from {}",
        scene.candidate.name,
        headline(scene),
        clock(begins, Nanos::new(begins.as_nanos()))
    )
}

fn remark(scene: &Scene<'_>, who: Party, what: What) -> String {
    let text = note(scene, what).unwrap_or_default();
    format!("Note over {}: {}", id(who), escaped(&text))
}

/// What names a participant within the diagram.
fn id(who: Party) -> String {
    match who {
        Party::Client(key) => format!("c{}", key.0),
        Party::Node(node) => format!("n{node}"),
        Party::Store => "s".to_owned(),
    }
}

/// Text in which Mermaid finds neither the end of a line, nor a comment, nor markup: whatever is not
/// a letter, a digit or harmless is written by its number.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if c.is_alphanumeric() || " .,:/_-+()'→×".contains(c) {
            safe.push(c);
        } else {
            let _ = write!(safe, "#{};", u32::from(c));
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_the_input_cannot_end_a_line_or_begin_anything() {
        assert_eq!(
            escaped("a;b\n%% <b>#1 \u{e9}"),
            "a#59;b#92;u#123;a#125;#37;#37; #60;b#62;#35;1 \u{e9}"
        );
    }
}
