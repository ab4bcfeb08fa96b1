//! The columns of a text's lines: the URL, and the line where it is more than that; or of rows that were read as lines, the URL.
//!
//! A line is `url` alone if it is the URL, byte for byte, and UTF-8, as nearly all lines are. Of any other, `line` has
//! all bytes, and `url` the URL that was judged, or null where there is none. What is not UTF-8 in it is percent-encoded
//! there, as a fetcher has to.

use parquet::data_type::{ByteArray, ByteArrayType};

use super::handed::Value;
use super::share::Share;
use super::sorting::{Slot, Sorting};
use crate::formats::columnar::{BATCH, Malformed};
use crate::input::chunk::Chunk;
use crate::judge::urls::LineUrls;
use crate::origin;

/// The lines of a chunk as rows, some at a time.
pub(super) struct Text<'c> {
    text: &'c [u8],
    lines: LineUrls,
    /// How many of the lines are done.
    done: usize,
    /// The chunk, or of a line that was decoded, its URL: what values are slices of.
    bytes: ByteArray,
    /// Whether its lines need not be asked one by one.
    is_utf8: bool,
    /// Whether each line is a value of the list's column of URLs, as it stands there.
    is_column: bool,
    urls: Vec<Option<ByteArray>>,
    /// The lines that are more than their URLs.
    more: Vec<Option<ByteArray>>,
}

impl<'c> Text<'c> {
    /// These lines; whether they are a column of URLs already.
    pub fn new(chunk: Chunk<'c>, is_column: bool) -> Text<'c> {
        let mut lines = LineUrls::default();
        lines.find(&chunk);
        Text {
            text: chunk.text,
            lines,
            done: 0,
            bytes: ByteArray::from(chunk.text.to_vec()),
            is_utf8: is_column || std::str::from_utf8(chunk.text).is_ok(),
            is_column,
            urls: Vec::new(),
            more: Vec::new(),
        }
    }

    /// Goes on to the next rows.
    pub fn next_rows(&mut self, rows: usize) {
        self.urls.clear();
        self.more.clear();
        let end = self.lines.lines().count().min(self.done + rows);
        for line in self.done..end {
            self.push(line);
        }
        self.done = end;
    }

    /// Adds a line.
    fn push(&mut self, line: usize) {
        let whole = self.lines.lines().line(self.text, line);
        let url = origin::trimmed(self.lines.url(self.text, line));
        let is_url = self.is_column || whole == url && (self.is_utf8 || std::str::from_utf8(url).is_ok());
        let slice = || self.bytes.slice(self.lines.lines().starts()[line] as usize, whole.len());
        if is_url {
            self.urls.push(Some(slice()));
            self.more.push(None);
            return;
        }
        let more = slice();
        self.urls.push((!url.is_empty()).then(|| ByteArray::from(as_utf8(url).into_bytes())));
        self.more.push(Some(more));
    }

    /// Writes a column of these rows to the files that they go to: the one at this place of those that make up lines.
    pub fn write(&self, place: usize, sorting: &Sorting<'_>, slots: &mut [Slot<'_>]) -> Result<(), Malformed> {
        let values = if place == 0 { &self.urls } else { &self.more };
        let (mut writers, mut handed) = (Vec::new(), Vec::new());
        for slot in slots {
            let (writer, values) = slot.column()?;
            writers.push(writer);
            handed.push(values);
        }
        let mut shares: Vec<Share<ByteArrayType>> = writers.iter().map(|_| Share::default()).collect();
        for (number, value) in values.iter().enumerate() {
            sorting.each_slot(sorting.rows.start + number, |slot| {
                shares[slot].push(value.clone());
                handed[slot].push(place, Value::Text(value.as_ref()));
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
