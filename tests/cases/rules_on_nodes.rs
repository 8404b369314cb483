//! Two rules at once, by client and for all, on several nodes and behind a store: who is charged where,
//! what becomes of it when something fails, and what a change of the rules finds under way.

use crate::ran::{Answers, Ran};
use ratesim::measure::Chapter;

/// Requests of clients at a time in seconds, in this order: `("1.5", "aab")` is two of a and one of b.
fn traffic(groups: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (at, clients) in groups {
        for client in clients.chars() {
            text +=
                &format!("[[traffic]]\npattern = 'script'\nat = ['{at}s']\nkeys = '{client}'\n");
        }
    }
    text
}

/// A client's limit and that of all, under a deployment: fixed windows of an hour.
fn run(client: u64, all: u64, deployment: &str, groups: &[(&str, &str)]) -> Ran {
    Ran::text(&format!(
        "duration = '20s'
        algorithm = [{{ kind = 'fixed_window' }}]
        [[rule]]
        name = 'client'
        limit = '{client}/1h'
        [[rule]]
        name = 'all'
        key = 'global'
        limit = '{all}/1h'
        [[deployment]]
        {deployment}
        {}",
        traffic(groups)
    ))
}

fn only(run: &Ran) -> Answers<'_> {
    run.of("fixed_window")
}

/// The chapters of a rule.
fn chapters<'a>(answers: &Answers<'a>, rule: &str) -> Vec<&'a Chapter> {
    let all = answers.result.chapters.iter();
    all.filter(|chapter| &*chapter.name == rule).collect()
}

/// Allowed, denied by the rule, and refused by others.
fn ends(chapter: &Chapter) -> [u64; 3] {
    let tally = &chapter.tally;
    [tally.allowed, tally.denied, tally.errors]
}

/// Half of the round trip later the store has both: b's second and third find four of four used, and cost
/// b nothing.
#[test]
fn a_store_on_the_way_to_which_time_passes_asks_both() {
    let run = run(
        3,
        4,
        "nodes = 2\nstore = 'central'\nrtt = '2s'",
        &[("0", "aaaa"), ("0.5", "bbb")],
    );
    let answers = only(&run);
    assert_eq!(answers.letters(), "aaaxaxx");
    let [client] = chapters(&answers, "client")[..] else {
        panic!("one chapter");
    };
    let [all] = chapters(&answers, "all")[..] else {
        panic!("one chapter");
    };
    assert_eq!(ends(client), [4, 1, 2]);
    assert_eq!(ends(all), [4, 2, 1]);
    let (mut answered, mut rules) = (Vec::new(), Vec::new());
    for (_, record) in answers.each() {
        answered.push(record.answered.to_string());
        rules.push(&*answers.result.chapters[usize::from(record.chapter.unwrap())].name);
    }
    assert_eq!(answered, ["2", "2", "2", "2", "2.5", "2.5", "2.5"]);
    // The rule that has the least left, and of those that deny the one that denies.
    assert_eq!(
        rules,
        ["client", "client", "client", "client", "all", "all", "all"]
    );
    // It was asked 1 and 1.5 s after the hour began.
    assert_eq!(answers.retries(), ["3599", "3598.5", "3598.5"]);
    let cluster = answers.result.cluster.as_ref().unwrap();
    assert_eq!(cluster.store_ops(), 7);
}

/// Each of two nodes has 2 for a client and 3 for all. In turn, each sees half of the requests.
#[test]
fn both_limits_are_split() {
    let run = run(
        4,
        6,
        "nodes = 2\nshare = 'split'",
        &[("0", "aaaaaa"), ("1", "bbbb")],
    );
    let answers = only(&run);
    assert_eq!(answers.letters(), "aaaaxxaaxx");
    assert_eq!(ends(chapters(&answers, "client")[0]), [6, 2, 2]);
    assert_eq!(ends(chapters(&answers, "all")[0]), [6, 2, 2]);
}

/// At second 1 each node hears of two of the other's for a and for all, at second 3 of one more for all.
#[test]
fn nodes_tell_each_other_what_each_rule_let_pass() {
    let run = run(
        3,
        5,
        "nodes = 2\nstore = 'synced'\nsync_every = '1s'",
        &[
            ("0", "aa"),
            ("0.5", "aa"),
            ("2", "ab"),
            ("2.5", "c"),
            ("4", "d"),
        ],
    );
    let answers = only(&run);
    assert_eq!(answers.letters(), "aaaaxaax");
    assert_eq!(ends(chapters(&answers, "client")[0]), [6, 1, 1]);
    assert_eq!(ends(chapters(&answers, "all")[0]), [6, 1, 1]);
    // One more than 5 pass before both nodes know of b and c.
    assert_eq!(chapters(&answers, "all")[0].tally.peak_in_window, 6);
}

/// While the store is down each node has half of each limit, 2 and 3; afterwards the store knows of
/// nothing that passed meanwhile.
#[test]
fn nodes_fall_back_on_a_share_of_both_limits() {
    let run = run(
        4,
        6,
        "nodes = 2
        store = 'central'
        timeout = '100ms'
        on_store_failure = 'local_fallback'
        fallback_share = '1/2'
        outage = [{ of = 'store', from = '1s', to = '3s' }]",
        &[("1.5", "aaaaaa"), ("2", "bbbb"), ("5", "aaaaabbb")],
    );
    let answers = only(&run);
    assert_eq!(answers.letters(), "aaaaxxaaxxaaaaxaax");
    assert_eq!(ends(chapters(&answers, "client")[0]), [12, 3, 3]);
    assert_eq!(ends(chapters(&answers, "all")[0]), [12, 3, 3]);
}

/// What is waved through while the store is down counts in the windows of both rules, whether or not the
/// store has met its key. Of those behind it, one too many passes for all.
#[test]
fn what_passes_unmetered_counts_against_both_limits() {
    let run = run(
        2,
        2,
        "store = 'central'
        timeout = '100ms'
        outage = [{ of = 'store', from = '1s', to = '3s' }]",
        &[("2", "a"), ("4", "bccd")],
    );
    let answers = only(&run);
    assert_eq!(answers.letters(), "aaaxx");
    let all = chapters(&answers, "all")[0];
    assert_eq!((all.tally.peak_in_window, all.tally.false_allow), (3, 1));
    assert_eq!(answers.result.tally.false_allow, 1);
    let client = chapters(&answers, "client")[0];
    assert_eq!((client.tally.peak_in_window, client.keys), (1, 4));
}

/// What an outage refuses is within the limits if both have room.
#[test]
fn what_an_outage_refuses_is_within_the_limits_if_both_have_room() {
    for (all, wrongly) in [(2, 0), (3, 2)] {
        let run = run(
            5,
            all,
            "store = 'central'
            timeout = '100ms'
            on_store_failure = 'fail_closed'
            outage = [{ of = 'store', from = '2s', to = '4s' }]",
            &[("1", "aa"), ("3", "ab")],
        );
        let answers = only(&run);
        let tally = &answers.result.tally;
        assert_eq!((tally.allowed, tally.errors, tally.denied), (2, 2, 0));
        assert_eq!(tally.wrongly_refused, wrongly, "{all} for all");
        assert_eq!(tally.false_deny, 0);
        assert_eq!(ends(chapters(&answers, "all")[0]), [2, 0, 2]);
    }
}

/// A node that loses its state loses that of both rules: else one of them would still be full.
#[test]
fn a_node_that_loses_its_state_loses_that_of_all_rules() {
    for (loses_state, after) in [(true, "aaax"), (false, "xxxx")] {
        let deployment = format!(
            "timeout = '100ms'
            outage = [{{ of = 0, from = '2s', to = '3s', loses_state = {loses_state} }}]"
        );
        let run = run(2, 3, &deployment, &[("1", "aab"), ("4", "aabc")]);
        assert_eq!(only(&run).letters(), format!("aaa{after}"));
    }
}

/// A limit of `before` for a client, which becomes `after` at second 10, with each of the ways in which
/// states can be handed on.
fn changed(before: u64, after: u64, deployment: &str, groups: &[(&str, &str)]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    for (name, limit) in [("before.yaml", before), ("after.yaml", after)] {
        let text = format!("rules:\n  - name: client\n    limit: {limit}/1h\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let deployments = ["kept", "reset", "converted"].map(|state| {
        format!("[[deployment]]\nname = '{state}'\nrules = {{ state = '{state}' }}\n{deployment}\n")
    });
    let text = format!(
        "duration = '20s'
        algorithm = [{{ kind = 'fixed_window' }}]
        [rules]
        file = 'before.yaml'
        reload_every = '5s'
        change = [{{ at = '7s', file = 'after.yaml' }}]
        {}{}",
        deployments.concat(),
        traffic(groups)
    );
    let path = folder.path().join("scenario.toml");
    std::fs::write(&path, text).unwrap();
    Ran::file(&path)
}

/// The first two reach the store at 9.5 s, by the old limit, and are answered at 10.5 s; the others reach it
/// then, by the new one. What was let pass at 9.5 s is forwarded at 10.5 s, into their windows.
#[test]
fn a_change_during_flights_is_for_those_that_reach_the_store_after_it() {
    let run = changed(
        1,
        3,
        "store = 'central'\nrtt = '2s'",
        &[("8.5", "aa"), ("9.5", "aaaa")],
    );
    for (state, letters, peak, false_allow, false_deny) in [
        ("kept", "axaaxx", 3, 0, 0),
        ("reset", "axaaax", 4, 1, 0),
        ("converted", "axxxxx", 0, 0, 4),
    ] {
        let answers = run.of(state);
        assert_eq!(answers.letters(), letters, "{state}");
        let [old, new] = chapters(&answers, "client")[..] else {
            panic!("{state}: two chapters");
        };
        assert_eq!(ends(old), [1, 1, 0], "{state}");
        assert_eq!((old.tally.peak_in_window, old.tally.false_deny), (1, 0));
        let found = &new.tally;
        assert_eq!(found.peak_in_window, peak, "{state}");
        assert_eq!(found.false_allow, false_allow, "{state}");
        assert_eq!(found.false_deny, false_deny, "{state}");
    }
}

/// Both nodes let one of one pass, and tell each other at 9 s, which is heard at 11 s: by then the limit
/// is 3. After a reset what passed before is forgotten, also what is still on its way.
#[test]
fn what_nodes_hear_after_a_change_counts_unless_states_were_reset() {
    let run = changed(
        1,
        3,
        "nodes = 2\nstore = 'synced'\nsync_every = '3s'\nrtt = '4s'",
        &[("8.5", "aa"), ("14", "aaaaaa")],
    );
    for (state, letters) in [
        // Two of three are used at each node.
        ("kept", "aaaaxxxx"),
        ("reset", "aaaaaaaa"),
        // Each node's one of one is three of three.
        ("converted", "aaxxxxxx"),
    ] {
        assert_eq!(run.of(state).letters(), letters, "{state}");
    }
}

/// Two of two are forwarded at seconds 1 and 8. When the limit falls to 1 they are still in the window of
/// what comes, and so they are when it rises to 3.
#[test]
fn windows_reach_back_over_a_change() {
    for (after, letters) in [(1, "aax"), (3, "aaa")] {
        let run = changed(2, after, "", &[("1", "a"), ("8", "a"), ("11", "a")]);
        let answers = run.of("kept");
        assert_eq!(answers.letters(), letters);
        let [_, new] = chapters(&answers, "client")[..] else {
            panic!("two chapters");
        };
        assert_eq!((new.tally.false_allow, new.tally.false_deny), (0, 0));
        let passed = u128::from(new.tally.allowed);
        assert_eq!(new.tally.peak_in_window, 3 * passed);
    }
}
