//! A text cut at line ends into blocks that can be read independently, in bounded memory.

use super::source::Source;
use memchr::{memchr, memrchr};
use std::borrow::Cow;
use std::io;

/// The longest line that is read; the rest of a longer one is passed over.
pub(super) const LONGEST: usize = 1 << 20;

/// A run of whole lines.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Allocated once and filled again and again; the text is the first `length` bytes.
    bytes: Vec<u8>,
    length: usize,
    /// Where its lines begin, and how many were passed over before.
    begin: usize,
    before: u64,
    /// Whether the file begins with it.
    is_first: bool,
}

/// Cuts a text into blocks.
pub(super) struct Blocks {
    source: Source,
    /// Bytes of a block; more only where a line is longer.
    size: usize,
    /// What was read of the next block's first line.
    tail: Vec<u8>,
    /// Whether the first line that is not blank is still to be passed over.
    header: bool,
    is_first: bool,
    is_at_end: bool,
    failure: Option<io::Error>,
}

impl Blocks {
    /// Cuts `source` into blocks of about `size` bytes; without its first line, if that is a
    /// `header`.
    pub(super) fn new(source: Source, size: usize, header: bool) -> Self {
        Self {
            source,
            size: size.max(1),
            tail: Vec::new(),
            header,
            is_first: true,
            is_at_end: false,
            failure: None,
        }
    }

    /// Fills `block` with the next lines; false at the end.
    ///
    /// Lines before a place that cannot be read come first; the error is for the next call.
    pub(super) fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        block.begin = 0;
        block.before = 0;
        block.length = 0;
        block.is_first = std::mem::take(&mut self.is_first);
        self.fill(block);
        if block.length == 0 {
            return self.failure.take().map_or(Ok(false), Err);
        }
        if self.header {
            let mut lines = block.raw_lines();
            self.header = lines.next().is_none();
            (block.begin, block.before) = (block.length - lines.rest.len(), lines.number);
        }
        Ok(true)
    }

    fn fill(&mut self, block: &mut Block) {
        block.append(&self.tail);
        self.tail.clear();
        let mut aim = self.size;
        loop {
            self.read(block, aim);
            let end = memrchr(b'\n', block.text()).map_or(0, |last| last + 1);
            if self.failure.is_some() {
                block.length = end;
                return;
            }
            if end > 0 || self.is_at_end {
                let end = if self.is_at_end { block.length } else { end };
                self.tail.extend_from_slice(&block.text()[end..]);
                block.length = end;
                return;
            }
            if block.length > LONGEST {
                // One byte more than is read tells that the line is longer.
                block.length = LONGEST + 1;
                self.pass_over();
                block.append(b"\n");
                return;
            }
            aim = (2 * block.length).max(self.size);
        }
    }

    /// Reads until the block has `aim` bytes.
    fn read(&mut self, block: &mut Block, aim: usize) {
        if block.bytes.len() < aim {
            block.bytes.resize(aim, 0);
        }
        while block.length < aim && !self.is_at_end && self.failure.is_none() {
            let length = self.read_some(&mut block.bytes[block.length..aim]);
            block.length += length;
        }
    }

    /// Reads some bytes; none at the end or a failure.
    fn read_some(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            match self.source.read(buffer) {
                Ok(length) => {
                    self.is_at_end = length == 0;
                    return length;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error);
                    return 0;
                }
            }
        }
    }

    /// Passes over the rest of a line; what was read behind it is the tail.
    fn pass_over(&mut self) {
        let mut buffer = vec![0; self.size.min(LONGEST)];
        loop {
            let length = self.read_some(&mut buffer);
            if length == 0 {
                return;
            }
            if let Some(end) = memchr(b'\n', &buffer[..length]) {
                self.tail.extend_from_slice(&buffer[end + 1..length]);
                return;
            }
        }
    }
}

/// A line with its number within the block from 1, without its end.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) number: u64,
    /// UTF-8; what is not, is replaced. Cut off at [`LONGEST`] bytes.
    pub(super) text: Cow<'a, [u8]>,
    pub(super) is_cut: bool,
}

impl Block {
    fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn append(&mut self, more: &[u8]) {
        let end = self.length + more.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[self.length..end].copy_from_slice(more);
        self.length = end;
    }

    /// Bytes that it takes.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    fn raw_lines(&self) -> RawLines<'_> {
        RawLines {
            rest: &self.text()[self.begin..],
            number: self.before,
            begins_file: self.is_first,
        }
    }

    /// The lines that are not blank.
    pub(super) fn lines(&self) -> Lines<'_> {
        Lines {
            raw: self.raw_lines(),
            is_text: std::str::from_utf8(self.text()).is_ok(),
        }
    }
}

/// The lines of a block that are not blank.
pub(super) struct Lines<'a> {
    raw: RawLines<'a>,
    /// Whether the whole block is UTF-8, so that its lines need not be looked at.
    is_text: bool,
}

impl Lines<'_> {
    /// How many lines were read, blank ones and those passed over included.
    pub(super) fn number(&self) -> u64 {
        self.raw.number
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let (bytes, is_cut) = self.raw.next()?;
        let text = if self.is_text && !is_cut {
            Cow::Borrowed(bytes)
        } else {
            match String::from_utf8_lossy(bytes) {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            }
        };
        Some(Line {
            number: self.raw.number,
            text,
            is_cut,
        })
    }
}

/// The lines as they stand in the file.
struct RawLines<'a> {
    rest: &'a [u8],
    number: u64,
    begins_file: bool,
}

impl<'a> Iterator for RawLines<'a> {
    type Item = (&'a [u8], bool);

    fn next(&mut self) -> Option<(&'a [u8], bool)> {
        while !self.rest.is_empty() {
            let line = match memchr(b'\n', self.rest) {
                Some(end) => {
                    let line = &self.rest[..end];
                    self.rest = &self.rest[end + 1..];
                    line
                }
                None => std::mem::take(&mut self.rest),
            };
            self.number += 1;
            let is_cut = line.len() > LONGEST;
            let line = &line[..line.len().min(LONGEST)];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            // The byte order mark that some programs put before the first line.
            let is_first = self.begins_file && self.number == 1;
            let mark = if is_first { &b"\xef\xbb\xbf"[..] } else { b"" };
            return Some((line.strip_prefix(mark).unwrap_or(line), is_cut));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::unpacked;
    use super::super::zstd;
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use proptest::prelude::*;
    use std::io::{Cursor, Read, Write};

    type Seen = (u64, String, bool);

    /// All lines with their numbers in the file, by blocks of `size` bytes.
    fn lines(source: Source, size: usize) -> io::Result<Vec<Seen>> {
        let mut blocks = Blocks::new(source, size, false);
        let mut block = Block::default();
        let (mut all, mut before) = (Vec::new(), 0);
        while blocks.next(&mut block)? {
            let mut lines = block.lines();
            for line in &mut lines {
                let text = String::from_utf8(line.text.into_owned()).unwrap();
                all.push((before + line.number, text, line.is_cut));
            }
            before += lines.number();
        }
        Ok(all)
    }

    /// The same lines come by blocks of any size.
    fn read(bytes: &[u8]) -> Vec<Seen> {
        let read = |size| {
            let source = unpacked(Cursor::new(bytes.to_vec())).unwrap();
            lines(source, size).unwrap()
        };
        let all = read(1 << 16);
        for size in [1, 2, 3, 5, 8, 4 << 20] {
            if size > 8 || bytes.len() < 1_000 {
                assert_eq!(read(size), all, "{size}");
            }
        }
        all
    }

    fn line(number: u64, text: &str) -> Seen {
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
    fn a_line_may_end_before_at_and_after_the_end_of_a_block() {
        // With blocks of 4 bytes: "aa\n" and the first byte of the next line; a line that ends with
        // the block; one that is longer.
        assert_eq!(
            read(b"aa\nbb\nccc\ndddd\neeeee\n\n\nf"),
            [
                line(1, "aa"),
                line(2, "bb"),
                line(3, "ccc"),
                line(4, "dddd"),
                line(5, "eeeee"),
                line(8, "f")
            ]
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        assert_eq!(
            read(b"\xef\xbb\xbftime\n1"),
            [line(1, "time"), line(2, "1")]
        );
        assert_eq!(
            read(b"a\n\xef\xbb\xbfb"),
            [line(1, "a"), line(2, "\u{feff}b")]
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(read(b"a\xffb\nc"), [line(1, "a\u{fffd}b"), line(2, "c")]);
    }

    #[test]
    fn a_header_is_the_first_line_that_is_not_blank() {
        for size in [1, 2, 4, 100] {
            let source = unpacked(Cursor::new(b"\n \nhead\n\na\n".to_vec())).unwrap();
            let mut blocks = Blocks::new(source, size, true);
            let mut block = Block::default();
            let (mut all, mut before) = (Vec::new(), 0);
            while blocks.next(&mut block).unwrap() {
                let mut lines = block.lines();
                all.extend((&mut lines).map(|line| (before + line.number, line.text.into_owned())));
                before += lines.number();
            }
            assert_eq!(all, [(5, b"a".to_vec())], "{size}");
        }
    }

    #[test]
    fn packed_text_is_known_by_its_first_bytes_and_may_have_several_parts() {
        let (mut gzip, mut frames) = (Vec::new(), Vec::new());
        for text in ["a\nb", "c\n"] {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            gzip.extend(encoder.finish().unwrap());
            frames.extend(zstd::tests::packed(text.as_bytes()));
        }
        assert_eq!(read(&gzip), [line(1, "a"), line(2, "bc")]);
        assert_eq!(read(&frames), [line(1, "a"), line(2, "bc")]);
        for wrong in [&b"\x1f\x8bnot gzip"[..], b"\x28\xb5\x2f\xfdnot zstd"] {
            let source = unpacked(Cursor::new(wrong.to_vec())).unwrap();
            assert!(lines(source, 100).is_err());
        }
    }

    #[test]
    fn lines_before_a_failure_come_first() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(b"a\nb\nc\n").unwrap();
        let bytes = encoder.finish().unwrap();
        let source = unpacked(Cursor::new(bytes[..bytes.len() - 9].to_vec())).unwrap();
        let mut blocks = Blocks::new(source, 100, false);
        let mut block = Block::default();
        assert!(blocks.next(&mut block).unwrap());
        assert!(block.lines().count() >= 2);
        assert!(blocks.next(&mut block).is_err());
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
        let longer = [vec![b'y'; LONGEST + 1], b"\nz".to_vec()].concat();
        assert!(read(&longer)[0].2);

        let endless = io::repeat(b'x').take(200 * LONGEST as u64);
        let mut blocks = Blocks::new(Box::new(endless), 1 << 16, false);
        let mut block = Block::default();
        assert!(blocks.next(&mut block).unwrap());
        assert!(block.capacity() <= 3 * LONGEST);
        assert!(!blocks.next(&mut block).unwrap());
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_whole_text(text in "[ab\u{e9}\r\n ]{0,60}") {
            let expected: Vec<_> = text
                .split('\n')
                .zip(1..)
                .map(|(text, number)| (number, text.strip_suffix('\r').unwrap_or(text)))
                .filter(|(_, text)| !text.bytes().all(|byte| byte.is_ascii_whitespace()))
                .map(|(number, text)| line(number, text))
                .collect();
            prop_assert_eq!(read(text.as_bytes()), expected);
        }
    }
}
