//! The files and the text of a run against those that were checked.

use crate::cli::Folder;
use crate::ran::root;
use std::fs;
use std::path::PathBuf;

fn golden(name: &str, file: &str) -> PathBuf {
    root().join("tests/golden/files").join(name).join(file)
}

/// Compares with the golden file, or writes it where the switch says so.
fn compare(name: &str, file: &str, found: &str) {
    let path = golden(name, file);
    if std::env::var("RATESIM_GOLDEN").is_ok_and(|switch| switch == "write") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; RATESIM_GOLDEN=write writes it",
            path.display()
        )
    });
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "{name}/{file}, line {}", number + 1);
    }
    assert_eq!(found, expected, "{name}/{file} differs in its length");
}

fn compare_all(name: &str) {
    let folder = Folder::new();
    let scenario = format!("{name}.toml");
    let text = fs::read_to_string(root().join("scenarios").join(&scenario)).unwrap();
    folder.write(&scenario, text);
    let printed = folder.succeeds(&["run", &scenario, "--no-charts"]);
    compare(name, "terminal.txt", &printed);
    compare(name, "check.toml", &folder.succeeds(&["check", &scenario]));
    for file in ["summary.csv", "timeline.csv", "series.csv", "keys.csv"] {
        let written = folder.read(&format!("output/{name}/{file}"));
        compare(name, file, &written);
    }
}

#[test]
fn boundary_burst_writes_what_was_checked() {
    compare_all("boundary_burst");
}

#[test]
fn token_bucket_burst_writes_what_was_checked() {
    compare_all("token_bucket_burst");
}

#[test]
fn sliding_log_example_writes_what_was_checked() {
    compare_all("sliding_log_example");
}
