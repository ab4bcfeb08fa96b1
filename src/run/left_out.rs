//! Leaves lines out of a chunk: the others are copied together, and judged as if they were the whole chunk.

use std::mem::take;

use crate::input::chunks::Chunk;
use crate::input::list::Buffer;
use crate::judge::tally::{Tally, line_hash};
use crate::judge::urls::LineUrls;

/// Leaves lines out, in memory that a worker reuses for each chunk.
#[derive(Debug, Default)]
pub(super) struct LeavingOut {
    /// The lines that stay, if any is left out.
    kept: Buffer,
}

/// The lines that were left out of a chunk.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct LeftOut {
    /// All lines of the chunk, if any was left out.
    pub input: Tally,
    /// Those left out.
    pub lines: Tally,
}

impl LeavingOut {
    /// Leaves out those of some lines, in ascending order, that `is_out` confirms, by their text as it is now. `urls` are those of the
    /// chunk. `hashed` says whether lines are hashed for checksums.
    pub fn leave_out(
        &mut self,
        chunk: &mut Chunk<'_>,
        urls: &LineUrls,
        lines: &[usize],
        hashed: bool,
        is_out: impl Fn(usize, &[u8]) -> bool,
    ) -> LeftOut {
        let mut left_out = LeftOut::default();
        if lines.is_empty() {
            return left_out;
        }
        let (text, mut bom_len) = (chunk.text(), chunk.bom_len);
        let (mut kept, mut numbers) = (take(&mut self.kept), Vec::new());
        kept.reuse(text.len());
        let mut wanted = lines.iter().peekable();
        let mut flaws = chunk.flaws().iter().peekable();
        let (lines, mut from) = (urls.lines(), 0);
        for line in 0..lines.count() {
            let (start, whole) = (lines.starts()[line] as usize, lines.whole(text, line));
            let hash = if hashed { line_hash(lines.line(text, line)) } else { 0 };
            left_out.input.add_hashed(hash, whole.len());
            // A flaw goes with its line.
            let flaw = flaws.next_if(|&&(other, _)| other == line as u64);
            if wanted.next_if(|&&other| other == line).is_some() && is_out(line, lines.line(text, line)) {
                left_out.lines.add_hashed(hash, whole.len());
                numbers.push(line);
                kept.bytes.extend_from_slice(&text[from..start]);
                from = start + whole.len();
                if line == 0 {
                    bom_len = 0;
                }
            } else if let Some(&(_, reason)) = flaw {
                kept.flaws.push((line as u64 - left_out.lines.lines, reason));
            }
        }
        kept.bytes.extend_from_slice(&text[from..]);
        chunk.bom_len = bom_len;
        chunk.left_out = both(&chunk.left_out, &numbers);
        self.kept = chunk.set_lines(kept);
        left_out
    }
}

/// The numbers of lines that were left out, and of those left out of the rest, which are counted without them.
fn both(before: &[usize], then: &[usize]) -> Vec<usize> {
    let (mut all, mut passed) = (Vec::with_capacity(before.len() + then.len()), 0);
    for &number in then {
        while let Some(&earlier) = before.get(passed).filter(|&&earlier| earlier <= number + passed) {
            all.push(earlier);
            passed += 1;
        }
        all.push(number + passed);
    }
    all.extend_from_slice(&before[passed..]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_left_out_in_turn_are_counted_from_the_first() {
        // Which lines are left out first, and then of the rest, as bits.
        for (before, then) in (0..256).flat_map(|before| (0..256).map(move |then| (before, then))) {
            let numbers = |bits: u32| (0..8).filter(move |line| bits & (1 << line) != 0).collect::<Vec<usize>>();
            let (before, then) = (numbers(before), numbers(then));
            let rest: Vec<usize> = (0..16).filter(|line| !before.contains(line)).collect();
            let mut expected: Vec<usize> = then.iter().map(|&number| rest[number]).chain(before.clone()).collect();
            expected.sort_unstable();
            assert_eq!(both(&before, &then), expected);
        }
    }
}
