//! Zstandard (RFC 8878): all frames of a stream as one text, skippable frames passed over.
//!
//! A window of more than 128 MiB (`zstd --ultra --long=28` and above) is refused, as by `zstd -d`
//! itself: it would have to be held in memory.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::error::Error;
use std::io::{self, BufRead, Read};

/// Bytes that are unpacked at once, before they are handed out.
const STEP: usize = 1 << 18;

/// Whether a stream that begins like this is one of frames.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let magic = bytes.first_chunk().copied().map(u32::from_le_bytes);
    matches!(magic, Some(0xfd2f_b528 | 0x184d_2a50..=0x184d_2a5f))
}

/// The text of a stream of frames.
pub(super) struct Frames<R> {
    packed: R,
    decoder: FrameDecoder,
    is_within: bool,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(packed: R) -> Self {
        Self {
            packed,
            decoder: FrameDecoder::new(),
            is_within: false,
        }
    }

    /// Goes on to the next frame with a text; false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.packed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => {
                    self.is_within = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let passed = io::copy(&mut (&mut self.packed).take(length), &mut io::sink())?;
                    if passed < length {
                        return Err(invalid("a skippable frame does not end"));
                    }
                }
                Err(error) => return Err(invalid(error)),
            }
        }
        Ok(false)
    }

    /// Checks the sum behind a frame, where there is one.
    fn end(&mut self) -> io::Result<()> {
        self.is_within = false;
        let stated = self.decoder.get_checksum_from_data();
        if stated.is_some() && stated != self.decoder.get_calculated_checksum() {
            return Err(invalid("the checksum of a frame is wrong"));
        }
        Ok(())
    }
}

/// What is no zstd, or not whole.
fn invalid(error: impl Into<Box<dyn Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.is_within || self.begin()? {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            }
            if self.decoder.is_finished() {
                self.end()?;
            } else {
                self.decoder
                    .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBytes(STEP))
                    .map_err(invalid)?;
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
pub(in crate::workload) mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    /// The text as one frame.
    pub(in crate::workload) fn packed(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    /// A frame that decoders pass over (RFC 8878, 3.1.2).
    fn skippable(length: u8) -> Vec<u8> {
        let mut frame = vec![0x5a, 0x2a, 0x4d, 0x18, length, 0, 0, 0];
        frame.resize(8 + usize::from(length), 7);
        frame
    }

    fn read(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        Frames::new(packed).read_to_end(&mut text)?;
        Ok(text)
    }

    /// Written by hand after RFC 8878: one frame of one segment with 5 bytes in a raw block.
    const RAW: &[u8] = b"\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello";

    #[test]
    fn a_frame_written_by_hand_is_read() {
        assert_eq!(read(RAW).unwrap(), b"hello");
        // A block of one byte, repeated 1,000 times: 1000 · 8 + 2 + 1 = 0x1f43.
        let repeated = b"\x28\xb5\x2f\xfd\x60\xe8\x02\x43\x1f\0x";
        assert_eq!(read(repeated).unwrap(), [b'x'; 1_000]);
    }

    #[test]
    fn frames_follow_each_other_and_skippable_ones_say_nothing() {
        let text: Vec<u8> = (0..400_000u32).flat_map(u32::to_le_bytes).collect();
        let stream = [
            skippable(0),
            packed(&text),
            skippable(9),
            RAW.to_vec(),
            packed(b""),
            skippable(3),
        ];
        let expected = [&text[..], b"hello"].concat();
        assert_eq!(read(&stream.concat()).unwrap(), expected);
        assert!(stream.iter().all(|frame| begins(frame)));
        assert!(!begins(b"") && !begins(b"\x28\xb5\x2f") && !begins(b"time"));
    }

    #[test]
    fn a_stream_cut_off_within_a_frame_is_an_error() {
        let stream = [packed(&[b'a'; 300]), skippable(4), RAW.to_vec()];
        let ends: Vec<_> = stream
            .iter()
            .scan(0, |end, frame| {
                *end += frame.len();
                Some(*end)
            })
            .collect();
        let stream = stream.concat();
        for end in 1..stream.len() {
            let result = read(&stream[..end]);
            assert_eq!(result.is_ok(), ends.contains(&end), "{end}: {result:?}");
            if let Err(error) = result {
                assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            }
        }
    }

    #[test]
    fn a_wrong_checksum_or_what_follows_the_last_frame_is_an_error() {
        let mut frame = packed(b"some text, and some text again");
        let last = frame.len() - 1;
        frame[last] ^= 1;
        assert!(read(&frame).is_err());
        assert!(read(&[RAW, b"more"].concat()).is_err());
    }
}
