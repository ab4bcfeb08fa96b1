//! Finds the lines of a chunk, and which of them need a second look.
//!
//! A line is *plain* if nothing in it needs a second look: no byte that percent-encoding could change, no fragment, no
//! control character, no space, and no `/.`. Nearly all lines are plain, and the path of such a URL is everything after
//! its authority, as written. One pass over the chunk finds the line ends and the lines that are not plain, in blocks
//! of 64 bytes. Two line ends of each block are always stored, even if the block has fewer, so that only blocks with
//! more than two take a branch.
//!
//! Every later step uses the offsets found here, never a sentinel in the text, because the file may change in between.

use super::isa::{self, BLOCK, Isa, Kernel};

/// Bytes to scan before making room for more lines.
const STRETCH: usize = 64 * BLOCK;

/// The longest text: offsets have 32 bits, and one is past the end.
pub(crate) const LONGEST: usize = u32::MAX as usize - 1;

/// The lines of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    /// Where each line begins, and where a line after the last would begin: line `i` ends, with its LF, at
    /// `starts[i + 1]`. A last line without an LF counts as if it had one.
    starts: Vec<u32>,
    /// Whether a line needs a second look: 1 if it does, 0 if it is plain.
    second_looks: Vec<u8>,
    /// The number of lines.
    count: usize,
}

impl Lines {
    /// Finds the lines of a text.
    ///
    /// # Panics
    ///
    /// If the text is longer than [`LONGEST`].
    pub fn find(&mut self, text: &[u8]) {
        assert!(text.len() <= LONGEST, "a chunk of 4 GiB");
        isa::run(Find { lines: self, text });
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Where each line begins, and where a line after the last would begin.
    #[inline]
    pub fn starts(&self) -> &[u32] {
        &self.starts[..=self.count]
    }

    /// Whether each line needs a second look: 1 if it does, 0 if it is plain.
    #[inline]
    pub fn second_looks(&self) -> &[u8] {
        &self.second_looks[..self.count]
    }

    /// A line without its LF.
    #[inline(always)]
    pub fn line<'t>(&self, text: &'t [u8], line: usize) -> &'t [u8] {
        &text[self.starts[line] as usize..self.starts[line + 1] as usize - 1]
    }

    /// A line with its LF, if it has one.
    #[inline]
    pub fn whole<'t>(&self, text: &'t [u8], line: usize) -> &'t [u8] {
        &text[self.starts[line] as usize..(self.starts[line + 1] as usize).min(text.len())]
    }

    /// Makes room for the lines that a stretch can have, and for two more that may not exist.
    fn make_room(&mut self, lines: usize) {
        let needed = lines + STRETCH + 3;
        if self.starts.len() < needed {
            self.starts.resize(needed.next_power_of_two(), 0);
            self.second_looks.resize(needed.next_power_of_two(), 0);
        }
    }
}

/// Finds lines, with any instruction set.
struct Find<'l, 't> {
    lines: &'l mut Lines,
    text: &'t [u8],
}

impl Kernel for Find<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Find { lines, text } = self;
        let mut found = Found { count: 0, open: false };
        lines.make_room(0);
        lines.starts[0] = 0;
        // A block is examined together with the byte before it. The first block has none; the last may be short.
        let mut block = [0; 1 + BLOCK];
        let first = text.len().min(BLOCK);
        block[1..=first].copy_from_slice(&text[..first]);
        block[1 + first..].fill(b'a');
        found.add::<I>(&block, 0, lines);
        let mut at = BLOCK;
        while at + BLOCK <= text.len() {
            lines.make_room(found.count);
            let end = (at + STRETCH).min(text.len());
            for block in text[at - 1..end].windows(1 + BLOCK).step_by(BLOCK) {
                found.add::<I>(block.first_chunk().expect("a block, and the byte before it"), at, lines);
                at += BLOCK;
            }
        }
        if at < text.len() {
            lines.make_room(found.count);
            let rest = &text[at - 1..];
            block[..rest.len()].copy_from_slice(rest);
            block[rest.len()..].fill(b'a');
            found.add::<I>(&block, at, lines);
        }
        lines.count = found.count;
        if (lines.starts[found.count] as usize) < text.len() {
            lines.starts[found.count + 1] = text.len() as u32 + 1;
            lines.second_looks[found.count] = u8::from(found.open);
            lines.count += 1;
        }
    }
}

/// The lines found so far.
struct Found {
    count: usize,
    /// Whether the line that has not ended yet needs a second look.
    open: bool,
}

impl Found {
    /// Adds the lines that end in the block at `at`. There must be room for the lines of a stretch.
    ///
    /// Whether a line needs a second look is the carry of one addition: `!ends` is ones along a line and 0 at its end, so a look
    /// anywhere in the line, or a carry from the block before, is carried to the bit of its end and no further.
    #[inline(always)]
    fn add<I: Isa>(&mut self, block: &[u8; 1 + BLOCK], at: usize, lines: &mut Lines) {
        let (ends, second_looks) = I::masks(block);
        let (sum, carried) = second_looks.overflowing_add(!ends);
        let (sum, carried_open) = sum.overflowing_add(u64::from(self.open));
        self.open = carried | carried_open;
        let flags = sum & ends;
        let after = at as u32 + 1;
        let others = ends & ends.wrapping_sub(1);
        let (first, second) = (ends.trailing_zeros(), others.trailing_zeros());
        debug_assert!(lines.starts.len() >= self.count + 3 && lines.second_looks.len() >= self.count + 2);
        // SAFETY: `make_room` was called at most a stretch ago, with fewer lines found; it left room for the lines of a stretch
        // and for two more.
        unsafe {
            let starts = lines.starts.as_mut_ptr().add(self.count);
            starts.add(1).write(after + first);
            starts.add(2).write(after + second);
            let found = lines.second_looks.as_mut_ptr().add(self.count);
            found.write((flags.wrapping_shr(first) & 1) as u8);
            found.add(1).write((flags.wrapping_shr(second) & 1) as u8);
        }
        let count = ends.count_ones() as usize;
        if count > 2 {
            self.add_others(others & others.wrapping_sub(1), flags, after, lines);
        }
        self.count += count;
    }

    /// Adds the lines of a block after its first two.
    #[cold]
    #[inline(never)]
    fn add_others(&self, mut ends: u64, flags: u64, after: u32, lines: &mut Lines) {
        let mut line = self.count + 2;
        while ends != 0 {
            let end = ends.trailing_zeros();
            lines.starts[line + 1] = after + end;
            lines.second_looks[line] = (flags >> end & 1) as u8;
            ends &= ends - 1;
            line += 1;
        }
    }
}

/// Whether what follows the origin of a URL is a plain path: judged as it is written, whichever dialect reads it.
#[inline]
pub(super) fn is_plain_path(rest: &[u8]) -> bool {
    rest.first() == Some(&b'/') && is_plain(rest)
}

/// Whether a text without LF is plain.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    isa::run(IsPlain(text))
}

/// Checks whether a text is plain, with any instruction set.
struct IsPlain<'t>(&'t [u8]);

impl Kernel for IsPlain<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        let mut block = [0; 1 + BLOCK];
        for part in self.0.chunks(BLOCK) {
            block[1..=part.len()].copy_from_slice(part);
            block[1 + part.len()..].fill(b'a');
            let (ends, second_looks) = I::masks(&block);
            if ends | second_looks != 0 {
                return false;
            }
            block[0] = block[BLOCK];
        }
        true
    }
}

/// Whether each part of a text needs a second look: 1 if it does, 0 if it is plain. Parts are given by their starts and ends,
/// and must be within the text.
pub(crate) fn find_second_looks(text: &[u8], starts: &[u32], ends: &[u32], second_looks: &mut Vec<u8>) {
    second_looks.clear();
    second_looks.resize(starts.len(), 0);
    isa::run(FindLooks { text, starts, ends, second_looks });
}

/// Examines parts of a text, with any instruction set.
struct FindLooks<'t> {
    text: &'t [u8],
    starts: &'t [u32],
    ends: &'t [u32],
    second_looks: &'t mut [u8],
}

impl Kernel for FindLooks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let FindLooks { text, starts, ends, second_looks } = self;
        for ((&start, &end), look) in starts.iter().zip(ends).zip(second_looks) {
            let (mut at, end) = (start as usize, end as usize);
            let mut found = 0;
            // Read whole blocks in place, and mask out the bytes of other parts.
            while at < end
                && at > 0
                && let Some(block) = text[at - 1..].first_chunk::<{ 1 + BLOCK }>()
            {
                let (ends, second_looks) = I::masks(block);
                let beyond = BLOCK.saturating_sub(end - at) as u32;
                found |= (ends | second_looks) & (u64::MAX >> beyond);
                at += BLOCK;
            }
            *look = u8::from(found != 0 || at < end && !IsPlain(&text[at.max(1) - 1..end]).run::<I>());
        }
    }
}

/// Calls `each` with the offset of every LF in `text`.
pub(crate) fn for_each_end(text: &[u8], mut each: impl FnMut(usize)) {
    let mut lines = Lines::default();
    for (number, part) in text.chunks(1 << 20).enumerate() {
        lines.find(part);
        let whole = lines.starts().iter().skip(1).map(|&start| start as usize).filter(|&start| start <= part.len());
        whole.for_each(|start| each((number << 20) + start - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::isa::needs_a_look;
    use crate::rng::Rng;

    /// The lines and whether each needs a second look, found byte by byte.
    fn naive(text: &[u8]) -> Vec<(usize, usize, bool)> {
        let mut all = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let look = content.iter().any(|&byte| needs_a_look(byte)) || memchr::memmem::find(content, b"/.").is_some();
            all.push((start, start + content.len(), look));
            start += line.len();
        }
        all
    }

    fn found<I: Isa>(text: &[u8], lines: &mut Lines) -> Vec<(usize, usize, bool)> {
        Find { lines, text }.run::<I>();
        let starts = lines.starts().windows(2).map(|pair| (pair[0] as usize, pair[1] as usize - 1));
        starts.zip(lines.second_looks()).map(|((start, end), &look)| (start, end, look == 1)).collect()
    }

    #[test]
    fn lines_are_those_of_the_plain_way() {
        let pieces: [&[u8]; 12] = [
            b"",
            b"http://a.example/x",
            b"\n",
            b"\n\n",
            b"/.",
            b"a/",
            b"./",
            b"%41",
            b"#",
            b"\r\n",
            b"0123456789abcdef0123",
            b"\xff",
        ];
        let (mut rng, mut lines) = (Rng(1), Lines::default());
        for round in 0..if cfg!(miri) { 60 } else { 6000 } {
            let mut text = Vec::new();
            for _ in 0..round % 60 {
                text.extend_from_slice(rng.of(&pieces));
            }
            let expected = naive(&text);
            assert_eq!(found::<isa::Portable>(&text, &mut lines), expected, "{}", text.escape_ascii());
            lines.find(&text);
            let best = (0..lines.count()).map(|line| (lines.line(&text, line), lines.second_looks()[line] == 1));
            assert!(best.eq(expected.iter().map(|&(start, end, look)| (&text[start..end], look))));
            let whole = (0..lines.count()).map(|line| lines.whole(&text, line)).collect::<Vec<_>>();
            assert_eq!(whole.concat(), text);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes long")]
    fn line_ends_are_found_in_texts_of_any_length() {
        let long = [vec![b'a'; (1 << 20) - 1], vec![b'\n'; 3], vec![b'b'; 70]].concat();
        let texts = (0..300).map(|length| (0..length).map(|at| if at * 7 % 11 < 2 { b'\n' } else { b'a' }).collect());
        for text in texts.chain([long]) {
            let mut found = Vec::new();
            for_each_end(&text, |end| found.push(end));
            assert_eq!(found, memchr::memchr_iter(b'\n', &text).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_text_is_plain_if_its_line_is() {
        let path = "/0123456789abcdef".repeat(12);
        for length in (0..path.len()).step_by(if cfg!(miri) { 65 } else { 1 }) {
            let plain = &path.as_bytes()[..length];
            assert!(is_plain(plain), "{length}");
            for at in 0..length {
                for byte in *b"#. \n" {
                    let mut text = plain.to_vec();
                    text[at] = byte;
                    let line = byte != b'\n' && !naive(&text)[0].2;
                    assert_eq!(is_plain(&text), line, "{}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn what_needs_a_look_covers_what_encodings_change() {
        use crate::dialect::Dialect;
        for dialect in Dialect::ALL {
            for byte in (0..=255).filter(|&byte| dialect.encoding.changed_bytes().contains(byte)) {
                assert!(needs_a_look(byte), "{byte} {}", dialect.name);
            }
        }
        for byte in *b"#\r\n\t \\" {
            assert!(needs_a_look(byte));
        }
    }
}
