//! What is around a limiter: what is refused or noted of it, and what is written.

use super::Folder;
use super::bad_input::refused;

/// Two lines before the tables of a case, which are followed by traffic.
fn folder(tables: &str) -> Folder {
    Folder::with(&format!(
        "limit = '2/1s'\nduration = '10s'\n{tables}\n[[traffic]]\npattern = 'burst'\ncount = 5\n"
    ))
}

/// Every case: tables from the third line on, the place after the file's name, and parts of the message.
fn all_refused(cases: &[(&str, &str, &[&str])]) {
    for (tables, place, parts) in cases {
        let place = format!("burst.toml:{place}");
        refused(&folder(tables), &["burst.toml"], &place, parts);
    }
}

#[test]
fn contradictions_of_what_is_over_the_limit_are_refused() {
    all_refused(&[
        (
            "over_limit = 'queue'",
            "3:1: over_limit: ",
            &["found \"queue\"", "capacity = 100"],
        ),
        (
            "[over_limit]\naction = 'quue'",
            "4:1: over_limit.action: ",
            &["did you mean `queue`"],
        ),
        (
            "[over_limit]\ncapacity = 3",
            "4:1: over_limit.capacity: ",
            &["found 3", "action = \"queue\""],
        ),
        (
            "[over_limit]\naction = 'drop'\ndrain_rate = '5/s'",
            "5:1: over_limit.drain_rate: ",
            &["found \"5/s\"", "action = \"queue\""],
        ),
        (
            "[over_limit]\naction = 'queue'\ndrain_rate = '5/s'",
            "3:2: over_limit.capacity: ",
            &["is required", "capacity = 100"],
        ),
        (
            "[over_limit]\naction = 'queue'\ncapacity = 5",
            "3:2: over_limit.drain_rate: ",
            &["is required", "\"5/s\""],
        ),
        (
            "[over_limit]\naction = 'queue'\ncapacity = 0\ndrain_rate = '5/s'",
            "5:1: over_limit.capacity: ",
            &["0 is out of range", "action = \"drop\""],
        ),
        (
            "[over_limit]\naction = 'queue'\ncapacity = 5\ndrain_rate = '0/s'",
            "6:1: over_limit.drain_rate: ",
            &["found 0", "more than 0"],
        ),
        (
            "[over_limit]\naction = 'queue'\ncapacity = 5\ndrain_rate = '5/s'\nroom = 3",
            "7:1: over_limit.room: ",
            &["unknown field"],
        ),
        (
            "[[deployment]]\nover_limit = { action = 'queue', capacity = 5 }",
            "4:1: deployment.0.over_limit.drain_rate: ",
            &["is required"],
        ),
    ]);
}

#[test]
fn contradictions_of_the_backend_are_refused() {
    all_refused(&[
        (
            "backend = 4",
            "3:1: backend: ",
            &["found 4", "service_time"],
        ),
        (
            "[backend]\nworkers = 4",
            "3:2: backend.service_time: ",
            &["is required", "\"20ms\""],
        ),
        (
            "[backend]\nservice_time = '0s'",
            "4:1: backend.service_time: ",
            &["found 0s", "longer"],
        ),
        (
            "[backend]\nservice_time = '1s'\nworkers = 0",
            "5:1: backend.workers: ",
            &["0 is out of range", "1 to 100000"],
        ),
        (
            "[backend]\nservice_time = '1s'\nqueue = -1",
            "5:1: backend.queue: ",
            &["not negative"],
        ),
        (
            "[backend]\nservice_tme = '1s'",
            "4:1: backend.service_tme: ",
            &["did you mean `service_time`"],
        ),
    ]);
}

#[test]
fn what_belongs_to_another_placement_is_refused() {
    const BACKEND: &str = "[backend]\nservice_time = '1ms'\n[[deployment]]\n";
    let cases = [
        (
            "placement = 'sever'",
            "6",
            "placement",
            "did you mean `server`",
        ),
        ("placement = 'client'", "5", "bypass", "is required"),
        ("placement = 'middleware'", "5", "hop", "is required"),
        ("bypass = 0.1", "6", "bypass", "none is given"),
        ("bypass_by = 'all'", "6", "bypass_by", "none is given"),
        ("deny_cost = 0.1", "6", "deny_cost", "none is given"),
        ("hop = '1ms'", "6", "hop", "none is given"),
        (
            "placement = 'server'\nbypass = 0.1",
            "7",
            "bypass",
            "it is for placement = \"client\", and this one is \"server\"",
        ),
        (
            "placement = 'gateway'\nbypass_by = 'all'",
            "7",
            "bypass_by",
            "it is for placement = \"client\", and this one is \"gateway\"",
        ),
        (
            "placement = 'gateway'\ndeny_cost = 0.1",
            "7",
            "deny_cost",
            "it is for placement = \"server\", and this one is \"gateway\"",
        ),
        (
            "placement = 'client'\nbypass = 0.1\nhop = '1ms'",
            "8",
            "hop",
            "it is for placement = \"middleware\" or \"gateway\", and this one is \"client\"",
        ),
        (
            "placement = 'client'\nbypass = 1.1",
            "7",
            "bypass",
            "not a share from 0 to 1",
        ),
        (
            "placement = 'client'\nbypass = 1\nbypass_by = 'illegitimate'",
            "8",
            "bypass_by",
            "legitimate = false",
        ),
        (
            "placement = 'gateway'\nhop = '2d'",
            "7",
            "hop",
            "longer than 1d",
        ),
    ];
    for (fields, line, name, part) in cases {
        let folder = folder(&format!("{BACKEND}{fields}"));
        let place = format!("burst.toml:{line}:1: deployment.0.{name}: ");
        refused(&folder, &["burst.toml"], &place, &[part]);
    }
    let alone = folder("[[deployment]]\nplacement = 'gateway'");
    let place = "burst.toml:4:1: deployment.0.placement: ";
    refused(&alone, &["burst.toml"], place, &["[backend]"]);
}

#[test]
fn a_table_that_no_deployment_takes_is_noted() {
    let text = "[over_limit]\naction = 'queue'\ncapacity = 5\ndrain_rate = '5/s'\n[[deployment]]\n";
    let own = folder(&format!("{text}over_limit = {{ action = 'drop' }}"));
    let outcome = own.ratesim(&["run", "burst.toml", "--no-charts"]);
    let note = "burst.toml:3:2: over_limit: every deployment has its own";
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
    let taken = folder(text).ratesim(&["run", "burst.toml", "--no-charts"]);
    assert!(!taken.stderr.contains("over_limit"), "{}", taken.stderr);
}

/// Two of five pass at once. The others are messages that are taken after 0.5, 1 and 1.5 s; with room for
/// two, the last is refused, and after 0.5 s there is room.
const QUEUE: &str = "[over_limit]\naction = 'queue'\ncapacity = 2\ndrain_rate = '2/s'\n\
    [backend]\nservice_time = '100ms'\n[[algorithm]]\nkind = 'token_bucket'\n[[deployment]]";

#[test]
fn a_message_is_answered_202_and_one_without_room_429() {
    let folder = folder(QUEUE);
    folder.succeeds(&["run", "burst.toml", "--no-charts"]);
    let timeline = folder.read("output/burst/timeline.csv");
    let mut reader = csv::Reader::from_reader(timeline.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let columns = ["decision", "status", "retry_after_s", "delay_s", "reason"];
    let columns = columns.map(|name| headers.iter().position(|header| header == name).unwrap());
    let cells = |row: csv::StringRecord| columns.map(|column| row[column].to_owned()).join(" ");
    let rows: Vec<_> = reader.records().map(|row| cells(row.unwrap())).collect();
    assert_eq!(
        rows,
        [
            "allow 200  0 ",
            "allow 200  0 ",
            "delay 202  0.5 queued",
            "delay 202  1 queued",
            "deny 429 0.5  overflow",
        ]
    );
}

/// By hand: with the limiter two are served at once, 100 ms each, one after the other; messages come when
/// the worker has nothing to do, at 0.5 and 1 s, and their clients no longer wait. Without it the five are
/// served one after the other.
#[test]
fn the_backend_has_a_row_with_and_one_without_the_limiter() {
    let folder = folder(QUEUE);
    folder.succeeds(&["run", "burst.toml", "--no-charts"]);
    let rows = folder.read("output/burst/backend.csv");
    let expected = "candidate,limiter,reached,served,denied,overloaded,unfinished,bypassed,utilisation,work_s,\
        wasted_work_s,queue_peak,response_p50_s,response_p99_s,response_max_s,legitimate_response_p99_s,\
        legitimate_lost\n\
        token_bucket,with,4,4,0,0,0,,0.04,0.4,0,1,0.1,0.2,0.2,,\n\
        token_bucket,without,5,5,0,0,0,,0.05,0.5,0,4,0.3,0.5,0.5,,\n";
    assert_eq!(rows, expected);
    // Buckets of 20 ms: two wait from the beginning, one from 0.5 s on, none from 1 s on. Both came in the
    // first one, and the second waits for 1 s.
    let series = folder.read("output/burst/series.csv");
    let depths = series.lines().skip(1).map(|line| {
        let cells: Vec<_> = line.split(',').collect();
        [0, cells.len() - 2, cells.len() - 1].map(|column| cells[column].to_owned())
    });
    let depths: Vec<_> = depths.collect();
    for bucket in [
        ["0", "2", "1"],
        ["0.48", "2", ""],
        ["0.5", "1", ""],
        ["0.98", "1", ""],
        ["1", "0", ""],
    ] {
        let bucket = bucket.map(str::to_owned);
        assert!(depths.contains(&bucket), "{bucket:?}");
    }
    let summary = folder.read("output/burst/summary.csv");
    let [header, row] = summary.lines().collect::<Vec<_>>()[..] else {
        panic!("one candidate");
    };
    let cell = |name: &str| {
        let column = header.split(',').position(|column| column == name).unwrap();
        row.split(',').nth(column).unwrap()
    };
    for (name, value) in [
        ("allowed", "4"),
        ("delayed", "2"),
        ("denied", "1"),
        ("queued", "2"),
        ("overflow", "1"),
        ("queue_depth_peak", "2"),
        ("queue_wait_p50_s", "0.5"),
        ("queue_wait_max_s", "1"),
        ("left_in_queue", "0"),
        ("backend_utilisation", "0.04"),
        ("response_p99_s", "0.2"),
        ("overloaded", "0"),
        ("bypassed", ""),
        ("wasted_work_share", "0"),
    ] {
        assert_eq!(cell(name), value, "{name}");
    }
}
