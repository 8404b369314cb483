//! Contradictory clients: refused, or noted, by name and line.

use super::Folder;
use super::bad_input::refused;

/// The client is in the sixth line.
const BEFORE: &str =
    "limit = '10/1s'\nduration = '1m'\n[[traffic]]\npattern = 'burst'\ncount = 3\n";

#[test]
fn wrong_clients_are_refused() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "'fixed'",
            "client: ",
            &["found \"fixed\"", "expected a table such as { retry"],
        ),
        (
            "{}",
            "client.retry: ",
            &["is required", "immediate, fixed, exponential"],
        ),
        (
            "{ retry = 'fixd' }",
            "client.retry: ",
            &["did you mean `fixed`"],
        ),
        (
            "{ retry = 'fixed' }",
            "client.wait: ",
            &["is required", "wait = \"1s\""],
        ),
        (
            "{ retry = 'fixed', wait = '0s' }",
            "client.wait: ",
            &["longer", "immediate"],
        ),
        (
            "{ retry = 'immediate', wait = '1s' }",
            "client.wait: ",
            &[
                "found \"1s\"",
                "\"fixed\" or \"retry_after\"",
                "this one is \"immediate\"",
            ],
        ),
        (
            "{ retry = 'none', max_attempts = 3 }",
            "client.max_attempts: ",
            &["this one is \"none\""],
        ),
        (
            "{ retry = 'none', give_up = '1s' }",
            "client.give_up: ",
            &["nothing to give up"],
        ),
        (
            "{ retry = 'immediate', max_attempts = 0 }",
            "client.max_attempts: ",
            &["0 is out of range; allowed: 1 to 1000000"],
        ),
        (
            "{ retry = 'exponential', factor = 0.5 }",
            "client.factor: ",
            &["from 1 to 1000"],
        ),
        (
            "{ retry = 'exponential', base = '1m', cap = '1s' }",
            "client.cap: ",
            &["found 1s", "no shorter than `base`, 1m"],
        ),
        (
            "{ retry = 'exponential', jitter = 'decorrelated', factor = 2 }",
            "client.factor: ",
            &["three times the wait before"],
        ),
        (
            "{ retry = 'exponential', jitter = 'ful' }",
            "client.jitter: ",
            &["did you mean `full`"],
        ),
        (
            "{ retry = 'fixed', wait = '5s', give_up = '4s' }",
            "client.give_up: ",
            &["found 4s", "no retry comes before 5s"],
        ),
        (
            "{ retry = 'immediate', spred = '1s' }",
            "client.spred: ",
            &["did you mean `spread`"],
        ),
    ];
    for (client, place, parts) in cases {
        let folder = Folder::with(&format!("{BEFORE}client = {client}\n"));
        let place = format!("traffic.0.{place}");
        let parts = [&[place.as_str()], *parts].concat();
        refused(&folder, &["burst.toml"], "burst.toml:6:", &parts);
    }
}

#[test]
fn what_every_block_says_itself_nobody_else_has_to() {
    let client = "client = { retry = 'immediate' }\n";
    let folder = Folder::with(&format!("{client}{BEFORE}{client}[[deployment]]\n{client}"));
    let outcome = folder.ratesim(&["check", "burst.toml"]);
    assert_eq!(outcome.status, Some(0));
    for place in [
        "burst.toml:1:1: client: ",
        "burst.toml:9:1: deployment.0.client: ",
    ] {
        let note = format!("{place}every traffic block has a `client` of its own");
        assert!(outcome.stderr.contains(&note), "{}", outcome.stderr);
    }
}

#[test]
fn a_wait_that_is_longer_than_the_run_is_noted() {
    let client = "client = { retry = 'fixed', wait = '1m' }\n";
    let deployment = format!("[[deployment]]\n{client}");
    for (text, place) in [
        (format!("{client}{BEFORE}"), "1:1: client: "),
        (format!("{BEFORE}{client}"), "6:1: traffic.0.client: "),
        (
            format!("{BEFORE}{deployment}"),
            "7:1: deployment.0.client: ",
        ),
    ] {
        let folder = Folder::with(&text);
        let outcome = folder.ratesim(&["check", "burst.toml"]);
        let note = format!("burst.toml:{place}no retry comes before 1m, when the run is over");
        assert!(outcome.stderr.contains(&note), "{}", outcome.stderr);
        let shorter = Folder::with(&text.replace("wait = '1m'", "wait = '59s'"));
        let outcome = shorter.ratesim(&["check", "burst.toml"]);
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
fn clients_that_could_try_too_often_are_refused() {
    let client = "client = { retry = 'immediate', max_attempts = 1000000 }\n";
    let folder = Folder::with(&format!("{BEFORE}{client}"));
    let parts = ["up to about 3,000,000 attempts", "lower `max_attempts`"];
    refused(
        &folder,
        &["burst.toml", "--max-requests", "100"],
        "--max-requests 100",
        &parts,
    );
}
