//! The same results by blocks of any size on any number of threads: those that follow from what was
//! written into the file.

use super::scan::Survey;
use super::source;
use super::zstd::tests::packed as zstd;
use super::{Placing, Stated, Trace, TraceFile};
use crate::workload::keys::KeyNames;
use crate::workload::tests::{params, setting};
use crate::workload::{Arrival, Mark};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A line of a file.
#[derive(Clone, Debug)]
enum Row {
    /// A time since the start, in CSV; in a log a date.
    Valid(Request),
    /// A date.
    Dated(Request),
    Broken,
    Blank,
    /// Longer than any line that is read.
    TooLong,
}

/// Second, key, endpoint (none if empty).
type Request = (u8, &'static str, &'static str);

/// What is known of a request by what was written: instant, key, endpoint.
type Known = (u64, String, Option<String>);

/// What a file is known to have.
#[derive(Debug, Default, PartialEq)]
struct Content {
    requests: Vec<Known>,
    keys: Vec<String>,
    /// Numbers of the malformed lines.
    malformed: Vec<usize>,
    behind: u64,
}

const KEYS: &[&str] = &[
    "a",
    "b",
    "192.0.2.1",
    "a name that is longer than sixteen bytes",
    "\u{e9}",
];
const ENDPOINTS: &[&str] = &["", "/", "/x"];

fn rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    let request = (
        0u8..60,
        prop::sample::select(KEYS),
        prop::sample::select(ENDPOINTS),
    );
    let row = prop_oneof![
        8 => request.clone().prop_map(Row::Valid),
        1 => request.prop_map(Row::Dated),
        1 => Just(Row::Broken),
        1 => Just(Row::Blank),
    ];
    prop::collection::vec(row, 0..most)
}

fn write(rows: &[Row], is_log: bool, end: &str) -> String {
    let mut text = if is_log { "" } else { "time,key,endpoint" }.to_owned();
    let mut between = if is_log { "" } else { end };
    for row in rows {
        text += between;
        between = end;
        text += &match row {
            Row::Valid((at, key, endpoint)) if !is_log => format!("{at},{key},{endpoint}"),
            Row::Dated((at, key, endpoint)) if !is_log => {
                format!("1970-01-01T00:00:{at:02}Z,\"{key}\",{endpoint}")
            }
            Row::Valid((at, key, endpoint)) | Row::Dated((at, key, endpoint)) => {
                let key = key.replace(' ', "_");
                format!(
                    "{key} - - [01/Jan/1970:00:00:{at:02} +0000] \"GET {endpoint}?q HTTP/1.1\" 200 5"
                )
            }
            Row::Broken => "noon".to_owned(),
            Row::Blank => " \t".to_owned(),
            Row::TooLong => "x".repeat(super::blocks::LONGEST + 1),
        };
    }
    text
}

/// What follows from the rows, without any reading.
fn expected(rows: &[Row], is_log: bool) -> Content {
    let mut content = Content::default();
    let mut kind = None;
    let mut latest = 0;
    for (row, number) in rows.iter().zip(if is_log { 1.. } else { 2.. }) {
        let dated = is_log || matches!(row, Row::Dated(_));
        match row {
            Row::Valid((at, key, endpoint)) | Row::Dated((at, key, endpoint))
                if *kind.get_or_insert(dated) == dated =>
            {
                let at = u64::from(*at) * 1_000_000_000;
                let key = if is_log {
                    key.replace(' ', "_")
                } else {
                    (*key).to_owned()
                };
                if !content.keys.contains(&key) {
                    content.keys.push(key.clone());
                }
                content.behind += u64::from(at < latest);
                latest = latest.max(at);
                let endpoint = (!endpoint.is_empty()).then(|| (*endpoint).to_owned());
                content.requests.push((at, key, endpoint));
            }
            Row::Blank => {}
            _ => content.malformed.push(number),
        }
    }
    content.requests.sort_by_key(|(at, ..)| *at);
    content
}

/// Reads the file `t`; `None` if it has no valid line.
fn read(folder: &Path, is_log: bool, block: usize) -> Option<Content> {
    let format = if is_log { "combined" } else { "csv" };
    let mut params = params(&format!("file = \"t\"\nformat = \"{format}\""));
    let mut file = TraceFile::read(&mut params, folder).ok()?;
    file.block = block;
    let survey = Survey::scan(&params, file, Stated::default(), 10_000, 0..u64::MAX).unwrap();
    if survey.valid() == 0 {
        return None;
    }
    let malformed = survey.malformed_lines();
    let (mut names, mut marks, mut notes) = (KeyNames::default(), Vec::new(), Vec::new());
    let trace = survey.place(Placing {
        params: &params,
        setting: setting(0, u64::MAX),
        keys: None,
        names: &mut names,
        mark: Mark {
            block: 0,
            endpoint: None,
            method: None,
        },
        marks: &mut marks,
        memory: 1_000_000,
        notes: &mut notes,
    });
    let arrivals = Trace::arrivals(&Arc::new(trace.unwrap()), 0, 0);
    let arrivals: Vec<Arrival> = arrivals.map(Result::unwrap).collect();
    assert!(
        arrivals
            .iter()
            .zip(0..)
            .all(|(arrival, seq)| arrival.seq == seq)
    );
    let keys = names.into_names();
    let known = |arrival: &Arrival| {
        let endpoint = marks[arrival.mark.0 as usize].endpoint.as_deref();
        let key = keys[arrival.key.0 as usize].to_owned();
        (arrival.at.as_nanos(), key, endpoint.map(str::to_owned))
    };
    let requests = arrivals.iter().map(known).collect();
    let behind = notes.iter().find_map(|note| {
        let (count, _) = note.strip_prefix("file: t: ")?.split_once(" of ")?;
        note.contains("behind").then(|| count.parse().unwrap())
    });
    Some(Content {
        requests,
        keys: keys.iter().map(str::to_owned).collect(),
        malformed: numbers(malformed.as_deref()),
        behind: behind.unwrap_or(0),
    })
}

/// The numbers of the malformed lines that are shown, then one 0 for each that is only counted.
fn numbers(malformed: Option<&str>) -> Vec<usize> {
    let Some((count, lines)) = malformed.and_then(|text| text.split_once(" of ")) else {
        return Vec::new();
    };
    let shown = lines.split("line ").skip(1);
    let shown = shown.filter_map(|line| line.split_once(':')?.0.parse().ok());
    let mut numbers: Vec<usize> = shown.collect();
    numbers.resize(count.parse().unwrap(), 0);
    numbers
}

/// Asserts that the file is read as its rows say, by blocks of these sizes.
fn check(folder: &Path, rows: &[Row], is_log: bool, blocks: &[usize]) {
    let mut expected = expected(rows, is_log);
    expected
        .malformed
        .iter_mut()
        .skip(3)
        .for_each(|line| *line = 0);
    let expected = (!expected.requests.is_empty()).then_some(expected);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            for block in blocks {
                assert_eq!(read(folder, is_log, *block), expected, "{block} {threads}");
            }
        });
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn blocks_and_threads_are_seen_in_no_result(
        rows in rows(40),
        is_log in any::<bool>(),
        end in prop::sample::select(&["\n", "\r\n"][..]),
        ends in any::<bool>(),
        packing in 0..3,
        block in 1usize..200,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut text = write(&rows, is_log, end);
        if ends {
            text += end;
        }
        let (front, back) = text.as_bytes().split_at(text.len() / 2);
        let bytes = match packing {
            0 => text.clone().into_bytes(),
            1 => [gzip(front), gzip(back)].concat(),
            _ => [zstd(front), zstd(back)].concat(),
        };
        fs::write(folder.path().join("t"), bytes).unwrap();
        check(folder.path(), &rows, is_log, &[1, block, super::BLOCK]);
    }
}

/// Rows of which many lie in every batch of blocks.
fn many(count: u32) -> Vec<Row> {
    (0..count)
        .map(|number| match number % 97 {
            13 => Row::Broken,
            29 => Row::Blank,
            other => {
                let at = u8::try_from(number * 59 / count).unwrap();
                Row::Valid((at, KEYS[other as usize % KEYS.len()], "/"))
            }
        })
        .collect()
}

#[test]
fn many_batches_of_blocks_are_put_together_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = many(5_000);
    for at in [0, 2_500, 5_001] {
        rows.insert(at, Row::TooLong);
    }
    for is_log in [true, false] {
        fs::write(folder.path().join("t"), write(&rows, is_log, "\n")).unwrap();
        check(folder.path(), &rows, is_log, &[100, 4_096, super::BLOCK]);
    }
}

#[test]
fn the_first_valid_line_decides_on_the_times_of_all_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = vec![Row::Broken; 20];
    rows.push(Row::Dated((3, "a", "")));
    rows.extend(many(300));
    rows.push(Row::Dated((7, "b", "/")));
    fs::write(folder.path().join("t"), write(&rows, false, "\n")).unwrap();
    check(folder.path(), &rows, false, &[1, 50, 500, super::BLOCK]);
    assert_eq!(expected(&rows, false).requests.len(), 2);
}

#[test]
fn bytes_that_are_no_text_are_replaced_in_their_line_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("t"),
        b"time,key\n1,\xe9\n2,\xc3\xa9\n3,\xff\n",
    )
    .unwrap();
    for block in [1, 10, super::BLOCK] {
        let content = read(folder.path(), false, block).unwrap();
        assert_eq!(content.keys, ["\u{fffd}", "\u{e9}"]);
        assert_eq!(content.requests.len(), 3);
    }
}

#[test]
fn a_source_is_a_regular_file() {
    let folder = tempfile::tempdir().unwrap();
    assert!(source::open(folder.path()).is_err());
}
