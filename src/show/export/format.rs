//! The formats of tables, which files a table replaces, and how it is written.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

#[cfg(feature = "parquet")]
use super::parquet;
use super::tables::{Column, Each, Export, ExportTable};
use super::text::{ROWS, RowText};
use crate::formats::compression::Compression;
use crate::formats::replace::replace;
use crate::formats::replace::{FileKind, start};
use crate::policy::source::SourceKind;
use crate::policy::{Crawler, Policy};
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
///
/// # Panics
///
/// If a crawler was taken from a policy for other crawlers.
pub fn write(
    policy: &Policy,
    table: ExportTable,
    crawlers: &[Crawler],
    format: Format,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    Export::new(policy, table, crawlers).write(format, out)
}

impl Export<'_> {
    /// Writes the table.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
    pub fn write(&self, format: Format, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let (table, is_of_origins) = (self.table, self.table != ExportTable::AccessSummary);
        match format {
            Format::Tsv if is_of_origins => RowText::Tsv.write_origins(self, ROWS, out),
            Format::JsonLines if is_of_origins => RowText::Json.write_origins(self, ROWS, out),
            _ => write_rows((table.name(), table.columns()), format, out, &mut |each| self.rows(each)),
        }
    }

    /// Writes the table to a file, as [`write_file`] does.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or exists and is not to be replaced.
    pub fn write_file(&self, format: Format, path: &Path, force: bool) -> io::Result<()> {
        to_file(path, format, force, |file| self.write(format, file))
    }
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
        Format::Tsv => RowText::Tsv.write_rows(columns, &mut out, rows)?,
        Format::JsonLines => RowText::Json.write_rows(columns, &mut out, rows)?,
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
///
/// # Panics
///
/// If a crawler was taken from a policy for other crawlers.
pub fn write_file(
    policy: &Policy,
    table: ExportTable,
    crawlers: &[Crawler],
    format: Format,
    path: &Path,
    force: bool,
) -> io::Result<()> {
    Export::new(policy, table, crawlers).write_file(format, path, force)
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
