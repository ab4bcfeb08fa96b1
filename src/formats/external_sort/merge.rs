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
        match (&self.heads[one], &self.heads[other]) {
            (Some(head), Some(than)) => (self.compare)(head, than).then(one.cmp(&other)).is_lt(),
            (head, _) => head.is_some(),
        }
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
            let sources = lists.into_iter().map(|list| list.into_iter().map(Ok::<usize, ()>)).collect();
            let (mut merge, mut found) = (Merge::new(sources, Ord::cmp).unwrap(), Vec::new());
            while let Some(&next) = merge.peek() {
                let (list, item) = merge.next().unwrap().unwrap();
                assert_eq!(item, next);
                found.push((item, list));
            }
            assert_eq!(found, expected, "{count}");
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
