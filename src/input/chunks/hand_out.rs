//! Hands out chunks to workers: reads several lists at once, and decides which worker reads which.
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
use std::mem::take;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::chunk::{Chunk, LONGEST_CHUNK, Position};
use super::cut::{Cut, OpenList};
use super::store::Store;
use crate::error::run::Error;
use crate::formats::made_ahead::Ahead;
use crate::input::error::Skipped;
use crate::input::list::{Buffer, List, Next, Text};
use crate::lock::OnPanic;
use crate::monitor::Monitor;

/// The chunks of all lists.
pub(crate) struct Chunks<'l> {
    pub(super) cut: Cut<'l>,
    pub(super) input: Monitor<Input<'l>>,
}

/// The lists that are not yet fully handed out.
pub(super) struct Input<'l> {
    pub lists: OpenLists<'l>,
    tickets: u64,
    /// Lists that ended since the last chunk was handed out.
    ended: Ended,
    /// Whether reading failed, so that nothing more is handed out.
    has_failed: bool,
}

impl<'l> Chunks<'l> {
    /// Hands out all lists.
    pub fn new(cut: Cut<'l>) -> Chunks<'l> {
        Chunks::from(cut, &[], 0)
    }

    /// Resumes the `begun` lists at their positions, then hands out the lists from `next` on.
    pub fn from(cut: Cut<'l>, begun: &[Position], next: usize) -> Chunks<'l> {
        let (lists, ended) = (OpenLists::new(begun, next), Ended::default());
        Chunks { cut, input: Monitor::new(Input { lists, tickets: 0, ended, has_failed: false }) }
    }

    /// Whether the flag was set before everything was handed out.
    pub fn is_interrupted(&self) -> bool {
        self.cut.is_asked_to_stop() && !self.input.with(|input| input.lists.is_at_end(&self.cut))
    }

    pub fn lists(&self) -> &'l [List] {
        self.cut.lists
    }

    /// Stops handing out chunks, and wakes the workers that wait for one.
    pub fn stop(&self) {
        self.input.stop();
    }

    /// Reads from a list without the lock, so that other workers can read from other lists.
    fn read_on<R>(&self, read: impl FnOnce() -> R) -> R {
        let _guard = OnPanic(|| self.stop());
        read()
    }

    /// Reads the next chunk of a list ahead of its turn, to the store if there is one.
    pub(super) fn read_ahead(
        &self,
        reading: &mut OpenList<'l>,
        store: Option<Arc<Store>>,
    ) -> Result<Next<Chunk<'l>>, Error> {
        let mut next = reading.next(&self.cut, &mut Buffer::default(), false);
        if let (Ok(Next::Chunk(Chunk { text: Text::Read(buffer), stored, .. })), Some(store)) = (&mut next, store) {
            *stored = store.take(buffer);
        }
        next
    }

    /// The next chunk, in the memory of `spare` if it needs any. After a failure there are no more chunks.
    pub fn next(&self, spare: &mut Buffer) -> Given<'l> {
        while let Some(step) = self.input.when(|input| self.step(input, spare)) {
            let given = match step {
                ControlFlow::Break(given) => return given,
                ControlFlow::Continue(Work::Help(ahead, piece)) => {
                    ahead.make(piece);
                    None
                }
                ControlFlow::Continue(Work::Ahead(mut reading, store)) => {
                    let next = self.read_on(|| self.read_ahead(&mut reading, store));
                    self.input.change(|input| input.lists.keep(&self.cut, reading, next));
                    None
                }
                ControlFlow::Continue(Work::Read(mut reading)) => {
                    let next = self.read_on(|| reading.next(&self.cut, spare, true));
                    self.put_back(reading, next)
                }
            };
            if let Some(given) = given {
                return given;
            }
        }
        Ok(None)
    }

    /// What the worker gets at once, or must work for; `None` if it must wait until something changes.
    fn step(&self, input: &mut Input<'l>, spare: &mut Buffer) -> Option<ControlFlow<Given<'l>, Work<'l>>> {
        loop {
            if input.has_failed || self.cut.is_asked_to_stop() {
                return Some(ControlFlow::Break(Ok(None)));
            }
            let read = match input.lists.choose(&self.cut, &mut input.ended)? {
                ControlFlow::Continue(Work::Read(mut reading)) if reading.is_instant(&self.cut) => {
                    match reading.next(&self.cut, spare, true) {
                        Ok(Next::Chunk(chunk)) if chunk.needs_permit() => {
                            // Its holder may need the lock before it can give the permit back.
                            reading.give_again(chunk);
                            return Some(ControlFlow::Continue(Work::Read(reading)));
                        }
                        next => input.lists.put_back(&self.cut, reading, next),
                    }
                }
                ControlFlow::Break(Ok(Some(chunk))) => {
                    // It has memory of its own.
                    if chunk.held_bytes() > 0 {
                        spare.release();
                    }
                    Ok(Some(chunk))
                }
                ControlFlow::Break(Err(failure)) => Err(failure),
                other => return Some(other),
            };
            if let Some(given) = self.given(input, read) {
                return Some(ControlFlow::Break(given));
            }
        }
    }

    /// Puts a list back after a read. Returns what the worker gets, if anything.
    fn put_back(&self, reading: Box<OpenList<'l>>, mut next: Result<Next<Chunk<'l>>, Error>) -> Option<Given<'l>> {
        if let Ok(Next::Chunk(chunk)) = &mut next
            && chunk.needs_permit()
        {
            // The holder of the permit may need the lock before it can give the permit back.
            chunk.permit = Some(self.cut.long_chunks.permit());
        }
        self.input.change(|input| {
            let read = input.lists.put_back(&self.cut, reading, next);
            self.given(input, read)
        })
    }

    /// What a worker gets of what was read, if anything.
    fn given(&self, input: &mut Input<'l>, read: Given<'l>) -> Option<Given<'l>> {
        match read {
            Ok(chunk) => chunk.map(|chunk| Ok(Some(self.with_ticket(input, chunk)))),
            Err(failure) => {
                // Before the input is unlocked: a worker waiting for the lock would read past the failure.
                input.has_failed = true;
                // A stream also fails because the run is asked to stop.
                Some(if self.cut.is_asked_to_stop() { Ok(None) } else { Err(failure) })
            }
        }
    }

    fn with_ticket(&self, input: &mut Input<'l>, mut chunk: Chunk<'l>) -> Chunk<'l> {
        // A chunk read ahead has no permit yet. Waiting for one is safe: only a reader of this list takes a permit before its
        // chunk has a ticket, and there is no such reader now.
        if chunk.needs_permit() {
            chunk.permit = Some(self.cut.long_chunks.permit());
        }
        let ended = take(&mut input.ended);
        chunk.skipped.splice(0..0, ended.skipped);
        chunk.ended = ended.lists;
        chunk.ticket = input.tickets;
        input.tickets += 1;
        chunk
    }

    /// Reads the rest of a chunk into the memory of `spare`: the lines of its rows, or lines stored on disk. If unreadable rows are
    /// to be skipped, they are removed from the chunk.
    pub fn read(&self, chunk: &mut Chunk<'l>, spare: &mut Buffer) -> Result<(), Error> {
        if let Some(stored) = chunk.stored.take() {
            stored.read_back(spare)?;
            chunk.text = Text::Read(take(spare));
        }
        let Text::Rows(rows) = &mut chunk.text else { return Ok(()) };
        // The part of a worker's memory left for this after its other buffers.
        let most = self.cut.rows_size.saturating_mul(8).max(self.cut.longest).min(LONGEST_CHUNK);
        let skipped = self.cut.lists[chunk.list].read_rows(rows, self.cut.with_columns, most, spare)?;
        chunk.skipped.extend(skipped.into_iter().map(|part| Skipped { list: chunk.list, part }));
        chunk.set_lines(take(spare));
        Ok(())
    }

    /// Parts skipped after the last chunk, and lists that ended since.
    pub fn take_ended(&self) -> Ended {
        self.input.with(|input| take(&mut input.ended))
    }
}

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
    ready: VecDeque<Result<Chunk<'l>, Error>>,
    /// Holds waiting chunks that do not fit in memory.
    store: Option<Arc<Store>>,
    has_ended: bool,
    /// Whether the next chunk is too long to be read ahead of the list's turn.
    is_long: bool,
    /// Whether the decompressor needs all the memory there is.
    needs_memory: bool,
}

/// What a worker gets of a list: a chunk, or nothing.
pub(super) type Given<'l> = Result<Option<Chunk<'l>>, Error>;

/// What a worker does next to get a chunk.
pub(super) enum Work<'l> {
    Read(Box<OpenList<'l>>),
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

    /// What was read before, or nothing at the end of all lists, or what a worker does for more; `None` if it must wait until something
    /// changes. Lists that have ended are added to `ended`.
    pub fn choose(&mut self, cut: &Cut<'l>, ended: &mut Ended) -> Option<ControlFlow<Given<'l>, Work<'l>>> {
        self.remove_ended(cut, ended);
        if self.open.is_empty() && !self.begin(cut) {
            return Some(ControlFlow::Break(Ok(None)));
        }
        let first = &mut self.open[0];
        if let Some(ready) = first.ready.pop_front() {
            self.waiting -= bytes_of(&ready);
            return Some(ControlFlow::Break(ready.map(Some)));
        }
        if first.needs_memory && !self.close_others(cut) {
            return None;
        }
        let work = match self.open[0].reading.take() {
            Some(reading) => Some(Work::Read(reading)),
            None if self.open[0].needs_memory => None,
            // A chunk read ahead has to wait, so reading ahead comes last.
            None if cut.parallelism.in_order => self.help().or_else(|| self.read_another(cut)),
            None => self.read_another(cut).or_else(|| self.help()),
        };
        work.map(ControlFlow::Continue)
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
    fn help(&self) -> Option<Work<'l>> {
        let ahead = self.open.first()?.ahead.as_ref()?;
        Some(Work::Help(ahead.clone(), ahead.claim()?))
    }

    /// A list other than the first, which another worker is reading.
    fn read_another(&mut self, cut: &Cut<'l>) -> Option<Work<'l>> {
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
                    slot.needs_memory || in_order && (slot.is_long || is_full || !cut.lists[slot.list].is_reread());
                !slot.has_ended && !waits && slot.reading.is_some()
            };
            if let Some(slot) = self.open.iter_mut().skip(1).find(is_free)
                && let Some(reading) = slot.reading.take()
            {
                if !in_order {
                    return Some(Work::Read(reading));
                }
                self.waiting += chunk_room(cut);
                return Some(Work::Ahead(reading, slot.store.clone().filter(|_| to_disk)));
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
        let needs_memory =
            list.is_stream() && list.compression.is_some_and(|compression| compression.codec().asks_for_memory);
        let reading = Box::new(OpenList::from(cut, at, memory.min(cut.memory)));
        self.open.push(Slot {
            list: at.list,
            ahead: None,
            reading: Some(reading),
            ready: VecDeque::new(),
            store: cut.folder.clone().map(|folder| Arc::new(Store::new(folder))),
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
        next: Result<Next<Chunk<'l>>, Error>,
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
    pub fn keep(&mut self, cut: &Cut<'l>, reading: Box<OpenList<'l>>, next: Result<Next<Chunk<'l>>, Error>) {
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
        cut.folder.as_ref().map_or(0, |_| total.min(cut.reader_memory() / 2))
    }

    /// Memory of all lists that are being read.
    fn memory_in_use(&self, cut: &Cut<'l>) -> u64 {
        let reading = self.open.iter().filter(|slot| !slot.has_ended);
        reading.map(|slot| memory_of_reader(&cut.lists[slot.list])).sum()
    }
}

/// The memory that a waiting chunk takes.
fn bytes_of(ready: &Result<Chunk<'_>, Error>) -> u64 {
    ready.as_ref().map_or(0, Chunk::held_bytes)
}

/// Room for a chunk that is read ahead: a little more than most take.
fn chunk_room(cut: &Cut<'_>) -> u64 {
    cut.chunk_size.saturating_mul(2) as u64
}

/// The memory a decompressor gets at first.
fn memory_of_decompressor(list: &List) -> u64 {
    match list.compression {
        Some(compression) => compression.codec().usual_memory,
        None if list.is_plain() => 0,
        // A page, both stored and decompressed, and a dictionary.
        None if list.is_reread() => 4 << 20,
        None => 0,
    }
}

/// Memory for reading a list.
fn memory_of_reader(list: &List) -> u64 {
    if list.is_reread() { BYTES_PER_READER + memory_of_decompressor(list) } else { 0 }
}
