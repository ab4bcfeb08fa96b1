//! The items that captures share while they are collected: automata, rules, side records and rows, each stored once, in
//! order of arrival. A [`Writer`](super::Writer) takes the items that an image needs, in the order of the image.
//!
//! Answers that do not fit in memory become runs: each is a temporary file with sorted answers and the items that they
//! share. Runs are read side by side, sequentially, so the items of a run are in the order in which its URLs first need
//! them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::answers::{UrlRecord, UrlRecords, hash_of_target, push};
use super::format::{ALIGNMENT, Section};
use super::gather::{Gathered, ItemSource, Shared, content};
use super::pool::{Distinct, Pool};
use super::sections::Image;
use super::spool::{SpillFolder, Spool};
use crate::dialect::AnswerKind;
use crate::formats::memory::FileVec;
use crate::policy::error::WriteError;
use crate::policy::groups::{self, CrawlerClass, Group, Row};
use crate::policy::url_answers::{CompareRules, StoredAnswer, StoredRules};

#[derive(Debug)]
pub(crate) struct Tables {
    pub automata: Distinct,
    pub rules: Distinct,
    pub side: Distinct,
    rows: Distinct,
    crawlers: Distinct,
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

    pub fn row(&mut self, classes: Vec<CrawlerClass>) -> Result<u32, WriteError> {
        let row = groups::encode_row(classes, self.width, |set| self.crawlers.intern(set))?;
        self.rows.intern(&row)
    }

    /// Stores the row and the side records that another source has at these places.
    pub fn adopt(&mut self, from: &ItemSource<'_>, rules: StoredRules) -> Result<StoredRules, WriteError> {
        let Tables { automata, rules: written, side, rows, crawlers, .. } = self;
        let row = Row(from.rows.item(rules.row)).replaced(
            |group| {
                let automaton = automata.intern(from.automata.item(group.automaton))?;
                Ok(Group { automaton, rules: written.intern(from.rules.item(group.rules))?, own: group.own })
            },
            |set| crawlers.intern(from.crawlers.item(set)),
        )?;
        Ok(StoredRules { source: 0, row: rows.intern(&row)?, side: side.intern(from.side.item(rules.side))? })
    }

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

    /// The bytes of a shared section, once [finished](Tables::finish).
    pub fn pool(&self, section: Section) -> &[u8] {
        match section {
            Section::Automata => self.automata.spool.bytes(),
            Section::Rules => self.rules.spool.bytes(),
            Section::Side => self.side.spool.bytes(),
            Section::Rows => self.rows.spool.bytes(),
            Section::Crawlers => self.crawlers.spool.bytes(),
            _ => unreachable!("no other section is shared"),
        }
    }

    /// The source for a writer, once [finished](Tables::finish).
    pub fn source(&self) -> ItemSource<'_> {
        ItemSource::of(|section| self.pool(section))
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

impl Image {
    /// The items that its origins share.
    pub fn items(&self) -> ItemSource<'_> {
        ItemSource::of(|section| self.section(section))
    }
}

/// The answers of some URLs, in the order of the URLs.
#[derive(Debug)]
pub(crate) struct Run {
    bytes: Spool,
    urls: Range<usize>,
    pools: Vec<(Section, Range<usize>)>,
    targets: Range<usize>,
    /// The URLs with ties: for each, how many URLs come before it, and the bits of the kinds.
    tied: Range<usize>,
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
        let (mut targets, mut tied) = (FileVec::new(&spill.tables()), FileVec::new(&spill.tables()));
        for url in urls {
            if let Some(target) = url.kept.of_kind(AnswerKind::Redirect).and_then(StoredAnswer::target) {
                targets.push(hash_of_target(target.as_bytes())).map_err(|error| spill.failed(error))?;
            }
            if url.kept.tied() != 0 {
                tied.push([count, url.kept.tied()]).map_err(|error| spill.failed(error))?;
            }
            record.clear();
            push(&shared.url(url)?, None, &mut record);
            run.write(&record)?;
            count += 1;
        }
        let urls = 0..run.len() as usize;
        let mut pools = Vec::new();
        for (section, items) in [
            (Section::Automata, &shared.automata),
            (Section::Rules, &shared.rules),
            (Section::Side, &shared.side),
            (Section::Crawlers, &shared.crawlers),
        ] {
            pools.push((section, part(&mut run, |run| write_pool(run, section, items))?));
        }
        shared.rows.finish()?;
        pools.push((Section::Rows, part(&mut run, |run| run.write(shared.rows.spool.bytes()))?));
        let targets = part(&mut run, |run| run.write(bytemuck::cast_slice(&targets)))?;
        let tied = part(&mut run, |run| run.write(bytemuck::cast_slice(&tied)))?;
        run.finish()?;
        Ok(Run { bytes: run, urls, pools, targets, tied, count })
    }

    pub fn len(&self) -> u64 {
        self.count
    }

    fn part(&self, part: &Range<usize>) -> &[u8] {
        &self.bytes.bytes()[part.clone()]
    }

    /// The URLs, in order. Their rules are in `source`.
    pub fn urls(&self, source: u32) -> impl Iterator<Item = UrlRecord<'_>> {
        let mut records = UrlRecords::new(self.part(&self.urls), std::iter::empty(), source);
        let tied =
            self.part(&self.tied).chunks_exact(size_of::<[u64; 2]>()).map(bytemuck::pod_read_unaligned::<[u64; 2]>);
        let mut tied = tied.peekable();
        // It was written by this process.
        (0..).map_while(move |number| {
            let url = records.read().ok().flatten()?;
            let kinds = tied.next_if(|&[at, _]| at == number).map_or(0, |[_, kinds]| kinds);
            Some(UrlRecord { kept: Cow::Owned(url.kept.into_owned().with_tied(kinds)), ..url })
        })
    }

    /// The [hashes](hash_of_target) of the URLs that they redirect to.
    pub fn targets(&self) -> impl Iterator<Item = u64> {
        self.part(&self.targets).chunks_exact(8).map(bytemuck::pod_read_unaligned)
    }

    pub fn source(&self) -> ItemSource<'_> {
        ItemSource::of(|section| {
            let pool = self.pools.iter().find(|(pool, _)| *pool == section);
            self.part(&pool.expect("a run has all pools").1)
        })
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
