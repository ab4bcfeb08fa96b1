//! Lists that are read at once, and who may read which next.
//!
//! One list after the other can be read only as fast as one thread decompresses it. So a worker that finds the list busy
//! whose turn it is reads on in a later one. Where lists need not keep their order among each other, it has the next chunk
//! then; otherwise it keeps the chunk here until the turn of its list: in memory as far as there is any, then on disk. Either
//! way, nothing depends on who reads what and when but the order of lists that need not keep it.
//!
//! A decompressor gets the memory that is usual for its format, and as many lists are read at once as there is memory for.
//! One that needs more waits until its list is the first, and is alone then: the others are closed, and read again later up
//! to where they were.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cut::Cut;
use super::lane::{Lane, Next, Piece};
use super::store::{ReadAhead, Store};
use crate::formats::compression::Compression;
use crate::input::error::ListError;
use crate::input::list::{Ahead, List};
use crate::input::position::Position;
use crate::input::skipped::Skipped;

/// The memory for reading a list beside the window of its decompressor: two buffers, tables, the rest of a chunk.
const OF_READER: u64 = 1 << 20;

/// Which lists are read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SideBySide {
    /// So many at most.
    pub lists: usize,
    /// Whether their chunks are handed out in the order of the lists.
    pub in_order: bool,
}

/// Lists that are read at once.
pub(super) struct Lanes<'l> {
    pub sides: SideBySide,
    /// Those that were begun and have not ended, in their order.
    open: Vec<Slot<'l>>,
    /// Where to begin, of lists that an earlier run has begun.
    begun: VecDeque<Position>,
    /// The list that is begun after those.
    next: usize,
    /// Bytes of chunks that wait, and of those that are read to wait.
    waiting: u64,
}

/// A list that was begun.
struct Slot<'l> {
    list: usize,
    /// Nobody has it while somebody reads.
    lane: Option<Box<Lane<'l>>>,
    ahead: Option<Ahead<'l>>,
    /// Chunks that wait for its turn.
    ready: VecDeque<Ready<'l>>,
    /// Where they wait that have no room in memory.
    store: Option<Arc<Store>>,
    has_ended: bool,
    /// Whether its next chunk has to wait for its turn to be read.
    is_long: bool,
    /// Whether its decompressor needs all the memory that there is.
    is_wide: bool,
}

/// A chunk that was read ahead of its turn, or its error.
pub(super) enum Ready<'l> {
    Chunk(Piece<'l>, ReadAhead),
    Failed(ListError),
}

/// The next task of a worker.
pub(super) enum Choice<'l> {
    /// It has what was read ahead of this list.
    Take(usize, Ready<'l>),
    /// It reads this list.
    Read(Box<Lane<'l>>),
    /// It reads this list ahead, to this store where memory has no room.
    Ahead(Box<Lane<'l>>, Option<Arc<Store>>),
    /// It decompresses this piece of a list that another worker reads.
    Help(Ahead<'l>, u64),
    /// It waits until something has changed.
    Wait,
    /// All lists have ended.
    End,
}

/// The lists that have ended, and the parts left out of them.
#[derive(Default)]
pub(crate) struct Ended {
    pub lists: Vec<usize>,
    pub skipped: Vec<Skipped>,
}

impl<'l> Lanes<'l> {
    /// Of all lists from `next` on, and before those of the lists that were `begun`, from there on.
    pub fn new(sides: SideBySide, begun: &[Position], next: usize) -> Lanes<'l> {
        Lanes { sides, open: Vec::new(), begun: begun.iter().copied().collect(), next, waiting: 0 }
    }

    /// Whether there is anything left.
    pub fn is_at_end(&self, cut: &Cut<'l>) -> bool {
        self.open.is_empty() && self.begun.is_empty() && self.next >= cut.lists.len()
    }

    /// Chooses the next task; `ended` gets the lists that have ended.
    pub fn choose(&mut self, cut: &Cut<'l>, ended: &mut Ended) -> Choice<'l> {
        self.remove_ended(ended);
        if self.open.is_empty() && !self.begin(cut) {
            return Choice::End;
        }
        let first = &mut self.open[0];
        if let Some(ready) = first.ready.pop_front() {
            self.waiting -= ready.bytes();
            return Choice::Take(first.list, ready);
        }
        if first.is_wide && !self.close_others(cut) {
            return Choice::Wait;
        }
        match self.open[0].lane.take() {
            Some(lane) => Choice::Read(lane),
            None if self.open[0].is_wide => Choice::Wait,
            // What is read ahead of its turn has to wait; so that is done last.
            None if self.sides.in_order => self.help().unwrap_or_else(|| self.another(cut)),
            None => match self.another(cut) {
                Choice::Wait => self.help().unwrap_or(Choice::Wait),
                other => other,
            },
        }
    }

    /// Forgets lists that have ended; where they keep their order, in that order.
    fn remove_ended(&mut self, ended: &mut Ended) {
        let mut place = 0;
        while let Some(slot) = self.open.get(place) {
            match &slot.lane {
                Some(_) if slot.has_ended && slot.ready.is_empty() => {
                    let slot = self.open.remove(place);
                    ended.lists.push(slot.list);
                    ended.skipped.extend(slot.lane.into_iter().flat_map(|lane| lane.skipped));
                }
                _ if self.sides.in_order => return,
                _ => place += 1,
            }
        }
    }

    /// Closes all lists but the first, with what was read ahead of them, unless one of them is being read.
    fn close_others(&mut self, cut: &Cut<'l>) -> bool {
        let others = &mut self.open[1..];
        if others.iter().any(|slot| slot.lane.is_none()) {
            return false;
        }
        for slot in others {
            self.waiting -= slot.ready.iter().map(Ready::bytes).sum::<u64>();
            let first = slot
                .ready
                .drain(..)
                .find_map(|ready| if let Ready::Chunk(piece, _) = ready { Some(piece.at) } else { None });
            if let Some(lane) = &mut slot.lane {
                lane.reopen(cut, first, of_decompressor(&cut.lists[slot.list]));
            }
            slot.ahead = slot.lane.as_ref().and_then(|lane| lane.ahead.clone());
            (slot.has_ended, slot.is_long) = (false, false);
        }
        true
    }

    /// A piece of the first list, which is being read.
    fn help(&self) -> Option<Choice<'l>> {
        let ahead = self.open.first()?.ahead.as_ref()?;
        Some(Choice::Help(ahead.clone(), ahead.claim()?))
    }

    /// Another list than the first, which is being read.
    fn another(&mut self, cut: &Cut<'l>) -> Choice<'l> {
        let in_order = self.sides.in_order;
        let left = cut.of_readers().saturating_sub(self.waiting + self.of_decompressors(cut));
        if in_order && left < room_of_chunk(cut) {
            return Choice::Wait;
        }
        let to_disk = left < room_of_chunk(cut) + self.reserve(cut);
        loop {
            let is_free = |slot: &&mut Slot<'l>| {
                let is_full = to_disk && slot.store.as_ref().is_none_or(|store| !store.has_room());
                let waits = slot.is_wide || in_order && (slot.is_long || is_full || !cut.lists[slot.list].is_made());
                !slot.has_ended && !waits && slot.lane.is_some()
            };
            if let Some(slot) = self.open.iter_mut().skip(1).find(is_free)
                && let Some(lane) = slot.lane.take()
            {
                if !in_order {
                    return Choice::Read(lane);
                }
                self.waiting += room_of_chunk(cut);
                return Choice::Ahead(lane, slot.store.clone().filter(|_| to_disk));
            }
            if !self.begin(cut) {
                return Choice::Wait;
            }
        }
    }

    /// Begins another list, if there is one, and memory for it; the only one is begun in any case.
    fn begin(&mut self, cut: &Cut<'l>) -> bool {
        let Some(at) = self.begun.front().copied().or_else(|| cut.start_of(self.next)) else { return false };
        let list = &cut.lists[at.list];
        let memory = of_decompressor(list);
        let taken = self.waiting + room_of_chunk(cut) + self.of_decompressors(cut) + of_reader(list);
        let has_room = self.open.len() < self.sides.lists && taken <= cut.of_readers();
        if !self.open.is_empty() && (!has_room || self.open.iter().any(|slot| slot.is_wide)) {
            return false;
        }
        if self.begun.pop_front().is_none() {
            self.next += 1;
        }
        // Nobody knows what the decompressor of a stream takes already.
        let is_wide = list.is_stream() && list.compression == Some(Compression::Zstd);
        let lane = Box::new(Lane::from(cut, at, memory.min(cut.memory)));
        self.open.push(Slot {
            list: at.list,
            ahead: lane.ahead.clone(),
            lane: Some(lane),
            ready: VecDeque::new(),
            store: cut.home.clone().map(|home| Arc::new(Store::new(home))),
            has_ended: false,
            is_long: false,
            is_wide,
        });
        true
    }

    /// Takes a list back, with what was read of it; returns the chunk, if its reader may have it now.
    pub fn put_back(
        &mut self,
        cut: &Cut<'l>,
        mut lane: Box<Lane<'l>>,
        next: Next<'l>,
    ) -> Result<Option<Piece<'l>>, ListError> {
        let Some(slot) = self.open.iter_mut().find(|slot| slot.list == lane.list) else { return Ok(None) };
        let mut piece = None;
        let mut failed = None;
        match next {
            Next::Chunk(read) => piece = Some(read),
            Next::End => slot.has_ended = true,
            Next::Long => slot.is_long = true,
            Next::Wide => {
                slot.is_wide = true;
                lane.reopen(cut, None, cut.memory);
            }
            Next::Failed(failure) => failed = Some(failure),
        }
        slot.ahead.clone_from(&lane.ahead);
        slot.lane = Some(lane);
        failed.map_or(Ok(piece), Err)
    }

    /// The same of a list that was read ahead.
    pub fn keep(&mut self, cut: &Cut<'l>, lane: Box<Lane<'l>>, next: Next<'l>, ahead: ReadAhead) {
        let list = lane.list;
        let ready = match self.put_back(cut, lane, next) {
            Ok(piece) => piece.map(|piece| Ready::Chunk(piece, ahead)),
            Err(failure) => Some(Ready::Failed(failure)),
        };
        self.waiting -= room_of_chunk(cut);
        let Some(slot) = self.open.iter_mut().find(|slot| slot.list == list) else { return };
        if let Some(ready) = ready {
            slot.has_ended |= matches!(ready, Ready::Failed(_));
            self.waiting += ready.bytes();
            slot.ready.push_back(ready);
        }
    }

    /// The memory that is left to chunks on their way to disk, where they may wait there: one for each list.
    fn reserve(&self, cut: &Cut<'l>) -> u64 {
        let of_all = room_of_chunk(cut).saturating_mul(self.sides.lists as u64);
        cut.home.as_ref().map_or(0, |_| of_all.min(cut.of_readers() / 2))
    }

    /// The memory of the lists that are being read.
    fn of_decompressors(&self, cut: &Cut<'l>) -> u64 {
        let reading = self.open.iter().filter(|slot| !slot.has_ended);
        reading.map(|slot| of_reader(&cut.lists[slot.list])).sum()
    }
}

impl Ready<'_> {
    /// The memory it takes.
    fn bytes(&self) -> u64 {
        if let Ready::Chunk(_, ReadAhead::InMemory(buffer)) = self { buffer.bytes.capacity() as u64 } else { 0 }
    }
}

/// Room for a chunk that is read ahead; a little more than most have.
fn room_of_chunk(cut: &Cut<'_>) -> u64 {
    cut.chunk_size.saturating_mul(2) as u64
}

/// The memory a decompressor is given at first.
fn of_decompressor(list: &List) -> u64 {
    match list.compression {
        Some(compression) => compression.usual_memory(),
        // A page, stored and decompressed, and a dictionary.
        None if list.is_made() => 4 << 20,
        None => 0,
    }
}

/// The memory for reading a list.
fn of_reader(list: &List) -> u64 {
    if list.is_made() { OF_READER + of_decompressor(list) } else { 0 }
}
