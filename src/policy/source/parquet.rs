//! Parquet: one answer per row.
//!
//! The columns are `url`, `status`, `body` and `fetched_at`, and optionally `location`; [`ParquetColumns`] gives them other
//! names.

use parquet::data_type::ByteArray;
use std::fs::File;
use std::path::Path;
use std::str::FromStr;

use super::error::{ParquetColumnsError, SourceError};
use super::intake::Intake;
use super::urls::page;
use crate::formats::columnar::{self, Column, Malformed, ParquetFile, Values, guarded};
use crate::policy::{Answered, Capture};
use crate::threads;

/// How many rows are read at a time, unless they are large.
const BATCH: usize = 256;

/// The names of the columns in Parquet sources.
///
/// Parsed from text such as `url=target_uri,fetched_at=date`; columns not listed keep their default names. `status=` and
/// `fetched_at=` mean that there is no such column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParquetColumns {
    /// The requested URL: text.
    pub url: String,
    /// The HTTP status: an integer. Without it, every answer is a file with status 200.
    pub status: Option<String>,
    /// The body: bytes or text.
    pub body: String,
    /// The time of the answer: a time stamp, an integer (seconds of Unix time) or text (RFC 3339).
    pub fetched_at: Option<String>,
    /// The target of a redirect: text. Only a column named `location` may be missing.
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

/// A problem of the file or of one of its rows.
enum Problem {
    File(String),
    /// A missing column, and the columns of the file.
    NoColumn(String, String),
    Row(u64, String),
}

impl From<Malformed> for Problem {
    fn from(Malformed(problem): Malformed) -> Problem {
        Problem::File(problem)
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
        Err(Problem::NoColumn(name, known)) => Err(SourceError::NoColumn { path, name, known }),
        Err(Problem::Row(row, problem)) => Err(SourceError::Row { path, row, problem }),
    }
}

/// Adds the answers of a file; returns their number.
fn read(file: File, columns: &ParquetColumns, intake: &mut Intake<'_>) -> Result<u64, Problem> {
    let file = guarded(|| ParquetFile::open(file))?;
    let groups = file.metadata().row_groups();
    let (mut open, mut next, mut first, mut rows) = (Vec::new(), 0, 0, 0);
    loop {
        while open.len() < intake.parallel_row_groups() && next < groups.len() {
            open.push(guarded(|| GroupColumns::open(&file, next, columns, first))?);
            first += u64::try_from(groups[next].num_rows()).unwrap_or(0);
            next += 1;
        }
        let read = threads::map(&mut open, GroupColumns::next_captures);
        let mut read = read.into_iter().collect::<Result<Vec<_>, _>>()?;
        rows += read.iter().map(|captures| captures.len() as u64).sum::<u64>();
        let mut has_more = read.iter().map(|captures| !captures.is_empty()).collect::<Vec<_>>().into_iter();
        open.retain(|_| has_more.next().unwrap_or_default());
        intake.add(read.drain(..).flatten());
        if open.is_empty() && next == groups.len() {
            return Ok(rows);
        }
    }
}

/// The columns of a row group, and the number of rows before its next one.
struct GroupColumns {
    rows: u64,
    url: Column,
    status: Option<Column>,
    body: Column,
    fetched_at: Option<Column>,
    location: Option<Column>,
}

impl GroupColumns {
    fn open(file: &ParquetFile, number: usize, columns: &ParquetColumns, rows: u64) -> Result<GroupColumns, Problem> {
        let (schema, group) = (file.schema(), file.group(number)?);
        let column = |name: &String| {
            let unknown = || Problem::NoColumn(name.clone(), columnar::names(schema).join(", "));
            let at = columnar::find(schema, name).ok_or_else(unknown)?;
            Ok::<_, Problem>(Column::open(&group, at, 0)?)
        };
        let may_lack = columns.location == LOCATION && columnar::find(schema, LOCATION).is_none();
        Ok(GroupColumns {
            rows,
            url: column(&columns.url)?,
            status: columns.status.as_ref().map(column).transpose()?,
            body: column(&columns.body)?,
            fetched_at: columns.fetched_at.as_ref().map(column).transpose()?,
            location: if may_lack { None } else { Some(column(&columns.location)?) },
        })
    }

    /// The answers of the next rows; empty at the end.
    fn next_captures(&mut self) -> Result<Vec<Capture>, Problem> {
        let rows = guarded(|| self.next_rows())?;
        let capture = |row: Row| {
            self.rows += 1;
            row.capture().map_err(|problem| Problem::Row(self.rows, problem))
        };
        rows.into_iter().map(capture).collect()
    }

    fn next_rows(&mut self) -> Result<Vec<Row>, Problem> {
        let others = [&self.status, &self.fetched_at, &self.location].into_iter().flatten();
        let most = others.chain([&self.url, &self.body]).map(Column::rows_at_once).fold(BATCH, usize::min);
        let urls = self.url.texts(most)?;
        let bodies = self.body.texts(most)?;
        let statuses = optional(&mut self.status, most, urls.len(), Column::integers)?;
        let locations = optional(&mut self.location, most, urls.len(), Column::texts)?;
        let times = optional(&mut self.fetched_at, most, urls.len(), Column::times)?;
        let lengths = [statuses.len(), bodies.len(), locations.len(), times.len()];
        if lengths.iter().any(|&length| length != urls.len()) {
            return Err(Problem::File("its columns differ in length".to_owned()));
        }
        let rest = statuses.into_iter().zip(bodies).zip(locations).zip(times);
        let row = |(url, (((status, body), location), fetched_at))| Row { url, status, body, location, fetched_at };
        Ok(urls.into_iter().zip(rest).map(row).collect())
    }
}

/// The next values of a column, `most` at most; if the file lacks the column, `None` for each of `rows`.
fn optional<T: Clone>(
    column: &mut Option<Column>,
    most: usize,
    rows: usize,
    read: fn(&mut Column, usize) -> Values<T>,
) -> Values<T> {
    column.as_mut().map_or_else(|| Ok(vec![None; rows]), |column| read(column, most))
}

/// A row as stored in the file.
struct Row {
    url: Option<ByteArray>,
    status: Option<i64>,
    body: Option<ByteArray>,
    location: Option<ByteArray>,
    fetched_at: Option<Result<i64, String>>,
}

impl Row {
    fn capture(self) -> Result<Capture, String> {
        let url = self.url.ok_or("it has no URL")?;
        let url = std::str::from_utf8(url.data()).map_err(|_| "its URL is not UTF-8")?;
        let (url, origin) = page(url)?;
        let status =
            self.status.map(|status| u16::try_from(status).map_err(|_| format!("{status} is not an HTTP status")));
        let fetched_at = self.fetched_at.transpose()?;
        let answered = Answered { status: status.transpose()?, fetched_at, ..Answered::default() };
        let location = self.location.map(|location| String::from_utf8_lossy(location.data()).into_owned());
        let body = self.body.map(|body| body.data().into());
        Ok(Capture { url, origin, exact: true, answered, location, body, incomplete: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
