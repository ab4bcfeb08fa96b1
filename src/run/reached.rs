//! How far a run is in its lists.

use serde::{Deserialize, Serialize};

use crate::input::list::List;
use crate::input::position::Position;

/// How far a run is in its lists: where the next chunk begins of each that was begun and has not ended. Lists are begun in
/// their order, but several may be read at once.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Reached {
    /// In the order of the lists.
    pub begun: Vec<Position>,
    /// The list that is begun next; those before it that are not named have ended.
    pub next: usize,
}

impl Reached {
    /// A chunk of a list was handed in, which ends here.
    pub fn chunk(&mut self, list: usize, end: u64, lists: &[List]) {
        self.begin(list, lists);
        if let Some(place) = self.begun.iter_mut().find(|place| place.list == list) {
            place.at = end;
        }
    }

    /// A list has ended, and all its chunks were handed in.
    pub fn ended(&mut self, list: usize, lists: &[List]) {
        self.begin(list, lists);
        self.begun.retain(|place| place.list != list);
    }

    /// All lists up to this one are begun.
    fn begin(&mut self, list: usize, lists: &[List]) {
        let new = lists.iter().enumerate().take(list + 1).skip(self.next);
        self.begun.extend(new.map(|(list, of)| Position { list, at: of.start() }));
        self.next = self.next.max(list + 1);
    }

    /// Where the next chunk begins, where lists are read one after the other.
    pub fn position(&self) -> Position {
        self.begun.first().copied().unwrap_or(Position { list: self.next, at: 0 })
    }

    /// Bytes of the lists' files that a run that goes on does not read again: what is not mapped is read from its start.
    pub fn left_out(&self, lists: &[List]) -> u64 {
        let of_list = |(number, list): (usize, &List)| match self.begun.iter().find(|place| place.list == number) {
            Some(place) if list.mapped().is_some() => place.at.saturating_sub(list.start()),
            Some(_) => 0,
            None => list.source_length().unwrap_or(0),
        };
        lists.iter().enumerate().take(self.next).map(of_list).sum()
    }
}
