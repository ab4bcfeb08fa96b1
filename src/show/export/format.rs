//! How tables are written: their formats, and the files that they replace.
//!
//! Most of the time goes to the rows. So the threads of a pool make the text of some origins each, while that of those before is
//! written.

use serde::{Deserialize, Serialize, Serializer};
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

#[cfg(feature = "parquet")]
use super::parquet;
use super::tables::{Column, Export, RowMaker, Rows, Table, Value};
use crate::formats::compression::Compression;
use crate::formats::replace::{FileKind, replace, start};
use crate::formats::visible::escaped;
use crate::formats::{json, time};
use crate::policy::source::SourceKind;
use crate::show::access::Found;
use crate::threads;

named! {
    /// The format of a table.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Format {
        /// Tab-separated values: a header with the column names, then one row per line. In a value, a tab is `\t`, a line
        /// feed `\n`, a carriage return `\r`, a backslash `\\`, any other character that a terminal would obey `\u{...}` with
        /// its code, and such a byte that is not UTF-8 `\x..`; all other bytes are written as they are. A missing value is an
        /// empty field. Times are RFC 3339.
        Tsv = "tsv",
        /// JSON Lines: one object per row, without missing values. Invalid UTF-8 is replaced.
        JsonLines = "jsonl",
        /// Parquet, compressed with Zstandard: whole numbers are 64-bit integers, times are timestamps in milliseconds.
        /// Invalid UTF-8 is replaced. Without the cargo feature `parquet`, writing it is an error.
        Parquet = "parquet",
    }
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
        (Format::Parquet, false) => FileKind { name: "a Parquet table of `export`", is_ours: parquet::is_marked },
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

impl Export<'_> {
    /// Writes the table.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
    pub fn write(&self, format: Format, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let (table, is_of_origins) = (self.table, self.table != Table::AccessSummary);
        match format {
            Format::Tsv if is_of_origins => RowText::Tsv.write_origins(self, ROWS, out),
            Format::JsonLines if is_of_origins => RowText::Json.write_origins(self, ROWS, out),
            _ => write_rows((table.name(), table.columns()), format, out, &mut |each| self.rows(each)),
        }
    }
}

/// Writes the rows that `rows` passes on, as a table with this name and these columns.
pub(in crate::show) fn write_rows(
    (name, columns): (&'static str, &'static [Column]),
    format: Format,
    out: &mut (dyn Write + Send),
    rows: &mut Rows<'_>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    match format {
        Format::Tsv => RowText::Tsv.write_rows(columns, &mut out, rows)?,
        Format::JsonLines => RowText::Json.write_rows(columns, &mut out, rows)?,
        Format::Parquet => threads::on(threads::asked(0), || parquet::write((name, columns), &mut out, rows))?,
    }
    out.flush()
}

/// Writes to a file, which `write` fills with a table in this format, and which gets its name only when it is complete.
///
/// It replaces an empty file and, if it is Parquet, an earlier table of ours, which has a mark. Text has none, so any other text is
/// replaced only if `force` is set.
///
/// # Errors
///
/// If the file cannot be written, or exists and is not to be replaced.
pub fn write_file<T>(
    path: &Path,
    format: Format,
    force: bool,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    replace(path, &file_kind(format, force), write)
}

/// In place of what writes Parquet.
#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::*;

    pub fn is_marked(_: &mut File) -> io::Result<bool> {
        Ok(false)
    }

    pub fn write(_: (&str, &[Column]), _: impl Write, _: &mut Rows<'_>) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this program was built without Parquet (cargo feature `parquet`)",
        ))
    }
}

/// How a row is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowText {
    Tsv,
    Json,
}

/// About how many rows a thread makes at a time.
pub(super) const ROWS: usize = 1 << 13;

/// Some origins, and the text of their rows, which one thread makes.
struct Part<'p> {
    maker: RowMaker<'p>,
    records: Vec<Found<'p>>,
    text: Vec<u8>,
}

impl RowText {
    /// Appends what comes before the rows: of tab-separated values, the names of the columns.
    pub fn head(self, columns: &[Column], out: &mut Vec<u8>) {
        if self == RowText::Tsv {
            let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
            out.extend_from_slice(names.join("\t").as_bytes());
            out.push(b'\n');
        }
    }

    /// Appends a row.
    pub fn row(self, columns: &[Column], row: &[Value<'_>], out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            RowText::Tsv => tsv_row(row, out),
            RowText::Json => json_row(columns, row, out)?,
        }
        Ok(())
    }

    /// Writes a table of the rows that `rows` passes on.
    pub fn write_rows(self, columns: &[Column], out: &mut dyn Write, rows: &mut Rows<'_>) -> io::Result<()> {
        let mut text = Vec::new();
        self.head(columns, &mut text);
        rows(&mut |row| {
            out.write_all(&text)?;
            text.clear();
            self.row(columns, row, &mut text)
        })?;
        out.write_all(&text)
    }

    /// Writes a table that has rows for each origin; a thread makes about `rows` at a time.
    pub fn write_origins(self, export: &Export<'_>, rows: usize, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let Export { policy, table, crawlers, .. } = *export;
        let new = || Part { maker: RowMaker::new(export), records: Vec::new(), text: Vec::new() };
        threads::on(threads::asked(0), || {
            let mut parts: Vec<Part<'_>> = (0..threads::number()).map(|_| new()).collect();
            let mut made = vec![Vec::new(); parts.len()];
            self.head(table.columns(), &mut made[0]);
            let (mut records, each) = (policy.records(), (rows / crawlers.len().max(1)).max(1));
            loop {
                parts.iter_mut().for_each(|part| part.records.extend(records.by_ref().take(each)));
                let is_end = parts.iter().all(|part| part.records.is_empty());
                let write = || made.iter().try_for_each(|text| out.write_all(text));
                let make = || threads::map(&mut parts, |part| part.make(self, table.columns()));
                let (written, texts) = threads::both(write, make);
                written?;
                texts.into_iter().collect::<io::Result<()>>()?;
                for (part, text) in parts.iter_mut().zip(&mut made) {
                    text.clear();
                    std::mem::swap(&mut part.text, text);
                }
                if is_end {
                    return out.flush();
                }
            }
        })
    }
}

impl Part<'_> {
    fn make(&mut self, text: RowText, columns: &[Column]) -> io::Result<()> {
        let Part { maker, records, text: out } = self;
        records.drain(..).try_for_each(|found| maker.rows(&found, &mut |row| text.row(columns, row, out)))
    }
}

fn tsv_row(row: &[Value<'_>], out: &mut Vec<u8>) {
    for (place, value) in row.iter().enumerate() {
        if place > 0 {
            out.push(b'\t');
        }
        field(value, out);
    }
    out.push(b'\n');
}

fn json_row(columns: &[Column], row: &[Value<'_>], out: &mut Vec<u8>) -> io::Result<()> {
    debug_assert_eq!(row.len(), columns.len());
    writeln!(out, "{}", json::to_string(&JsonRow { columns, row })?)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Captures, source};
    use crate::robots::Agents;

    #[test]
    fn rows_that_threads_make_are_in_order() {
        let datasets = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
        let mut captures = Captures::new("examplebot,other".parse::<Agents>().unwrap(), Dialect::DEFAULT);
        let sources = [datasets.join("sites"), datasets.join("origins.jsonl")];
        source::add(&sources, &source::Options::default(), &mut captures).unwrap();
        let policy = captures.policy().unwrap();
        let crawlers = [policy.crawler(None).unwrap()];
        for table in Table::ALL.into_iter().filter(|&table| table != Table::AccessSummary) {
            for text in [RowText::Tsv, RowText::Json] {
                let (mut expected, columns) = (Vec::new(), table.columns());
                text.head(columns, &mut expected);
                let export = Export::new(&policy, table, &crawlers);
                export.rows(&mut |row| text.row(columns, row, &mut expected)).unwrap();
                for (threads, rows) in [(0, 1), (3, 1), (3, 7), (2, ROWS)] {
                    let mut out = Vec::new();
                    let write = || text.write_origins(&export, rows, &mut out);
                    threads::on(threads, write).unwrap();
                    assert!(out == expected, "{} {threads} {rows}", table.name());
                }
            }
        }
    }

    fn tsv(row: &[Value<'_>]) -> String {
        let mut out = Vec::new();
        tsv_row(row, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn json(row: &[Value<'_>]) -> String {
        let mut out = Vec::new();
        json_row(Table::Sitemaps.columns(), row, &mut out).unwrap();
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
