//! What a run came to, and whether what was written is what was read.

use serde::{Deserialize, Serialize};

use super::FilterError;
use super::form::Rows;
use super::judge::Bench;
use super::output::Block;
use super::skipped::{Skipped, SkippedPart, SkippedRows};
use super::tally::Tally;
use super::worker::{Judged, Sorted};

/// What a run came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Totals {
    pub input: Tally,
    /// The lines that were judged.
    pub kept: Tally,
    /// The lines that were left out, because their URLs were there before.
    pub duplicates: Tally,
    /// For each crawler, over the lines as they were read.
    pub crawlers: Vec<Sorted>,
    /// By file, over the lines as they were handed over for writing.
    pub written: Vec<Tally>,
    pub lists: Vec<ListTotals>,
    pub added_line_feeds: u64,
    pub dot_segments: u64,
    pub normalised: u64,
    rows: Option<Rows>,
}

/// What a list came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ListTotals {
    pub input: Tally,
    pub duplicates: Tally,
    /// What could not be read of it, and was left out.
    pub skipped: Vec<SkippedPart>,
    /// For each crawler, by partition.
    pub crawlers: Vec<[Tally; 4]>,
}

impl Totals {
    pub fn new(lists: usize, crawlers: usize, rows: Option<Rows>) -> Totals {
        let none = Tally::default();
        let list = ListTotals {
            input: none,
            duplicates: none,
            skipped: Vec::new(),
            crawlers: vec![Default::default(); crawlers],
        };
        Totals {
            input: none,
            kept: none,
            duplicates: none,
            crawlers: vec![Sorted::default(); crawlers],
            written: vec![none; rows.map_or(0, Rows::files)],
            lists: vec![list; lists],
            added_line_feeds: 0,
            dot_segments: 0,
            normalised: 0,
            rows,
        }
    }

    /// Adds a chunk as it was judged, in its turn.
    pub fn add(&mut self, list: usize, judged: &Judged) {
        let list = &mut self.lists[list];
        self.input.append(&judged.input);
        list.input.append(&judged.input);
        self.duplicates.append(&judged.duplicates);
        list.duplicates.append(&judged.duplicates);
        self.kept.append(&judged.kept);
        for ((total, of_list), sorted) in self.crawlers.iter_mut().zip(&mut list.crawlers).zip(&judged.crawlers) {
            for (partition, tally) in sorted.tallies.iter().enumerate() {
                total.tallies[partition].append(tally);
                of_list[partition].append(tally);
            }
            for (count, chunk) in total.counts.iter_mut().zip(sorted.counts) {
                *count += chunk;
            }
        }
        self.added_line_feeds += u64::from(judged.added_line_feed);
    }

    /// Adds what was left out of lists before the chunk that is added next, or of its rows.
    pub fn skip(&mut self, skipped: &[Skipped]) {
        for Skipped { list, part } in skipped {
            let list = &mut self.lists[*list];
            let mut part = part.clone();
            if part.rows.is_some() {
                // Who reads a chunk of rows does not know how long those before it are.
                part.at += list.input.bytes;
            }
            if !list.skipped.last_mut().is_some_and(|last| last.append(&part)) {
                list.skipped.push(part);
            }
        }
    }

    /// The rows of each list that were left out.
    pub fn skipped_rows(&self) -> Vec<Vec<SkippedRows>> {
        self.lists.iter().map(|list| list.skipped.iter().filter_map(|part| part.rows).collect()).collect()
    }

    /// How many damaged places there were in the lists before this one.
    pub fn damaged_before(&self, list: usize) -> u64 {
        let parts = self.lists.iter().take(list).flat_map(|list| &list.skipped);
        parts.filter(|part| part.file_at.is_some()).count() as u64
    }

    /// How many parts of lists were left out.
    pub fn skipped(&self) -> u64 {
        self.lists.iter().map(|list| list.skipped.len() as u64).sum()
    }

    /// Adds lines that were handed over for writing.
    pub fn add_written(&mut self, blocks: &[Block<'_>]) {
        for block in blocks {
            self.written[block.file].append(&block.tally);
        }
    }

    /// Adds what was counted of URLs. Segments are the same for all crawlers; paths are brought into normal form for each
    /// of its own, or not, where its rules are settled before.
    pub fn add_counted(&mut self, benches: &mut [Bench]) {
        self.dot_segments += benches.first().map_or(0, |bench| bench.dot_segments);
        self.normalised += benches.iter().map(|bench| bench.normalised).sum::<u64>();
        for bench in benches {
            (bench.dot_segments, bench.normalised) = (0, 0);
        }
    }

    /// Makes sure that what was written is what was read, line by line and in order.
    pub fn balanced(&self) -> Result<(), FilterError> {
        let whole = |sorted: &Sorted| {
            let lines: u64 = sorted.tallies.iter().map(|tally| tally.lines).sum();
            let bytes: u64 = sorted.tallies.iter().map(|tally| tally.bytes).sum();
            let sum = sorted.tallies.iter().fold(0u128, |sum, tally| sum.wrapping_add(tally.sum));
            let duplicates = &self.duplicates;
            let whole = (lines + duplicates.lines, bytes + duplicates.bytes, sum.wrapping_add(duplicates.sum));
            let input = (self.input.lines, self.input.bytes + self.added_line_feeds, self.input.sum);
            sorted.counts.iter().sum::<u64>() == lines && whole == input
        };
        let expected = self.rows.map(|rows| rows.expected(&self.kept, self.added_line_feeds, &self.crawlers));
        if self.crawlers.iter().all(whole) && expected.is_none_or(|expected| expected == self.written) {
            Ok(())
        } else {
            Err(FilterError::Unbalanced)
        }
    }
}
