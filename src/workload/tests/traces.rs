//! Two real traces, where they are at hand: in the folder that `RATESIM_TRACES` names, or in
//! `../shared/traces` beside the crate.

use super::*;
use std::path::PathBuf;

fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("RATESIM_TRACES").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    let found = given.into_iter().chain([beside]).find(|path| path.is_dir());
    if found.is_none() {
        println!("skipped: no folder ../shared/traces, and RATESIM_TRACES names none");
    }
    found
}

/// 10,000 lines of 1,753 clients; line 8899 is malformed.
#[test]
fn the_apache_log_has_its_known_records() {
    let Some(folder) = folder() else { return };
    let text = "[[traffic]]\npattern = \"trace\"\nfile = \"apache_combined_2015.log\"";
    let resolved = read_in(text, &folder).unwrap();
    let workload = &resolved.workload;
    assert_eq!(workload.expected_requests(), 9_999);
    assert_eq!(workload.keys().len(), 1_753);
    assert_eq!(&workload.keys()[0], "83.149.9.216");
    let all = arrivals(workload, 0);
    assert_eq!(all.len(), 9_999);
    assert!(all.is_sorted_by_key(|arrival| (arrival.at, arrival.seq)));
    // 17 May 2015, 10:05:00 UTC.
    assert_eq!(resolved.epoch.to_string(), "2015-05-17T10:05:00Z");
    assert_eq!(resolved.notes.len(), 2);
    assert!(resolved.notes[0].contains("1 of 10000 lines malformed and left out: line 8899: "));
    let behind = resolved.notes[1].split_once(": ").unwrap().1;
    let behind = behind
        .split_once(": ")
        .unwrap()
        .1
        .split_once(' ')
        .unwrap()
        .0;
    // 94 % of the records.
    assert!(
        (9_350..9_450).contains(&behind.parse::<u64>().unwrap()),
        "{behind}"
    );
}

/// 8,819 requests; lines end with CR LF, times have seven decimals, and the last line has no end.
#[test]
fn the_azure_trace_has_its_known_records() {
    let Some(folder) = folder() else { return };
    let text = r#"
        [[traffic]]
        pattern = "trace"
        file = "azure_llm_2023_code.csv"
        fields = { time = "TIMESTAMP", cost = ["ContextTokens", "GeneratedTokens"] }
    "#;
    let resolved = read_in(text, &folder).unwrap();
    let all = arrivals(&resolved.workload, 0);
    assert_eq!(all.len(), 8_819);
    assert_eq!(resolved.notes, Vec::<String>::new());
    assert_eq!(resolved.epoch.to_string(), "2023-11-16T18:17:00Z");
    assert_eq!((all[0].at.as_nanos(), all[0].cost), (3_979_960_000, 4_818));
    assert_eq!(all[8_818].cost, 549 + 173);
    assert_eq!(*resolved.workload.keys(), ["all"]);
    // 486 requests can never pass a capacity of 7,000.
    assert_eq!(
        all.iter().filter(|arrival| arrival.cost > 7_000).count(),
        486
    );
}
