//! Compares what two policies say to each crawler about uses of the pages that it may fetch by both.
//!
//! For each use, the automata of its [`Preferences`] are walked beside those of both groups, so each difference has a path that may be
//! fetched. What is said of other pages is no change: it counts for nothing.

use hashbrown::HashMap;
use std::rc::Rc;

use super::change::{Change, Differences, GroupChange};
use super::compare::{Decider, Side, SideKey, applied};
use crate::automaton::{DifferSpace, PAIRS, Paths, Question, Rules};
use crate::policy::{Crawler, Policy, Record};
use crate::preferences::{Preference, PreferenceLine, Preferences, Use};
use crate::robots::SideRecord;
use crate::rules::Verdict;
use crate::show::group_kind::GroupKind;

/// What is said of a use before and now.
type Said = [Preference; 2];

/// What can be said, the least first. Without any of it a preference is unknown.
const SAID: [Preference; 3] = [Preference::Yes, Preference::Broken, Preference::No];

/// The automata of a walk: those of both groups, then for each side one for each preference of [`SAID`].
const WALKED: usize = 2 + 2 * SAID.len();

/// What decides for some crawlers on both sides, with the records that say something to them.
struct Class<'p> {
    deciders: [Decider; 2],
    columns: [usize; 2],
    records: [Vec<SideRecord<'p>>; 2],
    groups: [GroupKind; 2],
    crawlers: Vec<u16>,
}

/// A side, with the records that say something about uses.
type SideWithRecords = (SideKey, Vec<u8>);

/// Compares what is said about uses.
pub(super) struct UseComparer {
    paths: Rc<Paths>,
    shown: usize,
    space: DifferSpace<WALKED, Said>,
    /// Whether the same records say the same to each crawler, by both policies.
    are_for_the_same: bool,
    /// By both sides, each with its records.
    known: HashMap<[SideWithRecords; 2], Rc<[GroupChange]>>,
}

impl UseComparer {
    /// For these policies. Shows at most so many differences of two groups.
    pub fn new(paths: Rc<Paths>, shown: usize, policies: [&Policy; 2], crawlers: &[[Crawler; 2]]) -> UseComparer {
        let [was, now] = policies.map(Policy::columns);
        let has_one = |[was, now]: &[Crawler; 2]| was.columns().len() == 1 && was.columns() == now.columns();
        let are_for_the_same = was == now && crawlers.iter().all(has_one);
        UseComparer { paths, shown, space: DifferSpace::default(), are_for_the_same, known: HashMap::new() }
    }

    /// The changes of an origin: one for all crawlers with the same groups and records on both sides, if there is one.
    pub fn compare(
        &mut self,
        sides: [Side<'_>; 2],
        records: [&Record<'_>; 2],
        crawlers: &[[Crawler; 2]],
    ) -> Rc<[GroupChange]> {
        let lists = [0, 1].map(|side: usize| sides[side].policy.records_about_uses(records[side]));
        let [was, now] = &lists;
        if was.is_empty() && now.is_empty() || self.are_for_the_same && was == now {
            return Rc::default();
        }
        let [was, now] = lists;
        let key = [(sides[0].key(), was), (sides[1].key(), now)];
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let classes = classes(sides, key.each_ref().map(|(_, list)| &**list), crawlers);
        let changes: Rc<[GroupChange]> = classes.into_iter().filter_map(|class| self.change(sides, class)).collect();
        self.known.insert(key, Rc::clone(&changes));
        changes
    }

    /// The change for a class, if there is one.
    fn change(&mut self, sides: [Side<'_>; 2], class: Class<'_>) -> Option<GroupChange> {
        let dialect = sides[0].policy.dialect();
        let preferences = class.records.each_ref().map(|records| Preferences::of(records, dialect));
        let patterns = class.records.each_ref().map(|records| move || Preferences::patterns(records, dialect));
        let of_groups =
            [0, 1].map(|side: usize| class.deciders[side].patterns(sides[side].policy, class.columns[side]));
        let mut differences = Differences { are_all: true, ..Differences::default() };
        for use_ in Use::ALL {
            let said = |at: usize| {
                let (side, preference) = (at / SAID.len(), SAID[at % SAID.len()]);
                match preferences[side].at_least(use_, preference) {
                    Ok(words) => Rules::Of(words, &patterns[side]),
                    Err(verdict) => Rules::All(verdict),
                }
            };
            let rules = std::array::from_fn(|at| match at {
                0 | 1 => class.deciders[at].rules(sides[at].policy, &of_groups[at]),
                _ => said(at - 2),
            });
            let question = Question { rules, paths: &self.paths, tell: &tell, shown: self.shown };
            let found = self.space.differences(&question, PAIRS);
            let told = |preference: Preference| format!("{}={}", use_.name(), preference.name());
            differences.add(Differences::of(found, |said| said.map(told)), self.shown);
        }
        let change = match differences {
            Differences { count: 0, are_all: true, .. } => return None,
            Differences { count: 0, .. } => Change::Undecided,
            _ => Change::Preferences,
        };
        let Class { groups, crawlers, .. } = class;
        Some(GroupChange { change: Some(change), crawlers: crawlers.into(), differences: Rc::new(differences), groups })
    }
}

/// What the verdicts of a walk say of a page before and now, if it may be fetched by both and that is not the same.
fn tell(verdicts: [Verdict; WALKED]) -> Option<Said> {
    let (groups, said) = verdicts.split_at(2);
    let greatest = |verdicts: &[Verdict]| {
        let at = verdicts.iter().rposition(|verdict| *verdict == Verdict::Allowed);
        at.map_or(Preference::Unknown, |at| SAID[at])
    };
    let (was, now) = said.split_at(SAID.len());
    let [was, now] = [was, now].map(greatest);
    (groups == [Verdict::Allowed; 2] && was != now).then_some([was, now])
}

/// The crawlers to which lists of records do not say the same on both sides, by what decides for them and what is said.
fn classes<'p>(sides: [Side<'_>; 2], lists: [&'p [u8]; 2], crawlers: &[[Crawler; 2]]) -> Vec<Class<'p>> {
    let mut classes: Vec<Class<'p>> = Vec::new();
    let mut by_key = HashMap::new();
    for (number, both) in (0..).zip(crawlers) {
        let applied = [0, 1].map(|side: usize| applied(&sides[side], &both[side]));
        let deciders = [0, 1].map(|side: usize| Decider::of(sides[side].partition, applied[side].1));
        let [Some(was), Some(now)] = deciders else { continue };
        let columns = applied.map(|(column, _)| column);
        let records = [0, 1].map(|side: usize| Policy::records_of_column(lists[side], columns[side]));
        let [of_was, of_now] = records.each_ref().map(|records| PreferenceLine::key(records));
        if of_was == of_now {
            continue;
        }
        let at = *by_key.entry((applied.map(|(_, group)| group), of_was, of_now)).or_insert_with(|| {
            let groups = applied.map(|(_, group)| GroupKind::of(group));
            classes.push(Class { deciders: [was, now], columns, records, groups, crawlers: Vec::new() });
            classes.len() - 1
        });
        classes[at].crawlers.push(number);
    }
    classes
}
