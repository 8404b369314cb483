//! Several limits at once, and limits that are changed while they are in use.

use crate::ran::{Answers, Ran};
use ratesim::measure::Chapter;

/// The chapters of a candidate's rule.
fn chapters<'a>(answers: &Answers<'a>, rule: &str) -> Vec<&'a Chapter> {
    let all = answers.result.chapters.iter();
    all.filter(|chapter| &*chapter.name == rule).collect()
}

/// The limiters that keep the limit by counting what they admitted.
const COUNTERS: &str = "algorithm = [
    { kind = 'token_bucket' },
    { kind = 'fixed_window' },
    { kind = 'sliding_window_log', log_denied = false },
    { kind = 'sliding_window_counter' },
    { kind = 'gcra' },
]\n";

/// A group of 10 a minute around a route of 3: of five calls to the route three pass. All or nothing, the
/// group has 7 left; with each charged in its turn it has 5.
#[test]
fn a_denial_by_the_route_takes_nothing_from_the_group_unless_each_is_charged() {
    for (charge, left) in [("all", 7), ("each", 5)] {
        let run = Ran::text(&format!(
            "duration = '1m'
            {COUNTERS}
            rules = {{ charge = '{charge}' }}
            [[rule]]
            name = 'group'
            limit = '10/1m'
            [[rule]]
            name = 'route'
            endpoint = '/route'
            limit = '3/1m'
            [[traffic]]
            pattern = 'burst'
            at = '1s'
            count = 5
            endpoint = '/route'
            [[traffic]]
            pattern = 'script'
            at = ['1s']
            endpoint = '/other'
            cost = 0"
        ));
        for (name, answers) in run.all() {
            assert_eq!(answers.letters(), "aaaxxa", "{name}, {charge}");
            // A request to another route that takes nothing tells what the group has left.
            assert_eq!(answers.remaining()[5], left, "{name}, {charge}");
            let [group] = chapters(&answers, "group")[..] else {
                panic!("one chapter");
            };
            assert_eq!((group.tally.denied, group.tally.errors), (0, 2), "{name}");
            let [route] = chapters(&answers, "route")[..] else {
                panic!("one chapter");
            };
            assert_eq!((route.tally.denied, route.tally.allowed), (2, 3), "{name}");
        }
    }
}

/// Two a minute and one a second, calls at 0, 0 and 1 s: the second call is the second limit's to deny.
/// Charged each in its turn, the minute first, it takes the minute's last unit. (A counter that takes a
/// whole second's count for its estimate at the first instant of the next would deny the third call.)
#[test]
fn a_limit_that_is_asked_first_is_charged_for_what_the_next_one_denies() {
    for (charge, letters) in [("all", "axa"), ("each", "axx")] {
        let run = Ran::text(&format!(
            "duration = '1m'
            algorithm = [
                {{ kind = 'token_bucket' }},
                {{ kind = 'fixed_window' }},
                {{ kind = 'sliding_window_log', log_denied = false }},
                {{ kind = 'gcra' }},
            ]
            rules = {{ charge = '{charge}' }}
            [[rule]]
            name = 'minute'
            limit = '2/1m'
            [[rule]]
            name = 'second'
            limit = '1/1s'
            [[traffic]]
            pattern = 'script'
            at = ['0s', '0s', '1s']"
        ));
        for (name, answers) in run.all() {
            assert_eq!(answers.letters(), letters, "{name}, {charge}");
        }
    }
}

/// Ten an hour, 50 sent, then the limit is raised to 20: who counts what it admitted has 10 left; who
/// counts all has none left this hour. A state that is converted keeps the share that was used, one that
/// is reset has all 20.
#[test]
fn a_raised_limit_leaves_what_the_kept_count_has_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, limit: u32| {
        let text = format!("rules:\n  - name: all\n    limit: {limit}\n    window: 1h\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("rules.yaml", 10);
    write("raised.yaml", 20);
    let text = "duration = '1h'
        rules = { file = 'rules.yaml', reload_every = '1m', change = [
            { at = '30s', file = 'raised.yaml' } ] }
        [[traffic]]
        pattern = 'burst'
        at = '1s'
        count = 50
        [[traffic]]
        pattern = 'burst'
        at = '1m'
        count = 50
        [[algorithm]]
        kind = 'fixed_window'
        name = 'admissions'
        [[algorithm]]
        kind = 'fixed_window'
        name = 'all'
        count_denied = true
        [[deployment]]
        name = 'kept'
        [[deployment]]
        name = 'reset'
        rules = { state = 'reset' }
        [[deployment]]
        name = 'converted'
        rules = { state = 'converted' }";
    let path = folder.path().join("scenario.toml");
    std::fs::write(&path, text).unwrap();
    let run = Ran::file(&path);
    for (name, more) in [
        ("admissions / kept", 10),
        ("all / kept", 0),
        ("admissions / reset", 20),
        ("all / reset", 20),
        ("admissions / converted", 0),
        ("all / converted", 0),
    ] {
        let answers = run.of(name);
        let [before, after] = chapters(&answers, "all")[..] else {
            panic!("{name}: two chapters");
        };
        assert_eq!(
            (before.tally.allowed, before.tally.denied),
            (10, 40),
            "{name}"
        );
        assert_eq!(after.tally.allowed, more, "{name}");
        assert_eq!(after.from.to_string(), "60", "{name}");
    }
}

/// The same by any algorithm: ten of ten are used, and of twenty ten are left, or none where the share that
/// was used stays used. A bucket gains less than one unit in the 59 s between.
#[test]
fn what_was_used_stays_used_under_any_algorithm() {
    let folder = tempfile::tempdir().unwrap();
    for (name, limit) in [("rules.yaml", 10), ("raised.yaml", 20)] {
        let text = format!("rules:\n  - name: all\n    limit: {limit}\n    window: 1h\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let text = "duration = '1h'
        rules = { file = 'rules.yaml', reload_every = '1m', change = [
            { at = '30s', file = 'raised.yaml' } ] }
        traffic = [
            { pattern = 'burst', at = '1s', count = 10 },
            { pattern = 'burst', at = '1m', count = 30 },
        ]
        algorithm = [
            { kind = 'token_bucket' },
            { kind = 'leaky_bucket', mode = 'meter' },
            { kind = 'fixed_window' },
            { kind = 'fixed_window', name = 'since first', anchor = 'first_request' },
            { kind = 'sliding_window_log', log_denied = false },
            { kind = 'sliding_window_counter' },
            { kind = 'gcra' },
        ]
        deployment = [
            { name = 'kept' },
            { name = 'converted', rules = { state = 'converted' } },
            { name = 'reset', rules = { state = 'reset' } },
        ]";
    let path = folder.path().join("scenario.toml");
    std::fs::write(&path, text).unwrap();
    let run = Ran::file(&path);
    assert_eq!(run.all().count(), 21);
    for (name, answers) in run.all() {
        let more = match name.rsplit(" / ").next() {
            Some("kept") => 10,
            Some("converted") => 0,
            _ => 20,
        };
        assert_eq!(answers.counts(), (10 + more, 30 - more), "{name}");
    }
}

/// Ten entries of the first ten minutes, converted at half an hour from 10 to 20 an hour: each is worth two,
/// and leaves an hour after it was made.
#[test]
fn what_is_converted_leaves_a_log_at_its_own_time() {
    let folder = tempfile::tempdir().unwrap();
    for (name, limit) in [("rules.yaml", 10), ("raised.yaml", 20)] {
        let text = format!("rules:\n  - name: all\n    limit: {limit}\n    window: 1h\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let text = "duration = '2h'
        rules = { file = 'rules.yaml', reload_every = '30m', state = 'converted', change = [
            { at = '29m', file = 'raised.yaml' } ] }
        algorithm = [{ kind = 'sliding_window_log', log_denied = false }]
        [[traffic]]
        pattern = 'script'
        at = ['0s', '1m', '2m', '3m', '4m', '5m', '6m', '7m', '8m', '9m']
        [[traffic]]
        pattern = 'burst'
        at = '30m'
        count = 1
        [[traffic]]
        pattern = 'burst'
        at = '1h'
        count = 3
        [[traffic]]
        pattern = 'burst'
        at = '1h9m'
        count = 20";
    let path = folder.path().join("scenario.toml");
    std::fs::write(&path, text).unwrap();
    let run = Ran::file(&path);
    let answers = run.of("sliding_window_log");
    // At 1 h two units have left; at 1 h 9 min all but what passed at 1 h.
    let expected = "a".repeat(10) + "x" + "aax" + &"a".repeat(18) + "xx";
    assert_eq!(answers.letters(), expected);
    assert_eq!(answers.retries()[0], "1800");
}
