//! How the memory budget of a run is divided.
//!
//! The budget covers what a run allocates on purpose. It determines how long chunks and a single line may be, how many workers
//! there are, how far back a decompressor may look, and when origins are spilled to disk. Mapped files do not count, and memory
//! that is kept for each list, footer or receipt is not bounded; use a control group or `ulimit` for that.
//!
//! The tables here are all there is: [`WHILE_JUDGING`] and [`BEFORE_JUDGING`] divide the budget, and [`WORKER_PARTS`] says what a
//! worker takes of its part for a chunk. What is made from a [`Share`] cannot exist without one of them.

use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::memory_budget::{CacheMemory, MemoryBudget, Part, Share};
use crate::input::chunks::LONGEST_CHUNK;
use crate::judge::outcomes::AllowedIf;
use crate::output::columns::CAUSE_FACTOR;
use crate::output::form::{FileFormat, OutputMode, crawler_name};
use crate::preferences::PreferenceColumns;
use crate::robots::Agents;

/// The default memory budget of a run.
pub const DEFAULT_MEMORY: u64 = 1 << 30;

/// Memory outside the shares: the program, stacks, file buffers.
const BASE: u64 = 24 << 20;

/// Memory for each crawler that has files of its own: lines gathered for frames.
const BYTES_PER_BUFFER: u64 = 2 << 20;

/// How many times as long a line can become when it is explained.
const EXPLAINED: u64 = CAUSE_FACTOR + 1;

/// Bytes of a row group that is large enough, if there is enough memory.
const ROW_GROUP: u64 = 64 << 20;

/// Workers, for their chunks, and the rows that wait for row groups.
const WORKERS: Part = Part { pieces: 1, of: 2 };

/// Of that, for rows that wait, at least.
const LEAST_WAITING: Part = Part { pieces: 1, of: 32 };

/// A line that is longer than a chunk. It is alone, so this does not depend on the number of workers.
const LONG_LINE: Part = Part { pieces: 3, of: 16 };

/// Origins with deferred lines. They are held in a fifth of it, and take all of it while they are sorted and copied for a checkpoint.
pub(super) const ORIGINS: Part = Part { pieces: 5, of: 32 };

/// The windows of decompressors, and chunks that are read ahead of their turn.
const DECOMPRESSORS: Part = Part { pieces: 1, of: 7 };

/// The caches of all workers.
const CACHES: Part = Part { pieces: 1, of: 160 };

/// Keys of allowed URLs, for later runs, that wait to be written.
pub(super) const ADDED_KEYS: Part = Part { pieces: 1, of: 160 };

/// What there is at once while lines are judged.
const WHILE_JUDGING: [Part; 6] = [WORKERS, LONG_LINE, ORIGINS, DECOMPRESSORS, CACHES, ADDED_KEYS];
const _: () = assert!(Part::fit(&WHILE_JUDGING));

/// Keys of lines that wait to be written, in a first pass that finds repeated ones.
pub(super) const KEYS: Part = Part { pieces: 1, of: 8 };

/// Sets of keys, or keys that are sorted, before or after lines are judged.
pub(super) const KEY_SETS: Part = Part { pieces: 1, of: 4 };

/// What there is at once before lines are judged.
const BEFORE_JUDGING: [Part; 4] = [KEYS, KEY_SETS, LONG_LINE, DECOMPRESSORS];
const _: () = assert!(Part::fit(&BEFORE_JUDGING));

/// How long lists may be, as a part of the budget, whose URLs are kept in one set: a URL takes about 64 bytes of text, and 24 to 48 in
/// the set, which is not in memory but in the page cache. With longer lists, two passes take less.
pub(crate) const LISTS_OF_SET: Part = Part { pieces: 1, of: 16 };

/// Something that a worker has for each chunk.
struct WorkerPart {
    /// Its name in messages.
    name: &'static str,
    /// How many times as long it is as the chunk.
    times: fn(&Needs, FileFormat) -> u64,
}

/// What a worker has for a chunk. Buffers double as they grow. Lines of text become longer when they are explained, and with the names
/// of crawlers, for which there is exactly as much memory as is needed. Of rows, all columns are in memory, which may be six times the
/// lines, and again without the memory of other rows.
const WORKER_PARTS: [WorkerPart; 9] = [
    WorkerPart { name: "a chunk, with room to grow", times: |_, format| in_text(format, 2) },
    WorkerPart { name: "a copy of a chunk without duplicates", times: |_, format| in_text(format, 2) },
    // Of as many origins as there is room for.
    WorkerPart { name: "the unknown origins of a chunk", times: |_, format| in_text(format, 16) },
    WorkerPart { name: "the columns of a chunk's rows", times: |_, format| in_rows(format, 6) },
    WorkerPart {
        name: "the lines of a chunk for each crawler, and those of one that waits to be written",
        times: |needs, format| match format {
            FileFormat::Text => needs.explained(4 * needs.buffers),
            FileFormat::Parquet => 3 * needs.buffers,
        },
    },
    WorkerPart {
        name: "the same as frames, or as rows with their causes",
        times: |needs, format| match (format, needs.explain) {
            (FileFormat::Text, _) => needs.explained(4 * needs.buffers),
            // Rows have equal texts of causes once, and those for one crawler have room where text has its own.
            (FileFormat::Parquet, true) => needs.buffers - 1,
            (FileFormat::Parquet, false) => 0,
        },
    },
    // One that differs from most takes as many bytes as the shortest line.
    WorkerPart {
        name: "the outcomes for each crawler",
        times: |needs, _| if needs.buffers < needs.crawlers { needs.crawlers } else { 0 },
    },
    WorkerPart {
        name: "the names of crawlers",
        times: |needs, format| match (needs.form, format) {
            (Some(OutputMode::BlockedFor), FileFormat::Text) => 3 * needs.names / SHORTEST_LINE,
            (Some(OutputMode::BlockedFor), FileFormat::Parquet) => 2 * needs.crawlers,
            _ => 0,
        },
    },
    // In text, a column has up to a byte and its tab; in rows, a view of 16 bytes. Each line has the preferences themselves, too.
    WorkerPart {
        name: "preferences for each crawler",
        times: |needs, format| match format {
            _ if needs.preferences == 0 => 0,
            FileFormat::Text => needs.crawlers * (8 * 2 * needs.preferences / SHORTEST_LINE + 2),
            FileFormat::Parquet => needs.crawlers * (2 * needs.preferences + 2),
        },
    },
];

fn in_text(format: FileFormat, times: u64) -> u64 {
    if format == FileFormat::Text { times } else { 0 }
}

fn in_rows(format: FileFormat, times: u64) -> u64 {
    if format == FileFormat::Parquet { times } else { 0 }
}

/// The shortest chunk that is chosen to make room for more workers.
const SHORTEST_CHUNK: usize = 64 << 10;
/// The same if blocked lines are explained, or for many crawlers, which can make text many times as long.
const SHORTEST_GROWING: usize = 4 << 10;

/// More buffers than these are many.
const MANY_BUFFERS: u64 = 32;

/// The shortest line with a valid URL, without its LF: a scheme and `//a`.
const SHORTEST_LINE: u64 = 8;

/// What the memory of a run depends on, besides its budget.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    crawlers: u64,
    /// The buffers of a chunk's lines: one for each crawler, if each has files or columns.
    buffers: u64,
    /// How lines are written; `None` if they are only counted.
    form: Option<OutputMode>,
    /// Whether blocked lines are explained.
    explain: bool,
    /// Bytes of the names of all crawlers, with separators.
    names: u64,
    /// The number of columns of preferences for each crawler.
    preferences: u64,
    /// Whether the bytes of files depend on how lists are cut into chunks.
    shows_chunks: bool,
}

impl Needs {
    /// The needs of a run for these crawlers.
    pub fn new<'a>(
        agents: impl IntoIterator<Item = &'a Agents>,
        form: Option<OutputMode>,
        explain: bool,
        allowed_if: Option<AllowedIf>,
    ) -> Needs {
        let names = agents.into_iter().map(|agents| crawler_name(agents).len() as u64 + 1);
        let (crawlers, names) = names.fold((0, 0), |(count, bytes), name| (count + 1, bytes + name));
        let crawlers = crawlers.max(1);
        let buffers = match form {
            Some(OutputMode::Partitions | OutputMode::Verdicts) if allowed_if.is_none() => crawlers,
            _ => 1,
        };
        Needs { crawlers, buffers, form, explain, names, preferences: 0, shows_chunks: true }
    }

    /// The same, if the bytes of files depend on how lists are cut into chunks, as those of frames do.
    pub fn showing_chunks(self, shows_chunks: bool) -> Needs {
        Needs { shows_chunks, ..self }
    }

    /// The bytes of lines that take so many before they are explained.
    fn explained(&self, bytes: u64) -> u64 {
        if self.explain { bytes * EXPLAINED } else { bytes }
    }

    /// The same with columns of preferences.
    pub fn with_preferences(self, columns: PreferenceColumns) -> Needs {
        Needs { preferences: columns.count() as u64, ..self }
    }
}

/// Checks that a budget of `bytes` is enough to begin a run. Reading robots.txt files before it begins may take an hour.
///
/// # Errors
///
/// If there is no room for a single worker.
pub fn check_memory(bytes: u64, needs: Needs) -> Result<(), Error> {
    JobMemory::new(bytes, needs).map(|_| ())
}

/// How many workers for one crawler have room in so many bytes.
#[cfg(feature = "cli")]
pub(crate) fn workers_within(bytes: u64, format: FileFormat, explain: bool) -> usize {
    let needs = Needs::new([], Some(OutputMode::Partitions), explain, None);
    let plan = JobMemory::new(bytes, needs).and_then(|memory| memory.worker_plan(usize::MAX, None, format));
    plan.map_or(0, |plan| plan.workers)
}

/// The memory of a run: a budget, and what is to be done with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JobMemory {
    /// All of it.
    given: u64,
    /// Without what is outside the shares.
    budget: MemoryBudget,
    needs: Needs,
}

/// The number of workers, and the size of their chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkerPlan {
    pub workers: usize,
    pub chunk_size: usize,
}

impl JobMemory {
    /// A budget of `bytes` for a run with these needs.
    pub fn new(bytes: u64, needs: Needs) -> Result<JobMemory, Error> {
        let own_files = if needs.form == Some(OutputMode::Partitions) { needs.buffers } else { 1 };
        let fixed = BASE + BYTES_PER_BUFFER * own_files;
        let memory = JobMemory { given: bytes, budget: MemoryBudget::new(bytes.saturating_sub(fixed)), needs };
        let least = fixed + 8 * memory.worker_memory(memory.shortest_chunk(), FileFormat::Text);
        if bytes < least { Err(memory.refused(memory.shortest_chunk(), FileFormat::Text, least)) } else { Ok(memory) }
    }

    /// The error that there is no room for one worker with such a chunk.
    fn refused(&self, chunk_size: usize, format: FileFormat, least: u64) -> Error {
        let bytes = |part: &WorkerPart| ((part.times)(&self.needs, format)).saturating_mul(chunk_size as u64);
        let largest = WORKER_PARTS.iter().max_by_key(|part| bytes(part));
        let (part, needed) = largest.map_or(("", 0), |part| (part.name, bytes(part)));
        let given = self.given;
        let message = format!(
            "{given} bytes of memory are too few for this run, which needs at least {least}: for {part} alone, {needed}"
        );
        ErrorKind::Job.of(message).about(About::Memory)
    }

    /// The memory of a worker with a chunk of this size: that of its parts, and of the rows of a row group while it is encoded.
    fn worker_memory(&self, chunk_size: usize, format: FileFormat) -> u64 {
        let times: u64 = WORKER_PARTS.iter().map(|part| (part.times)(&self.needs, format)).sum();
        let row_group = if format == FileFormat::Parquet { self.row_group() } else { 0 };
        times.saturating_mul(chunk_size as u64).saturating_add(row_group)
    }

    /// The shortest chunk that is chosen.
    fn shortest_chunk(&self) -> usize {
        let grows =
            self.needs.explain || self.needs.form == Some(OutputMode::BlockedFor) || self.needs.buffers > MANY_BUFFERS;
        if grows { SHORTEST_GROWING } else { SHORTEST_CHUNK }
    }

    /// The size of chunks, unless one is given, and how many of the `asked` workers have room. If frames or row groups are made from
    /// chunks, `asked` does not change the size: files must be the same for any number of workers. Otherwise few workers have longer
    /// chunks.
    pub fn worker_plan(
        &self,
        asked: usize,
        chunk_size: Option<usize>,
        format: FileFormat,
    ) -> Result<WorkerPlan, Error> {
        let rest = self.budget.bytes();
        let waiting = if format == FileFormat::Parquet { LEAST_WAITING.bytes_of(rest) } else { 0 };
        let share = WORKERS.bytes_of(rest) - waiting;
        let fitting =
            |chunk_size| usize::try_from(share / self.worker_memory(chunk_size, format)).unwrap_or(usize::MAX);
        // A line must fit after a chunk, within 32-bit offsets.
        let mut size = chunk_size.unwrap_or(format.chunk_size()).clamp(1, LONGEST_CHUNK / 2);
        let usual = format.usual_workers(self.shortest_chunk() == SHORTEST_GROWING);
        let usual = if self.needs.shows_chunks { usual } else { usual.min(asked.max(1)) };
        while chunk_size.is_none() && size > self.shortest_chunk() && fitting(size) < usual {
            size /= 2;
        }
        if fitting(size) == 0 {
            // Workers get at least seven sixteenths of the shares.
            let rest = (self.worker_memory(size, format) / 7).saturating_mul(16).saturating_add(16);
            let least = rest.saturating_add(self.given - self.budget.bytes());
            return Err(self.refused(size, format, least));
        }
        Ok(WorkerPlan { workers: fitting(size).min(asked.max(1)), chunk_size: size })
    }

    /// The longest line allowed. A line from a stream is in memory several times: as read, with the next line after it;
    /// decoded, and kept; and, for each crawler, gathered with others and as a frame.
    pub fn longest_line(&self) -> usize {
        let longest = self.budget.share(LONG_LINE).bytes() / (4 * self.needs.buffers + 6);
        usize::try_from(longest).unwrap_or(usize::MAX).min(LONGEST_CHUNK / 2)
    }

    /// Bytes of rows that wait for row groups, before they are stored on disk: what these workers leave of their half.
    pub fn waiting_rows(&self, WorkerPlan { workers, chunk_size }: WorkerPlan) -> u64 {
        let of_workers = self.worker_memory(chunk_size, FileFormat::Parquet).saturating_mul(workers as u64);
        WORKERS.bytes_of(self.budget.bytes()).saturating_sub(of_workers)
    }

    /// Bytes of a row group that is large enough, before it is encoded.
    pub fn row_group(&self) -> u64 {
        ROW_GROUP.min(self.budget.bytes() / 16)
    }

    /// The share of a part.
    pub fn share(&self, part: Part) -> Share {
        self.budget.share(part)
    }

    /// Bytes of lists whose URLs are few enough to be kept in one set.
    pub fn lists_of_set(&self) -> u64 {
        LISTS_OF_SET.bytes_of(self.budget.bytes())
    }

    /// For the caches of each of so many workers.
    pub fn caches(&self, workers: usize) -> CacheMemory {
        self.budget.share(CACHES).of_each(workers).for_caches()
    }

    /// For decompressors, and chunks that are read ahead.
    pub fn decompressors(&self) -> u64 {
        self.budget.share(DECOMPRESSORS).bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The needs of partitions for this many crawlers.
    fn partitions(crawlers: u64, explain: bool) -> Needs {
        Needs {
            crawlers,
            buffers: crawlers,
            form: Some(OutputMode::Partitions),
            explain,
            names: 0,
            preferences: 0,
            shows_chunks: true,
        }
    }

    #[test]
    fn columns_of_names_and_counts_need_no_memory_for_the_files_of_each_crawler() {
        let of = |form, names| {
            JobMemory::new(
                DEFAULT_MEMORY,
                Needs {
                    crawlers: 1024,
                    buffers: if form == Some(OutputMode::Partitions) { 1024 } else { 1 },
                    form,
                    explain: false,
                    names,
                    preferences: 0,
                    shows_chunks: false,
                },
            )
        };
        assert!(of(Some(OutputMode::Partitions), 0).is_err());
        for (form, names) in [(None, 0), (Some(OutputMode::BlockedFor), 1024 * 16)] {
            let plan = of(form, names).unwrap().worker_plan(2, None, FileFormat::Text).unwrap();
            assert_eq!(plan.workers, 2);
        }
    }

    #[test]
    fn few_workers_have_longer_chunks_where_no_file_shows_it() {
        let needs = Needs { form: Some(OutputMode::BlockedFor), buffers: 1, names: 1500, ..partitions(151, false) };
        let size = |shows_chunks, asked| {
            let memory = JobMemory::new(DEFAULT_MEMORY, needs.showing_chunks(shows_chunks)).unwrap();
            let plan = memory.worker_plan(asked, None, FileFormat::Text).unwrap();
            assert_eq!(plan.workers, asked);
            plan.chunk_size
        };
        assert_eq!([1, 2, 8].map(|asked| size(true, asked)), [64 << 10; 3]);
        assert_eq!([1, 2, 8].map(|asked| size(false, asked)), [512 << 10, 256 << 10, 64 << 10]);
    }

    #[test]
    fn shares_are_no_more_than_there_is() {
        for bytes in [128 << 20, 300 << 20, DEFAULT_MEMORY, 50 << 30] {
            for (crawlers, explain) in [1, 2, 16, 64].into_iter().flat_map(|n| [(n, false), (n, true)]) {
                let Ok(memory) = JobMemory::new(bytes, partitions(crawlers, explain)) else {
                    assert!(explain || bytes < 400 << 20 && crawlers > 2, "{bytes} {crawlers}");
                    continue;
                };
                for asked in [1, 2, 16, 500] {
                    let plan = memory.worker_plan(asked, None, FileFormat::Parquet).unwrap();
                    let WorkerPlan { workers, chunk_size } = plan;
                    let workers_share = workers as u64 * memory.worker_memory(chunk_size, FileFormat::Parquet);
                    let line_share = memory.longest_line() as u64 * (4 * memory.needs.buffers + 6);
                    assert!(memory.waiting_rows(plan) >= LEAST_WAITING.bytes_of(memory.budget.bytes()));
                    let shares = memory.waiting_rows(plan)
                        + workers_share
                        + line_share
                        + memory.share(ORIGINS).bytes()
                        + CACHES.bytes_of(memory.budget.bytes())
                        + memory.share(ADDED_KEYS).bytes()
                        + memory.decompressors();
                    assert!((1..=asked).contains(&workers), "{workers}");
                    assert!(bytes - memory.budget.bytes() + shares <= bytes, "{bytes} {crawlers} {asked}");
                }
            }
        }
    }

    #[test]
    fn chunks_that_files_show_do_not_depend_on_the_number_of_workers() {
        let memory = JobMemory::new(DEFAULT_MEMORY, partitions(1, false)).unwrap();
        let plan_for = |asked, chunk_size, format| memory.worker_plan(asked, chunk_size, format).unwrap();
        for asked in [1, 8, 16] {
            assert_eq!(plan_for(asked, None, FileFormat::Text), WorkerPlan { workers: asked, chunk_size: 1 << 20 });
        }
        let many = plan_for(4096, None, FileFormat::Text);
        assert!(many.chunk_size == 1 << 20 && (16..32).contains(&many.workers), "{many:?}");
        assert_eq!(plan_for(4, None, FileFormat::Parquet), WorkerPlan { workers: 3, chunk_size: 8 << 20 });
        // Rows have equal texts of causes once, so explaining does not make row groups smaller.
        let explained = JobMemory::new(DEFAULT_MEMORY, partitions(1, true)).unwrap();
        assert_eq!(
            explained.worker_plan(2, None, FileFormat::Parquet).unwrap(),
            WorkerPlan { workers: 2, chunk_size: 8 << 20 }
        );
        assert_eq!(plan_for(3, Some(5000), FileFormat::Text), WorkerPlan { workers: 3, chunk_size: 5000 });
        // More memory makes chunks larger, up to a useful size.
        for (format, chunk_size) in [(FileFormat::Text, 1 << 20), (FileFormat::Parquet, 8 << 20)] {
            let memory = JobMemory::new(64 * DEFAULT_MEMORY, partitions(1, false)).unwrap();
            assert_eq!(memory.worker_plan(64, None, format).unwrap(), WorkerPlan { workers: 64, chunk_size });
        }
        // Output of `zstd --long` can be read by default.
        assert_eq!(memory.decompressors().ilog2(), 27);
    }

    /// The bytes that an error says are needed.
    fn least(refused: &Error) -> u64 {
        let message = refused.to_string();
        let (_, rest) = message.split_once("at least ").expect("it says so");
        rest.split(':').next().unwrap_or_default().parse().expect("a number")
    }

    #[test]
    fn the_reported_minimum_is_enough() {
        for (crawlers, explain) in [(1, false), (5, false), (1, true)] {
            let refused = JobMemory::new(1 << 20, partitions(crawlers, explain)).expect_err("a MiB is not enough");
            let memory = JobMemory::new(least(&refused), partitions(crawlers, explain)).unwrap();
            assert!(memory.worker_plan(1, None, FileFormat::Text).is_ok());
            let refused = memory.worker_plan(1, Some(64 << 20), FileFormat::Text);
            let refused = refused.expect_err("chunks of 64 MiB have no room");
            let memory = JobMemory::new(least(&refused), partitions(crawlers, explain)).unwrap();
            assert!(memory.worker_plan(1, Some(64 << 20), FileFormat::Text).is_ok());
        }
    }
}
