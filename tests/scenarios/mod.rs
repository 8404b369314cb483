//! The ready scenarios: each comment's question, and its finding.

mod access_log;
mod clients;
mod cloudflare;
mod days;
mod failures;
mod gateways;
mod language_model;
mod poisson_near_limit;
mod races;
mod retries;
mod rules;
mod scripted;
mod sizes;

use crate::cli::Folder;
use crate::ran::root;
use std::fs;

/// The ready scenarios: name and text.
fn ready() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("scenarios")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

#[test]
fn every_ready_scenario_opens_with_a_question_that_the_readme_lists() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for (name, text) in ready() {
        let first = text.lines().next().unwrap();
        let question = first.strip_prefix("# ").unwrap_or_default();
        assert!(question.ends_with('?'), "{name} opens with {first:?}");
        let row = format!("| `{name}` | {question} |");
        assert!(readme.lines().any(|line| line == row), "README lacks {row}");
    }
}

#[test]
fn every_scenario_that_the_readme_lists_is_there() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let names = readme.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once('`')?;
        (name.ends_with(".toml") && rest.starts_with(" |")).then_some(name)
    });
    let listed: Vec<_> = names.collect();
    assert_eq!(listed.len(), ready().len(), "{listed:?}");
    for name in listed {
        assert!(root().join("scenarios").join(name).exists(), "{name}");
    }
}

#[test]
fn every_ready_scenario_is_valid() {
    let folder = Folder::new();
    for (name, _) in ready() {
        let path = root().join("scenarios").join(&name);
        folder.succeeds(&["check", path.to_str().unwrap()]);
    }
}
