//! Determinisation of ranked globs, directly.
//!
//! Three facts that a general regex engine cannot know keep this small:
//!
//! 1. Of one pattern, only its furthest `*` counts: whatever an earlier one could still match, the later one can too.
//!    So a pattern *waits* for at most one of its segments, and it waits for good.
//! 2. An accepted prefix is accepted for good, and patterns of worse bands are dead from then on.
//! 3. Where no live pattern could change the verdict, the walk is over: the state is *settled*.
//!
//! A [`Context`] is what holds for good: the best band so far and the segments waited for. A state is a context and the
//! positions *in progress* in it. The positions are held as in Aho and Corasick's automaton: a state has those of the
//! longest progress itself and a failure link to the state that has the shorter ones, down to the context's root, which
//! has none in progress. An edge is stored only where a state's own progress goes on, everything else is the failure
//! link's. So a state costs what is new in it, however many segments are waited for beside it.
//!
//! When a segment completes, its pattern waits for the next one in a new context, in which only old segments can be in
//! progress: [`Builder::rebase`] carries exactly those over. A position is therefore explicit (segment and offset), and
//! not merely "the longest suffix", which would count octets twice that the completed segment has used up.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

use super::bands::{Band, NO_MATCH, opposite};
use super::table::LONGEST_RUN;

/// A segment of a pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// Where its octets begin in the text.
    pub start: u32,
    /// How many there are.
    pub len: u32,
    /// The band of its pattern.
    pub band: Band,
    /// Whether it is the first of its pattern, anchored at the start of the path.
    pub first: bool,
    /// Whether it is the last of its pattern; the next item is the next segment otherwise.
    pub last: bool,
    /// Whether its pattern must reach the end of the path; only asked of the last.
    pub anchored: bool,
}

/// How far a segment has matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Position {
    item: u32,
    offset: u32,
}

/// What holds for good.
#[derive(Debug)]
struct Context {
    best: Band,
    /// Items waited for, sorted; at most one of each pattern.
    waiting: Box<[u32]>,
    /// The state with nothing in progress.
    root: StateId,
    /// Whether a waiting pattern says the opposite of the best band.
    undecided: bool,
}

pub(super) type StateId = u32;

/// Where a state goes on octets of its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Edges {
    /// Not computed yet.
    Unknown,
    /// One octet, one target each: a range of [`Builder::edges`], sorted by octet.
    Branch { start: u32, end: u32 },
    /// A literal run of `len` octets of the text, with no state of its own in between; the failure link holds all
    /// along.
    Run { text: u32, len: u32, target: StateId },
}

/// An edge of a branch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub octet: u8,
    pub target: StateId,
}

#[derive(Debug)]
pub(super) struct State {
    context: u32,
    /// The state of shorter progress; the root of a context has none.
    pub fail: Option<StateId>,
    /// Its own positions, a range of [`Builder::positions`].
    progress: (u32, u32),
    /// The best band if the path ends here.
    pub end: Band,
    /// Whether no live pattern can change the verdict of the context.
    pub settled: bool,
    pub edges: Edges,
}

/// The work spent is beyond the budget: this group is not for a DFA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OverBudget;

/// Builds states until all that are reachable are there, or the budget is spent.
pub(super) struct Builder<'a> {
    text: &'a [u8],
    items: &'a [Item],
    contexts: Vec<Context>,
    contexts_by_content: HashTable<u32>,
    pub states: Vec<State>,
    states_by_content: HashTable<StateId>,
    positions: Vec<Position>,
    pub edges: Vec<Edge>,
    hasher: hashbrown::DefaultHashBuilder,
    /// Space for the positions at hand, used again and again.
    advances: Vec<(u8, Position)>,
    landing: Vec<Position>,
    work: usize,
    budget: usize,
}

impl<'a> Builder<'a> {
    /// A builder for `items`, whose octets are in `text`, that gives up after `budget` units of work: positions looked
    /// at, states made, waiting items copied.
    pub fn new(text: &'a [u8], items: &'a [Item], budget: usize) -> Builder<'a> {
        Builder {
            text,
            items,
            contexts: Vec::new(),
            contexts_by_content: HashTable::new(),
            states: Vec::new(),
            states_by_content: HashTable::new(),
            positions: Vec::new(),
            edges: Vec::new(),
            hasher: hashbrown::DefaultHashBuilder::default(),
            advances: Vec::new(),
            landing: Vec::new(),
            work: 0,
            budget,
        }
    }

    /// The work spent so far.
    pub fn work(&self) -> usize {
        self.work
    }

    /// The state before the first octet.
    pub fn start(&mut self) -> Result<StateId, OverBudget> {
        let context = self.context(NO_MATCH, Vec::new());
        let first = (0..self.items.len() as u32).filter(|&item| self.items[item as usize].first);
        let mut positions = first.map(|item| Position { item, offset: 0 }).collect();
        self.land(self.contexts[context as usize].root, &mut positions)
    }

    /// The octets of a run.
    pub fn run(&self, text: u32, len: u32) -> &'a [u8] {
        &self.text[text as usize..(text + len) as usize]
    }

    /// The best band in a state where nothing of the state's own completes at the end of the path.
    pub fn best(&self, state: StateId) -> Band {
        self.contexts[self.states[state as usize].context as usize].best
    }

    /// The item of its own that is complete in `state`, if any.
    pub fn completed(&self, state: StateId) -> Option<u32> {
        let complete = |position: &&Position| position.offset == self.items[position.item as usize].len;
        self.progress(state).iter().find(complete).map(|position| position.item)
    }

    /// The first two octets of each segment that is waited for in the context of `state`; one, if it has no more.
    pub fn waited_for(&self, state: StateId) -> Vec<(u8, Option<u8>)> {
        let context = &self.contexts[self.states[state as usize].context as usize];
        let octets = |&item: &u32| {
            let first = self.octet_at(Position { item, offset: 0 })?;
            Some((first, self.octet_at(Position { item, offset: 1 })))
        };
        context.waiting.iter().filter_map(octets).collect()
    }

    /// Computes the edges of `state`, and of the states that its failure links lead to.
    pub fn expand(&mut self, state: StateId) -> Result<(), OverBudget> {
        let known = |id: StateId| !matches!(self.states[id as usize].edges, Edges::Unknown);
        if !known(state) && self.states[state as usize].fail.is_none_or(known) {
            self.states[state as usize].edges = self.edges_of(state)?;
            return Ok(());
        }
        // A failure link leads to shorter progress, so this ends; a stack instead of recursion, because the input
        // decides how long the chain is.
        let mut stack = vec![state];
        while let Some(&top) = stack.last() {
            let State { fail, edges, .. } = self.states[top as usize];
            let unknown = |id: StateId| matches!(self.states[id as usize].edges, Edges::Unknown);
            match fail {
                _ if !matches!(edges, Edges::Unknown) => drop(stack.pop()),
                Some(fail) if unknown(fail) => stack.push(fail),
                _ => {
                    self.states[top as usize].edges = self.edges_of(top)?;
                    stack.pop();
                }
            }
        }
        Ok(())
    }

    /// Where `state`, which is expanded, goes on `octet`.
    pub fn behind(&mut self, state: StateId, octet: u8) -> Result<StateId, OverBudget> {
        self.next(state, octet)
    }

    fn spend(&mut self, work: usize) -> Result<(), OverBudget> {
        self.work += work;
        if self.work > self.budget { Err(OverBudget) } else { Ok(()) }
    }

    fn octet_at(&self, position: Position) -> Option<u8> {
        let item = &self.items[position.item as usize];
        (position.offset < item.len).then(|| self.text[(item.start + position.offset) as usize])
    }

    fn progress(&self, state: StateId) -> &[Position] {
        let (start, end) = self.states[state as usize].progress;
        &self.positions[start as usize..end as usize]
    }

    /// Where the positions of a state go, as (octet, advanced position), sorted.
    fn fill_advances(&self, state: StateId, advances: &mut Vec<(u8, Position)>) {
        let advance = |position: &Position| {
            self.octet_at(*position).map(|octet| (octet, Position { offset: position.offset + 1, ..*position }))
        };
        advances.clear();
        match self.states[state as usize].fail {
            Some(_) => advances.extend(self.progress(state).iter().filter_map(advance)),
            None => {
                let waiting = &self.contexts[self.states[state as usize].context as usize].waiting;
                advances.extend(waiting.iter().filter_map(|&item| advance(&Position { item, offset: 0 })));
            }
        }
        // Items are in the order of their octets, so the positions mostly are, too.
        if !advances.is_sorted() {
            advances.sort_unstable();
        }
    }

    fn edges_of(&mut self, state: StateId) -> Result<Edges, OverBudget> {
        let mut advances = std::mem::take(&mut self.advances);
        let mut landing = std::mem::take(&mut self.landing);
        self.fill_advances(state, &mut advances);
        self.spend(1 + advances.len())?;
        let edges = match self.run_of(state, &advances, &mut landing)? {
            Some(run) => run,
            None => self.branch_of(state, &advances, &mut landing)?,
        };
        (self.advances, self.landing) = (advances, landing);
        Ok(edges)
    }

    fn branch_of(
        &mut self,
        state: StateId,
        advances: &[(u8, Position)],
        landing: &mut Vec<Position>,
    ) -> Result<Edges, OverBudget> {
        let fail = self.states[state as usize].fail;
        let start = self.edges.len() as u32;
        for group in advances.chunk_by(|a, b| a.0 == b.0) {
            let octet = group[0].0;
            let fail = match fail {
                Some(fail) => self.next(fail, octet)?,
                None => state,
            };
            landing.clear();
            landing.extend(group.iter().map(|&(_, position)| position));
            let target = self.land(fail, landing)?;
            self.edges.push(Edge { octet, target });
        }
        Ok(Edges::Branch { start, end: self.edges.len() as u32 })
    }

    /// The run that begins at `state`: as long as all its positions go on with the same octet, none completes, and the
    /// octet means nothing to the failure link.
    fn run_of(
        &mut self,
        state: StateId,
        advances: &[(u8, Position)],
        landing: &mut Vec<Position>,
    ) -> Result<Option<Edges>, OverBudget> {
        let (Some(fail), Some(&(octet, first)), Some(&(last_octet, _))) =
            (self.states[state as usize].fail, advances.first(), advances.last())
        else {
            return Ok(None);
        };
        let is_root = self.states[fail as usize].fail.is_none();
        if !is_root || octet != last_octet || self.own_edge(fail, octet).is_some() {
            return Ok(None);
        }
        let text = self.items[first.item as usize].start + first.offset - 1;
        landing.clear();
        landing.extend(advances.iter().map(|&(_, position)| position));
        let more = self.common_octets(fail, landing)?;
        landing.iter_mut().for_each(|position| position.offset += more);
        let target = self.land(fail, landing)?;
        Ok(Some(Edges::Run { text, len: 1 + more, target }))
    }

    /// How many more octets the positions have in common, which mean nothing to the root `fail`, before one completes.
    fn common_octets(&mut self, fail: StateId, positions: &[Position]) -> Result<u32, OverBudget> {
        let rest = |position: &Position| {
            let item = &self.items[position.item as usize];
            &self.text[(item.start + position.offset) as usize..(item.start + item.len) as usize]
        };
        let (first, last) = (rest(&positions[0]), rest(&positions[positions.len() - 1]));
        let shared = || first.iter().zip(last).take_while(|(a, b)| a == b);
        let context = self.states[fail as usize].context;
        if self.contexts[context as usize].waiting.is_empty() {
            // Only first segments, at the same offset, in the order of their octets: what the first and the last have
            // in common, all have.
            return Ok((shared().count() as u32).min(LONGEST_RUN - 1));
        }
        let octets = shared().take_while(|&(&octet, _)| self.own_edge(fail, octet).is_none()).count();
        let others = &positions[1..positions.len().max(2) - 1];
        let common = others
            .iter()
            .fold(octets, |common, other| rest(other).iter().zip(&first[..common]).take_while(|(a, b)| a == b).count());
        self.spend(common * others.len())?;
        Ok((common as u32).min(LONGEST_RUN - 1))
    }

    /// Where a state's own branch goes on `octet`.
    fn own_edge(&self, state: StateId, octet: u8) -> Option<StateId> {
        let Edges::Branch { start, end } = self.states[state as usize].edges else { return None };
        let edges = &self.edges[start as usize..end as usize];
        edges.binary_search_by_key(&octet, |edge| edge.octet).ok().map(|at| edges[at].target)
    }

    /// Where `state` goes on `octet`: its own edge, or its failure link's. The edges of both are known.
    fn next(&mut self, mut state: StateId, octet: u8) -> Result<StateId, OverBudget> {
        loop {
            self.spend(1)?;
            match (self.states[state as usize].edges, self.states[state as usize].fail) {
                (Edges::Run { text, len, target }, Some(fail)) if self.text[text as usize] == octet => {
                    if len == 1 {
                        return Ok(target);
                    }
                    // The middle of a run has no state of its own until somebody wants one.
                    let mut advances = Vec::new();
                    self.fill_advances(state, &mut advances);
                    let mut positions = advances.into_iter().map(|(_, position)| position).collect();
                    return self.land(fail, &mut positions);
                }
                (_, fail) => match (self.own_edge(state, octet), fail) {
                    (Some(target), _) => return Ok(target),
                    (None, Some(fail)) => state = fail,
                    (None, None) => return Ok(state),
                },
            }
        }
    }

    /// The state with `positions` just advanced, on top of `fail`: what completes is accepted, or waits for the next
    /// segment.
    fn land(&mut self, fail: StateId, positions: &mut Vec<Position>) -> Result<StateId, OverBudget> {
        self.spend(positions.len())?;
        let context = self.states[fail as usize].context;
        let mut best = self.contexts[context as usize].best;
        let mut completed = Vec::new();
        positions.retain(|&position| {
            let item = &self.items[position.item as usize];
            if !self.is_live(context, position) {
                return false;
            }
            if position.offset < item.len || (item.last && item.anchored) {
                return true;
            }
            if item.last {
                best = best.max(item.band);
            } else {
                completed.push(position.item);
            }
            false
        });
        if best == self.contexts[context as usize].best && completed.is_empty() {
            return Ok(self.state(fail, positions));
        }
        let context = self.advanced_context(context, best, &completed)?;
        let fail = self.rebase(fail, context)?;
        positions.retain(|&position| self.is_live(context, position));
        Ok(self.state(fail, positions))
    }

    /// Whether a position can still matter in a context: its pattern is better than the best, and waits for this item.
    fn is_live(&self, context: u32, position: Position) -> bool {
        let context = &self.contexts[context as usize];
        let item = &self.items[position.item as usize];
        item.band > context.best && (item.first || context.waiting.binary_search(&position.item).is_ok())
    }

    /// The context after `context` in which the best band is `best` and the `completed` items' patterns wait for their
    /// next ones.
    fn advanced_context(&mut self, context: u32, best: Band, completed: &[u32]) -> Result<u32, OverBudget> {
        let old = &self.contexts[context as usize];
        let live = |item: &u32| self.items[*item as usize].band > best;
        let mut waiting: Vec<u32> = old.waiting.iter().copied().filter(live).collect();
        if !completed.is_empty() {
            // Positions are sorted, and so are the items that they complete.
            waiting.retain(|item| completed.binary_search(item).is_err());
            waiting.extend(completed.iter().map(|item| item + 1).filter(live));
            waiting.sort_unstable();
        }
        let copied = old.waiting.len() + waiting.len();
        self.spend(copied)?;
        Ok(self.context(best, waiting))
    }

    /// The same progress as `state`'s in another context, as far as it is live there.
    fn rebase(&mut self, state: StateId, context: u32) -> Result<StateId, OverBudget> {
        let mut chain = Vec::new();
        let mut link = state;
        while let Some(fail) = self.states[link as usize].fail {
            chain.push(link);
            link = fail;
        }
        let mut base = self.contexts[context as usize].root;
        for &link in chain.iter().rev() {
            let progress = self.progress(link);
            let seen = progress.len();
            let live: Vec<_> = progress.iter().copied().filter(|&position| self.is_live(context, position)).collect();
            self.spend(1 + seen)?;
            base = self.state(base, &live);
        }
        Ok(base)
    }

    /// The context of this content.
    fn context(&mut self, best: Band, waiting: Vec<u32>) -> u32 {
        let hash = self.hasher.hash_one((best, &waiting[..]));
        let same = |&id: &u32| {
            let context = &self.contexts[id as usize];
            context.best == best && *context.waiting == *waiting
        };
        if let Some(&id) = self.contexts_by_content.find(hash, same) {
            return id;
        }
        let id = self.contexts.len() as u32;
        let root = self.states.len() as StateId;
        let undecided = waiting.iter().any(|&item| opposite(self.items[item as usize].band, best));
        self.states.push(State {
            context: id,
            fail: None,
            progress: (0, 0),
            end: best,
            settled: !undecided,
            edges: Edges::Unknown,
        });
        self.contexts.push(Context { best, waiting: waiting.into(), root, undecided });
        let (contexts, hasher) = (&self.contexts, &self.hasher);
        self.contexts_by_content.insert_unique(hash, id, |&id| {
            hasher.hash_one((contexts[id as usize].best, &contexts[id as usize].waiting[..]))
        });
        id
    }

    /// The state with these live positions on top of `fail`; `fail` itself where there are none.
    fn state(&mut self, fail: StateId, positions: &[Position]) -> StateId {
        if positions.is_empty() {
            return fail;
        }
        let State { context, end, .. } = self.states[fail as usize];
        // Where nothing waits, a state is known by the octets that lead to it, and none comes up twice.
        let shared = !self.contexts[context as usize].waiting.is_empty();
        let hash = if shared { self.hasher.hash_one((fail, positions)) } else { 0 };
        if shared {
            let same = |&id: &StateId| self.states[id as usize].fail == Some(fail) && self.progress(id) == positions;
            if let Some(&id) = self.states_by_content.find(hash, same) {
                return id;
            }
        }
        let Context { best, undecided, .. } = self.contexts[context as usize];
        let item = |position: &Position| &self.items[position.item as usize];
        let completed = positions.iter().filter(|position| position.offset == item(position).len);
        let end = completed.map(|position| item(position).band).fold(end, Band::max);
        let settled = !undecided && !positions.iter().any(|position| opposite(item(position).band, best));
        let start = self.positions.len() as u32;
        self.positions.extend_from_slice(positions);
        let progress = (start, self.positions.len() as u32);
        let id = self.states.len() as StateId;
        self.states.push(State { context, fail: Some(fail), progress, end, settled, edges: Edges::Unknown });
        if shared {
            let (states, all, hasher) = (&self.states, &self.positions, &self.hasher);
            self.states_by_content.insert_unique(hash, id, |&id| {
                let State { fail, progress: (start, end), .. } = states[id as usize];
                let fail = fail.expect("only states on top of another are shared");
                hasher.hash_one((fail, &all[start as usize..end as usize]))
            });
        }
        id
    }
}
