//! The position of a run in its lists.

use serde::{Deserialize, Serialize};

use crate::input::list::List;
use crate::input::position::Position;

/// The position of a run in its lists: where the next chunk begins in each list that was begun and has not ended. Lists are begun
/// in order, but several may be read at once.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Reached {
    /// The begun lists, in order.
    pub begun: Vec<Position>,
    /// The next list to begin. Lists before it that are not in `begun` have ended.
    pub next: usize,
}

impl Reached {
    /// Records that a chunk of a list was handed in, which ends at `end`.
    pub fn chunk(&mut self, list: usize, end: u64, lists: &[List]) {
        self.begin(list, lists);
        if let Some(place) = self.begun.iter_mut().find(|place| place.list == list) {
            place.at = end;
        }
    }

    /// Records that a list has ended and all its chunks were handed in.
    pub fn ended(&mut self, list: usize, lists: &[List]) {
        self.begin(list, lists);
        self.begun.retain(|place| place.list != list);
    }

    /// Begins all lists up to this one.
    fn begin(&mut self, list: usize, lists: &[List]) {
        let new = lists.iter().enumerate().take(list + 1).skip(self.next);
        self.begun.extend(new.map(|(list, of)| Position { list, at: of.start() }));
        self.next = self.next.max(list + 1);
    }

    /// Where the next chunk begins, if lists are read one after the other.
    pub fn position(&self) -> Position {
        self.begun.first().copied().unwrap_or(Position { list: self.next, at: 0 })
    }

    /// Bytes of the lists' files that a resumed run does not read again. Lists that are not mapped are read from the start.
    pub fn left_out(&self, lists: &[List]) -> u64 {
        let of_list = |(number, list): (usize, &List)| match self.begun.iter().find(|place| place.list == number) {
            Some(place) if list.mapped().is_some() => place.at.saturating_sub(list.start()),
            Some(_) => 0,
            None => list.source_length().unwrap_or(0),
        };
        lists.iter().enumerate().take(self.next).map(of_list).sum()
    }
}
