//! A column of texts that repeat, such as the crawlers of a table, encoded as Parquet's dictionary pages.
//!
//! The library hashes each text of each row to find it in the dictionary of its column. Here a text is compared with the one that came
//! after the text before, the last time: texts that stay the same, or repeat in an order, are found so. Only others are hashed.
//!
//! Encoding and pages: the Parquet format, "Data Pages" and "Dictionary Encoding" (`PLAIN` and `RLE_DICTIONARY`).

use bytes::Bytes;
use hashbrown::{DefaultHashBuilder, HashTable};
use parquet::basic::{Compression, Encoding, PageType, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, PageEncodingStats};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::hash::BuildHasher;
use std::io::Write;
use zstd::bulk::Compressor;

/// The number of a text: its place among the distinct ones, in the order in which they came first.
type Number = u16;

/// The maximum number of rows.
pub(super) const MOST: usize = 1 << Number::BITS;

/// The texts of a group's rows.
#[derive(Default)]
pub(super) struct Repeats {
    /// The distinct texts as the dictionary's page has them, each after its length.
    page: Vec<u8>,
    /// Where each of them is in the page.
    places: Vec<Place>,
    /// Their numbers, by hash.
    numbers: HashTable<Number>,
    hasher: DefaultHashBuilder,
    /// The text of each row.
    rows: Vec<Number>,
    /// The text that the next row probably has.
    expected: Number,
}

/// A distinct text.
#[derive(Clone, Copy)]
struct Place {
    start: u32,
    end: u32,
    /// The same text, if it is one of the program's names.
    name: Option<&'static str>,
    /// The text of the row after the last one that had this text.
    next: Number,
}

/// A column of a group as it stands in the file.
pub(super) struct Encoded {
    bytes: Bytes,
    close: ColumnCloseResult,
}

impl Repeats {
    /// Adds the text of a row, and returns how many bytes the dictionary grew by. Invalid UTF-8 is replaced.
    pub fn push(&mut self, text: &[u8]) -> usize {
        let is_expected = |place: &Place| self.page[place.start as usize..place.end as usize] == *text;
        match self.places.get(usize::from(self.expected)) {
            Some(place) if is_expected(place) => self.add(self.expected),
            _ => self.add_other(text, None),
        }
    }

    /// The same for one of the program's names, which is known by where it stands.
    pub fn push_name(&mut self, name: &'static str) -> usize {
        match self.places.get(usize::from(self.expected)) {
            Some(place) if place.name.is_some_and(|known| std::ptr::eq(known, name)) => self.add(self.expected),
            _ => self.add_other(name.as_bytes(), Some(name)),
        }
    }

    /// Adds a row whose text is known.
    fn add(&mut self, number: Number) -> usize {
        self.rows.push(number);
        self.expected = self.places[usize::from(number)].next;
        0
    }

    /// Adds a row whose text is not the one expected.
    #[cold]
    fn add_other(&mut self, text: &[u8], name: Option<&'static str>) -> usize {
        debug_assert!(self.rows.len() < MOST);
        let before = self.page.len();
        let number = self.find(text);
        if let Some(&last) = self.rows.last() {
            self.places[usize::from(last)].next = number;
        }
        self.places[usize::from(number)].name = name;
        self.add(number);
        self.page.len() - before
    }

    /// Whether most rows have a text that another row has.
    pub fn are_few(&self) -> bool {
        self.places.len() <= self.rows.len() / 2
    }

    /// The text of each row.
    pub fn rows(&self) -> impl Iterator<Item = &str> {
        let text = |&number| str::from_utf8(self.text(number)).expect("invalid UTF-8 was replaced");
        self.rows.iter().map(text)
    }

    /// The column with this description, with the least and the greatest text if it is to have statistics.
    pub fn encode(&self, column: &ColumnDescPtr, statistics: bool) -> Result<Encoded, ParquetError> {
        let mut compressor = Compressor::new(ZstdLevel::default().compression_level())?;
        let mut compressed = |page: &[u8]| compressor.compress(page).map(Bytes::from);
        let mut sink = TrackedWrite::new(Vec::new());
        let mut pages = SerializedPageWriter::new(&mut sink);
        let count = u32::try_from(self.rows.len()).expect("at most 65,536 rows");
        let dictionary = Page::DictionaryPage {
            buf: compressed(&self.page)?,
            num_values: u32::try_from(self.places.len()).expect("no more texts than rows"),
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        let dictionary = pages.write_page(CompressedPage::new(dictionary, self.page.len()))?;
        let numbers = self.numbers_page();
        let data = Page::DataPage {
            buf: compressed(&numbers)?,
            num_values: count,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let data = pages.write_page(CompressedPage::new(data, numbers.len()))?;
        let metadata = self.metadata(column, &dictionary, &data, statistics)?;
        let bytes = Bytes::from(sink.into_inner()?);
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: count.into(),
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        Ok(Encoded { bytes, close })
    }

    /// The numbers of the rows, as one run of one or two bytes each. Their repetition is left to the compression.
    fn numbers_page(&self) -> Vec<u8> {
        let width = if self.places.len() <= 1 << 8 { 1 } else { 2 };
        let groups = self.rows.len().div_ceil(8);
        let mut page = vec![8 * width as u8];
        // A variable-length integer, whose last bit says that the numbers of the run are packed.
        let mut head = groups << 1 | 1;
        while head >= 0x80 {
            page.push(head as u8 | 0x80);
            head >>= 7;
        }
        page.push(head as u8);
        let end = page.len() + groups * 8 * width;
        match width {
            1 => page.extend(self.rows.iter().map(|&number| number as u8)),
            _ => page.extend(self.rows.iter().flat_map(|number| number.to_le_bytes())),
        }
        page.resize(end, 0);
        page
    }

    /// The column's part of the file's last pages.
    fn metadata(
        &self,
        column: &ColumnDescPtr,
        dictionary: &PageWriteSpec,
        data: &PageWriteSpec,
        statistics: bool,
    ) -> Result<ColumnChunkMetaData, ParquetError> {
        let sum = |of: fn(&PageWriteSpec) -> usize| (of(dictionary) + of(data)) as i64;
        let kind = |page_type, encoding| PageEncodingStats { page_type, encoding, count: 1 };
        let texts = (0..self.places.len()).map(|number| self.text(number as Number));
        let metadata = ColumnChunkMetaData::builder(column.clone())
            .set_compression(compression())
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
            .set_page_encoding_stats(vec![
                kind(PageType::DICTIONARY_PAGE, Encoding::PLAIN),
                kind(PageType::DATA_PAGE, Encoding::RLE_DICTIONARY),
            ])
            .set_num_values(self.rows.len() as i64)
            .set_total_compressed_size(sum(|page| page.compressed_size))
            .set_total_uncompressed_size(sum(|page| page.uncompressed_size))
            .set_dictionary_page_offset(Some(dictionary.offset as i64))
            .set_data_page_offset(data.offset as i64);
        if !statistics {
            return metadata.build();
        }
        let text = |text: Option<&[u8]>| text.map(|text| ByteArray::from(text.to_vec()));
        let (least, greatest) = (text(texts.clone().min()), text(texts.max()));
        metadata.set_statistics(Statistics::byte_array(least, greatest, None, Some(0), false)).build()
    }

    /// The number of a text, which may be new.
    fn find(&mut self, text: &[u8]) -> Number {
        let text = String::from_utf8_lossy(text);
        let Repeats { page, places, numbers, hasher, .. } = self;
        let hash = hasher.hash_one(text.as_bytes());
        if let Some(&number) = numbers.find(hash, |&number| *at(page, places, number) == *text.as_bytes()) {
            return number;
        }
        let number = Number::try_from(places.len()).expect("no more texts than rows");
        page.extend_from_slice(&(text.len() as u32).to_le_bytes());
        let start = page.len() as u32;
        page.extend_from_slice(text.as_bytes());
        places.push(Place { start, end: page.len() as u32, name: None, next: number });
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(at(page, places, number)));
        number
    }

    fn text(&self, number: Number) -> &[u8] {
        at(&self.page, &self.places, number)
    }
}

impl Encoded {
    pub fn append<W: Write + Send>(self, group: &mut SerializedRowGroupWriter<'_, W>) -> Result<(), ParquetError> {
        group.append_column(&self.bytes, self.close)
    }
}

fn at<'p>(page: &'p [u8], places: &[Place], number: Number) -> &'p [u8] {
    let Place { start, end, .. } = places[usize::from(number)];
    &page[start as usize..end as usize]
}

/// How all columns are compressed.
pub(super) fn compression() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::properties::WriterProperties;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::record::RowAccessor;
    use parquet::schema::parser::parse_message_type;
    use proptest::prelude::*;
    use std::sync::Arc;

    /// The texts as a file of one column has them, with the least and the greatest that it names.
    fn read_back(texts: &Repeats) -> (Vec<String>, Option<[Vec<u8>; 2]>) {
        let schema = Arc::new(parse_message_type("message m { required binary t (STRING); }").unwrap());
        let properties = Arc::new(WriterProperties::builder().set_compression(compression()).build());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
        let column = file.schema_descr().column(0);
        let mut group = file.next_row_group().unwrap();
        texts.encode(&column, true).unwrap().append(&mut group).unwrap();
        group.close().unwrap();
        let reader = SerializedFileReader::new(Bytes::from(file.into_inner().unwrap())).unwrap();
        let statistics = reader.metadata().row_group(0).column(0).statistics().cloned();
        let ends =
            statistics.and_then(|known| Some([known.min_bytes_opt()?.to_vec(), known.max_bytes_opt()?.to_vec()]));
        let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().get_string(0).unwrap().clone()).collect();
        (rows, ends)
    }

    fn pushed(texts: &[&[u8]]) -> Repeats {
        let mut repeats = Repeats::default();
        texts.iter().for_each(|text| _ = repeats.push(text));
        repeats
    }

    #[test]
    fn names_and_texts_of_one_column_are_one() {
        const NAMES: [&str; 3] = ["all", "none", "some"];
        let mut repeats = Repeats::default();
        let grown: usize = (0..100).map(|row| repeats.push_name(NAMES[row % 3]) + repeats.push(b"none")).sum();
        assert_eq!(grown, 3 * 4 + 11, "each text stands once after its length");
        let expected = (0..100).flat_map(|row| [NAMES[row % 3], "none"]);
        assert!(repeats.are_few() && repeats.rows().eq(expected.clone()));
        let (rows, ends) = read_back(&repeats);
        assert!(rows.iter().map(String::as_str).eq(expected));
        assert_eq!(ends, Some([b"all".to_vec(), b"some".to_vec()]));
    }

    #[test]
    fn numbers_take_one_byte_or_two() {
        for distinct in [1, 255, 256, 257, 300, 40_000, MOST] {
            let names: Vec<String> = (0..MOST).map(|row| format!("{}", row % distinct)).collect();
            let repeats = pushed(&names.iter().map(String::as_bytes).collect::<Vec<_>>());
            assert_eq!(repeats.are_few(), distinct <= MOST / 2);
            assert!(read_back(&repeats).0 == names, "{distinct}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_pushed(texts in prop::collection::vec("[ab\u{e9}]{0,2}|.*", 1..300)) {
            let mut bytes: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
            bytes.iter_mut().step_by(7).for_each(|text| text.push(0xff));
            let repeats = pushed(&bytes.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let expected: Vec<String> = bytes.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
            let (rows, ends) = read_back(&repeats);
            prop_assert_eq!(&rows, &expected);
            let least = expected.iter().min().unwrap().clone().into_bytes();
            let greatest = expected.iter().max().unwrap().clone().into_bytes();
            prop_assert_eq!(ends, Some([least, greatest]));
        }
    }
}
