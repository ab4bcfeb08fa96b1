//! The tables that captures share while they are collected: automata, rules, side records and rows, each item once, in
//! order of arrival. A [`Writer`](super::Writer) takes the items that an image needs, in the order of the image.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Parts;
use super::format::Section;
use super::gather::{ItemSource, content};
use super::pool::{Distinct, Pool};
use super::spool::SpillFolder;
use crate::policy::answer::{CompareRules, StoredRules};
use crate::policy::error::WriteError;
use crate::policy::groups::{self, CrawlerClass, Row};

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
