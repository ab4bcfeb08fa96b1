//! Counts and checksums of a sequence of lines, to prove that no line was lost.
//!
//! Each line, without its LF, is hashed by XXH3 (128 bits, seed 0). `sum` adds the hashes modulo 2^128: it does not depend on
//! the order of lines, so that parts can be compared with the whole. `order` adds the sums of all beginnings of the sequence,
//! as Fletcher's checksum does, and so also notices two lines that changed places.
//!
//! Both are computed over the lines as read. The buffers handed to the operating system are [compared](super::place::prove) with
//! those lines; if they hold more than lines, both are computed again from the buffers.
//!
//! This proves the absence of faults, not of forgers: XXH3 is fast and spreads well, but lines whose hashes collide can be
//! made on purpose.

use xxhash_rust::xxh3::xxh3_128;

use super::agreement::Agreement;
use super::isa::{self, Isa, Kernel};
use super::lines::{self, Lines};
use crate::outcome::{Outcome, Partition};

/// The name of the hash in receipts.
pub(crate) const LINE_HASH: &str = "XXH3-128, seed 0, of each line without its LF";

/// The hash of a line, given without its LF. It shows faults; it is not cryptographic, so lines that collide can be made on
/// purpose.
#[inline]
pub fn line_hash(line: &[u8]) -> u128 {
    xxh3_128(line)
}

/// Counts and checksums of a sequence of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// The number of lines.
    pub lines: u64,
    /// The number of bytes, including line ends.
    pub bytes: u64,
    /// The sum of the hashes of all lines, modulo 2^128.
    pub sum: u128,
    /// The sum of that sum after each line, modulo 2^128.
    pub order: u128,
}

impl Tally {
    /// Adds a line with this [`line_hash`], which has `bytes` bytes with its LF.
    #[inline]
    pub fn add_hashed(&mut self, hash: u128, bytes: usize) {
        self.lines += 1;
        self.bytes += bytes as u64;
        self.add_hash(hash);
    }

    /// Adds a line's hash without counting the line.
    #[inline(always)]
    pub(super) fn add_hash(&mut self, hash: u128) {
        self.sum = self.sum.wrapping_add(hash);
        self.order = self.order.wrapping_add(self.sum);
    }

    /// The tally of all lines of a text, or of the `part` of each; the last line need not end in an LF.
    pub fn of_text<'t>(text: &'t [u8], part: impl Fn(&'t [u8]) -> &'t [u8]) -> Tally {
        let mut tally = Tally::default();
        let mut start = 0;
        lines::for_each_end(text, |end| {
            let line = part(&text[start..end]);
            tally.add_hashed(line_hash(line), line.len() + 1);
            start = end + 1;
        });
        if start < text.len() {
            let line = part(&text[start..]);
            tally.add_hashed(line_hash(line), line.len());
        }
        tally
    }

    /// Appends the sequence of lines whose tally is `next`.
    pub fn append(&mut self, next: &Tally) {
        let before = self.sum.wrapping_mul(u128::from(next.lines));
        self.order = self.order.wrapping_add(before).wrapping_add(next.order);
        self.sum = self.sum.wrapping_add(next.sum);
        self.lines += next.lines;
        self.bytes += next.bytes;
    }
}

/// The lines of a chunk for one crawler, counted as read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CrawlerCounts {
    /// By partition number.
    pub tallies: [Tally; Partition::COUNT],
    pub counts: [u64; Outcome::COUNT],
}

/// Counts the lines of a text, in all and by outcome for each crawler, and hashes them if `hashed`.
pub(crate) fn count(
    text: &[u8],
    lines: &Lines,
    outcomes: &[Vec<Outcome>],
    hashed: bool,
    crawlers: &mut [CrawlerCounts],
) -> Tally {
    isa::run(Count { text, lines, outcomes, hashed, crawlers })
}

/// Lines to hash before their hashes are added to the crawlers' tallies: looping over the crawlers for each line takes 16
/// instructions.
const HASHED_TOGETHER: usize = 128;

struct Count<'a> {
    text: &'a [u8],
    lines: &'a Lines,
    outcomes: &'a [Vec<Outcome>],
    hashed: bool,
    crawlers: &'a mut [CrawlerCounts],
}

impl Kernel for Count<'_> {
    type Output = Tally;

    #[inline(always)]
    fn run<I: Isa>(self) -> Tally {
        let Count { text, lines, outcomes, hashed, crawlers } = self;
        let starts = lines.starts();
        let mut all = Tally { lines: lines.count() as u64, bytes: text.len() as u64, ..Tally::default() };
        let mut agreement = Agreement::default();
        if hashed {
            let (mut hashes, mut parts) = ([0; HASHED_TOGETHER], Vec::new());
            for from in (0..lines.count()).step_by(HASHED_TOGETHER) {
                let some = &mut hashes[..HASHED_TOGETHER.min(lines.count() - from)];
                for (hash, line) in some.iter_mut().zip(from..) {
                    *hash = line_hash(lines.line(text, line));
                    all.add_hash(*hash);
                }
                agreement.find(outcomes, from..from + some.len());
                parts.clear();
                parts.extend(
                    agreement.firsts().iter().map(|&first| hashed_by_partition(some, &outcomes[first][from..])),
                );
                for (counts, &group) in crawlers.iter_mut().zip(agreement.groups()) {
                    counts.append_hashed(&parts[group]);
                }
            }
        }
        let Some((first, others)) = outcomes.split_first() else { return all };
        let counted = Counted::of(starts, text.len(), first);
        crawlers.iter_mut().for_each(|counts| counts.add(&counted));
        for (counts, outcomes) in crawlers[1..].iter_mut().zip(others) {
            for_each_difference(first, outcomes, |line| {
                counts.change(first[line], outcomes[line], lines.whole(text, line).len() as u64);
            });
        }
        all
    }
}

/// The tallies of some lines by partition, with hashes and numbers of lines only.
#[inline(always)]
fn hashed_by_partition(hashes: &[u128], outcomes: &[Outcome]) -> [Tally; Partition::COUNT] {
    let mut tallies = [Tally::default(); Partition::COUNT];
    // Keep the tally of one partition at a time in registers: most lines go to the same partition as the line before. In memory,
    // each addition waits for the one before: 2.4 ns of the 107 of a sorted line.
    let mut at = Partition::Allowed as usize;
    let mut tally = tallies[at];
    for (&hash, outcome) in hashes.iter().zip(outcomes) {
        let partition = outcome.partition() as usize;
        if partition != at {
            tallies[at] = std::mem::replace(&mut tally, tallies[partition]);
            at = partition;
        }
        tally.add_hashed(hash, 0);
    }
    tallies[at] = tally;
    tallies
}

/// Passes on the lines whose outcomes differ, in order: about one in thirty.
#[inline(always)]
fn for_each_difference(one: &[Outcome], other: &[Outcome], mut each: impl FnMut(usize)) {
    const TOGETHER: usize = 32;
    let (ones, others): (&[u8], &[u8]) = (bytemuck::cast_slice(one), bytemuck::cast_slice(other));
    let whole = ones.len() / TOGETHER;
    let (ones, others) = (ones.as_chunks::<TOGETHER>().0, others.as_chunks::<TOGETHER>().0);
    let differs = |&line: &usize| one[line] != other[line];
    for (block, (ones, others)) in ones.iter().zip(others).enumerate() {
        // Without an early end, this is one comparison.
        let differences = ones.iter().zip(others).fold(0, |all, (one, other)| all | (one ^ other));
        if differences != 0 {
            (TOGETHER * block..TOGETHER * (block + 1)).filter(differs).for_each(&mut each);
        }
    }
    (TOGETHER * whole..one.len()).filter(differs).for_each(each);
}

/// Lines and bytes by outcome: the outcomes that occur, each with both.
struct Counted(Vec<(usize, u64, u64)>);

impl Counted {
    /// Counts lines and bytes by outcome. Both are in one number, and two tables are used in turn, so that a line need not wait
    /// for the one before.
    #[inline(always)]
    fn of(starts: &[u32], length: usize, outcomes: &[Outcome]) -> Counted {
        const LINE: u64 = 1 << 32;
        // 256 entries, so that no index needs a bounds check.
        let mut both = [[0u64; 256]; 2];
        let (pairs, last) = outcomes.as_chunks::<2>();
        for (pair, ends) in pairs.iter().zip(starts.windows(3).step_by(2)) {
            both[0][pair[0].index()] += LINE + u64::from(ends[1] - ends[0]);
            both[1][pair[1].index()] += LINE + u64::from(ends[2] - ends[1]);
        }
        if let ([last], [.., start, end]) = (last, starts) {
            both[0][last.index()] += LINE + u64::from(end - start);
        }
        if let (Some(last), true) = (outcomes.last(), starts.last().is_some_and(|&end| end as usize > length)) {
            // The last line has no LF.
            both[(outcomes.len() - 1) % 2][last.index()] -= 1;
        }
        let counted = |index: usize| {
            let (lines, bytes) = both
                .iter()
                .fold((0, 0), |(lines, bytes), both| (lines + (both[index] >> 32), bytes + (both[index] & (LINE - 1))));
            (lines > 0).then_some((index, lines, bytes))
        };
        Counted((0..Outcome::COUNT).filter_map(counted).collect())
    }
}

impl CrawlerCounts {
    /// Adds lines and bytes.
    fn add(&mut self, counted: &Counted) {
        for &(index, lines, bytes) in &counted.0 {
            self.counts[index] += lines;
            let tally = &mut self.tallies[Outcome::from_index(index).partition() as usize];
            tally.lines += lines;
            tally.bytes += bytes;
        }
    }

    /// Counts a line with its bytes under another outcome.
    #[inline(always)]
    fn change(&mut self, from: Outcome, to: Outcome, bytes: u64) {
        self.counts[from.index()] -= 1;
        self.counts[to.index()] += 1;
        let [from, to] = [from, to].map(|outcome| outcome.partition() as usize);
        self.tallies[from].lines -= 1;
        self.tallies[from].bytes -= bytes;
        self.tallies[to].lines += 1;
        self.tallies[to].bytes += bytes;
    }

    /// Adds the hashes of the lines that follow.
    fn append_hashed(&mut self, parts: &[Tally; Partition::COUNT]) {
        for (tally, part) in self.tallies.iter_mut().zip(parts).filter(|(_, part)| part.lines > 0) {
            // Lines are counted apart from hashes.
            let lines = tally.lines;
            tally.append(part);
            tally.lines = lines;
        }
    }
}

/// Serialises an array that is too long for serde's own implementations.
pub(crate) mod counts {
    use super::Outcome;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(counts: &[u64; Outcome::COUNT], serializer: S) -> Result<S::Ok, S::Error> {
        counts.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u64; Outcome::COUNT], D::Error> {
        let counts = Vec::<u64>::deserialize(deserializer)?;
        counts
            .try_into()
            .map_err(|counts: Vec<u64>| D::Error::invalid_length(counts.len(), &"a count for each outcome"))
    }
}

impl Default for CrawlerCounts {
    fn default() -> CrawlerCounts {
        CrawlerCounts { tallies: Default::default(), counts: [0; Outcome::COUNT] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(text: &str) -> Tally {
        Tally::of_text(text.as_bytes(), |line| line)
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = tally("a\nbb\n\nccc\r\na\nlast");
        assert_eq!((whole.lines, whole.bytes), (6, 17));
        for boundary in [0, 2, 5, 6, 11, 13] {
            let text = "a\nbb\n\nccc\r\na\nlast";
            let mut parts = tally(&text[..boundary]);
            parts.append(&tally(&text[boundary..]));
            assert_eq!(parts, whole, "{boundary}");
        }
    }

    #[test]
    fn a_lost_doubled_changed_or_swapped_line_is_noticed() {
        let whole = tally("a\nb\nc\n");
        for other in ["a\nb\n", "a\nb\nb\nc\n", "a\nb\nx\n", "a\nb\nc\n\n", "a\nb\nc\r\n"] {
            assert_ne!(tally(other).sum, whole.sum, "{other:?}");
        }
        let swapped = tally("a\nc\nb\n");
        assert_eq!(swapped.sum, whole.sum);
        assert_ne!(swapped.order, whole.order);
        assert_eq!(tally("a\nb\nc").sum, whole.sum, "a missing last LF shows in the bytes");
        assert_ne!(tally("a\nb\nc").bytes, whole.bytes);
    }
}
