//! Parquet: one answer per row.
//!
//! The columns are those of [`Field`], which [`FieldNames`] may rename; [`FieldNames::columns`] says which may be
//! missing.

use arrow_array::RecordBatch;
use parquet::schema::types::SchemaDescriptor;
use std::fs::File;
use std::path::Path;

use super::answer::{Answer, Captured, TimeBounds};
use super::fields::{Field, FieldNames};
use super::header_column::HeaderColumn;
use super::intake::Intake;
use super::passed_over::Reason;
use crate::error::policy::{Error, ErrorKind};
use crate::error::{About, Problem};
use crate::formats::columnar::{self, Batches, ParquetFile, RowRange, guarded};
use crate::formats::value_column::{ValueColumn, ValueKind};
use crate::formats::{shortened, shown};
use crate::threads;

/// How many rows are read at a time, unless they are large.
const BATCH: usize = 256;

pub(super) fn add(path: &Path, file: File, intake: &mut Intake<'_>) -> Result<(), Error> {
    let names = &intake.options.names;
    let wrong = |problem: Problem| ErrorKind::Source.of(problem.within(format_args!("{}: ", shown(path))));
    let file = guarded(|| ParquetFile::open_for_seconds(file)).map_err(|malformed| wrong(malformed.into()))?;
    let file = file.within(intake.pages_room());
    let groups = file.metadata().row_groups();
    let (bounds, limit) = (intake.times.bounds, intake.body_limit());
    let (mut open, mut next, mut first) = (Vec::new(), 0, 0);
    loop {
        while open.len() < intake.parallel_row_groups() && next < groups.len() {
            open.push(guarded(|| GroupColumns::open(&file, next, names, first)).map_err(wrong)?);
            first += u64::try_from(groups[next].num_rows()).unwrap_or(0);
            next += 1;
        }
        let read = threads::map(&mut open, |group| group.next_captures(bounds, limit));
        let read = read.into_iter().collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let mut has_more = read.iter().map(|rows| !rows.is_empty()).collect::<Vec<_>>().into_iter();
        open.retain(|_| has_more.next().unwrap_or_default());
        for (row, read) in read.into_iter().flatten() {
            let read = read.map_err(|problem| {
                let (path, problem) = (shown(path), shortened(problem));
                (Reason::BadRow, ErrorKind::Source.of(format!("{path}, row {row}: {problem}")))
            });
            let capture = intake.capture_of(path, || format!("row {row}"), read)?;
            intake.add(capture)?;
        }
        if open.is_empty() && next == groups.len() {
            return Ok(());
        }
    }
}

/// The number of a row, and its answer, or the problem if it is invalid.
type ReadRow = (u64, Result<Captured, String>);

/// The rows of a group, and the number of rows before the next ones.
struct GroupColumns {
    rows: u64,
    batches: Batches,
    columns: Columns,
}

/// The columns of a file.
struct Columns {
    /// The columns with one value a row, by field.
    values: [Option<ValueColumn>; Field::ALL.len()],
    headers: Option<HeaderColumn>,
}

impl Columns {
    fn numbers(&self) -> Vec<usize> {
        let values = self.values.iter().flatten().map(ValueColumn::number);
        values.chain(self.headers.iter().flat_map(HeaderColumn::numbers)).collect()
    }
}

impl GroupColumns {
    fn open(file: &ParquetFile, group: usize, names: &FieldNames, before: u64) -> Result<GroupColumns, Problem> {
        let columns = columns(file.schema(), names)?;
        let rows = usize::try_from(file.metadata().row_group(group).num_rows()).unwrap_or(0);
        let wanted = columns.numbers();
        let at_once = file.rows_at_once(group, &wanted, BATCH);
        let batches = file.batches(RowRange { group, first: 0, rows, ends: true }, &wanted, at_once)?;
        Ok(GroupColumns { rows: before, batches, columns })
    }

    /// The answers of the next rows, each with its number, or with the problem if it is invalid; empty at the end.
    fn next_captures(&mut self, bounds: TimeBounds, limit: usize) -> Result<Vec<ReadRow>, Problem> {
        loop {
            let Some(batch) = guarded(|| self.batches.next())? else { return Ok(Vec::new()) };
            if batch.num_rows() == 0 {
                continue;
            }
            let capture = |row: usize| {
                self.rows += 1;
                (self.rows, self.columns.capture(&batch, row, bounds, limit))
            };
            return Ok((0..batch.num_rows()).map(capture).collect());
        }
    }
}

/// The columns of a file with this schema, by field.
fn columns(schema: &SchemaDescriptor, names: &FieldNames) -> Result<Columns, Problem> {
    let found = names.columns(|name| match names.field(name) {
        Some(Field::Headers) => HeaderColumn::find(schema, name),
        _ => columnar::find(schema, name),
    });
    let found = found.map_err(|name| {
        let known = shortened(columnar::names(schema).join(", "));
        Problem::from(format!("it has no column {name:?}; its columns are {known}; name the columns to read"))
            .about(About::AnswerFields)
    })?;
    let mut columns = Columns { values: [const { None }; Field::ALL.len()], headers: None };
    for (field, at) in found {
        let kind = match field {
            Field::Headers => {
                columns.headers = Some(HeaderColumn::at(schema, at)?);
                continue;
            }
            Field::Status => ValueKind::Integer,
            Field::FetchedAt | Field::Expires | Field::UnreachableSince => ValueKind::Time,
            _ => ValueKind::Text,
        };
        columns.values[field as usize] = Some(ValueColumn::new(schema, at, kind)?);
    }
    Ok(columns)
}

impl Columns {
    /// The answer in a row.
    fn capture(&self, batch: &RecordBatch, row: usize, bounds: TimeBounds, limit: usize) -> Result<Captured, String> {
        let column = |field: Field| self.values[field as usize].as_ref();
        let text = |field| column(field)?.text(batch, row);
        let time = |field| column(field).and_then(|column| column.time(batch, row)).transpose();
        let status = match column(Field::Status) {
            Some(column) => column.integer(batch, row),
            // Files, where no column says otherwise.
            None => Some(200),
        };
        let answer = Answer {
            url: text(Field::Url).map(|url| utf8(url, "URL")).transpose()?,
            origin: text(Field::Origin).map(|origin| utf8(origin, "origin")).transpose()?,
            status,
            location: text(Field::Location).map(|location| String::from_utf8_lossy(location).into_owned()),
            body: text(Field::Body).map(Into::into),
            body_base64: text(Field::BodyBase64).map(<[u8]>::to_vec),
            fetched_at: time(Field::FetchedAt)?,
            expires: time(Field::Expires)?,
            unreachable_since: time(Field::UnreachableSince)?,
            headers: self.headers.as_ref().map_or(Ok(Vec::new()), |headers| headers.of(batch, row))?,
        };
        answer.capture(bounds, limit).map_err(|flaw| flaw.to_string())
    }
}

fn utf8(bytes: &[u8], what: &str) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| format!("its {what} is not UTF-8"))
}
