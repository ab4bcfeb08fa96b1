//! Columns of Parquet files, some rows at a time.
//!
//! They are read by the library's plain column readers, so its Arrow half is not needed. A [`Column`] stands at the top of
//! a file, and has at most one value a row.

mod positioned;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

pub(crate) use positioned::Positioned;

/// What is wrong with a file, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub String);

impl From<ParquetError> for Malformed {
    fn from(error: ParquetError) -> Malformed {
        Malformed(error.to_string())
    }
}

/// Some values of a column, one for each row.
pub(crate) type Values<T> = Result<Vec<Option<T>>, Malformed>;

/// Runs a part of the library, whose assertions a malformed file can break: a panic is an error, and not told beside.
/// What it works on is not used again then.
pub(crate) fn guarded<T, E: From<Malformed>>(run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    static HOOK: Once = Once::new();
    thread_local!(static IS_GUARDED: Cell<bool> = const { Cell::new(false) });
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                others(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(false);
    let broken = || Malformed("it is malformed: it breaks an assertion of its reader".to_owned()).into();
    done.unwrap_or_else(|_| Err(broken()))
}

/// The place of a column of this name at the top of a file.
pub(crate) fn find(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    schema.columns().iter().position(|column| matches!(column.path().parts(), [only] if only == name))
}

/// The names of all columns, for messages.
pub(crate) fn names(schema: &SchemaDescriptor) -> Vec<String> {
    schema.columns().iter().map(|column| column.path().string()).collect()
}

/// A column of a row group.
pub(crate) struct Column {
    name: String,
    units_in_a_second: i64,
    reader: ColumnReader,
}

/// A time as it is in the file.
#[derive(Clone)]
pub(crate) enum Time {
    Seconds(i64),
    Text(ByteArray),
}

impl Column {
    /// The column at a place of the file.
    pub fn open(group: &dyn RowGroupReader, at: usize) -> Result<Column, Malformed> {
        let described = group.metadata().column(at).column_descr();
        let name = described.path().string();
        if described.max_rep_level() > 0 {
            return Err(Malformed(format!("its column {name:?} has several values a row")));
        }
        let units_in_a_second = units_in_a_second(described);
        Ok(Column { name, units_in_a_second, reader: reader(group, at)? })
    }

    /// Leaves out so many rows.
    pub fn skip(&mut self, rows: usize) -> Result<(), Malformed> {
        let skipped = match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => reader.skip_records(rows)?,
            ColumnReader::Int64ColumnReader(reader) => reader.skip_records(rows)?,
            ColumnReader::Int96ColumnReader(reader) => reader.skip_records(rows)?,
            ColumnReader::ByteArrayColumnReader(reader) => reader.skip_records(rows)?,
            _ => return Err(self.wrong("octets, text, integers or times")),
        };
        if skipped == rows { Ok(()) } else { Err(too_few(&self.name)) }
    }

    /// The next values, which are octets or text; none at the end.
    pub fn texts(&mut self, rows: usize) -> Values<ByteArray> {
        match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => values::<ByteArrayType>(reader, rows),
            _ => Err(self.wrong("octets or text")),
        }
    }

    /// The next values, which are integers; none at the end.
    pub fn integers(&mut self, rows: usize) -> Values<i64> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => {
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(i64::from)).collect())
            }
            ColumnReader::Int64ColumnReader(reader) => values(reader, rows),
            _ => Err(self.wrong("integers")),
        }
    }

    /// The next values, which are times; none at the end.
    pub fn times(&mut self, rows: usize) -> Values<Time> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(_) | ColumnReader::Int64ColumnReader(_) => {
                let units_in_a_second = self.units_in_a_second;
                let seconds = |units: i64| Time::Seconds(units.div_euclid(units_in_a_second));
                Ok(self.integers(rows)?.into_iter().map(|value| value.map(seconds)).collect())
            }
            ColumnReader::Int96ColumnReader(reader) => Ok(values(reader, rows)?
                .into_iter()
                .map(|value| value.map(|time| Time::Seconds(time.to_seconds())))
                .collect()),
            ColumnReader::ByteArrayColumnReader(reader) => {
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(Time::Text)).collect())
            }
            _ => Err(self.wrong("time stamps, integers or text")),
        }
    }

    fn wrong(&self, wanted: &str) -> Malformed {
        Malformed(format!("its column {:?} is not of {wanted}", self.name))
    }
}

/// What is wrong with a column that ends before its rows do.
pub(crate) fn too_few(name: &str) -> Malformed {
    Malformed(format!("its column {name:?} has fewer rows than the file says"))
}

/// The reader of a column of any kind.
pub(crate) fn reader(group: &dyn RowGroupReader, at: usize) -> Result<ColumnReader, Malformed> {
    let described = group.metadata().column(at).column_descr_ptr();
    let pages = Checked { least: least_octets(&described), pages: group.get_column_page_reader(at)? };
    Ok(get_column_reader(described, Box::new(pages)))
}

/// How many octets a value in a dictionary takes at least.
fn least_octets(column: &ColumnDescriptor) -> usize {
    match column.physical_type() {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(column.type_length()).unwrap_or(0).max(1),
    }
}

/// How much of what an integer column counts is a second.
fn units_in_a_second(column: &ColumnDescriptor) -> i64 {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(time)), _) => match time.unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        },
        (None, ConvertedType::TIMESTAMP_MILLIS) => 1_000,
        (None, ConvertedType::TIMESTAMP_MICROS) => 1_000_000,
        _ => 1,
    }
}

/// The next values of a column; none at the end.
fn values<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Values<T::T> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, ..) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    // A column at the top is there (1) or not (0).
    let mut values = values.into_iter();
    let all: Vec<Option<T::T>> = levels.iter().map(|&level| if level > 0 { values.next() } else { None }).collect();
    debug_assert_eq!(all.len(), rows);
    Ok(all)
}

/// The pages of a column. The library makes room for as many values as a dictionary claims, and a claim that is damaged
/// can be more than there is memory.
struct Checked {
    pages: Box<dyn PageReader>,
    /// How many octets a value in a dictionary takes at least.
    least: usize,
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.pages.get_next_page()?;
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page {
            if *num_values as usize > buf.len() / self.least {
                return Err(ParquetError::General(format!("a dictionary of {num_values} values has no room for them")));
            }
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }
}

impl Iterator for Checked {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::Encoding;

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

    #[test]
    fn a_dictionary_has_no_more_values_than_fit() {
        let read = |num_values| {
            let encoding = Encoding::PLAIN;
            let page = Page::DictionaryPage { buf: vec![0; 12].into(), num_values, encoding, is_sorted: false };
            Checked { pages: Box::new(One(Some(page))), least: 4 }.get_next_page()
        };
        assert!(read(3).is_ok());
        assert!(read(4).unwrap_err().to_string().contains("4 values"));
        assert!(read(u32::MAX).is_err());
    }

    #[test]
    fn a_panic_of_the_library_is_an_error() {
        let broken: Result<(), Malformed> = guarded(|| panic!("a broken assertion"));
        assert!(broken.is_err_and(|Malformed(problem)| problem.contains("malformed")));
        assert_eq!(guarded(|| Ok::<_, Malformed>(7)), Ok(7));
    }
}
