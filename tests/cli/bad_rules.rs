//! Rules that cannot be meant: refused with their line, in the scenario and in a rules file; and what a
//! file says that breaks during the run.

use super::Folder;
use super::bad_input::refused;

/// A minute of requests for two endpoints; what follows begins in the twelfth line.
const BEFORE: &str = "duration = '1m'
[[traffic]]
pattern = 'steady'
rate = '1/s'
endpoint = '/api/posts'
[[traffic]]
pattern = 'steady'
rate = '1/s'
endpoint = '/api/login'
method = 'POST'

";

/// The scenario with what follows, and rules files of these texts.
fn with(rest: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(&format!("{BEFORE}{rest}\n"));
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

/// Checks that each text is refused at its place with all of the parts.
fn all_refused(cases: &[(&str, &str, &[&str])], folder: impl Fn(&str) -> Folder) {
    for (text, place, parts) in cases {
        refused(&folder(text), &["burst.toml"], place, parts);
    }
}

/// Rules that begin in the twelfth line of the scenario.
#[test]
fn a_wrong_rule_of_the_scenario_is_named_with_its_line() {
    all_refused(
        &[
            ("", "burst.toml:1:1: limit: ", &["is required"]),
            (
                "[[rule]]",
                "burst.toml:12:1: rule.0.limit: ",
                &["is required", "\"5/1m\"", "`window`"],
            ),
            (
                "[rule]",
                "burst.toml:12:2: rule: ",
                &["must be a list of tables, written [[rule]]"],
            ),
            (
                "[[rule]]\nlimit = 5",
                "burst.toml:13:1: rule.0.limit: ",
                &["found 5, which has no window", "\"60s\"", "\"5/1m\""],
            ),
            (
                "[[rule]]\nlimt = '5/1m'",
                "burst.toml:13:1: rule.0.limt: ",
                &["did you mean `limit`"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nwindow = '1m'",
                "burst.toml:14:1: rule.0.window: ",
                &["the limit, \"5/1m\", has its window already"],
            ),
            (
                "[[rule]]\nlimit = 1.5\nwindow = '1m'",
                "burst.toml:13:1: rule.0.limit: ",
                &["found 1.5, expected a whole number"],
            ),
            (
                "[[rule]]\nlimit = 5\nwindow = '400d'",
                "burst.toml:14:1: rule.0.window: ",
                &["allowed: longer than 0s, and up to 366 days"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nendpoint = '/a/**/b'",
                "burst.toml:14:1: rule.0.endpoint: ",
                &[
                    "`/a/**/b` has `**` before its end",
                    "allowed: a path such as",
                ],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nendpoint = ['/a']",
                "burst.toml:14:1: rule.0.endpoint: ",
                &["found a list, expected a path"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nmethods = []",
                "burst.toml:14:1: rule.0.methods: ",
                &["found an empty list", "leave it out for all methods"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nmethods = ['GET', 'get']",
                "burst.toml:14:1: rule.0.methods: ",
                &["has GET twice"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nmethods = ['GET /x']",
                "burst.toml:14:1: rule.0.methods: ",
                &["found \"GET /x\", expected a method such as \"GET\""],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nmethod = 'GET'\nmethods = ['GET']",
                "burst.toml:14:1: rule.0.method: ",
                &["the same as `methods`"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nkey = 'usr'",
                "burst.toml:14:1: rule.0.key: ",
                &[
                    "did you mean `user`",
                    "client, ip, user, api_key, endpoint, method, global",
                ],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nkey = ['ip', 'global']",
                "burst.toml:14:1: rule.0.key: ",
                &["has \"global\", one key for all, beside other parts"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nkey = ['ip', 'ip']",
                "burst.toml:14:1: rule.0.key: ",
                &["has \"ip\" twice"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nkey = []",
                "burst.toml:14:1: rule.0.key: ",
                &["found an empty list", "\"global\""],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nipv6_prefix = 56",
                "burst.toml:14:1: rule.0.ipv6_prefix: ",
                &["is for a `key` with \"ip\""],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nkey = 'ip'\nipv4_prefix = 33",
                "burst.toml:15:1: rule.0.ipv4_prefix: ",
                &["33 is out of range; allowed: 0 to 32"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\ncost = -1",
                "burst.toml:14:1: rule.0.cost: ",
                &["found -1, expected a whole number"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\ncost = 2_000_000_000_000",
                "burst.toml:14:1: rule.0.cost: ",
                &["allowed: 0 to 1000000000000"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nalgorithm = 'tokn_bucket'",
                "burst.toml:14:1: rule.0.algorithm: ",
                &["did you mean `token_bucket`"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nalgorithm = 5",
                "burst.toml:14:1: rule.0.algorithm: ",
                &["found 5, expected a kind such as \"gcra\""],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nalgorithm = { capacity = 5 }",
                "burst.toml:14:1: rule.0.algorithm.kind: ",
                &["is required"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nalgorithm = { kind = 'gcra', brust = 5 }",
                "burst.toml:14:30: rule.0.algorithm.brust: ",
                &["unknown field", "did you mean `burst`"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\ndefault = 'yes'",
                "burst.toml:14:1: rule.0.default: ",
                &["found \"yes\", expected true or false"],
            ),
            (
                "[[rule]]\nlimit = '5/1m'\nname = 'a,b'",
                "burst.toml:14:1: rule.0.name: ",
                &["neither commas nor control characters"],
            ),
            (
                "[[rule]]\nlimit = '5/1s'\nname = 'a'\n[[rule]]\nlimit = '5/1m'\nname = 'a'",
                "burst.toml:17:1: rule.1.name: ",
                &["`a` is the name of an earlier rule"],
            ),
            (
                "[[rule]]\nlimit = '5/1s'\n[[rule]]\nlimit = '5/1m'",
                "burst.toml:14:1: rule.1.name: ",
                &[
                    "an earlier rule is called `all` too",
                    "give one of them a `name`",
                ],
            ),
            (
                "[[rule]]\nlimit = '5/1s'\nendpiont = '/a'",
                "burst.toml:14:1: rule.0.endpiont: ",
                &["unknown field", "did you mean `endpoint`"],
            ),
        ],
        |rest| with(rest, &[]),
    );
}

const FILE: &str = "[rules]\nfile = 'rules.yaml'\n";

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

const GOOD: &str = "rules:\n- endpoint: /api/posts\n  limit: 5\n  window: 60s\n\
                    - endpoint: /api/login\n  limit: 10\n  window: 60s\n";

#[test]
fn a_wrong_table_of_rules_is_named_with_its_line() {
    let change = "reload_every = '10s'\nchange = [{ at = '30s', file = 'rules.yaml' }]\n";
    let cases = [
        (
            "[rules]\ncharge = 'each'",
            "burst.toml:12:2: rules.file: ",
            "is required where there is no [[rule]]",
        ),
        (
            "[[rules]]\nlimit = '5/1m'",
            "burst.toml:12:3: rules: ",
            "written [rules]; a rule is a [[rule]]",
        ),
        (
            &format!("{FILE}[[rule]]\nlimit = '5/1m'"),
            "burst.toml:14:3: rule: ",
            "the rules stand in a `file` already",
        ),
        (
            &format!("{FILE}charge = 'any'"),
            "burst.toml:14:1: rules.charge: ",
            "allowed: all, each",
        ),
        (
            &format!("{FILE}reload_every = '0s'"),
            "burst.toml:14:1: rules.reload_every: ",
            "longer than 0s",
        ),
        (
            &format!("{FILE}relod_every = '5s'"),
            "burst.toml:14:1: rules.relod_every: ",
            "`reload_every`",
        ),
        (
            &format!("{FILE}change = [{{ at = '30s', file = 'rules.yaml' }}]"),
            "burst.toml:12:2: rules.reload_every: ",
            "is required where the file changes",
        ),
        (
            &format!("{FILE}{change}state = 'keep'"),
            "burst.toml:16:1: rules.state: ",
            "did you mean `kept`",
        ),
        (
            &format!("{FILE}{}", change.replace("30s", "2m")),
            "burst.toml:15:13: rules.change.0.at: ",
            "2m is not within the run",
        ),
        (
            &format!("{FILE}{}", change.replace("30s", "0s")),
            "burst.toml:15:13: rules.change.0.at: ",
            "later than 0s",
        ),
        (
            &format!("{FILE}reload_every = '5s'\n[[rules.change]]\nat = '1s'"),
            "burst.toml:15:1: rules.change.0.file: ",
            "is required",
        ),
        (
            "[[rule]]\nlimit = '5/1m'\n[rules]\nreload_every = '5s'",
            "burst.toml:15:1: rules.reload_every: ",
            "those of the scenario never change",
        ),
        (
            "[[rule]]\nlimit = '5/1m'\n[[rules.change]]\nat = '5s'\nfile = 'rules.yaml'",
            "burst.toml:14:9: rules.change: ",
            "put them into one",
        ),
        (
            &format!("{FILE}[[deployment]]\nrules = {{ only = ['/api/post'] }}"),
            "burst.toml:15:11: deployment.0.rules.only: ",
            "did you mean `/api/posts`",
        ),
        (
            &format!("{FILE}[[deployment]]\nrules = {{ only = [] }}"),
            "burst.toml:15:11: deployment.0.rules.only: ",
            "found an empty list",
        ),
        (
            &format!("{FILE}[[deployment]]\nrules = 'all'"),
            "burst.toml:15:1: deployment.0.rules: ",
            "must be a table",
        ),
        (
            "[[deployment]]\nrules = { charge = 'each' }\n[[rule]]\nlimit = '5/1m'\nkey = 'nobody'",
            "burst.toml:16:1: rule.0.key: ",
            "`nobody` is not known",
        ),
    ];
    for (rest, place, part) in cases {
        refused(
            &with(rest, &[("rules.yaml", GOOD)]),
            &["burst.toml"],
            place,
            &[part],
        );
    }
}

/// Without rules nobody counts by addresses or goes by rules.
#[test]
fn what_only_rules_ask_for_is_refused_without_them() {
    for (rest, place, part) in [
        (
            "user = 'alice'",
            "burst.toml:13:1: traffic.1.user: ",
            "add a [[rule]]",
        ),
        (
            "[[deployment]]\nrules = { charge = 'each' }",
            "burst.toml:14:1: deployment.0.rules: ",
            "there are no rules to go by",
        ),
    ] {
        let text = format!("limit = '5/1m'\n{BEFORE}{rest}\n");
        refused(&Folder::with(&text), &["burst.toml"], place, &[part]);
    }
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
