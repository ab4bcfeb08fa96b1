//! Crawlers whose automaton is not the one of most crawlers.
//!
//! The entry of an origin names the automaton of most crawlers of the policy, and the set of these crawlers. A batch is
//! first judged by these automata, for all crawlers. Then the lines whose origin has other automata, about one in
//! thirty, are judged by each of these, for the crawlers in its classes. So a line is judged once for each distinct
//! automaton of its row, however many crawlers there are.

use super::isa::Isa;
use super::outcomes::Differences;
use super::scratch::{BATCH, BatchArrays, Item, NO_KEY, Of, Other, Scratch};
use super::steps::FrontStep;
use super::urls::Readable;
use super::view::JudgeView;
use crate::origin;
use crate::outcome::Outcome;
use crate::policy::{Groups, Row, columns_of};

/// The crawlers of one call, which are judged for together.
pub(super) struct Crawlers<'a, 'p> {
    judges: &'a [JudgeView<'p>],
    /// Judges for most crawlers of each row.
    pub most: JudgeView<'p>,
    /// For each column, the crawler that it answers for, alone.
    by_column: Vec<Option<u16>>,
    /// The other crawlers: lists of tokens with several columns.
    lists: Vec<u16>,
}

impl<'a, 'p> Crawlers<'a, 'p> {
    /// Several crawlers of one policy.
    pub fn new(judges: &'a [JudgeView<'p>]) -> Crawlers<'a, 'p> {
        let most = judges[0].answered_by(&[]);
        let (mut by_column, mut lists) = (vec![None; most.policy().columns().all().len()], Vec::new());
        for (crawler, judge) in (0..).zip(judges) {
            match judge.groups.columns() {
                &[column] if by_column[column].is_none() => by_column[column] = Some(crawler),
                _ => lists.push(crawler),
            }
        }
        Crawlers { judges, most, by_column, lists }
    }

    /// Judges the lines of a batch that have other automata, once the outcomes for most are `found`.
    #[inline(always)]
    pub fn judge<I: Isa>(
        &self,
        arrays: &mut BatchArrays,
        batch: &Readable<'_>,
        scratch: &mut Scratch,
        found: &mut Differences,
    ) {
        arrays.items.count = 0;
        let mut others = std::mem::take(&mut arrays.others);
        others.clear();
        for place in 0..arrays.known.count {
            let line = arrays.known.items[place];
            let slot = arrays.slots[usize::from(line)] as usize;
            if self.most.lookup.entry(slot).set() != 0 {
                self.collect::<I>(line, slot, &mut others, arrays, batch, scratch, found);
            }
        }
        self.flush::<I>(&mut others, arrays, batch, scratch, found);
        arrays.others = others;
        for place in 0..arrays.untidy.count {
            let line = arrays.untidy.items[place];
            let at = usize::from(line);
            let (slot, kept) = (arrays.slots[at] as usize, arrays.kept[at] as usize);
            let entry = self.most.lookup.entry(slot);
            if entry.set() != 0 {
                let rest = &batch.text[arrays.paths[at] as usize..arrays.ends[at] as usize];
                let of = |judge: &JudgeView<'_>| judge.judge_rest(slot, rest, kept, scratch);
                self.judge_slowly(&self.most.groups, entry.row(), line, found, of);
            }
        }
        for place in 0..arrays.unknown.count {
            let line = arrays.unknown.items[place];
            self.judge_unknown(line, arrays, batch, scratch, found);
        }
    }

    /// Makes items of a line of a known origin for its other automata.
    #[expect(clippy::too_many_arguments, reason = "the parts of one batch")]
    fn collect<I: Isa>(
        &self,
        line: u8,
        slot: usize,
        others: &mut Vec<Other>,
        arrays: &mut BatchArrays,
        batch: &Readable<'_>,
        scratch: &mut Scratch,
        found: &mut Differences,
    ) {
        let (route, most) = self.most.route(slot);
        if !route.walks {
            return;
        }
        let place = self.most.lookup.entry(slot).row();
        let row = self.most.groups.row(place);
        let mut judge = |automaton: u32, of: Of, found: &mut Differences| {
            let other = Other { line, row: place, of };
            if automaton == 0 {
                return self.put(other, route.settled, found);
            }
            if others.len() == BATCH {
                self.flush::<I>(others, arrays, batch, scratch, found);
            }
            let at = usize::from(line);
            let (start, end, url) = (arrays.paths[at], arrays.ends[at], others.len() as u8);
            arrays.items.items[others.len()] = Item { automaton, start, end, url, outcomes: route.outcomes };
            arrays.items.count = others.len() + 1;
            others.push(other);
        };
        for class in first_classes(row).filter(|&class| self.member(&self.most.groups, row, class).is_some()) {
            judge(row.automaton(class), Of::Class(class), found);
        }
        for &crawler in &self.lists {
            let automaton = self.judges[usize::from(crawler)].groups.automaton_of(place);
            if automaton != most {
                judge(automaton, Of::List(crawler), found);
            }
        }
    }

    /// Judges the items.
    #[inline(always)]
    fn flush<I: Isa>(
        &self,
        others: &mut Vec<Other>,
        arrays: &mut BatchArrays,
        batch: &Readable<'_>,
        scratch: &mut Scratch,
        found: &mut Differences,
    ) {
        if others.is_empty() {
            return;
        }
        I::apart(FrontStep { arrays, judge: &self.most, urls: batch });
        arrays.walk(&self.most, batch, scratch);
        for (at, other) in others.drain(..).enumerate() {
            self.put(other, arrays.outcomes[at], found);
        }
        arrays.items.count = 0;
    }

    /// Judges a line whose origin, as written, is not in the table.
    fn judge_unknown(
        &self,
        line: u8,
        arrays: &BatchArrays,
        batch: &Readable<'_>,
        scratch: &mut Scratch,
        found: &mut Differences,
    ) {
        let at = usize::from(line);
        let (url, length) = (batch.get(at), arrays.lengths[at]);
        let is_plain = batch.second_looks[at] == 0 && length != NO_KEY;
        if is_plain {
            let (key, path) = url.split_at(length as usize);
            if self.most.outcome_of_unknown(key, path).is_some() {
                return;
            }
        }
        self.judge_line(url, line, scratch, found);
    }

    /// Judges any line for the crawlers whose automaton is not the one of most.
    pub fn judge_line(&self, url: &[u8], line: u8, scratch: &mut Scratch, found: &mut Differences) {
        let trimmed = origin::trimmed(url);
        let most = self.most.of_changed(trimmed).unwrap_or_else(|| self.most.clone());
        if let Ok((Some(record), _)) = most.find(trimmed) {
            self.judge_slowly(&most.groups, record.row, line, found, |judge| judge.judge_line(url, scratch));
        }
    }

    /// Judges a line for one crawler of each of its other automata, for all of them.
    fn judge_slowly(
        &self,
        groups: &Groups<'_>,
        place: u32,
        line: u8,
        found: &mut Differences,
        mut judge: impl FnMut(&JudgeView<'_>) -> Outcome,
    ) {
        let row = groups.row(place);
        for class in first_classes(row) {
            if let Some(member) = self.member(groups, row, class) {
                let outcome = judge(&self.judges[usize::from(member)]);
                self.members(groups, row, class).for_each(|crawler| found.put(crawler, line, outcome));
            }
        }
        if row.count() > 1 {
            for &crawler in &self.lists {
                found.put(crawler, line, judge(&self.judges[usize::from(crawler)]));
            }
        }
    }

    #[inline]
    fn put(&self, Other { line, row, of }: Other, outcome: Outcome, found: &mut Differences) {
        match of {
            Of::List(crawler) => found.put(crawler, line, outcome),
            Of::Class(class) => {
                let groups = &self.most.groups;
                self.members(groups, groups.row(row), class).for_each(|crawler| found.put(crawler, line, outcome));
            }
        }
    }

    /// One of the crawlers of a row with the automaton of a class.
    fn member<'g>(&self, groups: &Groups<'g>, row: Row<'g>, class: usize) -> Option<u16> {
        self.members(groups, row, class).next()
    }

    /// The crawlers of a row in the classes from one on that have its automaton.
    #[inline]
    fn members<'g>(&self, groups: &Groups<'g>, row: Row<'g>, class: usize) -> impl Iterator<Item = u16> {
        let automaton = row.automaton(class);
        let classes = (class..row.count()).take_while(move |&class| row.automaton(class) == automaton);
        let sets = groups.clone();
        let columns = classes.filter_map(move |class| sets.set(row.set(class))).flat_map(columns_of);
        columns.filter_map(|column| self.by_column[column])
    }
}

/// The first class of each automaton of a row but the first.
fn first_classes(row: Row<'_>) -> impl Iterator<Item = usize> {
    (1..row.count()).filter(move |&class| row.automaton(class) != row.automaton(class - 1))
}
