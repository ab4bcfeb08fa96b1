//! The tables that captures share while they are collected: automata, rules, side records and rows, each item once, in
//! order of arrival. A [`Writer`](super::Writer) takes the items that an image needs, in the order of the image.

use super::gather::ItemSource;
use super::layout::{AUTOMATA_UNIT, ENTRY, RULES_UNIT, SIDE_UNIT, Section};
use super::pool::{Distinct, Pool};
use super::spool::{Home, Spooled};
use super::{Parts, WriteError};
use crate::policy::groups::{self, Group};

/// The tables that captures share.
#[derive(Debug)]
pub(crate) struct Tables {
    automata: Distinct,
    rules: Distinct,
    side: Distinct,
    rows: Distinct,
    width: usize,
}

impl Tables {
    /// Empty tables, for rows of `width` columns.
    pub fn new(width: usize, home: &Home) -> Tables {
        Tables {
            automata: Distinct::pool(Section::Automata, AUTOMATA_UNIT, home),
            rules: Distinct::pool(Section::Rules, RULES_UNIT, home),
            side: Distinct::pool(Section::Side, SIDE_UNIT, home),
            rows: Distinct::rows(Section::Rows, width * ENTRY, home),
            width,
        }
    }

    /// The place of an automaton.
    pub fn automaton(&mut self, words: &[u32]) -> Result<u32, WriteError> {
        self.automata.intern(bytemuck::cast_slice(words))
    }

    /// The place of a group's rules.
    pub fn rules(&mut self, rules: &[u8]) -> Result<u32, WriteError> {
        self.rules.intern(rules)
    }

    /// The place of side records.
    pub fn side(&mut self, list: &[u8]) -> Result<u32, WriteError> {
        self.side.intern(list)
    }

    /// The row of these groups, one for each column.
    pub fn row(&mut self, groups: impl IntoIterator<Item = Option<Group>>) -> Result<u32, WriteError> {
        let row: Vec<u8> = groups.into_iter().flat_map(groups::encode).collect();
        debug_assert_eq!(row.len(), self.width * ENTRY);
        self.rows.intern(&row)
    }

    /// The tables, for reading.
    pub fn read(&mut self) -> Result<ReadTables<'_>, WriteError> {
        Ok(ReadTables {
            automata: self.automata.spool().read()?,
            rules: self.rules.spool().read()?,
            side: self.side.spool().read()?,
            rows: self.rows.spool().read()?,
        })
    }
}

/// Complete tables.
#[derive(Debug)]
pub(crate) struct ReadTables<'t> {
    automata: Spooled<'t>,
    rules: Spooled<'t>,
    side: Spooled<'t>,
    rows: Spooled<'t>,
}

impl ReadTables<'_> {
    /// The source for a writer.
    pub fn source(&self) -> ItemSource<'_> {
        ItemSource {
            automata: Pool::new(&self.automata, AUTOMATA_UNIT),
            rules: Pool::new(&self.rules, RULES_UNIT),
            side: Pool::new(&self.side, SIDE_UNIT),
            rows: &self.rows,
        }
    }
}

impl<'p> Parts<'p> {
    /// The source for a writer.
    pub fn source(&self) -> ItemSource<'p> {
        ItemSource {
            automata: Pool::new(self.automata, AUTOMATA_UNIT),
            rules: self.rules,
            side: self.side,
            rows: bytemuck::cast_slice(self.rows),
        }
    }
}
