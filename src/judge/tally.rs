//! Counts and checksums of a sequence of lines, to prove that no line was lost.
//!
//! Each line, without its LF, is hashed by XXH3 (128 bits, seed 0). `sum` is the sum of the hashes modulo 2^128: it
//! does not depend on the order of lines, so parts can be compared with the whole. `order` is the sum of `sum` after
//! each line, as in Fletcher's checksum, so it also detects two lines that changed places.
//!
//! Both are computed from the lines as read. The buffers that are written are [compared](super::pieces::prove) with
//! these lines; if buffers hold more than lines, both sums are computed again from the buffers.
//!
//! This proves the absence of faults, not of forgery: XXH3 is fast and distributes well, but an attacker can construct
//! lines whose hashes collide.

use xxhash_rust::xxh3::xxh3_128;

use super::isa::{self, Isa, Kernel};
use super::lines::{self, Lines};
use super::outcomes::{Difference, Outcomes};
use crate::outcome::{Outcome, Partition};

/// The name of the hash in receipts.
pub(crate) const LINE_HASH: &str = "XXH3-128, seed 0, of each line without its LF";

/// The hash of a line, given without its LF. It detects faults; it is not cryptographic, so an attacker can construct
/// lines that collide.
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
    /// The sum of `sum` after each line, modulo 2^128.
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

    /// The tally of the lines that follow those of `start`, with which the sequence begins.
    fn after(&self, start: &Tally) -> Tally {
        let lines = self.lines - start.lines;
        let before = start.sum.wrapping_mul(u128::from(lines));
        Tally {
            lines,
            bytes: self.bytes - start.bytes,
            sum: self.sum.wrapping_sub(start.sum),
            order: self.order.wrapping_sub(start.order).wrapping_sub(before),
        }
    }

    /// How the lines that were `found` differ from these, if they do.
    pub fn difference(&self, found: &Tally) -> Option<String> {
        if self == found {
            return None;
        }
        Some(if (self.lines, self.bytes) != (found.lines, found.bytes) {
            let (lines, bytes) = (found.lines, found.bytes);
            format!("expected {} lines of {} bytes, found {lines} of {bytes}", self.lines, self.bytes)
        } else if self.sum != found.sum {
            "the same number of lines, but different ones".to_owned()
        } else {
            "the same lines, but in a different order".to_owned()
        })
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CrawlerCounts {
    /// By partition number.
    pub tallies: [Tally; Partition::COUNT],
    /// Lines by [`Outcome::index`].
    pub counts: [u64; Outcome::COUNT],
}

/// How many lines changed, by the partition before and now.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Changes(pub [[u64; Partition::COUNT]; Partition::COUNT]);

/// Counts the lines of a text, in all and by outcome for each crawler, and hashes them if `hashed`.
pub(crate) fn count(
    text: &[u8],
    lines: &Lines,
    outcomes: &Outcomes,
    hashed: bool,
    crawlers: &mut [CrawlerCounts],
) -> Tally {
    let mut hashes = Hashes::default();
    let (all, counted) = isa::run(Count { text, lines, outcomes, hashed, hashes: &mut hashes });
    for counts in &mut *crawlers {
        counts.add(&counted);
    }
    for &Difference { url, crawler, outcome } in outcomes.differences() {
        let line = url as usize;
        let bytes = lines.whole(text, line).len() as u64;
        crawlers[usize::from(crawler)].change(outcomes.most()[line], outcome, bytes);
    }
    if hashed {
        hashes.pass_on(outcomes, crawlers);
    }
    all
}

/// How many lines to hash before their hashes are added to the tallies, because each addition to a tally waits for the
/// previous one.
const HASHED_TOGETHER: usize = 128;

struct Count<'a> {
    text: &'a [u8],
    lines: &'a Lines,
    outcomes: &'a Outcomes,
    hashed: bool,
    hashes: &'a mut Hashes,
}

impl Kernel for Count<'_> {
    type Output = (Tally, Counted);

    #[inline(always)]
    fn run<I: Isa>(self) -> (Tally, Counted) {
        let Count { text, lines, outcomes, hashed, hashes } = self;
        let mut all = Tally { lines: lines.count() as u64, bytes: text.len() as u64, ..Tally::default() };
        if hashed {
            let (mut some, mut differences) = ([0; HASHED_TOGETHER], outcomes.differences());
            for from in (0..lines.count()).step_by(HASHED_TOGETHER) {
                let some = &mut some[..HASHED_TOGETHER.min(lines.count() - from)];
                for (hash, line) in some.iter_mut().zip(from..) {
                    *hash = line_hash(lines.line(text, line));
                    all.add_hash(*hash);
                }
                hashes.append(some, &outcomes.most()[from..], from, &mut differences);
            }
        }
        (all, Counted::of(lines.starts(), text.len(), outcomes.most()))
    }
}

/// The hashes of a chunk's lines by their partition for most crawlers, and the data to derive those of a crawler that
/// has some lines in other partitions.
#[derive(Debug, Default)]
struct Hashes {
    /// The tallies of all lines, with hashes and numbers of lines only.
    whole: [Tally; Partition::COUNT],
    /// The lines on which a crawler differs: the number of each, its hash, and the tallies of the lines before it.
    at: Vec<(u32, u128, [Tally; Partition::COUNT])>,
}

impl Hashes {
    /// Appends the hashes of the lines from this one on, with their outcomes for most crawlers, and consumes their
    /// differences.
    #[inline(always)]
    fn append(&mut self, hashes: &[u128], most: &[Outcome], from: usize, differences: &mut &[Difference]) {
        let mut done = 0;
        while let Some(url) = differences.first().map(|difference| difference.url)
            && let Some(at) = Some(url as usize - from).filter(|&at| at < hashes.len())
        {
            append_each(&mut self.whole, &hashed_by_partition(&hashes[done..at], &most[done..]));
            self.at.push((url, hashes[at], self.whole));
            done = at;
            let of_line = differences.iter().take_while(|difference| difference.url == url).count();
            *differences = &differences[of_line..];
        }
        append_each(&mut self.whole, &hashed_by_partition(&hashes[done..], &most[done..]));
    }

    /// Adds to each crawler's tallies the hashes of its lines.
    fn pass_on(&self, outcomes: &Outcomes, crawlers: &mut [CrawlerCounts]) {
        let mut own = vec![[Tally::default(); Partition::COUNT]; crawlers.len()];
        // How far each crawler's tallies are complete: up to and including the line with this place in `at`.
        let mut done: Vec<Option<usize>> = vec![None; crawlers.len()];
        let mut at = 0;
        for difference in outcomes.differences() {
            at += usize::from(self.at[at].0 != difference.url);
            let (_, hash, before) = &self.at[at];
            let crawler = usize::from(difference.crawler);
            let tallies = &mut own[crawler];
            self.append_between(tallies, done[crawler], before, outcomes);
            tallies[difference.outcome.partition() as usize].add_hashed(*hash, 0);
            done[crawler] = Some(at);
        }
        for ((counts, tallies), done) in crawlers.iter_mut().zip(&mut own).zip(done) {
            self.append_between(tallies, done, &self.whole, outcomes);
            counts.append_hashed(tallies);
        }
    }

    /// Appends the lines after the line with a place in `at`, or from the first line on, up to the lines that `before`
    /// counts.
    fn append_between(
        &self,
        tallies: &mut [Tally; Partition::COUNT],
        done: Option<usize>,
        before: &[Tally; Partition::COUNT],
        outcomes: &Outcomes,
    ) {
        let mut start = [Tally::default(); Partition::COUNT];
        if let Some((url, hash, before)) = done.map(|at| &self.at[at]) {
            start = *before;
            start[outcomes.most()[*url as usize].partition() as usize].add_hashed(*hash, 0);
        }
        for ((tally, start), end) in tallies.iter_mut().zip(&start).zip(before) {
            if start.lines < end.lines {
                tally.append(&end.after(start));
            }
        }
    }
}

/// Appends the lines of each partition.
#[inline(always)]
pub(crate) fn append_each(tallies: &mut [Tally; Partition::COUNT], next: &[Tally; Partition::COUNT]) {
    for (tally, next) in tallies.iter_mut().zip(next).filter(|(_, next)| next.lines > 0) {
        tally.append(next);
    }
}

/// The tallies of some lines by partition, with hashes and numbers of lines only.
#[inline(always)]
fn hashed_by_partition(hashes: &[u128], outcomes: &[Outcome]) -> [Tally; Partition::COUNT] {
    let mut tallies = [Tally::default(); Partition::COUNT];
    // Keeps the tally of one partition at a time in registers, because most lines go to the same partition as the
    // previous line. In memory, each addition would wait for the previous one.
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

/// Lines and bytes by outcome: the outcomes that occur, each with both.
struct Counted(Vec<(usize, u64, u64)>);

impl Counted {
    /// Counts lines and bytes by outcome. Both are in one number, and two tables are used in turn, so that a line need
    /// not wait for the previous one.
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
    /// Appends the lines that follow.
    #[cfg(feature = "batch")]
    pub fn append(&mut self, next: &CrawlerCounts) {
        append_each(&mut self.tallies, &next.tallies);
        self.counts.iter_mut().zip(next.counts).for_each(|(count, next)| *count += next);
    }

    /// The outcomes that occurred, each with its number of lines.
    #[cfg(feature = "batch")]
    pub fn outcomes(&self) -> impl Iterator<Item = (Outcome, u64)> + '_ {
        let counts = self.counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        counts.map(|(index, &count)| (Outcome::from_index(index), count))
    }

    /// The lines of each partition.
    #[cfg(feature = "batch")]
    pub fn partitions(&self) -> impl Iterator<Item = (Partition, Tally)> + '_ {
        Partition::ALL.into_iter().zip(self.tallies)
    }

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
    use crate::rng::Rng;

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
    fn each_crawler_is_counted_as_if_it_were_alone() {
        let mut rng = Rng(3);
        for count_of_lines in [0, 1, 127, 128, 129, 400] {
            let text: String =
                (0..count_of_lines).map(|line| format!("{}{line}\n", "x".repeat(rng.below(9)))).collect();
            let text = &text.as_bytes()[..text.len().saturating_sub(rng.below(2))];
            let mut lines = Lines::default();
            lines.find(text);
            let mut outcomes = Outcomes::default();
            outcomes.clear(5);
            let mut outcome = || Outcome::from_index(rng.below(40));
            for line in 0..count_of_lines {
                outcomes.most.push(outcome());
                outcomes.differences.begin(line);
                // Of the first crawler, always; of the last one, never.
                (0..4).filter(|crawler| line % (3 * crawler + 1) == 0).for_each(|crawler| {
                    outcomes.differences.put(crawler as u16, 0, outcome());
                });
            }
            outcomes.sort(0);
            let mut counted = [CrawlerCounts::default(); 5];
            let all = count(text, &lines, &outcomes, true, &mut counted);
            assert_eq!(all, Tally::of_text(text, |line| line));
            for (crawler, found) in counted.iter().enumerate() {
                let mut expected = CrawlerCounts::default();
                for (line, outcome) in outcomes.of(crawler).into_iter().enumerate() {
                    let tally = &mut expected.tallies[outcome.partition() as usize];
                    tally.add_hashed(line_hash(lines.line(text, line)), lines.whole(text, line).len());
                    expected.counts[outcome.index()] += 1;
                }
                assert_eq!((found.tallies, found.counts), (expected.tallies, expected.counts), "{crawler}");
            }
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
