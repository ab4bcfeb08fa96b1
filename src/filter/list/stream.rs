//! What can be read only once: pipes, devices, standard input.
//!
//! All lists are looked into at the start, but read one after the other. What was taken of a stream to look into it is kept
//! as it came and read again when its turn is there, by another decompressor than that which looked: so there is one at a
//! time, however many lists come through pipes.

use std::io::{self, Read, Seek, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::SpooledTempFile;

use crate::compression::{Compression, Reader};

/// How many octets are kept in memory of what was taken; more of them go to a temporary file.
const HELD: usize = 32 << 10;

/// What a stream takes of memory until it is read: what is kept may have room for as much again.
pub(in crate::filter) const STREAM_HELD: u64 = 2 * HELD as u64;

/// Octets that are taken at a time to look: what is taken is kept.
const TAKEN: usize = 8 << 10;

/// A list that comes as a stream.
pub(super) struct Stream {
    /// What a decompressor of it may take.
    memory: u64,
    /// Until it is read.
    source: Mutex<Option<Source>>,
}

/// Where it comes from.
struct Source {
    /// What was taken so far, as it came.
    taken: SpooledTempFile,
    rest: Box<dyn Read + Send>,
}

/// A look into a source: what was taken before, and then what is taken by it.
pub(super) struct Look<'s>(&'s mut Source);

impl Stream {
    /// Of what `rest` gives, with a decompressor that takes so much memory.
    pub fn new(rest: Box<dyn Read + Send>, memory: u64) -> Stream {
        Stream { memory, source: Mutex::new(Some(Source { taken: SpooledTempFile::new(HELD), rest })) }
    }

    /// Gives its decompressor so much memory and no more.
    pub fn give_decompressor(&mut self, memory: u64) {
        self.memory = memory;
    }

    fn source(&self) -> MutexGuard<'_, Option<Source>> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it is compressed, if it is.
    pub fn compression(&self) -> io::Result<Option<Compression>> {
        self.look(|text| Ok(text.compression()))
    }

    /// Looks into its text, from the start.
    pub fn look<T>(&self, look: impl FnOnce(&mut Reader<Look<'_>>) -> io::Result<T>) -> io::Result<T> {
        let mut source = self.source();
        let source = source.as_mut().ok_or_else(read_before)?;
        source.taken.rewind()?;
        look(&mut Reader::within(Look(source), self.memory)?)
    }

    /// Its text, decompressed; it can be had once.
    pub fn text(&self) -> io::Result<Reader<impl Read + Send + use<>>> {
        let Source { mut taken, rest } = self.source().take().ok_or_else(read_before)?;
        taken.rewind()?;
        Reader::within(taken.chain(rest), self.memory)
    }
}

fn read_before() -> io::Error {
    io::Error::other("it can be read only once")
}

impl Read for Look<'_> {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        let Source { taken, rest } = &mut *self.0;
        let again = taken.read(octets)?;
        if again > 0 {
            return Ok(again);
        }
        let most = octets.len().min(TAKEN);
        let read = rest.read(&mut octets[..most])?;
        // Behind all that was taken before, to which the reader has come.
        taken.write_all(&octets[..read])?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::Damaged;
    use std::io::BufRead;

    /// Gives so many octets at a time, as a pipe might.
    struct Slow(io::Cursor<Vec<u8>>, usize);

    impl Read for Slow {
        fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
            let most = octets.len().min(self.1);
            self.0.read(&mut octets[..most])
        }
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn stream(octets: &[u8], step: usize) -> Stream {
        Stream::new(Box::new(Slow(io::Cursor::new(octets.to_vec()), step)), u64::MAX)
    }

    /// Octets that do not become fewer when they are compressed.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn what_was_looked_at_is_read_again() {
        let text = noise(300_000);
        for octets in [text.clone(), zstd(&text)] {
            for step in [1, 5000, 1 << 20] {
                let stream = stream(&octets, step);
                for length in [10, 0, 100_000, 4, 200_000] {
                    let mut start = vec![0; length];
                    stream.look(|text| text.read_exact(&mut start)).unwrap();
                    assert!(start == text[..length]);
                }
                let compression = (octets != text).then_some(Compression::Zstd);
                assert_eq!(stream.compression().unwrap(), compression);
                let mut all = Vec::new();
                stream.text().unwrap().read_to_end(&mut all).unwrap();
                assert!(all == text);
                assert!(stream.text().is_err() && stream.compression().is_err());
            }
        }
    }

    #[test]
    fn no_more_is_taken_than_is_looked_at() {
        let text = b"http://a.example/\n".repeat(10_000);
        let stream = stream(&text, 1 << 20);
        stream.look(|text| text.read_until(b'\n', &mut Vec::new())).unwrap();
        let is_held = |stream: &Stream| !stream.source().as_ref().unwrap().taken.is_rolled();
        assert!(is_held(&stream));
        assert_eq!(stream.source().as_mut().unwrap().taken.stream_position().unwrap(), TAKEN as u64);
        stream.look(|text| text.read_exact(&mut vec![0; HELD + 1])).unwrap();
        assert!(!is_held(&stream), "what is more than is held goes to a file");
    }

    #[test]
    fn damage_is_where_it_is_whoever_comes_to_it() {
        let mut octets = zstd(&noise(300_000));
        let length = octets.len();
        octets[length - 1] ^= 1;
        let stream = stream(&octets, 1000);
        let looked = stream.look(|text| text.read_to_end(&mut Vec::new())).unwrap_err();
        let read = stream.text().unwrap().read_to_end(&mut Vec::new()).unwrap_err();
        for error in [looked, read] {
            // As near as what is decompressed at a time.
            let offset = Damaged::offset_in(&error).unwrap() as usize;
            assert!((length - (256 << 10)..=length).contains(&offset), "{offset}");
        }
    }
}
