//! Parquet: one answer per row.
//!
//! The columns are those of [`Field`], which [`FieldNames`] may name otherwise. `url`, `status`, `body` and `fetched_at` are
//! needed, unless the operator says that there are none; a file without `url` may have `origin`. The others may be missing.

use parquet::data_type::ByteArray;
use std::fs::File;
use std::path::Path;

use super::answer::{self, Answer, Flaw};
use super::error::SourceError;
use super::field::Field;
use super::fields::FieldNames;
use super::intake::Intake;
use super::passed_over::Reason;
use super::time_bounds::TimeBounds;
use crate::formats::columnar::{self, Column, Malformed, ParquetFile, Values, guarded};
use crate::policy::Capture;
use crate::threads;

/// How many rows are read at a time, unless they are large.
const BATCH: usize = 256;

/// A problem of the file or of one of its rows.
enum Problem {
    File(String),
    /// A missing column, and the columns of the file.
    NoColumn(String, String),
    Row(SourceError),
}

impl From<Malformed> for Problem {
    fn from(Malformed(problem): Malformed) -> Problem {
        Problem::File(problem)
    }
}

/// Adds the answers of a file.
pub(super) fn add(path: &Path, file: File, names: &FieldNames, intake: &mut Intake<'_>) -> Result<(), SourceError> {
    read(path, file, names, intake).map_err(|problem| {
        let path = path.to_owned();
        match problem {
            Problem::File(problem) => SourceError::Parquet { path, problem },
            Problem::NoColumn(name, known) => SourceError::NoColumn { path, name, known },
            Problem::Row(error) => error,
        }
    })
}

fn read(path: &Path, file: File, names: &FieldNames, intake: &mut Intake<'_>) -> Result<(), Problem> {
    let file = guarded(|| ParquetFile::open(file))?;
    let groups = file.metadata().row_groups();
    let bounds = intake.time_bounds;
    let (mut open, mut next, mut first) = (Vec::new(), 0, 0);
    loop {
        while open.len() < intake.parallel_row_groups() && next < groups.len() {
            open.push(guarded(|| GroupColumns::open(&file, next, names, first))?);
            first += u64::try_from(groups[next].num_rows()).unwrap_or(0);
            next += 1;
        }
        let read = threads::map(&mut open, |group| group.next_captures(bounds));
        let read = read.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut has_more = read.iter().map(|rows| !rows.is_empty()).collect::<Vec<_>>().into_iter();
        open.retain(|_| has_more.next().unwrap_or_default());
        for answer in read.into_iter().flatten() {
            match answer {
                Ok(capture) => intake.add([capture]),
                Err((row, problem)) => {
                    let error = SourceError::Row { path: path.to_owned(), row, problem };
                    intake.leave_out(path, Reason::BadRow, error).map_err(Problem::Row)?;
                }
            }
        }
        if open.is_empty() && next == groups.len() {
            return Ok(());
        }
    }
}

/// The answer of a row; or, if it is none, the number of the row and the problem.
type ReadRow = Result<Capture, (u64, String)>;

/// The columns of a row group, by field, and the number of rows before its next one.
struct GroupColumns {
    rows: u64,
    columns: [Option<Column>; Field::ALL.len()],
}

impl GroupColumns {
    fn open(file: &ParquetFile, number: usize, names: &FieldNames, rows: u64) -> Result<GroupColumns, Problem> {
        let (schema, group) = (file.schema(), file.group(number)?);
        let find = |field| names.name(field).and_then(|name| columnar::find(schema, name));
        let mut columns = [const { None }; Field::ALL.len()];
        for field in Field::ALL {
            let is_given = names.is_given(field);
            let (is_wanted, is_needed) = match field {
                Field::Url => (true, is_given || !names.is_given(Field::Origin) && find(Field::Origin).is_none()),
                Field::Origin => (is_given || find(Field::Url).is_none(), is_given),
                Field::Body => (true, is_given || !names.is_given(Field::BodyBase64)),
                Field::BodyBase64 => (is_given, true),
                Field::Status | Field::FetchedAt => (true, true),
                Field::Location | Field::Expires | Field::UnreachableSince => (true, is_given),
            };
            match (names.name(field).filter(|_| is_wanted), find(field)) {
                (Some(_), Some(at)) => columns[field as usize] = Some(Column::open(&group, at, 0)?),
                (Some(name), None) if is_needed => {
                    return Err(Problem::NoColumn(name.to_owned(), columnar::names(schema).join(", ")));
                }
                _ => {}
            }
        }
        Ok(GroupColumns { rows, columns })
    }

    /// The answers of the next rows, or the numbers of those that are none, and why; empty at the end.
    fn next_captures(&mut self, bounds: TimeBounds) -> Result<Vec<ReadRow>, Problem> {
        let rows = guarded(|| self.next_rows())?;
        let capture = |row: Row| {
            self.rows += 1;
            row.capture(bounds).map_err(|problem| (self.rows, problem))
        };
        Ok(rows.into_iter().map(capture).collect())
    }

    fn next_rows(&mut self) -> Result<Vec<Row>, Problem> {
        let most = self.columns.iter().flatten().map(Column::rows_at_once).fold(BATCH, usize::min);
        let mut rows = Vec::new();
        self.fill(Field::Url, &mut rows, most, Column::texts, |row, url| row.url = Some(url))?;
        self.fill(Field::Origin, &mut rows, most, Column::texts, |row, origin| row.origin = Some(origin))?;
        let has_statuses = self.columns[Field::Status as usize].is_some();
        self.fill(Field::Status, &mut rows, most, Column::integers, |row, status| row.status = Some(status))?;
        self.fill(Field::Location, &mut rows, most, Column::texts, |row, location| row.location = Some(location))?;
        self.fill(Field::Body, &mut rows, most, Column::texts, |row, body| row.body = Some(body))?;
        self.fill(Field::BodyBase64, &mut rows, most, Column::texts, |row, body| row.body_base64 = Some(body))?;
        self.fill(Field::FetchedAt, &mut rows, most, Column::times, |row, time| row.fetched_at = Some(time))?;
        self.fill(Field::Expires, &mut rows, most, Column::times, |row, time| row.expires = Some(time))?;
        let since = |row: &mut Row, time| row.unreachable_since = Some(time);
        self.fill(Field::UnreachableSince, &mut rows, most, Column::times, since)?;
        if !has_statuses {
            // Files, where no column says otherwise.
            rows.iter_mut().for_each(|row| row.status = Some(200));
        }
        Ok(rows)
    }

    /// Puts the next values of a field's column into the rows, `most` at most; the first column makes them.
    fn fill<T: Clone>(
        &mut self,
        field: Field,
        rows: &mut Vec<Row>,
        most: usize,
        read: fn(&mut Column, usize) -> Values<T>,
        set: impl Fn(&mut Row, T),
    ) -> Result<(), Problem> {
        let Some(column) = &mut self.columns[field as usize] else { return Ok(()) };
        let values = read(column, most)?;
        if matches!(field, Field::Url | Field::Origin) && rows.is_empty() {
            rows.resize_with(values.len(), Row::default);
        }
        if values.len() != rows.len() {
            return Err(Problem::File("its columns differ in length".to_owned()));
        }
        for (row, value) in rows.iter_mut().zip(values) {
            if let Some(value) = value {
                set(row, value);
            }
        }
        Ok(())
    }
}

/// A row as stored in the file.
#[derive(Default)]
struct Row {
    url: Option<ByteArray>,
    origin: Option<ByteArray>,
    status: Option<i64>,
    location: Option<ByteArray>,
    body: Option<ByteArray>,
    body_base64: Option<ByteArray>,
    fetched_at: Option<Result<i64, String>>,
    expires: Option<Result<i64, String>>,
    unreachable_since: Option<Result<i64, String>>,
}

impl Row {
    fn capture(self, bounds: TimeBounds) -> Result<Capture, String> {
        let answer = Answer {
            url: self.url.as_ref().map(|url| text(url, "URL")).transpose()?,
            origin: self.origin.as_ref().map(|origin| text(origin, "origin")).transpose()?,
            status: self.status.map(answer::status).transpose()?,
            location: self.location.map(|location| String::from_utf8_lossy(location.data()).into_owned()),
            body: self.body.map(|body| body.data().into()),
            body_base64: self.body_base64.as_ref().map(ByteArray::data),
            fetched_at: self.fetched_at.transpose()?,
            expires: self.expires.transpose()?,
            unreachable_since: self.unreachable_since.transpose()?,
        };
        answer.capture(bounds).map_err(|flaw| match flaw {
            Flaw::NoUrl => "it has no URL".to_owned(),
            Flaw::NoBody(status) => {
                format!("its status is {status}, but its body is null; an empty file is an empty body")
            }
            Flaw::Other(problem) => problem,
        })
    }
}

fn text<'b>(bytes: &'b ByteArray, what: &str) -> Result<&'b str, String> {
    std::str::from_utf8(bytes.data()).map_err(|_| format!("its {what} is not UTF-8"))
}
