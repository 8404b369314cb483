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
    use crate::report::chart::fixture;

    /// A round trip of 5 ms; what each reads after 2.5 ms it writes after 7.5.
    #[test]
    fn two_that_read_three_both_write_four() {
        let expected = "\
sequenceDiagram
    title fixed_window / central, read then write: a race: #35;4 writes over what it did not know of, from 0:10
    participant c0 as client alice
    participant n0 as node 0
    participant n1 as node 1
    participant s as store
    c0->>n0: #35;3 request (0 ms)
    c0->>n1: #35;4 request (1 ms)
    n0->>s: #35;3 read (0 ms → 2.5 ms)
    n1->>s: #35;4 read (1 ms → 3.5 ms)
    s->>n0: #35;3 count 3 (2.5 ms → 5 ms)
    n0->>c0: #35;3 allow (5 ms)
    s->>n1: #35;4 count 3 (3.5 ms → 6 ms)
    n1->>c0: #35;4 allow (6 ms)
    n0->>s: #35;3 write 4 (5 ms → 7.5 ms)
    n1->>s: #35;4 write 4 (6 ms → 8.5 ms)
    Note over s: lost update: #35;4's write 4 replaced #35;3's 4
";
        let found = sequence(&fixture::race(), &View::default());
        assert_eq!(found.as_deref(), Some(expected));
    }

    #[test]
    fn what_never_arrives_ends_in_a_cross_and_is_waited_for_in_vain() {
        let expected = "\
sequenceDiagram
    title token_bucket / central, fail_closed: the store fails #35;50, from 0:20
    participant c0 as client everyone
    participant n1 as node 1
    participant s as store
    c0->>n1: #35;50 request (0 ms)
    n1-xs: #35;50 ask 1 (0 ms)
    Note over n1: #35;50: no answer in 50 ms
    n1->>c0: #35;50 error (fail closed) (50 ms)
";
        let found = sequence(&fixture::outage(), &View::default());
        assert_eq!(found.as_deref(), Some(expected));
    }

    #[test]
    fn a_run_on_one_node_says_nothing() {
        assert_eq!(sequence(&fixture::two(), &View::default()), None);
    }

    #[test]
    fn text_from_the_input_cannot_end_a_line_or_begin_anything() {
        assert_eq!(
            escaped("a;b\n%% <b>#1 \u{e9}"),
            "a#59;b#92;u#123;a#125;#37;#37; #60;b#62;#35;1 \u{e9}"
        );
    }
}
