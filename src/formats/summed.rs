//! Checksums of what is written.

use std::io::{self, Write};
use xxhash_rust::xxh3::Xxh3;

/// A writer that computes the checksum of the bytes that it passes on.
pub(crate) struct Summed<W> {
    pub out: W,
    pub sum: Xxh3,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
