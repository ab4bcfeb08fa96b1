//! The layout of an image: the header and the sections after it. FORMAT.md documents it byte by byte.

use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

use crate::formats::marks::{FileMark, POLICY_MARK};
use crate::formats::replace::{FileKind, begins_with};
use crate::policy::error::{ImageError, WriteError};

/// The first bytes of an image. The first one is not ASCII; the last four do not survive a transfer in text mode.
pub(crate) const MAGIC: [u8; 8] = POLICY_MARK;

/// Policy files, of any version.
pub(crate) const POLICY_FILE: FileKind = FileKind { name: "a policy file", is_ours: |file| begins_with(file, &MAGIC) };

/// The version that is written, and the only one that is read.
pub(crate) const VERSION: u32 = 8;

pub(crate) const HEADER: usize = 256;

const TABLE: usize = 40;
const HASHED: usize = HEADER - 8;

/// Every section begins at a multiple of this, the size of a cache line.
pub(crate) const ALIGNMENT: u64 = 64;

/// Size of an entry of the look-up table in bytes.
const LOOKUP_ENTRY: usize = 64;

const POINTER: usize = 24;

/// Automata begin at multiples of this, in bytes.
pub(crate) const AUTOMATA_UNIT: usize = 64;

named! {
    /// A section, in the order of the image, with its name in FORMAT.md.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
    pub(crate) enum Section {
        Meta = "META",
        Lookup = "LOOKUP",
        Origins = "ORIGINS",
        Rows = "ROWS",
        Automata = "AUTOMATA",
        Rules = "RULES",
        Side = "SIDE",
        Answers = "ANSWERS",
        Pointers = "POINTERS",
        Crawlers = "CRAWLERS",
        /// Empty: what groups say about uses of a page follows from the side records.
        Preferences = "PREFERENCES",
    }
}

const COUNT: usize = Section::ALL.len();

/// The unit of each section: its length is a multiple of this, in bytes, and the items of pools begin at multiples of it.
const UNITS: [usize; COUNT] = [1, LOOKUP_ENTRY, 2, 4, AUTOMATA_UNIT, 8, 4, 1, POINTER, 4, 1];

impl Section {
    pub fn unit(self) -> usize {
        UNITS[self as usize]
    }

    /// The last place that can be addressed: a class of a row has two bits less for the place of an automaton.
    pub fn last_place(self) -> u32 {
        if self == Section::Automata { u32::MAX >> 2 } else { u32::MAX }
    }

    /// The error if no place is left.
    pub fn full(self) -> WriteError {
        let limit = (u64::from(self.last_place()) + 1) * self.unit() as u64;
        WriteError::Full { section: self.name(), limit: limit >> 30 }
    }

    /// The place of an item of this length after so many bytes of a pool.
    pub fn place(self, after: u64, content: usize) -> Result<u32, WriteError> {
        let place = u32::try_from(after / self.unit() as u64).ok().filter(|&place| place <= self.last_place());
        place.filter(|_| u32::try_from(content).is_ok()).ok_or_else(|| self.full())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// XXH3 (128 bits) of everything after the header.
    pub checksum: u128,
    /// The range of each section, in bytes from the start of the image.
    pub sections: [Range<u64>; COUNT],
}

impl Header {
    /// The header for sections of these lengths, laid out in order.
    pub fn of(lengths: [u64; COUNT]) -> Header {
        let mut at = (HEADER as u64).next_multiple_of(ALIGNMENT);
        let sections = lengths.map(|length| {
            let start = at;
            at = (start + length).next_multiple_of(ALIGNMENT);
            start..start + length
        });
        Header { checksum: 0, sections }
    }

    pub fn length(&self) -> u64 {
        self.sections[COUNT - 1].end.next_multiple_of(ALIGNMENT)
    }

    pub fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(COUNT as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.length().to_le_bytes());
        bytes[24..40].copy_from_slice(&self.checksum.to_le_bytes());
        for (entry, section) in bytes[TABLE..HASHED].chunks_exact_mut(16).zip(&self.sections) {
            entry[..8].copy_from_slice(&section.start.to_le_bytes());
            entry[8..].copy_from_slice(&(section.end - section.start).to_le_bytes());
        }
        let hash = xxh3_64(&bytes[..HASHED]);
        bytes[HASHED..].copy_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// Decodes the header of an untrusted image, given its first bytes and the length of all.
    ///
    /// # Errors
    ///
    /// An [`ImageError`] about the header or the length, never [`ImageError::Checksum`] or [`ImageError::Damaged`].
    pub fn decode(image: &[u8], found: u64) -> Result<Header, ImageError> {
        if image.is_empty() {
            return Err(ImageError::Empty);
        }
        let magic = image.len().min(MAGIC.len());
        if image[..magic] != MAGIC[..magic] {
            return Err(FileMark::of(image)
                .map_or(ImageError::Foreign, |mark| ImageError::OtherFile { name: mark.name, remedy: mark.remedy() }));
        }
        let truncated = |expected: u64| Err(ImageError::Truncated { expected, found });
        let Some(version) = image.get(8..12) else { return truncated(HEADER as u64) };
        let version = u32::from_le_bytes(version.try_into().expect("four bytes"));
        if version > VERSION {
            return Err(ImageError::Newer { found: version, known: VERSION });
        }
        if version < VERSION {
            return Err(ImageError::Older { found: version, known: VERSION });
        }
        let Some((header, _)) = image.split_first_chunk::<HEADER>() else { return truncated(HEADER as u64) };
        let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        if xxh3_64(&header[..HASHED]) != long(HASHED) {
            return Err(ImageError::Header);
        }
        let lengths = std::array::from_fn(|section| long(TABLE + 16 * section + 8));
        if lengths.iter().any(|&length| length > u64::MAX >> 8) {
            return Err(ImageError::Header);
        }
        let checksum = u128::from_le_bytes(header[24..40].try_into().expect("sixteen bytes"));
        let decoded = Header { checksum, ..Header::of(lengths) };
        let units = Section::all().zip(lengths).all(|(section, length)| length % section.unit() as u64 == 0);
        // A header has exactly one valid encoding.
        if decoded.encode() != *header || !units {
            return Err(ImageError::Header);
        }
        match decoded.length() {
            expected if expected > found => truncated(expected),
            expected if expected < found => Err(ImageError::TooLong { expected, found }),
            _ => Ok(decoded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_says_what_is_wrong() {
        let header = Header { checksum: 7 << 70, ..Header::of([3, 64, 22, 16, 64, 8, 4, 5, 24, 4, 0]) };
        let mut image = header.encode().to_vec();
        image.resize(header.length() as usize, 0);
        assert_eq!(Header::decode(&image, image.len() as u64).unwrap(), header);
        assert!(header.sections.iter().all(|section| section.start % 64 == 0));
        let error = |image: &[u8]| Header::decode(image, image.len() as u64).unwrap_err();
        assert!(matches!(error(b""), ImageError::Empty));
        assert!(matches!(error(b"User-agent: *"), ImageError::Foreign));
        for length in 1..image.len() {
            assert!(matches!(error(&image[..length]), ImageError::Truncated { .. }), "{length}");
        }
        let mut longer = image.clone();
        longer.push(0);
        assert!(matches!(error(&longer), ImageError::TooLong { .. }));
        for bit in 0..8 * HEADER {
            let mut flipped = image.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match error(&flipped) {
                ImageError::Foreign => assert!(bit < 64, "{bit}"),
                ImageError::Newer { .. } => assert!((64..96).contains(&bit), "{bit}"),
                ImageError::Older { found, known } => assert!((64..96).contains(&bit) && found < known, "{bit}"),
                ImageError::Header => assert!(bit >= 64, "{bit}"),
                other => panic!("{bit}: {other}"),
            }
        }
    }
}
