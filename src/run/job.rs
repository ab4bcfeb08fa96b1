//! A job: the caller's description of a run; and its policy, which may be replaced between two chunks.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::memory::DEFAULT_MEMORY;
use crate::error::run::{Error, ErrorKind};
use crate::input::layout::UrlField;
use crate::input::list::Maps;
use crate::input::path_columns::PathColumns;
use crate::input::shard::Shard;
use crate::judge::choices::Choices;
use crate::judge::matcher::Matcher;
use crate::judge::outcomes::AllowedIf;
use crate::judge::same_url::SameUrl;
use crate::outcome::Partition;
use crate::output::form::{FileFormat, FrameCompression, OutputMode, Splits};
use crate::policy::{Crawler, Policy};
use crate::preferences::PreferenceColumns;
use crate::robots::Agents;

/// The job of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Job {
    /// The lists, in order; `-` is standard input.
    pub lists: Vec<PathBuf>,
    /// Where in a line the URL is.
    pub url_field: UrlField,
    /// Where the lines go; `None` to only count them.
    pub destination: Option<Destination>,
    /// If lines go to standard output: a file for the list of robots.txt files that deferred lines wait for, each
    /// written once, before the first line that waits for it. The file must be new, empty, such a list, or a pipe or
    /// device.
    pub robots_needed: Option<PathBuf>,
    /// Whether blocked lines are written with the cause: the rule, its line number, and when its robots.txt was
    /// captured. In text, these columns come before each line of a blocked partition, which then is a table, and after
    /// each verdict in a file of verdicts.
    pub explain: bool,
    /// The uses that have columns with the site's preference for each line's page: `y`, `n` or nothing, by all records
    /// together and by each kind of record. In text, the columns come before each line of an allowed partition; every
    /// table has them. Lines that are written once for all crawlers have no such columns.
    pub preferences: PreferenceColumns,
    /// Crawlers of the policy, at least one; the lines are split for each of them, unless
    /// [`Job::allowed_if`](field@Job::allowed_if) is set. The run looks them up in its policy again, so they may come
    /// from another policy.
    pub crawlers: Vec<Crawler>,
    /// Splits lines once for all crawlers together, and says when such a line is allowed. Only partitions can be
    /// written.
    pub allowed_if: Option<AllowedIf>,
    /// An older policy with which each verdict is compared.
    pub(crate) against: Option<Against>,
    /// The choices for lines without a definite verdict.
    pub choices: Choices,
    /// Whether to leave out lines whose URLs have occurred before, and which URLs are the same.
    pub unique: Option<SameUrl>,
    /// A file of the URLs that earlier runs have seen, which are left out, too. A complete run replaces it by a file
    /// that also has its own allowed URLs; if the file does not exist, the run creates it.
    pub seen: Option<PathBuf>,
    /// For a shard that leaves out repeated URLs: a folder with the files of [keys](Job::write_keys) of all shards. A
    /// line is also left out if an earlier shard has its URL.
    pub keys: Option<PathBuf>,
    /// The number of workers; 0 for one per processor. There are fewer if memory does not suffice.
    pub threads: usize,
    /// The size of a chunk in bytes; 0 to choose it by the memory.
    pub chunk_size: usize,
    /// The part of the lists to read; `None` for all.
    pub shard: Option<Shard>,
    /// Whether to resume an interrupted run in the folder, if there is one.
    pub resume: bool,
    /// Whether to skip parts of lists that cannot be read, instead of ending the run.
    pub skip_bad: bool,
    /// The shortest time between checkpoints; by default five seconds.
    pub checkpoint: Duration,
    /// Stops the run at the next chunk once this flag is set.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The memory budget in bytes. Mapped files and the policy do not count.
    pub memory: u64,
    /// Whether plain lists are mapped.
    pub(crate) maps: Option<Maps>,
}

impl Job {
    /// A job that only counts the lines of text lists for these crawlers, judging ages at the current time, with default settings
    /// otherwise.
    pub fn new(lists: impl IntoIterator<Item = impl Into<PathBuf>>, crawlers: Vec<Crawler>) -> Job {
        Job {
            lists: lists.into_iter().map(Into::into).collect(),
            url_field: UrlField::default(),
            destination: None,
            robots_needed: None,
            explain: false,
            preferences: PreferenceColumns::default(),
            crawlers,
            allowed_if: None,
            against: None,
            choices: Choices::now(),
            unique: None,
            seen: None,
            keys: None,
            threads: 0,
            chunk_size: 0,
            shard: None,
            resume: false,
            skip_bad: false,
            checkpoint: Duration::from_secs(5),
            interrupt: None,
            memory: DEFAULT_MEMORY,
            maps: None,
        }
    }

    /// Maps lists that are plain files, so that no line is copied to be judged. Without it, they are read by ranges,
    /// with the same results. The command-line program maps lists.
    ///
    /// # Safety
    ///
    /// Callers must ensure that no process writes into a list or shortens it while the job runs: lines are slices of
    /// the mapping, and Rust forbids that the bytes behind a slice change. A run whose list has changed fails, as it
    /// does without mapping, but only at the end. A process that reads beyond the end of a shortened file gets a
    /// SIGBUS, unless [`fill_lost_pages`](super::fill_lost_pages()) handles it.
    #[must_use]
    pub unsafe fn map_lists(mut self) -> Job {
        // SAFETY: as the caller ensures.
        self.maps = Some(unsafe { Maps::promised() });
        self
    }

    /// The crawlers that lines are split for.
    pub(crate) fn splits(&self) -> Splits {
        let agents = self.crawlers.iter().map(|crawler| crawler.agents().clone());
        Splits::new(agents.collect(), self.allowed_if, self.against.is_some())
    }

    /// Sets [`Job::destination`](field@Job::destination).
    #[must_use]
    pub fn destination(mut self, destination: impl Into<Destination>) -> Job {
        self.destination = Some(destination.into());
        self
    }

    /// Compares each verdict with that of an older policy, which has the dialect and the crawlers of the run. Lines are judged by it
    /// as well, with the same choices, except that no robots.txt is too old. Partitions and names of crawlers are by the policy of
    /// the run; a file of verdicts has the older ones after these, and the receipt counts both, and what changed. With `only_changed`,
    /// lines whose partition is the same by both policies, for all crawlers, are left out.
    #[must_use]
    pub fn against(mut self, policy: Policy, only_changed: bool) -> Job {
        self.against = Some(Against { policy, only_changed });
        self
    }
}

setters! {
    Job {
        url_field: UrlField,
        robots_needed: Option<PathBuf>,
        explain: bool,
        preferences: PreferenceColumns,
        allowed_if: Option<AllowedIf>,
        choices: Choices,
        unique: Option<SameUrl>,
        seen: Option<PathBuf>,
        keys: Option<PathBuf>,
        threads: usize,
        chunk_size: usize,
        shard: Option<Shard>,
        resume: bool,
        skip_bad: bool,
        checkpoint: Duration,
        interrupt: Option<Arc<AtomicBool>>,
        memory: u64,
    }
}

/// An older policy with which verdicts are compared: see [`Job::against`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Against {
    /// The policy, with the dialect and the crawlers of the run.
    pub policy: Policy,
    /// Whether to leave out lines whose partition is the same by both policies, for all crawlers.
    pub only_changed: bool,
}

/// Where lines go.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Destination {
    /// Files in a folder.
    Folder(Folder),
    /// Standard output.
    Pipe(Pipe),
}

/// A folder for the files of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Folder {
    /// Its path.
    pub directory: PathBuf,
    /// How lines are written.
    pub form: OutputMode,
    /// The format of the files.
    pub format: FileFormat,
    /// How files are compressed, if they are; Parquet is compressed internally.
    pub compress: Option<FrameCompression>,
    /// The most bytes in a file, if files are split into numbered parts. Lines and frames are never split.
    pub split_size: Option<u64>,
    /// Whether an earlier run's files in it may be replaced.
    pub force: bool,
    /// Whether each list gets its own partitions, in a folder `NUMBER-NAME`.
    pub per_input: bool,
    /// What becomes of the columns in the names of folders that tables are in, such as `day=2026-01-31`, if the format has rows.
    pub path_columns: PathColumns,
}

impl Folder {
    /// A folder for partitions as plain text, without replacing an earlier run's files.
    pub fn new(directory: impl Into<PathBuf>) -> Folder {
        let directory = directory.into();
        let (form, format) = (OutputMode::default(), FileFormat::default());
        let path_columns = PathColumns::default();
        Folder {
            directory,
            form,
            format,
            compress: None,
            split_size: None,
            force: false,
            per_input: false,
            path_columns,
        }
    }
}

setters! {
    Folder {
        form: OutputMode,
        format: FileFormat,
        compress: Option<FrameCompression>,
        split_size: Option<u64>,
        force: bool,
        per_input: bool,
        path_columns: PathColumns,
    }
}

/// The lines that a run prints to standard output. It writes no other file but [`Job::robots_needed`], and no receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pipe {
    /// The lines of these partitions, at least one, of the only crawler.
    Only(Vec<Partition>),
    /// All lines with their verdicts.
    Verdicts,
    /// All lines with the crawlers that they are blocked and deferred for.
    BlockedFor,
}

impl Pipe {
    /// How lines are written.
    pub(super) fn form(&self) -> OutputMode {
        match self {
            Pipe::Only(partitions) if partitions.len() == 1 => OutputMode::Partitions,
            // Lines of several partitions stay in order, so they are picked from among all lines.
            Pipe::Only(_) | Pipe::Verdicts => OutputMode::Verdicts,
            Pipe::BlockedFor => OutputMode::BlockedFor,
        }
    }
}

impl From<Folder> for Destination {
    fn from(folder: Folder) -> Destination {
        Destination::Folder(folder)
    }
}

impl Destination {
    /// How lines are written.
    pub(crate) fn form(&self) -> OutputMode {
        match self {
            Destination::Folder(folder) => folder.form,
            Destination::Pipe(pipe) => pipe.form(),
        }
    }

    /// Whether the file of the partition with this number is written, if each partition has a file.
    pub(crate) fn writes(&self, place: usize) -> bool {
        match self {
            Destination::Folder(_) | Destination::Pipe(Pipe::Verdicts | Pipe::BlockedFor) => true,
            Destination::Pipe(Pipe::Only(partitions)) => {
                partitions.iter().any(|&partition| partition as usize == place)
            }
        }
    }

    pub(crate) fn folder(&self) -> Option<&Folder> {
        match self {
            Destination::Folder(folder) => Some(folder),
            Destination::Pipe(_) => None,
        }
    }
}

/// Called before each chunk: returns the matchers of a newer policy, one for each crawler of the job, if there is one.
pub type Newer<'n> = dyn FnMut() -> Option<Vec<Matcher>> + Send + 'n;

/// The policy of the chunk whose turn it is.
pub(super) struct Following<'n> {
    newer: &'n mut Newer<'n>,
    crawlers: &'n [Crawler],
    /// How often the policy was replaced.
    number: u64,
    /// The matchers of the last policy; empty until the first policy is replaced.
    matchers: Vec<Matcher>,
}

impl<'n> Following<'n> {
    /// For a job with these crawlers.
    pub fn new(newer: &'n mut Newer<'n>, crawlers: &'n [Crawler]) -> Following<'n> {
        Following { newer, crawlers, number: 0, matchers: Vec::new() }
    }

    /// The policy for the next chunk, with its number; `None` if the number is still this one.
    pub fn newer_than(&mut self, number: u64) -> Result<Option<(u64, Vec<Matcher>)>, Error> {
        if let Some(matchers) = (self.newer)() {
            let of_job = self.crawlers.iter().map(Crawler::agents);
            let are_same = |(one, other): (&Matcher, &Agents)| one.agents().is_same(other);
            if matchers.len() != self.crawlers.len() || !matchers.iter().zip(of_job).all(are_same) {
                let message = "the newer policy came with matchers for other crawlers than those of the run; give one for each, in order";
                return Err(ErrorKind::Job.of(message));
            }
            self.number += 1;
            self.matchers = matchers;
        }
        Ok((self.number != number).then(|| (self.number, self.matchers.clone())))
    }

    /// The last policy, if it is not the first.
    pub fn policy(&self) -> Option<Policy> {
        self.matchers.first().map(|matcher| matcher.policy().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Captures, Crawlers};

    #[test]
    fn a_newer_policy_judges_for_the_crawlers_of_the_job() {
        let agents = ["a", "b"].map(|name| name.parse().unwrap());
        let policy = Captures::new(Crawlers::new(agents.to_vec()).unwrap(), Dialect::DEFAULT).policy().unwrap();
        let crawlers = agents.map(|agents| policy.crawler(Some(&agents)).unwrap());
        let [a, b] = &crawlers;
        for (given, is_fine) in [(vec![a, b], true), (vec![b, a], false), (vec![a], false), (vec![], false)] {
            let matchers = || Matcher::for_each(&policy, given.iter().copied().cloned(), Choices::at(0));
            let mut newer = || Some(matchers());
            let newer = Following::new(&mut newer, &crawlers).newer_than(0);
            assert_eq!(newer.is_ok_and(|newer| newer.is_some()), is_fine);
        }
    }
}
