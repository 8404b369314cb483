//! Runs that fail or are killed half-way: exit status 1 with the cause, and the previous result whole.
#![cfg(unix)]

use super::{BURST, Folder};
use std::fs::{self, File};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const RATESIM: &str = env!("CARGO_BIN_EXE_ratesim");

fn sh(folder: &Folder, script: &str) -> Output {
    Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", script, RATESIM])
        .output()
        .expect("a shell")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file that may not grow further is what a disk that fills up looks like to the run.
#[test]
fn a_file_that_cannot_grow_fails_the_run_and_leaves_the_previous_result_whole() {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--no-charts"]);
    let before = folder.files("output/burst");
    // The first block holds the summary and not the timeline.
    let output = sh(
        &folder,
        "trap '' XFSZ; ulimit -f 4 && exec \"$0\" run burst.toml --no-charts --seed 9",
    );
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let message = "error: cannot write output/burst/";
    assert!(stderr.starts_with(message), "{stderr}");
    assert!(stderr.contains("\n  caused by: "), "{stderr}");
    assert_eq!(text(&output.stdout), "");
    assert_eq!(folder.files("output/burst"), before);
}

/// A disk of 200 kB in a name space of its own, where the system lets an ordinary user have one.
#[test]
fn a_full_disk_fails_the_run_and_leaves_the_previous_result_whole() {
    let folder = Folder::with(BURST);
    folder.write("output/x", "");
    let possible = sh(
        &folder,
        "unshare -rm mount -t tmpfs -o size=64k none output",
    );
    if !possible.status.success() {
        println!(
            "skipped: no small disk can be mounted: {}",
            text(&possible.stderr)
        );
        return;
    }
    let output = sh(
        &folder,
        "exec unshare -rm sh -c 'mount -t tmpfs -o size=200k none output &&
            \"$0\" run burst.toml --no-charts --quiet --algorithm fixed_window &&
            cp -r output before &&
            \"$0\" run burst.toml --seed 9; status=$?
            diff -r before output >&2 && exit $status' \"$0\"",
    );
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.starts_with("error: cannot write output/burst/"),
        "{stderr}"
    );
    assert!(stderr.contains("caused by: No space left"), "{stderr}");
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
}

#[test]
fn results_that_cannot_be_printed_are_a_failure_but_the_files_are_there() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        println!("skipped: there is no /dev/full");
        return;
    };
    let folder = Folder::with(BURST);
    let mut command = Command::new(RATESIM);
    command.current_dir(folder.path());
    command
        .args(["run", "burst.toml", "--no-charts"])
        .stdout(full);
    let output = command.output().unwrap();
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.starts_with("error: cannot print the results"),
        "{stderr}"
    );
    assert!(stderr.contains("\n  caused by: "), "{stderr}");
    assert!(folder.files("output/burst").contains_key("run.json"));
}

#[test]
fn an_output_folder_that_cannot_be_made_is_a_failure_with_its_cause() {
    let folder = Folder::with(BURST);
    let long = "x".repeat(300);
    for path in ["/proc/ratesim/output", long.as_str()] {
        let outcome = folder.ratesim(&["run", "burst.toml", "-o", path]);
        assert_eq!(outcome.status, Some(1), "{outcome:?}");
        let message = "error: cannot use the output folder";
        assert!(outcome.stderr.starts_with(message), "{outcome:?}");
        assert!(outcome.stderr.contains("\n  caused by: "), "{outcome:?}");
        assert_eq!(outcome.stdout, "");
    }
}

/// Tables are written before pictures are drawn, so that the first file under a temporary name tells that
/// the run is half-way.
#[test]
fn a_run_that_is_killed_while_it_writes_leaves_the_previous_result_whole() {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--no-charts"]);
    let before = folder.files("output/burst");
    for signal in ["KILL", "TERM", "INT"] {
        let mut child = Command::new(RATESIM)
            .current_dir(folder.path())
            .args(["run", "burst.toml", "--quiet", "--seed", "9"])
            .spawn()
            .unwrap();
        let temporary = format!(".ratesim-{}-", child.id());
        let end = Instant::now() + Duration::from_secs(60);
        let staged = || {
            let mut names = fs::read_dir(folder.path().join("output/burst")).unwrap();
            names.any(|entry| {
                entry
                    .unwrap()
                    .file_name()
                    .to_string_lossy()
                    .starts_with(&temporary)
            })
        };
        while !staged() {
            assert!(Instant::now() < end, "nothing is written");
        }
        let killed = sh(&folder, &format!("kill -{signal} {}", child.id()));
        assert!(killed.status.success(), "{}", text(&killed.stderr));
        assert!(child.wait().unwrap().code().is_none(), "it was killed");
        let mut after = folder.files("output/burst");
        after.retain(|name, _| !name.starts_with(".ratesim-"));
        assert_eq!(after, before, "{signal}");
    }
    // The next run clears what they left.
    folder.succeeds(&["run", "burst.toml", "--no-charts"]);
    assert_eq!(folder.files("output/burst"), before);
}
