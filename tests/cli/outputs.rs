//! What a run leaves: whole results or none, and what it prints.

use super::{BURST, Folder};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn a_run_writes_its_files_and_says_where() {
    let folder = Folder::with(BURST);
    let printed = folder.succeeds(&["run", "burst.toml"]);
    assert!(printed.contains("output/burst"), "{printed}");
    let files = folder.files("output/burst");
    for name in [
        "summary.csv",
        "timeline.csv",
        "series.csv",
        "keys.csv",
        "run.json",
    ] {
        assert!(files.contains_key(name), "{name} in {:?}", files.keys());
        assert!(printed.contains(name), "{name} in {printed}");
    }
    let pictures = printed
        .lines()
        .find(|line| line.contains("pictures (.png, .svg)"));
    for name in ["timeline", "window", "throughput", "memory", "error"] {
        assert!(
            files.contains_key(&format!("{name}.svg")),
            "{:?}",
            files.keys()
        );
        assert!(
            files.contains_key(&format!("{name}.png")),
            "{:?}",
            files.keys()
        );
        assert!(
            pictures.is_some_and(|line| line.contains(name)),
            "{name} in {printed}"
        );
    }
}

#[test]
fn run_json_lists_every_other_file_with_its_hash() {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--quiet"]);
    let files = folder.files("output/burst");
    let run: serde_json::Value = serde_json::from_slice(&files["run.json"]).unwrap();
    let listed = run["files"].as_array().unwrap();
    assert_eq!(listed.len() + 1, files.len());
    for file in listed {
        let bytes = &files[file["name"].as_str().unwrap()];
        let hash: String = Sha256::digest(bytes)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(file["sha256"], hash.as_str(), "{file}");
        assert_eq!(file["bytes"], bytes.len() as u64, "{file}");
    }
    assert_eq!(run["counts"]["requests"], 10);
    assert_eq!(run["counts"]["keys"], 1);
    assert_eq!(run["seed"], 0);
    assert_eq!(run["scenario"]["limit"], "5/1m");
    assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn quiet_prints_nothing_and_no_charts_draws_nothing() {
    let folder = Folder::with(BURST);
    let outcome = folder.ratesim(&["run", "burst.toml", "--quiet", "--no-charts"]);
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), ""));
    assert_eq!(outcome.stderr, "");
    let names: Vec<_> = folder.files("output/burst").into_keys().collect();
    let expected = [
        "keys.csv",
        "run.json",
        "series.csv",
        "summary.csv",
        "timeline.csv",
    ];
    assert_eq!(names, expected.map(str::to_owned));
}

#[test]
fn a_folder_never_mixes_two_runs() {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml"]);
    folder.write("output/burst/mine.txt", "kept");
    folder.write(
        "output/burst/.ratesim-4294967295-keys.csv",
        "left by a killed run",
    );
    folder.succeeds(&["run", "burst.toml", "--no-charts", "--max-timeline", "1"]);
    let names: Vec<_> = folder.files("output/burst").into_keys().collect();
    let expected = [
        "keys.csv",
        "mine.txt",
        "run.json",
        "series.csv",
        "summary.csv",
    ];
    assert_eq!(names, expected.map(str::to_owned));
}

#[test]
fn a_timeline_longer_than_allowed_is_left_out_with_a_note() {
    let folder = Folder::with(BURST);
    let flags = ["--algorithm", "leaky_bucket", "--max-timeline", "9"];
    let outcome = folder.ratesim(&[&["run", "burst.toml"], &flags[..]].concat());
    assert_eq!(outcome.status, Some(0), "{outcome:?}");
    for part in [
        "note: burst.toml: no timeline",
        "about 10 rows",
        "--max-timeline",
    ] {
        assert!(outcome.stderr.contains(part), "{outcome:?}");
    }
    assert!(!folder.path().join("output/burst/timeline.csv").exists());
}

#[test]
fn several_scenarios_have_a_folder_each() {
    let folder = Folder::with(BURST);
    folder.write("other/calm.toml", BURST);
    folder.succeeds(&[
        "run",
        "burst.toml",
        "other/calm.toml",
        "-o",
        "out",
        "--no-charts",
    ]);
    assert!(folder.path().join("out/burst/run.json").exists());
    assert!(folder.path().join("out/calm/run.json").exists());

    folder.write("other/burst.toml", BURST);
    let outcome = folder.ratesim(&["run", "burst.toml", "other/burst.toml"]);
    assert_eq!(outcome.status, Some(2), "{outcome:?}");
    assert!(
        outcome.stderr.contains("would both write to output/burst"),
        "{outcome:?}"
    );
    assert!(folder.files("output").is_empty());
}

#[test]
fn a_file_in_place_of_the_output_folder_is_wrong_input_and_stays() {
    let folder = Folder::with(BURST);
    folder.write("taken", "mine");
    for output in ["taken", "taken/below"] {
        let outcome = folder.ratesim(&["run", "burst.toml", "-o", output]);
        assert_eq!(outcome.status, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains("taken is a file"), "{outcome:?}");
    }
    assert_eq!(folder.read("taken"), "mine");
}

/// Two hundred million requests take far longer than the moment after which the run is killed.
#[test]
fn an_interrupted_run_leaves_the_previous_result_whole() {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--no-charts"]);
    let before = folder.files("output/burst");
    let endless = "duration = '2000s'\n[[traffic]]\npattern = 'steady'\nrate = '100000/s'\n";
    folder.write("burst.toml", format!("limit = '5/1m'\n{endless}"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratesim"))
        .current_dir(folder.path())
        .args(["run", "burst.toml", "--quiet"])
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it is still running");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.files("output/burst"), before);
}

/// The name of one result is taken by a folder, so the run fails when all else is done.
#[test]
fn a_run_that_fails_at_the_end_leaves_the_previous_result_whole() {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--max-timeline", "0", "--no-charts"]);
    folder.write("output/burst/timeline.csv/x", "in the way");
    let before = folder.files("output/burst");
    let outcome = folder.ratesim(&["run", "burst.toml", "--seed", "1", "--no-charts"]);
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
    assert!(
        outcome.stderr.starts_with("error: cannot write"),
        "{outcome:?}"
    );
    assert_eq!(folder.files("output/burst"), before);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_a_failure_with_its_cause() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--no-charts"]);
    let output = folder.path().join("output/burst");
    let before = folder.files("output/burst");
    fs::set_permissions(&output, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(output.join("probe"), "").is_ok() {
        println!("skipped: this user may write anywhere");
        return;
    }
    let outcome = folder.ratesim(&["run", "burst.toml", "--no-charts"]);
    fs::set_permissions(&output, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(outcome.status, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("\n  caused by: "), "{outcome:?}");
    assert_eq!(folder.files("output/burst"), before);
}

/// The reader is gone before the first byte is printed; the files are there all the same.
#[test]
fn a_closed_pipe_is_success() {
    let folder = Folder::with(BURST);
    for arguments in [
        &["run", "burst.toml", "--no-charts"][..],
        &["check", "burst.toml"],
        &["list"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = Command::new(env!("CARGO_BIN_EXE_ratesim"))
            .current_dir(folder.path())
            .args(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        assert!(child.wait().unwrap().success(), "{arguments:?}: {stderr}");
        assert_eq!(stderr, "", "{arguments:?}");
    }
    assert!(folder.path().join("output/burst/run.json").exists());
}

#[test]
fn nothing_is_coloured_and_no_bar_is_drawn_where_there_is_no_terminal() {
    let folder = Folder::with(BURST);
    let outcome = folder.ratesim(&["run", "burst.toml", "--no-charts"]);
    assert!(!outcome.stdout.contains('\u{1b}'), "{outcome:?}");
    assert_eq!(outcome.stderr, "");
    let outcome = folder.ratesim(&["run", "missing.toml"]);
    assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
}

#[test]
fn help_shows_examples_and_version_the_version() {
    let folder = Folder::new();
    let help = folder.succeeds(&["--help"]);
    assert!(
        help.contains("ratesim run scenarios/boundary_burst.toml"),
        "{help}"
    );
    let version = folder.succeeds(&["--version"]);
    assert_eq!(version, format!("ratesim {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(folder.ratesim(&["run"]).status, Some(2));
    assert_eq!(
        folder.ratesim(&["run", "x.toml", "--sed", "1"]).status,
        Some(2)
    );
}

#[test]
fn list_names_everything_that_a_scenario_can_name() {
    let folder = Folder::new();
    folder.write("scenarios/ready.toml", BURST);
    let text = folder.succeeds(&["list"]);
    for name in [
        "token_bucket",
        "burst",
        "timeline",
        "scenarios/ready.toml",
        "Boundary",
    ] {
        assert!(text.contains(name), "{name} in {text}");
    }
    let text = Folder::new().succeeds(&["list"]);
    assert!(!text.contains("Ready scenarios"), "{text}");
}
