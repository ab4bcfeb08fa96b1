//! How much memory the pages of a Parquet file take, by their headers, before any is decoded; and whether the file is encrypted.

use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use std::io::{self, BufReader, Read};

use super::thrift::{Compact, Kind};

/// Bytes of a header that are read at once.
const HEADER: usize = 512;

/// The most that gzip can make of a byte.
const GZIP_RATIO: u64 = 1032;

/// The encoding of texts by what they have in common with the one before, which can be far shorter than they are.
const DELTA_BYTE_ARRAY: i64 = 7;

/// What the pages of a column of a row group take in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PagesNeed {
    /// The dictionary, and the largest other page, stored and decoded.
    pub bytes: u64,
    /// The largest page whose values may be longer than it is; 0 if there is none.
    pub growing: u64,
}

/// What the header of a page says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct PageHeader {
    /// Its own length.
    length: u64,
    is_dictionary: bool,
    stored: u64,
    decoded: u64,
    encoding: i64,
}

impl PageHeader {
    fn read(text: impl Read) -> io::Result<PageHeader> {
        let mut text = Compact::new(text);
        let (mut header, mut last) = (PageHeader { encoding: -1, ..PageHeader::default() }, 0);
        let length = |number: i64| u64::try_from(number).map_err(|_| io::Error::from(io::ErrorKind::InvalidData));
        while let Some((number, kind)) = text.field(&mut last)? {
            match number {
                1 if kind.is_integer() => header.is_dictionary = text.integer()? == 2,
                2 if kind.is_integer() => header.decoded = length(text.integer()?)?,
                3 if kind.is_integer() => header.stored = length(text.integer()?)?,
                5 if kind == Kind::STRUCT => header.encoding = encoding(&mut text, 2)?,
                8 if kind == Kind::STRUCT => header.encoding = encoding(&mut text, 4)?,
                _ => text.pass(kind)?,
            }
        }
        Ok(PageHeader { length: text.read, ..header })
    }
}

/// The encoding in the header of a data page, which is its field with this number.
fn encoding(text: &mut Compact<impl Read>, field: i64) -> io::Result<i64> {
    let (mut encoding, mut last) = (-1, 0);
    while let Some((number, kind)) = text.field(&mut last)? {
        match number == field && kind.is_integer() {
            true => encoding = text.integer()?,
            false => text.pass(kind)?,
        }
    }
    Ok(encoding)
}

/// What the pages of a column take. `from` reads the file from a byte on. What pages claim is tried, up to `limit` bytes, where their
/// decompressor would believe their bytes.
pub(crate) fn need<R: Read>(
    column: &ColumnChunkMetaData,
    limit: u64,
    from: impl Fn(u64) -> R,
) -> io::Result<PagesNeed> {
    let number = |number: i64| u64::try_from(number).unwrap_or(0);
    let mut at = number(column.dictionary_page_offset().unwrap_or(column.data_page_offset()));
    let end = at.saturating_add(number(column.compressed_size()));
    let (mut dictionary, mut largest, mut growing) = (0, 0, 0);
    while at < end {
        let page = PageHeader::read(BufReader::with_capacity(HEADER, from(at)))?;
        at = at.saturating_add(page.length);
        let text = || from(at).take(page.stored);
        let decoded = page.decoded.max(match column.compression() {
            Compression::GZIP(_) if page.stored.saturating_mul(GZIP_RATIO) > limit => {
                counted(flate2::read::MultiGzDecoder::new(text()), limit)
            }
            Compression::BROTLI(_) => counted(brotli_decompressor::Decompressor::new(text(), HEADER), limit),
            _ => 0,
        });
        let bytes = decoded.saturating_add(page.stored);
        let place = if page.is_dictionary { &mut dictionary } else { &mut largest };
        *place = bytes.max(*place);
        if page.encoding == DELTA_BYTE_ARRAY {
            growing = decoded.max(growing);
        }
        at = at.saturating_add(page.stored);
    }
    Ok(PagesNeed { bytes: dictionary + largest, growing })
}

/// How many bytes a text has, as far as it is readable; not much more than `limit` are read.
fn counted(text: impl Read, limit: u64) -> u64 {
    let mut count = 0;
    let mut text = text.take(limit.saturating_add(1));
    let mut bytes = [0; 8 << 10];
    while let Ok(read @ 1..) = text.read(&mut bytes) {
        count += read as u64;
    }
    count
}

/// Whether a footer says that pages or columns are encrypted.
pub(crate) fn is_encrypted(footer: impl Read) -> bool {
    /// The field of the footer that names how columns are encrypted.
    const ENCRYPTION: i64 = 8;
    let mut text = Compact::new(footer);
    let mut last = 0;
    while let Ok(Some((number, kind))) = text.field(&mut last) {
        if number == ENCRYPTION {
            return true;
        }
        if text.pass(kind).is_err() {
            return false;
        }
    }
    false
}
