//! The same scenario and seed give the same bytes.

use crate::cli::Folder;

/// Several blocks at the same instants, keys of every kind, many shards.
const BUSY: &str = r#"title = "Busy"
limit = "5/10s"
duration = "2m"
seed = 42

[[traffic]]
pattern = "poisson"
rate = "40/s"
keys = { count = 500, popularity = "zipf", exponent = 1.1 }

[[traffic]]
pattern = "steady"
rate = "20/s"
cost = 2
keys = { count = 300, popularity = "uniform" }

[[traffic]]
pattern = "burst"
at = "10s"
count = 30
repeat_every = "10s"
keys = { count = 7, popularity = "zipf" }

[[traffic]]
pattern = "burst"
at = "10s"
count = 12
repeat_every = "20s"
keys = "one"

[[traffic]]
pattern = "script"
at = ["10s", "20s", "30s"]
"#;

#[test]
fn the_same_seed_gives_the_same_files_on_any_number_of_threads() {
    let folder = Folder::with(BUSY);
    let run = |output: &str, flags: &[&str]| {
        let arguments = [&["run", "burst.toml", "--quiet", "-o", output], flags].concat();
        folder.succeeds(&arguments);
        folder.files(output)
    };
    let first = run("first", &["--threads", "1"]);
    let pictures = |end: &str| first.keys().filter(|name| name.ends_with(end)).count();
    assert!(pictures(".png") > 0 && pictures(".png") == pictures(".svg"));
    assert!(first.contains_key("timeline.csv") && first.contains_key("run.json"));
    for (output, flags) in [
        ("again", ["--threads", "1"]),
        ("two", ["--threads", "2"]),
        ("five", ["--threads", "5"]),
    ] {
        let other = run(output, &flags);
        assert!(other.keys().eq(first.keys()), "{output}");
        for (name, bytes) in &other {
            assert!(first[name] == *bytes, "{output}/{name} differs");
        }
    }
    let other = run("seed", &["--seed", "43"]);
    for name in ["summary.csv", "timeline.csv", "series.csv", "keys.csv"] {
        assert!(first[name] != other[name], "{name} depends on the seed");
    }
}

#[test]
fn a_printed_scenario_runs_to_the_same_tables() {
    let folder = Folder::with(BUSY);
    let tables = |scenario: &str, output: &str| {
        folder.succeeds(&["run", scenario, "--quiet", "--no-charts", "-o", output]);
        let mut files = folder.files(output);
        files.retain(|name, _| name.ends_with(".csv"));
        files
    };
    let printed = folder.succeeds(&["check", "burst.toml"]);
    folder.write("printed.toml", &printed);
    assert_eq!(folder.succeeds(&["check", "printed.toml"]), printed);
    let (given, again) = (
        tables("burst.toml", "given"),
        tables("printed.toml", "again"),
    );
    assert_eq!(given.len(), 4);
    assert!(given == again);
}
