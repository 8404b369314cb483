//! Rules: what each endpoint, user and address gets, held against plain loops over counters in maps.

use crate::ran::{Answers, Ran};
use ratesim::measure::Chapter;
use ratesim::scenario::Overrides;
use std::collections::BTreeMap;

fn ready(name: &str) -> Ran {
    Ran::ready(name, &Overrides::default())
}

/// A request as a loop sees it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    /// In milliseconds.
    at: u64,
    block: u16,
    key: &'a str,
    endpoint: &'a str,
    cost: u64,
}

fn asked(run: &Ran) -> Vec<Asked<'_>> {
    let arrivals = run.result.arrivals.as_ref().unwrap();
    let each = arrivals.iter().map(|arrival| {
        let mark = &run.result.marks[arrival.mark.0 as usize];
        Asked {
            at: arrival.at.as_nanos() / 1_000_000,
            block: mark.block,
            key: &run.result.keys[arrival.key.0 as usize],
            endpoint: mark.endpoint.as_deref().unwrap_or_default(),
            cost: arrival.cost,
        }
    });
    each.collect()
}

/// A rule of fixed windows: its limit, its window in seconds, and whom it counts a request against, if it
/// applies.
struct Plain<'a> {
    units: u64,
    seconds: u64,
    key: &'a dyn Fn(&Asked) -> Option<String>,
    /// What each request costs; its own cost for `None`.
    cost: Option<u64>,
}

fn per_minute(units: u64, key: &dyn Fn(&Asked) -> Option<String>) -> Plain<'_> {
    Plain {
        units,
        seconds: 60,
        key,
        cost: None,
    }
}

/// What passes: nothing is charged unless all rules that apply allow, or each up to the first that denies.
fn loop_over(run: &Ran, rules: &[Plain], is_each: bool) -> String {
    let mut used: BTreeMap<(usize, u64, String), u64> = BTreeMap::new();
    let mut letters = String::new();
    for request in asked(run) {
        let mut passes = true;
        let mut charged = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            let Some(key) = (rule.key)(&request) else {
                continue;
            };
            let place = (number, request.at / 1_000 / rule.seconds, key);
            let cost = rule.cost.unwrap_or(request.cost);
            let has_room = used.get(&place).copied().unwrap_or_default() + cost <= rule.units;
            if has_room && (passes || !is_each) {
                charged.push((place, cost));
            }
            passes &= has_room;
        }
        if passes || is_each {
            for (place, cost) in charged {
                *used.entry(place).or_default() += cost;
            }
        }
        letters.push(if passes { 'a' } else { 'x' });
    }
    letters
}

/// How many of the requests that are meant were admitted, and how many there were.
fn passed(run: &Ran, answers: &Answers, is_meant: impl Fn(&Asked) -> bool) -> (u64, u64) {
    let (mut passed, mut all) = (0, 0);
    for (request, (_, record)) in asked(run).iter().zip(answers.each()) {
        if is_meant(request) {
            all += 1;
            passed += u64::from(record.decision.is_admitted());
        }
    }
    (passed, all)
}

fn in_per_cent(part: u64, whole: u64) -> u64 {
    (100 * part + whole / 2) / whole
}

/// The chapters of a rule.
fn chapters<'a>(answers: &Answers<'a>, rule: &str) -> Vec<&'a Chapter> {
    let all = answers.result.chapters.iter();
    all.filter(|chapter| &*chapter.name == rule).collect()
}

/// How many of requests at equal gaps over ten minutes pass n a minute: in a bucket, whose level is counted
/// in n-ths of a token and milliseconds.
fn through_a_bucket(n: u64, gap_ms: u64) -> u64 {
    let full = n * 60_000;
    let (mut level, mut passed) = (full, 0);
    for at in (0..600_000).step_by(usize::try_from(gap_ms).unwrap()) {
        if at > 0 {
            level = full.min(level + n * gap_ms);
        }
        if level >= 60_000 {
            level -= 60_000;
            passed += 1;
        }
    }
    passed
}

/// The same of a sliding window counter: what is left of the last minute's count, in milliseconds of it.
fn through_a_counter(n: u64, gap_ms: u64) -> u64 {
    let (mut last, mut now, mut minute, mut passed) = (0, 0, 0, 0);
    for at in (0..600_000).step_by(usize::try_from(gap_ms).unwrap()) {
        if at / 60_000 > minute {
            (last, now, minute) = (now, 0, at / 60_000);
        }
        if last * (60_000 - at % 60_000) + (now + 1) * 60_000 <= n * 60_000 {
            now += 1;
            passed += 1;
        }
    }
    passed
}

/// Bob posts every 5 s, Mallory guesses every 2 s and reads every 500 ms. A log that counts what it denies
/// lets n pass and no more where more than n come in a minute.
#[test]
fn rules_per_endpoint_nobodys_posts_cost_anybodys_reading() {
    let run = ready("rules_per_endpoint.toml");
    let streams = [(5, 5_000), (10, 2_000), (60, 500)];
    let buckets = streams.map(|(n, gap)| through_a_bucket(n, gap));
    let counters = streams.map(|(n, gap)| through_a_counter(n, gap));
    for (name, expected, stated) in [
        ("token_bucket", buckets, [54, 109, 659]),
        ("leaky_bucket", buckets, [54, 109, 659]),
        ("fixed_window", streams.map(|(n, _)| 10 * n), [50, 100, 600]),
        ("sliding_window_log", streams.map(|(n, _)| n), [5, 10, 60]),
        ("sliding_window_counter", counters, [41, 91, 591]),
    ] {
        assert_eq!(expected, stated, "{name}");
        let answers = run.of(name);
        let of = |key: &str, endpoint: &str| {
            passed(&run, &answers, |it| {
                it.key == key && it.endpoint == endpoint
            })
        };
        let [posts, guesses, reads] = expected;
        assert_eq!(of("bob", "/api/posts"), (posts, 120), "{name}");
        assert_eq!(of("mallory", "/api/login"), (guesses, 300), "{name}");
        assert_eq!(of("mallory", "/api/users"), (reads, 1_200), "{name}");
        assert_eq!(of("ann", "/api/posts"), (30, 30), "{name}");
        assert_eq!(of("ann", "/api/feed"), (300, 300), "{name}");
        assert_eq!(of("bob", "/api/feed"), (120, 120), "{name}");
        for (rule, keys, requests, allowed) in [
            ("/api/posts", 2, 150, 30 + posts),
            ("/api/login", 1, 300, guesses),
            ("everything else", 3, 1_620, 420 + reads),
        ] {
            let [chapter] = chapters(&answers, rule)[..] else {
                panic!("{name}: one chapter");
            };
            let found = (chapter.keys, chapter.tally.requests, chapter.tally.allowed);
            assert_eq!(found, (keys, requests, allowed), "{name}: {rule}");
        }
    }
}

/// Orders come every 2 s, logins every 20 s. The count of orders goes on, from nothing, or by the share.
#[test]
fn rules_reload_a_change_is_in_force_when_it_has_been_read_without_a_mistake() {
    let run = ready("rules_reload.toml");
    assert_eq!(run.notes.len(), 1);
    assert!(run.notes[0].contains("rules_reload_broken.yaml:5:3: rules.0.window: "));
    for (name, used_then, more, peak, false_allow, false_deny) in [
        ("kept", 60, 60, 120, 0, 0),
        ("reset", 0, 120, 180, 60, 0),
        ("converted", 120, 0, 0, 0, 195),
    ] {
        let answers = run.of(name);
        let (mut orders, mut logins) = (0, 0);
        let mut letters = String::new();
        for request in asked(&run) {
            if request.at == 210_000 && request.endpoint == "/api/orders" {
                assert_eq!(orders, 60);
                orders = used_then;
            }
            let (used, limit) = match (request.endpoint, request.at) {
                ("/api/login", _) => (&mut logins, 10),
                (_, 0..210_000) => (&mut orders, 60),
                _ => (&mut orders, 120),
            };
            letters.push(if *used < limit { 'a' } else { 'x' });
            *used += u64::from(*used < limit);
        }
        assert_eq!(answers.letters(), letters, "{name}");
        let [before, after] = chapters(&answers, "/api/orders")[..] else {
            panic!("{name}: two chapters");
        };
        assert_eq!((before.tally.allowed, before.tally.denied), (60, 45));
        assert_eq!(after.from.to_string(), "210");
        let tally = &after.tally;
        assert_eq!((tally.allowed, tally.requests), (more, 195), "{name}");
        assert_eq!(tally.peak_in_window, peak, "{name}");
        let wrong = (tally.false_allow, tally.false_deny);
        assert_eq!(wrong, (false_allow, false_deny), "{name}");
        let [login] = chapters(&answers, "/api/login")[..] else {
            panic!("{name}: one chapter");
        };
        assert_eq!((login.tally.allowed, login.tally.requests), (10, 30));
        let rules = answers.result.rules.as_ref().unwrap();
        let [(from, to)] = rules.stale(run.result.horizon)[..] else {
            panic!("{name}: one span");
        };
        assert_eq!(
            (from.to_string(), to.to_string()),
            ("70".into(), "210".into())
        );
    }
}

#[test]
fn cost_by_endpoint_pictures_eat_the_budget_unless_they_cost_what_they_are() {
    let run = ready("cost_by_endpoint.toml");
    let whoever = |it: &Asked| Some(it.key.to_owned());
    let on = |endpoint: &'static str| {
        move |it: &Asked| (it.endpoint == endpoint).then(|| it.key.to_owned())
    };
    let (profile, search, images) = (on("/profile"), on("/search"), on("/images"));
    for (name, rules, stated) in [
        (
            "by request",
            vec![Plain {
                cost: Some(1),
                ..per_minute(120, &whoever)
            }],
            // Reader; the all-rounder's profiles, searches and pictures; artist.
            [900, 600, 480, 1_200, 12_000],
        ),
        (
            "by work",
            vec![per_minute(120, &whoever)],
            [900, 320, 280, 600, 1_200],
        ),
        (
            "a third for each endpoint",
            vec![
                per_minute(40, &profile),
                per_minute(40, &search),
                per_minute(40, &images),
            ],
            [400, 400, 400, 400, 400],
        ),
    ] {
        let answers = run.of(name);
        assert_eq!(answers.letters(), loop_over(&run, &rules, false), "{name}");
        for (block, work) in (0..).zip(stated) {
            let (requests, _) = passed(&run, &answers, |it| it.block == block);
            let each = [1, 1, 4, 20, 20][usize::from(block)];
            assert_eq!(requests * each, work, "{name}, block {block}");
        }
    }
    let work: u64 = [900, 600, 480, 1_200, 12_000].iter().sum();
    assert_eq!(
        u128::from(work),
        run.of("by request").result.tally.allowed_cost
    );
    assert_eq!(in_per_cent(12_000, work), 79);
}

/// Blocks: three attackers, Alice, Bob, and others from addresses of their own, of whom none is as frequent
/// as the limits are.
#[test]
fn login_bruteforce_both_keys_stop_most_and_lock_out_the_attacked() {
    let run = ready("login_bruteforce.toml");
    let user = |it: &Asked| match it.block {
        1 | 3 => "alice".to_owned(),
        2 | 4 => "bob".to_owned(),
        _ => it.key.to_owned(),
    };
    let address = |it: &Asked| match it.block {
        0 => Some("one".to_owned()),
        1 | 2 => Some(it.key.to_owned()),
        _ => None,
    };
    let network = |it: &Asked| match it.block {
        2 => Some("a /64".to_owned()),
        _ => address(it),
    };
    let by_user = |it: &Asked| Some(user(it));
    let in_network = |it: &Asked| network(it).map(|network| format!("{network} {}", user(it)));
    for (name, rules, stated, locked_out) in [
        (
            "by address",
            vec![per_minute(10, &address)],
            [100, 1_200, 1_200],
            0,
        ),
        (
            "by network",
            vec![per_minute(10, &network)],
            [100, 1_200, 100],
            0,
        ),
        (
            "by user",
            vec![per_minute(5, &by_user)],
            [1_200, 50, 50],
            20,
        ),
        (
            "by network + by user",
            vec![per_minute(10, &network), per_minute(5, &by_user)],
            [100, 50, 50],
            20,
        ),
        (
            "by user in a network",
            vec![per_minute(5, &in_network)],
            [1_200, 1_200, 50],
            0,
        ),
    ] {
        let answers = run.of(name);
        assert_eq!(answers.letters(), loop_over(&run, &rules, false), "{name}");
        let guesses = [0, 1, 2].map(|block| passed(&run, &answers, |it| it.block == block));
        assert_eq!(guesses, stated.map(|passed| (passed, 1_200)), "{name}");
        let attacked = passed(&run, &answers, |it| matches!(it.block, 3 | 4));
        assert_eq!(attacked, (20 - locked_out, 20), "{name}");
        assert_eq!(passed(&run, &answers, |it| it.block == 5), (292, 292));
        let tally = &answers.result.tally;
        assert_eq!(tally.legitimate_denied, locked_out, "{name}");
        assert_eq!(tally.abusive_allowed, stated.iter().sum::<u64>(), "{name}");
    }
}

#[test]
fn stacked_limits_the_second_stops_bursts_and_the_hour_endurance() {
    let run = ready("stacked_limits.toml");
    let whoever = |it: &Asked| Some(it.key.to_owned());
    let second = || Plain {
        seconds: 1,
        ..per_minute(10, &whoever)
    };
    let hour = || Plain {
        seconds: 3_600,
        ..per_minute(1_000, &whoever)
    };
    for (name, rules, is_each, stated) in [
        ("10 per second", vec![second()], false, [300, 3_600, 720]),
        ("1000 per hour", vec![hour()], false, [1_000, 1_000, 720]),
        ("both", vec![hour(), second()], false, [300, 1_000, 720]),
        (
            "both (each charged)",
            vec![hour(), second()],
            true,
            [100, 1_000, 720],
        ),
    ] {
        let answers = run.of(name);
        assert_eq!(
            answers.letters(),
            loop_over(&run, &rules, is_each),
            "{name}"
        );
        for (block, (expected, all)) in (0..).zip(stated.into_iter().zip([3_000, 3_600, 720])) {
            let found = passed(&run, &answers, |it| it.block == block);
            assert_eq!(found, (expected, all), "{name}, block {block}");
        }
    }
}

/// Blocks: the office at one address, homes and the scraper's addresses with their own, made-up users at
/// one address.
#[test]
fn ip_vs_user_key_a_wide_limit_by_address_stands_behind_one_by_user() {
    let run = ready("ip_vs_user_key.toml");
    let address = |it: &Asked| match it.block {
        0 => Some("office".to_owned()),
        3 => Some("made up".to_owned()),
        _ => Some(it.key.to_owned()),
    };
    let user = |it: &Asked| match it.block {
        2 => Some("scraper".to_owned()),
        _ => Some(it.key.to_owned()),
    };
    for (name, rules, denied) in [
        ("by address", vec![per_minute(60, &address)], [95, 0, 0, 98]),
        ("by user", vec![per_minute(60, &user)], [0, 0, 90, 0]),
        (
            "by both",
            vec![per_minute(60, &user), per_minute(1_500, &address)],
            [0, 0, 90, 38],
        ),
    ] {
        let answers = run.of(name);
        assert!(
            answers.letters() == loop_over(&run, &rules, false),
            "{name}"
        );
        for (block, expected) in (0..).zip(denied) {
            let (passed, all) = passed(&run, &answers, |it| it.block == block);
            assert_eq!(in_per_cent(all - passed, all), expected, "{name}, {block}");
            if expected == 0 {
                assert_eq!(passed, all, "{name}, {block}");
            }
        }
    }
}
