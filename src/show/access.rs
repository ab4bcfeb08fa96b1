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
use crate::policy::{Crawler, Group, Groups, Policy, Record, columns_of};
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

/// How much is blocked, and what becomes of the path `/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Extent {
    pub blocked: Blocked,
    pub root: Partition,
}

impl Extent {
    /// Where all lines go to one partition.
    pub fn whole(partition: Partition) -> Extent {
        let blocked = match partition {
            Partition::Allowed => Blocked::None,
            Partition::Blocked => Blocked::All,
            Partition::Deferred | Partition::Invalid => Blocked::Deferred,
        };
        Extent { blocked, root: partition }
    }
}

/// What an origin is to a crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    pub extent: Extent,
    /// Whose group applies.
    pub group: GroupKind,
}

/// Decides how much is blocked in the origins of a policy, by the operator's choices. Each automaton is decided once, whatever the
/// number of origins and crawlers; what a status or a time decides is asked of each origin.
pub(crate) struct AccessDecider<'p> {
    policy: &'p Policy,
    decisions: DecisionTable,
    paths: Arc<Paths>,
    space: ReachSpace,
    scratch: Scratch,
    /// By the place of an automaton; of a layered policy, those of the layers above come after.
    known: [HashMap<u32, Extent>; 2],
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
            known: [HashMap::new(), HashMap::new()],
            by_column: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// The partition of all lines of an origin; `None` if its rules decide.
    fn partition(&self, record: &Record<'_>) -> Option<Partition> {
        self.decisions.of(record).partition()
    }

    /// How much of an origin is blocked for each of some crawlers, and whose group applies to it. The record is of `policy`, which
    /// is that of the decider, or that of the layers over it.
    pub fn cells(&mut self, policy: &Policy, record: &Record<'_>, crawlers: &[Crawler]) -> &[Cell] {
        let partition = self.partition(record);
        self.cells_of_row(policy, record.row, partition, crawlers)
    }

    /// The same for all origins with this row, where lines go to a partition whatever the rules, if to any.
    pub fn cells_of_row(
        &mut self,
        policy: &Policy,
        row: u32,
        partition: Option<Partition>,
        crawlers: &[Crawler],
    ) -> &[Cell] {
        let rows = policy.rows();
        let row_place = row;
        let row = rows.row(row);
        let mut by_column = std::mem::take(&mut self.by_column);
        by_column.clear();
        let without_group = self.cell(policy, &rows, partition, None, 0);
        by_column.resize(policy.columns().all().len(), without_group);
        for (group, set) in row.classes() {
            match rows.set(set) {
                None => {
                    let cell = self.cell(policy, &rows, partition, group, 0);
                    by_column.fill(cell);
                }
                Some(set) => {
                    let first = columns_of(set).next().unwrap_or(0);
                    let cell = self.cell(policy, &rows, partition, group, first);
                    columns_of(set).for_each(|column| by_column[column] = cell);
                }
            }
        }
        self.cells.clear();
        self.cells.extend(crawlers.iter().map(|crawler| match *policy.answering(crawler) {
            [column] => by_column[column],
            _ => by_column[policy.groups(crawler).answer(row_place).0],
        }));
        self.by_column = by_column;
        &self.cells
    }

    fn cell(
        &mut self,
        policy: &Policy,
        rows: &Groups<'_>,
        partition: Option<Partition>,
        group: Option<Group>,
        column: usize,
    ) -> Cell {
        let extent = match (partition, group) {
            (None, Some(group)) => self.by_rules(policy, rows, group, column),
            _ => Extent::whole(partition.unwrap_or(Partition::Allowed)),
        };
        Cell { extent, group: GroupKind::of(group) }
    }

    /// How much is blocked by the rules of a group that applies to the crawlers of a column.
    fn by_rules(&mut self, policy: &Policy, rows: &Groups<'_>, group: Group, column: usize) -> Extent {
        let layer = usize::from(!std::ptr::eq(policy, self.policy));
        if let Some(&known) = self.known[layer].get(&group.automaton) {
            return known;
        }
        let words = rows.automaton(group);
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
        let extent = Extent { blocked, root };
        self.known[layer].insert(group.automaton, extent);
        extent
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
        let mut same: HashMap<(bool, u32, Option<Partition>), u64> = HashMap::new();
        for (of, record) in policy.records() {
            let key = (std::ptr::eq(of, policy), record.row, decider.partition(&record));
            *same.entry(key).or_default() += 1;
        }
        let new = |crawler: &Crawler| AccessCounts {
            agent: crawler.agents().to_string(),
            origins: [[0; GroupKind::ALL.len()]; Blocked::ALL.len()],
            root_blocked: 0,
        };
        let mut all: Vec<AccessCounts> = crawlers.iter().map(new).collect();
        for ((is_own, row, partition), origins) in same {
            let of = if is_own { policy } else { policy.changed().unwrap_or(policy) };
            for (cell, counts) in decider.cells_of_row(of, row, partition, crawlers).iter().zip(&mut all) {
                counts.origins[cell.extent.blocked as usize][cell.group as usize] += origins;
                counts.root_blocked += if cell.extent.root == Partition::Blocked { origins } else { 0 };
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
