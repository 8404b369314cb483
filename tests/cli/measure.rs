//! `--measure` and the field `measure`: what is measured, and what a run leaves out without it.

use super::bad_input::refused;
use super::{BURST, Folder};

#[test]
fn files_and_pictures_of_what_is_not_measured_are_left_out() {
    let folder = Folder::with(BURST);
    folder.succeeds(&["run", "burst.toml", "--measure", "counts", "-o", "counts"]);
    let files: Vec<_> = folder.files("counts").into_keys().collect();
    assert_eq!(
        files,
        [
            "run.json",
            "scorecard.png",
            "scorecard.svg",
            "summary.csv",
            "timeline.csv"
        ]
    );
    folder.succeeds(&[
        "run",
        "burst.toml",
        "--measure",
        "series,errors",
        "-o",
        "some",
    ]);
    let files = folder.files("some");
    for (name, is_there) in [
        ("series.csv", true),
        ("throughput.png", true),
        ("error.png", true),
        ("keys.csv", false),
        ("window.png", false),
        ("memory.png", false),
    ] {
        assert_eq!(files.contains_key(name), is_there, "{name}");
    }
}

#[test]
fn what_is_measured_is_resolved_and_checked() {
    let folder = Folder::with(BURST);
    for (arguments, line) in [
        (&[][..], "measure = \"all\""),
        (&["--measure", "counts"][..], "measure = \"counts\""),
        (
            &["--measure", "peak,errors"][..],
            "measure = [\"errors\", \"peak\"]",
        ),
        (&["--measure", "errors,all"][..], "measure = \"all\""),
    ] {
        let resolved = folder.succeeds(&[&["check", "burst.toml"], arguments].concat());
        assert!(
            resolved.lines().any(|found| found == line),
            "{line} in {resolved}"
        );
    }
    refused(
        &folder,
        &["burst.toml", "--measure", "error"],
        "--measure error: measure: ",
        &["`error` is not known", "did you mean `errors`?", "series"],
    );
    let wrong = Folder::with(&format!("measure = 3\n{BURST}"));
    refused(
        &wrong,
        &["burst.toml"],
        "burst.toml:1:1: measure: ",
        &["found 3", "list of measures"],
    );
}
