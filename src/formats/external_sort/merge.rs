//! Merges sorted lists.

use std::cmp::Ordering;

/// Marks a place where no list has come yet while the tree is built.
const NOBODY: usize = usize::MAX;

/// The items of several sorted lists in order; of equal ones, that of an earlier list comes first.
///
/// A tournament tree: each inner node holds the list that lost there, and the root the one that won. After its item is taken, a list
/// plays only against the losers on its way to the root.
pub(crate) struct Merge<L, T, C> {
    lists: Vec<L>,
    /// The next item of each list; `None` at its end.
    heads: Vec<Option<T>>,
    /// The winner, then the losers: the children of node `n` are `2 * n` and `2 * n + 1`, and lists are the leaves.
    tree: Vec<usize>,
    compare: C,
}

impl<L, T, E, C> Merge<L, T, C>
where
    L: Iterator<Item = Result<T, E>>,
    C: Fn(&T, &T) -> Ordering,
{
    /// Reads the first item of each list.
    pub fn new(mut lists: Vec<L>, compare: C) -> Result<Merge<L, T, C>, E> {
        let heads = lists.iter_mut().map(|list| list.next().transpose()).collect::<Result<Vec<_>, E>>()?;
        let tree = vec![NOBODY; lists.len().max(1)];
        let mut merge = Merge { lists, heads, tree, compare };
        (0..merge.lists.len()).for_each(|list| merge.play(list));
        Ok(merge)
    }

    /// The next item.
    pub fn peek(&self) -> Option<&T> {
        self.heads.get(self.tree[0])?.as_ref()
    }

    /// Takes the next item, with the number of its list.
    #[inline]
    pub fn next(&mut self) -> Result<Option<(usize, T)>, E> {
        let winner = self.tree[0];
        let Some(item) = self.heads.get_mut(winner).and_then(Option::take) else { return Ok(None) };
        self.heads[winner] = self.lists[winner].next().transpose()?;
        self.play(winner);
        Ok(Some((winner, item)))
    }

    /// Calls `each` with all items in order.
    pub fn for_each<X: From<E>>(mut self, mut each: impl FnMut(T) -> Result<(), X>) -> Result<(), X> {
        let mut last = NOBODY;
        while let Some(mut item) = self.heads.get_mut(self.tree[0]).and_then(Option::take) {
            let winner = self.tree[0];
            // A list that wins again is taken to go on: up to the head of the second, its items need not go through the tree.
            let goes_on = std::mem::replace(&mut last, winner) == winner;
            let second = if goes_on { self.second() } else { None };
            let head = loop {
                each(item)?;
                let Some(next) = self.lists[winner].next().transpose()? else { break None };
                if !goes_on || second.is_some_and(|second| !self.precedes(&next, winner, second)) {
                    break Some(next);
                }
                item = next;
            };
            self.heads[winner] = head;
            self.play(winner);
        }
        Ok(())
    }

    /// The list that wins once the winner has ended.
    fn second(&self) -> Option<usize> {
        let (mut second, mut node) = (None, (self.tree[0] + self.lists.len()) / 2);
        while node > 0 {
            let list = self.tree[node];
            second = second.filter(|&second| self.is_before(second, list)).or(Some(list));
            node /= 2;
        }
        second
    }

    /// A list plays on its way to the root. The first to come to a node waits there.
    #[inline]
    fn play(&mut self, list: usize) {
        let (mut winner, mut node) = (list, (list + self.lists.len()) / 2);
        while node > 0 {
            if self.tree[node] == NOBODY {
                self.tree[node] = winner;
                return;
            }
            if self.is_before(self.tree[node], winner) {
                std::mem::swap(&mut self.tree[node], &mut winner);
            }
            node /= 2;
        }
        self.tree[0] = winner;
    }

    /// Whether the head of a list comes before that of another.
    #[inline]
    fn is_before(&self, one: usize, other: usize) -> bool {
        self.heads[one].as_ref().is_some_and(|head| self.precedes(head, one, other))
    }

    /// Whether an item of a list comes before the head of another.
    #[inline]
    fn precedes(&self, item: &T, list: usize, other: usize) -> bool {
        let head = self.heads[other].as_ref();
        head.is_none_or(|head| (self.compare)(item, head).then(list.cmp(&other)).is_lt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn items_come_in_order_and_equal_ones_in_the_order_of_their_lists() {
        let mut rng = Rng(3);
        for count in 0..20 {
            let lists: Vec<Vec<usize>> = (0..count)
                .map(|_| {
                    let mut list: Vec<usize> = (0..rng.below(9)).map(|_| rng.below(12)).collect();
                    list.sort_unstable();
                    list
                })
                .collect();
            let numbered = lists.iter().enumerate();
            let mut expected: Vec<(usize, usize)> =
                numbered.flat_map(|(number, list)| list.iter().map(move |&item| (item, number))).collect();
            expected.sort_unstable();
            let sources = || lists.iter().map(|list| list.iter().copied().map(Ok::<usize, usize>)).collect();
            let (mut merge, mut found) = (Merge::new(sources(), Ord::cmp).unwrap(), Vec::new());
            while let Some(&next) = merge.peek() {
                let (list, item) = merge.next().unwrap().unwrap();
                assert_eq!(item, next);
                found.push((item, list));
            }
            assert_eq!(found, expected, "{count}");
            let (merge, mut items) = (Merge::new(sources(), Ord::cmp).unwrap(), Vec::new());
            let push = |item| {
                items.push(item);
                Ok::<(), usize>(())
            };
            merge.for_each(push).unwrap();
            assert!(items.into_iter().eq(expected.into_iter().map(|(item, _)| item)), "{count}");
        }
    }

    #[test]
    fn an_error_of_a_list_is_that_of_the_merge() {
        let lists = || [vec![Ok(1), Err("at its end")], vec![Ok(2)]].map(Vec::into_iter);
        let mut merge = Merge::new(lists().into(), Ord::cmp).unwrap();
        assert_eq!(merge.next(), Err("at its end"));
        let later: Vec<_> = lists().map(|list| list.skip(1)).into();
        assert!(Merge::new(later, Ord::cmp).is_err());
    }
}
