//! The pages of a column, within a room.
//!
//! How large a page will be stands at its start. It is looked at there, before anything is made of it: the library makes room
//! for as many octets, or values of a dictionary, as a page claims, and a claim that is damaged can be more than there is
//! memory.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnDescriptor;
use std::io::{self, BufReader, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::decompress::{Codec, FRAME_KEPT};
use super::page_header::Lengths;
use super::positioned::{From, Positioned};
use super::room::{NoRoom, Room, Taken};

/// A file whose pages must fit in a room.
pub(super) struct InRoom {
    pub octets: Positioned,
    pub room: Room,
    /// How the pages are compressed: of one that is, there are two for a moment, as it is stored and decompressed.
    pub codec: Compression,
    pub claimed: Claimed,
}

/// What the header claims that was read last: that of the next page.
#[derive(Debug, Clone, Default)]
pub(super) struct Claimed(Arc<Mutex<Lengths>>);

impl Claimed {
    fn lock(&self) -> MutexGuard<'_, Lengths> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Length for InRoom {
    fn len(&self) -> u64 {
        self.octets.len()
    }
}

impl ChunkReader for InRoom {
    type T = BufReader<PageStart>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let octets = self.octets.from(start);
        // The library also asks for what it does not read, which need not be the start of a page.
        let (room, claimed, codec) = (self.room.clone(), self.claimed.clone(), self.codec);
        Ok(BufReader::new(PageStart { octets, room, codec, claimed, is_read: false }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.octets.get_bytes(start, length)
    }
}

/// The octets of a page from its start on.
pub(super) struct PageStart {
    octets: From,
    room: Room,
    codec: Compression,
    claimed: Claimed,
    is_read: bool,
}

impl Read for PageStart {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        let length = self.octets.read(octets)?;
        if !self.is_read {
            self.is_read = true;
            let header = octets[..length].chain(BufReader::new(self.octets.clone()));
            let lengths = Lengths::claimed(header)?;
            let Lengths { decompressed, stored } = lengths;
            let is_compressed = self.codec != Compression::UNCOMPRESSED;
            let wanted = if is_compressed { decompressed.saturating_add(stored) } else { stored };
            self.room.check(wanted).map_err(io::Error::other)?;
            *self.claimed.lock() = lengths;
        }
        Ok(length)
    }
}

/// What the values of a batch take beside the pages, of a column with several values a row: nothing else bounds how many
/// they are.
#[derive(Debug, Clone)]
pub(super) struct OfBatch {
    taken: Arc<Mutex<Vec<Taken>>>,
    /// How many copies of each there are at a time.
    copies: u64,
}

impl OfBatch {
    pub fn of_copies(copies: u64) -> OfBatch {
        OfBatch { taken: Arc::default(), copies }
    }

    /// The values are gone.
    pub fn end(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pages of a column.
pub(super) struct Pages {
    pub pages: Box<dyn PageReader>,
    /// Where they are not decompressed yet: what their headers claim.
    pub compressed: Option<(Codec, Claimed)>,
    pub room: Room,
    pub values: ValueSize,
    /// How many rows are read at a time.
    pub rows: usize,
    /// Whether values may be made of those before them, as the footer says.
    pub is_delta: bool,
    pub of_batch: Option<OfBatch>,
    /// A page that was read to get at those behind it.
    pub front: Option<Page>,
    /// What the values of the dictionary take.
    pub dictionary: Option<Taken>,
}

/// How much a value of a column takes, in octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueSize {
    /// In a page, at least.
    least: usize,
    /// In memory, beside its page.
    decoded: usize,
}

impl ValueSize {
    pub fn of(column: &ColumnDescriptor) -> ValueSize {
        let reference = size_of::<ByteArray>();
        let (least, decoded) = match column.physical_type() {
            Type::BOOLEAN => (1, 1),
            Type::INT32 | Type::FLOAT => (4, 4),
            Type::INT64 | Type::DOUBLE => (8, 8),
            Type::INT96 => (12, 12),
            Type::BYTE_ARRAY => (4, reference),
            Type::FIXED_LEN_BYTE_ARRAY => (usize::try_from(column.type_length()).unwrap_or(0).max(1), reference),
        };
        ValueSize { least, decoded }
    }

    /// So many of them in memory.
    fn decoded(self, values: u32) -> u64 {
        self.decoded as u64 * u64::from(values)
    }
}

impl Pages {
    /// Leaves out whole pages, which have so many rows at most, of a column that has one value a row, before anything of it
    /// was read. Returns how many rows they have.
    pub fn skip_whole(&mut self, most: usize) -> Result<usize, ParquetError> {
        let mut rows = 0;
        while let Some(next) = self.pages.peek_next_page()? {
            if next.is_dict {
                // The others need it; another one is malformed, which whoever reads it says.
                if self.front.is_some() {
                    break;
                }
                self.front = self.get_next_page()?;
                continue;
            }
            match next.num_rows.or(next.num_levels) {
                Some(of_page) if of_page <= most - rows => rows += of_page,
                _ => break,
            }
            self.pages.skip_next_page()?;
        }
        Ok(rows)
    }

    /// Takes room for what a page comes to.
    fn taken(&mut self, mut page: Page) -> Result<Page, ParquetError> {
        let no_room = |error: NoRoom| ParquetError::External(Box::new(error));
        match &mut page {
            Page::DictionaryPage { buf, num_values, .. } => {
                if *num_values as usize > buf.len() / self.values.least {
                    let problem = format!("a dictionary of {num_values} values has no room for them");
                    return Err(ParquetError::General(problem));
                }
                self.dictionary = Some(self.room.take(self.values.decoded(*num_values)).map_err(no_room)?);
                *buf = self.room.hold(std::mem::take(buf)).map_err(no_room)?;
            }
            Page::DataPage { buf, num_values, encoding, .. } | Page::DataPageV2 { buf, num_values, encoding, .. } => {
                if *encoding == Encoding::DELTA_BYTE_ARRAY {
                    if !self.is_delta {
                        let problem = "its footer does not tell how its pages are encoded".to_owned();
                        return Err(ParquetError::General(problem));
                    }
                    // Each value is made of the one before, and may be as long as the page.
                    self.room.check(buf.len() as u64 * (self.rows as u64 + 1)).map_err(no_room)?;
                }
                if let Some(of_batch) = &self.of_batch {
                    let levels = 2 * size_of::<i16>() as u64 * u64::from(*num_values);
                    let octets = (self.values.decoded(*num_values) + levels).saturating_mul(of_batch.copies);
                    of_batch.lock().push(self.room.take(octets).map_err(no_room)?);
                }
                *buf = self.room.hold(std::mem::take(buf)).map_err(no_room)?;
            }
        }
        Ok(page)
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        if let Some(front) = self.front.take() {
            return Ok(Some(front));
        }
        let Some(mut page) = self.pages.get_next_page()? else { return Ok(None) };
        if let Some((codec, claimed)) = &self.compressed {
            let claimed = *claimed.lock();
            if codec.keeps_frame(&page) {
                let wanted = FRAME_KEPT + claimed.decompressed + claimed.stored;
                self.room.check(wanted).map_err(|error| ParquetError::External(Box::new(error)))?;
            }
            codec.decompress(&mut page, claimed.decompressed)?;
        }
        self.taken(page).map(Some)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        match &self.front {
            // Only a dictionary stands there.
            Some(_) => Ok(Some(PageMetadata { num_rows: None, num_levels: None, is_dict: true })),
            None => self.pages.peek_next_page(),
        }
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        match self.front.take() {
            Some(_) => Ok(()),
            None => self.pages.skip_next_page(),
        }
    }
}

impl Iterator for Pages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One(Option<Page>);

    impl PageReader for One {
        fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
            Ok(self.0.take())
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<(), ParquetError> {
            Ok(())
        }
    }

    impl Iterator for One {
        type Item = Result<Page, ParquetError>;

        fn next(&mut self) -> Option<Self::Item> {
            self.get_next_page().transpose()
        }
    }

    /// What becomes of one page of texts in a room, of a column that may have several values a row.
    fn read(page: Page, room: &Room, several: bool) -> Result<Option<Page>, ParquetError> {
        read_as((page, true), room, several)
    }

    fn read_as((page, is_delta): (Page, bool), room: &Room, several: bool) -> Result<Option<Page>, ParquetError> {
        let values = ValueSize { least: 4, decoded: 32 };
        let (room, of_batch) = (room.clone(), several.then(|| OfBatch::of_copies(3)));
        let pages = Box::new(One(Some(page)));
        let (compressed, front, dictionary) = (None, None, None);
        Pages { pages, compressed, room, values, rows: 16, is_delta, of_batch, front, dictionary }.get_next_page()
    }

    fn dictionary(num_values: u32) -> Page {
        Page::DictionaryPage { buf: vec![0; 12].into(), num_values, encoding: Encoding::PLAIN, is_sorted: false }
    }

    fn data(octets: usize, encoding: Encoding) -> Page {
        let (def_level_encoding, rep_level_encoding) = (Encoding::RLE, Encoding::RLE);
        let (buf, num_values) = (vec![0; octets].into(), 10);
        Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics: None }
    }

    #[test]
    fn a_dictionary_has_no_more_values_than_fit() {
        let room = Room::unlimited();
        assert!(read(dictionary(3), &room, false).is_ok());
        assert!(read(dictionary(4), &room, false).unwrap_err().to_string().contains("4 values"));
        assert!(read(dictionary(u32::MAX), &room, false).is_err());
        // Its octets, and what the values take.
        assert!(read(dictionary(3), &Room::of(3 * 32 + 12), false).is_ok());
        assert!(read(dictionary(3), &Room::of(3 * 32 + 11), false).is_err());
    }

    #[test]
    fn pages_take_room() {
        for (encoding, several, needed) in [
            (Encoding::PLAIN, false, 100),
            (Encoding::PLAIN, true, 100 + 3 * 10 * (32 + 4)),
            (Encoding::DELTA_BYTE_ARRAY, false, 100 * 17),
        ] {
            let room = Room::of(needed);
            let page = read(data(100, encoding), &room, several).unwrap();
            assert!(room.check(needed - 100).is_ok() && room.check(needed - 99).is_err());
            drop(page);
            assert!(room.check(needed).is_ok());
            assert!(read(data(100, encoding), &Room::of(needed - 1), several).is_err(), "{encoding}");
        }
    }

    /// Else it would not be known how many rows may be read at a time.
    #[test]
    fn a_footer_tells_how_values_are_made() {
        let read = |encoding| read_as((data(100, encoding), false), &Room::unlimited(), false);
        assert!(read(Encoding::PLAIN).is_ok());
        assert!(read(Encoding::DELTA_BYTE_ARRAY).unwrap_err().to_string().contains("footer"));
    }
}
