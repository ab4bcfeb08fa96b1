//! A run's totals, and whether it wrote exactly what it read.

use serde::{Deserialize, Serialize};

use super::worker::Judged;
use crate::input::skipped::{Skipped, SkippedPart};
use crate::judge::tally::{CrawlerCounts, Tally};
use crate::judge::urls::UrlCounts;
use crate::outcome::Partition;
use crate::output::block::Block;
use crate::output::form::Rows;
use crate::run::error::FilterError;

/// The totals of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub input: Tally,
    /// The lines left out because their URLs had occurred before.
    pub duplicates: Tally,
    /// For each crawler, over the lines as read.
    pub crawlers: Vec<CrawlerCounts>,
    /// For each file of each set, over the lines handed over for writing.
    sets: Vec<Vec<Tally>>,
    pub lists: Vec<ListTotals>,
    pub added_line_feeds: u64,
    pub odd: UrlCounts,
    rows: Option<Rows>,
}

/// The totals of a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ListTotals {
    pub input: Tally,
    kept: Tally,
    pub duplicates: Tally,
    /// The parts left out because they could not be read.
    pub skipped: Vec<SkippedPart>,
    /// For each crawler, by partition.
    pub crawlers: Vec<[Tally; Partition::COUNT]>,
}

impl Totals {
    /// The totals of a run with this many lists, crawlers and sets of files, before its first chunk.
    pub fn new(lists: usize, crawlers: usize, sets: usize, rows: Option<Rows>) -> Totals {
        let none = Tally::default();
        let list = ListTotals {
            input: none,
            kept: none,
            duplicates: none,
            skipped: Vec::new(),
            crawlers: vec![Default::default(); crawlers],
        };
        Totals {
            input: none,
            duplicates: none,
            crawlers: vec![CrawlerCounts::default(); crawlers],
            sets: vec![vec![none; rows.map_or(0, Rows::files)]; sets],
            lists: vec![list; lists],
            added_line_feeds: 0,
            odd: UrlCounts::default(),
            rows,
        }
    }

    /// Adds a judged chunk, in its turn.
    pub fn add(&mut self, list: usize, judged: &Judged) {
        let list = &mut self.lists[list];
        self.input.append(&judged.input);
        list.input.append(&judged.input);
        self.duplicates.append(&judged.duplicates);
        list.duplicates.append(&judged.duplicates);
        list.kept.append(&judged.kept);
        for ((total, of_list), counted) in self.crawlers.iter_mut().zip(&mut list.crawlers).zip(&judged.crawlers) {
            for (partition, tally) in counted.tallies.iter().enumerate() {
                total.tallies[partition].append(tally);
                of_list[partition].append(tally);
            }
            for (count, chunk) in total.counts.iter_mut().zip(counted.counts) {
                *count += chunk;
            }
        }
        self.added_line_feeds += u64::from(judged.added_line_feed);
        self.odd.add(&judged.odd);
    }

    /// Adds the parts of lists that were left out before the next chunk, or from its rows.
    pub fn skip(&mut self, skipped: &[Skipped]) {
        for Skipped { list, part } in skipped {
            self.lists[*list].skipped.push(part.clone());
        }
    }

    /// The number of parts of lists left out.
    pub fn skipped(&self) -> u64 {
        self.lists.iter().map(|list| list.skipped.len() as u64).sum()
    }

    /// Adds lines handed over for writing.
    pub fn add_written(&mut self, blocks: &[Block<'_>]) {
        for block in blocks {
            self.sets[block.set][block.file].append(&block.tally);
        }
    }

    /// Recomputes everything that depends on the order of lines, in the order of the lists, several of which may have been read
    /// at once.
    pub fn end(&mut self) {
        let lists = &self.lists;
        self.input = whole(lists.iter().map(|list| &list.input));
        self.duplicates = whole(lists.iter().map(|list| &list.duplicates));
        for (crawler, counted) in self.crawlers.iter_mut().enumerate() {
            for (partition, tally) in counted.tallies.iter_mut().enumerate() {
                *tally = whole(lists.iter().map(|list| &list.crawlers[crawler][partition]));
            }
        }
    }

    /// The lines handed over for writing to a file, of all sets.
    pub fn written(&self, file: usize) -> Tally {
        whole(self.sets.iter().map(|files| &files[file]))
    }

    /// Checks that the lines written are those read, each one and in order.
    pub fn balanced(&self) -> Result<(), FilterError> {
        let is_whole = |counted: &CrawlerCounts| {
            let lines: u64 = counted.tallies.iter().map(|tally| tally.lines).sum();
            let bytes: u64 = counted.tallies.iter().map(|tally| tally.bytes).sum();
            let sum = counted.tallies.iter().fold(0u128, |sum, tally| sum.wrapping_add(tally.sum));
            let duplicates = &self.duplicates;
            let whole = (lines + duplicates.lines, bytes + duplicates.bytes, sum.wrapping_add(duplicates.sum));
            let input = (self.input.lines, self.input.bytes + self.added_line_feeds, self.input.sum);
            counted.counts.iter().sum::<u64>() == lines && whole == input
        };
        let kept = whole(self.lists.iter().map(|list| &list.kept));
        let expected = self.rows.map(|rows| rows.expected(&kept, self.added_line_feeds, &self.crawlers));
        let mut expected = expected.iter().flatten().enumerate();
        if self.crawlers.iter().all(is_whole) && expected.all(|(file, expected)| *expected == self.written(file)) {
            Ok(())
        } else {
            Err(FilterError::Unbalanced)
        }
    }
}

/// The tally of consecutive parts.
fn whole<'t>(parts: impl Iterator<Item = &'t Tally>) -> Tally {
    parts.fold(Tally::default(), |mut whole, part| {
        whole.append(part);
        whole
    })
}
