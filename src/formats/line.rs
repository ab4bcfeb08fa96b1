//! The lines of a text, counted for messages.

/// The line, counted from 1, that contains a byte of a text.
pub(crate) fn line_of(text: &[u8], at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count()
}
