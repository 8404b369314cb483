//! Wrong traces: a message with the place, exit status 2, and the previous output whole.

use super::{BURST, Folder};
use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

fn scenario(more: &str) -> String {
    format!("limit = '5/1m'\n[[traffic]]\npattern = 'trace'\nfile = 'log'\n{more}\n")
}

/// A folder with a result in `output/burst`, and then another scenario of that name.
fn with_a_result(text: &str) -> Folder {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--no-charts", "--quiet"]);
    folder.write("burst.toml", text);
    folder
}

/// Runs what stands in the folder; it must be refused with all of these parts.
fn refused(folder: &Folder, flags: &[&str], parts: &[&str]) {
    let before = folder.files("output");
    assert!(!before.is_empty());
    let outcome = folder.ratesim(&[&["run", "burst.toml"], flags].concat());
    assert_eq!(outcome.status, Some(2), "{parts:?}: {outcome:?}");
    assert_eq!(outcome.stdout, "", "{parts:?}");
    assert!(outcome.stderr.starts_with("error: "), "{outcome:?}");
    for part in parts {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
    assert_eq!(folder.files("output"), before, "{parts:?}");
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_wrong_trace_is_named_and_the_previous_output_stays_whole() {
    let gzip = packed("time\n1\n2\n");
    let frame = compress_to_vec(&b"time\n1\n2\n"[..], CompressionLevel::Fastest);
    let garbage: Vec<u8> = (0..=255).collect();
    let wide: Vec<u8> = "time\n1\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let cases: &[(&[u8], &str, &[&str])] = &[
        (
            b"",
            "",
            &["burst.toml:4:1: traffic.0.file: ", "log is empty"],
        ),
        (b"\n\n\n", "", &["burst.toml:4:1: traffic.0.file: "]),
        (b"time\n", "", &["no valid line"]),
        (
            b"time\nnoon\nlater\n",
            "",
            &["2 of 2 lines malformed", "line 2", "noon"],
        ),
        (b"time\n-1\n", "", &["line 2", "-1"]),
        (b"time\nNaN\n", "", &["line 2", "NaN"]),
        (b"time\n99999999999999999999999\n", "", &["line 2"]),
        (b"time\n1600-01-01T00:00:00Z\n", "", &["line 2"]),
        (b"time\n2023-02-30T00:00:00Z\n", "", &["line 2"]),
        (b"time,cost\n1,-3\n", "", &["line 2", "-3", "not a cost"]),
        (b"time,cost\n1,1e400\n", "", &["line 2", "not a cost"]),
        (
            b"time,cost\n1,18446744073709551616\n",
            "",
            &["line 2", "not a cost"],
        ),
        (b"time,key\n1\n2\n", "", &["field 2 is missing"]),
        (
            b"stamp\n1\n",
            "format = 'csv'",
            &["no column `time`", "stamp"],
        ),
        (b"time;key\n1;a\n", "format = 'csv'", &["no column `time`"]),
        (
            b"time\n1\n",
            "fields = { time = 'tme' }",
            &["fields.time", "did you mean `time`"],
        ),
        (
            b"time\n1\n",
            "fields = { tme = 'time' }",
            &["unknown field"],
        ),
        (b"time\n1\n", "fields = 'time'", &["table"]),
        (b"time\n1\n", "delimiter = 'ab'", &["one character"]),
        (b"time\n1\n", "format = 'cvs'", &["did you mean `csv`"]),
        (b"time\n1\n", "format = 'combined'", &["no valid line"]),
        (
            b"h - - [10/Foo/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 1\n",
            "format = 'combined'",
            &["no valid line", "line 1"],
        ),
        (&garbage, "", &["log has no column `time`"]),
        (&wide, "format = 'csv'", &["log has no column `time`"]),
        (
            &gzip[..gzip.len() - 6],
            "",
            &["log is cut off or no valid gzip", "\n  caused by: "],
        ),
        (
            b"\x1f\x8b\x08garbage",
            "",
            &["log is cut off or no valid gzip", "\n  caused by: "],
        ),
        (
            &frame[..frame.len() - 6],
            "",
            &["log is cut off or no valid zstd", "\n  caused by: "],
        ),
        (b"time\n1\n", "from = '5s'", &["empty"]),
        (
            b"time\n1\n",
            "from = '2s'\nto = '1s'",
            &["traffic.0.to", "later than `from`"],
        ),
        (b"time\n1\n", "file = 'again'", &["duplicate key"]),
        (
            b"time\n1\n",
            "at = '1s'",
            &["traffic.0.at", "unknown field"],
        ),
    ];
    for (bytes, more, parts) in cases {
        let folder = with_a_result(&scenario(more));
        folder.write("log", bytes);
        refused(&folder, &[], parts);
    }
}

#[test]
fn a_trace_that_is_nowhere_a_folder_or_behind_a_file_is_refused() {
    let folder = with_a_result(&scenario(""));
    let place = "burst.toml:4:1: traffic.0.file: ";
    refused(
        &folder,
        &[],
        &[place, "log is no file here", "\n  caused by: "],
    );
    folder.write("log/below", "");
    refused(&folder, &[], &[place, "log cannot be read"]);
    for file in ["burst.toml/log", &"x".repeat(300)] {
        folder.write(
            "burst.toml",
            scenario("").replace("'log'", &format!("\"{file}\"")),
        );
        refused(&folder, &[], &[place, "cannot be read"]);
    }
    folder.write(
        "burst.toml",
        "limit = '5/1m'\n[[traffic]]\npattern = 'trace'\n",
    );
    refused(&folder, &[], &["traffic.0.file", "is required"]);
}

#[test]
fn a_trace_that_takes_more_memory_than_allowed_is_refused() {
    let folder = with_a_result(&scenario(""));
    let backwards: String = (0..40_000).rev().map(|i| format!("{i}\n")).collect();
    folder.write("log", format!("time\n{backwards}"));
    refused(
        &folder,
        &["--max-memory", "1"],
        &["not in order of time", "40000 records"],
    );
    let keys: String = (0..60_000)
        .map(|i| format!("{i},client number {i}\n"))
        .collect();
    folder.write("log", format!("time,key\n{keys}"));
    refused(&folder, &["--max-memory", "1"], &["keys"]);
    folder.write("log", "time\n1\n2\n3\n");
    refused(
        &folder,
        &["--max-requests", "2"],
        &["about 3 requests", "--max-requests"],
    );
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_files_without_permission_are_refused() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = with_a_result(&scenario(""));
    let log = folder.path().join("log");
    symlink("log", &log).unwrap();
    refused(&folder, &[], &["log cannot be read", "\n  caused by: "]);
    fs::remove_file(&log).unwrap();

    // A folder that may not be entered, with the trace in it.
    folder.write("shut/log", "time\n1\n");
    folder.write("burst.toml", scenario("").replace("'log'", "'shut/log'"));
    let shut = folder.path().join("shut");
    fs::set_permissions(&shut, Permissions::from_mode(0o000)).unwrap();
    if fs::read(shut.join("log")).is_ok() {
        println!("skipped: this user may read anything");
    } else {
        refused(
            &folder,
            &[],
            &["shut/log cannot be read", "\n  caused by: "],
        );
    }
    fs::set_permissions(&shut, Permissions::from_mode(0o755)).unwrap();
}
