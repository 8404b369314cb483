//! Traces: what their files say, and every defect that files have.

use super::*;
use crate::units::Epoch;
use crate::workload::trace::zstd_frame as zstd;
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write;
use tempfile::TempDir;

/// A folder with a file `t` of these bytes.
fn folder(bytes: impl AsRef<[u8]>) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("t"), bytes).unwrap();
    folder
}

/// Reads a trace block over these bytes, with `more` fields.
fn trace(bytes: impl AsRef<[u8]>, top: &str, more: &str) -> (TempDir, Result<Resolved>) {
    let folder = folder(bytes);
    let text = format!("{top}\n[[traffic]]\npattern = \"trace\"\nfile = \"t\"\n{more}");
    let resolved = read_in(&text, folder.path());
    (folder, resolved)
}

/// (seconds, cost, key) of each arrival.
fn seen(bytes: impl AsRef<[u8]>, top: &str, more: &str) -> Vec<(f64, u64, String)> {
    let (_folder, resolved) = trace(bytes, top, more);
    let workload = resolved.unwrap_or_else(|error| panic!("{error}")).workload;
    let all = arrivals(&workload, 0);
    assert_eq!(workload.expected_requests(), all.len() as u64);
    let keys = workload.keys();
    all.iter()
        .map(|arrival| {
            let seconds = Nanos::new(arrival.at.as_nanos()).as_secs_f64();
            (
                seconds,
                arrival.cost,
                keys[arrival.key.0 as usize].to_owned(),
            )
        })
        .collect()
}

fn row(seconds: f64, cost: u64, key: &str) -> (f64, u64, String) {
    (seconds, cost, key.to_owned())
}

/// What a wrong trace is told.
fn refused(bytes: impl AsRef<[u8]>, more: &str) -> String {
    let (_folder, resolved) = trace(bytes, "", more);
    match resolved {
        Ok(_) => panic!("accepted"),
        Err(error) => {
            assert_eq!(error.exit_status(), 2);
            error.to_string()
        }
    }
}

#[test]
fn columns_are_found_by_their_own_names() {
    let csv = "key,time,cost,other\na,0.5,3,x\nb,1,0,y\n";
    assert_eq!(seen(csv, "", ""), [row(0.5, 3, "a"), row(1.0, 0, "b")]);
}

#[test]
fn columns_are_renamed_and_costs_summed_by_fields() {
    let csv = "TIMESTAMP;ContextTokens;GeneratedTokens;user\r\n0;4808;10;\"a;b\"\r\n2;3180;8;c";
    let fields = "delimiter = \";\"\nfields = { time = \"TIMESTAMP\", key = \"user\", \
                  cost = [\"ContextTokens\", \"GeneratedTokens\"] }";
    assert_eq!(
        seen(csv, "", fields),
        [row(0.0, 4818, "a;b"), row(2.0, 3188, "c")]
    );
}

#[test]
fn a_trace_without_keys_has_one_key() {
    assert_eq!(
        seen("time\n1\n2\n", "", ""),
        [row(1.0, 1, "all"), row(2.0, 1, "all")]
    );
}

#[test]
fn what_the_block_states_goes_before_what_the_file_says() {
    let csv = "time,key,cost,endpoint\n1,a,5,/x\n2,b,6,/y\n";
    let more = "keys = \"one\"\ncost = 2\nendpoint = \"/z\"";
    assert_eq!(
        seen(csv, "", more),
        [row(1.0, 2, "one"), row(2.0, 2, "one")]
    );
    let (_folder, resolved) = trace(csv, "", more);
    let workload = resolved.unwrap().workload;
    assert_eq!(workload.marks().len(), 1);
    assert_eq!(workload.marks()[0].endpoint.as_deref(), Some("/z"));
}

#[test]
fn with_dates_the_start_is_the_first_one_rounded_down_to_the_window() {
    // 1,700,000,007 is 27 s into its minute.
    let csv = "time\n1700000007\n1700000009.5\n";
    assert_eq!(
        seen(csv, "", ""),
        [row(27.0, 1, "all"), row(29.5, 1, "all")]
    );
    let (_folder, resolved) = trace(csv, "limit = \"5/10s\"", "");
    let resolved = resolved.unwrap();
    assert_eq!(
        resolved.epoch,
        Epoch::from_unix_nanos(1_700_000_000_000_000_000)
    );
    assert_eq!(resolved.horizon, Nanos::new(19_500_000_000));
}

#[test]
fn records_before_a_given_start_or_outside_of_the_run_are_left_out_and_noted() {
    let csv = "time,key\n2023-11-14T22:13:19Z,early\n2023-11-14T22:13:21Z,a\n\
               2023-11-14T22:13:22Z,b\n2023-11-14T22:13:30Z,late\n";
    let top = "start = \"2023-11-14T22:13:20Z\"\nduration = \"10s\"";
    assert_eq!(seen(csv, top, ""), [row(1.0, 1, "a"), row(2.0, 1, "b")]);
    let (_folder, resolved) = trace(csv, top, "");
    let resolved = resolved.unwrap();
    assert_eq!(*resolved.workload.keys(), ["a", "b"]);
    assert_eq!(
        resolved.notes,
        [
            "traffic.0.file: t: 2 of 4 records lie outside of the block's times or the run and were left out"
        ]
    );
    let (_folder, none) = trace(csv, "start = \"2026-01-01T00:00:00Z\"", "");
    assert!(
        none.err()
            .unwrap()
            .to_string()
            .contains("the traffic is empty")
    );
}

#[test]
fn records_out_of_order_are_sorted_stably_and_counted() {
    let csv = "time,key\n3,a\n1,b\n3,c\n2,d\n1,e\n";
    let keys: Vec<_> = seen(csv, "", "").into_iter().map(|row| row.2).collect();
    assert_eq!(keys, ["b", "e", "d", "a", "c"]);
    let (_folder, resolved) = trace(csv, "", "");
    let notes = resolved.unwrap().notes;
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].contains("3 of 5 records lie behind an earlier time"),
        "{notes:?}"
    );
    let (_folder, small) = trace(csv, "memory = 239", "keys = \"k\"");
    let message = small.err().unwrap().to_string();
    assert!(
        message.contains("is not in order of time, and to sort its 5 records"),
        "{message}"
    );
}

#[test]
fn malformed_lines_are_counted_and_the_first_shown() {
    let csv = "time,cost\n1,1\nx,1\n2\n3,-1\n\n4,1\n2023-01-01T00:00:00Z,1\n\"5,1\n6,1";
    let rows = [row(1.0, 1, "all"), row(4.0, 1, "all"), row(6.0, 1, "all")];
    assert_eq!(seen(csv, "", ""), rows);
    let (_folder, resolved) = trace(csv, "", "");
    let notes = resolved.unwrap().notes;
    assert_eq!(notes.len(), 1);
    for part in [
        "5 of 8 lines malformed and left out: ",
        "line 3: \"x\" is not a time",
        "line 4: field 2 is missing; the line has 1",
        "line 5: \"-1\" is not a cost",
        "; …",
    ] {
        assert!(notes[0].contains(part), "{part}: {notes:?}");
    }
}

#[test]
fn an_access_log_is_known_by_its_lines() {
    let log = "\
        b - - [10/Oct/2000:13:55:37 -0700] \"GET /x?q=1 HTTP/1.0\" 200 5 \"-\" \"agent\"\n\
        not a line\n\
        a - - [10/Oct/2000:20:55:36 +0000] \"POST /y HTTP/1.0\" 200 5\n";
    assert_eq!(seen(log, "", ""), [row(36.0, 1, "a"), row(37.0, 1, "b")]);
    let (_folder, resolved) = trace(log, "", "");
    let resolved = resolved.unwrap();
    assert_eq!(resolved.tables[0]["format"].as_str(), Some("combined"));
    let marks = resolved.workload.marks();
    assert_eq!(marks.len(), 2);
    assert_eq!(marks[0].endpoint.as_deref(), Some("/x"));
    assert_eq!(marks[1].method.as_deref(), Some("POST"));
    // Too many records to keep their endpoints.
    let (_folder, resolved) = trace(log, "marked = 1", "");
    assert_eq!(resolved.unwrap().workload.marks().len(), 1);
}

#[test]
fn gzip_reads_as_the_plain_file() {
    let csv = "time,key\n1,a\n2,b\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(csv.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    assert_eq!(seen(&packed, "", ""), seen(csv, "", ""));
    assert!(refused(&packed[..packed.len() - 9], "").contains("is cut off or no valid gzip"));
}

#[test]
fn zstd_reads_as_the_plain_file() {
    let csv = "time,key\n1,a\n2,b\n";
    let packed = zstd(csv.as_bytes());
    assert_eq!(seen(&packed, "", ""), seen(csv, "", ""));
    let (front, back) = csv.as_bytes().split_at(11);
    assert_eq!(
        seen([zstd(front), zstd(back)].concat(), "", ""),
        seen(csv, "", "")
    );
    let mut wrong = packed.clone();
    *wrong.last_mut().unwrap() ^= 1;
    for bytes in [&packed[..packed.len() - 9], &packed[..5], &wrong] {
        let message = refused(bytes, "");
        assert!(message.contains("is cut off or no valid zstd"), "{message}");
    }
}

#[test]
fn wrong_files_are_told_what_to_change() {
    assert!(refused("", "").contains("t is empty"));
    assert!(refused("\u{feff}time\n", "").contains("no valid line"));
    let message = refused("time\nx\ny\n", "");
    assert!(
        message.contains("no valid line: 2 of 2 lines malformed and left out: line 2: \"x\""),
        "{message}"
    );
    let message = refused("stamp,cost\n1,2\n", "");
    assert!(message.contains("has no column `time`") && message.contains("\"stamp\", \"cost\""));
    let message = refused("stamp,cost\n1,2\n", "fields = { time = \"stmp\" }");
    assert!(message.contains("fields.time") && message.contains("did you mean `stamp`?"));
    assert!(refused("time\n1\n", "fields = { tme = \"x\" }").contains("unknown field"));
    assert!(refused("time\n1\n", "fields = \"time\"").contains("must be a table"));
    assert!(refused("time\n1\n", "delimiter = \"ab\"").contains("one character"));
    assert!(refused("time\n1\n", "format = \"cvs\"").contains("did you mean `csv`?"));
    assert!(refused("time\n1\n", "format = \"combined\"").contains("no valid line"));
    let missing = read("[[traffic]]\npattern = \"trace\"\nfile = \"nowhere.log\"");
    let error = missing.err().unwrap();
    assert!(error.to_string().contains("nowhere.log is no file here"));
    assert!(std::error::Error::source(&error).is_some());
    let folder = read("[[traffic]]\npattern = \"trace\"\nfile = \".\"");
    assert!(folder.err().unwrap().to_string().contains("cannot be read"));
}

#[test]
fn a_file_that_changes_during_the_run_fails_the_run() {
    let (folder, resolved) = trace("time,key\n1,a\n2,b\n", "", "");
    let workload = resolved.unwrap().workload;
    for bytes in [
        "time,key\n1,a\n",
        "time,key\n1,a\n2,c\n",
        "time,key\n2,a\n1,b\n",
    ] {
        fs::write(folder.path().join("t"), bytes).unwrap();
        let error = workload.rounds(0).advance().unwrap_err();
        assert_eq!(error.exit_status(), 1);
        assert!(error.to_string().contains("was changed"), "{error}");
    }
    fs::remove_file(folder.path().join("t")).unwrap();
    let error = workload.rounds(0).advance().unwrap_err();
    assert!(error.to_string().contains("can no longer be read"));
}

#[test]
fn resolved_traces_read_again_to_the_same() {
    let csv = "time,key\n1700000001,a\n1700000000,b\n";
    let (folder, resolved) = trace(csv, "", "");
    let first = resolved.unwrap();
    let mut again = toml::Table::new();
    again.insert("start".into(), first.epoch.to_string().into());
    again.insert("traffic".into(), first.tables.clone().into());
    let second = read_in(&again.to_string(), folder.path()).unwrap();
    assert_eq!(first.tables, second.tables);
    assert_eq!(arrivals(&first.workload, 0), arrivals(&second.workload, 0));
    assert_eq!(first.tables[0]["fields"]["key"].as_str(), Some("key"));
}

#[test]
fn a_trace_is_merged_with_other_blocks() {
    let folder = folder("time\n1\n2\n");
    let text = "[[traffic]]\npattern = \"script\"\nat = [\"1s\", \"1500ms\"]\ncost = 9\n\
                [[traffic]]\npattern = \"trace\"\nfile = \"t\"";
    let resolved = read_in(text, folder.path()).unwrap();
    let costs: Vec<_> = arrivals(&resolved.workload, 0)
        .iter()
        .map(|arrival| arrival.cost)
        .collect();
    assert_eq!(costs, [9, 1, 9, 1]);
}

proptest::proptest! {
    #[test]
    fn no_bytes_crash_the_readers(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), head in 0usize..5) {
        let heads: [&[u8]; 5] = [b"", b"time,key,cost\n", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"h - - [10/Oct/2000:13:55:37 -0700] \"GET /"];
        let bytes = [heads[head], &bytes].concat();
        for format in ["auto", "csv", "combined"] {
            let (_folder, resolved) = trace(&bytes, "", &format!("format = \"{format}\""));
            if let Ok(resolved) = resolved {
                arrivals(&resolved.workload, 0);
            }
        }
    }
}
