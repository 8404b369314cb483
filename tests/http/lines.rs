//! `timeline.jsonl` beside `timeline.csv`.

use crate::cli::Folder;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

type Line = BTreeMap<String, Box<RawValue>>;

/// Requests that are allowed, made to wait, denied, denied for ever and failed, with texts that a JSON
/// text or a spreadsheet would stumble on.
const ALL_KINDS: &str = r#"limit = "2/1s"
start = "2026-01-01T00:00:00Z"

[[traffic]]
pattern = "burst"
at = "250ms"
count = 3
keys = "=a\"b\\c\u001bd,é"
endpoint = "/api/\"quoted\""

[[traffic]]
pattern = "burst"
at = "0.250000001s"
cost = 9
keys = "large"

[[traffic]]
pattern = "burst"
at = "5s"
keys = "late"

[[algorithm]]
kind = "leaky_bucket"

[[algorithm]]
kind = "leaky_bucket"
name = "stuck"
outflow = "0/s"

[[deployment]]
name = "one"

[[deployment]]
name = "store"
store = "central"
rtt = "1ms"
timeout = "10ms"
on_store_failure = "fail_closed"
outage = [{ of = "store", from = "4s", to = "6s" }]
"#;

fn lines(text: &str) -> Vec<Line> {
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.lines().map(read).collect()
}

#[test]
fn every_line_holds_the_cells_of_its_row() {
    let folder = Folder::with(ALL_KINDS);
    let flags = ["--no-charts", "--format", "csv,jsonl"];
    folder.succeeds(&[&["run", "burst.toml"], &flags[..]].concat());
    let lines = lines(&folder.read("output/burst/timeline.jsonl"));
    let csv = folder.read("output/burst/timeline.csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!((rows.len(), lines.len()), (20, 20));
    let texts = ["candidate", "key", "endpoint", "decision", "reason", "rule"];
    let mut kinds = BTreeMap::new();
    for (row, line) in rows.iter().zip(&lines) {
        assert_eq!(line.len(), columns.len() + 1, "the columns and the headers");
        for (column, cell) in columns.iter().zip(row) {
            let json = line[column].get();
            let (kind, expected) = match cell {
                "" => ("absent", "null".to_owned()),
                "inf" => ("never", "\"inf\"".to_owned()),
                _ if texts.contains(&column) => {
                    let text: String = serde_json::from_str(json).unwrap();
                    assert_eq!(text, cell, "{column}");
                    continue;
                }
                number => {
                    let read: serde_json::Number = serde_json::from_str(json).unwrap();
                    assert!(!json.contains(['e', 'E']), "{read}");
                    ("number", number.to_owned())
                }
            };
            assert_eq!(json, expected, "{column} of {row:?}");
            *kinds.entry(kind).or_insert(0) += 1;
        }
        let headers: BTreeMap<String, String> =
            serde_json::from_str(line["headers"].get()).unwrap();
        let is_error = line["status"].get() == "503";
        assert_eq!(headers.is_empty(), is_error, "{headers:?}");
    }
    assert_eq!(
        kinds.into_keys().collect::<Vec<_>>(),
        ["absent", "never", "number"]
    );
    let reasons = ["over_limit", "too_large", "can_never_pass", "fail_closed"];
    for reason in reasons {
        let column = columns.iter().position(|name| name == "reason").unwrap();
        assert!(rows.iter().any(|row| &row[column] == reason), "{reason}");
    }
}

/// A bucket of one that gains one in 2 s: the second request waits 1.5 s, the third costs too much.
#[test]
fn a_line_is_what_a_client_sees() {
    let folder = Folder::with(
        "limit = '1/2s'
        start = '2026-01-01T00:00:00Z'
        traffic = [
            { pattern = 'script', at = ['0s', '500ms'], endpoint = '/search', keys = 'ann' },
            { pattern = 'burst', at = '500ms', cost = 2, keys = 'ann' },
        ]
        algorithm = [{ kind = 'token_bucket' }]",
    );
    folder.succeeds(&["run", "burst.toml", "--format", "jsonl", "--quiet"]);
    let policy = r#""RateLimit-Policy":"\"default\";q=1;w=2","RateLimit":"\"default\";r=0;t=2""#;
    let reset = |at: &str| {
        format!(
            r#""X-RateLimit-Limit":"1","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"{at}",{policy}"#
        )
    };
    let line = |begin: &str, request: u8, end: &str| {
        format!(
            r#"{{"time_s":{begin},"candidate":"token_bucket","request":{request},"attempt":1,"node":0,"key":"ann",{end}}}}}"#
        )
    };
    let expected = [
        line(
            "0",
            0,
            &format!(
                r#""endpoint":"/search","cost":1,"decision":"allow","status":200,"remaining":0,"retry_after_s":null,"delay_s":0,"level":0,"reason":null,"rule":null,"headers":{{{}"#,
                reset("1767225602")
            ),
        ),
        line(
            "0.5",
            1,
            &format!(
                r#""endpoint":"/search","cost":1,"decision":"deny","status":429,"remaining":0,"retry_after_s":1.5,"delay_s":null,"level":0.25,"reason":"over_limit","rule":null,"headers":{{{},"Retry-After":"2","X-Ratelimit-Retry-After":"2""#,
                reset("1767225602")
            ),
        ),
        line(
            "0.5",
            2,
            &format!(
                r#""endpoint":null,"cost":2,"decision":"deny","status":429,"remaining":0,"retry_after_s":"inf","delay_s":null,"level":0.25,"reason":"too_large","rule":null,"headers":{{{}"#,
                reset("1767225602")
            ),
        ),
    ];
    let text = folder.read("output/burst/timeline.jsonl");
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_timeline_is_written_in_the_forms_that_are_asked_for() {
    let folder = Folder::with(crate::cli::BURST);
    for (flags, csv, jsonl) in [
        (&[][..], true, false),
        (&["--format", "csv"], true, false),
        (&["--format", "jsonl"], false, true),
        (&["--format", "jsonl,csv"], true, true),
        (&["--format", "csv", "--format", "jsonl"], true, true),
    ] {
        let base = ["run", "burst.toml", "--no-charts", "--quiet"];
        folder.succeeds(&[&base[..], flags].concat());
        let files = folder.files("output/burst");
        let has = |name| files.contains_key(name);
        let found = (has("timeline.csv"), has("timeline.jsonl"));
        assert_eq!(found, (csv, jsonl), "{flags:?}");
        assert!(has("summary.csv"), "the other tables are always there");
        let index = String::from_utf8(files["run.json"].clone()).unwrap();
        assert_eq!(index.contains("timeline.jsonl"), jsonl, "{flags:?}");
    }
    let outcome = folder.ratesim(&["run", "burst.toml", "--format", "xml"]);
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    for part in ["xml", "csv", "jsonl", "--format"] {
        assert!(outcome.stderr.contains(part), "{part} in {outcome:?}");
    }
}
