//! Reads several lists at once, and decides which worker reads which.
//!
//! A list can be read only as fast as one thread decompresses it. So a worker that finds the current list busy reads from a
//! later one. If the order between lists does not matter, it takes that chunk; otherwise the chunk waits here until its list's
//! turn, in memory while there is room, then on disk. Which worker reads what, and when, changes nothing but the order between
//! lists, where that order is free.
//!
//! A decompressor gets the memory usual for its format, and as many lists are read at once as memory allows. A decompressor
//! that needs more waits until its list is the first, and then runs alone: the other lists are closed, and read again later up
//! to where they were.

use std::collections::VecDeque;
use std::sync::Arc;

use super::chunk::{Chunk, Position};
use super::cut::Cut;
use super::open_list::OpenList;
use super::store::Store;
use crate::formats::compression::Compression;
use crate::formats::made_ahead::Ahead;
use crate::input::error::ListError;
use crate::input::list::{List, Next};
use crate::input::skipped::Skipped;

/// Memory for reading a list, besides the window of its decompressor: two buffers, tables, the rest of a chunk.
const BYTES_PER_READER: u64 = 1 << 20;

/// Lists that are read at once.
pub(super) struct OpenLists<'l> {
    /// Lists that were begun and have not ended, in order.
    open: Vec<Slot<'l>>,
    /// Where to resume lists that an earlier run began.
    begun: VecDeque<Position>,
    /// The first list to begin after those.
    next: usize,
    /// Bytes of waiting chunks, and the room reserved for chunks being read ahead.
    waiting: u64,
}

struct Slot<'l> {
    list: usize,
    /// `None` while a worker reads from it.
    reading: Option<Box<OpenList<'l>>>,
    ahead: Option<Ahead<'l>>,
    /// Chunks that wait for the list's turn.
    ready: VecDeque<Result<Chunk<'l>, ListError>>,
    /// Holds waiting chunks that do not fit in memory.
    store: Option<Arc<Store>>,
    has_ended: bool,
    /// Whether the next chunk is too long to be read ahead of the list's turn.
    is_long: bool,
    /// Whether the decompressor needs all the memory there is.
    needs_memory: bool,
}

/// What a worker gets of a list: a chunk, or nothing.
pub(super) type Given<'l> = Result<Option<Chunk<'l>>, ListError>;

/// What a worker does next to get a chunk.
pub(super) enum Step<'l> {
    /// It takes what was read before; nothing at the end of all lists.
    Take(Given<'l>),
    Read(Box<OpenList<'l>>),
    /// It has read this long chunk of a list, and needs the right to hold it.
    Hold(Box<OpenList<'l>>, Chunk<'l>),
    /// It reads this list ahead, to the store if memory is full.
    Ahead(Box<OpenList<'l>>, Option<Arc<Store>>),
    /// It decodes this piece of a list that another worker reads.
    Help(Ahead<'l>, u64),
}

/// Lists that have ended, and their parts that were skipped.
#[derive(Default)]
pub(crate) struct Ended {
    pub lists: Vec<usize>,
    pub skipped: Vec<Skipped>,
}

impl<'l> OpenLists<'l> {
    /// Resumes the `begun` lists at their positions, then reads the lists from `next` on.
    pub fn new(begun: &[Position], next: usize) -> OpenLists<'l> {
        OpenLists { open: Vec::new(), begun: begun.iter().copied().collect(), next, waiting: 0 }
    }

    /// Whether all lists have ended.
    pub fn is_at_end(&self, cut: &Cut<'l>) -> bool {
        self.open.is_empty() && self.begun.is_empty() && self.next >= cut.lists.len()
    }

    /// Chooses the next step; `None` if a worker must wait until something changes. Lists that have ended are added to `ended`.
    pub fn choose(&mut self, cut: &Cut<'l>, ended: &mut Ended) -> Option<Step<'l>> {
        self.remove_ended(cut, ended);
        if self.open.is_empty() && !self.begin(cut) {
            return Some(Step::Take(Ok(None)));
        }
        let first = &mut self.open[0];
        if let Some(ready) = first.ready.pop_front() {
            self.waiting -= bytes_of(&ready);
            return Some(Step::Take(ready.map(Some)));
        }
        if first.needs_memory && !self.close_others(cut) {
            return None;
        }
        match self.open[0].reading.take() {
            Some(reading) => Some(Step::Read(reading)),
            None if self.open[0].needs_memory => None,
            // A chunk read ahead has to wait, so reading ahead comes last.
            None if cut.parallelism.in_order => self.help().or_else(|| self.read_another(cut)),
            None => self.read_another(cut).or_else(|| self.help()),
        }
    }

    /// Removes lists that have ended; if lists keep their order, only from the front.
    fn remove_ended(&mut self, cut: &Cut<'l>, ended: &mut Ended) {
        let mut place = 0;
        while let Some(slot) = self.open.get(place) {
            match &slot.reading {
                Some(_) if slot.has_ended && slot.ready.is_empty() => {
                    let slot = self.open.remove(place);
                    ended.lists.push(slot.list);
                    ended.skipped.extend(slot.reading.into_iter().flat_map(|reading| reading.skipped));
                }
                _ if cut.parallelism.in_order => return,
                _ => place += 1,
            }
        }
    }

    /// Closes all lists but the first and drops the chunks read ahead from them. Does nothing and returns false if one of them
    /// is being read.
    fn close_others(&mut self, cut: &Cut<'l>) -> bool {
        let others = &mut self.open[1..];
        if others.iter().any(|slot| slot.reading.is_none()) {
            return false;
        }
        for slot in others {
            self.waiting -= slot.ready.iter().map(bytes_of).sum::<u64>();
            let first = slot.ready.drain(..).flatten().next().map(|chunk| chunk.at);
            if let Some(reading) = &mut slot.reading {
                reading.reopen(cut, first, memory_of_decompressor(&cut.lists[slot.list]));
            }
            (slot.ahead, slot.has_ended, slot.is_long) = (None, false, false);
        }
        true
    }

    /// A piece of the first list, which another worker is reading.
    fn help(&self) -> Option<Step<'l>> {
        let ahead = self.open.first()?.ahead.as_ref()?;
        Some(Step::Help(ahead.clone(), ahead.claim()?))
    }

    /// A list other than the first, which another worker is reading.
    fn read_another(&mut self, cut: &Cut<'l>) -> Option<Step<'l>> {
        let in_order = cut.parallelism.in_order;
        let left = cut.reader_memory().saturating_sub(self.waiting + self.memory_in_use(cut));
        if in_order && left < chunk_room(cut) {
            return None;
        }
        let to_disk = left < chunk_room(cut) + self.reserve(cut);
        loop {
            let is_free = |slot: &&mut Slot<'l>| {
                let is_full = to_disk && slot.store.as_ref().is_none_or(|store| !store.has_room());
                let waits =
                    slot.needs_memory || in_order && (slot.is_long || is_full || !cut.lists[slot.list].is_decoded());
                !slot.has_ended && !waits && slot.reading.is_some()
            };
            if let Some(slot) = self.open.iter_mut().skip(1).find(is_free)
                && let Some(reading) = slot.reading.take()
            {
                if !in_order {
                    return Some(Step::Read(reading));
                }
                self.waiting += chunk_room(cut);
                return Some(Step::Ahead(reading, slot.store.clone().filter(|_| to_disk)));
            }
            if !self.begin(cut) {
                return None;
            }
        }
    }

    /// Begins another list, if there is one and memory for it. If no list is open, it is begun in any case.
    fn begin(&mut self, cut: &Cut<'l>) -> bool {
        let Some(at) = self.begun.front().copied().or_else(|| cut.start_of(self.next)) else { return false };
        let list = &cut.lists[at.list];
        let memory = memory_of_decompressor(list);
        let taken = self.waiting + chunk_room(cut) + self.memory_in_use(cut) + memory_of_reader(list);
        let has_room = self.open.len() < cut.parallelism.lists && taken <= cut.reader_memory();
        if !self.open.is_empty() && (!has_room || self.open.iter().any(|slot| slot.needs_memory)) {
            return false;
        }
        if self.begun.pop_front().is_none() {
            self.next += 1;
        }
        // A stream's decompressor is already running, and the memory it takes is unknown.
        let needs_memory = list.is_stream() && list.compression == Some(Compression::Zstd);
        let reading = Box::new(OpenList::from(cut, at, memory.min(cut.memory)));
        self.open.push(Slot {
            list: at.list,
            ahead: None,
            reading: Some(reading),
            ready: VecDeque::new(),
            store: cut.home.clone().map(|home| Arc::new(Store::new(home))),
            has_ended: false,
            is_long: false,
            needs_memory,
        });
        true
    }

    /// Takes back a list after a read. Returns the chunk that was read, if any.
    pub fn put_back(
        &mut self,
        cut: &Cut<'l>,
        mut reading: Box<OpenList<'l>>,
        next: Result<Next<Chunk<'l>>, ListError>,
    ) -> Given<'l> {
        let Some(slot) = self.open.iter_mut().find(|slot| slot.list == reading.list) else { return Ok(None) };
        let read = match next {
            Ok(Next::Chunk(chunk)) => Ok(Some(chunk)),
            Ok(other) => {
                slot.has_ended |= matches!(other, Next::End);
                slot.is_long |= matches!(other, Next::Long);
                if let Next::NeedsMemory = other {
                    slot.needs_memory = true;
                    reading.reopen(cut, None, cut.memory);
                }
                Ok(None)
            }
            Err(failure) => Err(failure),
        };
        slot.ahead.clone_from(&reading.ahead);
        slot.reading = Some(reading);
        read
    }

    /// Takes back a list that was read ahead, and keeps the chunk for its turn.
    pub fn keep(&mut self, cut: &Cut<'l>, reading: Box<OpenList<'l>>, next: Result<Next<Chunk<'l>>, ListError>) {
        let list = reading.list;
        let ready = self.put_back(cut, reading, next).transpose();
        self.waiting -= chunk_room(cut);
        let Some(slot) = self.open.iter_mut().find(|slot| slot.list == list) else { return };
        if let Some(ready) = ready {
            slot.has_ended |= ready.is_err();
            self.waiting += bytes_of(&ready);
            slot.ready.push_back(ready);
        }
    }

    /// Memory kept for chunks on their way to disk: one for each list, if there is a folder for them.
    fn reserve(&self, cut: &Cut<'l>) -> u64 {
        let total = chunk_room(cut).saturating_mul(cut.parallelism.lists as u64);
        cut.home.as_ref().map_or(0, |_| total.min(cut.reader_memory() / 2))
    }

    /// Memory of all lists that are being read.
    fn memory_in_use(&self, cut: &Cut<'l>) -> u64 {
        let reading = self.open.iter().filter(|slot| !slot.has_ended);
        reading.map(|slot| memory_of_reader(&cut.lists[slot.list])).sum()
    }
}

/// The memory that a waiting chunk takes.
fn bytes_of(ready: &Result<Chunk<'_>, ListError>) -> u64 {
    ready.as_ref().map_or(0, Chunk::held_bytes)
}

/// Room for a chunk that is read ahead: a little more than most take.
fn chunk_room(cut: &Cut<'_>) -> u64 {
    cut.chunk_size.saturating_mul(2) as u64
}

/// The memory a decompressor gets at first.
fn memory_of_decompressor(list: &List) -> u64 {
    match list.compression {
        Some(compression) => compression.usual_memory(),
        // A page, both stored and decompressed, and a dictionary.
        None if list.is_decoded() => 4 << 20,
        None => 0,
    }
}

/// Memory for reading a list.
fn memory_of_reader(list: &List) -> u64 {
    if list.is_decoded() { BYTES_PER_READER + memory_of_decompressor(list) } else { 0 }
}
