//! Rules of a scenario that cannot be meant, refused with their line.

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
pub(super) fn with(rest: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(&format!("{BEFORE}{rest}\n"));
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

/// Checks that each text is refused at its place with all of the parts.
pub(super) fn all_refused(cases: &[(&str, &str, &[&str])], folder: impl Fn(&str) -> Folder) {
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

/// Rules that stand in a file.
pub(super) const FILE: &str = "[rules]\nfile = 'rules.yaml'\n";

/// Such a file.
pub(super) const GOOD: &str = "rules:\n- endpoint: /api/posts\n  limit: 5\n  window: 60s\n\
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

/// One limit's state lies in a store as a whole; what is simulated of rules there is asked in one step.
#[test]
fn what_is_not_simulated_of_rules_is_refused_at_its_field() {
    let rule = "[[rule]]\nlimit = '5/1m'\n";
    for (deployment, place, found) in [
        (
            "store = 'leased'\nbatch = 5",
            "burst.toml:15:1: deployment.0.store: ",
            "found \"leased\"",
        ),
        (
            "store = 'central'\naccess = 'read_then_write'",
            "burst.toml:16:1: deployment.0.access: ",
            "found \"read_then_write\"",
        ),
        (
            "store = 'central'\naccess = 'read_then_increment'",
            "burst.toml:16:1: deployment.0.access: ",
            "found \"read_then_increment\"",
        ),
    ] {
        refused(
            &with(&format!("{rule}[[deployment]]\n{deployment}"), &[]),
            &["burst.toml"],
            place,
            &[
                found,
                "simulated for one state",
                "\"local\", \"synced\", or \"central\" with access = \"atomic\"",
                "leave the rules out",
            ],
        );
    }
    let text = format!("reference = 'offered'\n{BEFORE}{rule}");
    refused(
        &Folder::with(&text),
        &["burst.toml"],
        "burst.toml:1:1: reference: ",
        &[
            "found \"offered\"",
            "there are rules",
            "allowed with rules: \"forwarded\"",
        ],
    );
}
