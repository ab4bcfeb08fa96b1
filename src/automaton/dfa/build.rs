//! Determinises ranked globs directly.
//!
//! Three facts that a general regex engine cannot know keep this small:
//!
//! 1. Only the furthest `*` of a glob counts: whatever an earlier `*` could still match, the later one can match, too.
//!    So a glob *waits* for at most one of its segments, and waits forever.
//! 2. Once a prefix is accepted, it stays accepted, and globs of worse priority are dead from then on.
//! 3. If no live glob could change the verdict, the walk is over: the state is *settled*.
//!
//! A context (module `contexts`) is everything that stays true: the best priority so far and the segments that globs
//! wait for. A state is a context and the items *in progress* in it, stored as in an Aho-Corasick automaton: a state
//! has the items of the longest progress itself, and a failure link to the state with the shorter ones, down to the
//! context's root, which has nothing in progress. An edge is stored only where a state's own progress continues; any
//! other byte follows the failure link. So a state stores only its own items, however many other segments globs wait
//! for.
//!
//! The items of a state have the same length of progress, so they have matched the same bytes. They are numbered in byte
//! order, so the items that continue with a given byte are a range of the list, and a state shares the list of its
//! predecessor. First segments always have the longest progress, because they began with the path; nothing waits for
//! them.
//!
//! When a segment completes, its glob waits for the next segment in a new context, in which only old segments can be in
//! progress: [`Builder::rebase`] carries over exactly these. So progress is explicit, and not just "the longest
//! suffix", which would use bytes of the completed segment twice.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

use super::contexts::{Change, Context, Contexts, ItemList, StateId};
use super::globs::{GlobItem, Globs, Segments, Sorting, Then};

use crate::automaton::priorities::{NO_MATCH, Priority, opposite};

/// The transitions of a state on bytes of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edges {
    /// Not computed yet.
    Unknown,
    /// One target for each byte: a range of [`Builder::edges`], sorted by byte.
    Branch { start: u32, end: u32 },
    /// A literal run of `len` bytes of the text, with no states of its own in between; the failure link is the same throughout.
    Run { text: u32, len: u32, target: StateId },
}

/// An edge of a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub byte: u8,
    pub target: StateId,
}

/// A failure link, or none: as small as a number, because there are as many links as states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link(StateId);

impl Link {
    const NONE: Link = Link(StateId::MAX);

    #[inline]
    pub fn get(self) -> Option<StateId> {
        (self != Link::NONE).then_some(self.0)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    pub context: u32,
    /// The state of shorter progress; the root of a context has none.
    pub fail: Link,
    /// The items in progress here but not in the failure link, and how many bytes of them have matched; for a root, all
    /// items that globs wait for, and 0.
    pub list: ItemList,
    pub offset: u32,
    /// The best priority if the path ends here.
    pub end: Priority,
    /// Whether nothing live can change the verdict of the context.
    pub settled: bool,
    pub edges: Edges,
}

/// The budget is spent: this group is not for a DFA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OverBudget;

/// The work of a context, besides copying: the record of its root alone has twenty words. So a pattern of very many
/// segments is abandoned early.
const CONTEXT_WORK: usize = 8;

/// Memory for builders, reused: most groups are so small that allocating would take longer than building.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    /// The globs to determinise.
    pub globs: Globs,
    sorting: Sorting,
    pub contexts: Contexts,
    change: Change,
    pub states: Vec<State>,
    by_content: HashTable<StateId>,
    hasher: hashbrown::DefaultHashBuilder,
    pub edges: Vec<Edge>,
    /// States along a chain of failure links that are handled together.
    pub(super) chain: Vec<StateId>,
    /// The state in which the best of all priorities is reached, once it exists.
    decided: Option<StateId>,
}

/// Empties a table. A table that was made for far more is replaced, because emptying takes time in proportion to its capacity.
fn clear(states: &mut HashTable<StateId>) {
    const SMALL: usize = 4096;
    let had = states.len();
    states.clear();
    if states.capacity() > 4 * had.max(SMALL) {
        *states = HashTable::with_capacity(had.max(SMALL));
    }
}

/// Builds states until all reachable ones exist, or the budget is spent.
pub(crate) struct Builder<'a> {
    pub text: &'a [u8],
    pub arena: &'a mut Arena,
    work: usize,
    budget: usize,
}

impl<'a> Builder<'a> {
    /// A builder for the arena's globs, which are made of `segments`. It gives up after `budget` units of work: edges and items
    /// examined, states made, waiting items copied.
    pub fn new(segments: Segments<'a>, arena: &'a mut Arena, budget: usize) -> Builder<'a> {
        let Arena { globs, sorting, contexts, states, by_content, edges, decided, .. } = arena;
        globs.make_items(segments, sorting);
        contexts.clear();
        states.clear();
        clear(by_content);
        edges.clear();
        *decided = None;
        // Most groups have about two states a glob; growing in steps and copying would touch twice the memory.
        states.reserve(2 * globs.firsts as usize);
        edges.reserve(2 * globs.firsts as usize);
        Builder { text: segments.text, arena, work: 0, budget }
    }

    /// The work spent so far.
    pub fn work(&self) -> usize {
        self.work
    }

    /// All states made so far.
    pub fn states(&self) -> &[State] {
        &self.arena.states
    }

    #[inline]
    pub fn state(&self, state: StateId) -> &State {
        &self.arena.states[state as usize]
    }

    /// The edges of a branch.
    #[inline]
    pub fn edges(&self, start: u32, end: u32) -> &[Edge] {
        &self.arena.edges[start as usize..end as usize]
    }

    /// The state before the first byte.
    pub fn start(&mut self) -> Result<StateId, OverBudget> {
        let root = self.arena.states.len() as StateId;
        let (context, _) = self.arena.contexts.find_or_add(NO_MATCH, ItemList::EMPTY, &[], (root, self.text));
        self.add_root(context);
        let firsts = self.arena.contexts.add_list(0..self.arena.globs.firsts);
        self.land(root, context, firsts, 0)
    }

    /// The bytes of a run.
    pub fn run(&self, text: u32, len: u32) -> &'a [u8] {
        &self.text[text as usize..(text + len) as usize]
    }

    /// The best priority in a state, if nothing of its own completes at the end of the path.
    pub fn best(&self, state: StateId) -> Priority {
        self.context_of(state).best
    }

    /// The segment number of an item of the state's own that is complete in it, if any.
    pub fn completed(&self, state: StateId) -> Option<u32> {
        let State { list, offset, .. } = *self.state(state);
        // A complete item is the beginning of the others, so it is first.
        let item = self.item(*self.arena.contexts.list(list).first()?);
        (item.len == offset).then_some(item.segment)
    }

    /// The first two bytes of each item that is waited for in the context of `state`, in order; only one if the item has no
    /// more.
    pub fn waited_for(&self, state: StateId) -> impl Iterator<Item = (u8, Option<u8>)> {
        let list = self.arena.contexts.list(self.context_of(state).waiting);
        list.iter().filter_map(|&item| {
            let item = self.item(item);
            let mut bytes = self.run(item.start, item.len.min(2)).iter().copied();
            Some((bytes.next()?, bytes.next()))
        })
    }

    pub(super) fn spend(&mut self, work: usize) -> Result<(), OverBudget> {
        self.work += work;
        if self.work > self.budget { Err(OverBudget) } else { Ok(()) }
    }

    /// Fails if the budget will not suffice for all states `reached`, assuming that the rest take as much work as the
    /// states already `expanded`. So groups with too many combinations are abandoned early.
    pub(super) fn foresee(&self, expanded: usize, reached: usize) -> Result<(), OverBudget> {
        /// From fewer states, the work of the others cannot be estimated.
        const ENOUGH: usize = 64;
        let is_too_much = || self.work.saturating_mul(reached) > self.budget.saturating_mul(expanded);
        if expanded >= ENOUGH && is_too_much() { Err(OverBudget) } else { Ok(()) }
    }

    #[inline]
    pub(super) fn item(&self, item: u32) -> &GlobItem {
        &self.arena.globs.items[item as usize]
    }

    #[inline]
    pub(super) fn context_of(&self, state: StateId) -> &Context {
        self.arena.contexts.get(self.state(state).context)
    }

    /// The state of items that have just reached `offset`, on top of `fail`. Items that complete are accepted, or their globs
    /// wait for the next segment. The items are live in the context `from`.
    pub(super) fn land(
        &mut self,
        mut fail: StateId,
        from: u32,
        mut list: ItemList,
        offset: u32,
    ) -> Result<StateId, OverBudget> {
        let are_firsts = self.are_firsts(list);
        let all = list.len();
        let Arena { globs, contexts, states, change, .. } = &mut *self.arena;
        let context = states[fail as usize].context;
        if context != from {
            list = contexts.live(list, context, globs);
        }
        let old = contexts.get(context).best;
        let (mut best, mut end, mut complete) = (old, NO_MATCH, 0);
        change.clear();
        // Complete items are the beginning of the others, so they are first.
        for &number in contexts.list(list) {
            let item = &globs.items[number as usize];
            if item.len != offset {
                break;
            }
            complete += 1;
            match item.then {
                Then::Accepts => best = best.max(item.priority),
                Then::Ends => end = end.max(item.priority),
                Then::Waits(next) => {
                    change.leaving.push(number);
                    change.entering.push(next);
                }
            }
        }
        if are_firsts {
            // Nothing waits for first segments.
            change.leaving.clear();
            list.start += complete;
        }
        self.spend(if are_firsts { complete as usize } else { all })?;
        if best == self.arena.globs.best {
            return Ok(self.decided());
        }
        if best != old || !self.arena.change.is_empty() {
            fail = self.changed(fail, best)?;
            let Arena { globs, contexts, states, .. } = &mut *self.arena;
            list = contexts.live(list, states[fail as usize].context, globs);
        }
        Ok(if are_firsts { self.state_of_firsts(fail, list, offset, end) } else { self.state_of(fail, list, offset) })
    }

    /// The state of first segments on top of `fail`, where others end whose best priority is `end`; `fail` itself if they
    /// cannot change the verdict. They have matched all of the path, so no other path leads to their state.
    fn state_of_firsts(&mut self, fail: StateId, list: ItemList, offset: u32, end: Priority) -> StateId {
        let State { context, end: shorter, .. } = *self.state(fail);
        let Context { best, undecided, .. } = *self.arena.contexts.get(context);
        let matters = |priority: Priority| priority > best && (undecided || opposite(priority, best));
        let items = self.arena.contexts.list(list);
        if !matters(end) && !items.iter().any(|&item| matters(self.item(item).priority)) {
            return fail;
        }
        let (fail, end) = (Link(fail), end.max(shorter));
        self.add(State { context, fail, list, offset, end, settled: false, edges: Edges::Unknown })
    }

    /// Whether the items of a list are first segments: all of them are, or none.
    pub(super) fn are_firsts(&self, list: ItemList) -> bool {
        self.arena.contexts.list(list).first().is_some_and(|&item| item < self.arena.globs.firsts)
    }

    /// The state in which the best of all priorities is reached: nothing matters any more.
    fn decided(&mut self) -> StateId {
        if let Some(state) = self.arena.decided {
            return state;
        }
        let Arena { globs, contexts, states, .. } = &mut *self.arena;
        let root = states.len() as StateId;
        let (context, is_new) = contexts.find_or_add(globs.best, ItemList::EMPTY, &globs.items, (root, self.text));
        if is_new {
            self.add_root(context);
        }
        let state = self.arena.contexts.get(context).root;
        self.arena.decided = Some(state);
        state
    }

    /// The state of the same progress as `fail` in the context that follows its own, with the best priority `best` and the
    /// waiting items updated by the arena's change.
    fn changed(&mut self, fail: StateId, best: Priority) -> Result<StateId, OverBudget> {
        let Arena { globs, contexts, states, change, .. } = &mut *self.arena;
        let context = states[fail as usize].context;
        let old = contexts.get(context).waiting;
        let root = states.len() as StateId;
        let (context, is_new) = contexts.advanced(context, best, change, &globs.items, (root, self.text));
        if is_new {
            self.add_root(context);
            self.spend(CONTEXT_WORK)?;
        }
        self.spend(old.len() + self.arena.contexts.get(context).waiting.len())?;
        self.rebase(fail, context)
    }

    /// The state of the same progress as `state` in another context, as far as that is live there.
    fn rebase(&mut self, state: StateId, context: u32) -> Result<StateId, OverBudget> {
        let mut chain = std::mem::take(&mut self.arena.chain);
        chain.clear();
        let mut link = state;
        while let Some(fail) = self.state(link).fail.get() {
            chain.push(link);
            link = fail;
        }
        let mut base = self.arena.contexts.get(context).root;
        for &link in chain.iter().rev() {
            let State { list, offset, .. } = *self.state(link);
            self.spend(1 + list.len())?;
            let live = self.arena.contexts.live(list, context, &self.arena.globs);
            base = self.state_of(base, live, offset);
        }
        self.arena.chain = chain;
        Ok(base)
    }

    /// The state with these live items on top of `fail`; `fail` itself if there are none.
    fn state_of(&mut self, fail: StateId, list: ItemList, offset: u32) -> StateId {
        if list.is_empty() {
            return fail;
        }
        let Arena { globs, contexts, states, by_content, hasher, .. } = &mut *self.arena;
        let hash = |fail: StateId, offset: u32, items: &[u32]| {
            let mut hasher = hasher.build_hasher();
            hasher.write_u64(u64::from(fail) << 32 | u64::from(offset));
            hasher.write(bytemuck::cast_slice(items));
            hasher.finish()
        };
        let content = |state: &State| (state.fail.0, state.offset, contexts.list(state.list));
        let items = contexts.list(list);
        let own = hash(fail, offset, items);
        let same = |&id: &StateId| content(&states[id as usize]) == (fail, offset, items);
        if let Some(&id) = by_content.find(own, same) {
            return id;
        }
        by_content.insert_unique(own, states.len() as StateId, |&id| {
            let (fail, offset, items) = content(&states[id as usize]);
            hash(fail, offset, items)
        });
        // Everything in progress is also waited for, so the state is settled if its failure link is.
        let State { context, mut end, settled, .. } = states[fail as usize];
        for &item in items {
            let GlobItem { len, priority, .. } = globs.items[item as usize];
            if len != offset {
                break;
            }
            end = end.max(priority);
        }
        self.add(State { context, fail: Link(fail), list, offset, end, settled, edges: Edges::Unknown })
    }

    fn add_root(&mut self, context: u32) {
        let Context { best, waiting, undecided, .. } = *self.arena.contexts.get(context);
        let (fail, edges) = (Link::NONE, Edges::Unknown);
        self.add(State { context, fail, list: waiting, offset: 0, end: best, settled: !undecided, edges });
    }

    fn add(&mut self, state: State) -> StateId {
        self.arena.states.push(state);
        self.arena.states.len() as StateId - 1
    }
}
