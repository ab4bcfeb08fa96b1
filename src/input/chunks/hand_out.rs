//! Hands out chunks to workers.

use std::mem::take;
use std::sync::Arc;

use super::chunk::{Chunk, LONGEST_CHUNK, Position};
use super::cut::Cut;
use super::open_list::OpenList;
use super::open_lists::{Ended, Given, OpenLists, Step};
use super::store::Store;
use crate::input::error::ListError;
use crate::input::list::Buffer;
use crate::input::list::{List, Next, Text};
use crate::input::skipped::Skipped;
use crate::lock::OnPanic;
use crate::monitor::Monitor;

/// The chunks of all lists.
pub(crate) struct Chunks<'l> {
    cut: Cut<'l>,
    input: Monitor<Input<'l>>,
}

/// The lists that are not yet fully handed out.
struct Input<'l> {
    lists: OpenLists<'l>,
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
    fn read_ahead(&self, reading: &mut OpenList<'l>, store: Option<Arc<Store>>) -> Result<Next<Chunk<'l>>, ListError> {
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
                Step::Take(given) => return given,
                Step::Help(ahead, piece) => {
                    ahead.make(piece);
                    None
                }
                Step::Ahead(mut reading, store) => {
                    let next = self.read_on(|| self.read_ahead(&mut reading, store));
                    self.input.change(|input| input.lists.keep(&self.cut, reading, next));
                    None
                }
                Step::Read(mut reading) => {
                    let next = self.read_on(|| reading.next(&self.cut, spare, true));
                    self.put_back(reading, next)
                }
                Step::Hold(reading, chunk) => self.put_back(reading, Ok(Next::Chunk(chunk))),
            };
            if let Some(given) = given {
                return given;
            }
        }
        Ok(None)
    }

    /// A step that does not take long, done; `None` if the worker must wait until something changes.
    fn step(&self, input: &mut Input<'l>, spare: &mut Buffer) -> Option<Step<'l>> {
        loop {
            if input.has_failed || self.cut.is_asked_to_stop() {
                return Some(Step::Take(Ok(None)));
            }
            let read = match input.lists.choose(&self.cut, &mut input.ended)? {
                Step::Read(mut reading) if reading.is_instant(&self.cut) => {
                    match reading.next(&self.cut, spare, true) {
                        Ok(Next::Chunk(chunk)) if chunk.needs_permit() => return Some(Step::Hold(reading, chunk)),
                        next => input.lists.put_back(&self.cut, reading, next),
                    }
                }
                Step::Take(Ok(Some(chunk))) => {
                    // It has memory of its own.
                    if chunk.held_bytes() > 0 {
                        spare.release();
                    }
                    Ok(Some(chunk))
                }
                Step::Take(Err(failure)) => Err(failure),
                other => return Some(other),
            };
            if let Some(given) = self.given(input, read) {
                return Some(Step::Take(given));
            }
        }
    }

    /// Puts a list back after a read. Returns what the worker gets, if anything.
    fn put_back(&self, reading: Box<OpenList<'l>>, mut next: Result<Next<Chunk<'l>>, ListError>) -> Option<Given<'l>> {
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
    pub fn read(&self, chunk: &mut Chunk<'l>, spare: &mut Buffer) -> Result<(), ListError> {
        if let Some(stored) = chunk.stored.take() {
            stored.read_back(spare)?;
            chunk.text = Text::Read(take(spare));
        }
        let list = &self.cut.lists[chunk.list];
        let (Text::Rows(rows), Some(table)) = (&mut chunk.text, list.parquet_list()) else { return Ok(()) };
        if list.skips_bad {
            let parts = table.skip_bad(rows).into_iter();
            chunk.skipped.extend(parts.map(|part| Skipped { list: chunk.list, part }));
        }
        // The part of a worker's memory left for this after its other buffers.
        let most = self.cut.rows_size.saturating_mul(8).max(self.cut.longest).min(LONGEST_CHUNK);
        let read = table.read(rows, self.cut.with_columns, most, spare);
        read.map_err(|problem| ListError::Parquet { path: list.path.clone(), problem })?;
        chunk.hold_rows(take(spare));
        Ok(())
    }

    /// Parts skipped after the last chunk, and lists that ended since.
    pub fn take_ended(&self) -> Ended {
        self.input.with(|input| take(&mut input.ended))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::Parallelism;
    use super::*;
    use crate::input::layout::UrlField;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::fs::{self, File};
    use std::io::Write;
    use std::sync::atomic::AtomicU64;

    /// Opens these texts as lists.
    fn lists(texts: &[&str]) -> Vec<List> {
        let folder = tempfile::tempdir().unwrap();
        let path = |(number, text): (usize, &&str)| {
            let path = folder.path().join(number.to_string());
            fs::write(&path, text).unwrap();
            path
        };
        let paths: Vec<_> = texts.iter().enumerate().map(path).collect();
        List::open_all(&paths, &UrlField::default(), u64::MAX, false, None).unwrap()
    }

    /// One worker waits for the next chunk while another fails to read it.
    #[test]
    fn after_a_failure_there_are_no_chunks() {
        let lists = lists(&["a\nb\n", "longer\nc\n", "d\n"]);
        let (read, mut buffer) = (AtomicU64::new(0), Buffer::default());
        let chunks = Chunks::new(Cut { longest: 3, ..Cut::all(&lists, 1, &read) });
        let mut next = || chunks.next(&mut buffer);
        for at in [0, 2] {
            assert!(next().is_ok_and(|chunk| chunk.is_some_and(|chunk| (chunk.list, chunk.at) == (0, at))));
        }
        assert!(matches!(next(), Err(ListError::LineTooLong { .. })));
        assert!(next().is_ok_and(|chunk| chunk.is_none()));
    }

    #[test]
    fn the_rest_of_a_list_that_is_cut_short_is_skipped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "a\nb\n".repeat(4)).unwrap();
        let lists = List::open_all(&[file.path().to_owned()], &UrlField::default(), u64::MAX, true, None).unwrap();
        let (read, mut buffer) = (AtomicU64::new(0), Buffer::default());
        let chunks = Chunks::new(Cut::all(&lists, 4, &read));
        assert_eq!(chunks.next(&mut buffer).unwrap().unwrap().text(), b"a\nb\n");
        // Half a line is left.
        file.as_file().set_len(7).unwrap();
        assert_eq!(chunks.next(&mut buffer).unwrap().unwrap().text(), b"a\n");
        assert!(chunks.next(&mut buffer).unwrap().is_none());
        let [Skipped { list: 0, part }] = &chunks.take_ended().skipped[..] else { panic!("one part") };
        assert!(part.at == Some(6) && part.problem.contains("byte 7 of 16"), "{part:?}");
        assert!(lists[0].unchanged().is_ok());
        fs::write(file.path(), "c\n".repeat(8)).unwrap();
        assert!(matches!(lists[0].unchanged(), Err(ListError::Changed { .. })));
    }

    /// While one worker reads the first list, another one reads the second.
    #[test]
    fn what_is_read_ahead_waits_in_memory_and_then_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let text = |list: usize| (0..200_000).map(|line| format!("{list} {line}\n")).collect::<String>();
        let path = |list: usize| {
            let path = folder.path().join(list.to_string());
            let mut file = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
            file.write_all(text(list).as_bytes()).unwrap();
            file.finish().unwrap();
            path
        };
        let lists = List::open_all(&[path(0), path(1)], &UrlField::default(), u64::MAX, false, None).unwrap();
        let home = tempfile::tempdir().unwrap();
        // The lists have 1.6 MB; two readers take 2.2 MB of the two thirds of this that are theirs.
        let memory = 4_500_000;
        for home in [None, Some(home.path().to_owned()), Some("there/is/no/such/folder".into())] {
            let (read, mut buffer, mut ended) = (AtomicU64::new(0), Buffer::default(), Ended::default());
            let (home, parallelism) = (home.clone(), Parallelism { lists: 2, in_order: true });
            let chunks = Chunks::new(Cut { parallelism, memory, home, ..Cut::all(&lists, 64 << 10, &read) });
            let (mut in_memory, mut on_disk) = (0, 0);
            chunks.input.with(|input| {
                let Some(Step::Read(first)) = input.lists.choose(&chunks.cut, &mut ended) else {
                    panic!("it is first")
                };
                while let Some(Step::Ahead(mut reading, store)) = input.lists.choose(&chunks.cut, &mut ended) {
                    let next = chunks.read_ahead(&mut reading, store);
                    match &next {
                        Ok(Next::Chunk(Chunk { stored: Some(_), .. })) => on_disk += 1,
                        Ok(Next::Chunk(_)) => in_memory += 1,
                        _ => {}
                    }
                    input.lists.keep(&chunks.cut, reading, next);
                }
                input.lists.put_back(&chunks.cut, first, Ok(Next::Long)).unwrap();
            });
            let is_stored = chunks.cut.home.as_ref().is_some_and(|home| home.exists());
            assert!(in_memory > 0 && (on_disk > 0) == is_stored, "{in_memory} {on_disk} {:?}", chunks.cut.home);
            let mut given = Vec::new();
            while let Some(mut chunk) = chunks.next(&mut buffer).unwrap() {
                chunks.read(&mut chunk, &mut buffer).unwrap();
                given.extend_from_slice(chunk.text());
            }
            assert!(given == (text(0) + &text(1)).into_bytes(), "other lines, or in another order");
        }
    }

    #[test]
    fn nothing_is_handed_out_from_a_place_on() {
        let lists = lists(&["a\nb\n", "", "c\nd\n"]);
        let places = |list, at| {
            let (read, mut buffer, mut places) = (AtomicU64::new(0), Buffer::default(), Vec::new());
            let chunks = Chunks::new(Cut { before: Position { list, at }, ..Cut::all(&lists, 1, &read) });
            while let Some(chunk) = chunks.next(&mut buffer).unwrap() {
                places.push((chunk.list, chunk.at));
            }
            places
        };
        assert_eq!(places(0, 0), []);
        assert_eq!(places(0, 4), [(0, 0), (0, 2)]);
        // The empty list can be read only once, and is never read.
        assert_eq!(places(1, 0), [(0, 0), (0, 2)]);
        assert_eq!(places(2, 2), [(0, 0), (0, 2), (2, 0)]);
    }
}
