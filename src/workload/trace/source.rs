//! The bytes of a file, plain, gzip or zstd, as a stream.
//!
//! What a file is packed with is told by its first bytes, not by its name. Several gzip members or
//! zstd frames read as one text.

use super::zstd;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The unpacked bytes of a file.
pub(super) type Source = Box<dyn Read + Send>;

/// Bytes that are read from a file at once before they are unpacked.
const CHUNK: usize = 1 << 16;

/// Opens a file.
pub(super) fn open(path: &Path) -> io::Result<Source> {
    if path.metadata()?.is_file() {
        unpacked(BufReader::with_capacity(CHUNK, File::open(path)?))
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

/// The bytes behind `packed`, whatever they are packed with.
pub(super) fn unpacked(mut packed: impl BufRead + Send + 'static) -> io::Result<Source> {
    let first = packed.fill_buf()?;
    Ok(if first.starts_with(&[0x1f, 0x8b]) {
        Box::new(MultiGzDecoder::new(packed))
    } else if zstd::begins(first) {
        Box::new(zstd::Frames::new(packed))
    } else {
        Box::new(packed)
    })
}
