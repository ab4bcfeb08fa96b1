//! Counts the lines of a chunk, in all and for each crawler.

use serde::{Deserialize, Serialize};

use super::isa::{self, Isa, Kernel};
use super::lines::Lines;
use super::tally::{Tally, line_hash};
use crate::outcome::{Outcome, Partition};

/// The lines of a chunk for one crawler, counted as read.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct CrawlerCounts {
    /// By partition number.
    pub tallies: [Tally; Partition::COUNT],
    #[serde(with = "counts")]
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
        if hashed {
            let mut hashes = [0; HASHED_TOGETHER];
            for from in (0..lines.count()).step_by(HASHED_TOGETHER) {
                let some = &mut hashes[..HASHED_TOGETHER.min(lines.count() - from)];
                for (hash, line) in some.iter_mut().zip(from..) {
                    *hash = line_hash(lines.line(text, line));
                    all.add_hash(*hash);
                }
                for (CrawlerCounts { tallies, .. }, outcomes) in crawlers.iter_mut().zip(outcomes) {
                    // Keep the tally of one partition at a time in registers: most lines go to the same partition as the line
                    // before. In memory, each addition waits for the one before: 2.4 ns of the 107 of a sorted line.
                    let mut at = Partition::Allowed as usize;
                    let mut tally = tallies[at];
                    for (&hash, outcome) in some.iter().zip(&outcomes[from..]) {
                        let partition = outcome.partition() as usize;
                        if partition != at {
                            tallies[at] = std::mem::replace(&mut tally, tallies[partition]);
                            at = partition;
                        }
                        tally.add_hash(hash);
                    }
                    tallies[at] = tally;
                }
            }
        }
        for (counts, outcomes) in crawlers.iter_mut().zip(outcomes) {
            counts.add(starts, text.len(), outcomes);
        }
        all
    }
}

impl CrawlerCounts {
    /// Counts lines and bytes by outcome. Both are in one number, and two tables are used in turn, so that a line need not wait
    /// for the one before.
    #[inline(always)]
    fn add(&mut self, starts: &[u32], length: usize, outcomes: &[Outcome]) {
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
        for (index, count) in self.counts.iter_mut().enumerate() {
            let tally = &mut self.tallies[Outcome::from_index(index).partition() as usize];
            for both in &both {
                *count += both[index] >> 32;
                tally.lines += both[index] >> 32;
                tally.bytes += both[index] & (LINE - 1);
            }
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
