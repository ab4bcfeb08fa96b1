//! The columns of lines of text: `url`, and `line` for a line that is more than its URL. For rows whose lines are the
//! values of a column of URLs, only that column is made here.
//!
//! If a line is the URL, byte for byte, and UTF-8, as nearly all lines are, only `url` is set. For any other, `line` has all
//! bytes, and `url` has the URL that was judged, or null if there is none. Bytes of it that are not UTF-8 are percent-encoded
//! there, as a fetcher would have to do.

use parquet::data_type::{ByteArray, ByteArrayType};

use super::handed::Value;
use super::sorting::FileSlot;
use crate::formats::columnar::Malformed;
use crate::input::chunk::Chunk;
use crate::judge::urls::LineUrls;
use crate::origin;

/// The lines of a chunk as rows.
pub(super) struct Text<'c> {
    text: &'c [u8],
    lines: LineUrls,
    /// The text of the chunk; values are slices of it.
    bytes: ByteArray,
    /// Whether the whole text is UTF-8, so that lines need no check of their own.
    is_utf8: bool,
    /// Whether each line is a value of the list's column of URLs, unchanged.
    is_column: bool,
}

/// The index of the URL among the columns of a line.
const URL: usize = 0;

impl<'c> Text<'c> {
    /// Prepares the lines of a chunk; `is_column` says that they are the values of a column of URLs.
    pub fn new(chunk: Chunk<'c>, is_column: bool) -> Text<'c> {
        let mut lines = LineUrls::default();
        lines.find(&chunk);
        let is_utf8 = is_column || std::str::from_utf8(chunk.text).is_ok();
        Text { text: chunk.text, lines, bytes: ByteArray::from(chunk.text.to_vec()), is_utf8, is_column }
    }

    /// The value of a line in a column; `place` is its index among those that make up lines.
    fn value(&self, place: usize, line: usize) -> Option<ByteArray> {
        let lines = self.lines.lines();
        let whole = lines.line(self.text, line);
        let slice = || self.bytes.slice(lines.starts()[line] as usize, whole.len());
        if self.is_column {
            return Some(slice());
        }
        let url = origin::trimmed(self.lines.url(self.text, line));
        let is_url = whole == url && (self.is_utf8 || std::str::from_utf8(url).is_ok());
        match place {
            URL if is_url => Some(slice()),
            URL => (!url.is_empty()).then(|| ByteArray::from(as_utf8(url).into_bytes())),
            _ => (!is_url).then(slice),
        }
    }

    /// Writes a column of the files that these lines go to; `place` is its index among those that make up lines.
    pub fn write(&self, place: usize, slots: &mut [FileSlot<'_>]) -> Result<(), Malformed> {
        slots.iter_mut().try_for_each(|slot| {
            slot.write::<ByteArrayType>(|row, handed| {
                let value = self.value(place, row);
                handed.push(place, Value::of(value.as_ref()));
                value
            })
        })
    }
}

/// A URL, or a part of one, with bytes that are not UTF-8 percent-encoded.
pub(super) fn as_utf8(url: &[u8]) -> String {
    let mut text = String::with_capacity(url.len());
    for part in url.utf8_chunks() {
        text.push_str(part.valid());
        text.extend(percent_encoding::percent_encode(part.invalid(), percent_encoding::NON_ALPHANUMERIC));
    }
    text
}
