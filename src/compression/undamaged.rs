//! Going on behind damage: where the next member, frame or stream begins that is whole.
//!
//! What only looks like a beginning is told from one by reading it to its end, with its checksum if it has one.

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use memchr::memmem;
use std::io::{self, BufRead, Read};
use zstd::stream::read::Decoder as ZstdDecoder;

use super::{Compression, window_bits};

/// So many times the octets of a file are read in search of something whole: a file may be full of false beginnings.
const PASSES: u64 = 4;

/// A search in one file, which may be gone on with behind the next damage.
#[derive(Debug)]
pub(crate) struct Search {
    compression: Compression,
    /// Octets that may still be read.
    budget: u64,
    /// What a decompressor may take.
    memory: u64,
}

impl Search {
    /// In a file of so many octets, with decompressors that take so much memory.
    pub fn new(compression: Compression, length: u64, memory: u64) -> Search {
        Search { compression, budget: length.saturating_mul(PASSES), memory }
    }

    /// Where the first whole member, frame or stream begins at `from` or behind it.
    pub fn next(&mut self, file: &[u8], from: usize) -> Option<usize> {
        let magic: &[u8] = match self.compression {
            Compression::Gzip => &[0x1f, 0x8b, 0x08],
            Compression::Zstd => &[0x28, 0xb5, 0x2f, 0xfd],
            Compression::Bzip2 => b"BZh",
        };
        let places = memmem::find_iter(file.get(from..)?, magic).map(|place| from + place);
        for place in places.filter(|&place| Compression::of(&file[place..]) == Some(self.compression)) {
            let mut text = &file[place..];
            let whole = self.is_whole(&mut text);
            let read = (file.len() - place - text.len()) as u64;
            self.budget = self.budget.checked_sub(read)?;
            if whole {
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

/// A text of which as much is read before damage whoever reads it, and however much at a time. What is decompressed goes
/// through one buffer always: a decompressor that is asked for less or more might give up earlier or later.
pub(crate) struct Steady<R>(pub R);

impl<R: BufRead> Read for Steady<R> {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        let read = self.0.fill_buf()?.read(octets)?;
        self.0.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{TEXT, bzip2, gzip, zstd};
    use super::*;

    #[test]
    fn the_next_whole_one_is_found() {
        let kinds =
            [(gzip(TEXT), Compression::Gzip), (zstd(TEXT, b""), Compression::Zstd), (bzip2(TEXT), Compression::Bzip2)];
        for (whole, compression) in kinds {
            let cut = &whole[..whole.len() - 1];
            let file = [cut, &whole, b"between", &whole[..12], &whole].concat();
            let second = cut.len() + whole.len() + 19;
            let next = |from| Search::new(compression, file.len() as u64, 1 << 27).next(&file, from);
            assert_eq!(next(0), Some(cut.len()), "{compression:?}");
            assert_eq!(next(cut.len()), Some(cut.len()));
            assert_eq!(next(cut.len() + 1), Some(second));
            assert_eq!(next(second + 1), None);
            assert_eq!(next(file.len() + 1), None);
        }
    }

    #[test]
    fn a_search_ends_among_false_beginnings() {
        let whole = gzip(&TEXT.repeat(50));
        let file = [whole[..whole.len() - 8].repeat(200), whole].concat();
        let mut search = Search::new(Compression::Gzip, 1, 0);
        assert_eq!(search.next(&file, 0), None);
        assert!(Search::new(Compression::Gzip, file.len() as u64, 0).next(&file, 0).is_some());
    }

    #[test]
    fn as_much_is_read_before_damage_however_it_is_read() {
        let text: Vec<u8> = (0..90_000u32).flat_map(|n| format!("{}\n", n.wrapping_mul(n)).into_bytes()).collect();
        for mut file in [gzip(&text), zstd(&text, b""), bzip2(&text)] {
            let middle = file.len() / 2;
            file[middle..middle + 40].fill(0x55);
            let read = |size: usize| {
                let (mut reader, mut all) = (Steady(super::super::Reader::new(&file[..]).unwrap()), Vec::new());
                let mut octets = vec![0; size];
                while let Ok(read) = reader.read(&mut octets) {
                    assert!(read > 0, "the damage was not noticed");
                    all.extend_from_slice(&octets[..read]);
                }
                all
            };
            let whole = read(1000);
            assert!([7, 65_536, 1 << 20, 1 << 24].into_iter().all(|size| read(size) == whole));
        }
    }
}
