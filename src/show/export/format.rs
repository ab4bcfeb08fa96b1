//! The formats of tables, which files a table replaces, and how it is written.

use serde::{Serialize, Serializer};
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

#[cfg(feature = "parquet")]
use super::parquet;
use super::tables::{self, Column, Each, ExportTable, Value};
use crate::formats::compression::Compression;
use crate::formats::replaceable::{FileKind, start};
use crate::formats::visible::escaped;
use crate::formats::{json, time};
use crate::policy::source::SourceKind;
use crate::policy::{Crawler, Policy, replace};
#[cfg(feature = "parquet")]
use crate::threads;

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Tab-separated values: a header with the column names, then one row per line. In a value, a tab is `\t`, a line
    /// feed `\n`, a carriage return `\r`, a backslash `\\`, any other character that a terminal would obey `\u{...}` with
    /// its code, and such a byte that is not UTF-8 `\x..`; all other bytes are written as they are. A missing value is an
    /// empty field. Times are RFC 3339.
    Tsv,
    /// JSON Lines: one object per row, without missing values. Invalid UTF-8 is replaced.
    JsonLines,
    /// Parquet, compressed with Zstandard: whole numbers are 64-bit integers, times are timestamps in milliseconds.
    /// Invalid UTF-8 is replaced.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 16;

/// Writes the column names as the first line of tab-separated values.
fn tsv_head(columns: &[Column], out: &mut impl Write) -> io::Result<()> {
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    writeln!(out, "{}", names.join("\t"))
}

/// Appends a row as tab-separated values.
fn tsv_row(row: &[Value<'_>], out: &mut Vec<u8>) {
    for (place, value) in row.iter().enumerate() {
        if place > 0 {
            out.push(b'\t');
        }
        field(value, out);
    }
    out.push(b'\n');
}

/// Writes a row as a line of JSON.
fn json_row(columns: &[Column], row: &[Value<'_>], out: &mut impl Write) -> io::Result<()> {
    debug_assert_eq!(row.len(), columns.len());
    writeln!(out, "{}", json::to_string(&JsonRow { columns, row })?)
}

/// Appends the value of a field.
fn field(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::None => {}
        Value::Text(text) => escape(text, out),
        Value::Name(name) => out.extend_from_slice(name.as_bytes()),
        Value::Whole(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::Decimal(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Value::Time(seconds) => out.extend_from_slice(time(*seconds).to_string().as_bytes()),
    }
}

/// Appends a text, escaped.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    let Ok(()) = escaped(text, |piece| -> Result<(), Infallible> {
        out.extend_from_slice(piece);
        Ok(())
    });
}

/// A row as an object of the values that there are.
struct JsonRow<'r> {
    columns: &'r [Column],
    row: &'r [Value<'r>],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.columns.iter().map(|column| column.name);
        serializer.collect_map(names.zip(self.row).filter(|(_, value)| **value != Value::None))
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::None => serializer.serialize_none(),
            Value::Text(text) => serializer.serialize_str(&String::from_utf8_lossy(text)),
            Value::Name(name) => serializer.serialize_str(name),
            Value::Whole(number) => serializer.serialize_u64(*number),
            Value::Decimal(number) => serializer.serialize_f64(*number),
            Value::Time(seconds) => serializer.serialize_str(&time(*seconds)),
        }
    }
}

/// The bytes of a file that are looked at: binary data has a NUL among them.
const START: usize = 64 << 10;

/// The files that a table in this format replaces; any text if `force` is set.
pub(crate) fn file_kind(format: Format, force: bool) -> FileKind {
    match (format, force) {
        (Format::Tsv | Format::JsonLines, false) => FileKind { name: "an empty file", is_ours: |_| Ok(false) },
        (Format::Tsv | Format::JsonLines, true) => FileKind { name: "a text file", is_ours: is_text },
        #[cfg(feature = "parquet")]
        (Format::Parquet, false) => FileKind { name: "a Parquet table of `export`", is_ours: parquet::is_marked },
        #[cfg(feature = "parquet")]
        (Format::Parquet, true) => FileKind {
            name: "a Parquet table of `export` or a text file",
            is_ours: |file| Ok(is_text(&mut file.try_clone()?)? || parquet::is_marked(file)?),
        },
    }
}

/// Whether a file is text: neither compressed nor of a kind that only looks like text where it begins, and without NUL.
pub(crate) fn is_text(file: &mut File) -> io::Result<bool> {
    let start = start(file, START)?;
    let is_text_kind = matches!(SourceKind::of_text(&start), SourceKind::RobotsTxt | SourceKind::JsonLines);
    Ok(is_text_kind && Compression::of(&start).is_none() && !start.contains(&0))
}

/// Writes a table of a policy, for some of its crawlers.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write(
    policy: &Policy,
    table: ExportTable,
    crawlers: &[Crawler],
    format: Format,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    write_rows((table.name(), table.columns()), format, out, &mut |each| tables::rows(policy, table, crawlers, each))
}

/// Writes the rows that `rows` passes on, as a table with this name and these columns.
pub(in crate::show) fn write_rows(
    (name, columns): (&'static str, &'static [Column]),
    format: Format,
    out: &mut (dyn Write + Send),
    rows: &mut (dyn FnMut(&mut Each<'_, io::Error>) -> io::Result<()> + Send),
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    match format {
        Format::Tsv => {
            tsv_head(columns, &mut out)?;
            let mut lines = Vec::with_capacity(2 * BUFFER);
            rows(&mut |row| {
                tsv_row(row, &mut lines);
                if lines.len() < BUFFER {
                    return Ok(());
                }
                out.write_all(&lines)?;
                lines.clear();
                Ok(())
            })?;
            out.write_all(&lines)?;
        }
        Format::JsonLines => rows(&mut |row| json_row(columns, row, &mut out))?,
        #[cfg(feature = "parquet")]
        Format::Parquet => threads::on(threads::asked(0), || {
            let mut writer = parquet::ParquetWriter::new((name, columns), &mut out, parquet::GROUP)?;
            rows(&mut |row| writer.row(row))?;
            writer.finish()
        })?,
    }
    #[cfg(not(feature = "parquet"))]
    let _ = name;
    out.flush()
}

/// Writes a table to a file, which gets its name only when it is complete. It replaces an empty file and, if it is Parquet, an earlier
/// table of this function, which has a mark. Text has none, so any other text is replaced only if `force` is set.
///
/// # Errors
///
/// If the file cannot be written, or exists and is not to be replaced.
pub fn write_file(
    policy: &Policy,
    table: ExportTable,
    crawlers: &[Crawler],
    format: Format,
    path: &Path,
    force: bool,
) -> io::Result<()> {
    to_file(path, format, force, |file| write(policy, table, crawlers, format, file))
}

/// Writes to a file that `write` fills with a table in this format, as [`write_file`] does.
pub(in crate::show) fn to_file<T>(
    path: &Path,
    format: Format,
    force: bool,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    replace(path, &file_kind(format, force), write)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tsv(row: &[Value<'_>]) -> String {
        let mut out = Vec::new();
        tsv_row(row, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn json(row: &[Value<'_>]) -> String {
        let mut out = Vec::new();
        json_row(ExportTable::Sitemaps.columns(), row, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_do_not_break_their_row() {
        let row = [Value::Text(b"a\tb\nc\rd\\e\xff"), Value::None, Value::Decimal(0.5)];
        assert_eq!(tsv(&row), "a\\tb\\nc\\rd\\\\e\u{fffd}\t\t0.5\n");
        let expected = "{\"origin\":\"a\\tb\\nc\\rd\\\\e\u{fffd}\",\"line\":0.5}\n";
        assert_eq!(json(&row), expected);
        let row = [Value::Time(0), Value::Whole(7), Value::Text(b"")];
        assert_eq!(tsv(&row), "1970-01-01T00:00:00Z\t7\t\n");
        assert_eq!(json(&row), "{\"origin\":\"1970-01-01T00:00:00Z\",\"sitemap\":7,\"line\":\"\"}\n");
    }
}
