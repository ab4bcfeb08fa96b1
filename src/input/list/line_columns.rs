//! The columns that make up the lines of a table.
//!
//! The URL is one column or, as in Common Crawl's columnar index, five columns put together. A row without a URL becomes an
//! empty line. A line feed inside a URL, which would make two lines of it, is written `%0A`. In a table that we made from a
//! text, the line is the column `line` if that is not null, else `url`.

use parquet::basic::Type;
use parquet::data_type::ByteArray;
use parquet::schema::types::SchemaDescriptor;
use std::borrow::Cow;
use std::ops::Range;

use crate::formats::columnar::{self, Column, Malformed, RowGroup};
use crate::input::error::UrlFieldError;
use crate::input::layout;
use crate::outcome::Reason;

/// The columns of Common Crawl's index that make up a URL.
const PARTS: [&str; 5] = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"];

/// The one of [`PARTS`] that is a number. Other lines have fewer columns.
const PORT: usize = 2;

/// The columns that make up the lines of a table, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineColumns {
    /// The URL.
    Url([usize; 1]),
    /// The parts of the URL.
    Parts([usize; 5]),
    /// The URL and the line of a table made from a text.
    Text([usize; 2]),
}

impl LineColumns {
    /// The columns of a table that is a list.
    pub fn of_list(schema: &SchemaDescriptor, wanted: Option<&layout::Column>) -> Result<LineColumns, UrlFieldError> {
        let parts = || {
            let [protocol, host, port, path, query] = PARTS.map(|part| columnar::find(schema, part));
            Some(LineColumns::Parts([protocol?, host?, port?, path?, query?]))
        };
        let found = match wanted {
            Some(layout::Column::Number(number)) => {
                Some(number - 1).filter(|&at| at < schema.num_columns()).map(|at| LineColumns::Url([at]))
            }
            Some(layout::Column::Name(name)) => columnar::find(schema, name).map(|at| LineColumns::Url([at])),
            None => columnar::find(schema, URL).map(|at| LineColumns::Url([at])).or_else(parts),
        };
        let line_columns = found.ok_or_else(|| {
            let names = columnar::names(schema);
            match wanted.cloned() {
                Some(wanted) => UrlFieldError::NoColumn { wanted, names },
                None => UrlFieldError::NoUrl { names },
            }
        })?;
        line_columns.check(schema)?;
        Ok(line_columns)
    }

    /// Checks that the columns have the right types. If one does not, the wrong column was named; the file is not damaged.
    fn check(&self, schema: &SchemaDescriptor) -> Result<(), UrlFieldError> {
        for (place, &at) in self.columns().iter().enumerate() {
            let column = schema.column(at);
            let (fits, wanted) = match (place, column.physical_type()) {
                (PORT, kind) => (matches!(kind, Type::INT32 | Type::INT64), "integers"),
                (_, kind) => (kind == Type::BYTE_ARRAY, "bytes or text"),
            };
            if !fits || column.max_rep_level() > 0 {
                return Err(UrlFieldError::Kind { name: column.path().string(), wanted });
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

    /// Appends a row's line, given the texts of its columns; returns whether its URL has a line feed.
    pub fn append_line(&self, columns: &[Texts], row: usize, text: &mut Vec<u8>) -> bool {
        let start = text.len();
        let bytes = |place: usize| columns[place].get(row)?.as_ref().map(ByteArray::data);
        match self {
            LineColumns::Url(_) => text.extend_from_slice(bytes(0).unwrap_or(b"")),
            LineColumns::Text(_) => text.extend_from_slice(bytes(1).or(bytes(0)).unwrap_or(b"")),
            LineColumns::Parts(_) => {
                let (Some(protocol), Some(host)) = (bytes(0), bytes(1)) else { return false };
                text.extend_from_slice(protocol);
                text.extend_from_slice(b"://");
                text.extend_from_slice(host);
                if let Some(port) = bytes(PORT) {
                    text.push(b':');
                    text.extend_from_slice(port);
                }
                text.extend_from_slice(bytes(3).unwrap_or(b"/"));
                if let Some(query) = bytes(4) {
                    text.push(b'?');
                    text.extend_from_slice(query);
                }
            }
        }
        encode_line_feeds(text, start)
    }
}

/// The texts of a column, one for each row.
pub(crate) type Texts = Vec<Option<ByteArray>>;

/// The text of a port. The index has the port if the URL states one, else -1 or nothing.
pub(crate) fn port(number: i64) -> Option<ByteArray> {
    (number >= 0).then(|| ByteArray::from(number.to_string().into_bytes()))
}

/// Reads the lines of a row group, some at a time.
pub(crate) struct LineReader {
    line_columns: LineColumns,
    columns: Vec<Column>,
    /// The columns of rows already read. They refer to pages, so they take little memory however long the lines are.
    texts: Vec<Texts>,
    /// Those of them that were not given as lines yet.
    rows: Range<usize>,
}

impl LineReader {
    /// Reads a row group from its row `first` on.
    pub fn open(group: &RowGroup<'_>, line_columns: LineColumns, first: usize) -> Result<LineReader, Malformed> {
        let columns = line_columns.columns().iter().map(|&at| Column::open(group, at, first));
        Ok(LineReader { line_columns, columns: columns.collect::<Result<_, _>>()?, texts: Vec::new(), rows: 0..0 })
    }

    /// Appends the next lines, at least one and at most `most`, until `text` has `full` bytes. Lines whose URLs have a line feed
    /// are flaws, by their numbers, of which `line` is the first. Returns the number of lines, 0 at the end.
    pub fn next_lines(
        &mut self,
        most: usize,
        full: usize,
        line: u64,
        text: &mut Vec<u8>,
        flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<usize, Malformed> {
        if self.rows.is_empty() {
            self.read(most)?;
        }
        let first = self.rows.start;
        for row in self.rows.clone().take(most) {
            if self.line_columns.append_line(&self.texts, row, text) {
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

    /// Reads the next rows, at most `most`.
    fn read(&mut self, most: usize) -> Result<(), Malformed> {
        // Free the old values first: they hold pages, and there may be no room for the next pages beside them.
        self.texts.clear();
        let most = self.columns.iter().map(Column::rows_at_once).fold(most, usize::min);
        for (place, column) in self.columns.iter_mut().enumerate() {
            self.texts.push(match place {
                PORT => column.integers(most)?.into_iter().map(|number| number.and_then(port)).collect(),
                _ => column.texts(most)?,
            });
        }
        self.rows = 0..self.texts.first().map_or(0, Vec::len);
        if self.texts.iter().any(|column| column.len() != self.rows.end) {
            return Err(Malformed("its columns differ in length".to_owned()));
        }
        Ok(())
    }
}

/// The line of a URL that is a single value: the URL with its line feeds encoded.
pub(crate) fn as_line(url: &[u8]) -> Cow<'_, [u8]> {
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
