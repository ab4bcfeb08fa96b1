//! The columns of a text's lines: the URL, and the line where it is more than that.
//!
//! A line is `url` alone if it is the URL, octet for octet, and UTF-8, as nearly all lines are. Of any other, `line` has
//! all octets, and `url` the URL that was judged, or null where there is none. What is not UTF-8 in it is percent-encoded
//! there, as a fetcher has to.

use parquet::data_type::{ByteArray, ByteArrayType};

use super::copy::Share;
use super::frames::{Slot, Sorting};
use super::line_columns::Values;
use crate::columnar::{BATCH, Malformed};
use crate::filter::layout::{Layout, Located};
use crate::filter::lines::{Line, Scanner};
use crate::filter::unique::Lines;
use crate::filter::worker::behind_mark;
use crate::origin;

/// The lines of a chunk as rows, some at a time.
pub(super) struct Text<'c> {
    chunk: &'c [u8],
    layout: &'c Layout,
    /// How many octets stand before the first URL, until that was found.
    mark: usize,
    scanner: Scanner,
    lines: Vec<Line>,
    located: Located,
    /// The chunk, or of a line that was decoded, its URL: what values are slices of.
    octets: ByteArray,
    is_utf8: bool,
    urls: Vec<Option<ByteArray>>,
    /// The lines that are more than their URLs.
    more: Vec<Option<ByteArray>>,
}

impl<'c> Text<'c> {
    /// These lines.
    pub fn new(Lines { octets: chunk, layout, mark, .. }: Lines<'c>) -> Text<'c> {
        Text {
            chunk,
            layout,
            mark,
            scanner: Scanner::new(),
            lines: Vec::new(),
            located: Located::default(),
            octets: ByteArray::from(chunk.to_vec()),
            is_utf8: std::str::from_utf8(chunk).is_ok(),
            urls: Vec::new(),
            more: Vec::new(),
        }
    }

    /// Goes on to the next rows.
    pub fn next_rows(&mut self, rows: usize) {
        self.urls.clear();
        self.more.clear();
        while self.urls.len() < rows {
            self.scanner.fill(self.chunk, &mut self.lines, (rows - self.urls.len()).min(BATCH));
            if self.lines.is_empty() {
                break;
            }
            let lines = std::mem::take(&mut self.lines);
            let mut located = std::mem::take(&mut self.located);
            let mark = std::mem::take(&mut self.mark);
            located.locate(self.layout, self.chunk, &behind_mark(&lines, mark));
            for (line, url) in lines.iter().zip(located.urls(self.chunk)) {
                self.push(line, origin::trimmed(url.line));
            }
            (self.lines, self.located) = (lines, located);
        }
    }

    /// Adds a line with this URL.
    fn push(&mut self, line: &Line, url: &[u8]) {
        let whole = line.of(self.chunk);
        let is_url = whole == url && (self.is_utf8 || std::str::from_utf8(url).is_ok());
        let slice = || self.octets.slice(line.start as usize, whole.len());
        if is_url {
            self.urls.push(Some(slice()));
            self.more.push(None);
            return;
        }
        let more = slice();
        self.urls.push((!url.is_empty()).then(|| ByteArray::from(as_utf8(url).into_bytes())));
        self.more.push(Some(more));
    }

    /// Writes a column of these rows to the files that they go to.
    pub fn write(&self, column: usize, sorting: &Sorting<'_>, slots: &mut [Slot<'_>]) -> Result<(), Malformed> {
        let values = if column == 0 { &self.urls } else { &self.more };
        let (mut writers, mut handed) = (Vec::new(), Vec::new());
        for slot in slots {
            let (writer, values) = slot.column()?;
            writers.push(writer);
            handed.push(&mut values[column]);
        }
        let mut shares: Vec<Share<ByteArrayType>> = writers.iter().map(|_| Share::default()).collect();
        for (number, value) in values.iter().enumerate() {
            sorting.each_slot(sorting.rows.start + number, |slot| {
                shares[slot].push(value.clone());
                if let Values::Texts(texts) = &mut *handed[slot] {
                    texts.push(value.clone());
                }
            });
            if (number + 1) % BATCH == 0 || number + 1 == values.len() {
                for (share, writer) in shares.iter_mut().zip(&mut writers) {
                    share.write(writer)?;
                }
            }
        }
        writers.into_iter().try_for_each(|writer| Ok(writer.close()?))
    }
}

/// A URL, or a part of one, with what is not UTF-8 in it percent-encoded.
pub(super) fn as_utf8(url: &[u8]) -> String {
    let mut text = String::with_capacity(url.len());
    for part in url.utf8_chunks() {
        text.push_str(part.valid());
        text.extend(percent_encoding::percent_encode(part.invalid(), percent_encoding::NON_ALPHANUMERIC));
    }
    text
}
