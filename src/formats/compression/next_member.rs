//! Where the next member, frame or stream begins that is whole.
//!
//! What only looks like a beginning is told from one by reading it to its end, with its checksum if it has one.

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use memchr::memmem;
use std::io::{self, Read};
use zstd::stream::read::Decoder as ZstdDecoder;

use super::kind::{Compression, DICTIONARY_MAGIC, window_bits};

/// So many times the bytes of a file are read in search of something whole: a file may be full of false beginnings.
const PASSES: u64 = 4;

/// A search in one file, which may be gone on with after the next damage.
#[derive(Debug)]
pub(crate) struct Search {
    compression: Compression,
    /// Where the file was begun to be read, or gone on with: what is whole from there on has been read.
    begun: usize,
    /// Bytes that may still be read.
    budget: u64,
    /// What a decompressor may take.
    memory: u64,
}

impl Search {
    /// In a file of so many bytes, with decompressors that take so much memory.
    pub fn new(compression: Compression, length: u64, memory: u64) -> Search {
        Search { compression, begun: 0, budget: length.saturating_mul(PASSES), memory }
    }

    /// Where the first whole member, frame or stream begins after the one that is damaged. Where damage shows does not tell
    /// that: whoever decompresses a member that was cut goes on into the next one. So what was read is gone through again,
    /// to the first that is not whole.
    pub fn next(&mut self, file: &[u8]) -> Option<usize> {
        if file.starts_with(&DICTIONARY_MAGIC) {
            // What needs a dictionary cannot be told from damage by itself.
            return None;
        }
        let mut damaged = self.begun;
        while let Some(length) = self.whole(file.get(damaged..)?)? {
            damaged += length;
        }
        let next = self.find(file, damaged + 1)?;
        self.begun = next;
        Some(next)
    }

    /// Bytes of the member, frame or stream that a file begins with, if it is whole; `None` where too much has been read.
    fn whole(&mut self, file: &[u8]) -> Option<Option<usize>> {
        if let Some(length) = skippable(file).filter(|_| self.compression == Compression::Zstd) {
            return Some((length <= file.len()).then_some(length));
        }
        let mut rest = file;
        let is_whole = Compression::of(file) == Some(self.compression) && self.is_whole(&mut rest);
        let length = file.len() - rest.len();
        self.budget = self.budget.checked_sub(length as u64)?;
        Some(is_whole.then_some(length))
    }

    /// Where the first whole one begins at `from` or after it.
    fn find(&mut self, file: &[u8], from: usize) -> Option<usize> {
        let magic: &[u8] = match self.compression {
            Compression::Gzip => &[0x1f, 0x8b, 0x08],
            Compression::Zstd => &[0x28, 0xb5, 0x2f, 0xfd],
            Compression::Bzip2 => b"BZh",
        };
        let places = memmem::find_iter(file.get(from..)?, magic).map(|place| from + place);
        for place in places {
            if self.whole(&file[place..])?.is_some() {
                return Some(place);
            }
        }
        None
    }

    /// Whether what begins here can be read to its end.
    fn is_whole(&self, file: &mut &[u8]) -> bool {
        let all = |text: &mut dyn Read| io::copy(text, &mut io::sink()).is_ok();
        match self.compression {
            Compression::Gzip => all(&mut GzDecoder::new(file)),
            Compression::Zstd => ZstdDecoder::with_buffer(file).is_ok_and(|mut decoder| {
                decoder.window_log_max(window_bits(self.memory)).is_ok() && all(&mut decoder.single_frame())
            }),
            Compression::Bzip2 => all(&mut BzDecoder::new(file)),
        }
    }
}

/// Bytes of the skippable frame of Zstandard that a file begins with (RFC 8878, 3.1.2).
fn skippable(file: &[u8]) -> Option<usize> {
    let (head, _) = file.split_first_chunk::<8>()?;
    let [kind, magic @ .., a, b, c, d] = *head;
    (kind & 0xf0 == 0x50 && magic == [0x2a, 0x4d, 0x18]).then(|| 8 + u32::from_le_bytes([a, b, c, d]) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::reader::tests::{TEXT, bzip2, gzip, zstd};
    use super::*;

    #[test]
    fn the_next_whole_one_is_found() {
        let kinds =
            [(gzip(TEXT), Compression::Gzip), (zstd(TEXT, b""), Compression::Zstd), (bzip2(TEXT), Compression::Bzip2)];
        for (whole, compression) in kinds {
            let length = whole.len();
            let cut = &whole[..length - 1];
            // What is whole before the damage has been read; what is whole right after it has not.
            let file = [&whole, &whole, cut, &whole, b"j", &whole, b"between", &whole[..12], &whole].concat();
            let mut search = Search::new(compression, 10 * file.len() as u64, 1 << 27);
            let third = 3 * length - 1;
            assert_eq!(search.next(&file), Some(third), "{compression:?}");
            assert_eq!(search.next(&file), Some(third + length + 1), "{compression:?}");
            assert_eq!(search.next(&file), Some(third + 2 * length + 1 + 19), "{compression:?}");
            assert_eq!(search.next(&file), None);
        }
    }

    #[test]
    fn frames_that_are_skipped_are_whole() {
        let frame = zstd(TEXT, b"");
        let skipped = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let file = [&skipped, &frame, &skipped, &frame[..20], &frame].concat();
        let mut search = Search::new(Compression::Zstd, 10 * file.len() as u64, 1 << 27);
        assert_eq!(search.next(&file), Some(file.len() - frame.len()));
    }

    #[test]
    fn a_search_ends_among_false_beginnings() {
        let whole = gzip(&TEXT.repeat(50));
        let file = [whole[..whole.len() - 8].repeat(200), whole].concat();
        let mut search = Search::new(Compression::Gzip, 1, 0);
        assert_eq!(search.next(&file), None);
        assert!(Search::new(Compression::Gzip, file.len() as u64, 0).next(&file).is_some());
    }
}
