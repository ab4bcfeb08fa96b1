//! A mapped list, its lines, and chunks of it that end at line boundaries.

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;

use memchr::{memchr, memrchr};
use memmap2::Mmap;

use crate::Result;

/// Size of the chunks that threads take, in bytes.
pub const CHUNK: usize = 1 << 20;

/// Maps a file for reading.
///
/// # Errors
///
/// If the file cannot be opened or mapped.
pub fn map(path: &Path) -> Result<Mmap> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: the lists are made by `scripts/make-list`, and nothing changes them during a comparison.
    Ok(unsafe { Mmap::map(&file)? })
}

/// The lines of `data`, each with its line end.
pub fn lines(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = data;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, tail) = rest.split_at(end);
        rest = tail;
        Some(line)
    })
}

/// The line without its line end.
pub fn text(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The line as text, without its line end. Bytes that are not UTF-8 are percent-encoded, as RFC 3986 2.1 writes bytes that are no
/// characters, because crates that take text cannot take them as they are.
pub fn as_text(line: &[u8]) -> Cow<'_, str> {
    let line = text(line);
    if let Ok(text) = std::str::from_utf8(line) {
        return Cow::Borrowed(text);
    }
    let mut found = String::new();
    for chunk in line.utf8_chunks() {
        found.push_str(chunk.valid());
        found.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
    }
    Cow::Owned(found)
}

/// Cuts `data` into chunks of about `size` bytes that end at line boundaries; a longer line makes a longer chunk.
pub fn chunks(data: &[u8], size: usize) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut rest = data;
    while rest.len() > size {
        let end = match memrchr(b'\n', &rest[..size]) {
            Some(at) => at + 1,
            None => memchr(b'\n', &rest[size..]).map_or(rest.len(), |at| size + at + 1),
        };
        let (chunk, tail) = rest.split_at(end);
        found.push(chunk);
        rest = tail;
    }
    if !rest.is_empty() {
        found.push(rest);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{as_text, chunks, lines, text};

    #[test]
    fn lines_keep_their_ends() {
        let all: Vec<&[u8]> = lines(b"a\nb\r\n\nc").collect();
        assert_eq!(all, [&b"a\n"[..], b"b\r\n", b"\n", b"c"]);
        assert_eq!(text(b"b\r\n"), b"b");
        assert_eq!(text(b"\n"), b"");
    }

    #[test]
    fn bytes_that_are_no_text_are_escaped() {
        assert_eq!(as_text(b"/caf\xc3\xa9\r\n"), "/caf\u{e9}");
        assert_eq!(as_text(b"/caf\xe9/\xff%20\n"), "/caf%E9/%FF%20");
    }

    #[test]
    fn chunks_lose_nothing() {
        let data = b"one\ntwo\na longer line\n\nend";
        for size in 1..data.len() + 2 {
            let parts = chunks(data, size);
            assert_eq!(parts.concat(), data);
            let inner = &parts[..parts.len() - 1];
            assert!(inner.iter().all(|part| part.ends_with(b"\n")));
        }
    }
}
