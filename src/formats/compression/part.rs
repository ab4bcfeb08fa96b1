//! A part of a compressed file, from one border of its members to another.

use super::input::{Input, Source};
use super::kind::Compression;
use super::members::Members;
use super::reader::BUFFER;
use std::io::{self, BufReader, Cursor, Read};

/// The text of a part.
pub(super) struct Part<R: Read> {
    members: Members<R>,
    compression: Compression,
}

impl<R: Read> Part<R> {
    /// The text of the members from byte `at` on, which `file` begins with, to the first border at byte `until` or after it,
    /// with a decompressor that takes so much `memory`.
    pub fn new(file: R, compression: Compression, at: u64, until: u64, memory: u64) -> Part<R> {
        let source = BufReader::with_capacity(BUFFER, Source { file, failed: false });
        let input = Input { text: Cursor::new(Vec::new()).chain(source), offset: at, memory };
        Part { members: Members::new(input, compression, until), compression }
    }

    /// How many bytes of the file were read; at the end of the part, where it ends.
    pub fn offset(&self) -> u64 {
        self.members.input().offset
    }
}

impl<R: Read> Read for Part<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.members.read(bytes).map_err(|error| self.members.input().told(error, self.compression))
    }
}
