//! Rules files: mistakes are named with their line, what breaks during a run or comes to nothing is noted,
//! and what a run by rules writes.

use super::Folder;
use super::bad_input::refused;
use super::bad_rules::{FILE, GOOD, all_refused, with};

/// The file's own lines are named, and the mistake in the words in which a scenario's is.
#[test]
fn a_wrong_rules_file_is_named_with_the_line_of_the_mistake() {
    all_refused(
        &[
            (
                "",
                "rules.yaml:1:1: there is nothing in the file",
                &["expected `rules:`"],
            ),
            ("# nothing yet\n", "rules.yaml:1:1: there is nothing", &[]),
            ("---\n", "rules.yaml:1:1: there is nothing", &[]),
            ("rules:\n", "rules.yaml:1:1: rules: has no value", &[]),
            (
                "rules: []\n",
                "rules.yaml:1:1: rules: has no rule",
                &["- endpoint: /api/posts"],
            ),
            (
                "rules: 5\n",
                "rules.yaml:1:1: rules: found 5",
                &["a list, each rule behind a dash"],
            ),
            (
                "- endpoint: /a\n",
                "rules.yaml:1:1: found a list",
                &["expected `rules:`"],
            ),
            (
                "rules:\n- /api/posts\n",
                "rules.yaml:2:3: rules: found \"/api/posts\"",
                &["expected a rule"],
            ),
            (
                "ruls:\n- limit: 5/1m\n",
                "rules.yaml:1:1: ruls: ",
                &["did you mean `rules`"],
            ),
            (
                "other: 1\n",
                "rules.yaml:1:1: other: ",
                &["unknown field", "rules"],
            ),
            (
                "rules:\n- endpoint: /api/posts\n  limit: 5\n",
                "rules.yaml:3:3: rules.0.limit: ",
                &["found 5, which has no window"],
            ),
            (
                "rules:\n- endpoint: /api/posts\n  limit: 5\n  windw: 60s\n",
                "rules.yaml:4:3: rules.0.windw: ",
                &["did you mean `window`"],
            ),
            (
                "rules:\n- limit: 5\n  window: 60\n",
                "rules.yaml:3:3: rules.0.window: ",
                &["found 60, expected a duration such as"],
            ),
            (
                "rules:\n- limit: 5\n  window: 0s\n",
                "rules.yaml:3:3: rules.0.window: ",
                &["found 0s; allowed: longer than 0s"],
            ),
            (
                "rules:\n- limit: -5\n  window: 1s\n",
                "rules.yaml:2:3: rules.0.limit: ",
                &["found -5, expected a whole number"],
            ),
            (
                "rules:\n- limit: five\n  window: 1s\n",
                "rules.yaml:2:3: rules.0.limit: ",
                &["found \"five\", expected a whole number"],
            ),
            (
                "rules:\n- limit: 5/1m\n  limit: 6/1m\n",
                "rules.yaml:3:3: limit: is given twice",
                &["line 2"],
            ),
            (
                "rules:\n- limit: 5/1m\n- limit: 6/1m\n",
                "rules.yaml:3:3: rules.1.name: ",
                &["an earlier rule is called `all` too"],
            ),
            (
                "rules:\n- limit: 5/1m\n  key: [user, endpont]\n",
                "rules.yaml:3:3: rules.0.key: ",
                &["did you mean `endpoint`"],
            ),
            (
                "rules:\n- limit: 5/1m\n  algorithm:\n    kind: gcra\n    capacity: 5\n",
                "rules.yaml:5:5: rules.0.algorithm.capacity: ",
                &["unknown field", "burst"],
            ),
            (
                "rules:\n\t- limit: 5/1m\n",
                "rules.yaml:2:2: this is not YAML: ",
                &["tabs"],
            ),
            (
                "rules:\n- limit: 5\n   window: 60s\n",
                "rules.yaml:3:10: this is not YAML: ",
                &[],
            ),
            ("rules: [\n", "rules.yaml:2:1: this is not YAML: ", &[]),
            (
                "rules:\n- &a\n  limit: 5/1m\n",
                "rules.yaml:2:3: found an anchor",
                &[],
            ),
            (
                "rules:\n- limit: !!str 5/1m\n",
                "rules.yaml:2:10: found a tag",
                &[],
            ),
            (
                "rules:\n- limit: 5/1m\n---\nrules:\n",
                "rules.yaml:3:1: a second document",
                &[],
            ),
            (
                "rules:\n- limit: 5/1m\n  [a]: 1\n",
                "rules.yaml:3:3: found a list or a table",
                &["`limit:`"],
            ),
        ],
        |text| with(FILE, &[("rules.yaml", text)]),
    );
    let folder = with(FILE, &[]);
    folder.write("rules.yaml", b"rules:\n- name: caf\xe9\n  limit: 5/1m\n");
    let parts = ["found the byte 0xe9, which is not UTF-8"];
    refused(&folder, &["burst.toml"], "rules.yaml:2:12: ", &parts);
    refused(
        &with(FILE, &[]),
        &["burst.toml"],
        "rules.yaml: there is no such rules file",
        &[],
    );
    let folder = with("[rules]\nfile = 'sub'\n", &[("sub/x", "")]);
    refused(&folder, &["burst.toml"], "sub: is a folder", &[]);
}

/// The notes of a scenario that is read.
fn notes(rest: &str, files: &[(&str, &str)]) -> Vec<String> {
    let outcome = with(rest, files).ratesim(&["check", "burst.toml"]);
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    let notes = outcome
        .stderr
        .lines()
        .map(|line| line.trim_start_matches("note: burst.toml: "));
    notes.map(str::to_owned).collect()
}

#[track_caller]
fn noted(rest: &str, files: &[(&str, &str)], expected: &[&[&str]]) {
    let notes = notes(rest, files);
    assert_eq!(notes.len(), expected.len(), "{notes:#?}");
    for (note, parts) in notes.iter().zip(expected) {
        for part in *parts {
            assert!(note.contains(part), "expected {part}, found {note}");
        }
    }
}

/// The run goes on with the rules before, which the user is told beforehand.
#[test]
fn a_file_that_breaks_during_the_run_is_noted_with_its_line() {
    let rest = format!(
        "{FILE}reload_every = '10s'\n[[rules.change]]\nat = '15s'\nfile = 'v2.yaml'\n\
         [[rules.change]]\nat = '35s'\nfile = 'gone.yaml'\n"
    );
    let broken = GOOD.replace("window: 60s\n-", "window: 60\n-");
    noted(
        &rest,
        &[("rules.yaml", GOOD), ("v2.yaml", &broken)],
        &[
            &[
                "v2.yaml:4:3: rules.0.window: found 60, expected a duration",
                "; the worker will keep the rules that it has",
            ],
            &["gone.yaml: there is no such rules file; the worker will keep the rules that it has"],
        ],
    );
}

#[test]
fn what_comes_to_nothing_is_noted() {
    let files = [("rules.yaml", GOOD), ("v2.yaml", GOOD)];
    noted(FILE, &files, &[]);
    noted(
        &format!("{FILE}reload_every = '10s'\nstate = 'reset'"),
        &files,
        &[
            &["burst.toml:14:1: rules.reload_every: the file never changes"],
            &["burst.toml:15:1: rules.state: the file never changes"],
        ],
    );
    let change = "reload_every = '10s'\nchange = [{ at = '55s', file = 'v2.yaml' }]";
    noted(
        &format!("{FILE}{change}"),
        &files,
        &[&["burst.toml:15:13: rules.change.0.at: no reading finds this file"]],
    );
    noted(
        &format!("{FILE}{change}\n[[deployment]]\nrules = {{ reload_every = '1s' }}"),
        &files,
        &[],
    );
    noted(
        &format!("{FILE}charge = 'each'"),
        &files,
        &[&["burst.toml:14:1: rules.charge: never more than one rule applies"]],
    );
    let both = format!("{GOOD}- limit: 7/1m\n  default: true\n- endpoint: /api\n  limit: 7/1m\n");
    noted(
        FILE,
        &[("rules.yaml", &both)],
        &[
            &["rules.yaml:8:3: rules.2: applies to no request: wherever it could"],
            &["rules.yaml:10:3: rules.3: applies to no request of the traffic"],
        ],
    );
    let only = "[[deployment]]\nrules = { only = ['all'] }\n[[deployment]]\nname = 'b'\nrules = { only = ['/api/posts'] }";
    noted(
        &format!("{FILE}{}", only.replacen("rules", "name = 'a'\nrules", 1)),
        &[("rules.yaml", &both)],
        &[
            &["rules.yaml:5:3: rules.1: applies to no request"],
            &["rules.yaml:10:3: rules.3: applies to no request"],
        ],
    );
    noted(
        "user = { count = 3 }\n[[rule]]\nlimit = '5/1m'\nkey = 'ip'",
        &[],
        &[&["burst.toml:12:1: traffic.1.user: no rule counts by it"]],
    );
}

#[test]
fn a_rules_file_can_be_checked_by_itself() {
    let folder = Folder::new();
    folder.write("rules.yaml", GOOD);
    let printed = folder.succeeds(&["check", "rules.yaml"]);
    assert_eq!(
        printed,
        "[[rule]]\nname = \"/api/posts\"\ndefault = false\nendpoint = \"/api/posts\"\n\
         key = [\"client\"]\nlimit = \"5/1m\"\n\n\
         [[rule]]\nname = \"/api/login\"\ndefault = false\nendpoint = \"/api/login\"\n\
         key = [\"client\"]\nlimit = \"10/1m\"\n"
    );
    folder.write("rules.yml", GOOD.replace("10", "ten"));
    let outcome = folder.ratesim(&["check", "rules.yaml", "rules.yml"]);
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .starts_with("error: rules.yml:6:3: rules.1.limit: "),
        "{outcome:?}"
    );
    assert_eq!(outcome.stdout, "");
}

/// A limit that holds nobody beside rules.
#[test]
fn a_limit_beside_rules_is_noted_unless_it_is_that_of_the_first() {
    let limited = |limit: &str| {
        let folder = with(FILE, &[("rules.yaml", GOOD)]);
        let text = folder.read("burst.toml");
        folder.write("burst.toml", format!("limit = '{limit}'\n{text}"));
        folder.ratesim(&["check", "burst.toml"]).stderr
    };
    assert_eq!(limited("5/1m"), "");
    let noted = limited("7/1m");
    assert!(
        noted.contains("limit: found 7/1m, but each rule holds requests to a limit of its own"),
        "{noted}"
    );
}

/// A minute of one request a second to each endpoint, the logins of the same client: 5 posts and 10
/// logins pass, within the first seconds.
#[test]
fn a_run_by_rules_writes_a_row_for_each_rule_and_no_windows_of_clients() {
    let folder = with(
        "[[algorithm]]\nkind = 'fixed_window'\n[rules]\nfile = 'rules.yaml'",
        &[("rules.yaml", GOOD)],
    );
    let printed = folder.succeeds(&["run", "burst.toml", "-o", "out"]);
    assert!(
        printed.contains("2 rules, 120 requests of 1 key in 1 min"),
        "{printed}"
    );
    assert!(
        printed.contains("/api/posts 55, /api/login 50"),
        "{printed}"
    );
    assert!(
        printed.contains("fixed_window kept to the limits of its rules"),
        "{printed}"
    );
    assert_eq!(
        folder.read("out/rules.csv"),
        "candidate,rule,algorithm,limit,from_s,to_s,keys,requests,allowed,denied,denied_by_others,\
         offered_cost,allowed_cost,peak_in_window,overshoot,false_allow,false_deny,estimate_error\n\
         fixed_window,/api/posts,fixed_window,5/1m,0,60,1,60,5,55,0,60,5,5,1,0,0,\n\
         fixed_window,/api/login,fixed_window,10/1m,0,60,1,60,10,50,0,60,10,10,1,0,0,\n"
    );
    assert_eq!(
        folder.read("out/keys.csv").lines().nth(1),
        Some("all,fixed_window,120,15,105,,5,120")
    );
    let series = folder.read("out/series.csv");
    let windows = series.lines().skip(1).map(|row| row.split(',').nth(7));
    assert!(windows.into_iter().all(|cell| cell == Some("")), "{series}");
    let timeline = folder.read("out/timeline.csv");
    let rules: Vec<_> = timeline
        .lines()
        .map(|row| row.rsplit(',').next().unwrap())
        .collect();
    assert_eq!(rules[..3], ["rule", "/api/posts", "/api/login"]);
    for file in ["nodes.csv", "sequence.mmd", "window.svg", "envelope.svg"] {
        assert!(!folder.path().join("out").join(file).exists(), "{file}");
    }
}
