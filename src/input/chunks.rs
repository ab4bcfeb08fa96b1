//! Chunks: the units of judging, handed out in the order of the lists.
//!
//! A chunk is a range of a mapped list, or bytes that were read from a stream; it ends with a line. Whoever takes one
//! gets a ticket with it, and tickets count chunks from 0: what has to be done in the order of the input is done in the
//! order of tickets.

use std::mem::take;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::list::{List, Patience, Reading, Span, chunk_end, fill, unreadable};
use super::position::Position;
use super::skipped::{Skipped, SkippedPart};
use crate::input::error::FilterError;
use crate::lock::lock;
use crate::outcome::Reason;

/// The chunks of all lists.
pub(crate) struct Chunks<'l> {
    lists: &'l [List],
    chunk_size: usize,
    /// How long a line may be.
    longest: usize,
    patience: Patience,
    input: Mutex<Input<'l>>,
    /// Bytes that were read of the lists' files.
    source: &'l AtomicU64,
    /// Whether no more are handed out. Apart from the input, which is locked by whoever waits for a stream.
    stopped: AtomicBool,
    /// Whether somebody outside wants no more to be handed out.
    interrupt: Option<Arc<AtomicBool>>,
    /// Whether of tables, ranges of rows are handed out, which whoever takes one reads by himself.
    by_rows: bool,
    /// The list, and the place in it, from which on nothing is handed out.
    before: Position,
    alone: Arc<Alone>,
}

/// Lets one long chunk at a time go its way, because of memory.
#[derive(Default)]
struct Alone {
    taken: Mutex<bool>,
    free: Condvar,
}

/// The right to have a long chunk, until it is dropped.
struct Permit(Arc<Alone>);

impl Alone {
    fn permit(self: &Arc<Alone>) -> Permit {
        let mut taken = lock(&self.taken);
        while *taken {
            taken = self.free.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken = true;
        Permit(Arc::clone(self))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *lock(&self.0.taken) = false;
        self.0.free.notify_one();
    }
}

/// What has not been read yet.
struct Input<'l> {
    list: usize,
    /// Where the next chunk begins in the list's text.
    at: u64,
    reading: Option<Reading<'l>>,
    /// Where the first chunk begins that is handed out of the list: an earlier run had those before it.
    done: u64,
    /// What a stream's last chunk left over.
    left: Vec<u8>,
    tickets: u64,
    /// Why nothing can be read after the last chunk.
    failed: Option<FilterError>,
    /// What was left out since the last chunk was handed out.
    skipped: Vec<Skipped>,
}

/// What a worker keeps chunks in that are not mapped; used for one after the other.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// The lines of a table whose URLs are not what they were there, by their numbers in the chunk.
    flaws: Vec<(u64, Reason)>,
}

/// A chunk that was handed out.
pub(crate) struct Task<'l> {
    /// Its number.
    pub ticket: u64,
    /// The list that it is of.
    pub list: usize,
    /// Where it begins in the list's text.
    pub at: u64,
    /// Where the next one begins.
    pub end: u64,
    what: What<'l>,
    /// What was left out before it, and of its rows.
    pub skipped: Vec<Skipped>,
    /// Held by a chunk that is far longer than others are.
    permit: Option<Permit>,
}

/// What was handed out.
enum What<'l> {
    /// A part of a mapped list.
    Mapped(&'l [u8]),
    /// Bytes in the buffer of whoever took it.
    Buffered,
    /// Rows of a table; their lines are in the buffer once they were [read](Task::read).
    Rows(Vec<Span>),
}

/// Where the first chunk of a list begins.
fn start(list: &List) -> u64 {
    list.range().start as u64
}

impl<'l> Chunks<'l> {
    /// Of all these lists, in order; `source` gets the bytes that are read of their files.
    pub fn new(lists: &'l [List], chunk_size: usize, source: &'l AtomicU64) -> Chunks<'l> {
        Chunks::from(lists, chunk_size, source, Position { list: 0, at: lists.first().map_or(0, start) })
    }

    /// From this position on.
    pub fn from(lists: &'l [List], chunk_size: usize, source: &'l AtomicU64, position: Position) -> Chunks<'l> {
        let input = Input::from(lists, position.list, position.at);
        let (input, stopped) = (Mutex::new(input), AtomicBool::new(false));
        let (patience, longest, alone) = (Patience::UntilFull, LONGEST_CHUNK, Arc::default());
        let (interrupt, by_rows, before) = (None, false, Position { list: lists.len(), at: 0 });
        Chunks { lists, chunk_size, longest, patience, input, source, stopped, interrupt, by_rows, before, alone }
    }

    /// The same, but those of streams are waited for with this patience; others have the size that is wanted.
    pub fn with_patience(self, patience: Patience) -> Chunks<'l> {
        Chunks { patience, ..self }
    }

    /// The same, but of tables, ranges of rows are handed out, if so: places in them are numbers of rows then.
    pub fn by_rows(self, by_rows: bool) -> Chunks<'l> {
        if by_rows {
            let mut input = lock(&self.input);
            // Rows need not be read to be passed over.
            if self.lists.get(input.list).is_some_and(|list| list.table_file().is_some()) {
                input.at = input.done;
            }
        }
        Chunks { by_rows, ..self }
    }

    /// The same, but nothing is handed out, or read, from this place in this list on.
    pub fn before(self, before: Position) -> Chunks<'l> {
        Chunks { before, ..self }
    }

    /// The same, but lines must not be longer than this.
    pub fn with_lines_up_to(self, longest: usize) -> Chunks<'l> {
        Chunks { longest, ..self }
    }

    /// Hands out no more once this is set.
    pub fn until(self, interrupt: Option<Arc<AtomicBool>>) -> Chunks<'l> {
        Chunks { interrupt, ..self }
    }

    /// Whether it was set, while there was more to hand out.
    pub fn is_interrupted(&self) -> bool {
        self.is_asked_to_stop() && lock(&self.input).list < self.lists.len()
    }

    fn is_asked_to_stop(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// Makes sure that the last line of a chunk is not too long; others end before a chunk is full.
    fn limit_lines(&self, list: &List, at: u64, chunk: &[u8]) -> Result<(), FilterError> {
        let longest = self.longest.min(LONGEST_CHUNK - self.chunk_size.min(LONGEST_CHUNK / 2));
        if chunk.len() <= longest {
            return Ok(());
        }
        let start = memchr::memrchr(b'\n', &chunk[..chunk.len() - 1]).map_or(0, |end| end + 1);
        if chunk.len() - start <= longest {
            return Ok(());
        }
        let head = if list.mapped().is_some() { 0 } else { list.head_length as u64 };
        Err(FilterError::LineTooLong { path: list.path.clone(), offset: head + at + start as u64, longest })
    }

    /// The lists.
    pub fn lists(&self) -> &'l [List] {
        self.lists
    }

    /// Hands out no more.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// The next chunk; bytes that are not mapped go to `buffer`. After a failure there are no more.
    pub fn next(&self, buffer: &mut Buffer) -> Result<Option<Task<'l>>, FilterError> {
        let mut input = lock(&self.input);
        // While the input is locked: somebody else who waits for it would read on after what could not be read.
        self.next_of(&mut input, buffer).inspect_err(|_| self.stop())
    }

    /// Whether there may be more to hand out.
    fn goes_on(&self, input: &Input<'l>) -> bool {
        !self.stopped.load(Ordering::Relaxed)
            && !self.is_asked_to_stop()
            && input.list < self.lists.len()
            && (Position { list: input.list, at: input.at }) < self.before
    }

    fn next_of(&self, input: &mut Input<'l>, buffer: &mut Buffer) -> Result<Option<Task<'l>>, FilterError> {
        while self.goes_on(input) {
            let (place, at) = (input.list, input.at);
            if let Some(table) = self.lists[place].table_file().filter(|_| self.by_rows) {
                let (spans, taken) = table.spans(at, self.chunk_size);
                self.source.fetch_add(taken, Ordering::Relaxed);
                input.at += spans.iter().map(|span| span.rows as u64).sum::<u64>();
                if input.at > at {
                    return Ok(Some(input.task(Position { list: place, at }, What::Rows(spans), None)));
                }
                input.go_to(place + 1, self.lists);
                continue;
            }
            match self.take(input, buffer) {
                Ok(Some(mapped)) => {
                    let chunk = mapped.unwrap_or(&buffer.bytes);
                    let limited = self.limit_lines(&self.lists[place], at, chunk);
                    // In what is lost, no line ends.
                    self.lists[place].nothing_lost()?;
                    limited?;
                    // Whoever has one needs nothing that is locked here.
                    let is_long = chunk.len() > self.chunk_size.saturating_mul(2);
                    input.at += chunk.len() as u64;
                    if at < input.done {
                        // The same chunks as before, unless the list is another one.
                        if input.at > input.done {
                            return Err(FilterError::ListChanged { path: self.lists[place].path.clone() });
                        }
                        input.skipped.clear();
                        continue;
                    }
                    let permit = is_long.then(|| self.alone.permit());
                    let what = mapped.map_or(What::Buffered, What::Mapped);
                    return Ok(Some(input.task(Position { list: place, at }, what, permit)));
                }
                Ok(None) => input.go_to(place + 1, self.lists),
                Err(failure) => self.leave_out(input, failure)?,
            }
        }
        Ok(None)
    }

    /// Reads what was not read when a task was handed out: the lines of rows. Rows that cannot be read are no part of it any
    /// more then, if they are to be left out.
    pub fn read(&self, task: &mut Task<'l>, buffer: &mut Buffer) -> Result<(), FilterError> {
        let list = &self.lists[task.list];
        let (What::Rows(spans), Some(table)) = (&mut task.what, list.table_file()) else { return Ok(()) };
        if list.skips_bad {
            let parts = spans.iter_mut().filter_map(|span| table.keep_readable(span));
            task.skipped.extend(parts.map(|part| Skipped { list: task.list, part }));
            spans.retain(|span| span.rows > 0);
        }
        // As much as a worker has room for beside what else it needs for a chunk.
        let most = self.chunk_size.saturating_mul(8).max(self.longest).min(LONGEST_CHUNK);
        let read = table.lines(spans, most, &mut buffer.bytes, &mut buffer.flaws);
        read.map_err(|problem| FilterError::Parquet { path: list.path.clone(), problem })
    }

    /// What was left out after the last chunk.
    pub fn left_out(&self) -> Vec<Skipped> {
        take(&mut lock(&self.input).skipped)
    }

    /// The next chunk of the list that is read, if it has one: a part of its map, or else bytes in `buffer`.
    fn take(&self, input: &mut Input<'l>, buffer: &mut Buffer) -> Result<Option<Option<&'l [u8]>>, FilterError> {
        let Input { list, at, reading, left, failed, .. } = input;
        let list = &self.lists[*list];
        if let Some(failure) = failed.take() {
            return Err(failure);
        }
        let reading = match reading {
            Some(reading) => reading,
            none => none.insert(list.read(*at, self.source)?),
        };
        buffer.flaws.clear();
        let filled = match reading {
            Reading::Mapped(text) => {
                let start = *at as usize;
                let chunk = &text[start..chunk_end(text, start, self.chunk_size)];
                self.source.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                return Ok((!chunk.is_empty()).then_some(Some(chunk)));
            }
            Reading::Stream(stream) => {
                fill(stream, self.chunk_size, self.longest, self.patience, left, &mut buffer.bytes)
                    .map_err(|error| unreadable(&list.path, error))
            }
            Reading::Rows(rows) => {
                let filled = rows.fill(self.chunk_size, &mut buffer.bytes, &mut buffer.flaws);
                self.source.fetch_add(rows.taken(), Ordering::Relaxed);
                filled.map_err(|problem| FilterError::Parquet { path: list.path.clone(), problem })
            }
        };
        match filled {
            Err(failure) if list.skips_bad => {
                // The whole lines before it are read; the last one, which was cut, is another one than it was.
                left.clear();
                buffer.bytes.truncate(memchr::memrchr(b'\n', &buffer.bytes).map_or(0, |end| end + 1));
                if buffer.bytes.is_empty() {
                    return Err(failure);
                }
                *failed = Some(failure);
                Ok(Some(None))
            }
            filled => Ok(filled?.then_some(None)),
        }
    }

    /// Leaves out the rest of what cannot be read, if that is wanted: of a row group, or else of the list.
    fn leave_out(&self, input: &mut Input<'l>, failure: FilterError) -> Result<(), FilterError> {
        let list = &self.lists[input.list];
        if !list.skips_bad || !failure.is_bad_list() {
            return Err(failure);
        }
        let rows = match &mut input.reading {
            Some(Reading::Rows(rows)) => rows.take_broken(),
            _ => None,
        };
        let part = SkippedPart { at: rows.is_none().then_some(input.at), rows, problem: failure.problem() };
        input.skipped.push(Skipped { list: input.list, part });
        if rows.is_none() {
            input.go_to(input.list + 1, self.lists);
        }
        Ok(())
    }
}

impl<'l> Input<'l> {
    /// From this place in this list on; of one that is not mapped, what stands before it is read and not handed out.
    fn from(lists: &'l [List], list: usize, at: u64) -> Input<'l> {
        let mut input = Input {
            list,
            at: 0,
            done: at,
            reading: None,
            left: Vec::new(),
            tickets: 0,
            failed: None,
            skipped: Vec::new(),
        };
        if lists.get(list).is_some_and(|list| list.mapped().is_some()) {
            input.at = at;
        }
        input
    }

    /// Hands out what begins here and ends where the next chunk begins.
    fn task(&mut self, Position { list, at }: Position, what: What<'l>, permit: Option<Permit>) -> Task<'l> {
        let (ticket, end, skipped) = (self.tickets, self.at, take(&mut self.skipped));
        self.tickets += 1;
        Task { ticket, list, at, end, what, skipped, permit }
    }

    /// Goes to the start of a list.
    fn go_to(&mut self, list: usize, lists: &'l [List]) {
        let (tickets, skipped) = (self.tickets, take(&mut self.skipped));
        *self = Input { tickets, skipped, ..Input::from(lists, list, lists.get(list).map_or(0, start)) };
    }
}

impl Buffer {
    /// Keeps no memory.
    pub fn release(&mut self) {
        *self = Buffer::default();
    }
}

impl Task<'_> {
    /// The rows that it is, if rows were handed out.
    pub fn spans(&self) -> Option<&[Span]> {
        match &self.what {
            What::Rows(spans) => Some(spans),
            What::Mapped(_) | What::Buffered => None,
        }
    }

    /// Whether it is so long that nobody should keep memory of its size.
    pub fn is_long(&self) -> bool {
        self.permit.is_some()
    }

    /// Its bytes, if it was taken with this `buffer`.
    pub fn bytes<'b>(&'b self, buffer: &'b Buffer) -> &'b [u8] {
        if let What::Mapped(bytes) = self.what { bytes } else { &buffer.bytes }
    }

    /// Its lines that are invalid whatever they say, by their numbers in it.
    pub fn flaws<'b>(&self, buffer: &'b Buffer) -> &'b [(u64, Reason)] {
        if let What::Mapped(_) = self.what { &[] } else { &buffer.flaws }
    }
}

/// The longest chunk: lines are found by 32-bit offsets.
pub(crate) const LONGEST_CHUNK: usize = u32::MAX as usize - 1;

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

    /// Somebody else waits for the next chunk while one cannot be read.
    #[test]
    fn behind_a_failure_there_are_no_chunks() {
        let lists = lists(&["a\nb\n", "longer\nc\n", "d\n"]);
        let (read, mut buffer) = (AtomicU64::new(0), Buffer::default());
        let chunks = Chunks::new(&lists, 1, &read).with_lines_up_to(3);
        let mut next = || chunks.next(&mut buffer);
        for at in [0, 2] {
            assert!(next().is_ok_and(|task| task.is_some_and(|task| (task.list, task.at) == (0, at))));
        }
        assert!(matches!(next(), Err(FilterError::LineTooLong { .. })));
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
        let [Skipped { list: 0, part }] = &chunks.left_out()[..] else { panic!("one part") };
        assert!(part.at == Some(6) && part.problem.contains("byte 7 of 16"), "{part:?}");
        assert!(lists[0].unchanged().is_ok());
        fs::write(file.path(), "c\n".repeat(8)).unwrap();
        assert!(matches!(lists[0].unchanged(), Err(FilterError::ListChanged { .. })));
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
