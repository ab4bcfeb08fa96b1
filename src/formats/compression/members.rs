//! Reads members, frames or streams, one after the other.

use super::input::Input;
use super::kind::{Compression, window_bits};
use crate::formats::error::DamagedMember;
use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use std::io::{self, Read};
use zstd::stream::read::Decoder as ZstdDecoder;

/// The text of consecutive members, frames or streams, up to the first boundary at or after a given offset.
pub(super) struct Members<R: Read> {
    compression: Compression,
    /// `None` only while it is being replaced.
    state: Option<MemberState<R>>,
    /// Reading stops at the first boundary at or after this byte of the file.
    until: Option<u64>,
    /// A Zstandard dictionary for all frames.
    dictionary: Vec<u8>,
    /// Where the current member begins in the file, and how many bytes of its text were read.
    member: DamagedMember,
}

enum MemberState<R: Read> {
    Between(Input<R>),
    Gzip(Box<GzDecoder<Input<R>>>),
    /// One frame, or all of them if they have a dictionary, which takes long to load.
    Zstd(ZstdDecoder<'static, Input<R>>),
    Bzip2(BzDecoder<Input<R>>),
}

impl<R: Read> Members<R> {
    /// Reads all members from here on.
    pub fn all(input: Input<R>, compression: Compression, dictionary: Vec<u8>) -> Members<R> {
        let member = DamagedMember { start: input.offset, text: 0 };
        Members { compression, state: Some(MemberState::Between(input)), until: None, dictionary, member }
    }

    /// Reads the members from here on, up to the first boundary at or after byte `until` of the file.
    pub fn until(until: u64, input: Input<R>, compression: Compression) -> Members<R> {
        Members { until: Some(until), ..Members::all(input, compression, Vec::new()) }
    }

    /// Their compression format.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// How many bytes of the file were read; at the end, the end boundary.
    pub fn offset(&self) -> u64 {
        self.input().offset
    }

    fn input(&self) -> &Input<R> {
        match self.state.as_ref().expect("there is one") {
            MemberState::Between(input) => input,
            MemberState::Gzip(decoder) => decoder.get_ref(),
            MemberState::Zstd(decoder) => decoder.get_ref(),
            MemberState::Bzip2(decoder) => decoder.get_ref(),
        }
    }

    /// Begins the next member, if there is one. Returns whether there is a member to read.
    fn begin(&mut self) -> io::Result<bool> {
        let Some(MemberState::Between(input)) = &mut self.state else { return Ok(true) };
        if self.until.is_some_and(|until| input.offset >= until) || !input.has_more(self.compression)? {
            return Ok(false);
        }
        let Some(MemberState::Between(input)) = self.state.take() else { return Ok(false) };
        self.member = DamagedMember { start: input.offset, text: 0 };
        self.state = Some(match self.compression {
            Compression::Gzip => MemberState::Gzip(Box::new(GzDecoder::new(input))),
            Compression::Bzip2 => MemberState::Bzip2(BzDecoder::new(input)),
            Compression::Zstd => {
                let bits = window_bits(input.memory);
                let mut decoder = ZstdDecoder::with_dictionary(input, &self.dictionary)?;
                decoder.window_log_max(bits)?;
                MemberState::Zstd(if self.dictionary.is_empty() { decoder.single_frame() } else { decoder })
            }
        });
        Ok(true)
    }
}

impl<R: Read> Read for Members<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.read_on(bytes) {
            Ok(read) => {
                self.member.text += read as u64;
                Ok(read)
            }
            Err(error) => {
                let member = Some(self.member).filter(|_| self.dictionary.is_empty());
                Err(self.input().with_offset(error, self.compression, member))
            }
        }
    }
}

impl<R: Read> Members<R> {
    fn read_on(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.begin()? {
            let read = match self.state.as_mut().expect("there is one") {
                MemberState::Between(_) => 0,
                MemberState::Gzip(decoder) => decoder.read(bytes)?,
                MemberState::Zstd(decoder) => decoder.read(bytes)?,
                MemberState::Bzip2(decoder) => decoder.read(bytes)?,
            };
            if read > 0 || bytes.is_empty() {
                return Ok(read);
            }
            self.state = self.state.take().map(|state| match state {
                MemberState::Between(input) => MemberState::Between(input),
                MemberState::Gzip(decoder) => MemberState::Between(decoder.into_inner()),
                MemberState::Zstd(decoder) => MemberState::Between(decoder.finish()),
                MemberState::Bzip2(decoder) => MemberState::Between(decoder.into_inner()),
            });
        }
        Ok(0)
    }
}
