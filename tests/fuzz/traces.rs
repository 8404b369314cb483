//! Damaged traces, read in every format.

use super::damage::{damaged, damages};
use super::hunt;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use ratesim::scenario::{Bounds, Overrides, Scenario, Source};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;
use std::io::Write;
use std::path::Path;

const CSV: &[&str] = &[
    "time,key,endpoint,method,cost\n0,a,/x,GET,1\n0.5,b,/y,POST,2\n1,a,/x,GET,0\n",
    "time,cost\n2023-11-14T22:13:20Z,5\n2023-11-14T22:13:21.123456789+01:00,7\n",
    "key;time\r\n\"a;\"\"b\"\"\";1700000007\r\nc;1700000009.5\r\nd;1700000008",
    "time\n1700000007000\n1700000007001\n1700000006999\n",
];

const LOG: &str = "\
    192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a?b=c HTTP/1.0\" 200 2326\n\
    2001:db8::1 - bob [10/Oct/2000:13:55:35 -0700] \"POST /d HTTP/1.1\" 404 - \"-\" \"agent \\\"x\\\"\"\n\
    192.0.2.1 - - [10/Oct/2000:20:55:37 +0000] \"\\x16\\x03\" 400 0 \"-\" \"-\"\n";

const FRAGMENTS: &[&[u8]] = &[
    b"-1",
    b"0",
    b"NaN",
    b"1e308",
    b"99999999999999999999",
    b"18446744073.709551615",
    b"18446744073709551615",
    b"0.0000000000000000000000001",
    b"2023-02-30T00:00:00Z",
    b"9999-12-31T23:59:60Z",
    b"1969-12-31T23:59:59Z",
    b"[31/Feb/2000:13:55:36 -0700]",
    b"[10/Oct/2000:25:55:36 +9900]",
    b"[01/Jan/0000:00:00:00 +0000]",
    b",",
    b";",
    b"\t",
    b"\"",
    b"\"\"",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"\x50\x2a\x4d\x18\xff\xff\xff\xff",
    b"time",
    b" - - ",
    b"=cmd|' /C calc'!A0",
    b"\x1b[31m",
];

/// Reads the file `t` in every format; what is accepted is played to its end.
fn check(folder: &Path, more: &str) {
    for format in ["auto", "csv", "combined"] {
        let text = format!(
            "limit = '5/1m'\ntraffic = [{{ pattern = 'trace', file = 't', format = '{format}' {more} }}]"
        );
        let source = Source::new(&folder.join("s.toml"), text);
        let bounds = Bounds {
            memory: 1_000_000,
            ..Bounds::default()
        };
        match Scenario::read(&source, &Overrides::default(), &bounds) {
            Err(error) => assert_eq!(error.exit_status(), 2, "{error}"),
            Ok(scenario) => {
                let mut rounds = scenario.workload.rounds(0);
                let (mut count, mut last) = (0, vec![0; 64]);
                let mut batch = Vec::new();
                while rounds.advance().unwrap() {
                    for (feed, last) in rounds.feeds().iter_mut().zip(&mut last) {
                        while feed.fill(&mut batch) {
                            for arrival in &batch {
                                assert!(*last <= arrival.at.as_nanos());
                                *last = arrival.at.as_nanos();
                            }
                            count += batch.len() as u64;
                        }
                    }
                }
                assert_eq!(count, scenario.workload.expected_requests());
            }
        }
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Damages each of the files.
fn damage_all(files: Vec<Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    let more = prop::sample::select(
        &[
            "",
            ", cost = 3",
            ", keys = 'k'",
            ", delimiter = ';'",
            ", fields = { time = 'time', cost = ['cost', 'key'] }",
            ", from = '1s', to = '2s'",
        ][..],
    );
    let inputs = (prop::sample::select(files), damages(FRAGMENTS), more);
    hunt(&inputs, |(file, damages, more)| {
        fs::write(folder.path().join("t"), damaged(&file, &damages)).unwrap();
        check(folder.path(), more);
    });
}

#[test]
fn a_damaged_csv_is_read_or_refused() {
    damage_all(CSV.iter().map(|text| text.as_bytes().to_vec()).collect());
}

#[test]
fn a_damaged_access_log_is_read_or_refused() {
    damage_all(vec![LOG.as_bytes().to_vec()]);
}

#[test]
fn a_damaged_gzip_file_is_read_or_refused() {
    damage_all(vec![packed(LOG.as_bytes()), packed(CSV[0].as_bytes())]);
}

#[test]
fn a_damaged_zstd_file_is_read_or_refused() {
    let packed = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
    damage_all(vec![
        packed(LOG),
        packed(CSV[0]),
        packed(&LOG.repeat(50)),
        [packed(CSV[0]), packed("2,c,/z,GET,1\n")].concat(),
    ]);
}
