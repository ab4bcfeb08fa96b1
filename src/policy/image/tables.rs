//! What origins share: automata, rules, side records and rows, each stored once.

use hashbrown::HashMap;

use super::layout::{AUTOMATA_UNIT, ENTRY, RULES_UNIT, SIDE_UNIT, Section};
use super::pool::{Distinct, NONE, Pool};
use super::spool::{Home, Spooled};
use super::{Parts, WriteError};
use crate::automaton::{self, Engine};
use crate::policy::groups::{self, Group};

/// The tables that an image is made of, but for the origins.
#[derive(Debug)]
pub(crate) struct Tables {
    pub automata: Distinct,
    pub rules: Distinct,
    pub side: Distinct,
    pub rows: Distinct,
    width: usize,
    pub counts: AutomataCounts,
}

/// How many automata there are, by engine, and their octets.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AutomataCounts {
    pub constant: u64,
    pub dfa: u64,
    pub pointers: u64,
    pub octets: u64,
}

impl Tables {
    /// Empty tables, for rows of so many columns.
    pub fn new(width: usize, home: &Home) -> Tables {
        Tables {
            automata: Distinct::pool(Section::Automata, AUTOMATA_UNIT, home),
            rules: Distinct::pool(Section::Rules, RULES_UNIT, home),
            side: Distinct::pool(Section::Side, SIDE_UNIT, home),
            rows: Distinct::rows(Section::Rows, width * ENTRY, home),
            width,
            counts: AutomataCounts::default(),
        }
    }

    /// The place of an automaton.
    pub fn automaton(&mut self, words: &[u32]) -> Result<u32, WriteError> {
        let (place, is_new) = self.automata.intern(bytemuck::cast_slice(words))?;
        if is_new {
            self.counts.octets += size_of_val(words) as u64;
            match automaton::engine(words) {
                Engine::Constant => self.counts.constant += 1,
                Engine::Dfa => self.counts.dfa += 1,
                Engine::Pointers => self.counts.pointers += 1,
            }
        }
        Ok(place)
    }

    /// The row of these groups, one for each column.
    pub fn row(&mut self, groups: impl IntoIterator<Item = Option<Group>>) -> Result<u32, WriteError> {
        let mut row = Vec::with_capacity(self.width * ENTRY);
        row.extend(groups.into_iter().flat_map(groups::encode));
        debug_assert_eq!(row.len(), self.width * ENTRY);
        Ok(self.rows.intern(&row)?.0)
    }

    /// The tables, to be read.
    pub fn read(&mut self) -> std::io::Result<ReadTables<'_>> {
        Ok(ReadTables {
            automata: self.automata.spool().read()?,
            rules: self.rules.spool().read()?,
            side: self.side.spool().read()?,
            rows: self.rows.spool().read()?,
        })
    }
}

/// Tables that are complete.
#[derive(Debug)]
pub(crate) struct ReadTables<'t> {
    automata: Spooled<'t>,
    rules: Spooled<'t>,
    side: Spooled<'t>,
    rows: Spooled<'t>,
}

/// Where rows and side records are copied from.
#[derive(Debug, Clone, Copy)]
struct Source<'f> {
    automata: Pool<'f>,
    rules: Pool<'f>,
    side: Pool<'f>,
    rows: &'f [u8],
}

/// Copies rows and side records from some tables into others, and remembers where they went.
#[derive(Debug)]
pub(crate) struct Copier<'f> {
    from: Source<'f>,
    /// By row: its new number plus 1; 0 where it was not copied yet.
    rows: Vec<u32>,
    automata: HashMap<u32, u32>,
    side: HashMap<u32, u32>,
}

impl<'f> Copier<'f> {
    /// From the tables of captures.
    pub fn from_tables(tables: &'f ReadTables<'_>, width: usize) -> Copier<'f> {
        let automata = Pool::new(&tables.automata, AUTOMATA_UNIT);
        let (rules, side) = (Pool::new(&tables.rules, RULES_UNIT), Pool::new(&tables.side, SIDE_UNIT));
        Copier::new(Source { automata, rules, side, rows: &tables.rows }, width)
    }

    /// From an image.
    pub fn from_parts(parts: &Parts<'f>, width: usize) -> Copier<'f> {
        let automata = Pool::new(bytemuck::cast_slice(parts.automata), AUTOMATA_UNIT);
        let rows = bytemuck::cast_slice(parts.rows);
        Copier::new(Source { automata, rules: parts.rules, side: parts.side, rows }, width)
    }

    fn new(from: Source<'f>, width: usize) -> Copier<'f> {
        let rows = vec![0; from.rows.len() / (width * ENTRY)];
        Copier { from, rows, automata: HashMap::new(), side: HashMap::new() }
    }

    /// The number of a row in `tables`.
    pub fn row(&mut self, row: u32, tables: &mut Tables) -> Result<u32, WriteError> {
        if let Some(known) = self.rows[row as usize].checked_sub(1) {
            return Ok(known);
        }
        let length = tables.width * ENTRY;
        let octets = &self.from.rows[row as usize * length..][..length];
        let mut groups = Vec::with_capacity(tables.width);
        for entry in octets.chunks_exact(ENTRY) {
            let group = groups::decode(bytemuck::pod_read_unaligned(entry));
            groups.push(match group {
                Some(group) => Some(self.group(group, tables)?),
                None => None,
            });
        }
        let copied = tables.row(groups)?;
        self.rows[row as usize] = copied + 1;
        Ok(copied)
    }

    fn group(&mut self, group: Group, tables: &mut Tables) -> Result<Group, WriteError> {
        let automaton = match self.automata.get(&group.automaton) {
            Some(&known) => known,
            None => {
                let copied = tables.automaton(bytemuck::cast_slice(self.from.automata.item(group.automaton)))?;
                self.automata.insert(group.automaton, copied);
                copied
            }
        };
        let rules = tables.rules.intern(self.from.rules.item(group.rules))?.0;
        Ok(Group { automaton, rules, own: group.own })
    }

    /// The side records at a place, as octets.
    pub fn side_records(&self, place: u32) -> &'f [u8] {
        self.from.side.item(place)
    }

    /// The place of side records in `tables`.
    pub fn side(&mut self, place: u32, tables: &mut Tables) -> Result<u32, WriteError> {
        if place == NONE {
            return Ok(NONE);
        }
        if let Some(&known) = self.side.get(&place) {
            return Ok(known);
        }
        let copied = tables.side.intern(self.from.side.item(place))?.0;
        self.side.insert(place, copied);
        Ok(copied)
    }
}
