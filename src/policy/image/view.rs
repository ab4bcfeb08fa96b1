//! The bytes of an image, and its sections.

use memmap2::{Mmap, MmapMut};
use std::fs::File;
use std::io;

use super::layout::{Header, RULES_UNIT, SIDE_UNIT, Section};
use super::parts::Parts;
use super::pool::Pool;
use crate::formats::mmap;

/// A complete, valid image.
#[derive(Debug)]
pub(crate) struct Image {
    pub(super) bytes: Bytes,
    pub(crate) header: Header,
}

/// The bytes of an image: of a file, or in memory. Both begin with a page, and so at a multiple of the alignment of sections.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap),
    InMemory(MmapMut),
}

impl Bytes {
    pub(crate) fn all(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::InMemory(memory) => memory,
        }
    }
}

impl Image {
    /// An image that a [`Writer`] has just written into these bytes.
    pub(crate) fn written(bytes: MmapMut, header: Header) -> Image {
        Image { bytes: Bytes::InMemory(bytes), header }
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
