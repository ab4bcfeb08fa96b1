//! Cuts a text into chunks after line ends, in place or into a buffer.

use std::io::{self, Read};

use crate::input::error::SkippedPart;
use crate::outcome::Reason;

/// Lines that are not memory-mapped, in memory that is reused from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    pub bytes: Vec<u8>,
    /// Lines that are invalid whatever they contain, by their numbers in the buffer: URLs of a table that were altered.
    pub flaws: Vec<(u64, Reason)>,
    /// Lines of the text that were left out before or among these, because they were too long; at its end, those after the last chunk.
    pub left_out: Vec<SkippedPart>,
}

impl Buffer {
    /// Empties it, but keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.flaws.clear();
        self.left_out.clear();
    }

    /// Empties it for a text of `size` bytes; the memory for a huge one is not held for the rest of the run.
    pub fn reuse(&mut self, size: usize) {
        self.clear();
        self.bytes.shrink_to(2 * size);
    }

    /// Frees its memory.
    pub fn release(&mut self) {
        *self = Buffer::default();
    }
}

/// Where the chunk that begins at `start` ends: after the first LF at or past its size, or at the end of the text.
pub(crate) fn chunk_end(text: &[u8], start: usize, size: usize) -> usize {
    let wanted = start.saturating_add(size).min(text.len());
    if wanted == text.len() {
        return wanted;
    }
    line_boundary(text, wanted)
}

/// Start of the first line that begins at or after `at`.
fn line_boundary(text: &[u8], at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    memchr::memchr(b'\n', &text[at - 1..]).map_or(text.len(), |end| at + end)
}

/// How long to wait for a chunk of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Until it has its full size. Where chunks end depends only on the stream's bytes.
    UntilFull,
    /// Until there is a line, so that readers of the output see it as soon as possible. Where chunks end depends on when bytes
    /// arrive.
    UntilLine,
}

/// Bytes to read at a time when waiting for a line; a pipe holds 64 KiB.
const READ: usize = 256 << 10;

/// Fills `chunk` with whole lines of a stream: first the `rest` of the previous chunk, then more until there are
/// `size` bytes (or, if `patience` says so, any line) and an LF. Bytes after the last LF go to `rest`. Returns false if nothing
/// is left. Stops reading within a line once the chunk is longer than `longest`.
pub(crate) fn fill(
    stream: &mut impl Read,
    size: usize,
    longest: usize,
    patience: Patience,
    rest: &mut Vec<u8>,
    chunk: &mut Vec<u8>,
) -> io::Result<bool> {
    chunk.clear();
    chunk.append(rest);
    let mut searched = 0;
    loop {
        let wanted = size.max(chunk.len() + (size / 4).max(1));
        let wanted = wanted - chunk.len();
        if chunk.capacity() - chunk.len() < wanted {
            // Do not double it: a long line may take all the memory there is for it.
            chunk.reserve_exact(wanted.max(chunk.len() / 8));
        }
        let read = match patience {
            Patience::UntilFull => stream.by_ref().take(wanted as u64).read_to_end(chunk)?,
            Patience::UntilLine => read_once(stream, wanted.min(READ), chunk)?,
        };
        if read == 0 {
            return Ok(!chunk.is_empty());
        }
        if chunk.len() >= size || patience == Patience::UntilLine {
            if let Some(at) = memchr::memrchr(b'\n', &chunk[searched..]) {
                rest.extend_from_slice(&chunk[searched + at + 1..]);
                chunk.truncate(searched + at + 1);
                return Ok(true);
            }
            // No line has ended, so this is all one line.
            if chunk.len() > longest {
                return Ok(true);
            }
            searched = chunk.len();
        }
    }
}

/// Appends up to `most` bytes that a stream has; waits only if it has none.
fn read_once(stream: &mut impl Read, most: usize, chunk: &mut Vec<u8>) -> io::Result<usize> {
    let start = chunk.len();
    chunk.resize(start + most, 0);
    let read = loop {
        match stream.read(&mut chunk[start..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    chunk.truncate(start + *read.as_ref().unwrap_or(&0));
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"a\nbbbbbbbb\n\nccc\n\nlast";

    #[test]
    fn chunks_end_after_line_ends() {
        for size in 1..=TEXT.len() + 1 {
            let mut at = 0;
            while at < TEXT.len() {
                let end = chunk_end(TEXT, at, size);
                assert!(end >= (at + size).min(TEXT.len()));
                assert!(end == TEXT.len() || TEXT[end - 1] == b'\n');
                at = end;
            }
            assert_eq!(at, TEXT.len());
        }
    }

    #[test]
    fn a_stream_is_cut_at_line_ends() {
        for size in 1..=TEXT.len() + 1 {
            let (mut stream, mut rest, mut chunk, mut all) = (TEXT, Vec::new(), Vec::new(), Vec::new());
            while fill(&mut stream, size, TEXT.len(), Patience::UntilFull, &mut rest, &mut chunk).unwrap() {
                all.extend_from_slice(&chunk);
                assert!(chunk.ends_with(b"\n") || all.len() == TEXT.len());
            }
            assert_eq!(all, TEXT, "{size}");
        }
    }

    /// Returns a few bytes at a time, as a slow pipe does.
    struct Slow<'t>(&'t [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let most = bytes.len().min(self.1);
            self.0.read(&mut bytes[..most])
        }
    }

    #[test]
    fn a_line_is_given_as_soon_as_it_is_there() {
        let chunks = |step| {
            let (mut stream, mut rest, mut chunk) = (Slow(TEXT, step), Vec::new(), Vec::new());
            let mut chunks: Vec<Vec<u8>> = Vec::new();
            while fill(&mut stream, 1000, 1000, Patience::UntilLine, &mut rest, &mut chunk).unwrap() {
                chunks.push(chunk.clone());
            }
            assert_eq!(chunks.concat(), TEXT, "{step}");
            chunks
        };
        let lines: Vec<&[u8]> = TEXT.split_inclusive(|&byte| byte == b'\n').collect();
        assert_eq!(chunks(1), lines);
        assert_eq!(chunks(3), [&b"a\n"[..], b"bbbbbbbb\n\n", b"ccc\n\n", b"last"]);
        assert_eq!(chunks(100).len(), 2);
        (2..TEXT.len()).for_each(|step| assert!(chunks(step).iter().all(|chunk| !chunk.is_empty())));
    }
}
