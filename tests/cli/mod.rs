//! The command as a user meets it: in a folder of its own, by its output and exit status.

mod around;
mod bad_clients;
mod bad_deployments;
mod bad_input;
mod bad_rules;
mod bad_traces;
mod bad_traffic;
mod changes;
mod failures;
mod measure;
mod outputs;
mod resolved;

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder to run the command in.
pub(crate) struct Folder(TempDir);

/// What a command printed and how it ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Five requests at the end of a minute and five at the beginning of the next, at 5 per minute.
pub(crate) const BURST: &str = r#"title = "Boundary"
limit = "5/1m"

[[traffic]]
pattern = "burst"
at = "55s"
count = 5
spread = "5s"

[[traffic]]
pattern = "burst"
at = "1m"
count = 5
spread = "5s"
"#;

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with one scenario in it, called `burst.toml`.
    pub(crate) fn with(text: &str) -> Self {
        let folder = Self::new();
        folder.write("burst.toml", text);
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a name in the folder")).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ratesim"));
        command.current_dir(self.path()).args(arguments);
        command
    }

    pub(crate) fn ratesim(&self, arguments: &[&str]) -> Outcome {
        let output = self.command(arguments).output().expect("the command runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Outcome {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Runs the command, which must succeed, and gives what it printed.
    pub(crate) fn succeeds(&self, arguments: &[&str]) -> String {
        let outcome = self.ratesim(arguments);
        assert_eq!(outcome.status, Some(0), "{arguments:?}: {outcome:?}");
        outcome.stdout
    }

    /// All files below a folder with their bytes, hidden ones included.
    pub(crate) fn files(&self, below: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.path().join(below);
        let mut files = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = fs::read(&path).unwrap();
                    let name = path.strip_prefix(&root).unwrap().display().to_string();
                    files.insert(name, bytes);
                }
            }
        }
        files
    }

    /// The rows of `summary.csv` as (candidate, requests, allowed).
    pub(crate) fn summary(&self, folder: &str) -> Vec<(String, u64, u64)> {
        let text = self.read(&format!("{folder}/summary.csv"));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let column = |name| headers.iter().position(|header| header == name).unwrap();
        let columns = ["candidate", "requests", "allowed"].map(column);
        let rows = reader.records().map(|row| {
            let row = row.unwrap();
            let [candidate, requests, allowed] = columns.map(|column| row[column].to_owned());
            (
                candidate,
                requests.parse().unwrap(),
                allowed.parse().unwrap(),
            )
        });
        rows.collect()
    }
}
