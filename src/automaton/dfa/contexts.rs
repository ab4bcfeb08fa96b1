//! Contexts: the best priority so far on a walk, and the items that globs wait for. Both stay true for the rest of the
//! walk.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use super::globs::{GlobItem, Globs};
use crate::automaton::priorities::{Priority, opposite};

/// The number of a state.
pub(crate) type StateId = u32;

/// A sorted list of items: a range of [`Contexts::lists`]. Lists may overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ItemList {
    pub start: u32,
    pub end: u32,
}

impl ItemList {
    pub const EMPTY: ItemList = ItemList { start: 0, end: 0 };

    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A context, which stays true for the rest of a walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    pub best: Priority,
    /// At most one item of each glob.
    pub waiting: ItemList,
    /// The state with nothing in progress.
    pub root: StateId,
    /// Whether a waiting glob has the opposite verdict of the best priority.
    pub undecided: bool,
    /// The first bytes of the items waited for, one bit each.
    bytes: [u32; 8],
    /// A better priority, and the context after this one if that is reached and nothing else changes.
    better: (Priority, u32),
}

impl Context {
    /// Whether an item that is waited for begins with `byte`.
    #[inline]
    pub fn awaits(&self, byte: u8) -> bool {
        self.bytes[usize::from(byte >> 5)] >> (byte & 31) & 1 == 1
    }

    /// How many bytes below `byte` begin items that are waited for.
    #[inline]
    pub fn awaited_below(&self, byte: u8) -> usize {
        let word = usize::from(byte >> 5);
        let below = self.bytes[word] & ((1 << (byte & 31)) - 1);
        (self.bytes[..word].iter().map(|word| word.count_ones()).sum::<u32>() + below.count_ones()) as usize
    }
}

/// The items that leave a context because they are complete, and their successors, which enter it.
#[derive(Debug, Default)]
pub(crate) struct Change {
    pub leaving: Vec<u32>,
    pub entering: Vec<u32>,
}

impl Change {
    pub fn clear(&mut self) {
        self.leaving.clear();
        self.entering.clear();
    }

    /// Whether nothing changes. An item that leaves is always replaced by the next segment of its glob.
    pub fn is_empty(&self) -> bool {
        self.entering.is_empty()
    }
}

/// All contexts, without duplicates.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    all: Vec<Context>,
    by_content: HashTable<u32>,
    hasher: hashbrown::DefaultHashBuilder,
    lists: Vec<u32>,
}

impl Contexts {
    pub fn clear(&mut self) {
        self.all.clear();
        self.by_content.clear();
        self.lists.clear();
    }

    #[inline]
    pub fn get(&self, context: u32) -> &Context {
        &self.all[context as usize]
    }

    #[inline]
    pub fn list(&self, list: ItemList) -> &[u32] {
        &self.lists[list.start as usize..list.end as usize]
    }

    /// A list of the items with these numbers.
    pub fn add_list(&mut self, items: Range<u32>) -> ItemList {
        let start = self.lists.len() as u32;
        self.lists.extend(items);
        ItemList { start, end: self.lists.len() as u32 }
    }

    /// The items of `list` that can still matter in a context: first segments that are better than its best priority, and
    /// items that it waits for.
    pub fn live(&mut self, list: ItemList, context: u32, globs: &Globs) -> ItemList {
        let Context { best, waiting, .. } = self.all[context as usize];
        let lives = |lists: &[u32], at: u32| {
            let item = lists[at as usize];
            if item < globs.firsts {
                return globs.items[item as usize].priority > best;
            }
            lists[waiting.start as usize..waiting.end as usize].binary_search(&item).is_ok()
        };
        let first = (list.start..list.end).find(|&at| lives(&self.lists, at)).unwrap_or(list.end);
        let list = ItemList { start: first, ..list };
        let Some(dropped) = (list.start..list.end).find(|&at| !lives(&self.lists, at)) else { return list };
        let start = self.lists.len() as u32;
        self.lists.extend_from_within(list.start as usize..dropped as usize);
        for at in dropped..list.end {
            if lives(&self.lists, at) {
                self.lists.push(self.lists[at as usize]);
            }
        }
        ItemList { start, end: self.lists.len() as u32 }
    }

    /// The context after `context` with the best priority `best`, once the items of `change` have left and entered, and whether
    /// it is new; its root is then `root`.
    pub fn advanced(
        &mut self,
        context: u32,
        best: Priority,
        change: &mut Change,
        items: &[GlobItem],
        (root, text): (StateId, &[u8]),
    ) -> (u32, bool) {
        let Context { best: old, waiting, better, .. } = self.all[context as usize];
        if change.is_empty() && better.0 == best {
            return (better.1, false);
        }
        change.entering.sort_unstable();
        let start = self.lists.len();
        self.push_changed(waiting, change);
        if best != old {
            let mut kept = start;
            for at in start..self.lists.len() {
                let item = self.lists[at];
                self.lists[kept] = item;
                kept += usize::from(items[item as usize].priority > best);
            }
            self.lists.truncate(kept);
        }
        let waiting = ItemList { start: start as u32, end: self.lists.len() as u32 };
        let (id, is_new) = self.find_or_add(best, waiting, items, (root, text));
        if change.is_empty() {
            self.all[context as usize].better = (best, id);
        }
        (id, is_new)
    }

    /// Appends a copy of `list` without the items that leave and with those that enter.
    fn push_changed(&mut self, list: ItemList, change: &Change) {
        let (mut at, end) = (list.start as usize, list.end as usize);
        let (mut leaving, mut entering) = (change.leaving.iter().peekable(), change.entering.iter().peekable());
        loop {
            let leaves = match (leaving.peek(), entering.peek()) {
                (Some(old), Some(new)) => old < new,
                (old, _) => old.is_some(),
            };
            let Some(&item) = (if leaves { leaving.next() } else { entering.next() }) else { break };
            let below = match self.lists[at..end].first() {
                Some(&other) if other < item => at + self.lists[at..end].partition_point(|&other| other < item),
                // Where much changes, it is mostly the next item.
                _ => at,
            };
            self.lists.extend_from_within(at..below);
            if leaves {
                at = below + 1;
            } else {
                self.lists.push(item);
                at = below;
            }
        }
        self.lists.extend_from_within(at..end);
    }

    /// The context with this content, and whether it is new. `waiting` must be the last list; it is dropped if the context
    /// exists.
    pub fn find_or_add(
        &mut self,
        best: Priority,
        waiting: ItemList,
        items: &[GlobItem],
        (root, text): (StateId, &[u8]),
    ) -> (u32, bool) {
        let (all, lists) = (&self.all, &self.lists);
        let list = |list: ItemList| &lists[list.start as usize..list.end as usize];
        let hash = |best: Priority, waiting: ItemList| {
            let mut hasher = self.hasher.build_hasher();
            hasher.write_u32(best);
            hasher.write(bytemuck::cast_slice(list(waiting)));
            hasher.finish()
        };
        // Do not compare empty lists, for which `memcmp` is slow: nearly all contexts of most groups wait for nothing.
        let same = |&id: &u32| {
            let context = &all[id as usize];
            let same_length = context.best == best && context.waiting.len() == waiting.len();
            same_length && (waiting.is_empty() || list(context.waiting) == list(waiting))
        };
        let own = hash(best, waiting);
        if let Some(&id) = self.by_content.find(own, same) {
            if !waiting.is_empty() {
                self.lists.truncate(waiting.start as usize);
            }
            return (id, false);
        }
        let id = self.all.len() as u32;
        self.by_content.insert_unique(own, id, |&id| hash(all[id as usize].best, all[id as usize].waiting));
        let mut bytes = [0; 8];
        let mut undecided = false;
        for item in list(waiting).iter().map(|&item| &items[item as usize]) {
            undecided |= opposite(item.priority, best);
            debug_assert_ne!(item.len, 0, "only a first segment is empty");
            let byte = text[item.start as usize];
            bytes[usize::from(byte >> 5)] |= 1 << (byte & 31);
        }
        self.all.push(Context { best, waiting, root, undecided, bytes, better: (best, id) });
        (id, true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::globs::Then;
    use super::*;

    #[test]
    fn contexts_are_the_same_if_priority_and_items_are() {
        let item = GlobItem { start: 0, len: 1, priority: 1, then: Then::Accepts, segment: 0 };
        let (items, text) = (vec![item; 1000], [b'x']);
        let mut contexts = Contexts::default();
        // So many that some have hashes that look alike.
        let all = (0..2000).flat_map(|best| [(best, None), (best, Some(best / 2))]);
        for is_new in [true, false] {
            for ((best, item), expected) in all.clone().zip(0..) {
                let start = contexts.lists.len() as u32;
                contexts.lists.extend(item);
                let list = if item.is_some() { ItemList { start, end: start + 1 } } else { ItemList::EMPTY };
                assert_eq!(contexts.find_or_add(best, list, &items, (0, &text)), (expected, is_new));
            }
        }
        assert_eq!(contexts.lists.len(), 2000, "what is there is not kept twice");
    }
}
