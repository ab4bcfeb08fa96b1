//! How much of an origin a crawler may fetch: decided by the automaton of the group that applies to it, for all paths at once.

use hashbrown::HashMap;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::automaton::{self, PAIRS, Paths, ReachSpace, Reached, Scratch};
use crate::dialect::Dialect;
use crate::judge::Choices;
use crate::judge::decision::DecisionTable;
use crate::outcome::Partition;
use crate::policy::{Crawler, Group, Policy, Record, columns_of};
use crate::rules::{AskedPaths, Verdict};

named! {
    /// How much of an origin is blocked for a crawler, of all paths that a fetcher can ask for, but for the `/robots.txt` that the
    /// dialect always allows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    pub enum Blocked {
        /// No path is blocked.
        None = "none",
        /// Some paths are blocked and others are allowed.
        Some = "some",
        /// All paths are blocked.
        All = "all",
        /// There is no verdict now on any path: the robots.txt was never fetched, or cannot be, or the origin is paused.
        Deferred = "deferred",
        /// The rules are too intricate to tell: nothing is claimed. Lines are judged nevertheless.
        Undecided = "undecided",
    }
}

/// What an origin is to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    pub blocked: Blocked,
    /// What becomes of the path `/`.
    pub root: Partition,
    /// Whose group applies.
    pub group: GroupKind,
}

/// The record of an origin, with the policy whose groups it names: the policy that was asked, or that of the layers over it.
pub(super) type Found<'p> = (&'p Policy, Record<'p>);

/// What a policy says of an origin: the policy that its row is of, which may be that of layers, and the partition of all its lines, if
/// the rules do not decide.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'p> {
    pub policy: &'p Policy,
    /// Whether that is a layer's.
    pub is_layer: bool,
    pub row: u32,
    pub partition: Option<Partition>,
}

/// What tells a side from others of the same policy.
pub(super) type SideKey = (bool, u32, Option<Partition>);

impl<'p> Side<'p> {
    /// Of an origin found in a policy. What it does not have was never fetched.
    pub fn of(policy: &'p Policy, found: Option<&Found<'p>>, decisions: &DecisionTable) -> Side<'p> {
        match found {
            None => Side { policy, is_layer: false, row: 0, partition: Some(decisions.unfetched.partition()) },
            Some((of, record)) => {
                let partition = decisions.of(record).partition();
                Side { policy: of, is_layer: !std::ptr::eq(*of, policy), row: record.row, partition }
            }
        }
    }

    pub fn key(&self) -> SideKey {
        (self.is_layer, self.row, self.partition)
    }
}

/// Decides how much is blocked in the origins of a policy, by the operator's choices. Each automaton is decided once, whatever the
/// number of origins and crawlers; what a status or a time decides is asked of each origin.
pub(crate) struct AccessDecider<'p> {
    policy: &'p Policy,
    decisions: DecisionTable,
    paths: Arc<Paths>,
    space: ReachSpace,
    scratch: Scratch,
    /// By whether an automaton is a layer's, and its place.
    known: HashMap<(bool, u32), (Blocked, Partition)>,
    by_column: Vec<Cell>,
    cells: Vec<Cell>,
}

/// The paths that can be asked for in a dialect. A thread makes them once: each origin that is inspected has a decider of its own.
pub(super) fn paths_of(dialect: &Dialect) -> Arc<Paths> {
    thread_local!(static KNOWN: RefCell<BTreeMap<&'static str, Arc<Paths>>> = const { RefCell::new(BTreeMap::new()) });
    KNOWN.with_borrow_mut(|known| {
        let paths = known.entry(dialect.name).or_insert_with(|| Arc::new(Paths::new(&AskedPaths::of(dialect))));
        Arc::clone(paths)
    })
}

impl<'p> AccessDecider<'p> {
    /// For the origins of a policy.
    pub fn new(policy: &'p Policy, choices: Choices) -> AccessDecider<'p> {
        AccessDecider {
            policy,
            decisions: DecisionTable::new(choices, policy),
            paths: paths_of(policy.dialect()),
            space: ReachSpace::default(),
            scratch: Scratch::default(),
            known: HashMap::new(),
            by_column: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// What the policy says of an origin, if it has it.
    pub(super) fn side(&self, found: Option<&Found<'p>>) -> Side<'p> {
        Side::of(self.policy, found, &self.decisions)
    }

    /// How much of an origin is blocked for each of some crawlers, and whose group applies to it.
    pub(super) fn cells(&mut self, side: Side<'_>, crawlers: &[Crawler]) -> &[Cell] {
        let rows = side.policy.rows();
        let mut by_column = std::mem::take(&mut self.by_column);
        by_column.clear();
        by_column.resize(side.policy.columns().all().len(), self.cell(side, None, 0));
        for (group, set) in rows.row(side.row).classes() {
            match rows.set(set) {
                None => by_column.fill(self.cell(side, group, 0)),
                Some(set) => {
                    let cell = self.cell(side, group, columns_of(set).next().unwrap_or(0));
                    columns_of(set).for_each(|column| by_column[column] = cell);
                }
            }
        }
        self.cells.clear();
        self.cells.extend(crawlers.iter().map(|crawler| match *side.policy.answering(crawler) {
            [column] => by_column[column],
            _ => by_column[side.policy.groups(crawler).answer(side.row).0],
        }));
        self.by_column = by_column;
        &self.cells
    }

    fn cell(&mut self, side: Side<'_>, group: Option<Group>, column: usize) -> Cell {
        let (blocked, root) = match (side.partition, group) {
            (None, Some(group)) => self.by_rules(side, group, column),
            (None | Some(Partition::Allowed), _) => (Blocked::None, Partition::Allowed),
            (Some(Partition::Blocked), _) => (Blocked::All, Partition::Blocked),
            (Some(partition), _) => (Blocked::Deferred, partition),
        };
        Cell { blocked, root, group: GroupKind::of(group) }
    }

    /// How much is blocked by the rules of a group that applies to the crawlers of a column.
    fn by_rules(
        &mut self,
        Side { policy, is_layer, .. }: Side<'_>,
        group: Group,
        column: usize,
    ) -> (Blocked, Partition) {
        if let Some(&known) = self.known.get(&(is_layer, group.automaton)) {
            return known;
        }
        let words = policy.rows().automaton(group);
        let root = match automaton::verdict(words, b"/", &mut self.scratch) {
            Verdict::Allowed => Partition::Allowed,
            Verdict::Blocked => Partition::Blocked,
        };
        let blocked = match self.space.reached(words, &self.paths, PAIRS) {
            Some(Reached::Only(Verdict::Allowed)) => Blocked::None,
            Some(Reached::Only(Verdict::Blocked)) => Blocked::All,
            Some(Reached::Both) => Blocked::Some,
            None => {
                let rules = policy.rules(group, column);
                let has_both = automaton::has_both(words, &rules.patterns, &self.paths, &mut self.scratch);
                if has_both { Blocked::Some } else { Blocked::Undecided }
            }
        };
        self.known.insert((is_layer, group.automaton), (blocked, root));
        (blocked, root)
    }
}

/// How many origins are blocked for a crawler, and how much of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AccessCounts {
    /// The crawler's name.
    pub agent: String,
    /// Origins by how much is blocked, and by whose group applies, in the order of [`GroupKind`].
    pub origins: [[u64; GroupKind::ALL.len()]; Blocked::ALL.len()],
    /// Origins where `/` is blocked.
    pub root_blocked: u64,
}

impl AccessCounts {
    /// Counts the origins of a policy for some of its crawlers, by the operator's choices.
    pub fn of(policy: &Policy, crawlers: &[Crawler], choices: Choices) -> Vec<AccessCounts> {
        let mut decider = AccessDecider::new(policy, choices);
        // Origins with the same rows and no other verdict have the same cells.
        let mut same: HashMap<SideKey, (Side<'_>, u64)> = HashMap::new();
        for found in policy.records() {
            let side = decider.side(Some(&found));
            same.entry(side.key()).or_insert((side, 0)).1 += 1;
        }
        let new = |crawler: &Crawler| AccessCounts {
            agent: crawler.agents().to_string(),
            origins: [[0; GroupKind::ALL.len()]; Blocked::ALL.len()],
            root_blocked: 0,
        };
        let mut all: Vec<AccessCounts> = crawlers.iter().map(new).collect();
        for (side, origins) in same.into_values() {
            for (cell, counts) in decider.cells(side, crawlers).iter().zip(&mut all) {
                counts.origins[cell.blocked as usize][cell.group as usize] += origins;
                counts.root_blocked += if cell.root == Partition::Blocked { origins } else { 0 };
            }
        }
        all
    }

    /// Origins of which this much is blocked.
    pub fn with(&self, blocked: Blocked) -> u64 {
        self.origins[blocked as usize].iter().sum()
    }

    /// Origins where a group of this kind applies.
    pub fn of_kind(&self, kind: GroupKind) -> u64 {
        self.origins.iter().map(|by_kind| by_kind[kind as usize]).sum()
    }
}

named! {
    /// Whose group applies to a crawler.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
    pub enum GroupKind {
        /// The crawler's own group.
        Own = "own",
        /// The group of `*`.
        Everybody = "everybody",
        /// No group applies.
        None = "none",
    }
}

impl GroupKind {
    /// Whose group this is.
    pub(crate) fn of(group: Option<Group>) -> GroupKind {
        match group {
            Some(group) if group.own => GroupKind::Own,
            Some(_) => GroupKind::Everybody,
            None => GroupKind::None,
        }
    }
}
