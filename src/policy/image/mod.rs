//! The image of a policy: one sequence of octets, as a file is mapped and as it is made in memory.
//!
//! [`layout`] says where the sections are, [`record`] and [`pool`] what stands in them; each has its writer and its
//! reader side by side. [`Writer`] is fed origin by origin and puts the sections together; [`validate`] makes sure of
//! all of them before anything is used. FORMAT.md documents the whole, octet by octet.

mod error;
mod gather;
mod layout;
mod pool;
mod record;
mod replace;
mod spool;
mod starts;
mod tables;
mod validate;
mod writer;

pub use error::{ImageError, OpenError, WriteError};
pub(crate) use gather::SideList;
pub(crate) use layout::Section;
pub(crate) use pool::Pool;
pub use record::Record;
pub(crate) use record::UNIT as RECORD_UNIT;
pub(crate) use replace::{folder_of, replace};
pub(crate) use spool::{HELD, Home};
pub(crate) use tables::Tables;
pub(crate) use writer::{NewOrigin, Writer};

use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::path::Path;

use super::columns::Columns;
use super::groups::Entry;
use super::index::Bucket;
use super::standing::{Answered, LastGood, Ruling, Standing, State, Times, Word};
use super::{Statistics, provenance, side_records};
use crate::dialect::Dialect;
use layout::{Header, RULES_UNIT, SIDE_UNIT};

/// How far the octets of a policy are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Not at all: the checksum over all of them is computed, and every index is looked at.
    Nothing,
    /// The checksum is not computed. Every index is still looked at, so that nothing worse than a wrong verdict can
    /// come of damage.
    Checksum,
}

/// What META says, in JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Meta {
    pub dialect: String,
    pub agents: Columns,
    pub statistics: Statistics,
}

/// An image, whole and in order.
#[derive(Debug)]
pub(crate) struct Image {
    octets: Octets,
    header: Header,
}

/// Where the octets are; in either home they begin at a multiple of [`layout::ALIGNMENT`].
#[derive(Debug)]
enum Octets {
    Mapped(Mmap),
    Owned(Aligned),
}

/// Octets in memory that begin at a multiple of [`layout::ALIGNMENT`].
#[derive(Debug)]
struct Aligned {
    words: Vec<u64>,
    /// Which of the words is the first one.
    start: usize,
    length: usize,
}

impl Aligned {
    /// So many zeros.
    fn new(length: usize) -> Aligned {
        const MORE: usize = layout::ALIGNMENT as usize / size_of::<u64>() - 1;
        let words = vec![0; length.div_ceil(size_of::<u64>()) + MORE];
        let start = words.as_ptr().align_offset(layout::ALIGNMENT as usize).min(MORE);
        Aligned { words, start, length }
    }

    fn octets(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words[self.start..])[..self.length]
    }

    fn octets_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words[self.start..])[..self.length]
    }
}

impl Octets {
    fn all(&self) -> &[u8] {
        match self {
            Octets::Mapped(map) => map,
            Octets::Owned(aligned) => aligned.octets(),
        }
    }
}

/// What there is in an image.
#[derive(Debug)]
pub(crate) struct Content {
    pub dialect: &'static Dialect,
    pub columns: Columns,
    pub statistics: Statistics,
}

impl Image {
    /// Maps a file, and makes sure of it.
    pub fn open(path: &Path, trust: Trust) -> Result<(Image, Content), OpenError> {
        let unreadable = |error| OpenError::Unreadable { path: path.to_owned(), error };
        let wrong = |problem| OpenError::Image { path: path.to_owned(), problem };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(unreadable(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if metadata.is_file() && metadata.len() == 0 {
            return Err(wrong(ImageError::Empty));
        }
        // SAFETY: the mapping is read-only and private to this process. A policy is replaced by renaming another file to
        // its name, which leaves the mapped one as it is. Should some other program write into the file all the same,
        // octets that were checked may change; they are only ever used as numbers that index slices, whose bounds are
        // checked, or compared and copied. Should it cut the file short, the system raises SIGBUS, which is the binary's
        // to catch.
        let map = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
        Image::checked(Octets::Mapped(map), trust).map_err(wrong)
    }

    /// An image of these octets, copied, made sure of.
    pub fn copied(octets: &[u8], trust: Trust) -> Result<(Image, Content), ImageError> {
        let mut aligned = Aligned::new(octets.len());
        aligned.octets_mut().copy_from_slice(octets);
        Image::checked(Octets::Owned(aligned), trust)
    }

    fn checked(octets: Octets, trust: Trust) -> Result<(Image, Content), ImageError> {
        let header = Header::decode(octets.all())?;
        let image = Image { octets, header };
        let content = validate::check(&image, trust)?;
        Ok((image, content))
    }

    /// An image that a [`Writer`] has just written here.
    fn written(octets: Aligned, header: Header) -> Image {
        Image { octets: Octets::Owned(octets), header }
    }

    /// An image that a [`Writer`] has just written to a file without a name.
    fn of_file(file: &File, header: Header) -> io::Result<Image> {
        // SAFETY: the file has no name, or one that is ours alone, and whoever wrote it has done so, so nobody changes it. The
        // system's pages are aligned to more than an image has to be.
        let map = unsafe { Mmap::map(file) }?;
        Ok(Image { octets: Octets::Mapped(map), header })
    }

    /// All octets.
    pub fn octets(&self) -> &[u8] {
        self.octets.all()
    }

    /// The checksum that the header has.
    pub fn checksum(&self) -> u128 {
        self.header.checksum
    }

    /// The octets of a section.
    pub fn section(&self, section: Section) -> &[u8] {
        let range = &self.header.sections[section as usize];
        &self.octets()[range.start as usize..range.end as usize]
    }

    /// The sections as what they are.
    pub fn parts(&self) -> Parts<'_> {
        Parts {
            buckets: bytemuck::cast_slice(self.section(Section::Buckets)),
            records: self.section(Section::Origins),
            rows: bytemuck::cast_slice(self.section(Section::Rows)),
            automata: bytemuck::cast_slice(self.section(Section::Automata)),
            rules: Pool::new(self.section(Section::Rules), RULES_UNIT),
            side: Pool::new(self.section(Section::Side), SIDE_UNIT),
        }
    }
}

/// The sections of an image that is checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'p> {
    pub buckets: &'p [Bucket],
    pub records: &'p [u8],
    pub rows: &'p [Entry],
    /// A pool of automata, as words.
    pub automata: &'p [u32],
    pub rules: Pool<'p>,
    pub side: Pool<'p>,
}
