//! The file that a scenario stands in.

use super::tree::Lines;
use crate::error::{Error, Place, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The text of a file of this name, which must be UTF-8.
pub(super) fn decode(name: &str, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|cause| {
        let valid = cause.utf8_error().valid_up_to();
        let byte = cause.as_bytes()[valid];
        let readable = String::from_utf8_lossy(&cause.as_bytes()[..valid]);
        let place = Lines::new(name.into(), &readable).place(valid);
        let message =
            format!("found the byte 0x{byte:02x}, which is not UTF-8; save the file as UTF-8");
        Error::input(message).at(place)
    })
}

/// A scenario's text and what its file's name says.
#[derive(Debug)]
pub struct Source {
    name: Arc<str>,
    stem: String,
    folder: PathBuf,
    text: String,
}

impl Source {
    /// Reads the file at `path`. A missing file, a folder, and bytes that are not UTF-8 are wrong
    /// input.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display();
        let bytes = std::fs::read(path).map_err(|cause| {
            let message = match cause.kind() {
                std::io::ErrorKind::NotFound => {
                    format!("{name}: there is no such scenario file")
                }
                _ if path.is_dir() => {
                    format!("{name}: is a folder; name a scenario file, such as {name}/NAME.toml")
                }
                _ => format!("{name}: the scenario file cannot be read"),
            };
            Error::input(message).because(cause)
        })?;
        let text = decode(&name.to_string(), bytes)?;
        Ok(Self::new(path, text))
    }

    /// A scenario of this text, as if it stood in the file at `path`.
    pub fn new(path: &Path, text: impl Into<String>) -> Self {
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        Self {
            name: path.display().to_string().into(),
            stem: stem.to_string_lossy().into_owned(),
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            text: text.into(),
        }
    }

    /// The file as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's name without its extension: the default title and the name of the output folder.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// The folder that paths in the scenario are relative to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn lines(&self) -> Lines<'_> {
        Lines::new(self.name.clone(), &self.text)
    }

    /// Where the file begins.
    pub(super) fn beginning(&self) -> Place {
        self.lines().place(0)
    }
}
