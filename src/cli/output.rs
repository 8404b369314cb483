//! A folder of results that changes as a whole: new files stand under temporary names until all of
//! them are there, so that a failed or interrupted run leaves the previous result as it was.

use ratesim::error::{Error, Result};
use ratesim::report::run_json::{self, FileEntry};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What every temporary name begins with; files of such names are left by killed runs.
const TEMPORARY: &str = ".ratesim-";

/// The file that lists the others. It changes last.
pub(crate) const INDEX: &str = "run.json";

/// A result in the making. Dropped before [`Output::commit`], it leaves nothing behind.
pub(crate) struct Output {
    folder: PathBuf,
    /// Folders that were made for this result, innermost first.
    made: Vec<PathBuf>,
    staged: Vec<FileEntry>,
}

impl Output {
    /// Refuses a path that cannot be a folder of results, without touching anything.
    pub(crate) fn check(folder: &Path) -> Result<()> {
        let obstacle = folder
            .ancestors()
            .find(|path| path.exists() && !path.is_dir());
        match obstacle {
            None => Ok(()),
            Some(file) => Err(Error::input(format!(
                "the output folder {} cannot be made: {} is a file; choose another with -o",
                folder.display(),
                file.display()
            ))),
        }
    }

    /// Makes the folder, if need be, and clears what killed runs left there.
    pub(crate) fn begin(folder: &Path) -> Result<Self> {
        let missing = folder.ancestors().take_while(|path| !path.exists());
        let made = missing
            .filter(|path| !path.as_os_str().is_empty())
            .map(Path::to_owned)
            .collect();
        let output = Self {
            folder: folder.to_owned(),
            made,
            staged: Vec::new(),
        };
        fs::create_dir_all(folder)
            .and_then(|()| output.clear_stale())
            .map_err(|cause| failed("use the output folder", folder, cause))?;
        Ok(output)
    }

    fn clear_stale(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if is_stale(&entry) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Writes one file under a temporary name.
    pub(crate) fn file(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        // Listed first, so that a file written in part is cleared as well.
        self.staged.push(FileEntry {
            name: name.to_owned(),
            bytes: 0,
            sha256: String::new(),
        });
        let path = self.temporary(name);
        let written = File::create(&path).and_then(|file| {
            let mut file = Hashing::new(BufWriter::new(file));
            write(&mut file)?;
            file.finish()
        });
        let target = self.folder.join(name);
        let (bytes, sha256) = written.map_err(|cause| failed("write", &target, cause))?;
        let entry = self.staged.last_mut().expect("pushed above");
        (entry.bytes, entry.sha256) = (bytes, sha256);
        Ok(())
    }

    /// The files written so far.
    pub(crate) fn files(&self) -> &[FileEntry] {
        &self.staged
    }

    fn temporary(&self, name: &str) -> PathBuf {
        let process = std::process::id();
        self.folder.join(format!("{TEMPORARY}{process}-{name}"))
    }

    /// Gives all files their names, removes those of the earlier run that this one does not have,
    /// and lists what is there now. [`INDEX`] must be among the files.
    pub(crate) fn commit(mut self) -> Result<Vec<PathBuf>> {
        let index = self.folder.join(INDEX);
        let earlier = fs::read(&index).map_or_else(|_| Vec::new(), |json| run_json::files(&json));
        let names: BTreeSet<String> = self.staged.iter().map(|file| file.name.clone()).collect();
        for name in &names {
            let target = self.folder.join(name);
            if target.is_dir() {
                let message = format!("cannot write {}: a folder has this name", target.display());
                return Err(Error::run(message));
            }
        }
        let (last, first): (Vec<_>, Vec<_>) = names.iter().partition(|name| *name == INDEX);
        for name in first {
            self.rename(name)?;
        }
        for name in earlier.iter().filter(|name| !names.contains(*name)) {
            let path = self.folder.join(name);
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("remove the earlier run's", &path, cause));
                }
                _ => {}
            }
        }
        for name in last {
            self.rename(name)?;
        }
        self.made.clear();
        let staged = std::mem::take(&mut self.staged);
        Ok(staged
            .iter()
            .map(|file| self.folder.join(&file.name))
            .collect())
    }

    fn rename(&self, name: &str) -> Result<()> {
        let target = self.folder.join(name);
        fs::rename(self.temporary(name), &target).map_err(|cause| failed("write", &target, cause))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        for file in &self.staged {
            let _ = fs::remove_file(self.temporary(&file.name));
        }
        for folder in &self.made {
            // Fails where something else was put there meanwhile, which then stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether a killed run left this file. Those of a run that is still going, in this folder at the same
/// time, are its own; where processes cannot be looked up, a day tells the one from the other.
fn is_stale(entry: &fs::DirEntry) -> bool {
    const LONGEST_RUN: Duration = Duration::from_secs(86_400);
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let Some((process, _)) = name
        .strip_prefix(TEMPORARY)
        .and_then(|rest| rest.split_once('-'))
    else {
        return false;
    };
    let processes = Path::new("/proc");
    if processes.join("self").exists() {
        return process == std::process::id().to_string() || !processes.join(process).exists();
    }
    let age = entry.metadata().and_then(|file| file.modified());
    age.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LONGEST_RUN))
}

fn failed(what: &str, path: &Path, cause: io::Error) -> Error {
    let message = format!("cannot {what} {}", path.display());
    Error::run(message).because(cause)
}

/// Counts and hashes what is written.
struct Hashing<W> {
    inner: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    fn finish(mut self) -> io::Result<(u64, String)> {
        self.inner.flush()?;
        let digest = self.hash.finalize();
        let hex = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((self.bytes, hex))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(data)?;
        self.hash.update(&data[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in a folder with the texts of the files.
    fn contents(folder: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let mut found: Vec<_> = entries
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, fs::read_to_string(entry.path()).unwrap_or_default())
            })
            .collect();
        found.sort();
        found
    }

    fn stage(folder: &Path, files: &[(&str, &str)]) -> Output {
        let mut output = Output::begin(folder).unwrap();
        for (name, text) in files {
            output
                .file(name, |out| out.write_all(text.as_bytes()))
                .unwrap();
        }
        output
    }

    /// SHA-256 of "abc", from FIPS 180-2, appendix B.1.
    #[test]
    fn files_are_hashed_as_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let output = stage(folder.path(), &[("a.csv", "abc")]);
        assert_eq!(output.files()[0].bytes, 3);
        assert_eq!(
            output.files()[0].sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_result_that_is_not_committed_leaves_no_trace() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("output").join("burst");
        drop(stage(&folder, &[("a.csv", "new")]));
        assert_eq!(contents(parent.path()), []);

        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.csv"), "old").unwrap();
        let mut output = stage(&folder, &[("a.csv", "new")]);
        let failure = output.file("b.csv", |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the disk is full"))
        });
        assert_eq!(failure.unwrap_err().exit_status(), 1);
        drop(output);
        assert_eq!(contents(&folder), [("a.csv".into(), "old".into())]);
    }

    #[test]
    fn a_commit_replaces_the_earlier_run_as_a_whole_and_spares_other_files() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("burst");
        let index = r#"{"files":[{"name":"a.csv"},{"name":"a.png"},{"name":"../x"}]}"#;
        fs::write(parent.path().join("x"), "outside").unwrap();
        stage(&folder, &[("a.csv", "1"), ("a.png", "1"), (INDEX, index)])
            .commit()
            .unwrap();
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        fs::write(
            folder.join(format!("{TEMPORARY}4294967295-a.csv")),
            "killed",
        )
        .unwrap();
        stage(&folder, &[("a.csv", "2"), (INDEX, "{}")])
            .commit()
            .unwrap();
        let expected = [("a.csv", "2"), ("notes.txt", "mine"), (INDEX, "{}")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(contents(&folder), expected);
        assert!(parent.path().join("x").exists());
    }

    /// Process 1 runs as long as the machine does.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_run_spares_what_another_one_is_writing_into_the_same_folder() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("{TEMPORARY}1-a.csv");
        fs::write(folder.path().join(&name), "going on").unwrap();
        drop(stage(folder.path(), &[("a.csv", "new")]));
        assert_eq!(contents(folder.path()), [(name, "going on".into())]);
    }

    #[test]
    fn a_file_is_no_folder() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("taken");
        fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("below")] {
            let error = Output::check(&path).unwrap_err();
            assert_eq!(error.exit_status(), 2);
            assert!(error.to_string().contains("is a file"), "{error}");
        }
        assert!(Output::check(&parent.path().join("a/b/c")).is_ok());
    }
}
