//! How the memory that a run may take is divided.
//!
//! What is kept of lists, such as their paths and totals, is taken from it before. What is mapped is not counted, such as lists, a policy, or the URLs that were seen: the system takes such pages back when
//! it needs them. What is counted is bounded by
//! construction, whatever the lists are: each of its parts gets a share, and from the shares follow how long chunks and a
//! single line may be, how many workers there are, how far back a decompressor may look, and when origins go to disk.
//!
//! ```text
//! 1/2    workers: a chunk that is no map, its lines for each crawler, the origins that wait in it
//! 3/16   one line that is longer than a chunk: it is alone, so this does not depend on the number of workers
//! 5/32   origins with deferred lines: held, sorted, and copied for a checkpoint
//! 1/7    the window of a decompressor, or the pages of Parquet lists for each worker that reads them
//! ```
//!
//! Where blocked lines are explained, an eighth of the first half is for the rules that workers keep.

use std::path::{Path, PathBuf};

use super::FilterError;
use super::form::LONGEST_CAUSE;
use super::format::Format;
use super::list::{STREAM_HELD, is_stream};
use super::worker::LONGEST_CHUNK;

/// How much memory a run may take, unless asked otherwise.
pub const DEFAULT_MEMORY: u64 = 1 << 30;

/// What a run takes that does not depend on shares: the program, stacks, what is read and written at a time.
const BASE: u64 = 24 << 20;

/// What each crawler takes beside: lines that are gathered for frames.
const OF_CRAWLER: u64 = 2 << 20;

/// What each list takes from the start to the receipt, beside copies of its path: measured, and a half more.
const OF_LIST: u64 = 2304;
const PATHS: u64 = 12;
/// The same for each crawler: totals, those of a checkpoint, what the receipt says of them.
const OF_LIST_AND_CRAWLER: u64 = 1664;
/// The same for each file that only lines of one list go to, beside copies of its path.
const OF_FILE: u64 = 1280;

/// What is kept of a part of a file, in the run, its checkpoint and its receipt, beside copies of its path.
const OF_PART: u64 = 1024;

/// How many times as long a line can become that is explained.
const EXPLAINED: u64 = LONGEST_CAUSE + 1;

/// The shortest chunk that workers are given so that more of them have room.
const SHORTEST_CHUNK: usize = 64 << 10;
/// The same where blocked lines are explained, which may make so many times as much of it.
const SHORTEST_EXPLAINED: usize = 4 << 10;

/// Makes sure that so many octets are enough for a run for so many crawlers to be begun: robots.txt files may be read for an
/// hour before it is.
///
/// # Errors
///
/// [`FilterError::TooLittleMemory`] where nobody could work with it.
pub fn check_memory(octets: u64, crawlers: usize, explain: bool) -> Result<(), FilterError> {
    Memory::new(octets, crawlers, explain).map(|_| ())
}

/// The memory of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    octets: u64,
    crawlers: u64,
    /// Whether blocked lines are explained.
    explain: bool,
    /// What is kept of lists, however long they are.
    lists: u64,
    /// Whether some may read pages of Parquet lists while a list is decompressed.
    shares_pages: bool,
}

/// Octets that lists take, whatever is in them but for their head lines: these paths, for crawlers of these names, and, where
/// each has files of its own, the folder of these.
pub(super) fn of_lists(
    paths: &[PathBuf],
    crawlers: impl Iterator<Item = usize> + Clone,
    own_files: Option<&Path>,
) -> u64 {
    let of_crawlers: u64 = crawlers.clone().map(|name| OF_LIST_AND_CRAWLER + 8 * name as u64).sum();
    let of_list = |path: &PathBuf| {
        let length = path.as_os_str().len() as u64;
        let stream = if is_stream(path) { STREAM_HELD } else { 0 };
        // A file of each partition; their names have that of the list and that of the crawler.
        let of_files = own_files.map_or(0, |folder| {
            let folder = folder.as_os_str().len() as u64 + length.min(255);
            crawlers.clone().map(|name| 4 * (OF_FILE + 8 * (folder + name as u64))).sum()
        });
        OF_LIST + PATHS * length + stream + of_crawlers + of_files
    };
    paths.iter().map(of_list).sum()
}

/// Who works on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Crew {
    pub workers: usize,
    pub chunk_size: usize,
}

impl Memory {
    /// So many octets for a run for so many crawlers, which explains blocked lines or does not.
    ///
    /// # Errors
    ///
    /// [`FilterError::TooLittleMemory`] where nobody could work with it.
    pub fn new(octets: u64, crawlers: usize, explain: bool) -> Result<Memory, FilterError> {
        Memory { octets, crawlers: crawlers as u64, explain, lists: 0, shares_pages: false }.beside_lists(0)
    }

    /// All of it.
    pub fn octets(&self) -> u64 {
        self.octets
    }

    /// How many files that are cut may be cut into beside the first of each, in a folder of this name: what is known of each
    /// stays until the receipt. What no share has is for that.
    pub fn most_parts(&self, folder: &Path) -> u64 {
        self.octets / 64 / (OF_PART + 8 * folder.as_os_str().len() as u64)
    }

    /// The same beside lists that take so much.
    ///
    /// # Errors
    ///
    /// [`FilterError::TooLittleMemory`] where nobody could work with the rest.
    pub fn beside_lists(self, octets: u64) -> Result<Memory, FilterError> {
        let memory = Memory { lists: self.lists.saturating_add(octets), ..self };
        memory.at_least(memory.least_for_shares())?;
        Ok(memory)
    }

    /// The same beside the head lines and footers of all lists, of so many octets together: they may take as much as a
    /// decompressor, [as was said](Memory::decompressor) before they were read.
    ///
    /// # Errors
    ///
    /// [`FilterError::TooLittleMemory`] where they are longer.
    pub fn beside_contents(self, octets: u64) -> Result<Memory, FilterError> {
        let shares = octets.saturating_mul(7).max(octets.saturating_add(self.least_for_shares()));
        self.at_least(shares)?;
        self.beside_lists(octets)
    }

    /// Makes sure that so much is left for shares.
    fn at_least(&self, shares: u64) -> Result<(), FilterError> {
        let least = self.fixed().saturating_add(shares);
        if self.octets < least { Err(FilterError::TooLittleMemory { given: self.octets, least }) } else { Ok(()) }
    }

    /// The least of shares that somebody can work with.
    fn least_for_shares(&self) -> u64 {
        8 * self.of_worker(self.shortest_chunk())
    }

    /// What does not depend on shares.
    fn fixed(&self) -> u64 {
        (BASE + OF_CRAWLER * self.crawlers).saturating_add(self.lists)
    }

    /// What is left for shares.
    fn rest(&self) -> u64 {
        self.octets.saturating_sub(self.fixed())
    }

    /// What a worker takes at most with a chunk of this size: the chunk with room to grow, its lines for each crawler in
    /// buffers that double as they grow beside those that are left of the chunk before, and frames of them; what is left
    /// of the chunk without duplicates; and, if each line is the shortest URL of another origin, twenty times the chunk for
    /// these. Lines that are explained are longer, or what is told of them stands beside.
    fn of_worker(&self, chunk_size: usize) -> u64 {
        let of_crawler = if self.explain { 6 * EXPLAINED } else { 6 };
        (of_crawler * self.crawlers + 24).saturating_mul(chunk_size as u64)
    }

    /// The shortest chunk that workers are given.
    fn shortest_chunk(&self) -> usize {
        if self.explain { SHORTEST_EXPLAINED } else { SHORTEST_CHUNK }
    }

    /// What is left for the rules that all workers keep to explain lines.
    fn rules(&self) -> u64 {
        if self.explain { self.rest() / 16 } else { 0 }
    }

    /// How much of that is for each crawler of each worker.
    pub fn rules_of_worker(&self, workers: usize) -> usize {
        usize::try_from(self.rules() / (workers as u64 * self.crawlers).max(1)).unwrap_or(usize::MAX)
    }

    /// How large chunks are, unless somebody gives a size, and how many of the workers that are `asked` for have room. How
    /// many are asked for does not change the chunks: frames and row groups are made of these, and files are the same
    /// whoever makes them.
    ///
    /// # Errors
    ///
    /// [`FilterError::TooLittleMemory`] where not even one has room with the size that was given.
    pub fn crew(&self, asked: usize, chunk_size: Option<usize>, format: Format) -> Result<Crew, FilterError> {
        let share = self.rest() / 2 - self.rules();
        let fitting = |chunk_size| usize::try_from(share / self.of_worker(chunk_size)).unwrap_or(usize::MAX);
        // Beside a chunk there must be room for a line, in what 32 bits can tell.
        let mut size = chunk_size.unwrap_or(format.chunk_size()).clamp(1, LONGEST_CHUNK / 2);
        let usual = format.usual_workers(self.explain);
        while chunk_size.is_none() && size > self.shortest_chunk() && fitting(size) < usual {
            size /= 2;
        }
        if fitting(size) == 0 {
            // Of what is left for shares, workers have a half, or seven sixteenths where lines are explained.
            let rest = (self.of_worker(size) / 7).saturating_mul(16).saturating_add(16);
            let least = rest.saturating_add(self.fixed());
            return Err(FilterError::TooLittleMemory { given: self.octets, least });
        }
        Ok(Crew { workers: fitting(size).min(asked.max(1)), chunk_size: size })
    }

    /// How long a line may be. Of one that came as a stream, there is the line, the one behind it that waits, what was
    /// decoded and kept of it, and for each crawler the line, gathered with others, and its frame.
    pub fn longest_line(&self) -> usize {
        let longest = 3 * self.rest() / 16 / (4 * self.crawlers + 6);
        usize::try_from(longest).unwrap_or(usize::MAX).min(LONGEST_CHUNK / 2)
    }

    /// How many octets of origins with deferred lines are held before they go to disk.
    pub fn needed(&self) -> usize {
        usize::try_from(self.rest() / 32).unwrap_or(usize::MAX)
    }

    /// The same, but some may read pages of Parquet lists while a list is decompressed, if so: each gets a half then.
    pub fn with_shared_pages(self, shares_pages: bool) -> Memory {
        Memory { shares_pages, ..self }
    }

    /// What a decompressor may take.
    pub fn decompressor(&self) -> u64 {
        self.rest() / 7 / if self.shares_pages { 2 } else { 1 }
    }

    /// What the pages of Parquet lists may take for each of so many readers. Unless they share it, no decompressor is at work
    /// meanwhile.
    pub fn pages(&self, readers: usize) -> u64 {
        self.decompressor() / readers.max(1) as u64
    }
}

impl Default for Memory {
    /// That of a run for one crawler that nobody says more of.
    fn default() -> Memory {
        Memory { octets: DEFAULT_MEMORY, crawlers: 1, explain: false, lists: 0, shares_pages: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_no_more_than_there_is() {
        for octets in [128 << 20, 300 << 20, DEFAULT_MEMORY, 50 << 30] {
            for (crawlers, explain) in [1, 2, 16, 64].into_iter().flat_map(|n| [(n, false), (n, true)]) {
                let lists = Memory::new(octets, crawlers, explain).and_then(|memory| memory.beside_lists(octets / 64));
                let Ok(memory) = lists.and_then(|memory| memory.beside_contents(memory.decompressor() / 2)) else {
                    assert!(explain || octets < 400 << 20 && crawlers > 2, "{octets} {crawlers}");
                    continue;
                };
                for asked in [1, 2, 16, 500] {
                    let Crew { workers, chunk_size } = memory.crew(asked, None, Format::Parquet).unwrap();
                    let of_workers = workers as u64 * memory.of_worker(chunk_size);
                    let of_line = memory.longest_line() as u64 * (4 * memory.crawlers + 6);
                    let of_origins = memory.needed() as u64 * 5;
                    let of_rules = (memory.rules_of_worker(workers) * workers) as u64 * memory.crawlers;
                    assert_eq!(of_rules > 0, explain);
                    let shared = memory.with_shared_pages(true);
                    let of_pages = shared.pages(workers) * workers as u64 + shared.decompressor();
                    let of_lists = of_pages.max(memory.decompressor()).max(memory.pages(workers) * workers as u64);
                    let shares = of_workers + of_rules + of_line + of_origins + of_lists;
                    let all = memory.fixed() + shares;
                    assert!((1..=asked).contains(&workers), "{workers}");
                    assert!(all <= octets, "{octets} {crawlers} {asked}: {all}");
                    assert!(of_pages > 0);
                }
            }
        }
    }

    #[test]
    fn chunks_do_not_depend_on_the_number_of_workers() {
        let memory = Memory::new(DEFAULT_MEMORY, 1, false).unwrap();
        let crew = |asked, chunk_size, format| memory.crew(asked, chunk_size, format).unwrap();
        for asked in [1, 8, 16] {
            assert_eq!(crew(asked, None, Format::Text), Crew { workers: asked, chunk_size: 1 << 20 });
        }
        let many = crew(4096, None, Format::Text);
        assert!(many.chunk_size == 1 << 20 && (16..32).contains(&many.workers), "{many:?}");
        assert_eq!(crew(4, None, Format::Parquet), Crew { workers: 4, chunk_size: 4 << 20 });
        assert_eq!(crew(3, Some(5000), Format::Text), Crew { workers: 3, chunk_size: 5000 });
        // More memory makes chunks larger, as far as that is good for anything.
        for (format, chunk_size) in [(Format::Text, 1 << 20), (Format::Parquet, 16 << 20)] {
            let memory = Memory::new(64 * DEFAULT_MEMORY, 1, false).unwrap();
            assert_eq!(memory.crew(64, None, format).unwrap(), Crew { workers: 64, chunk_size });
        }
        // What `zstd --long` makes can be read by default.
        assert_eq!(memory.decompressor().ilog2(), 27);
        assert!(matches!(Memory::new(1 << 20, 1, false), Err(FilterError::TooLittleMemory { .. })));
    }

    #[test]
    fn lists_take_of_it_and_what_they_take_is_enough() {
        let of = |lists: usize, crawlers: usize, own_files| {
            of_lists(&vec!["some/folder/list".into(); lists], std::iter::repeat_n(10, crawlers), own_files)
        };
        let usual = Memory::new(DEFAULT_MEMORY, 1, false).unwrap().crew(16, None, Format::Text).unwrap();
        let memory = Memory::new(DEFAULT_MEMORY, 1, false).unwrap().beside_lists(of(5000, 1, None)).unwrap();
        assert_eq!(memory.crew(16, None, Format::Text).unwrap(), usual, "thousands of lists change nothing");
        let folder = Some(Path::new("out"));
        assert!(of(10, 1, None) < of(10, 2, None) && of(10, 2, None) < of(10, 2, folder));
        let (lists, heads) = (of(100_000, 4, folder), 20 << 20);
        let given = |octets| Memory::new(octets, 4, false)?.beside_lists(lists)?.beside_contents(heads);
        let Err(FilterError::TooLittleMemory { given: DEFAULT_MEMORY, least }) = given(DEFAULT_MEMORY) else {
            panic!("100,000 lists of four crawlers fit")
        };
        let Err(FilterError::TooLittleMemory { least, .. }) = given(least) else { panic!("heads fit") };
        assert!(given(least).is_ok() && given(least - 1).is_err());
    }

    #[test]
    fn a_chunk_that_has_no_room_is_refused_and_what_it_takes_is_enough() {
        for (explain, size) in [(false, 1 << 30), (true, 64 << 20), (false, LONGEST_CHUNK)] {
            let crew = |octets| Memory::new(octets, 2, explain).unwrap().crew(3, Some(size), Format::Text);
            let Err(FilterError::TooLittleMemory { given: DEFAULT_MEMORY, least }) = crew(DEFAULT_MEMORY) else {
                panic!("{size} octets fit");
            };
            assert!(crew(least).is_ok_and(|crew| crew.workers == 1), "{least}");
        }
    }
}
