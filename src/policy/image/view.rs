//! The bytes of an image, and its sections.

use memmap2::Mmap;
use std::fs::File;
use std::io;

use super::layout::{self, Header, RULES_UNIT, SIDE_UNIT, Section};
use super::parts::Parts;
use super::pool::Pool;
use crate::formats::mmap;

/// A complete, valid image.
#[derive(Debug)]
pub(crate) struct Image {
    pub(super) bytes: Bytes,
    pub(crate) header: Header,
}

/// The bytes of an image, which begin at a multiple of [`layout::ALIGNMENT`] either way.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap),
    Owned(Aligned),
}

/// Bytes in memory that begin at a multiple of [`layout::ALIGNMENT`].
#[derive(Debug)]
pub(crate) struct Aligned {
    words: Vec<u64>,
    /// The index of the first word in use.
    start: usize,
    length: usize,
}

impl Aligned {
    /// `length` zero bytes.
    pub(crate) fn new(length: usize) -> Aligned {
        const EXTRA_WORDS: usize = layout::ALIGNMENT as usize / size_of::<u64>() - 1;
        let words = vec![0; length.div_ceil(size_of::<u64>()) + EXTRA_WORDS];
        let start = words.as_ptr().align_offset(layout::ALIGNMENT as usize).min(EXTRA_WORDS);
        Aligned { words, start, length }
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words[self.start..])[..self.length]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words[self.start..])[..self.length]
    }
}

impl Bytes {
    pub(crate) fn all(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(aligned) => aligned.bytes(),
        }
    }
}

impl Image {
    /// An image that a [`Writer`] has just written into these bytes.
    pub(crate) fn written(bytes: Aligned, header: Header) -> Image {
        Image { bytes: Bytes::Owned(bytes), header }
    }

    /// An image that a [`Writer`] has just written to an unnamed file.
    pub(crate) fn of_file(file: &File, header: Header) -> io::Result<Image> {
        // Pages of memory have a larger alignment than an image needs.
        Ok(Image { bytes: Bytes::Mapped(mmap::map(file)?), header })
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.all()
    }

    /// The checksum in the header.
    pub fn checksum(&self) -> u128 {
        self.header.checksum
    }

    /// The bytes of a section.
    pub fn section(&self, section: Section) -> &[u8] {
        let range = &self.header.sections[section as usize];
        &self.bytes()[range.start as usize..range.end as usize]
    }

    /// Typed views of the sections.
    pub fn parts(&self) -> Parts<'_> {
        Parts {
            lookup: self.section(Section::Lookup),
            records: self.section(Section::Origins),
            rows: bytemuck::cast_slice(self.section(Section::Rows)),
            automata: self.section(Section::Automata),
            rules: Pool::new(self.section(Section::Rules), RULES_UNIT),
            side: Pool::new(self.section(Section::Side), SIDE_UNIT),
        }
    }
}
