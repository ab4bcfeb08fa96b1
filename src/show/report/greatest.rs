//! The greatest items of a long sequence.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The greatest of the items that were added, at most so many.
pub(super) struct Greatest<T> {
    most: usize,
    /// The least is on top, to be replaced first.
    items: BinaryHeap<Reverse<T>>,
}

impl<T: Ord> Greatest<T> {
    pub fn new(most: usize) -> Greatest<T> {
        Greatest { most, items: BinaryHeap::new() }
    }

    pub fn add(&mut self, item: T) {
        self.items.push(Reverse(item));
        if self.items.len() > self.most {
            self.items.pop();
        }
    }

    /// The items, the greatest first.
    pub fn into_vec(self) -> Vec<T> {
        self.items.into_sorted_vec().into_iter().map(|Reverse(item)| item).collect()
    }
}
