//! What captures share while they are collected: automata, rules, side records and rows, each item once, in
//! order of arrival. A [`Writer`](super::Writer) takes the items that an image needs, in the order of the image.
//!
//! Answers that do not fit in memory become runs: sorted, in a temporary file, with the items that they share.
//! Runs are read side by side, from front to back. So the items of each are in the order in which its URLs first need them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::answers::{UrlRecord, UrlRecords, hash_of_target, push};
use super::format::{ALIGNMENT, Section};
use super::gather::{Gathered, ItemSource, Shared, content};
use super::pool::{Distinct, Pool};
use super::sections::Parts;
use super::spool::{SpillFolder, Spool};
use crate::formats::memory::List;
use crate::policy::error::WriteError;
use crate::policy::groups::{self, CrawlerClass, Row};
use crate::policy::kept::{Answer, AnswerKind, CompareRules, StoredRules};

/// The tables that captures share.
#[derive(Debug)]
pub(crate) struct Tables {
    pub automata: Distinct,
    pub rules: Distinct,
    pub side: Distinct,
    rows: Distinct,
    crawlers: Distinct,
    /// The number of columns.
    width: usize,
}

impl Tables {
    /// Empty tables, for `width` columns.
    pub fn new(width: usize, spill: &SpillFolder) -> Tables {
        Tables {
            automata: Distinct::pool(Section::Automata, spill),
            rules: Distinct::pool(Section::Rules, spill),
            side: Distinct::pool(Section::Side, spill),
            rows: Distinct::pool(Section::Rows, spill),
            crawlers: Distinct::pool(Section::Crawlers, spill),
            width,
        }
    }

    /// The row of these classes.
    pub fn row(&mut self, classes: Vec<CrawlerClass>) -> Result<u32, WriteError> {
        let row = groups::encode_row(classes, self.width, |set| self.crawlers.intern(set))?;
        self.rows.intern(&row)
    }

    /// The bytes of stored rules.
    fn content(&mut self, rules: StoredRules) -> Result<Vec<u8>, WriteError> {
        let (row, side) = (self.rows.content(rules.row)?, self.side.content(rules.side)?);
        let (rules, crawlers) = (&mut self.rules, &mut self.crawlers);
        let of = |pool: &mut Distinct, place| Ok(Cow::Owned(pool.content(place)?));
        content(Row(&row), |place| of(rules, place), |place| of(crawlers, place), &side)
    }

    /// Ends writing.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let tables = [&mut self.automata, &mut self.rules, &mut self.side, &mut self.rows, &mut self.crawlers];
        tables.into_iter().try_for_each(Distinct::finish)
    }

    /// The source for a writer, once [finished](Tables::finish).
    pub fn source(&self) -> ItemSource<'_> {
        ItemSource {
            automata: Pool::new(Section::Automata, self.automata.spool.bytes()),
            rules: Pool::new(Section::Rules, self.rules.spool.bytes()),
            side: Pool::new(Section::Side, self.side.spool.bytes()),
            rows: Pool::new(Section::Rows, self.rows.spool.bytes()),
            crawlers: Pool::new(Section::Crawlers, self.crawlers.spool.bytes()),
        }
    }
}

impl CompareRules for Tables {
    type Error = WriteError;

    fn compare(&mut self, one: StoredRules, other: StoredRules) -> Result<Ordering, WriteError> {
        // Each item is stored once.
        if (one.row, one.side) == (other.row, other.side) {
            return Ok(Ordering::Equal);
        }
        Ok(self.content(one)?.cmp(&self.content(other)?))
    }
}

impl<'p> Parts<'p> {
    /// The source for a writer.
    pub fn source(&self) -> ItemSource<'p> {
        ItemSource {
            automata: Pool::new(Section::Automata, self.automata),
            rules: self.rules,
            side: self.side,
            rows: self.rows,
            crawlers: self.crawlers,
        }
    }
}

/// The answers of some URLs, in the order of the URLs.
#[derive(Debug)]
pub(crate) struct Run {
    bytes: Spool,
    urls: Range<usize>,
    automata: Range<usize>,
    rules: Range<usize>,
    side: Range<usize>,
    rows: Range<usize>,
    crawlers: Range<usize>,
    targets: Range<usize>,
    count: u64,
}

impl Run {
    /// Writes sorted URLs, whose rules are in a source.
    pub fn write<'u>(
        urls: impl Iterator<Item = UrlRecord<'u>>,
        source: ItemSource<'_>,
        spill: &SpillFolder,
    ) -> Result<Run, WriteError> {
        let mut shared = Shared::new(&[source], spill)?;
        let (mut run, mut count, mut record) = (Spool::new(spill, Vec::new()), 0, Vec::new());
        let mut targets = List::new(&spill.tables());
        for url in urls {
            if let Some(target) = url.kept.of_kind(AnswerKind::Redirect).and_then(Answer::target) {
                targets.push(hash_of_target(target.as_bytes())).map_err(|error| spill.failed(error))?;
            }
            record.clear();
            push(&shared.url(url)?, None, &mut record);
            run.write(&record)?;
            count += 1;
        }
        let urls = 0..run.len() as usize;
        let automata = part(&mut run, |run| write_pool(run, Section::Automata, &shared.automata))?;
        let rules = part(&mut run, |run| write_pool(run, Section::Rules, &shared.rules))?;
        let side = part(&mut run, |run| write_pool(run, Section::Side, &shared.side))?;
        shared.rows.finish()?;
        let rows = part(&mut run, |run| run.write(shared.rows.spool.bytes()))?;
        let crawlers = part(&mut run, |run| write_pool(run, Section::Crawlers, &shared.crawlers))?;
        let targets = part(&mut run, |run| run.write(bytemuck::cast_slice(&targets)))?;
        run.finish()?;
        Ok(Run { bytes: run, urls, automata, rules, side, rows, crawlers, targets, count })
    }

    /// How many URLs there are.
    pub fn len(&self) -> u64 {
        self.count
    }

    fn part(&self, part: &Range<usize>) -> &[u8] {
        &self.bytes.bytes()[part.clone()]
    }

    /// The URLs, in order. Their rules are those of `source`.
    pub fn urls(&self, source: u32) -> impl Iterator<Item = UrlRecord<'_>> {
        let mut records = UrlRecords::new(self.part(&self.urls), std::iter::empty(), source);
        // It was written by this process.
        std::iter::from_fn(move || records.read().ok().flatten())
    }

    /// The [hashes](hash_of_target) of the URLs that they redirect to.
    pub fn targets(&self) -> impl Iterator<Item = u64> {
        self.part(&self.targets).chunks_exact(8).map(bytemuck::pod_read_unaligned)
    }

    /// The items that they share.
    pub fn source(&self) -> ItemSource<'_> {
        ItemSource {
            automata: Pool::new(Section::Automata, self.part(&self.automata)),
            rules: Pool::new(Section::Rules, self.part(&self.rules)),
            side: Pool::new(Section::Side, self.part(&self.side)),
            rows: Pool::new(Section::Rows, self.part(&self.rows)),
            crawlers: Pool::new(Section::Crawlers, self.part(&self.crawlers)),
        }
    }
}

/// Where `write` writes, from the next multiple of the alignment of sections.
fn part(run: &mut Spool, write: impl FnOnce(&mut Spool) -> Result<(), WriteError>) -> Result<Range<usize>, WriteError> {
    let gap = run.len().next_multiple_of(ALIGNMENT) - run.len();
    run.write(&[0; ALIGNMENT as usize][..gap as usize])?;
    let start = run.len() as usize;
    write(run)?;
    Ok(start..run.len() as usize)
}

fn write_pool(run: &mut Spool, section: Section, items: &Gathered<'_>) -> Result<(), WriteError> {
    let mut item = Vec::new();
    items.contents().try_for_each(|content| {
        item.clear();
        Pool::push(content, section.unit(), &mut item);
        run.write(&item)
    })
}
