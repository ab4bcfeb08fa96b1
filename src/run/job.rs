//! A job: what the caller asks of a run.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::memory::DEFAULT_MEMORY;
use crate::input::layout::UrlField;
use crate::input::shard::Shard;
use crate::judge::decision::Choices;
use crate::outcome::Partition;
use crate::output::form::Form;
use crate::output::format::Format;
use crate::output::frame::FrameFormat;
use crate::policy::Crawler;

/// The job of a run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The lists, in order; `-` is standard input.
    pub lists: Vec<PathBuf>,
    /// Where the URL stands in their lines.
    pub url_field: UrlField,
    /// Where the partitions go; nowhere, if lines are only counted.
    pub destination: Option<Destination>,
    /// Whether blocked lines stand after what blocked them: the rule, its line, and when its robots.txt was captured. A
    /// partition that is blocked is a table then, and of verdicts each has these columns after it.
    pub explain: bool,
    /// Who asks: crawlers of the policy, at least one; for each, the lines are split of their own.
    pub crawlers: Vec<Crawler>,
    /// The choices for lines without a definite verdict.
    pub choices: Choices,
    /// Whether lines are left out whose URLs were there before.
    pub unique: bool,
    /// Workers; 0: as many as there are processors. There are fewer where there is no memory for so many.
    pub threads: usize,
    /// Bytes of a chunk; 0: as many as are good for so many workers.
    pub chunk_size: usize,
    /// The settings of a long run.
    pub long_run: LongRun,
}

impl Job {
    /// Counts the lines of text lists for these crawlers, as of now; all else as the program does unless it is asked otherwise.
    pub fn new(lists: impl IntoIterator<Item = impl Into<PathBuf>>, crawlers: Vec<Crawler>) -> Job {
        Job {
            lists: lists.into_iter().map(Into::into).collect(),
            url_field: UrlField::default(),
            destination: None,
            explain: false,
            crawlers,
            choices: Choices::now(),
            unique: false,
            threads: 0,
            chunk_size: 0,
            long_run: LongRun::default(),
        }
    }
}

/// The settings that divide a long run, or let it be left alone.
#[derive(Debug, Clone)]
pub struct LongRun {
    /// Which part of the lists to read, if not all of them.
    pub shard: Option<Shard>,
    /// Whether to go on with the run in the folder that was interrupted, if there is one.
    pub resume: bool,
    /// Whether what cannot be read of lists is left out, instead of ending the run.
    pub skip_bad: bool,
    /// After how long what is done is made durable each time.
    pub checkpoint: Duration,
    /// Set to stop the run at the next chunk.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The budget for what it allocates on purpose, in bytes: not for files that are mapped, nor the policy.
    pub memory: u64,
}

impl Default for LongRun {
    /// All of the lists, anew; a checkpoint every five seconds; [`DEFAULT_MEMORY`].
    fn default() -> LongRun {
        let checkpoint = Duration::from_secs(5);
        LongRun { shard: None, resume: false, skip_bad: false, checkpoint, interrupt: None, memory: DEFAULT_MEMORY }
    }
}

/// Where lines go.
#[derive(Debug, Clone)]
pub enum Destination {
    /// To files.
    Folder(Folder),
    /// To standard output.
    Pipe(Pipe),
}

/// A folder for the files of a run.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Its path.
    pub directory: PathBuf,
    /// How lines are written.
    pub form: Form,
    /// The format of the files.
    pub format: Format,
    /// How files are compressed, if they are; tables are by themselves.
    pub compress: Option<FrameFormat>,
    /// How many bytes a file may have, if files are cut into numbered parts. Lines are not cut, nor frames.
    pub split_size: Option<u64>,
    /// Whether an earlier run's files in it may be replaced.
    pub force: bool,
    /// Whether each list gets partitions of its own, in a folder `NUMBER-NAME`.
    pub per_input: bool,
}

impl Folder {
    /// A folder for plain partitions, in which nothing may be replaced.
    pub fn new(directory: PathBuf) -> Folder {
        let (form, format) = (Form::default(), Format::default());
        Folder { directory, form, format, compress: None, split_size: None, force: false, per_input: false }
    }
}

/// The output to standard output. There is no receipt in a file then, nor a list of robots.txt to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pipe {
    /// The lines of these partitions, at least one, of the only crawler.
    Only(Vec<Partition>),
    /// All lines after their verdicts.
    Verdicts,
}

impl Pipe {
    /// How lines are written.
    pub(super) fn form(&self) -> Form {
        match self {
            Pipe::Only(partitions) if partitions.len() == 1 => Form::Partitions,
            // Lines of several stay in their order among all others, of which they are picked.
            Pipe::Only(_) | Pipe::Verdicts => Form::Verdicts,
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
    pub(crate) fn form(&self) -> Form {
        match self {
            Destination::Folder(folder) => folder.form,
            Destination::Pipe(pipe) => pipe.form(),
        }
    }

    /// Whether the file of a partition of this number is written, if each has one.
    pub(crate) fn writes(&self, place: usize) -> bool {
        match self {
            Destination::Folder(_) | Destination::Pipe(Pipe::Verdicts) => true,
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
