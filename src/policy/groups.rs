//! Rows: the groups of one robots.txt, each with the crawlers that it applies to.
//!
//! Crawlers for which the same groups were chosen form a class. Many origins have the same groups for the same crawlers, so each
//! distinct row is stored once, and an origin's record holds only its place. The row at place 0 is for origins without rules.
//!
//! ```text
//! row     a class after the other; if there are several: their sets, then the set of the first automaton
//! class   place of the automaton and kind u32 | place of the rules u32; all zeros where no group applies
//! kind    the lowest two bits: 1 the group is everybody's (`*`), 2 it is the crawler's own
//! set     place in CRAWLERS u32
//! ```
//!
//! Classes with the same automaton are adjacent. The automaton of most crawlers comes first: the entry in the look-up
//! table names this automaton and its crawlers, and so answers for most crawlers.

use hashbrown::HashMap;
use std::cmp::Reverse;

use super::crawlers::{is_in_set, set_count, set_length, set_of};
use super::image::{AUTOMATA_UNIT, Image, NONE, Pool, Section};
use crate::automaton::front;
use crate::error::policy::Error;
use crate::formats::memory::prefetch;

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

const CLASS: usize = 8;
const SET: usize = 4;

fn encode(group: Option<Group>) -> [u8; CLASS] {
    let class = group.map_or(0, |group| {
        let kind = if group.own { OWN } else { EVERYBODYS };
        u64::from(group.automaton << KIND_BITS | kind) | u64::from(group.rules) << 32
    });
    class.to_le_bytes()
}

/// The crawlers of one row for which the same groups were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CrawlerClass<G> {
    /// The group that applies to them, if any.
    pub group: Option<G>,
    pub columns: Vec<usize>,
}

impl CrawlerClass<Group> {
    fn automaton(&self) -> u32 {
        self.group.map_or(0, |group| group.automaton)
    }
}

/// Encodes a row of classes that have all of `width` columns together; `set` returns the place of a set.
pub(crate) fn encode_row(
    mut classes: Vec<CrawlerClass<Group>>,
    width: usize,
    mut set: impl FnMut(&[u8]) -> Result<u32, Error>,
) -> Result<Vec<u8>, Error> {
    // Of most files, all crawlers have the same groups.
    if let [CrawlerClass { group, .. }] = classes[..] {
        return Ok(group.map_or_else(Vec::new, |group| encode(Some(group)).to_vec()));
    }
    let mut of_automaton: HashMap<u32, Vec<usize>> = HashMap::new();
    for class in &classes {
        of_automaton.entry(class.automaton()).or_default().extend(&class.columns);
    }
    // Most crawlers first, and of as many those with the first column.
    let order = |columns: &[usize]| (Reverse(columns.len()), columns.iter().min().copied());
    classes.sort_by_cached_key(|class| (order(&of_automaton[&class.automaton()]), order(&class.columns)));
    let mut row: Vec<u8> = classes.iter().flat_map(|class| encode(class.group)).collect();
    if let Some(first) = classes.first() {
        let sets = classes.iter().map(|class| &class.columns).chain([&of_automaton[&first.automaton()]]);
        for columns in sets {
            let is_all = columns.len() == width;
            let place = if is_all { NONE } else { set(&set_of(columns.iter().copied(), width))? };
            row.extend_from_slice(&place.to_le_bytes());
        }
    }
    Ok(row)
}

/// A row as stored: the content of an item of ROWS.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'p>(pub &'p [u8]);

impl<'p> Row<'p> {
    #[inline]
    pub fn count(self) -> usize {
        if self.0.len() <= CLASS { 1 } else { (self.0.len() - SET) / (CLASS + SET) }
    }

    fn word(self, at: usize) -> u32 {
        let bytes = self.0.get(at..at + 4).unwrap_or(&[0; 4]);
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }

    pub fn group(self, class: usize) -> Option<Group> {
        let (automaton, rules) = (self.word(CLASS * class), self.word(CLASS * class + 4));
        let kind = automaton & KIND_MASK;
        (kind != 0).then_some(Group { automaton: automaton >> KIND_BITS, rules, own: kind == OWN })
    }

    /// The place of a class's automaton; 0 if no group applies.
    #[inline]
    pub fn automaton(self, class: usize) -> u32 {
        self.word(CLASS * class) >> KIND_BITS
    }

    #[inline]
    pub fn set(self, class: usize) -> u32 {
        match self.count() {
            1 => NONE,
            count => self.word(CLASS * count + SET * class),
        }
    }

    /// The first automaton, and the place of the set of its crawlers.
    #[inline]
    pub fn first(self) -> (u32, u32) {
        (self.automaton(0), self.set(self.count()))
    }

    /// The classes, each with the place of its set.
    pub fn classes(self) -> impl Iterator<Item = (Option<Group>, u32)> + use<'p> {
        (0..self.count()).map(move |class| (self.group(class), self.set(class)))
    }

    /// The row with other places for groups and sets.
    pub fn replaced(
        self,
        mut group: impl FnMut(Group) -> Result<Group, Error>,
        mut set: impl FnMut(u32) -> Result<u32, Error>,
    ) -> Result<Vec<u8>, Error> {
        let mut row = Vec::with_capacity(self.0.len());
        for at in 0..self.0.len().min(CLASS * self.count()) / CLASS {
            let group = self.group(at).map(&mut group).transpose()?;
            row.extend_from_slice(&encode(group));
        }
        if self.count() > 1 {
            for at in 0..=self.count() {
                row.extend_from_slice(&set(self.set(at))?.to_le_bytes());
            }
        }
        Ok(row)
    }

    /// Checks a row of a policy with this many columns; `set` returns the set at a place, if there is one, and `is_group`
    /// whether a group's places lead somewhere.
    pub fn check(
        self,
        width: usize,
        is_group: impl Fn(Group) -> bool,
        set: impl Fn(u32) -> Option<&'p [u8]>,
    ) -> Result<(), &'static str> {
        let (length, count) = (self.0.len(), self.count());
        if length != CLASS && (count < 2 || length != count * (CLASS + SET) + SET) {
            return Err("a row does not consist of whole classes");
        }
        for class in 0..count {
            match self.group(class) {
                None if self.word(CLASS * class) != 0 || self.word(CLASS * class + 4) != 0 => {
                    return Err("a class has a group but no kind");
                }
                None if count == 1 => return Err("a row without groups is not the first one"),
                None => {}
                Some(_) if self.word(CLASS * class) & KIND_MASK == KIND_MASK => return Err("unknown kind of group"),
                Some(group) if !is_group(group) => return Err("a class does not lead to an automaton and to rules"),
                Some(_) => {}
            }
        }
        if count == 1 { Ok(()) } else { self.check_sets(width, set) }
    }

    /// Checks that each crawler is in one class, and that the first automaton's set has its crawlers.
    fn check_sets(self, width: usize, set: impl Fn(u32) -> Option<&'p [u8]>) -> Result<(), &'static str> {
        let no_set = "a class does not lead to a set";
        let (mut all, mut first, mut members) = (vec![0; set_length(width)], Vec::new(), 0);
        for class in 0..self.count() {
            let set = set(self.set(class)).ok_or(no_set)?;
            all.iter_mut().zip(set).for_each(|(all, byte)| *all |= byte);
            members += set_count(set);
            if self.automaton(class) == self.automaton(0) {
                first.clone_from(&all);
            }
            if class > 0 && self.automaton(class) == self.automaton(0) && self.automaton(class - 1) != self.automaton(0)
            {
                return Err("the classes of an automaton do not follow each other");
            }
        }
        if members != width || set_count(&all) != width {
            return Err("a crawler is not in one class");
        }
        let is_first = match self.first() {
            (_, NONE) => set_count(&first) == width,
            (_, place) => set(place).ok_or(no_set)? == first,
        };
        if is_first { Ok(()) } else { Err("the set of the first automaton has other crawlers") }
    }
}

/// The rows of a policy as one crawler sees them, with the automata.
#[derive(Debug, Clone)]
pub struct Groups<'p> {
    rows: Pool<'p>,
    sets: Pool<'p>,
    automata: &'p [u8],
    /// The columns that answer; none stands for most crawlers of each row.
    columns: &'p [usize],
}

impl<'p> Groups<'p> {
    #[inline]
    pub(crate) fn new(image: &'p Image, columns: &'p [usize]) -> Groups<'p> {
        let (rows, sets) = (image.pool(Section::Rows), image.pool(Section::Crawlers));
        Groups { rows, sets, automata: image.section(Section::Automata), columns }
    }

    /// The rows of these pools, and the bytes of AUTOMATA.
    pub(crate) fn of_pools(rows: Pool<'p>, sets: Pool<'p>, automata: &'p [u8], columns: &'p [usize]) -> Groups<'p> {
        Groups { rows, sets, automata, columns }
    }

    /// The same rows, where these columns answer; none stands for most crawlers of each row.
    pub(crate) fn answered_by<'c>(&self, columns: &'c [usize]) -> Groups<'c>
    where
        'p: 'c,
    {
        Groups { columns, ..self.clone() }
    }

    /// The columns that answer; none stands for most crawlers of each row.
    pub(crate) fn columns(&self) -> &'p [usize] {
        self.columns
    }

    #[inline]
    pub(crate) fn row(&self, row: u32) -> Row<'p> {
        Row(self.rows.item(row))
    }

    /// Whether the set at this place contains all columns that answer.
    #[inline]
    pub(crate) fn are_in(&self, set: u32) -> bool {
        set == NONE || self.columns.iter().all(|&column| is_in_set(self.sets.item(set), column))
    }

    /// Whether the entries of the look-up table name the automaton in each row.
    #[inline]
    pub(crate) fn entries_name_automata(&self) -> bool {
        self.columns.is_empty() || self.sets.places() == 1
    }

    /// The set at a place; `None` if it has all crawlers.
    pub(crate) fn set(&self, place: u32) -> Option<&'p [u8]> {
        (place != NONE).then(|| self.sets.item(place))
    }

    /// Step one: prefetches a row. Only a hint.
    #[inline]
    pub fn prefetch(&self, row: u32) {
        self.rows.prefetch(row);
    }

    /// Step two: the group that applies to the crawler, if any.
    #[inline]
    pub fn group(&self, row: u32) -> Option<Group> {
        self.answer(row).1
    }

    /// Like [`Groups::group`], with the column that answers.
    #[inline]
    pub fn answer(&self, row: u32) -> (usize, Option<Group>) {
        let row = self.row(row);
        let of = |column: usize| {
            let class =
                (0..row.count()).find(|&class| self.set(row.set(class)).is_none_or(|set| is_in_set(set, column)));
            class.and_then(|class| row.group(class))
        };
        let Some((last, before)) = self.columns.split_last() else { return (0, row.group(0)) };
        let own = before.iter().find_map(|&column| Some((column, of(column).filter(|group| group.own)?)));
        own.map_or_else(|| (*last, of(*last)), |(column, group)| (column, Some(group)))
    }

    /// The place of the automaton of the crawler's group; 0 if no group applies.
    #[inline(always)]
    pub fn automaton_of(&self, row: u32) -> u32 {
        let (automaton, set) = self.row(row).first();
        if self.are_in(set) { automaton } else { self.group(row).map_or(0, |group| group.automaton) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::crawlers::check_set;
    use crate::policy::image::Starts;

    fn group(number: u32, own: bool) -> Group {
        Group { automaton: number, rules: number + 1, own }
    }

    /// Pools of sets and rows, with the place of each row.
    struct Made {
        sets: Vec<u8>,
        rows: Vec<u8>,
        places: Vec<u32>,
    }

    fn made(rows: &[[Option<Group>; 3]]) -> Made {
        let mut made = Made { sets: vec![0; 4], rows: vec![0; 4], places: Vec::new() };
        for row in rows {
            let mut classes: Vec<CrawlerClass<Group>> = Vec::new();
            for (column, &group) in row.iter().enumerate() {
                match classes.iter_mut().find(|class| class.group == group) {
                    Some(class) => class.columns.push(column),
                    None => classes.push(CrawlerClass { group, columns: vec![column] }),
                }
            }
            let set = |set: &[u8]| {
                let place = made.sets.len() as u32 / 4;
                Pool::push(set, 4, &mut made.sets);
                Ok(place)
            };
            let content = encode_row(classes, 3, set).unwrap();
            made.places.push(if content.is_empty() { 0 } else { made.rows.len() as u32 / 4 });
            if !content.is_empty() {
                Pool::push(&content, 4, &mut made.rows);
            }
        }
        made
    }

    impl Made {
        fn groups<'m>(&'m self, columns: &'m [usize]) -> Groups<'m> {
            let (rows, sets) = (Pool::new(Section::Rows, &self.rows), Pool::new(Section::Crawlers, &self.sets));
            Groups { rows, sets, automata: &[], columns }
        }
    }

    #[test]
    fn the_first_own_group_counts_else_everybodys() {
        let [own, other, everybodys] = [group(5, true), group(7, true), group(9, false)];
        let rows = [
            [None, None, None],
            [Some(own), Some(other), Some(everybodys)],
            [Some(everybodys), None, Some(other)],
            [Some(everybodys), Some(everybodys), Some(other)],
        ];
        let made = made(&rows);
        for (row, expected) in rows.iter().enumerate() {
            for (column, group) in expected.iter().enumerate() {
                let columns = [column];
                let groups = made.groups(&columns);
                assert_eq!(groups.group(made.places[row]), *group, "{row} {column}");
                let automaton = group.map_or(0, |group| group.automaton);
                assert_eq!(groups.automaton_of(made.places[row]), automaton, "{row} {column}");
            }
        }
        let of = |columns: &[usize], row: usize| made.groups(columns).answer(made.places[row]);
        assert_eq!(of(&[1, 0], 1), (1, Some(other)));
        assert_eq!(of(&[2, 0], 1), (0, Some(own)), "everybody's is the last resort");
        assert_eq!(of(&[0, 2], 2), (2, Some(other)));
        assert_eq!(of(&[0, 1], 2), (1, None));
        assert_eq!(made.groups(&[]).automaton_of(made.places[3]), 9, "that of most");
    }

    #[test]
    fn rows_that_say_nothing_are_refused() {
        let [own, everybodys] = [group(5, true), group(9, false)];
        let made = made(&[[Some(own), Some(everybodys), Some(own)]]);
        let good = Row(Pool::new(Section::Rows, &made.rows).item(made.places[0])).0.to_vec();
        let sets = Pool::new(Section::Crawlers, &made.sets);
        let starts: Starts = sets.check(|set| check_set(set, 3).map_err(|what| (0, what))).unwrap();
        let check = |row: &[u8]| {
            let set = |place: u32| (place != NONE && starts.has(place as usize)).then(|| sets.item(place));
            // It lives as long as the test.
            Row(row.to_vec().leak()).check(3, |group| group.rules == group.automaton + 1, set)
        };
        assert_eq!(check(&good), Ok(()));
        for length in 0..good.len() {
            assert!(check(&good[..length]).is_err() || length == CLASS, "{length}");
        }
        for at in 0..good.len() / 4 {
            let mut bad = good.clone();
            bad[4 * at] ^= 64;
            assert!(check(&bad).is_err(), "{at}");
        }
        assert!(check(&[0; CLASS]).is_err());
    }
}
