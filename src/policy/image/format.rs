//! The layout of an image: the header and the sections after it. FORMAT.md documents it byte by byte.

use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::About;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::marks::{FileMark, POLICY_MARK};
use crate::formats::replace::{FileKind, begins_with};

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
    pub fn full(self) -> Error {
        let limit = (u64::from(self.last_place()) + 1) * self.unit() as u64;
        let (section, limit) = (self.name(), limit >> 30);
        ErrorKind::Capture
            .of(format!("too much for one policy: {section} would take more than {limit} GiB; compile several"))
    }

    /// The place of an item of this length after so many bytes of a pool.
    pub fn place(self, after: u64, content: usize) -> Result<u32, Error> {
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

    /// The error for an image without bytes.
    pub fn empty() -> Error {
        ErrorKind::NoPolicy.of("it is empty; compile it again with `robosieve compile`")
    }

    /// Decodes the header of an untrusted image, given its first bytes and the length of all.
    ///
    /// # Errors
    ///
    /// If the header or the length is wrong.
    pub fn decode(image: &[u8], found: u64) -> Result<Header, Error> {
        let wrong = |problem: String| ErrorKind::NoPolicy.of(problem);
        let damaged = || ErrorKind::NoPolicy.of("its header is damaged; copy or compile it again");
        if image.is_empty() {
            return Err(Header::empty());
        }
        let magic = image.len().min(MAGIC.len());
        if image[..magic] != MAGIC[..magic] {
            return Err(wrong(match FileMark::of(image) {
                Some(mark) => format!("it is {}, not a policy file; {}", mark.name, mark.remedy()),
                None => "it is not a policy file; create one with `robosieve compile`".to_owned(),
            }));
        }
        let truncated = |expected: u64| {
            Err(wrong(format!("it is cut short: {found} bytes instead of {expected}; copy or compile it again")))
        };
        let Some(version) = image.get(8..12) else { return truncated(HEADER as u64) };
        let version = u32::from_le_bytes(version.try_into().expect("four bytes"));
        if version > VERSION {
            return Err(ErrorKind::Version.of(format!(
                "it is a policy file of version {version}, and this robosieve reads version {VERSION}; use a newer robosieve"
            )));
        }
        if version < VERSION {
            let message = format!(
                "it was written by an older robosieve (file version {version}, and this one reads {VERSION}); compile it again"
            );
            return Err(ErrorKind::Version.of(message).about(About::OlderPolicy));
        }
        let Some((header, _)) = image.split_first_chunk::<HEADER>() else { return truncated(HEADER as u64) };
        let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        if xxh3_64(&header[..HASHED]) != long(HASHED) {
            return Err(damaged());
        }
        let lengths = std::array::from_fn(|section| long(TABLE + 16 * section + 8));
        if lengths.iter().any(|&length| length > u64::MAX >> 8) {
            return Err(damaged());
        }
        let checksum = u128::from_le_bytes(header[24..40].try_into().expect("sixteen bytes"));
        let decoded = Header { checksum, ..Header::of(lengths) };
        let units = Section::all().zip(lengths).all(|(section, length)| length % section.unit() as u64 == 0);
        // A header has exactly one valid encoding.
        if decoded.encode() != *header || !units {
            return Err(damaged());
        }
        match decoded.length() {
            expected if expected > found => truncated(expected),
            expected if expected < found => Err(wrong(format!(
                "there are bytes after its end: {found} bytes instead of {expected}; copy or compile it again"
            ))),
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
        let error = |image: &[u8]| Header::decode(image, image.len() as u64).unwrap_err().to_string();
        assert!(error(b"").starts_with("it is empty"));
        assert!(error(b"User-agent: *").starts_with("it is not a policy file"));
        for length in 1..image.len() {
            assert!(error(&image[..length]).starts_with("it is cut short"), "{length}");
        }
        let mut longer = image.clone();
        longer.push(0);
        assert!(error(&longer).starts_with("there are bytes after its end"));
        for bit in 0..8 * HEADER {
            let mut flipped = image.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let found = error(&flipped);
            let is = |start: &str| found.starts_with(start);
            match bit {
                ..64 => assert!(is("it is not a policy file"), "{bit}: {found}"),
                64..96 => {
                    assert!(is("it is a policy file of version") || is("it was written by an older"), "{bit}: {found}");
                }
                _ => assert!(is("its header is damaged"), "{bit}: {found}"),
            }
        }
    }
}
