//! Chunks of a text, cut after line ends.

use std::io::{self, Read};

/// Where the chunk that begins at `start` ends: after the first LF that stands at or after its size, or at the end.
pub(crate) fn chunk_end(text: &[u8], start: usize, size: usize) -> usize {
    let wanted = start.saturating_add(size).min(text.len());
    if wanted == text.len() {
        return wanted;
    }
    line_border(text, wanted)
}

/// Where the first line begins that begins at `at` or after it.
pub(crate) fn line_border(text: &[u8], at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    memchr::memchr(b'\n', &text[at - 1..]).map_or(text.len(), |end| at + end)
}

/// How long a stream's chunk is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Until it has its size: where chunks end depends on the stream's bytes alone.
    UntilFull,
    /// Until a line is there: the reader of the output sees it as soon as may be. Where chunks end depends on when bytes
    /// came.
    UntilLine,
}

/// Bytes that are read at a time where a line is waited for; a pipe holds 64 KiB.
const READ: usize = 256 << 10;

/// Fills `chunk` with whole lines of a stream: what was `left` of the one before, and then at least `size` bytes if
/// there is the `patience`, and on to the next LF. `left` gets what follows the last LF. Returns false at the end, when there is nothing more. A line that is longer than
/// `longest` is not read to its end.
pub(crate) fn fill(
    stream: &mut impl Read,
    size: usize,
    longest: usize,
    patience: Patience,
    left: &mut Vec<u8>,
    chunk: &mut Vec<u8>,
) -> io::Result<bool> {
    chunk.clear();
    chunk.append(left);
    let mut searched = 0;
    loop {
        let wanted = size.max(chunk.len() + (size / 4).max(1));
        let wanted = wanted - chunk.len();
        if chunk.capacity() - chunk.len() < wanted {
            // Not twice as much each time: a long line may take all the memory that there is for it.
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
                left.extend_from_slice(&chunk[searched + at + 1..]);
                chunk.truncate(searched + at + 1);
                return Ok(true);
            }
            // No line has ended here, so it is one.
            if chunk.len() > longest {
                return Ok(true);
            }
            searched = chunk.len();
        }
    }
}

/// Appends what a stream has, `most` bytes at most; waits only if there is nothing.
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
    fn chunks_end_behind_line_ends() {
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
            let (mut stream, mut left, mut chunk, mut all) = (TEXT, Vec::new(), Vec::new(), Vec::new());
            while fill(&mut stream, size, TEXT.len(), Patience::UntilFull, &mut left, &mut chunk).unwrap() {
                all.extend_from_slice(&chunk);
                assert!(chunk.ends_with(b"\n") || all.len() == TEXT.len());
            }
            assert_eq!(all, TEXT, "{size}");
        }
    }

    /// Gives a few bytes at a time, as a slow pipe does.
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
            let (mut stream, mut left, mut chunk) = (Slow(TEXT, step), Vec::new(), Vec::new());
            let mut chunks: Vec<Vec<u8>> = Vec::new();
            while fill(&mut stream, 1000, 1000, Patience::UntilLine, &mut left, &mut chunk).unwrap() {
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
