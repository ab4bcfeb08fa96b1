//! Computes the transitions of the states of a [`Builder`].

use super::build::{Builder, Edge, Edges, OverBudget, Own, State};
use super::contexts::{ItemList, StateId};
use super::globs::GlobItem;
use super::prefixes::TriePlace;
use super::table::LONGEST_RUN;

impl Builder<'_> {
    /// Computes the edges of `state`, and of the states along its failure links; returns its own.
    pub fn expand(&mut self, state: StateId) -> Result<Edges, OverBudget> {
        if !self.is_expanded(state) && self.state(state).fail.get().is_none_or(|fail| self.is_expanded(fail)) {
            return self.expand_one(state);
        }
        // A failure link leads to shorter progress, so this ends. It uses a stack instead of recursion, because the input
        // determines how long the chain is.
        let mut stack = std::mem::take(&mut self.arena.chain);
        stack.clear();
        stack.push(state);
        while let Some(&top) = stack.last() {
            match self.state(top).fail.get() {
                _ if self.is_expanded(top) => drop(stack.pop()),
                Some(fail) if !self.is_expanded(fail) => stack.push(fail),
                _ => {
                    self.expand_one(top)?;
                    stack.pop();
                }
            }
        }
        self.arena.chain = stack;
        Ok(self.state(state).edges)
    }

    /// The target of `state`, which is expanded, on `byte`: by its own edge, or its failure link's.
    pub fn next(&mut self, mut state: StateId, byte: u8) -> Result<StateId, OverBudget> {
        loop {
            self.spend(1)?;
            let State { context, fail, own, edges, .. } = *self.state(state);
            let Some(fail) = fail.get() else {
                let context = self.arena.contexts.get(context);
                return Ok(match edges {
                    Edges::Branch { start, .. } if context.awaits(byte) => {
                        self.arena.edges[start as usize + context.awaited_below(byte)].target
                    }
                    _ => state,
                });
            };
            match edges {
                Edges::Run { text, len, target } if self.text[text as usize] == byte => {
                    if len == 1 {
                        return Ok(target);
                    }
                    // The middle of a run has no state of its own until one is needed.
                    let Own::Items { list, offset } = own else { unreachable!("nothing is above first segments") };
                    return self.land_items(fail, context, self.going_on(list, offset), offset + 1);
                }
                Edges::Branch { start, end } => {
                    if let Some(edge) = self.edges(start, end).iter().find(|edge| edge.byte == byte) {
                        return Ok(edge.target);
                    }
                    state = fail;
                }
                _ => state = fail,
            }
        }
    }

    fn is_expanded(&self, state: StateId) -> bool {
        !matches!(self.state(state).edges, Edges::Unknown)
    }

    fn expand_one(&mut self, state: StateId) -> Result<Edges, OverBudget> {
        let edges = match self.state(state).own {
            Own::Firsts(place) => match self.run_of_firsts(state, place)? {
                Some(run) => run,
                None => self.branch_of_firsts(state, place)?,
            },
            Own::Items { list, offset } => {
                let list = self.going_on(list, offset);
                self.spend(1 + list.len())?;
                match self.run_of_items(state, list, offset)? {
                    Some(run) => run,
                    None => self.branch_of_items(state, list, offset)?,
                }
            }
        };
        self.arena.states[state as usize].edges = edges;
        Ok(edges)
    }

    /// The items of a list that do not end at `offset`; items that end there come first.
    fn going_on(&self, list: ItemList, offset: u32) -> ItemList {
        let ends = |&&item: &&u32| self.item(item).len == offset;
        let ended = self.arena.contexts.list(list).iter().take_while(ends).count() as u32;
        ItemList { start: list.start + ended, end: list.end }
    }

    /// The failure link of `state`, if it is a root.
    fn root_below(&self, state: StateId) -> Option<StateId> {
        self.state(state).fail.get().filter(|&fail| self.state(fail).fail.get().is_none())
    }

    fn branch_of_firsts(&mut self, state: StateId, place: TriePlace) -> Result<Edges, OverBudget> {
        let State { fail, context, .. } = *self.state(state);
        let fail = fail.get().expect("first segments are on top of a root");
        let best = self.arena.contexts.get(context).best;
        let start = self.arena.edges.len() as u32;
        let mut next = self.arena.prefixes.next_after(place, best, None);
        while let Some(place_behind) = next {
            let byte = self.text[self.arena.prefixes.text_at(place_behind) as usize - 1];
            let fail = self.next(fail, byte)?;
            let target = self.land_firsts(fail, place_behind)?;
            self.arena.edges.push(Edge { byte, target });
            next = self.arena.prefixes.next_after(place, best, next);
        }
        self.spend(1 + self.arena.edges.len() - start as usize)?;
        Ok(Edges::Branch { start, end: self.arena.edges.len() as u32 })
    }

    fn branch_of_items(&mut self, state: StateId, list: ItemList, offset: u32) -> Result<Edges, OverBudget> {
        let State { fail, context, .. } = *self.state(state);
        let start = self.arena.edges.len() as u32;
        let mut rest = list;
        while !rest.is_empty() {
            let byte_of = |at: u32| {
                let item = self.item(self.arena.contexts.list(ItemList { start: at, end: at + 1 })[0]);
                self.text[(item.start + offset) as usize]
            };
            let byte = byte_of(rest.start);
            let end = (rest.start..rest.end).find(|&at| byte_of(at) != byte).unwrap_or(rest.end);
            let fail = match fail.get() {
                Some(fail) => self.next(fail, byte)?,
                None => state,
            };
            let target = self.land_items(fail, context, ItemList { start: rest.start, end }, offset + 1)?;
            self.arena.edges.push(Edge { byte, target });
            rest.start = end;
        }
        Ok(Edges::Branch { start, end: self.arena.edges.len() as u32 })
    }

    /// The run that begins at `state`: it lasts while everything in progress continues with the same byte, nothing completes,
    /// and the byte means nothing to the failure link.
    fn run_of_firsts(&mut self, state: StateId, place: TriePlace) -> Result<Option<Edges>, OverBudget> {
        self.spend(1)?;
        let Some(root) = self.root_below(state) else { return Ok(None) };
        let prefixes = &self.arena.prefixes;
        let end = prefixes.straight_on(place, self.best(root));
        let text = prefixes.text_at(end) - (end.depth - place.depth);
        // Walks begin after the first byte, so there must be a state there.
        let most = if place == TriePlace::START { end.depth.min(1) } else { end.depth - place.depth };
        let len = self.idle_bytes(root, text, most);
        if len == 0 {
            return Ok(None);
        }
        let target = self.land_firsts(root, end.at_depth(place.depth + len))?;
        Ok(Some(Edges::Run { text, len, target }))
    }

    fn run_of_items(&mut self, state: StateId, list: ItemList, offset: u32) -> Result<Option<Edges>, OverBudget> {
        let Some(root) = self.root_below(state) else { return Ok(None) };
        let items = self.arena.contexts.list(list);
        let (Some(&first), Some(&last)) = (items.first(), items.last()) else { return Ok(None) };
        let rest = |item: &GlobItem| self.run(item.start + offset, item.len - offset).iter().take(LONGEST_RUN as usize);
        let (first, last) = (self.item(first), self.item(last));
        let context = self.context_of(root);
        // Bytes that the first and last items have in common are common to all, because items are in byte order. Nothing is looked
        // at beyond the run: each state would look at all the rest again.
        let is_common = |&(a, b): &(&u8, &u8)| a == b && !context.awaits(*a);
        let len = rest(first).zip(rest(last)).take_while(is_common).count() as u32;
        let text = first.start + offset;
        if len == 0 {
            return Ok(None);
        }
        let context = self.state(state).context;
        let target = self.land_items(root, context, list, offset + len)?;
        Ok(Some(Edges::Run { text, len, target }))
    }

    /// How many of `len` bytes of the text, at most a run's, mean nothing to the context of `root`.
    fn idle_bytes(&self, root: StateId, text: u32, len: u32) -> u32 {
        let context = self.context_of(root);
        let bytes = self.run(text, len.min(LONGEST_RUN));
        if context.waiting.is_empty() {
            return bytes.len() as u32;
        }
        bytes.iter().take_while(|&&byte| !context.awaits(byte)).count() as u32
    }
}
