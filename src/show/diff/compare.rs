//! Compares what two policies say of an origin for each crawler. What was compared once is known.
//!
//! For each use of pages, the automata of its [`Preferences`] are walked beside those of both groups, so each difference has a
//! path that may be fetched by both. What is said of other pages is no change: it counts for nothing.

use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

use super::change::{Change, Difference, Differences, GroupChange};
use crate::automaton::{DifferSpace, PAIRS, Paths, Question, Rules, newer};
use crate::outcome::Partition;
use crate::policy::{Crawler, Group, Policy, Record};
use crate::preferences::{KeptUse, Preference, PreferenceLine, Preferences, SignalScope, Use, is_about_uses};
use crate::robots::{self, SideRecord};
use crate::rules::{Patterns, Verdict};
use crate::show::access::{GroupKind, Side, SideKey};

/// Whether an automaton is a layer's, and its place; or the verdict, if there is one for all paths.
type DeciderKey = (bool, Result<u32, Verdict>);

/// What paths tell of two automata, if any does, and these paths.
type Told = (Option<Change>, Arc<Differences>);

/// The group that applies to a crawler by one policy, with the column that answers.
pub(super) type Applied = (usize, Option<Group>);

/// The numbers of crawlers with the same key, with what stands beside the first of them, in order; without those that have no key.
fn alike<K: Hash + Eq, V>(crawlers: impl Iterator<Item = Option<(K, V)>>) -> Vec<(V, Vec<u16>)> {
    let mut classes: Vec<(V, Vec<u16>)> = Vec::new();
    let mut by_key = HashMap::new();
    for (number, found) in (0..).zip(crawlers) {
        let Some((key, beside)) = found else { continue };
        let at = *by_key.entry(key).or_insert_with(|| {
            classes.push((beside, Vec::new()));
            classes.len() - 1
        });
        classes[at].1.push(number);
    }
    classes
}

/// Compares groups.
pub(super) struct Comparer {
    paths: Arc<Paths>,
    shown: usize,
    space: DifferSpace<2, Verdict>,
    /// By both sides.
    known: HashMap<[SideKey; 2], Arc<[GroupChange]>>,
    /// By the automata of both sides.
    differences: HashMap<[DeciderKey; 2], Told>,
}

impl Comparer {
    /// Shows at most so many differences of two groups.
    pub fn new(paths: Arc<Paths>, shown: usize) -> Comparer {
        Comparer { paths, shown, space: DifferSpace::default(), known: HashMap::new(), differences: HashMap::new() }
    }

    /// The changes between two sides: one for all crawlers with the same groups on both.
    pub fn compare(&mut self, sides: [Side<'_>; 2], crawlers: &[[Crawler; 2]]) -> Arc<[GroupChange]> {
        let key = sides.map(|side| side.key());
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        let applied = crawlers.iter().map(|both| [0, 1].map(|side| applied(&sides[side], &both[side])));
        let classes = alike(applied.map(|applied| Some((applied.map(|(_, group)| group), applied))));
        let changes = classes.into_iter().map(|(applied, crawlers)| {
            let (change, differences) = self.of_groups(sides, applied);
            let groups = applied.map(|(_, group)| GroupKind::of(group));
            GroupChange { change, crawlers: crawlers.into(), differences, groups }
        });
        let changes: Arc<[GroupChange]> = changes.collect();
        self.known.insert(key, Arc::clone(&changes));
        changes
    }

    /// The change between two groups, and the paths that tell.
    fn of_groups(&mut self, sides: [Side<'_>; 2], applied: [Applied; 2]) -> (Option<Change>, Arc<Differences>) {
        let deciders = [0, 1].map(|side| Decider::of(sides[side].partition, applied[side].1));
        let [was, now] = match deciders {
            [None, None] => return (None, none()),
            [Some(_), None] => return (Some(Change::NowDeferred), none()),
            [None, Some(_)] => return (Some(Change::WasDeferred), none()),
            [Some(was), Some(now)] => [was, now],
        };
        let are_same = match [was, now] {
            [Decider::Of(was), Decider::Of(now)] => sides[0].policy.has_same_rules(was, sides[1].policy, now),
            [was, now] => was == now,
        };
        let (told, differences) = if are_same { (None, none()) } else { self.differences(sides, applied, [was, now]) };
        let kinds = applied.map(|(_, group)| GroupKind::of(group));
        let change = match told {
            Some(told) => Some(told),
            // What is told of the origin tells it all.
            None if sides.iter().any(|side| side.partition.is_some()) => None,
            None if kinds[0] != kinds[1] => Some(Change::Group),
            None => (!are_same).then_some(Change::Rewritten),
        };
        (change, differences)
    }

    /// What the paths tell of two deciders, if any does, and these paths.
    fn differences(&mut self, sides: [Side<'_>; 2], applied: [Applied; 2], deciders: [Decider; 2]) -> Told {
        let rows = sides.map(|side| side.policy.rows());
        if let [Decider::Of(was), Decider::Of(now)] = deciders
            && rows[0].item(was) == rows[1].item(now)
        {
            return (None, none());
        }
        let key = [0, 1].map(|side| (sides[side].is_layer, deciders[side].automaton()));
        if let Some((change, known)) = self.differences.get(&key) {
            return (*change, Arc::clone(known));
        }
        let patterns = [0, 1].map(|side| deciders[side].patterns(sides[side].policy, applied[side].0));
        let rules = [0, 1].map(|side| deciders[side].rules(sides[side].policy, &patterns[side]));
        let question = Question { rules, paths: &self.paths, tell: &newer, shown: self.shown };
        let found = self.space.differences(&question, PAIRS);
        let change = match [Verdict::Allowed, Verdict::Blocked].map(|now| found.count_of(now)) {
            [0, 0] => (!found.are_all).then_some(Change::Undecided),
            [0, _] => Some(Change::NowBlocked),
            [_, 0] => Some(Change::NowAllowed),
            [_, _] => Some(Change::Both),
        };
        let was = |now| if now == Verdict::Allowed { Verdict::Blocked } else { Verdict::Allowed };
        let tell = |now: Verdict| [was(now), now].map(|verdict| verdict.name().to_owned());
        let told = (change, Arc::new(Differences::of(found, tell)));
        self.differences.insert(key, told.clone());
        told
    }
}

/// No path tells.
fn none() -> Arc<Differences> {
    Arc::new(Differences { are_all: true, ..Differences::default() })
}

/// What decides on the paths of a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decider {
    All(Verdict),
    Of(Group),
}

impl Decider {
    /// `None` if nothing decides.
    pub fn of(partition: Option<Partition>, group: Option<Group>) -> Option<Decider> {
        match partition {
            None => Some(group.map_or(Decider::All(Verdict::Allowed), Decider::Of)),
            Some(Partition::Allowed) => Some(Decider::All(Verdict::Allowed)),
            Some(Partition::Blocked) => Some(Decider::All(Verdict::Blocked)),
            Some(Partition::Deferred | Partition::Invalid) => None,
        }
    }

    /// The place of the automaton; its verdict if it has one for all paths.
    fn automaton(self) -> Result<u32, Verdict> {
        match self {
            Decider::All(verdict) => Err(verdict),
            Decider::Of(group) => Ok(group.automaton),
        }
    }

    /// What makes the patterns of the group, by the policy that it is of, where a column answers.
    pub fn patterns(self, policy: &Policy, column: usize) -> impl Fn() -> Patterns {
        move || match self {
            Decider::Of(group) => policy.rules(group, column).patterns,
            Decider::All(_) => Patterns::default(),
        }
    }

    /// What is walked, by the policy that the group is of, with what makes its patterns.
    pub fn rules<'r>(self, policy: &'r Policy, patterns: &'r dyn Fn() -> Patterns) -> Rules<'r> {
        match self {
            Decider::All(verdict) => Rules::All(verdict),
            Decider::Of(group) => Rules::Of(policy.rows().automaton(group), patterns),
        }
    }
}

/// The group that applies to a crawler on one side.
pub(super) fn applied(side: &Side<'_>, crawler: &Crawler) -> Applied {
    side.policy.groups(crawler).answer(side.row)
}

/// What a site said of a use before, and says now.
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
    /// Whether they differ in what is said of a page.
    is_of_pages: bool,
    kept: [Kept; 2],
    groups: [GroupKind; 2],
}

/// A side, with the records that say something about uses.
type SideWithRecords = (SideKey, Vec<u8>);

/// Compares what is said about uses.
pub(super) struct UseComparer {
    paths: Arc<Paths>,
    shown: usize,
    space: DifferSpace<WALKED, Said>,
    content_signal: SignalScope,
    /// Whether the same records say the same to each crawler, by both policies.
    are_for_the_same: bool,
    /// By both sides, each with its records.
    known: HashMap<[SideWithRecords; 2], Arc<[GroupChange]>>,
}

impl UseComparer {
    /// For these policies. Shows at most so many differences of two groups.
    pub fn new(
        paths: Arc<Paths>,
        shown: usize,
        policies: [&Policy; 2],
        crawlers: &[[Crawler; 2]],
        content_signal: SignalScope,
    ) -> UseComparer {
        let [was, now] = policies.map(Policy::columns);
        let has_one = |crawlers: &[Crawler; 2]| {
            let [was, now] = [0, 1].map(|side: usize| policies[side].answering(&crawlers[side]));
            was.len() == 1 && was == now
        };
        let are_for_the_same = was == now && crawlers.iter().all(has_one);
        let space = DifferSpace::default();
        UseComparer { paths, shown, space, content_signal, are_for_the_same, known: HashMap::new() }
    }

    /// The changes of an origin: one for all crawlers with the same groups and records on both sides, if there is one.
    pub fn compare(
        &mut self,
        sides: [Side<'_>; 2],
        records: [&Record<'_>; 2],
        crawlers: &[[Crawler; 2]],
    ) -> Arc<[GroupChange]> {
        let lists = [0, 1].map(|side: usize| sides[side].policy.records_only(records[side], is_about_uses));
        let [was, now] = &lists;
        if was.is_empty() && now.is_empty() || self.are_for_the_same && was == now {
            return Arc::default();
        }
        let [was, now] = lists;
        let key = [(sides[0].key(), was), (sides[1].key(), now)];
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        let lists = key.each_ref().map(|(_, list)| &**list);
        let classes = alike(crawlers.iter().map(|both| class(sides, lists, self.content_signal, both)));
        let changes = classes.into_iter().filter_map(|(class, crawlers)| self.change(sides, &class, crawlers));
        let changes: Arc<[GroupChange]> = changes.collect();
        self.known.insert(key, Arc::clone(&changes));
        changes
    }

    /// The change for a class, if there is one.
    fn change(&mut self, sides: [Side<'_>; 2], class: &Class<'_>, crawlers: Vec<u16>) -> Option<GroupChange> {
        let mut differences = Differences { are_all: true, ..Differences::default() };
        differences.add(kept_differences(&class.kept[0], &class.kept[1]), self.shown);
        if class.is_of_pages {
            self.of_pages(sides, class, &mut differences);
        }
        let change = match differences {
            Differences { count: 0, are_all: true, .. } => return None,
            Differences { count: 0, .. } => Change::PreferencesUndecided,
            _ => Change::Preferences,
        };
        let (crawlers, differences) = (crawlers.into(), Arc::new(differences));
        Some(GroupChange { change: Some(change), crawlers, differences, groups: class.groups })
    }

    /// Adds what is said otherwise of pages that may be fetched by both.
    fn of_pages(&mut self, sides: [Side<'_>; 2], class: &Class<'_>, differences: &mut Differences) {
        let dialect = sides[0].policy.dialect();
        let preferences = class.records.each_ref().map(|records| Preferences::of(records, dialect));
        let patterns = class.records.each_ref().map(|records| move || Preferences::patterns(records, dialect));
        let of_groups =
            [0, 1].map(|side: usize| class.deciders[side].patterns(sides[side].policy, class.columns[side]));
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

/// What decides for a crawler, with what tells it from others, if lists of records do not say the same to it on both sides.
fn class<'p>(
    sides: [Side<'_>; 2],
    lists: [&'p [u8]; 2],
    scope: SignalScope,
    both: &[Crawler; 2],
) -> Option<(impl Hash + Eq + use<>, Class<'p>)> {
    let applied = [0, 1].map(|side: usize| applied(&sides[side], &both[side]));
    let deciders = [0, 1].map(|side: usize| Decider::of(sides[side].partition, applied[side].1));
    let [Some(was), Some(now)] = deciders else { return None };
    let columns = applied.map(|(column, _)| column);
    let records = [0, 1].map(|side: usize| Policy::records_of_column(lists[side], columns[side], scope));
    let of_pages = records.each_ref().map(|records| PreferenceLine::key(records));
    let kept = records.each_ref().map(|records| records.iter().flat_map(KeptUse::of).collect::<Kept>());
    let is_of_pages = of_pages[0] != of_pages[1];
    if !is_of_pages && kept[0] == kept[1] {
        return None;
    }
    let groups = applied.map(|(_, group)| GroupKind::of(group));
    let key = (applied.map(|(_, group)| group), of_pages, kept.clone());
    Some((key, Class { deciders: [was, now], columns, records, is_of_pages, kept, groups }))
}

/// What records say that is only kept. Where they stand, and how often they say it, is no difference.
type Kept = BTreeSet<KeptUse>;

/// What went and what came. Where one record of a key went and one came, it took its place.
fn kept_differences(was: &Kept, now: &Kept) -> Differences {
    let mut by_key: BTreeMap<Option<robots::SideKey>, [Vec<String>; 2]> = BTreeMap::new();
    for (side, changed) in [was.difference(now).collect::<Vec<_>>(), now.difference(was).collect()].iter().enumerate() {
        changed.iter().for_each(|one| by_key.entry(one.key()).or_default()[side].push(one.text()));
    }
    let difference = |was, now| Difference { path: Vec::new(), was, now };
    let of_key = |sides: [Vec<String>; 2]| match sides.map(<[String; 1]>::try_from) {
        [Ok([was]), Ok([now])] => vec![difference(was, now)],
        sides => {
            let [gone, new] = sides.map(|side| side.map_or_else(|side| side, Vec::from));
            let gone = gone.into_iter().map(|was| difference(was, String::new()));
            gone.chain(new.into_iter().map(|now| difference(String::new(), now))).collect()
        }
    };
    let shown: Vec<Difference> = by_key.into_values().flat_map(of_key).collect();
    Differences { count: shown.len() as u64, shown, are_all: true }
}
