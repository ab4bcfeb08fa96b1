//! Checkpoints: the whole state of a run between two chunks, from which it can resume after being killed.
//!
//! A checkpoint is the file `.checkpoint.json` in the folder of an unfinished run. It has the job's identity and the
//! [`Stage`]. While lines are judged, the stage is the position in the lists, the seconds so far, the length of each
//! file, all counts, the lines gathered for the next frames, where the rows that wait for row groups are stored, and
//! the origins with deferred lines that are still in memory. While files are being renamed, the stage is only their
//! names. A checkpoint does not have the URLs that [`unique`](super::unique) has seen.
//!
//! It ends with a checksum of everything before, so damage is found even if the file is still valid JSON.
//!
//! A resumed run truncates the files to these lengths, because the rest was written later. Everything before is on
//! disk: first the files are made durable, then the checkpoint, which replaces the previous one atomically. Where
//! chunks end depends only on the lists and the chunk size, not on which worker judged a chunk. So a resumed run writes
//! the same bytes as an uninterrupted one.
//!
//! A checkpoint is taken in a chunk's turn, when each line up to that chunk is written, or is in the checkpoint itself.
//! A separate thread makes the files durable, and then the checkpoint, which is valid only from then on; workers keep
//! judging meanwhile. So a slow disk makes checkpoints rarer, not the run slower.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::error::unreadable;
use super::schedule::Schedule;
use super::shape::Gatherer;
use super::totals::Totals;
use crate::error::About;
use crate::error::run::Error;
use crate::formats::counting_writer::CountingWriter;
use crate::formats::error::json_problem;
use crate::formats::summed::Summed;
use crate::formats::{durable, seekable};
use crate::input::chunks::Position;
use crate::input::list::{FileState, List};
use crate::output::error::unwritable;
use crate::output::folder::{CHECKPOINT, make_durable, partial, remove_checkpoint};
use crate::output::missing_robots::MissingRobotsState;
use crate::output::partitions::Parts;
use crate::output::receipt::{Hex, ListPart, Receipt, ReceiptOptions};
use crate::output::table::StoredRows;

/// A run's identity and progress.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Checkpoint {
    /// The identity of the run.
    pub job: JobRecord,
    pub stage: Stage,
}

/// The progress of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Lines are being judged.
    Judging(Box<RunState>),
    /// All files are complete and are being renamed to these names, in this order.
    Naming(Vec<PathBuf>),
}

/// A run's whole state between two chunks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RunState {
    /// The position in the lists.
    pub reached: ReadPositions,
    /// How long the run has taken, in seconds.
    pub seconds: f64,
    pub totals: Totals,
    /// The files of all sets, set by set.
    pub files: Vec<Vec<Parts>>,
    /// Lines gathered for the next frames.
    pub gathered: Gatherer,
    /// Rows that wait for the next row groups.
    pub rows: StoredRows,
    pub needed: MissingRobotsState,
}

/// The identity of a run. Parts of runs can be combined only if all of this is equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobRecord {
    pub robosieve: String,
    pub options: ReceiptOptions,
    pub agents: Vec<String>,
    pub dialect: String,
    pub policy_checksum: Hex,
    pub lists: Vec<ListRecord>,
}

/// The identity of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListRecord {
    /// Its path, as in receipts.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
    pub file: FileState,
}

impl Checkpoint {
    /// Reads the checkpoint in a folder, if there is one. A damaged one is an error.
    pub fn read(directory: &Path) -> Result<Option<Checkpoint>, Error> {
        let path = directory.join(CHECKPOINT);
        let read = || {
            let mut bytes = Vec::new();
            seekable::open(&path)?.read_to_end(&mut bytes)?;
            Checkpoint::decode(bytes)
        };
        match read() {
            Ok(checkpoint) => Ok(Some(checkpoint)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unreadable(&path, &error)),
        }
    }

    fn decode(mut bytes: Vec<u8>) -> io::Result<Checkpoint> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged: its checksum is wrong");
        let end = bytes.len().checked_sub(end(0).len()).ok_or_else(damaged)?;
        if bytes[end..] != *self::end(xxh3_128(&bytes[..end])).as_bytes() {
            return Err(damaged());
        }
        bytes.truncate(end);
        bytes.push(b'}');
        serde_json::from_slice(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, json_problem(&error)))
    }

    /// Writes it as JSON, with its checksum as the last field.
    fn encode(&self, out: &mut impl Write) -> io::Result<()> {
        let mut summed = Summed { out, sum: Xxh3::new() };
        summed.write_all(b"{\"job\":")?;
        serde_json::to_writer(&mut summed, &self.job)?;
        summed.write_all(b",\"stage\":")?;
        serde_json::to_writer(&mut summed, &self.stage)?;
        let Summed { out, sum } = summed;
        out.write_all(end(sum.digest128()).as_bytes())
    }

    /// Makes this the checkpoint of a folder, durably and atomically.
    pub fn write(&self, directory: &Path) -> Result<(), Error> {
        let path = directory.join(CHECKPOINT);
        let write = |file: &mut File| {
            let mut file = BufWriter::new(CountingWriter::new(file));
            self.encode(&mut file)?;
            file.flush()
        };
        durable::replace(&partial(&path), &path, write).map_err(unwritable(&path))
    }
}

/// The end of a checkpoint with this checksum.
fn end(checksum: u128) -> String {
    format!(",\"checksum\":\"{checksum:032x}\"}}")
}

impl JobRecord {
    /// Why a run with this record cannot be resumed as `now`, if it cannot. The size of chunks counts if `chunks_count`.
    pub fn difference(&self, now: &JobRecord, chunks_count: bool) -> Option<String> {
        if self.robosieve != now.robosieve {
            return Some(format!("it was started by robosieve {}, but this is {}", self.robosieve, now.robosieve));
        }
        if let Some(difference) = difference_of_lists(&self.lists, &now.lists) {
            return Some(difference);
        }
        if self.agents != now.agents {
            let (then, now) = (self.agents.join(" "), now.agents.join(" "));
            return Some(format!("its crawlers were {then}, but now they are {now}"));
        }
        if (self.policy_checksum, &self.dialect) != (now.policy_checksum, &now.dialect) {
            return Some("it was started with a different policy".to_owned());
        }
        difference_of_options(&self.options, &now.options, chunks_count)
    }

    /// The record of a receipt's run; `None` if a list came through a pipe and cannot be read again.
    pub fn of(receipt: &Receipt) -> Option<JobRecord> {
        let list = |list: &ListPart| {
            let (path, path_base64) = (list.path.clone(), list.path_base64.clone());
            Some(ListRecord { path, path_base64, file: list.file.clone()? })
        };
        Some(JobRecord {
            robosieve: receipt.robosieve.clone().into_owned(),
            options: receipt.options.clone(),
            agents: receipt.agents.clone(),
            dialect: receipt.dialect.clone().into_owned(),
            policy_checksum: receipt.policy_checksum,
            lists: receipt.lists.iter().map(list).collect::<Option<_>>()?,
        })
    }
}

fn difference_of_lists(then: &[ListRecord], now: &[ListRecord]) -> Option<String> {
    if then.len() != now.len() {
        return Some(format!("it was started with {} lists, but now there are {}", then.len(), now.len()));
    }
    let (then, now) = then.iter().zip(now).find(|(then, now)| then != now)?;
    let path = &then.path;
    Some(if *path != now.path {
        format!("the list {path} was replaced by {}", now.path)
    } else if then.file.length != now.file.length {
        format!("the list {path} had {} bytes, but now it has {}", then.file.length, now.file.length)
    } else {
        format!("the list {path} has changed")
    })
}

/// The first option that differs; the number of workers does not matter.
fn difference_of_options(then: &ReceiptOptions, now: &ReceiptOptions, chunks_count: bool) -> Option<String> {
    let fields = |options: &ReceiptOptions| {
        let chunk_size = if chunks_count { options.chunk_size } else { 0 };
        serde_json::to_value(ReceiptOptions { threads: 0, chunk_size, ..options.clone() })
    };
    let (then, now) = (fields(then).ok()?, fields(now).ok()?);
    let (then, now) = (then.as_object()?, now.as_object()?);
    let name = then.keys().chain(now.keys()).find(|&name| then.get(name) != now.get(name))?;
    let text = |value: Option<&serde_json::Value>| value.map_or("not given".to_owned(), ToString::to_string);
    let option = name.replace('_', "-");
    Some(format!("the option {option} was {}, but now it is {}", text(then.get(name)), text(now.get(name))))
}

/// Where the next chunk begins, for each list that has begun and not ended. Lists begin in order, but several may be
/// read at once.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ReadPositions {
    /// The begun lists, in order.
    pub begun: Vec<Position>,
    /// The next list to begin. Lists before it that are not in `begun` have ended.
    pub next: usize,
}

impl ReadPositions {
    /// Records that a chunk of a list, which ends at `end`, was handed in.
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

    /// Bytes of the lists' files that a resumed run does not read again. Lists that are not plain text are read from the start.
    pub fn source_read(&self, lists: &[List]) -> u64 {
        let of_list = |(number, list): (usize, &List)| match self.begun.iter().find(|place| place.list == number) {
            Some(place) if list.is_plain() => place.at.saturating_sub(list.start()),
            Some(_) => 0,
            None => list.source_length().unwrap_or(0),
        };
        lists.iter().enumerate().take(self.next).map(of_list).sum()
    }
}

/// The time between two checkpoints is at least this many times the duration of the last one.
const REST: u32 = 20;

/// Takes and saves the checkpoints of a run.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    job: JobRecord,
    directory: PathBuf,
    every: Duration,
    started: Instant,
    /// How many seconds the run had taken when it was interrupted.
    before: f64,
    schedule: Schedule<PendingCheckpoint>,
}

/// The state between two chunks, and the files that must be durable before it is valid.
#[derive(Debug)]
pub(crate) struct PendingCheckpoint {
    pub state: Box<RunState>,
    pub files: Vec<PathBuf>,
    /// Files that are not needed once this checkpoint is valid.
    pub outdated: Vec<PathBuf>,
}

impl Checkpointer {
    /// Saves checkpoints of the job in `directory`, a new one after each interval `every`. If the run was resumed, it
    /// had taken `before` seconds.
    pub fn new(job: JobRecord, directory: PathBuf, every: Duration, before: f64) -> Checkpointer {
        let started = Instant::now();
        Checkpointer { job, directory, every, started, before, schedule: Schedule::new(started + every) }
    }

    /// How many seconds the run has taken, including those before it was interrupted.
    pub fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    /// Whether a checkpoint is due. If so, the caller must [take](Checkpointer::take) it.
    pub fn is_due(&self) -> bool {
        self.schedule.is_due()
    }

    /// Takes a checkpoint in the turn of a chunk whose lines are written. If the interval is zero, waits until it is saved.
    pub fn take(&self, taken: PendingCheckpoint) {
        self.schedule.take(taken, self.every.is_zero());
    }

    /// Makes checkpoints durable until [`Checkpointer::stop`].
    pub fn keep(&self) -> Result<(), Error> {
        while let Some(taken) = self.schedule.taken() {
            let began = Instant::now();
            self.save(taken)?;
            let rest = if self.every.is_zero() { Duration::ZERO } else { REST * began.elapsed() };
            self.schedule.saved(Instant::now() + self.every.max(rest));
        }
        Ok(())
    }

    /// Makes a checkpoint durable.
    pub fn save(&self, taken: PendingCheckpoint) -> Result<(), Error> {
        make_durable(&self.directory, &taken.files)?;
        self.write(Stage::Judging(taken.state))?;
        // A file that cannot be deleted now is deleted at the end of the run.
        taken.outdated.iter().for_each(|file| drop(durable::remove(&partial(file))));
        Ok(())
    }

    /// Records that all files are durable and about to be renamed to these names.
    pub fn complete(&self, names: &[PathBuf]) -> Result<(), Error> {
        self.write(Stage::Naming(names.to_vec()))
    }

    fn write(&self, stage: Stage) -> Result<(), Error> {
        Checkpoint { job: self.job.clone(), stage }.write(&self.directory)
    }

    /// Whether the folder has a checkpoint. While it has one, partial files are not deleted.
    pub fn has_checkpoint(&self) -> bool {
        self.directory.join(CHECKPOINT).exists()
    }

    /// Ends [`Checkpointer::keep`], once a checkpoint that was taken is saved.
    pub fn stop(&self) {
        self.schedule.stop();
    }

    /// Adds to a failure that the run can be resumed, if there is a checkpoint. Deletes the checkpoint first if the
    /// run's data cannot be trusted.
    pub fn note_kept(&self, failure: Error) -> Error {
        if failure.is_about(About::Untrusted) {
            // If it cannot be deleted, it stays.
            let _ = remove_checkpoint(&self.directory);
        }
        if self.has_checkpoint() { failure.kept_in(&self.directory) } else { failure }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::dialect::Dialect;
    use crate::input::layout::UrlField;
    use crate::input::list::Opening;
    use crate::judge::choices::Choices;
    use crate::output::form::Splits;
    use crate::policy::Captures;
    use crate::robots::Agents;
    use crate::run::{Folder, Job, Progress};

    #[test]
    fn lists_are_read_on_where_their_last_chunks_ended() {
        let place = tempfile::tempdir().unwrap();
        let text = b"url\nhttp://a.example/1\nhttp://a.example/2\n";
        let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        compressed.write_all(text).unwrap();
        let compressed = compressed.finish().unwrap();
        let write = |(name, bytes): (&str, &[u8])| {
            std::fs::write(place.path().join(name), bytes).unwrap();
            place.path().join(name)
        };
        let paths = [("0", &text[..]), ("1", &compressed), ("2", text)].map(write);
        let field = UrlField::default().header(true);
        let lists = List::open_all(&paths, Opening::new(&field)).unwrap();
        let starts: Vec<u64> = lists.iter().map(List::start).collect();
        assert_eq!((starts[0], starts[2]), (4, 4));
        let (plain, whole) = (text.len() as u64 - 4, compressed.len() as u64);

        type Expected<'e> = (&'e [(usize, u64)], usize, (usize, u64), u64);
        let mut reached = ReadPositions::default();
        let mut expect = |list, end: Option<u64>, (begun, next, position, read): Expected<'_>| {
            match end {
                Some(end) => reached.chunk(list, end, &lists),
                None => reached.ended(list, &lists),
            }
            let found: Vec<(usize, u64)> = reached.begun.iter().map(|place| (place.list, place.at)).collect();
            assert_eq!((&found[..], reached.next), (begun, next), "{list} {end:?}");
            let Position { list, at } = reached.position();
            assert_eq!(((list, at), reached.source_read(&lists)), (position, read), "{list} {end:?}");
        };
        // A worker may read the second list before another is done with the first.
        expect(1, Some(23), (&[(0, 4), (1, 23)], 2, (0, 4), 0));
        expect(0, Some(23), (&[(0, 23), (1, 23)], 2, (0, 23), 19));
        expect(0, None, (&[(1, 23)], 2, (1, 23), plain));
        expect(2, None, (&[(1, 23)], 3, (1, 23), 2 * plain));
        expect(1, Some(42), (&[(1, 42)], 3, (1, 42), 2 * plain));
        expect(1, None, (&[], 3, (3, 0), 2 * plain + whole));
    }

    fn record(place: &Path) -> JobRecord {
        let list = place.join("list");
        std::fs::write(&list, "http://a.example/\n").unwrap();
        let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy().unwrap();
        let job = Job::new([list], vec![policy.crawler(None).unwrap()]).choices(Choices::at(0));
        let receipt = job.destination(Folder::new(place.join("out"))).run(&policy, &Progress::default()).unwrap();
        JobRecord::of(&receipt).unwrap()
    }

    #[test]
    fn a_checkpoint_is_read_as_it_was_written_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let (job, folder) = (record(place.path()), place.path().to_owned());
        assert!(Checkpoint::read(&folder).unwrap().is_none());
        let checkpointer = Checkpointer::new(job.clone(), folder.clone(), Duration::ZERO, 0.0);
        let names = [PathBuf::from("allowed.txt"), PathBuf::from("receipt.json")];
        checkpointer.complete(&names).unwrap();
        let read = Checkpoint::read(&folder).unwrap().unwrap();
        assert!(read.job == job && matches!(read.stage, Stage::Naming(read) if read == names));
        let bytes = std::fs::read(folder.join(CHECKPOINT)).unwrap();
        for at in (0..bytes.len()).filter(|at| at % 97 == 0 || bytes.len() - at < 9) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            for damaged in [&changed[..], &bytes[..at]] {
                std::fs::write(folder.join(CHECKPOINT), damaged).unwrap();
                assert!(Checkpoint::read(&folder).is_err(), "{}", String::from_utf8_lossy(damaged));
            }
        }
    }

    #[test]
    fn checkpoints_are_due_after_the_interval() {
        let place = tempfile::tempdir().unwrap();
        let job = record(place.path());
        let new = |every| Checkpointer::new(job.clone(), place.path().to_owned(), every, 5000.0);
        assert!(new(Duration::ZERO).is_due());
        let hourly = new(Duration::from_secs(3600));
        assert!(!hourly.is_due() && hourly.seconds() >= 5000.0);
        let splits = Splits::new(vec![Agents::everybody()], None, false);
        let state = RunState {
            reached: ReadPositions::default(),
            seconds: hourly.seconds(),
            totals: Totals::new(1, &splits, 1, None),
            files: Vec::new(),
            gathered: Gatherer::new(0),
            rows: StoredRows::default(),
            needed: MissingRobotsState::default(),
        };
        hourly.take(PendingCheckpoint { state: Box::new(state), files: Vec::new(), outdated: Vec::new() });
        hourly.stop();
        hourly.keep().unwrap();
        assert!(hourly.has_checkpoint() && !hourly.is_due());
        let read = Checkpoint::read(place.path()).unwrap().unwrap();
        assert!(matches!(read.stage, Stage::Judging(state) if state.seconds >= 5000.0));
    }
}
