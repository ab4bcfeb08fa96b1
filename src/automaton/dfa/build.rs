//! Determinisation of ranked globs, directly.
//!
//! Three facts that a general regex engine cannot know keep this small:
//!
//! 1. Of one glob, only its furthest `*` counts: whatever an earlier one could still match, the later one can too.
//!    So a glob *waits* for at most one of its segments, and it waits for good.
//! 2. An accepted prefix is accepted for good, and globs of worse priorities are dead from then on.
//! 3. Where no live glob could change the verdict, the walk is over: the state is *settled*.
//!
//! A context (module `contexts`) is what holds for good: the best priority so far and the segments waited for. A state is a
//! context and what is *in progress* in it. That is held as in Aho and Corasick's automaton: a state has what is of the
//! longest progress itself and a failure link to the state that has the shorter ones, down to the context's root, which
//! has nothing in progress. An edge is stored only where a state's own progress goes on, everything else is the failure
//! link's. So a state costs what is new in it, however many segments are waited for beside it.
//!
//! First segments are of the longest progress always, because they began with the path: their state is one place of
//! their trie (module `prefixes`). Other states list the items in progress, which are of one length and so have their
//! bytes in common; as items are numbered in the order of their bytes, those that go on with one byte are a part of
//! the list, and a state shares the list of the state before.
//!
//! When a segment completes, its glob waits for the next one in a new context, in which only old segments can be in
//! progress: [`Builder::rebase`] carries exactly those over. What is in progress is therefore explicit, and not merely
//! "the longest suffix", which would count bytes twice that the completed segment has used up.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

use super::contexts::{Change, Context, Contexts, List};
use super::globs::{Globs, Item, Segments, Then};
use super::prefixes::{Prefixes, TriePlace};
use super::sorting::Sorting;
use super::state_id::StateId;
use crate::automaton::priorities::{NO_MATCH, Priority};

/// Where a state goes on bytes of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edges {
    /// Not computed yet.
    Unknown,
    /// One byte, one target each: a range of [`Builder::edges`], sorted by byte.
    Branch { start: u32, end: u32 },
    /// A literal run of `len` bytes of the text, with no state of its own in between; the failure link holds all
    /// along.
    Run { text: u32, len: u32, target: StateId },
}

/// An edge of a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub byte: u8,
    pub target: StateId,
}

/// A failure link, if there is one: as small as a number, because there are as many as states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link(StateId);

impl Link {
    const NONE: Link = Link(StateId::MAX);

    #[inline]
    pub fn get(self) -> Option<StateId> {
        (self != Link::NONE).then_some(self.0)
    }
}

/// The items in progress in a state that are not so in its failure link.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Own {
    /// First segments: all below a place of their trie that are better than the context's best priority.
    Firsts(TriePlace),
    /// Items, of which `offset` bytes have matched; for a root all that are waited for, and 0.
    Items { list: List, offset: u32 },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    pub context: u32,
    /// The state of shorter progress; the root of a context has none.
    pub fail: Link,
    pub own: Own,
    /// The best priority if the path ends here.
    pub end: Priority,
    /// Whether nothing live can change the verdict of the context.
    pub settled: bool,
    pub edges: Edges,
}

/// The work spent is beyond the budget: this group is not for a DFA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OverBudget;

/// The work of a context beside what is copied for it: the record of its root alone has twenty words. One pattern of
/// 250,000 segments is given up for it after 80,000 contexts (36 MiB, 43 ms) and not after 209,000 (56 MiB, 96 ms).
const CONTEXT_WORK: usize = 8;

/// Space for builders, used again and again: most groups are so small that allocating would take longer than building.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    /// The globs to be determinised.
    pub globs: Globs,
    sorting: Sorting,
    pub prefixes: Prefixes,
    pub contexts: Contexts,
    change: Change,
    pub states: Vec<State>,
    by_content: HashTable<StateId>,
    hasher: hashbrown::DefaultHashBuilder,
    pub edges: Vec<Edge>,
    /// The states along failure links that are looked at together.
    pub(super) chain: Vec<StateId>,
    /// The state where the best priority of all is reached, once there is one.
    decided: Option<StateId>,
}

/// Empties a table. One that was made for far more is made anew, because emptying it takes as long as it is large: after
/// one large group, 1.7 % of the time of compiling all that came after it.
fn clear(states: &mut HashTable<StateId>) {
    const SMALL: usize = 4096;
    let had = states.len();
    states.clear();
    if states.capacity() > 4 * had.max(SMALL) {
        *states = HashTable::with_capacity(had.max(SMALL));
    }
}

/// Builds states until all that are reachable are there, or the budget is spent.
pub(crate) struct Builder<'a> {
    pub text: &'a [u8],
    pub arena: &'a mut Arena,
    work: usize,
    budget: usize,
}

impl<'a> Builder<'a> {
    /// A builder for the arena's globs, which are made of `segments`, that gives up after `budget` units of work: edges
    /// and items looked at, states made, waiting items copied.
    pub fn new(segments: Segments<'a>, arena: &'a mut Arena, budget: usize) -> Builder<'a> {
        let Arena { globs, sorting, prefixes, contexts, states, by_content, edges, decided, .. } = arena;
        globs.make_items(segments, sorting);
        prefixes.build(segments, globs, sorting);
        contexts.clear();
        states.clear();
        clear(by_content);
        edges.clear();
        *decided = None;
        // Most groups have about as many states as nodes; growing by halves and copying would touch twice the memory.
        states.reserve(prefixes.count());
        edges.reserve(prefixes.count());
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

    /// The state of this number.
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
        let (context, _) = self.arena.contexts.find_or_add(NO_MATCH, List::EMPTY, &[], (root, self.text));
        self.add_root(context);
        self.land_firsts(root, TriePlace::START)
    }

    /// The bytes of a run.
    pub fn run(&self, text: u32, len: u32) -> &'a [u8] {
        &self.text[text as usize..(text + len) as usize]
    }

    /// The best priority in a state where nothing of the state's own completes at the end of the path.
    pub fn best(&self, state: StateId) -> Priority {
        self.context_of(state).best
    }

    /// The segment, by its number, of an item of its own that is complete in `state`, if any.
    pub fn completed(&self, state: StateId) -> Option<u32> {
        let State { own: Own::Items { list, offset }, .. } = *self.state(state) else { return None };
        // What is complete is the beginning of the others, and so the first.
        let item = self.item(*self.arena.contexts.list(list).first()?);
        (item.len == offset).then_some(item.segment)
    }

    /// The first two bytes of each item that is waited for in the context of `state`, in their order; one, if it has
    /// no more.
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

    #[inline]
    pub(super) fn item(&self, item: u32) -> &Item {
        &self.arena.globs.items[item as usize]
    }

    #[inline]
    pub(super) fn context_of(&self, state: StateId) -> &Context {
        self.arena.contexts.get(self.state(state).context)
    }

    /// The state of first segments that have just come to `place`, on top of `fail`: what completes is accepted, or
    /// waits for the next segment.
    pub(super) fn land_firsts(&mut self, mut fail: StateId, place: TriePlace) -> Result<StateId, OverBudget> {
        let Arena { prefixes, contexts, states, change, .. } = &mut *self.arena;
        let State { mut context, mut end, .. } = states[fail as usize];
        let Context { mut best, mut undecided, .. } = *contexts.get(context);
        let complete = prefixes.complete(place);
        if complete.accepts.max(complete.waits) > best {
            change.clear();
            if complete.waits > best {
                change.entering.extend(complete.firsts.iter().filter_map(|first| match first.then {
                    Then::Waits(item) if first.priority > best => Some(item),
                    _ => None,
                }));
            }
            let looked_at = complete.firsts.len();
            let better = complete.accepts.max(best);
            self.spend(looked_at)?;
            if better == self.arena.globs.best {
                return Ok(self.decided());
            }
            fail = self.changed(fail, better)?;
            State { context, end, .. } = *self.state(fail);
            Context { best, undecided, .. } = *self.arena.contexts.get(context);
        }
        let live = self.arena.prefixes.live(place, best);
        if !live.any || !undecided && !live.opposite {
            // Where nothing can change the verdict, the failure link says it.
            return Ok(fail);
        }
        let end = end.max(live.end);
        let own = Own::Firsts(place);
        Ok(self.add(State { context, fail: Link(fail), own, end, settled: false, edges: Edges::Unknown }))
    }

    /// The state of items that have just come to `offset`, on top of `fail`: what completes is accepted, or waits for
    /// the next segment. The items are live in the context `from`.
    pub(super) fn land_items(
        &mut self,
        mut fail: StateId,
        from: u32,
        mut list: List,
        offset: u32,
    ) -> Result<StateId, OverBudget> {
        self.spend(list.len())?;
        let Arena { globs, contexts, states, change, .. } = &mut *self.arena;
        let context = states[fail as usize].context;
        if context != from {
            list = contexts.live(list, context);
        }
        let old = contexts.get(context).best;
        let mut best = old;
        change.clear();
        // What completes is the beginning of the others, so it stands first.
        let items = contexts.list(list).iter().map(|&number| (number, &globs.items[number as usize]));
        for (number, item) in items.take_while(|(_, item)| item.len == offset) {
            match item.then {
                Then::Accepts => best = best.max(item.priority),
                Then::Ends => {}
                Then::Waits(next) => {
                    change.leaving.push(number);
                    change.entering.push(next);
                }
            }
        }
        if best == globs.best {
            return Ok(self.decided());
        }
        if best != old || !change.is_empty() {
            fail = self.changed(fail, best)?;
            list = self.arena.contexts.live(list, self.state(fail).context);
        }
        Ok(self.state_of(fail, list, offset))
    }

    /// The state where the best priority of all is reached: nothing matters any more.
    fn decided(&mut self) -> StateId {
        if let Some(state) = self.arena.decided {
            return state;
        }
        let Arena { globs, contexts, states, .. } = &mut *self.arena;
        let root = states.len() as StateId;
        let (context, is_new) = contexts.find_or_add(globs.best, List::EMPTY, &globs.items, (root, self.text));
        if is_new {
            self.add_root(context);
        }
        let state = self.arena.contexts.get(context).root;
        self.arena.decided = Some(state);
        state
    }

    /// The state of the same progress as `fail`'s in the context after its own, in which the best priority is `best` and
    /// what the arena's change says is waited for.
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

    /// The same progress as `state`'s in another context, as far as it is live there.
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
            let Own::Items { list, offset } = self.state(link).own else {
                unreachable!("nothing is above first segments")
            };
            self.spend(1 + list.len())?;
            let live = self.arena.contexts.live(list, context);
            base = self.state_of(base, live, offset);
        }
        self.arena.chain = chain;
        Ok(base)
    }

    /// The state with these live items on top of `fail`; `fail` itself where there are none.
    fn state_of(&mut self, fail: StateId, list: List, offset: u32) -> StateId {
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
        let content = |state: &State| match (state.fail.get(), state.own) {
            (Some(fail), Own::Items { list, offset }) => (fail, offset, contexts.list(list)),
            _ => unreachable!("only states of items on top of others are shared"),
        };
        let items = contexts.list(list);
        let own = hash(fail, offset, items);
        let same = |&id: &StateId| content(&states[id as usize]) == (fail, offset, items);
        if let Some(&id) = by_content.find(own, same) {
            return id;
        }
        let id = states.len() as StateId;
        by_content.insert_unique(own, id, |&id| {
            let (fail, offset, items) = content(&states[id as usize]);
            hash(fail, offset, items)
        });
        let State { context, end, settled, .. } = states[fail as usize];
        let complete = items.iter().map(|&item| &globs.items[item as usize]).take_while(|item| item.len == offset);
        // Whatever is in progress is waited for, so that it is settled where the failure link is.
        let end = complete.map(|item| item.priority).fold(end, Priority::max);
        let own = Own::Items { list, offset };
        self.add(State { context, fail: Link(fail), own, end, settled, edges: Edges::Unknown })
    }

    fn add_root(&mut self, context: u32) {
        let Context { best, waiting, undecided, .. } = *self.arena.contexts.get(context);
        let own = Own::Items { list: waiting, offset: 0 };
        self.add(State { context, fail: Link::NONE, own, end: best, settled: !undecided, edges: Edges::Unknown });
    }

    fn add(&mut self, state: State) -> StateId {
        self.arena.states.push(state);
        self.arena.states.len() as StateId - 1
    }
}
