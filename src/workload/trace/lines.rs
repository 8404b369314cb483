//! The lines of a text file, plain or gzip, in bounded memory.

use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// The longest line that is read; the rest of a longer one is passed over.
pub(super) const LONGEST: usize = 1 << 20;

/// A line with its number from 1, without its end.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) number: u64,
    /// The text; bytes that are not UTF-8 are replaced. Cut off at [`LONGEST`] bytes.
    pub(super) text: &'a str,
    pub(super) is_cut: bool,
}

/// A file being read line by line.
pub(super) struct Lines {
    reader: Box<dyn BufRead + Send>,
    number: u64,
    bytes: Vec<u8>,
    /// The text of a line that is not UTF-8.
    replaced: String,
}

impl Lines {
    /// Opens a file; gzip is known by its first two bytes.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if path.metadata()?.is_file() {
            Self::over(BufReader::with_capacity(1 << 16, File::open(path)?))
        } else {
            Err(io::Error::other("it is not a regular file"))
        }
    }

    fn over(mut source: impl BufRead + Send + 'static) -> io::Result<Self> {
        let reader: Box<dyn BufRead + Send> = if source.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(
                1 << 16,
                MultiGzDecoder::new(source),
            ))
        } else {
            Box::new(source)
        };
        Ok(Self {
            reader,
            number: 0,
            bytes: Vec::new(),
            replaced: String::new(),
        })
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let is_cut = loop {
            let Some(is_cut) = self.read_line()? else {
                return Ok(None);
            };
            if !self.bytes.iter().all(u8::is_ascii_whitespace) {
                break is_cut;
            }
        };
        let bytes = match self.number {
            // The byte order mark that some programs put before the first line.
            1 => self
                .bytes
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(&self.bytes),
            _ => &self.bytes,
        };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => {
                self.replaced = String::from_utf8_lossy(bytes).into_owned();
                &self.replaced
            }
        };
        Ok(Some(Line {
            number: self.number,
            text,
            is_cut,
        }))
    }

    /// Reads a line into `bytes`; `None` at the end, else whether it was cut off.
    fn read_line(&mut self) -> io::Result<Option<bool>> {
        self.bytes.clear();
        let most = LONGEST as u64 + 1;
        let length = (&mut self.reader)
            .take(most)
            .read_until(b'\n', &mut self.bytes)?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let mut is_cut = false;
        if self.bytes.last() == Some(&b'\n') {
            self.bytes.pop();
        } else if length > LONGEST {
            is_cut = true;
            self.bytes.truncate(LONGEST);
            self.reader.skip_until(b'\n')?;
        }
        if self.bytes.last() == Some(&b'\r') {
            self.bytes.pop();
        }
        Ok(Some(is_cut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn read(bytes: &[u8]) -> Vec<(u64, String, bool)> {
        let mut lines = Lines::over(io::Cursor::new(bytes.to_vec())).unwrap();
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.text.to_owned(), line.is_cut));
        }
        all
    }

    fn line(number: u64, text: &str) -> (u64, String, bool) {
        (number, text.to_owned(), false)
    }

    #[test]
    fn lines_end_with_lf_or_cr_lf_or_the_file() {
        assert_eq!(
            read(b"a\r\nb\n\n \t\nc"),
            [line(1, "a"), line(2, "b"), line(5, "c")]
        );
        assert_eq!(read(b""), []);
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        assert_eq!(
            read(b"\xef\xbb\xbftime\n1"),
            [line(1, "time"), line(2, "1")]
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(read(b"a\xffb\nc"), [line(1, "a\u{fffd}b"), line(2, "c")]);
    }

    #[test]
    fn gzip_is_known_by_its_first_bytes_and_may_have_several_members() {
        let mut bytes = Vec::new();
        for text in ["a\nb", "c\n"] {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            bytes.extend(encoder.finish().unwrap());
        }
        assert_eq!(read(&bytes), [line(1, "a"), line(2, "bc")]);
        let mut lines = Lines::over(io::Cursor::new(b"\x1f\x8bnot gzip".to_vec())).unwrap();
        assert!(lines.next().is_err());
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let mut bytes = vec![b'x'; 3 * LONGEST];
        bytes.extend(b"\nnext\n");
        let all = read(&bytes);
        assert_eq!((all[0].0, all[0].1.len(), all[0].2), (1, LONGEST, true));
        assert_eq!(all[1], line(2, "next"));
        let exact = [vec![b'y'; LONGEST], b"\nz".to_vec()].concat();
        assert!(!read(&exact)[0].2);
    }
}
