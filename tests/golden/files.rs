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

/// The rows of `series.csv` in which something came or was forwarded, and those of the last bucket:
/// as many as can be checked by hand.
fn moving(series: &str, candidates: usize) -> String {
    let lines: Vec<&str> = series.lines().collect();
    let columns: Vec<&str> = lines[0].split(',').collect();
    let column = |name| columns.iter().position(|column| *column == name).unwrap();
    let (offered, forwarded) = (column("offered"), column("forwarded"));
    // No name of a candidate in these scenarios needs quotes.
    let moves = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        cells[offered] != "0" || cells[forwarded] != "0"
    };
    let last = lines.len() - candidates;
    let kept = (0..lines.len()).filter(|&row| row == 0 || row >= last || moves(lines[row]));
    kept.map(|row| lines[row].to_owned() + "\n").collect()
}

/// Compares all that a scenario writes but its pictures; its series have this many buckets.
fn compare_all(name: &str, buckets: usize) {
    let folder = Folder::new();
    let scenario = format!("{name}.toml");
    let text = fs::read_to_string(root().join("scenarios").join(&scenario)).unwrap();
    folder.write(&scenario, text);
    let printed = folder.succeeds(&["run", &scenario, "--no-charts"]);
    compare(name, "terminal.txt", &printed);
    compare(name, "check.toml", &folder.succeeds(&["check", &scenario]));
    let written = |file: &str| folder.read(&format!("output/{name}/{file}"));
    for file in ["summary.csv", "timeline.csv", "keys.csv"] {
        compare(name, file, &written(file));
    }
    let series = written("series.csv");
    let candidates = written("summary.csv").lines().count() - 1;
    assert_eq!(series.lines().count(), 1 + buckets * candidates);
    compare(name, "series_moving.csv", &moving(&series, candidates));
}

#[test]
fn boundary_burst_writes_what_was_checked() {
    // Buckets of 200 ms over 125 s.
    compare_all("boundary_burst", 625);
}

#[test]
fn token_bucket_burst_writes_what_was_checked() {
    // 5 ms over 4 s.
    compare_all("token_bucket_burst", 800);
}

#[test]
fn sliding_log_example_writes_what_was_checked() {
    // 200 ms over 151 s.
    compare_all("sliding_log_example", 755);
}
