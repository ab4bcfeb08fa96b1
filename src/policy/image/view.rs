//! The bytes of an image, and its sections.

use memmap2::Mmap;

use super::layout::{Header, RowEntry, Section};
use super::pool::Pool;

/// A complete, valid image.
#[derive(Debug)]
pub(crate) struct Image {
    /// A mapped file, or memory. Both begin with a page, and so at a multiple of the alignment of sections.
    pub(super) bytes: Mmap,
    pub(super) header: Header,
}

/// The sections of a checked image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'p> {
    pub lookup: &'p [u8],
    pub records: &'p [u8],
    pub rows: &'p [RowEntry],
    /// The pool of automata.
    pub automata: &'p [u8],
    pub rules: Pool<'p>,
    pub side: Pool<'p>,
}

impl Image {
    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
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

    /// A section of items.
    pub fn pool(&self, section: Section) -> Pool<'_> {
        Pool::new(section, self.section(section))
    }

    /// Typed views of the sections.
    pub fn parts(&self) -> Parts<'_> {
        Parts {
            lookup: self.section(Section::Lookup),
            records: self.section(Section::Origins),
            rows: bytemuck::cast_slice(self.section(Section::Rows)),
            automata: self.section(Section::Automata),
            rules: self.pool(Section::Rules),
            side: self.pool(Section::Side),
        }
    }
}
