//! Parquet: one answer a row.
//!
//! The columns are `url`, `status`, `body` and `fetched_at`, and `location` if there is one; [`ParquetColumns`] has other names
//! for them. They are read by the library's plain column readers, some rows at a time, so its Arrow half is not needed.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::cell::Cell;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::str::FromStr;
use std::sync::Once;

use super::{Intake, SourceError, page};
use crate::policy::{Answered, Capture};

/// How many rows are read at a time.
const BATCH: usize = 256;

/// The names of the columns in Parquet sources.
///
/// They are read from text such as `url=target_uri,fetched_at=date`, where those that are not named keep their names.
/// `status=` and `fetched_at=` say that there is no such column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParquetColumns {
    /// The URL that was asked for: text.
    pub url: String,
    /// The HTTP status: an integer. Without it, every answer is a file with status 200.
    pub status: Option<String>,
    /// The body: octets or text.
    pub body: String,
    /// When it was answered: a time stamp, an integer (seconds of Unix time) or text (RFC 3339).
    pub fetched_at: Option<String>,
    /// Where a redirect leads: text. The column `location` may be missing, any other may not.
    pub location: String,
}

const LOCATION: &str = "location";

impl Default for ParquetColumns {
    fn default() -> ParquetColumns {
        ParquetColumns {
            url: "url".to_owned(),
            status: Some("status".to_owned()),
            body: "body".to_owned(),
            fetched_at: Some("fetched_at".to_owned()),
            location: LOCATION.to_owned(),
        }
    }
}

/// Names of columns that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} names no column; wanted are url=NAME, status=NAME, body=NAME, fetched_at=NAME or location=NAME, with \
     commas between them"
)]
pub struct ParquetColumnsError {
    /// The part that was given.
    pub given: String,
}

impl FromStr for ParquetColumns {
    type Err = ParquetColumnsError;

    fn from_str(text: &str) -> Result<ParquetColumns, ParquetColumnsError> {
        let mut columns = ParquetColumns::default();
        for part in text.split(',') {
            let wrong = || ParquetColumnsError { given: part.to_owned() };
            let (role, name) = part.split_once('=').ok_or_else(wrong)?;
            let named = Some(name.to_owned()).filter(|name| !name.is_empty());
            match role {
                "status" => columns.status = named,
                "fetched_at" => columns.fetched_at = named,
                "url" => columns.url = named.ok_or_else(wrong)?,
                "body" => columns.body = named.ok_or_else(wrong)?,
                "location" => columns.location = named.ok_or_else(wrong)?,
                _ => return Err(wrong()),
            }
        }
        Ok(columns)
    }
}

/// What is wrong with the file, or with a row of it.
enum Problem {
    File(String),
    Row(u64, String),
}

impl From<ParquetError> for Problem {
    fn from(error: ParquetError) -> Problem {
        Problem::File(error.to_string())
    }
}

/// Adds the answers of a file.
pub(super) fn add(
    path: &Path,
    file: File,
    columns: &ParquetColumns,
    intake: &mut Intake<'_>,
) -> Result<(), SourceError> {
    let read = read(file, columns, intake);
    let path = path.to_owned();
    match read {
        Ok(0) => Err(SourceError::Empty { path, hint: "it has no rows" }),
        Ok(_) => Ok(()),
        Err(Problem::File(problem)) => Err(SourceError::Parquet { path, problem }),
        Err(Problem::Row(row, problem)) => Err(SourceError::Row { path, row, problem }),
    }
}

/// Adds the answers of a file; returns how many there are.
fn read(file: File, columns: &ParquetColumns, intake: &mut Intake<'_>) -> Result<u64, Problem> {
    let file = guarded(|| Ok(SerializedFileReader::new(file)?))?;
    let layout = guarded(|| Layout::of(file.metadata().file_metadata().schema_descr(), columns))?;
    let mut rows = 0;
    for group in 0..file.num_row_groups() {
        let mut group = guarded(|| Group::open(&*file.get_row_group(group)?, &layout))?;
        loop {
            let batch = guarded(|| group.next_rows())?;
            if batch.is_empty() {
                break;
            }
            for row in batch {
                rows += 1;
                intake.add([row.capture().map_err(|problem| Problem::Row(rows, problem))?]);
            }
        }
    }
    Ok(rows)
}

/// Runs a part of the library, whose assertions a malformed file can break: a panic is an error, and not told beside.
/// What it works on is not used again then.
fn guarded<T>(run: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
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
    done.unwrap_or_else(|_| Err(Problem::File("it is malformed: it breaks an assertion of its reader".to_owned())))
}

/// Where the columns are in the file.
struct Layout {
    url: usize,
    status: Option<usize>,
    body: usize,
    fetched_at: Option<usize>,
    location: Option<usize>,
}

impl Layout {
    fn of(schema: &SchemaDescriptor, columns: &ParquetColumns) -> Result<Layout, Problem> {
        let find = |name: &String| {
            schema.columns().iter().position(|column| column.path().parts() == std::slice::from_ref(name))
        };
        let known = || {
            let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
            names.join(", ")
        };
        let place = |name: &String| {
            find(name).ok_or_else(|| {
                Problem::File(format!(
                    "it has no column {name:?}; its columns are {}, and --columns names them",
                    known()
                ))
            })
        };
        let location = find(&columns.location);
        if location.is_none() && columns.location != LOCATION {
            place(&columns.location)?;
        }
        Ok(Layout {
            url: place(&columns.url)?,
            status: columns.status.as_ref().map(place).transpose()?,
            body: place(&columns.body)?,
            fetched_at: columns.fetched_at.as_ref().map(place).transpose()?,
            location,
        })
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

/// The columns of a row group.
struct Group {
    url: Column,
    status: Option<Column>,
    body: Column,
    fetched_at: Option<Column>,
    location: Option<Column>,
}

impl Group {
    fn open(group: &dyn RowGroupReader, layout: &Layout) -> Result<Group, Problem> {
        let column = |at: usize| -> Result<Column, Problem> {
            let described = group.metadata().column(at).column_descr();
            let units_in_a_second = units_in_a_second(described);
            let pages = Box::new(Checked(group.get_column_page_reader(at)?));
            let reader = get_column_reader(group.metadata().column(at).column_descr_ptr(), pages);
            Ok(Column { name: described.path().string(), units_in_a_second, reader })
        };
        Ok(Group {
            url: column(layout.url)?,
            status: layout.status.map(column).transpose()?,
            body: column(layout.body)?,
            fetched_at: layout.fetched_at.map(column).transpose()?,
            location: layout.location.map(column).transpose()?,
        })
    }

    /// The next rows; none at the end.
    fn next_rows(&mut self) -> Result<Vec<Row>, Problem> {
        let urls = self.url.texts()?;
        let bodies = self.body.texts()?;
        let statuses = optional(&mut self.status, urls.len(), Column::integers)?;
        let locations = optional(&mut self.location, urls.len(), Column::texts)?;
        let times = optional(&mut self.fetched_at, urls.len(), Column::times)?;
        let lengths = [statuses.len(), bodies.len(), locations.len(), times.len()];
        if lengths.iter().any(|&length| length != urls.len()) {
            return Err(Problem::File("its columns are not of one length".to_owned()));
        }
        let rest = statuses.into_iter().zip(bodies).zip(locations).zip(times);
        let row = |(url, (((status, body), location), fetched_at))| Row { url, status, body, location, fetched_at };
        Ok(urls.into_iter().zip(rest).map(row).collect())
    }
}

/// The next values of a column, if the file has it, else so many times nothing.
fn optional<T: Clone>(
    column: &mut Option<Column>,
    rows: usize,
    read: fn(&mut Column) -> Result<Vec<Option<T>>, Problem>,
) -> Result<Vec<Option<T>>, Problem> {
    column.as_mut().map_or_else(|| Ok(vec![None; rows]), read)
}

/// The pages of a column. The library makes room for as many values as a dictionary claims, and a claim that is damaged
/// can be more than there is memory.
struct Checked(Box<dyn PageReader>);

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.0.get_next_page()?;
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page {
            // No type that is read here takes less.
            const LEAST: usize = 4;
            if *num_values as usize > buf.len() / LEAST {
                return Err(ParquetError::General(format!("a dictionary of {num_values} values has no room for them")));
            }
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0.skip_next_page()
    }
}

impl Iterator for Checked {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

struct Column {
    name: String,
    units_in_a_second: i64,
    reader: ColumnReader,
}

/// A time as it is in the file.
#[derive(Clone)]
enum Time {
    Seconds(i64),
    Text(ByteArray),
}

impl Column {
    fn texts(&mut self) -> Result<Vec<Option<ByteArray>>, Problem> {
        match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => values::<ByteArrayType>(reader),
            _ => Err(self.wrong("octets or text")),
        }
    }

    fn integers(&mut self) -> Result<Vec<Option<i64>>, Problem> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => {
                Ok(values(reader)?.into_iter().map(|value| value.map(i64::from)).collect())
            }
            ColumnReader::Int64ColumnReader(reader) => values(reader),
            _ => Err(self.wrong("integers")),
        }
    }

    fn times(&mut self) -> Result<Vec<Option<Time>>, Problem> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(_) | ColumnReader::Int64ColumnReader(_) => {
                let units_in_a_second = self.units_in_a_second;
                let seconds = |units: i64| Time::Seconds(units.div_euclid(units_in_a_second));
                Ok(self.integers()?.into_iter().map(|value| value.map(seconds)).collect())
            }
            ColumnReader::Int96ColumnReader(reader) => Ok(values(reader)?
                .into_iter()
                .map(|value| value.map(|time| Time::Seconds(time.to_seconds())))
                .collect()),
            ColumnReader::ByteArrayColumnReader(reader) => {
                Ok(values(reader)?.into_iter().map(|value| value.map(Time::Text)).collect())
            }
            _ => Err(self.wrong("time stamps, integers or text")),
        }
    }

    fn wrong(&self, wanted: &str) -> Problem {
        Problem::File(format!("its column {:?} is not of {wanted}", self.name))
    }
}

/// The next values of a column; none at the end.
fn values<T: DataType>(reader: &mut ColumnReaderImpl<T>) -> Result<Vec<Option<T::T>>, Problem> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, ..) = reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    // A column at the top is there (1) or not (0).
    let mut values = values.into_iter();
    let all: Vec<Option<T::T>> = levels.iter().map(|&level| if level > 0 { values.next() } else { None }).collect();
    debug_assert_eq!(all.len(), rows);
    Ok(all)
}

/// A row as it is in the file.
struct Row {
    url: Option<ByteArray>,
    status: Option<i64>,
    body: Option<ByteArray>,
    location: Option<ByteArray>,
    fetched_at: Option<Time>,
}

impl Time {
    fn seconds(&self) -> Result<i64, String> {
        let text = match self {
            Time::Seconds(seconds) => return Ok(*seconds),
            Time::Text(text) => String::from_utf8_lossy(text.data()),
        };
        let time: jiff::Timestamp = text.parse().map_err(|error| format!("{text:?} is no RFC 3339 time: {error}"))?;
        Ok(time.as_second())
    }
}

impl Row {
    fn capture(self) -> Result<Capture, String> {
        let url = self.url.ok_or("it has no URL")?;
        let url = std::str::from_utf8(url.data()).map_err(|_| "its URL is not UTF-8")?;
        let (url, origin) = page(url)?;
        let status = self.status.map(|status| u16::try_from(status).map_err(|_| format!("{status} is no HTTP status")));
        let fetched_at = self.fetched_at.as_ref().map(Time::seconds).transpose()?;
        let answered = Answered { status: status.transpose()?, fetched_at, ..Answered::default() };
        let location = self.location.map(|location| String::from_utf8_lossy(location.data()).into_owned());
        let body = self.body.map(|body| body.data().into());
        Ok(Capture { url, origin, exact: true, answered, location, body })
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
            Checked(Box::new(One(Some(page)))).get_next_page()
        };
        assert!(read(3).is_ok());
        assert!(read(4).unwrap_err().to_string().contains("4 values"));
        assert!(read(u32::MAX).is_err());
    }

    #[test]
    fn a_panic_of_the_library_is_an_error() {
        let Err(Problem::File(problem)) = guarded::<()>(|| panic!("a broken assertion")) else { panic!("no error") };
        assert!(problem.contains("malformed"));
        assert!(guarded(|| Ok(7)).is_ok_and(|seven| seven == 7));
    }

    #[test]
    fn columns_are_named_by_their_roles() {
        let columns: ParquetColumns = "url=a,status=,location=b".parse().unwrap();
        let expected =
            ParquetColumns { url: "a".to_owned(), status: None, location: "b".to_owned(), ..ParquetColumns::default() };
        assert_eq!(columns, expected);
        for wrong in ["", "url", "url=", "body=", "uri=a", "url=a,"] {
            let given = wrong.rsplit(',').next().unwrap().to_owned();
            assert_eq!(wrong.parse::<ParquetColumns>(), Err(ParquetColumnsError { given }), "{wrong}");
        }
    }
}
