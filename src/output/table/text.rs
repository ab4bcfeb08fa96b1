//! The columns of lines of text: `url`, and `line` for a line that is more than its URL.
//!
//! If a line is the URL, byte for byte, and UTF-8, as nearly all lines are, only `url` is set. For any other, `line` has all
//! bytes, and `url` has the URL that was judged, or null if there is none. Bytes of it that are not UTF-8 are percent-encoded
//! there, as a fetcher would have to do.

use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, BinaryViewArray};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use std::sync::Arc;

use crate::judge::urls::LineUrls;
use crate::origin;

/// The columns of these lines.
pub(super) fn columns(text: &[u8], lines: &LineUrls) -> Result<Vec<ArrayRef>, ArrowError> {
    let is_utf8 = std::str::from_utf8(text).is_ok();
    let count = lines.lines().count();
    let (mut urls, mut wholes) = (Views::of(count), Views::of(count));
    let mut changed = Vec::new();
    for line in 0..count {
        let whole = lines.lines().line(text, line);
        let start = lines.lines().starts()[line];
        let url = origin::trimmed(lines.url(text, line));
        if whole == url && (is_utf8 || std::str::from_utf8(url).is_ok()) {
            urls.push(whole, 0, start);
            wholes.push_null();
            continue;
        }
        wholes.push(whole, 0, start);
        if url.is_empty() {
            urls.push_null();
        } else {
            let at = changed.len();
            changed.extend_from_slice(&as_utf8(url));
            urls.push(&changed[at..], 1, at as u32);
        }
    }
    let buffers = [Buffer::from(text), Buffer::from_vec(changed)];
    Ok(vec![urls.array(&buffers)?, wholes.array(&buffers[..1])?])
}

/// The values of a column, as places in buffers.
struct Views {
    views: Vec<u128>,
    are_there: Vec<bool>,
}

impl Views {
    fn of(count: usize) -> Views {
        Views { views: Vec::with_capacity(count), are_there: Vec::with_capacity(count) }
    }

    /// Adds a value that is in this buffer, from byte `at` on.
    fn push(&mut self, value: &[u8], buffer: u32, at: u32) {
        self.views.push(make_view(value, buffer, at));
        self.are_there.push(true);
    }

    fn push_null(&mut self) {
        self.views.push(0);
        self.are_there.push(false);
    }

    fn array(self, buffers: &[Buffer]) -> Result<ArrayRef, ArrowError> {
        let nulls = Some(NullBuffer::from(self.are_there));
        Ok(Arc::new(BinaryViewArray::try_new(ScalarBuffer::from(self.views), buffers.to_vec(), nulls)?))
    }
}

/// A URL, or a part of one, with bytes that are not UTF-8 percent-encoded.
pub(super) fn as_utf8(url: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(url.len());
    for part in url.utf8_chunks() {
        text.extend_from_slice(part.valid().as_bytes());
        let escapes = percent_encoding::percent_encode(part.invalid(), percent_encoding::NON_ALPHANUMERIC);
        escapes.for_each(|escape| text.extend_from_slice(escape.as_bytes()));
    }
    text
}
