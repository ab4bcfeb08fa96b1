//! Collects the items that origins share, in the order of an image. An item is noted when an origin first needs it, and
//! copied when the image is written. Equal items from several sources are stored once.

use std::borrow::Cow;
use std::cmp::Ordering;
use xxhash_rust::xxh3::xxh3_64;

use super::answers::UrlRecord;
use super::format::Section;
use super::pool::{Distinct, ItemSource, NONE, Pool, spread};
use super::spool::SpillFolder;
use crate::automaton::{self, Engine, front};
use crate::error::policy::Error;
use crate::formats::bytes::push_text;
use crate::formats::memory::{FileTable, FileVec};
use crate::policy::groups::{Group, Row};
use crate::policy::statistics::Statistics;
use crate::policy::url_answers::StoredRules;

/// Compares the contents of stored rules, in whichever of these sources they are: the groups of their rows, with the rules and the
/// crawlers of each, then the side records.
pub(crate) fn compare_rules(sources: &[ItemSource<'_>], one: StoredRules, other: StoredRules) -> Ordering {
    let content = |StoredRules { source, row, side }: StoredRules| {
        let ItemSource { rules, side: sides, rows, crawlers, .. } = sources[source as usize];
        let mut content = Vec::new();
        for (group, set) in Row(rows.item(row)).classes() {
            content.push(group.map_or(0, |group| 1 + u8::from(group.own)));
            push_text(crawlers.item(set), &mut content);
            if let Some(group) = group {
                push_text(rules.item(group.rules), &mut content);
            }
        }
        content.extend_from_slice(sides.item(side));
        content
    };
    // Most often both are the same item.
    if one == other { Ordering::Equal } else { content(one).cmp(&content(other)) }
}

/// The items of one pool of an image.
#[derive(Debug)]
pub(crate) struct Gathered<'s> {
    section: Section,
    sources: Vec<Pool<'s>>,
    made: Vec<Box<[u8]>>,
    spill: SpillFolder,
    /// In the order of the image, those with content: the source of each item, and its places there and in the image.
    items: FileVec<NewItem>,
    /// Whether an item of a source can equal another item. With one source it cannot, because each source holds an item
    /// only once, and lists made here begin with an operator's record, which no list taken from a source has.
    may_repeat: bool,
    /// The index of each item that may repeat by 32 bits of the hash of its content.
    known: FileTable<(u32, u32)>,
    /// The items that were taken: the source of each, and its places there and in the image.
    taken: FileTable<NewItem>,
    length: u64,
}

#[derive(Debug, Clone, Copy)]
struct NewItem {
    /// The source's index, or [`MADE`].
    source: u32,
    /// Its place there, or its index in [`Gathered::made`].
    place: u32,
    new_place: u32,
}

impl NewItem {
    /// The hash of an item of a source: both halves of a product, since tables use the upper bits and the lower ones.
    fn hash(source: u32, place: u32) -> u64 {
        let product = u128::from(u64::from(source) << 32 | u64::from(place)) * 0x9e37_79b9_7f4a_7c15;
        product as u64 ^ (product >> 64) as u64
    }
}

/// Marks an item that was made here.
const MADE: u32 = u32::MAX;

impl<'s> Gathered<'s> {
    fn new(section: Section, sources: Vec<Pool<'s>>, spill: &SpillFolder) -> Gathered<'s> {
        let memory = spill.tables();
        Gathered {
            section,
            may_repeat: sources.len() > 1,
            sources,
            made: Vec::new(),
            spill: spill.clone(),
            items: FileVec::new(&memory),
            known: FileTable::new(&memory),
            taken: FileTable::new(&memory),
            length: Pool::item_size(0, section.unit()) as u64,
        }
    }

    /// The place in the image of an item of a source, with its content if it is new there.
    fn take(&mut self, source: usize, place: u32) -> Result<(u32, Option<&'s [u8]>), Error> {
        if place == NONE {
            return Ok((NONE, None));
        }
        let source = source as u32;
        let is_it = |item: &NewItem| (item.source, item.place) == (source, place);
        if let Some(item) = self.taken.find(NewItem::hash(source, place), is_it) {
            return Ok((item.new_place, None));
        }
        let content = self.sources[source as usize].item(place);
        let hash = self.may_repeat.then(|| xxh3_64(content) as u32);
        let found = hash.and_then(|hash| self.find(hash, content));
        let new_place = match found {
            Some(new_place) => new_place,
            None => self.append(source, place, hash, content.len())?,
        };
        let taken =
            self.taken.insert(NewItem { source, place, new_place }, |item| NewItem::hash(item.source, item.place));
        taken.map_err(|error| self.spill.failed(error))?;
        Ok((new_place, found.is_none().then_some(content)))
    }

    /// The place in the image of an item that is made here.
    fn make(&mut self, content: &[u8]) -> Result<u32, Error> {
        let hash = xxh3_64(content) as u32;
        if let Some(new_place) = self.find(hash, content) {
            return Ok(new_place);
        }
        let number = u32::try_from(self.made.len()).map_err(|_| self.section.full())?;
        self.made.push(content.into());
        self.append(MADE, number, Some(hash), content.len())
    }

    /// The place in the image of an item with this content, if there is one.
    fn find(&self, hash: u32, content: &[u8]) -> Option<u32> {
        let same = |&(other, item): &(u32, u32)| other == hash && self.content(&self.items[item as usize]) == content;
        self.known.find(spread(hash), same).map(|&(_, item)| self.items[item as usize].new_place)
    }

    fn content(&self, item: &NewItem) -> &[u8] {
        match item.source {
            MADE => &self.made[item.place as usize],
            source => self.sources[source as usize].item(item.place),
        }
    }

    fn append(&mut self, source: u32, place: u32, hash: Option<u32>, content: usize) -> Result<u32, Error> {
        let new_place = self.section.place(self.length, content)?;
        let index = self.items.len() as u32;
        let listed = self.items.push(NewItem { source, place, new_place });
        let known = hash.map_or(Ok(()), |hash| self.known.insert((hash, index), |&(hash, _)| spread(hash)));
        listed.and(known).map_err(|error| self.spill.failed(error))?;
        self.length += Pool::item_size(content, self.section.unit()) as u64;
        Ok(new_place)
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// The items, in the order of the image. Every pool begins with the item without content.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        [&[][..]].into_iter().chain(self.items.iter().map(|item| self.content(item)))
    }
}

#[derive(Debug)]
pub(crate) struct Shared<'s> {
    pub automata: Gathered<'s>,
    pub rules: Gathered<'s>,
    pub side: Gathered<'s>,
    pub crawlers: Gathered<'s>,
    pub rows: Distinct,
    /// The rows of each source, and how many places the sources before it have.
    sources: Vec<(Pool<'s>, usize)>,
    /// For each place of a row in the sources, its place in the image plus 1; 0 while no origin has needed it.
    taken: FileVec<u32>,
    /// Only the counts of automata.
    counts: Statistics,
}

impl<'s> Shared<'s> {
    pub fn new(sources: &[ItemSource<'s>], spill: &SpillFolder) -> Result<Shared<'s>, Error> {
        let gathered = |section, of: fn(&ItemSource<'s>) -> Pool<'s>| {
            Gathered::new(section, sources.iter().map(of).collect::<Vec<_>>(), spill)
        };
        let mut count = 0;
        let rows = sources.iter().map(|source| {
            let before = count;
            count += source.rows.places();
            (source.rows, before)
        });
        let rows: Vec<(Pool<'s>, usize)> = rows.collect();
        let taken = FileVec::filled(0, count, &spill.tables()).map_err(|error| spill.failed(error))?;
        Ok(Shared {
            automata: gathered(Section::Automata, |source| source.automata),
            rules: gathered(Section::Rules, |source| source.rules),
            side: gathered(Section::Side, |source| source.side),
            crawlers: gathered(Section::Crawlers, |source| source.crawlers),
            rows: Distinct::new(Section::Rows, spill),
            sources: rows,
            taken,
            counts: Statistics::default(),
        })
    }

    /// The place in the image of a row of a source.
    pub fn row(&mut self, source: usize, row: u32) -> Result<u32, Error> {
        let (rows, before) = self.sources[source];
        let at = before + row as usize;
        if let Some(known) = self.taken[at].checked_sub(1) {
            return Ok(known);
        }
        let Shared { automata, rules, crawlers, counts, .. } = self;
        let taken = Row(rows.item(row)).replaced(
            |group| {
                let (automaton, is_new) = automata.take(source, group.automaton)?;
                is_new.into_iter().for_each(|content| count(counts, content));
                Ok(Group { automaton, rules: rules.take(source, group.rules)?.0, own: group.own })
            },
            |set| Ok(crawlers.take(source, set)?.0),
        )?;
        let place = match self.sources.len() {
            1 => self.rows.add_new(&taken)?,
            _ => self.rows.intern(&taken)?,
        };
        self.taken[at] = place + 1;
        Ok(place)
    }

    /// The place in the image of a list of side records of a source, after the operator's own records.
    pub fn side(&mut self, source: usize, place: u32, own: &[u8]) -> Result<u32, Error> {
        if own.is_empty() {
            return Ok(self.side.take(source, place)?.0);
        }
        let of_file = self.side.sources[source].item(place);
        self.side.make(&[own, of_file].concat())
    }

    /// A URL, with its rules in the image.
    pub fn url<'u>(&mut self, url: UrlRecord<'u>) -> Result<UrlRecord<'u>, Error> {
        let mut stored = url.stored.into_owned();
        for rules in stored.rules_mut() {
            let StoredRules { source, row, side } = *rules;
            let row = self.row(source as usize, row)?;
            *rules = StoredRules { source: 0, row, side: self.side(source as usize, side, &[])? };
        }
        Ok(UrlRecord { stored: Cow::Owned(stored), ..url })
    }

    /// The statistics of the sources with those of shared items.
    pub fn statistics(&self, of_sources: Statistics) -> Statistics {
        let Statistics { automata, constant, dfa, cursors, automata_bytes, .. } = self.counts;
        Statistics { automata, constant, dfa, cursors, automata_bytes, ..of_sources }
    }
}

fn count(counts: &mut Statistics, automaton: &[u8]) {
    counts.automata += 1;
    counts.automata_bytes += automaton.len() as u64;
    // Copied if not aligned to words: bytes of a spool in memory need not be.
    let copied = |_| Cow::Owned(automaton.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect());
    let words: Cow<'_, [u32]> = bytemuck::try_cast_slice(automaton).map_or_else(copied, Cow::Borrowed);
    match automaton::engine(front::engine_words(&words)) {
        Engine::Constant => counts.constant += 1,
        Engine::Dfa => counts.dfa += 1,
        Engine::Cursors => counts.cursors += 1,
    }
}
