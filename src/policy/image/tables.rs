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
use super::gather::{Gathered, Shared, compare_rules};
use super::pool::{Distinct, ItemSource, Pool, Pools};
use super::spool::{SpillFolder, Spool};
use crate::dialect::AnswerKind;
use crate::error::policy::Error;
use crate::formats::memory::FileVec;
use crate::policy::groups::{self, CrawlerClass, Group, Row};
use crate::policy::url_answers::{StoredAnswer, StoredRules};

#[derive(Debug)]
pub(crate) struct Tables {
    pub pools: Pools<Distinct>,
    width: usize,
}

impl Tables {
    /// Empty tables, for `width` columns.
    pub fn new(width: usize, spill: &SpillFolder) -> Tables {
        Tables { pools: Pools::of(|section| Distinct::new(section, spill)), width }
    }

    pub fn row(&mut self, classes: Vec<CrawlerClass<Group>>) -> Result<u32, Error> {
        let row = groups::encode_row(classes, self.width, |set| self.pools.crawlers.intern(set))?;
        self.pools.rows.intern(&row)
    }

    /// Stores the row and the side records that another source has at these places.
    pub fn adopt(&mut self, from: &ItemSource<'_>, rules: StoredRules) -> Result<StoredRules, Error> {
        let Pools { automata, rules: written, side, rows, crawlers } = &mut self.pools;
        let row = Row(from.rows.item(rules.row)).replaced(
            |group| {
                let automaton = automata.intern(from.automata.item(group.automaton))?;
                Ok(Group { automaton, rules: written.intern(from.rules.item(group.rules))?, own: group.own })
            },
            |set| crawlers.intern(from.crawlers.item(set)),
        )?;
        Ok(StoredRules { source: 0, row: rows.intern(&row)?, side: side.intern(from.side.item(rules.side))? })
    }

    /// Compares the contents of stored rules.
    pub fn compare(&self, one: StoredRules, other: StoredRules) -> Ordering {
        compare_rules(&[self.source()], one, other)
    }

    /// Ends writing.
    pub fn finish(&mut self) {
        let Pools { automata, rules, side, rows, crawlers } = &mut self.pools;
        [automata, rules, side, rows, crawlers].into_iter().for_each(Distinct::finish);
    }

    /// The items that were stored.
    pub fn source(&self) -> ItemSource<'_> {
        Pools::of(|section| self.pools.get(section).pool())
    }
}

/// The answers of some URLs, in the order of the URLs.
#[derive(Debug)]
pub(crate) struct Run {
    bytes: Spool,
    urls: Range<usize>,
    pools: Pools<Range<usize>>,
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
    ) -> Result<Run, Error> {
        let mut shared = Shared::new(&[source], spill)?;
        let (mut run, mut count, mut record) = (Spool::new(spill, Vec::new()), 0, Vec::new());
        let (mut targets, mut tied) = (FileVec::new(&spill.tables()), FileVec::new(&spill.tables()));
        for url in urls {
            if let Some(target) = url.stored.kept.of_kind(AnswerKind::Redirect).and_then(StoredAnswer::target) {
                targets.push(hash_of_target(target.as_bytes())).map_err(|error| spill.failed(error))?;
            }
            if url.stored.kept.tied() != 0 {
                tied.push([count, url.stored.kept.tied()]).map_err(|error| spill.failed(error))?;
            }
            record.clear();
            push(&shared.url(url)?, None, &mut record);
            run.write(&record)?;
            count += 1;
        }
        let urls = 0..run.len() as usize;
        let pools = Pools {
            automata: part(&mut run, |run| write_pool(run, Section::Automata, &shared.automata))?,
            rules: part(&mut run, |run| write_pool(run, Section::Rules, &shared.rules))?,
            side: part(&mut run, |run| write_pool(run, Section::Side, &shared.side))?,
            crawlers: part(&mut run, |run| write_pool(run, Section::Crawlers, &shared.crawlers))?,
            rows: part(&mut run, |run| run.write(shared.rows.bytes()))?,
        };
        let targets = part(&mut run, |run| run.write(bytemuck::cast_slice(&targets)))?;
        let tied = part(&mut run, |run| run.write(bytemuck::cast_slice(&tied)))?;
        run.finish();
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
            let mut stored = url.stored.into_owned();
            stored.kept.set_tied(tied.next_if(|&[at, _]| at == number).map_or(0, |[_, kinds]| kinds));
            Some(UrlRecord { stored: Cow::Owned(stored), ..url })
        })
    }

    /// The [hashes](hash_of_target) of the URLs that they redirect to.
    pub fn targets(&self) -> impl Iterator<Item = u64> {
        self.part(&self.targets).chunks_exact(8).map(bytemuck::pod_read_unaligned)
    }

    pub fn source(&self) -> ItemSource<'_> {
        ItemSource::of_bytes(|section| self.part(self.pools.get(section)))
    }
}

/// Where `write` writes, from the next multiple of the alignment of sections.
fn part(run: &mut Spool, write: impl FnOnce(&mut Spool) -> Result<(), Error>) -> Result<Range<usize>, Error> {
    let gap = run.len().next_multiple_of(ALIGNMENT) - run.len();
    run.write(&[0; ALIGNMENT as usize][..gap as usize])?;
    let start = run.len() as usize;
    write(run)?;
    Ok(start..run.len() as usize)
}

fn write_pool(run: &mut Spool, section: Section, items: &Gathered<'_>) -> Result<(), Error> {
    let mut item = Vec::new();
    items.contents().try_for_each(|content| {
        item.clear();
        Pool::push(content, section.unit(), &mut item);
        run.write(&item)
    })
}
