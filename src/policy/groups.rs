//! Rows: the groups that one robots.txt has for each crawler.
//!
//! Many origins have the same groups, so each distinct row is stored once, and an origin's record holds only the number of
//! its row. Row 0 is for origins without rules.
//!
//! ```text
//! row     an entry for each column
//! entry   place of the automaton and kind u32 | place of the rules u32; all zeros where no group applies
//! kind    the lowest two bits: 1 the group is everybody's (`*`), 2 it is the crawler's own
//! ```

use super::crawlers::Crawler;
use super::image::{AUTOMATA_UNIT, Parts, Pool, Section};
use crate::automaton::front;
use crate::policy::image::format::RowEntry;

/// The group that applies to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Group {
    /// The place of its automaton.
    pub(crate) automaton: u32,
    /// The place of its rules.
    pub(crate) rules: u32,
    /// Whether it is the crawler's own, rather than that of `*`.
    pub own: bool,
}

const EVERYBODYS: u32 = 1;
const OWN: u32 = 2;
const KIND_BITS: u32 = 2;
const KIND_MASK: u32 = 3;

/// Encodes an entry of a row.
pub(crate) fn encode(group: Option<Group>) -> [u8; 8] {
    let entry = group.map_or(0, |group| {
        let kind = if group.own { OWN } else { EVERYBODYS };
        u64::from(group.automaton << KIND_BITS | kind) | u64::from(group.rules) << 32
    });
    entry.to_le_bytes()
}

/// Decodes an entry of a row.
#[inline]
pub(crate) fn decode([automaton, rules]: RowEntry) -> Option<Group> {
    let (automaton, rules) = (u32::from_le(automaton), u32::from_le(rules));
    let kind = automaton & KIND_MASK;
    (kind != 0).then_some(Group { automaton: automaton >> KIND_BITS, rules, own: kind == OWN })
}

/// The place of the automaton in an encoded entry; 0 if no group applies.
pub(crate) fn automaton_of(entry: &[u8]) -> u32 {
    decode(bytemuck::pod_read_unaligned(entry)).map_or(0, |group| group.automaton)
}

/// Checks that an entry is valid and decodes it.
pub(crate) fn check(entry: RowEntry) -> Result<Option<Group>, &'static str> {
    match (decode(entry), u32::from_le(entry[0]) & KIND_MASK) {
        (None, _) if entry != [0, 0] => Err("an entry has a group but no kind"),
        (Some(_), KIND_MASK) => Err("unknown kind of group"),
        (group, _) => Ok(group),
    }
}

/// The rows of a policy as one crawler sees them, with the automata.
#[derive(Debug, Clone)]
pub struct Groups<'p> {
    rows: &'p [RowEntry],
    /// The pool of automata.
    automata: &'p [u8],
    /// The number of columns in a row, and the columns that answer.
    width: usize,
    columns: &'p [usize],
}

impl<'p> Groups<'p> {
    pub(crate) fn new(parts: &Parts<'p>, width: usize, crawler: &'p Crawler) -> Groups<'p> {
        Groups { rows: parts.rows, automata: parts.automata, width, columns: crawler.columns() }
    }

    /// Step one: prefetches a row. Only a hint.
    #[inline]
    pub fn prefetch(&self, row: u32) {
        prefetch(self.rows, row as usize * self.width + self.columns[0]);
    }

    /// Step two: the group that applies to the crawler, if any.
    #[inline]
    pub fn group(&self, row: u32) -> Option<Group> {
        self.answer(row).1
    }

    /// Like [`Groups::group`], with the column that answers.
    #[inline]
    pub fn answer(&self, row: u32) -> (usize, Option<Group>) {
        let row = &self.rows[row as usize * self.width..][..self.width];
        if let [column] = self.columns {
            return (*column, decode(row[*column]));
        }
        let (last, before) = self.columns.split_last().expect("a crawler has a column");
        let own = before.iter().find_map(|&column| Some((column, decode(row[column]).filter(|group| group.own)?)));
        own.map_or_else(|| (*last, decode(row[*last])), |(column, group)| (column, Some(group)))
    }

    /// The groups of all columns, in order.
    pub fn row(&self, row: u32) -> impl Iterator<Item = Option<Group>> + use<'p> {
        self.rows[row as usize * self.width..][..self.width].iter().map(|&entry| decode(entry))
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len() / self.width
    }

    /// The place of the automaton of the crawler's group; 0 if no group applies.
    #[inline(always)]
    pub fn automaton_of(&self, row: u32) -> u32 {
        match self.columns {
            // An entry without a group names no automaton. Decoding the whole entry took 38 instructions more.
            [column] => u32::from_le(self.rows[row as usize * self.width + column][0]) >> KIND_BITS,
            _ => self.group(row).map_or(0, |group| group.automaton),
        }
    }

    /// Step three: prefetches the first words of an automaton. Only a hint.
    #[inline]
    pub fn prefetch_automaton(&self, place: u32) {
        // Two cache lines hold a small front and the head of the words to walk.
        for line in 0..2 {
            prefetch(self.automata, place as usize * AUTOMATA_UNIT + 64 * line);
        }
    }

    /// The bytes from a place in AUTOMATA on: first the item there, an automaton with its front.
    #[inline]
    pub fn item_at(&self, place: u32) -> &'p [u8] {
        &self.automata[place as usize * AUTOMATA_UNIT..]
    }

    /// The words to walk of the automaton at a place, and whatever follows them.
    #[inline]
    pub fn automaton_at(&self, place: u32) -> &'p [u32] {
        front::words(self.item_at(place))
    }

    /// The item of a group: its automaton with its front.
    pub fn item(&self, group: Group) -> &'p [u8] {
        Pool::new(Section::Automata, self.automata).whole_item(group.automaton)
    }

    /// The words to walk of a group's automaton.
    pub fn automaton(&self, group: Group) -> &'p [u32] {
        front::words(self.item(group))
    }
}

/// Prefetches the cache line of an element. Only a hint, valid for any `at`.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let element = slice.as_ptr().wrapping_add(at);
        // SAFETY: the instruction is part of SSE, which every x86_64 has; a prefetch neither reads nor writes
        // the memory at the pointer, so any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(number: u32, own: bool) -> Group {
        Group { automaton: number, rules: number + 1, own }
    }

    fn entry(group: Option<Group>) -> RowEntry {
        bytemuck::cast(encode(group))
    }

    #[test]
    fn the_first_own_group_counts_else_everybodys() {
        let [own, other, everybodys] = [group(5, true), group(7, true), group(9, false)];
        let rows: Vec<RowEntry> =
            [None, None, None, Some(own), Some(other), Some(everybodys), Some(everybodys), None, Some(other)]
                .map(entry)
                .to_vec();
        let of = |columns: &[usize], row| Groups { rows: &rows, automata: &[], width: 3, columns }.group(row);
        assert_eq!([0, 1, 2].map(|column| of(&[column], 0)), [None; 3]);
        assert_eq!([0, 1, 2].map(|column| of(&[column], 1)), [Some(own), Some(other), Some(everybodys)]);
        assert_eq!(of(&[1, 0], 1), Some(other));
        assert_eq!(of(&[2, 0], 1), Some(own), "everybody's is the last resort");
        assert_eq!(of(&[0, 2], 2), Some(other));
        assert_eq!(of(&[0, 1], 2), None);
        let answer = |columns: &[usize], row| Groups { rows: &rows, automata: &[], width: 3, columns }.answer(row).0;
        assert_eq!((answer(&[1, 0], 1), answer(&[2, 0], 1), answer(&[0, 1], 2)), (1, 0, 1));
    }

    #[test]
    fn entries_that_say_nothing_are_refused() {
        assert_eq!(check(entry(None)), Ok(None));
        assert_eq!(check(entry(Some(group(3, false)))), Ok(Some(group(3, false))));
        assert!(check([0, 1u32.to_le()]).is_err());
        assert!(check([4u32.to_le(), 1u32.to_le()]).is_err());
        assert!(check([7u32.to_le(), 1u32.to_le()]).is_err());
    }
}
