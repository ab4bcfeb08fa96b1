//! A run's totals, and whether it wrote exactly what it read.

use serde::{Deserialize, Serialize};

use super::balance::{self, consecutive};
use super::error::unbalanced;
use super::unique::LeftOutTallies;
use super::worker::Judged;
use crate::error::run::Error;
use crate::input::error::{Skipped, SkippedPart};
use crate::judge::tally::{Changes, CrawlerCounts, Tally, append_each, counts};
use crate::judge::urls::UrlCounts;
use crate::outcome::{Outcome, Partition};
use crate::output::TabbedLines;
use crate::output::form::{Block, OutputOptions, Splits};

/// The totals of a run so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub lists: Vec<ListTotals>,
    /// For each crawler.
    counts: Vec<OutcomeCounts>,
    /// For each crawler, if policies are compared.
    #[serde(default)]
    pub changes: Vec<Changes>,
    /// A tally for each file of each set, of the lines that were passed on for writing.
    sets: Vec<Vec<Tally>>,
    pub added_line_feeds: u64,
    pub odd: UrlCounts,
    #[serde(rename = "rows")]
    style: Option<OutputOptions>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ListTotals {
    pub input: Tally,
    kept: Tally,
    /// The lines left out.
    pub left_out: LeftOutTallies,
    /// The parts skipped because they could not be read.
    pub skipped: Vec<SkippedPart>,
    /// Its lines that are invalid because of a tab, if there are any.
    #[serde(default)]
    pub tabbed: Option<TabbedLines>,
    pub crawlers: Vec<[Tally; Partition::COUNT]>,
}

/// Lines by [`Outcome::index`].
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OutcomeCounts(#[serde(with = "counts")] [u64; Outcome::COUNT]);

/// The sum of all lists.
pub(crate) struct Whole {
    pub input: Tally,
    kept: Tally,
    pub left_out: LeftOutTallies,
    /// For each crawler, over the lines as read.
    pub crawlers: Vec<CrawlerCounts>,
}

impl Totals {
    /// The totals of a run with this many lists and sets of files, before its first chunk.
    pub fn new(lists: usize, splits: &Splits, sets: usize, style: Option<OutputOptions>) -> Totals {
        let crawlers = splits.count();
        let list = ListTotals { crawlers: vec![Default::default(); crawlers], ..ListTotals::default() };
        Totals {
            lists: vec![list; lists],
            counts: vec![OutcomeCounts([0; Outcome::COUNT]); crawlers],
            changes: vec![Changes::default(); crawlers - splits.by_one_policy()],
            sets: vec![vec![Tally::default(); style.map_or(0, OutputOptions::files)]; sets],
            added_line_feeds: 0,
            odd: UrlCounts::default(),
            style,
        }
    }

    /// Adds a judged chunk, in its turn.
    pub fn add(&mut self, list: usize, judged: &Judged) {
        let list = &mut self.lists[list];
        append_tabbed(&mut list.tabbed, judged.tabbed.as_ref(), list.input.lines);
        list.input.append(&judged.input);
        list.kept.append(&judged.kept);
        list.left_out.iter_mut().zip(&judged.left_out).for_each(|(tally, chunk)| tally.append(chunk));
        for (changes, chunk) in self.changes.iter_mut().zip(&judged.changes) {
            let of_chunk = chunk.0.as_flattened();
            changes.0.as_flattened_mut().iter_mut().zip(of_chunk).for_each(|(count, chunk)| *count += chunk);
        }
        for ((tallies, counts), chunk) in list.crawlers.iter_mut().zip(&mut self.counts).zip(&judged.crawlers) {
            append_each(tallies, &chunk.tallies);
            counts.0.iter_mut().zip(chunk.counts).for_each(|(count, chunk)| *count += chunk);
        }
        self.added_line_feeds += u64::from(judged.added_line_feed);
        self.odd.add(&judged.odd);
    }

    /// Adds the parts of lists that were skipped before the next chunk, or in its rows.
    pub fn skip(&mut self, skipped: &[Skipped]) {
        for Skipped { list, part } in skipped {
            self.lists[*list].skipped.push(part.clone());
        }
    }

    /// The number of parts of lists that were skipped.
    pub fn skipped(&self) -> u64 {
        self.lists.iter().map(|list| list.skipped.len() as u64).sum()
    }

    /// The number of lines read.
    pub fn lines(&self) -> u64 {
        self.lists.iter().map(|list| list.input.lines).sum()
    }

    /// Adds lines handed over for writing.
    pub fn add_written(&mut self, blocks: &[Block<'_>]) {
        for block in blocks {
            self.sets[block.set][block.file].append(&block.tally);
        }
    }

    /// The lines handed over for writing to a file, of all sets.
    pub fn written(&self, file: usize) -> Tally {
        consecutive(self.sets.iter().map(|files| &files[file]))
    }

    /// The sum of all lists, in their order, because several may have been read at once.
    pub fn whole(&self) -> Whole {
        let lists = &self.lists;
        let crawler = |(crawler, counts): (usize, &OutcomeCounts)| CrawlerCounts {
            tallies: std::array::from_fn(|partition| {
                consecutive(lists.iter().map(|list| &list.crawlers[crawler][partition]))
            }),
            counts: counts.0,
        };
        Whole {
            input: consecutive(lists.iter().map(|list| &list.input)),
            kept: consecutive(lists.iter().map(|list| &list.kept)),
            left_out: std::array::from_fn(|why| consecutive(lists.iter().map(|list| &list.left_out[why]))),
            crawlers: self.counts.iter().enumerate().map(crawler).collect(),
        }
    }

    /// Checks that exactly the lines read were written, in order; returns the sum of all lists.
    pub fn balanced(&self) -> Result<Whole, Error> {
        let whole = self.whole();
        let Whole { input, kept, left_out, crawlers } = &whole;
        let is_whole = |counted: &CrawlerCounts| {
            let parts = counted.tallies.iter().chain(left_out);
            counted.counts.iter().sum::<u64>() == counted.tallies.iter().map(|tally| tally.lines).sum::<u64>()
                && balance::difference(input, self.added_line_feeds, parts).is_none()
        };
        let expected = self.style.map(|style| style.expected(kept, self.added_line_feeds, crawlers));
        let mut expected = expected.iter().flatten().enumerate();
        if crawlers.iter().all(is_whole) && expected.all(|(file, expected)| *expected == self.written(file)) {
            Ok(whole)
        } else {
            Err(unbalanced())
        }
    }
}

/// Adds lines with tabs that come after this many other lines.
pub(super) fn append_tabbed(all: &mut Option<TabbedLines>, next: Option<&TabbedLines>, before: u64) {
    if let Some(next) = next {
        let all = all.get_or_insert(TabbedLines { lines: 0, first: before + next.first });
        all.lines += next.lines;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Reason;
    use crate::robots::Agents;

    /// Two of three lines are judged, and one is left out.
    #[test]
    fn totals_are_balanced_if_no_line_is_lost_or_counted_twice() {
        let balanced = |change: fn(&mut Judged)| {
            let mut judged = Judged::default();
            let mut counts = CrawlerCounts { tallies: Default::default(), counts: [0; Outcome::COUNT] };
            for (hash, outcome) in [(3, None), (5, Some(Outcome::ROBOTS_TXT)), (7, Some(Outcome::ROBOTS_TXT))] {
                judged.input.add_hashed(hash, 10);
                match outcome {
                    None => judged.left_out[0].add_hashed(hash, 10),
                    Some(outcome) => {
                        judged.kept.add_hashed(hash, 10);
                        counts.tallies[outcome.partition() as usize].add_hashed(hash, 10);
                        counts.counts[outcome.index()] += 1;
                    }
                }
            }
            judged.crawlers = vec![counts];
            change(&mut judged);
            let mut totals = Totals::new(1, &Splits::new(vec![Agents::everybody()], None, false), 1, None);
            totals.add(0, &judged);
            assert_eq!(totals.lines(), judged.input.lines);
            totals.balanced().is_ok()
        };
        assert!(balanced(|_| ()));
        assert!(!balanced(|judged| judged.input.add_hashed(9, 10)), "a line is lost");
        assert!(!balanced(|judged| judged.left_out[1].add_hashed(9, 10)), "a line is made");
        assert!(!balanced(|judged| judged.left_out[0].sum += 1), "a line is another one");
        assert!(!balanced(|judged| judged.added_line_feed = true), "a line feed is lost");
        let other = |judged: &mut Judged| {
            judged.crawlers[0].counts[Outcome::new(Partition::Deferred, Reason::Unfetched).index()] += 1;
        };
        assert!(!balanced(other), "a reason has a line more");
    }
}
