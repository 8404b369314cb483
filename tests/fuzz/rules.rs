//! Damaged rules files.

use super::damage::{damaged, damages};
use super::hunt;
use proptest::prelude::*;
use ratesim::scenario::{Bounds, Overrides, RulesFile, Scenario, Source, to_toml};
use std::fs;
use std::path::Path;

const FILES: &[&str] = &[
    "rules:\n- endpoint: /api/posts\n  limit: 5\n  window: 60s\n- endpoint: /api/login\n  limit: 10\n  window: 60s\n",
    "rules:\n  - name: \"a\"\n    endpoint: '/u/{id}/**'\n    methods: [GET, post]\n    key: [ip, endpoint]\n    ipv6_prefix: 0x30\n    limit: 0.5/s\n    cost: 3\n",
    "# rules\n---\n{\"rules\": [{\"limit\": \"5/1m\", \"algorithm\": {\"kind\": \"gcra\", \"burst\": 3}, \"default\": true}]}\n",
    "rules:\n- limit: 7/1h\n  key: global\n  algorithm: sliding_window_log\n- name: >-\n    folded\n    name\n  limit: 1/s\n",
];

const FRAGMENTS: &[&[u8]] = &[
    b"-1",
    b"0",
    b".nan",
    b"-.inf",
    b"1e400",
    b"0x",
    b"1000000000000",
    b"18446744073709551616",
    b"'0s'",
    b"366d",
    b"null",
    b"~",
    b"yes",
    b"[]",
    b"{}",
    b"[[[[[[[[[[[[[[[[[[[[",
    b"{a: {b: {c: ",
    b"&a ",
    b"*a",
    b"!!str ",
    b"!<tag:x> ",
    b"<<: ",
    b"? ",
    b"- ",
    b"- - - ",
    b": ",
    b"|\n",
    b">+2\n",
    b"%YAML 1.2\n---\n",
    b"...\n",
    b"---\n",
    b"\t",
    b"\"",
    b"'",
    b"#",
    b"@",
    b"`",
    b"\n",
    b"\r",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
];

/// Reads a rules file; what is accepted reads the same as the rules of a scenario.
fn check(path: &Path) {
    let file = match RulesFile::open(path) {
        Ok(file) => file,
        Err(error) => {
            assert_eq!(error.exit_status(), 2, "{error}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(!file.rules.rules.is_empty());
    let printed = to_toml(&file.resolved);
    let text = format!("{printed}\n[[traffic]]\npattern = 'burst'\n");
    let source = Source::new(Path::new("s.toml"), text);
    let scenario = Scenario::read(&source, &Overrides::default(), &Bounds::default());
    let scenario = scenario.unwrap_or_else(|error| panic!("{error} in\n{printed}"));
    assert_eq!(scenario.resolved["rule"], file.resolved["rule"]);
}

#[test]
fn a_damaged_rules_file_is_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.yaml");
    for file in FILES {
        fs::write(&path, file).unwrap();
        RulesFile::open(&path).unwrap_or_else(|error| panic!("{error} in\n{file}"));
    }
    let inputs = (prop::sample::select(FILES), damages(FRAGMENTS));
    hunt(&inputs, |(file, damages)| {
        fs::write(&path, damaged(file.as_bytes(), &damages)).unwrap();
        check(&path);
    });
}
