//! Wrong input: a message with the place, what was found and what is allowed, exit status 2, and no
//! output touched.

use super::{BURST, Folder};

/// Runs and checks a wrong scenario; the message must begin with the place and hold all of `parts`.
pub(super) fn refused(folder: &Folder, arguments: &[&str], place: &str, parts: &[&str]) {
    for command in ["run", "check"] {
        let outcome = folder.ratesim(&[&[command], arguments].concat());
        let message = &outcome.stderr;
        assert_eq!(
            outcome.status,
            Some(2),
            "{command} {arguments:?}: {outcome:?}"
        );
        assert!(
            message.starts_with(&format!("error: {place}")),
            "expected {place} first, found {message}"
        );
        for part in parts {
            assert!(message.contains(part), "expected {part}, found {message}");
        }
        assert_eq!(outcome.stdout, "", "{command} {arguments:?}");
        let below = folder.files("output");
        assert!(below.is_empty() && !folder.path().join("output").exists());
    }
}

/// The scenario with one line (from 1) replaced.
fn with_line(number: usize, line: &str) -> String {
    let mut lines: Vec<&str> = BURST.lines().collect();
    lines[number - 1] = line;
    lines.join("\n") + "\n"
}

#[test]
fn a_wrong_value_is_named_with_its_line_and_what_is_allowed() {
    let cases: &[(usize, &str, &str, &[&str])] = &[
        // Slips of the pen.
        (
            2,
            "lmit = '5/1m'",
            "2:1: lmit: ",
            &["unknown field", "did you mean `limit`"],
        ),
        (
            1,
            "titel = 'x'",
            "1:1: titel: ",
            &["unknown field", "did you mean `title`"],
        ),
        (
            7,
            "cuont = 5",
            "7:1: traffic.0.cuont: ",
            &["unknown field", "did you mean `count`"],
        ),
        (
            5,
            "pattern = 'brust'",
            "5:1: traffic.0.pattern: ",
            &["`brust`", "did you mean `burst`"],
        ),
        (
            3,
            "[deploiment]",
            "3:2: deploiment: ",
            &["unknown field", "did you mean `deployment`"],
        ),
        (
            3,
            "[deployment]",
            "3:2: deployment: ",
            &["must be a list of tables, written [[deployment]]"],
        ),
        // Limits.
        (2, "", "1:1: limit: ", &["is required", "\"5/1m\""]),
        (
            2,
            "limit = '-5/1m'",
            "2:1: limit: ",
            &["`-5/1m` is negative"],
        ),
        (2, "limit = nan", "2:1: limit: ", &["`nan`", "number"]),
        (2, "limit = inf", "2:1: limit: ", &["`inf`", "number"]),
        (2, "limit = '1e99/s'", "2:1: limit: ", &["`1e99`", "number"]),
        (2, "limit = '5/0s'", "2:1: limit: ", &["no length"]),
        (2, "limit = '5/400d'", "2:1: limit: ", &["366 days"]),
        (2, "limit = '1000000000001/s'", "2:1: limit: ", &["10^12"]),
        (
            2,
            "limit = true",
            "2:1: limit: ",
            &["found true", "expected a limit"],
        ),
        // Plain fields.
        (1, "seed = -1", "1:1: seed: ", &["found -1", "whole number"]),
        (
            1,
            "seed = 1.5",
            "1:1: seed: ",
            &["found 1.5", "whole number"],
        ),
        (
            1,
            "seed = 18446744073709551616",
            "1:1: seed: ",
            &["found 18446744073709551616"],
        ),
        (
            1,
            "seed = 18446744073709551615",
            "1:1: seed: ",
            &["out of range", "allowed: 0 to"],
        ),
        (1, "duration = '-1s'", "1:1: duration: ", &["negative"]),
        (1, "duration = '0s'", "1:1: duration: ", &["longer than 0"]),
        (1, "duration = '999999w'", "1:1: duration: ", &["584 years"]),
        (
            1,
            "duration = 5",
            "1:1: duration: ",
            &["found 5", "\"250ms\""],
        ),
        (
            1,
            "start = 'yesterday'",
            "1:1: start: ",
            &["`yesterday`", "2026-01-01T00:00:00Z"],
        ),
        (
            1,
            "title = 5",
            "1:1: title: ",
            &["found 5", "text in quotes"],
        ),
        (
            1,
            "title = \"\\u001b[31m\"",
            "1:1: title: ",
            &["control characters"],
        ),
        // Traffic.
        (7, "count = -5", "7:1: traffic.0.count: ", &["found -5"]),
        (7, "count = nan", "7:1: traffic.0.count: ", &["found nan"]),
        (
            7,
            "count = 99999999999999999999",
            "7:1: traffic.0.count: ",
            &["99999999999999999999"],
        ),
        (6, "at = '-1s'", "6:1: traffic.0.at: ", &["negative"]),
        (
            6,
            "from = '5s'\nto = '5s'",
            "7:1: traffic.0.to: ",
            &["later than `from`"],
        ),
        (3, "duration = '30s'", "", &["burst.toml:"]),
        (
            8,
            "keys = { count = 8589934592 }",
            "8:10: traffic.0.keys.count: ",
            &["4294967295"],
        ),
        // TOML.
        (2, "limit = = '5/1m'", "2:9: this is not TOML", &["found `"]),
        (2, "limit = '5/1m", "2:", &["this is not TOML"]),
        (
            2,
            "title = 'again'\nlimit = '5/1m'",
            "2:1: this is not TOML: duplicate key",
            &["`title`"],
        ),
        (4, "[[traffic]", "4:", &["this is not TOML"]),
    ];
    for (number, line, place, parts) in cases {
        let folder = Folder::with(&with_line(*number, line));
        refused(
            &folder,
            &["burst.toml"],
            &format!("burst.toml:{place}"),
            parts,
        );
    }
}

#[test]
fn a_wrong_algorithm_is_named_with_its_line_and_what_is_allowed() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "kind = 'tokn_bucket'",
            "17:1: algorithm.0.kind: ",
            &["did you mean `token_bucket`"],
        ),
        (
            "kind = 'quux'",
            "17:1: algorithm.0.kind: ",
            &["`quux` is not known", "token_bucket"],
        ),
        ("name = 'x'", "16:1: algorithm.0.kind: ", &["is required"]),
        (
            "kind = 'token_bucket'\nrefil = 3",
            "18:1: algorithm.0.refil: ",
            &["did you mean `refill`"],
        ),
        (
            "kind = 'token_bucket'\ncapacity = -3",
            "18:1: algorithm.0.capacity: ",
            &["found -3"],
        ),
        (
            "kind = 'token_bucket'\nrefill = inf",
            "18:1: algorithm.0.refill: ",
            &["`inf`"],
        ),
        (
            "kind = 'token_bucket'\nname = ''",
            "18:1: algorithm.0.name: ",
            &["found \"\""],
        ),
        (
            "kind = 'token_bucket'\n[[algorithm]]\nkind = 'token_bucket'",
            "18:1: algorithm.1.name: ",
            &["second `token_bucket`", "name = "],
        ),
        (
            "kind = 'token_bucket'\nname = 'a'\n[[algorithm]]\nkind = 'token_bucket'\nname = 'a'",
            "21:1: algorithm.1.name: ",
            &["`a` is the name of an earlier algorithm"],
        ),
    ];
    for (fields, place, parts) in cases {
        let folder = Folder::with(&format!("{BURST}\n[[algorithm]]\n{fields}\n"));
        refused(
            &folder,
            &["burst.toml"],
            &format!("burst.toml:{place}"),
            parts,
        );
    }
}

#[test]
fn a_scenario_without_traffic_is_refused() {
    let folder = Folder::with("limit = '5/1m'\n");
    refused(
        &folder,
        &["burst.toml"],
        "burst.toml:1:1: traffic: is required",
        &["[[traffic]]"],
    );
    let folder = Folder::with("limit = '5/1m'\n[[traffic]]\npattern = 'burst'\ncount = 0\n");
    refused(&folder, &["burst.toml"], "burst.toml:", &["empty"]);
    let folder = Folder::with("limit = '5/1m'\ntraffic = 3\n");
    refused(
        &folder,
        &["burst.toml"],
        "burst.toml:2:1: traffic: ",
        &["[[traffic]]"],
    );
}

#[test]
fn a_file_that_is_no_scenario_is_refused() {
    let folder = Folder::new();
    folder.write("folder.toml/x", "");
    folder.write("latin.toml", b"# ok\ntitle = 'caf\xe9'\n");
    refused(
        &folder,
        &["missing.toml"],
        "missing.toml: ",
        &["no such", "caused by: "],
    );
    refused(&folder, &["folder.toml"], "folder.toml: is a folder", &[]);
    refused(
        &folder,
        &["latin.toml"],
        "latin.toml:2:13: ",
        &["0xe9", "UTF-8"],
    );
}

#[test]
fn a_trace_that_cannot_be_read_is_refused() {
    let folder = Folder::with(
        "limit = '5/1m'\n[[traffic]]\npattern = 'trace'\nfile = 'log.csv'\nformat = 'csv'\n",
    );
    refused(
        &folder,
        &["burst.toml"],
        "burst.toml:4:1: traffic.0.file: ",
        &["log.csv"],
    );
    folder.write("log.csv", "time\nnoon\nlater\n");
    refused(
        &folder,
        &["burst.toml"],
        "burst.toml:4:1: traffic.0.file: ",
        &["valid"],
    );
    folder.write("dir/log.csv/x", "");
    folder.write("dir/burst.toml", folder.read("burst.toml"));
    refused(
        &folder,
        &["dir/burst.toml"],
        "dir/burst.toml:4:1: traffic.0.file: ",
        &["log.csv"],
    );
}

#[test]
fn a_wrong_flag_is_named_as_the_user_wrote_it() {
    let folder = Folder::with(BURST);
    let cases: &[(&[&str], &str, &[&str])] = &[
        (&["--limit", "-1/s"], "--limit -1/s: limit: ", &["negative"]),
        (&["--limit", "many"], "--limit many: limit: ", &["`many`"]),
        (
            &["--seed", "18446744073709551615"],
            "--seed 18446744073709551615: seed: ",
            &["range"],
        ),
        (
            &["--algorithm", "gcar"],
            "--algorithm gcar: `gcar` is not known",
            &["token_bucket"],
        ),
        (
            &["--set", "traffic.0.cuont=3"],
            "--set traffic.0.cuont=3: traffic.0.cuont: unknown field",
            &["did you mean `count`"],
        ),
        (
            &["--set", "traffic.2.count=3"],
            "--set traffic.2.count=3: traffic.2: ",
            &["has 2"],
        ),
        (
            &["--set", "traffic.0.count=x"],
            "--set traffic.0.count=x: traffic.0.count: ",
            &["\"x\""],
        ),
        (&["--set", "nothing"], "--set nothing: ", &["path=value"]),
    ];
    for (flags, place, parts) in cases {
        refused(&folder, &[&["burst.toml"], *flags].concat(), place, parts);
    }
}

#[test]
fn a_run_larger_than_allowed_says_how_large_before_it_starts() {
    let folder = Folder::with(BURST);
    let outcome = folder.ratesim(&["run", "burst.toml", "--max-requests", "9"]);
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    for part in ["about 10 requests", "allowed are 9", "--max-requests"] {
        assert!(outcome.stderr.contains(part), "{outcome:?}");
    }
    assert!(folder.files("output").is_empty());
}

#[test]
fn one_wrong_scenario_among_several_stops_all_before_the_first_runs() {
    let folder = Folder::with(BURST);
    folder.write("wrong.toml", "limit = 'x'\n");
    refused(
        &folder,
        &["burst.toml", "wrong.toml"],
        "wrong.toml:1:1: limit: ",
        &[],
    );
}

#[test]
fn pictures_must_show_a_span_of_the_run() {
    let folder = Folder::with(BURST);
    for (flags, part) in [
        (
            ["--from", "1m", "--to", "30s"],
            "--to must be later than --from",
        ),
        (
            ["--from", "1h", "--to", "2h"],
            "--from must lie before the end of the run",
        ),
        (["--from", "x", "--to", "2h"], "`x`"),
    ] {
        let outcome = folder.ratesim(&[&["run", "burst.toml"], &flags[..]].concat());
        assert_eq!(outcome.status, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(part), "{outcome:?}");
    }
    assert!(folder.files("output").is_empty());
}

#[test]
fn more_keys_than_memory_allows_are_refused_with_the_estimate() {
    let folder = Folder::with(&with_line(8, "keys = { count = 20000 }"));
    let flags = ["burst.toml", "--max-memory", "1"];
    let parts = ["MB", "allowed"];
    for command in ["run", "check"] {
        let outcome = folder.ratesim(&[&[command], &flags[..]].concat());
        assert_eq!(outcome.status, Some(2), "{outcome:?}");
        for part in parts {
            assert!(outcome.stderr.contains(part), "{outcome:?}");
        }
    }
    assert!(folder.files("output").is_empty());
}
