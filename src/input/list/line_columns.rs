//! The columns that make up the lines of a table.
//!
//! The URL is one column or, as in Common Crawl's columnar index, five columns put together. A row without a URL becomes an
//! empty line. A line feed inside a URL, which would make two lines of it, is written `%0A`. In a table that we made from a
//! text, the line is the column `line` if that is not null, else `url`.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, BinaryViewArray, Int64Array, RecordBatch};
use arrow_schema::DataType;
use parquet::basic::Type;
use parquet::schema::types::SchemaDescriptor;
use std::borrow::Cow;
use std::ops::Range;

use super::line_ends::Buffer;
use crate::error::{About, Problem};
use crate::formats::columnar::{self, Batches, Malformed, ParquetFile, RowRange};
use crate::formats::error::NO_ROOM;
use crate::formats::shortened;
use crate::input::layout;
use crate::input::layout::url_field::no_column;
use crate::input::url_parts::UrlParts;
use crate::outcome::Reason;

/// The one of [`UrlParts::COLUMNS`] that is a number. Other lines have fewer columns.
const PORT: usize = 2;

/// The columns that make up the lines of a table, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineColumns {
    Url([usize; 1]),
    /// The parts of the URL.
    Parts([usize; 5]),
    /// The URL and the line of a table made from a text.
    Text([usize; 2]),
}

impl LineColumns {
    /// The columns of a table that is a list.
    pub fn of_list(schema: &SchemaDescriptor, wanted: Option<&layout::Column>) -> Result<LineColumns, Problem> {
        let parts = || {
            let [protocol, host, port, path, query] = UrlParts::COLUMNS.map(|part| columnar::find(schema, part));
            Some(LineColumns::Parts([protocol?, host?, port?, path?, query?]))
        };
        let found = match wanted {
            Some(layout::Column::Number(number)) => {
                Some(number - 1).filter(|&at| at < schema.num_columns()).map(|at| LineColumns::Url([at]))
            }
            Some(layout::Column::Name(name)) => columnar::find(schema, name)
                .or_else(|| columnar::find_nested(schema, name))
                .map(|at| LineColumns::Url([at])),
            None => columnar::find(schema, URL).map(|at| LineColumns::Url([at])).or_else(parts),
        };
        let line_columns = found.ok_or_else(|| {
            let names = columnar::names(schema);
            let Some(wanted) = wanted else {
                let problem = format!(
                    "it has neither a column \"url\" nor all the columns that make up a URL in Common Crawl's index; its columns are \
                     {}; choose one",
                    shortened(names.join(", "))
                );
                return Problem::from(problem).about(About::Column);
            };
            no_column(wanted, &names)
        })?;
        line_columns.check(schema)?;
        Ok(line_columns)
    }

    /// Checks that the columns have the right types. If one does not, the wrong column was named; the file is not damaged.
    fn check(&self, schema: &SchemaDescriptor) -> Result<(), Problem> {
        for (place, &at) in self.columns().iter().enumerate() {
            let column = schema.column(at);
            let (fits, wanted) = match (place, column.physical_type()) {
                (PORT, kind) => (matches!(kind, Type::INT32 | Type::INT64), "integers"),
                (_, kind) => (kind == Type::BYTE_ARRAY, "bytes or text"),
            };
            if !fits || column.max_rep_level() > 0 {
                let name = column.path().string();
                let problem = format!("its column {name:?} does not hold {wanted}, one value per row; choose another");
                return Err(Problem::from(problem).about(About::Column));
            }
        }
        Ok(())
    }

    /// The columns of a table made from a text.
    pub fn of_text(schema: &SchemaDescriptor) -> Result<LineColumns, Malformed> {
        match [URL, LINE].map(|name| columnar::find(schema, name)) {
            [Some(url), Some(line)] => Ok(LineColumns::Text([url, line])),
            _ => Err(Malformed("it has no columns url and line".to_owned())),
        }
    }

    /// The numbers of the columns.
    pub fn columns(&self) -> &[usize] {
        match self {
            LineColumns::Url(columns) => columns,
            LineColumns::Parts(columns) => columns,
            LineColumns::Text(columns) => columns,
        }
    }
}

/// The columns that make up the lines of some rows.
pub(crate) struct LineArrays {
    line_columns: LineColumns,
    texts: Vec<BinaryViewArray>,
    port: Option<Int64Array>,
}

impl LineArrays {
    /// The columns of a batch, whose file has this schema or a longer one.
    pub fn of(
        line_columns: LineColumns,
        schema: &SchemaDescriptor,
        batch: &RecordBatch,
    ) -> Result<LineArrays, Malformed> {
        let (mut texts, mut port) = (Vec::new(), None);
        for (place, &at) in line_columns.columns().iter().enumerate() {
            let column = schema.column(at);
            let values = columnar::leaf(batch, column.path().parts());
            let wrong =
                || Malformed(format!("its column {:?} has another type than its schema says", column.path().string()));
            let values = values.ok_or_else(wrong)?;
            match values.data_type() {
                DataType::BinaryView if place != PORT => texts.push(values.as_binary_view().clone()),
                DataType::Int64 if place == PORT => port = Some(values.as_primitive::<Int64Type>().clone()),
                DataType::Int32 if place == PORT => {
                    port = Some(values.as_primitive::<Int32Type>().unary(i64::from));
                }
                _ => return Err(wrong()),
            }
        }
        Ok(LineArrays { line_columns, texts, port })
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.texts.first().map_or(0, Array::len)
    }

    /// The value of a text column in a row.
    #[inline]
    fn text(&self, column: usize, row: usize) -> Option<&[u8]> {
        let texts = &self.texts[column];
        texts.is_valid(row).then(|| texts.value(row))
    }

    /// The line of a row, if it is a single value, as in most lists; `None` if it is made of several.
    #[inline]
    fn whole(&self, row: usize) -> Option<&[u8]> {
        match self.line_columns {
            LineColumns::Url(_) => Some(self.text(0, row).unwrap_or_default()),
            LineColumns::Text(_) => Some(self.text(1, row).or(self.text(0, row)).unwrap_or_default()),
            LineColumns::Parts(_) => None,
        }
    }

    /// Appends a row's line, with its line feeds encoded; `whole` is what [`LineArrays::whole`] says of the row. Returns
    /// whether it had a line feed.
    #[inline]
    fn append_line(&self, row: usize, whole: Option<&[u8]>, text: &mut Vec<u8>) -> bool {
        let start = text.len();
        self.append_url(row, whole, text);
        encode_line_feeds(text, start)
    }

    /// Appends a row's URL, with its line feeds.
    #[inline]
    fn append_url(&self, row: usize, whole: Option<&[u8]>, text: &mut Vec<u8>) {
        match whole {
            Some(url) => text.extend_from_slice(url),
            None => self.put_together(row, text),
        }
    }

    /// Appends the lines of all rows to an empty buffer; lines whose URLs have a line feed are flaws. Returns whether
    /// they have no more than `most` bytes.
    pub fn append_all(&self, most: usize, Buffer { bytes, flaws, .. }: &mut Buffer) -> bool {
        for row in 0..self.count() {
            let whole = self.whole(row);
            if bytes.len() >= most || whole.is_some_and(|url| url.len() > most) {
                return false;
            }
            self.append_url(row, whole, bytes);
            bytes.push(b'\n');
        }
        // Line feeds in URLs are so rare that looking for them in every single one is not worth it.
        if memchr::memchr_iter(b'\n', bytes).count() > self.count() {
            bytes.clear();
            for row in 0..self.count() {
                if self.append_line(row, self.whole(row), bytes) {
                    flaws.push((row as u64, Reason::LineBreak));
                }
                bytes.push(b'\n');
            }
        }
        true
    }

    /// Appends a URL that is made of parts; nothing if there is none.
    fn put_together(&self, row: usize, text: &mut Vec<u8>) {
        let port = self.port.as_ref().filter(|port| port.is_valid(row)).map(|port| port.value(row));
        let [protocol, host, path, query] = std::array::from_fn(|column| self.text(column, row));
        UrlParts { protocol, host, port, path, query }.append_to(text);
    }

    /// Calls `visit` with each row's line.
    pub fn each_line(&self, mut visit: impl FnMut(&[u8])) {
        let mut line = Vec::new();
        for row in 0..self.count() {
            match self.whole(row) {
                Some(whole) => visit(&as_line(whole)),
                None => {
                    line.clear();
                    self.append_line(row, None, &mut line);
                    visit(&line);
                }
            }
        }
    }
}

/// Reads the lines of some rows of a group, a few at a time.
pub(crate) struct LineReader {
    line_columns: LineColumns,
    batches: Batches,
    /// The rows read last, and those of them that were not given as lines yet.
    read: Option<LineArrays>,
    rows: Range<usize>,
}

impl LineReader {
    /// Reads these rows.
    pub fn open(file: &ParquetFile, line_columns: LineColumns, rows: RowRange) -> Result<LineReader, Malformed> {
        let columns = line_columns.columns();
        let at_once = file.rows_at_once(rows.group, columns, usize::MAX);
        let batches = file.batches(rows, columns, at_once)?;
        Ok(LineReader { line_columns, batches, read: None, rows: 0..0 })
    }

    /// Appends the next lines, at least one and at most `most`, until `text` has `full` bytes; none may have more than
    /// `longest`. Lines whose URLs have a line feed are flaws, by their numbers, of which `line` is the first. Returns the
    /// number of lines, 0 at the end.
    #[expect(clippy::too_many_arguments, reason = "what is read, how much of it, and where it goes")]
    pub fn next_lines(
        &mut self,
        schema: &SchemaDescriptor,
        most: usize,
        full: usize,
        longest: usize,
        line: u64,
        text: &mut Vec<u8>,
        flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<usize, Malformed> {
        while self.rows.is_empty() {
            // Free the old values first: they hold pages, and there may be no room for the next pages beside them.
            self.read = None;
            let Some(batch) = self.batches.next()? else { return Ok(0) };
            let lines = self.read.insert(LineArrays::of(self.line_columns, schema, &batch)?);
            self.rows = 0..lines.count();
        }
        let (Some(lines), first) = (&self.read, self.rows.start) else { return Ok(0) };
        for row in self.rows.clone().take(most) {
            let whole = lines.whole(row);
            if whole.is_some_and(|url| url.len() > longest) {
                return match row - first {
                    0 => Err(too_long(longest)),
                    // The rows before it first.
                    rows => Ok(rows),
                };
            }
            if lines.append_line(row, whole, text) {
                flaws.push((line + (row - first) as u64, Reason::LineBreak));
            }
            text.push(b'\n');
            self.rows.start = row + 1;
            if text.len() >= full {
                break;
            }
        }
        Ok(self.rows.start - first)
    }
}

/// The problem of a row whose URL is longer than a line may be.
fn too_long(longest: usize) -> Malformed {
    Malformed(format!("a row has a URL of more than {longest} bytes, {}", NO_ROOM))
}

/// The line of a URL that is a single value: the URL with its line feeds encoded.
fn as_line(url: &[u8]) -> Cow<'_, [u8]> {
    let mut line = Cow::Borrowed(url);
    if memchr::memchr(b'\n', url).is_some() {
        encode_line_feeds(line.to_mut(), 0);
    }
    line
}

/// Replaces the line feeds from `start` on by `%0A`; returns whether there were any.
fn encode_line_feeds(text: &mut Vec<u8>, start: usize) -> bool {
    if memchr::memchr(b'\n', &text[start..]).is_none() {
        return false;
    }
    let line = text.split_off(start);
    for (number, part) in line.split(|&byte| byte == b'\n').enumerate() {
        text.extend_from_slice(if number > 0 { b"%0A" } else { b"" });
        text.extend_from_slice(part);
    }
    true
}

/// The URL column of a table made from a text. Also that of a list, if it exists and no other is named.
pub(crate) const URL: &str = "url";

/// The column for the lines of a text that are more than their URLs.
pub(crate) const LINE: &str = "line";

#[cfg(test)]
mod tests {
    use arrow_array::{ArrayRef, Int32Array};
    use parquet::arrow::ArrowWriter;
    use parquet::schema::parser::parse_message_type;
    use std::sync::Arc;

    use super::*;

    fn texts(values: &[&'static str]) -> ArrayRef {
        Arc::new(BinaryViewArray::from_iter_values(values))
    }

    /// A table of URLs, in one row group.
    fn table(urls: &[&'static str]) -> ParquetFile {
        let batch = RecordBatch::try_from_iter([(URL, texts(urls))]).unwrap();
        let file = tempfile::tempfile().unwrap();
        let mut writer = ArrowWriter::try_new(file.try_clone().unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        ParquetFile::open(file).unwrap()
    }

    const URLS: [&str; 7] = ["http://a/1", "http://a/\n2", "", "http://a/longest", "\n", "http://a/\n\n3", "x"];
    const LINES: &str = "http://a/1\nhttp://a/%0A2\n\nhttp://a/longest\n%0A\nhttp://a/%0A%0A3\nx\n";
    const FLAWED: [u64; 3] = [1, 4, 5];

    /// The longest of them, and its length.
    const LONGEST: (usize, usize) = (3, 16);

    #[test]
    fn lines_are_the_same_however_few_are_read_at_a_time() {
        let (file, rows) = (table(&URLS), RowRange { group: 0, first: 0, rows: URLS.len(), ends: true });
        for (most, full) in (1..9).flat_map(|most| [1, 10, 11, 26, 1000].map(|full| (most, full))) {
            for longest in [LONGEST.1 - 1, LONGEST.1] {
                let mut reader = LineReader::open(&file, LineColumns::Url([0]), rows).unwrap();
                let (mut text, mut flaws) = (Vec::new(), Vec::new());
                let (mut line, mut ended) = (0, false);
                while !ended {
                    let (start, mut next) = (text.len(), Vec::new());
                    let read =
                        reader.next_lines(file.schema(), most, full, longest, line as u64, &mut next, &mut flaws);
                    let Ok(count) = read else { break };
                    text.append(&mut next);
                    line += count;
                    ended = count == 0;
                    let lines: Vec<&[u8]> = text[start..].split_inclusive(|&byte| byte == b'\n').collect();
                    assert!(lines.len() == count && count <= most, "{most} {full}");
                    let all_but_last: usize = lines.iter().rev().skip(1).map(|line| line.len()).sum();
                    assert!(all_but_last < full, "{most} {full}");
                    let is_full = count == most || text.len() - start >= full;
                    assert!(is_full || line == URLS.len() || line == LONGEST.0 || ended, "{most} {full}");
                }
                let end = if longest < LONGEST.1 { LONGEST.0 } else { URLS.len() };
                assert_eq!((line, ended), (end, end == URLS.len()), "{most} {full}");
                let expected: String = LINES.split_inclusive('\n').take(end).collect();
                assert_eq!(String::from_utf8(text).unwrap(), expected);
                let flaws: Vec<u64> = flaws.into_iter().map(|(line, _)| line).collect();
                let expected = FLAWED.into_iter().filter(|&line| line < end as u64);
                assert!(flaws.iter().copied().eq(expected), "{most} {full} {flaws:?}");
            }
        }
    }

    fn arrays(urls: &[&'static str]) -> LineArrays {
        LineArrays {
            line_columns: LineColumns::Url([0]),
            texts: vec![texts(urls).as_binary_view().clone()],
            port: None,
        }
    }

    #[test]
    fn all_lines_are_read_at_once_unless_they_are_too_long() {
        let mut buffer = Buffer::default();
        assert!(arrays(&URLS).append_all(1000, &mut buffer));
        assert_eq!(String::from_utf8(buffer.bytes).unwrap(), LINES);
        assert!(buffer.flaws.iter().map(|&(line, _)| line).eq(FLAWED));
        for (urls, most, expected) in [
            (&["abcd"][..], 4, true),
            (&["abcd"], 3, false),
            (&["abcd", "x"], 6, true),
            (&["abcd", "x"], 5, false),
            (&["x", "abcdef"], 5, false),
        ] {
            assert_eq!(arrays(urls).append_all(most, &mut Buffer::default()), expected, "{urls:?} {most}");
        }
    }

    /// Whatever a schema says, another type is an error, in a table that we made as well.
    #[test]
    fn a_column_of_another_type_is_an_error() {
        let text = || texts(&["http"]);
        let integer = || Arc::new(Int64Array::from(vec![8080])) as ArrayRef;
        let short = || Arc::new(Int32Array::from(vec![8080])) as ArrayRef;
        let parts = |port| vec![text(), text(), port, text(), text()];
        for (columns, is_fine) in [
            (vec![text(), text()], true),
            (vec![integer(), text()], false),
            (vec![text(), short()], false),
            (parts(short()), true),
            (parts(integer()), true),
            (parts(text()), false),
        ] {
            let names = if columns.len() == 2 { &[URL, LINE][..] } else { &UrlParts::COLUMNS };
            let fields: String = names.iter().map(|name| format!("required binary {name};")).collect();
            let schema = parse_message_type(&format!("message table {{ {fields} }}")).unwrap();
            let batch = RecordBatch::try_from_iter(names.iter().zip(columns)).unwrap();
            let places = if names.len() == 2 { LineColumns::Text([0, 1]) } else { LineColumns::Parts([0, 1, 2, 3, 4]) };
            let mut line = Vec::new();
            let read = LineArrays::of(places, &SchemaDescriptor::new(Arc::new(schema)), &batch);
            assert_eq!(read.is_ok(), is_fine, "{:?}", batch.schema());
            let Ok(read) = read else { continue };
            assert!(!read.append_line(0, read.whole(0), &mut line));
            assert_eq!(line, if names.len() == 2 { &b"http"[..] } else { b"http://http:8080http?http" });
        }
    }
}
