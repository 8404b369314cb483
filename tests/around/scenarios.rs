//! The ready scenarios of messages and backends: each comment's numbers.

use super::{Outcome, Place, Setting, drain, hold, jobs, seconds};
use crate::ran::Ran;
use ratesim::limiter::Decision;
use ratesim::measure::Reason;
use ratesim::scenario::Overrides;

const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn ready(name: &str) -> Ran {
    Ran::ready(name, &Overrides::default())
}

/// By hand: in the second of the sale ten pass, of which the usual order of 30.00 s is one, so that 291 of
/// the sale and the orders of 30.25, 30.50 and 30.75 s are over the limit. The k-th of them is taken k/5 s
/// after 30 s: number 291, the last of the sale, waits 58.2 s; one is taken as each of the three comes, so
/// that 291 are the most. With room for 100, 191 are lost, and the other three find the room that one
/// taken has left. At 2/s, 180 are taken by the end of the run; by 30.75 s one, so that 293 wait.
#[test]
fn queue_overflow_loses_nothing_while_there_is_room_and_counts_what_it_loses() {
    let run = ready("queue_overflow.toml");
    assert_eq!(run.result.requests, 480 + 300);
    assert_eq!(run.of("refused").counts(), (486, 294));
    assert!(run.of("refused").result.messages().is_none());
    // Queued, lost, most, left, longest wait.
    for (name, expected, longest) in [
        ("room for all", [294, 0, 291, 0], "58.2"),
        ("room for 100", [103, 191, 100, 0], "20"),
        ("a slow worker", [294, 0, 293, 114], "146.25"),
    ] {
        let answers = run.of(name);
        let messages = answers.result.messages().unwrap();
        let (queued, overflow) = (messages.queued, messages.overflow);
        let found = [queued, overflow, messages.depth_peak, messages.left()];
        assert_eq!(found, expected, "{name}");
        assert_eq!(seconds(&messages.waits, 100), longest, "{name}");
        assert_eq!(answers.counts(), (780 - overflow, overflow), "{name}");
        assert_eq!(answers.result.tally.delayed, queued, "{name}");
        assert_eq!(messages.overflows.iter().sum::<u64>(), overflow, "{name}");
    }
}

/// In any second 13 were forwarded at most without a queue, three usual ones before the ten of 30 s; with
/// five messages a second, of which one is taken as a usual one leaves the window or before, 14.
#[test]
fn queue_overflow_forwards_beside_the_limit_what_it_works_off() {
    let run = ready("queue_overflow.toml");
    for (name, peak) in [
        ("refused", 13),
        ("room for all", 14),
        ("room for 100", 14),
        ("a slow worker", 13),
    ] {
        assert_eq!(run.of(name).peak(), peak, "{name}");
    }
}

/// Every answer against the plain queue.
#[test]
fn queue_overflow_takes_every_message_in_its_turn() {
    let run = ready("queue_overflow.toml");
    let over: Vec<u64> = run
        .of("refused")
        .each()
        .filter(|(_, record)| record.decision == Decision::Deny)
        .map(|(arrival, _)| arrival.at.as_nanos())
        .collect();
    for (name, capacity, rate) in [
        ("room for all", 500, 5),
        ("room for 100", 100, 5),
        ("a slow worker", 500, 2),
    ] {
        let expected = drain(&over, capacity, (rate, SECOND.into()));
        let answers = run.of(name);
        let told: Vec<Option<u64>> = answers
            .each()
            .filter_map(|(_, record)| match record.reason {
                Some(Reason::Queued) => Some(Some(record.decision.delay().get())),
                Some(Reason::Overflow) => Some(None),
                _ => None,
            })
            .collect();
        assert_eq!(told, expected, "{name}");
    }
}

const FOUR_WORKERS: Setting = Setting {
    workers: 4,
    room: 400,
    end: 60 * SECOND,
};

/// Everything that was measured, against the plain backend.
#[test]
fn placement_is_what_a_plain_backend_makes_of_the_answers() {
    let run = ready("placement.toml");
    let service = 40 * MS;
    for (name, place) in [
        ("no limiter", Place::default()),
        ("client", Place::default()),
        (
            "server",
            Place {
                deny_cost: Some((1, 10)),
                ..Place::default()
            },
        ),
        (
            "middleware",
            Place {
                hop: 5 * MS,
                ..Place::default()
            },
        ),
        ("gateway", Place::default()),
    ] {
        hold(&run, name, FOUR_WORKERS, service, place);
    }
}

/// By hand: of the 3,600 in the ten seconds 1,000 are worked on and 400 wait, so that 2,200 are too many;
/// who comes last waits for 400 others, 4 s, beside its own 40 ms.
#[test]
fn placement_tells_what_each_place_saves() {
    let run = ready("placement.toml");
    let backend = |name: &str| run.of(name).result.backend().unwrap().clone();
    let overload = |name: &str| backend(name).with.overloaded;
    assert_eq!(backend("gateway").without.overloaded, 2_200);
    assert_eq!(overload("no limiter"), 2_200);
    assert_eq!(overload("client"), 170);
    assert_eq!(backend("client").bypassed, 1_369);
    for name in ["server", "middleware", "gateway"] {
        assert_eq!(overload(name), 0, "{name}");
    }
    let late = |name: &str| seconds(&backend(name).with.responses, 99);
    assert_eq!(late("no limiter"), "4.04");
    assert_eq!(late("client"), "4.04");
    assert_eq!(late("server"), "0.884");
    assert_eq!(late("middleware"), "0.048333333");
    assert_eq!(late("gateway"), "0.043333333");
    let median = |name: &str| seconds(&backend(name).with.responses, 50);
    assert_eq!(median("middleware"), "0.045");
    assert_eq!(median("gateway"), "0.04");
    assert_eq!(
        seconds(&backend("server").with.responses, 100),
        "0.916666666"
    );
    assert_eq!(backend("client").with.busy, backend("client").without.busy);
    // 2,791 denials of 4 ms.
    assert_eq!(run.of("server").counts().1, 2_791);
    assert_eq!(backend("server").with.wasted, 2_791 * 4 * u128::from(MS));
}

const ATTACKED: Setting = Setting {
    workers: 4,
    room: 200,
    end: 120 * SECOND,
};

/// The legitimate requests of a span of time: how many there were and how many were lost, by hundredths.
fn lost(run: &Ran, name: &str, (from, to): (u64, u64), place: Place, is_with: bool) -> u64 {
    let answers = run.of(name);
    let within = |at: u64| (from * SECOND..to * SECOND).contains(&at);
    let [with, without] = jobs(&answers, run, 40 * MS, place);
    let all = without
        .iter()
        .filter(|job| job.is_legitimate && within(job.at));
    let all = all.count() as u64;
    let denied = answers.each().filter(|(arrival, record)| {
        let mark = &run.result.marks[arrival.mark.0 as usize];
        mark.block == 0 && within(arrival.at.as_nanos()) && record.decision == Decision::Deny
    });
    let denied = denied.count() as u64;
    let met = Outcome::of(if is_with { &with } else { &without }, ATTACKED);
    let turned = met.turned_away.iter().filter(|job| within(job.at)).count() as u64;
    let lost = turned + if is_with { denied } else { 0 };
    (100 * lost + all / 2) / all
}

const FIRST: (u64, u64) = (20, 50);
const SECOND_ONE: (u64, u64) = (80, 110);
const IN_SERVER: Place = Place {
    hop: 0,
    deny_cost: Some((1, 10)),
};

#[test]
fn dos_attacks_are_what_a_plain_backend_makes_of_the_answers() {
    for name in ["dos_attack.toml", "dos_attack_global.toml"] {
        let run = ready(name);
        hold(&run, "gateway", ATTACKED, 40 * MS, Place::default());
        hold(&run, "server", ATTACKED, 40 * MS, IN_SERVER);
    }
}

/// A limit for each address holds off twenty of them at 20 a second each, and nothing of four thousand at a
/// tenth.
#[test]
fn dos_attack_spares_users_that_share_no_address_while_the_attackers_are_few() {
    let run = ready("dos_attack.toml");
    let gateway = |span, is_with| lost(&run, "gateway", span, Place::default(), is_with);
    let server = |span| lost(&run, "server", span, IN_SERVER, true);
    let found =
        [FIRST, SECOND_ONE].map(|span| [gateway(span, false), gateway(span, true), server(span)]);
    assert_eq!(found, [[77, 0, 13], [76, 76, 76]]);
    let [with, _] = jobs(&run.of("gateway"), &run, 40 * MS, Place::default());
    let turned_away = Outcome::of(&with, ATTACKED).turned_away;
    assert!(turned_away.iter().all(|job| job.at > SECOND_ONE.0 * SECOND));
    let backend = run.of("gateway").result.backend().unwrap().clone();
    assert_eq!(seconds(&backend.without.responses, 50), "2.036000917");
    // No user is ever denied.
    assert_eq!(run.of("gateway").result.tally.legitimate_denied, 0);
    let tally = run.of("gateway").result.tally;
    assert_eq!(tally.denied, 11_365);
}

/// One limit for all, 90 a second of the 100 that the backend serves.
#[test]
fn dos_attack_under_one_limit_spares_the_backend_and_not_its_users() {
    let run = ready("dos_attack_global.toml");
    let gateway = |span| lost(&run, "gateway", span, Place::default(), true);
    assert_eq!((gateway(FIRST), gateway(SECOND_ONE)), (80, 80));
    let without = |span| lost(&run, "gateway", span, Place::default(), false);
    assert_eq!((without(FIRST), without(SECOND_ONE)), (77, 77));
    let backend = run.of("gateway").result.backend().unwrap().clone();
    assert_eq!(backend.with.overloaded, 0);
    assert_eq!(seconds(&backend.with.responses, 99), "0.081432992");
    assert_eq!(seconds(&backend.without.responses, 99), "2.039954563");
    let server = run.of("server").result.backend().unwrap().clone();
    assert_eq!(server.with.overloaded, 7_658);
}
