//! Chunks of a text, cut behind line ends.

use std::io::{self, Read};

use super::super::worker::LONGEST_CHUNK;

/// Where the chunk that begins at `start` ends: behind the first LF that stands at or behind its size, or at the end.
pub(in crate::filter) fn chunk_end(text: &[u8], start: usize, size: usize) -> usize {
    let wanted = start.saturating_add(size).min(text.len());
    if wanted == text.len() {
        return wanted;
    }
    line_border(text, wanted)
}

/// Where the first line begins that begins at `at` or behind it.
pub(in crate::filter) fn line_border(text: &[u8], at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    memchr::memchr(b'\n', &text[at - 1..]).map_or(text.len(), |end| at + end)
}

/// Fills `chunk` with whole lines of a stream: what was `left` of the one before, and then at least `size` octets, and
/// on to the next LF. `left` gets what follows the last LF. Returns false at the end, when there is nothing more. A chunk
/// longer than [`LONGEST_CHUNK`] is not read to its line end.
pub(in crate::filter) fn fill(
    stream: &mut impl Read,
    size: usize,
    left: &mut Vec<u8>,
    chunk: &mut Vec<u8>,
) -> io::Result<bool> {
    chunk.clear();
    chunk.append(left);
    let mut searched = 0;
    loop {
        let wanted = size.max(chunk.len() + (size / 4).max(1));
        let read = stream.by_ref().take((wanted - chunk.len()) as u64).read_to_end(chunk)?;
        if read == 0 {
            return Ok(!chunk.is_empty());
        }
        if chunk.len() >= size {
            if let Some(at) = memchr::memrchr(b'\n', &chunk[searched..]) {
                left.extend_from_slice(&chunk[searched + at + 1..]);
                chunk.truncate(searched + at + 1);
                return Ok(true);
            }
            if chunk.len() > LONGEST_CHUNK {
                return Ok(true);
            }
            searched = chunk.len();
        }
    }
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
            while fill(&mut stream, size, &mut left, &mut chunk).unwrap() {
                all.extend_from_slice(&chunk);
                assert!(chunk.ends_with(b"\n") || all.len() == TEXT.len());
            }
            assert_eq!(all, TEXT, "{size}");
        }
    }
}
