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

use crate::formats::columnar::{self, Column, Group, Malformed};
use crate::input::error::UrlFieldError;
use crate::input::layout;

/// The columns of Common Crawl's index that make up a URL.
const PARTS: [&str; 5] = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"];

/// The one of [`PARTS`] that is a number.
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

/// Values of one of these columns, one for each row.
#[derive(Debug, Clone)]
pub(crate) enum Values {
    Texts(Vec<Option<ByteArray>>),
    Numbers(Vec<Option<i64>>),
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
            let (fits, wanted) = match (self.no_values(place), column.physical_type()) {
                (Values::Texts(_), kind) => (kind == Type::BYTE_ARRAY, "bytes or text"),
                (Values::Numbers(_), kind) => (matches!(kind, Type::INT32 | Type::INT64), "integers"),
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

    /// An empty set of values for the column at this place in [`LineColumns::columns`].
    pub fn no_values(&self, place: usize) -> Values {
        match self {
            LineColumns::Parts(_) if place == PORT => Values::Numbers(Vec::new()),
            _ => Values::Texts(Vec::new()),
        }
    }

    /// Appends a row's line, given the values of its columns; returns whether its URL has a line feed.
    pub fn append_line(&self, columns: &[Values], row: usize, text: &mut Vec<u8>) -> bool {
        let start = text.len();
        let bytes = |place: usize| columns.get(place).and_then(|values| values.text(row));
        match self {
            LineColumns::Url(_) => text.extend_from_slice(bytes(0).unwrap_or(b"")),
            LineColumns::Text(_) => text.extend_from_slice(bytes(1).or(bytes(0)).unwrap_or(b"")),
            LineColumns::Parts(_) => {
                let (Some(protocol), Some(host)) = (bytes(0), bytes(1)) else { return false };
                text.extend_from_slice(protocol);
                text.extend_from_slice(b"://");
                text.extend_from_slice(host);
                // The index has the port if the URL states one, else -1 or nothing.
                if let Some(port) = columns[PORT].number(row).filter(|&port| port >= 0) {
                    text.extend_from_slice(format!(":{port}").as_bytes());
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

impl Values {
    fn text(&self, row: usize) -> Option<&[u8]> {
        match self {
            Values::Texts(texts) => texts.get(row)?.as_ref().map(ByteArray::data),
            Values::Numbers(_) => None,
        }
    }

    fn number(&self, row: usize) -> Option<i64> {
        match self {
            Values::Numbers(numbers) => *numbers.get(row)?,
            Values::Texts(_) => None,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Values::Texts(texts) => texts.len(),
            Values::Numbers(numbers) => numbers.len(),
        }
    }
}

/// Reads the lines of a row group, some at a time.
pub(crate) struct LineReader {
    line_columns: LineColumns,
    columns: Vec<Column>,
    /// Rows already read. The values refer to pages, so they take little memory however long the lines are.
    values: Vec<Values>,
    /// Those of them that were not given as lines yet.
    rows: Range<usize>,
}

impl LineReader {
    /// Reads a row group from its row `first` on.
    pub fn open(group: &Group<'_>, line_columns: LineColumns, first: usize) -> Result<LineReader, Malformed> {
        let columns = line_columns.columns().iter().map(|&at| Column::open(group, at, first));
        Ok(LineReader { line_columns, columns: columns.collect::<Result<_, _>>()?, values: Vec::new(), rows: 0..0 })
    }

    /// Appends the next lines, at least one and at most `most`, until `text` has `full` bytes. Calls `found` for each line with
    /// whether its URL has a line feed. Returns the number of lines, 0 at the end.
    pub fn next_lines(
        &mut self,
        most: usize,
        full: usize,
        text: &mut Vec<u8>,
        mut found: impl FnMut(bool),
    ) -> Result<usize, Malformed> {
        if self.rows.is_empty() {
            self.read(most)?;
        }
        let first = self.rows.start;
        for row in self.rows.clone().take(most) {
            found(self.line_columns.append_line(&self.values, row, text));
            text.push(b'\n');
            self.rows.start = row + 1;
            if text.len() >= full {
                break;
            }
        }
        Ok(self.rows.start - first)
    }

    /// Skips the next rows, which are read all the same.
    pub fn pass(&mut self, mut rows: usize) -> Result<(), Malformed> {
        while rows > 0 {
            if self.rows.is_empty() {
                self.read(usize::MAX)?;
            }
            let passed = rows.min(self.rows.len());
            if passed == 0 {
                return Ok(());
            }
            self.rows.start += passed;
            rows -= passed;
        }
        Ok(())
    }

    /// Reads the next rows, at most `most`.
    fn read(&mut self, most: usize) -> Result<(), Malformed> {
        let LineReader { line_columns, columns, values, .. } = self;
        // Free the old values first: they hold pages, and there may be no room for the next pages beside them.
        values.clear();
        let most = columns.iter().map(Column::rows_at_once).fold(most, usize::min);
        let values = columns.iter_mut().enumerate().map(|(place, column)| {
            Ok(match line_columns.no_values(place) {
                Values::Texts(_) => Values::Texts(column.texts(most)?),
                Values::Numbers(_) => Values::Numbers(column.integers(most)?),
            })
        });
        let values = values.collect::<Result<Vec<Values>, Malformed>>()?;
        let rows = values.first().map_or(0, Values::len);
        if values.iter().any(|column| column.len() != rows) {
            return Err(Malformed("its columns differ in length".to_owned()));
        }
        (self.values, self.rows) = (values, 0..rows);
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
