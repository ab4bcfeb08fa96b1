//! Who gets which chunk.

use std::mem::take;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::cut::Cut;
use super::lane::{Lane, Next, Piece};
use super::lanes::{Choice, Ended, Lanes, Ready, SideBySide};
use super::task::{Buffer, LONGEST_CHUNK, Task, What};
use crate::input::error::ListError;
use crate::input::list::{List, Patience};
use crate::input::position::Position;
use crate::input::skipped::Skipped;
use crate::lock::lock;

/// The chunks of all lists.
pub(crate) struct Chunks<'l> {
    cut: Cut<'l>,
    input: Mutex<Input<'l>>,
    /// A chunk was read that others may wait for.
    changed: Condvar,
    /// Whether no more are handed out.
    stopped: AtomicBool,
    /// Whether the caller wants no more to be handed out.
    interrupt: Option<Arc<AtomicBool>>,
}

/// The lists that have not been handed out yet.
struct Input<'l> {
    lanes: Lanes<'l>,
    tickets: u64,
    /// The lists that have ended since the last chunk was handed out.
    ended: Ended,
}

impl<'l> Chunks<'l> {
    /// Of all these lists, in order; `source` gets the bytes that are read of their files.
    pub fn new(lists: &'l [List], chunk_size: usize, source: &'l AtomicU64) -> Chunks<'l> {
        Chunks::from(lists, chunk_size, source, &[], 0)
    }

    /// Of the lists from `next` on, and before those of lists that were `begun`, from there on.
    pub fn from(
        lists: &'l [List],
        chunk_size: usize,
        source: &'l AtomicU64,
        begun: &[Position],
        next: usize,
    ) -> Chunks<'l> {
        let cut = Cut {
            lists,
            chunk_size,
            longest: LONGEST_CHUNK,
            patience: Patience::UntilFull,
            source,
            by_rows: false,
            before: Position { list: lists.len(), at: 0 },
            alone: Arc::default(),
            memory: u64::MAX / 2,
        };
        let lanes = Lanes::new(SideBySide { lists: 1, in_order: true }, begun, next);
        let input = Mutex::new(Input { lanes, tickets: 0, ended: Ended::default() });
        Chunks { cut, input, changed: Condvar::new(), stopped: AtomicBool::new(false), interrupt: None }
    }

    /// The same, but several lists are read at once, with decompressors and chunks that wait in so much `memory`.
    pub fn side_by_side(mut self, sides: SideBySide, memory: u64) -> Chunks<'l> {
        lock(&self.input).lanes.sides = sides;
        self.cut.memory = memory;
        self
    }

    /// The same, but those of streams are waited for with this patience; others have the size that is wanted.
    pub fn with_patience(mut self, patience: Patience) -> Chunks<'l> {
        self.cut.patience = patience;
        self
    }

    /// The same, but of tables, ranges of rows are handed out, if so: places in them are numbers of rows then.
    pub fn by_rows(mut self, by_rows: bool) -> Chunks<'l> {
        self.cut.by_rows = by_rows;
        self
    }

    /// The same, but nothing is handed out, or read, from this place in this list on.
    pub fn before(mut self, before: Position) -> Chunks<'l> {
        self.cut.before = before;
        self
    }

    /// The same, but lines must not be longer than this.
    pub fn with_lines_up_to(mut self, longest: usize) -> Chunks<'l> {
        self.cut.longest = longest;
        self
    }

    /// Hands out no more once this is set.
    pub fn until(self, interrupt: Option<Arc<AtomicBool>>) -> Chunks<'l> {
        Chunks { interrupt, ..self }
    }

    /// Whether it was set, while there was more to hand out.
    pub fn is_interrupted(&self) -> bool {
        self.is_asked_to_stop() && !lock(&self.input).lanes.is_at_end(&self.cut)
    }

    fn is_asked_to_stop(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// The lists.
    pub fn lists(&self) -> &'l [List] {
        self.cut.lists
    }

    /// Hands out no more. A worker that waits is told so by the one it waits for.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Reads on in a list, while others do likewise in others.
    fn read_on(
        &self,
        lane: &mut Lane<'l>,
        buffer: &mut Buffer,
        may_be_long: bool,
    ) -> (MutexGuard<'_, Input<'l>>, Next<'l>) {
        let guard = StopOnPanic(self);
        let next = lane.next(&self.cut, buffer, may_be_long);
        drop(guard);
        let input = lock(&self.input);
        self.changed.notify_all();
        (input, next)
    }

    /// The next chunk; bytes that are not mapped go to `buffer`. After a failure there are no more.
    pub fn next(&self, buffer: &mut Buffer) -> Result<Option<Task<'l>>, ListError> {
        let mut input = lock(&self.input);
        while !self.stopped.load(Ordering::Relaxed) && !self.is_asked_to_stop() {
            let Input { lanes, ended, .. } = &mut *input;
            let (list, piece) = match lanes.choose(&self.cut, ended) {
                Choice::End => return Ok(None),
                Choice::Wait => {
                    input = self.changed.wait(input).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
                Choice::Help(ahead, piece) => {
                    drop(input);
                    ahead.make(piece);
                    input = lock(&self.input);
                    continue;
                }
                Choice::Take(list, Ready::Chunk(piece, read)) => {
                    *buffer = read;
                    (list, Ok(Some(piece)))
                }
                Choice::Take(list, Ready::Failed(failure)) => (list, Err(failure)),
                Choice::Ahead(mut lane) => {
                    drop(input);
                    let mut ahead = Buffer::default();
                    let next;
                    (input, next) = self.read_on(&mut lane, &mut ahead, false);
                    input.lanes.keep(&self.cut, lane, next, ahead);
                    continue;
                }
                Choice::Read(mut lane) => {
                    let list = lane.list;
                    let mut next;
                    if lane.is_instant(&self.cut) {
                        next = lane.next(&self.cut, buffer, true);
                    } else {
                        drop(input);
                        (input, next) = self.read_on(&mut lane, buffer, true);
                    }
                    if let Next::Chunk(piece) = &mut next
                        && piece.is_long
                        && piece.permit.is_none()
                    {
                        // The worker with the permit may need the lock held here before it gives the permit back.
                        drop(input);
                        piece.permit = Some(self.cut.alone.permit());
                        input = lock(&self.input);
                        self.changed.notify_all();
                    }
                    (list, input.lanes.put_back(&self.cut, lane, next))
                }
            };
            match piece {
                Ok(Some(piece)) => return Ok(Some(self.task(&mut input, list, piece))),
                Ok(None) => {}
                // While the input is locked: another worker that waits for it would read on after what could not be read.
                Err(failure) => {
                    self.stop();
                    return Err(failure);
                }
            }
        }
        Ok(None)
    }

    /// Hands out a chunk.
    fn task(&self, input: &mut Input<'l>, list: usize, piece: Piece<'l>) -> Task<'l> {
        let Piece { at, end, what, skipped, permit, is_long } = piece;
        // One that was read ahead has none yet; no worker reads its list now, so that the one that has it has a ticket.
        let permit = permit.or_else(|| is_long.then(|| self.cut.alone.permit()));
        let ended = take(&mut input.ended);
        let skipped = [ended.skipped, skipped].concat();
        let ticket = input.tickets;
        input.tickets += 1;
        Task { ticket, list, at, end, what, skipped, ended: ended.lists, permit }
    }

    /// Reads what was not read when a task was handed out: the lines of rows. Rows that cannot be read are no part of it any
    /// more then, if they are to be left out.
    pub fn read(&self, task: &mut Task<'l>, buffer: &mut Buffer) -> Result<(), ListError> {
        let list = &self.cut.lists[task.list];
        let (What::Rows(ranges), Some(table)) = (&mut task.what, list.parquet_list()) else { return Ok(()) };
        if list.skips_bad {
            let parts = ranges.iter_mut().filter_map(|range| table.keep_readable(range));
            task.skipped.extend(parts.map(|part| Skipped { list: task.list, part }));
            ranges.retain(|range| range.rows > 0);
        }
        // As much as a worker has room for beside what else it needs for a chunk.
        let most = self.cut.chunk_size.saturating_mul(8).max(self.cut.longest).min(LONGEST_CHUNK);
        let read = table.lines(ranges, most, &mut buffer.bytes, &mut buffer.flaws);
        read.map_err(|problem| ListError::Parquet { path: list.path.clone(), problem })
    }

    /// The parts left out after the last chunk, and the lists that have ended since.
    pub fn left_out(&self) -> Ended {
        take(&mut lock(&self.input).ended)
    }
}

/// Tells those who wait for what is read that it never will be, if its reader panics.
struct StopOnPanic<'c, 'l>(&'c Chunks<'l>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // While no worker is about to wait.
            let _input = lock(&self.0.input);
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::layout::UrlField;
    use std::fs;

    /// These texts as lists.
    fn lists(texts: &[&str]) -> Vec<List> {
        let folder = tempfile::tempdir().unwrap();
        let path = |(number, text): (usize, &&str)| {
            let path = folder.path().join(number.to_string());
            fs::write(&path, text).unwrap();
            path
        };
        let paths: Vec<_> = texts.iter().enumerate().map(path).collect();
        List::open_all(&paths, &UrlField::default(), u64::MAX, false).unwrap()
    }

    /// Another worker waits for the next chunk while one cannot be read.
    #[test]
    fn after_a_failure_there_are_no_chunks() {
        let lists = lists(&["a\nb\n", "longer\nc\n", "d\n"]);
        let (read, mut buffer) = (AtomicU64::new(0), Buffer::default());
        let chunks = Chunks::new(&lists, 1, &read).with_lines_up_to(3);
        let mut next = || chunks.next(&mut buffer);
        for at in [0, 2] {
            assert!(next().is_ok_and(|task| task.is_some_and(|task| (task.list, task.at) == (0, at))));
        }
        assert!(matches!(next(), Err(ListError::LineTooLong { .. })));
        assert!(next().is_ok_and(|task| task.is_none()));
    }

    #[test]
    fn the_rest_of_a_list_that_is_cut_short_is_left_out() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "a\nb\n".repeat(4)).unwrap();
        let lists = List::open_all(&[file.path().to_owned()], &UrlField::default(), u64::MAX, true).unwrap();
        let (read, mut buffer) = (AtomicU64::new(0), Buffer::default());
        let chunks = Chunks::new(&lists, 4, &read);
        chunks.next(&mut buffer).unwrap().unwrap();
        assert_eq!(buffer.bytes, b"a\nb\n");
        // Half of a line is left of it.
        file.as_file().set_len(7).unwrap();
        chunks.next(&mut buffer).unwrap().unwrap();
        assert_eq!(buffer.bytes, b"a\n");
        assert!(chunks.next(&mut buffer).unwrap().is_none());
        let [Skipped { list: 0, part }] = &chunks.left_out().skipped[..] else { panic!("one part") };
        assert!(part.at == Some(6) && part.problem.contains("byte 7 of 16"), "{part:?}");
        assert!(lists[0].unchanged().is_ok());
        fs::write(file.path(), "c\n".repeat(8)).unwrap();
        assert!(matches!(lists[0].unchanged(), Err(ListError::Changed { .. })));
    }

    #[test]
    fn nothing_is_handed_out_from_a_place_on() {
        let lists = lists(&["a\nb\n", "", "c\nd\n"]);
        let places = |list, at| {
            let (read, mut buffer, mut places) = (AtomicU64::new(0), Buffer::default(), Vec::new());
            let chunks = Chunks::new(&lists, 1, &read).before(Position { list, at });
            while let Some(task) = chunks.next(&mut buffer).unwrap() {
                places.push((task.list, task.at));
            }
            places
        };
        assert_eq!(places(0, 0), []);
        assert_eq!(places(0, 4), [(0, 0), (0, 2)]);
        // The empty one can be read only once, and is not.
        assert_eq!(places(1, 0), [(0, 0), (0, 2)]);
        assert_eq!(places(2, 2), [(0, 0), (0, 2), (2, 0)]);
    }
}
