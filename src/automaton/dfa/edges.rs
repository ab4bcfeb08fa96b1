//! Computes the transitions of the states of a [`Builder`].

use super::build::{Builder, Edge, Edges, OverBudget, State};
use super::contexts::{ItemList, StateId};
use super::table::LONGEST_RUN;
use super::walk::common_prefix;

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
            let State { context, fail, list, offset, edges, .. } = *self.state(state);
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
                    return self.land(fail, context, self.going_on(list, offset), offset + 1);
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
        let State { list, offset, .. } = *self.state(state);
        let list = self.going_on(list, offset);
        self.spend(1 + if self.are_firsts(list) { 0 } else { list.len() })?;
        let edges = match self.run_of(state, list, offset)? {
            Some(run) => run,
            None => self.branch_of(state, list, offset)?,
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

    fn branch_of(&mut self, state: StateId, list: ItemList, offset: u32) -> Result<Edges, OverBudget> {
        let State { fail, context, .. } = *self.state(state);
        let start = self.arena.edges.len() as u32;
        let mut rest = list;
        while let [first, others @ ..] = self.arena.contexts.list(rest) {
            let byte_of = |item: &u32| self.text[(self.item(*item).start + offset) as usize];
            let byte = byte_of(first);
            let same = others.iter().position(|item| byte_of(item) != byte).unwrap_or(others.len());
            let end = rest.start + 1 + same as u32;
            let fail = match fail.get() {
                Some(fail) => self.next(fail, byte)?,
                None => state,
            };
            let target = self.land(fail, context, ItemList { start: rest.start, end }, offset + 1)?;
            self.arena.edges.push(Edge { byte, target });
            rest.start = end;
        }
        if self.are_firsts(list) {
            self.spend(1 + self.arena.edges.len() - start as usize)?;
        }
        Ok(Edges::Branch { start, end: self.arena.edges.len() as u32 })
    }

    /// The run that begins at `state`: it lasts while everything in progress continues with the same byte, nothing completes,
    /// and the byte means nothing to the failure link.
    fn run_of(&mut self, state: StateId, list: ItemList, offset: u32) -> Result<Option<Edges>, OverBudget> {
        let Some(root) = self.root_below(state) else { return Ok(None) };
        let items = self.arena.contexts.list(list);
        let (Some(&first), Some(&last)) = (items.first(), items.last()) else { return Ok(None) };
        // Walks begin after the first byte, so there must be a state there.
        let most = if offset == 0 { 1 } else { LONGEST_RUN };
        let rest = |item: u32| {
            let item = self.item(item);
            self.run(item.start + offset, (item.len - offset).min(most))
        };
        let text = self.item(first).start + offset;
        let (first, last) = (rest(first), rest(last));
        let context = self.context_of(root);
        // Bytes that the first and last items have in common are common to all, because items are in byte order. Nothing is looked
        // at beyond the run: each state would look at all the rest again.
        let common = common_prefix(first, last);
        let len = match context.waiting.is_empty() {
            true => common,
            false => first[..common].iter().position(|&byte| context.awaits(byte)).unwrap_or(common),
        };
        if len == 0 {
            return Ok(None);
        }
        let len = len as u32;
        let context = self.state(state).context;
        let target = self.land(root, context, list, offset + len)?;
        Ok(Some(Edges::Run { text, len, target }))
    }
}
