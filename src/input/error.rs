//! Why a run ends without a result.

use super::layout::Column;
use std::io;
use std::path::PathBuf;

/// Why a run ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A list that cannot be read.
    #[error("cannot read the list {}: {error}", path.display())]
    List {
        /// The list.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Lists of which nothing can be read, so that nothing would be left.
    #[error("none of the lists can be read, so nothing of them would be left; the first one, {}: {problem}", path.display())]
    AllUnreadable {
        /// The first list.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A list that changed while it was read.
    #[error("the list {} was changed while it was read; nothing of the result can be trusted, run again", path.display())]
    ListChanged {
        /// The list.
        path: PathBuf,
    },
    /// A list that was cut short while it was read. What was done before it was noticed was read as it stood.
    #[error(
        "the list {} was cut short while it was read, at byte {at} of {had}; put back what it was, or run anew",
        path.display()
    )]
    ListCut {
        /// The list.
        path: PathBuf,
        /// How many bytes its file has now.
        at: u64,
        /// How many it had.
        had: u64,
    },
    /// A list that cannot be divided into shards.
    #[error(
        "the list {} cannot be divided into shards: it is a stream, or a table that is compressed as a whole, so no other run \
         reads the same; store it as a file first", path.display()
    )]
    NotDivisible {
        /// The list.
        path: PathBuf,
    },
    /// A list that stands where the run would write.
    #[error("the list {} would be replaced by the output; choose another folder for it", path.display())]
    ListInOutput {
        /// The list.
        path: PathBuf,
    },
    /// A list in which the URL is not where it was said to be.
    #[error("the list {}: {error}", path.display())]
    UrlField {
        /// The list.
        path: PathBuf,
        /// What is wrong.
        error: UrlFieldError,
    },
    /// A list that is a Parquet file, and cannot be read as one.
    #[error("the list {}: {problem}", path.display())]
    Parquet {
        /// The list.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Lists with different head lines, whose lines cannot be in one file.
    #[error(
        "the lists {} and {} begin with different head lines, so their lines cannot stand below one of them; give each \
         list partitions of its own",
        one.display(), other.display()
    )]
    HeadsDiffer {
        /// A list.
        one: PathBuf,
        /// A list with another head line, or without one.
        other: PathBuf,
    },
    /// Lists with different columns, whose rows cannot be in one table.
    #[error(
        "the lists {} and {} have different columns, so their rows cannot stand in one table; give each list partitions of \
         its own",
        one.display(), other.display()
    )]
    ColumnsDiffer {
        /// A list.
        one: PathBuf,
        /// A list with other columns.
        other: PathBuf,
    },
    /// A list with a column that is called as one that is added.
    #[error(
        "the list {} has a column {column:?} of its own, which is what a column that is added would be called; rename it \
         there, or write text",
        path.display()
    )]
    ColumnTaken {
        /// The list.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Rows that cannot be written.
    #[error("cannot make the rows of what is to be written: {problem}")]
    Table {
        /// Why.
        problem: String,
    },
    /// Parquet, in a program without it.
    #[error("this program was built without Parquet (cargo feature `parquet`)")]
    WithoutParquet,
    /// Standard input, given more than once.
    #[error("standard input (-) is given twice as a list, but it can be read only once")]
    StandardInputTwice,
    /// A line that is longer than memory is given for.
    #[error(
        "the list {} has a line of more than {longest} bytes, which begins at byte {offset} of its text; that is as much as \
         there is memory for; give more, or leave such lines out", path.display()
    )]
    LineTooLong {
        /// The list.
        path: PathBuf,
        /// Where the line begins, decompressed.
        offset: u64,
        /// How long a line may be.
        longest: usize,
    },
    /// Memory in which nobody can work.
    #[error("{given} bytes of memory are too few for this run, which takes at least {least}")]
    TooLittleMemory {
        /// How much is given.
        given: u64,
        /// How much it takes.
        least: u64,
    },
    /// A folder that another run writes to.
    #[error("another run is writing to {}; wait for its end, or choose another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// Lines that are to be left out where several runs share a job.
    #[error(
        "a shard cannot leave out what was seen before: none knows the URLs of the others, so what two of them have would stay twice; \
         leave lines out in one run over all lists, and divide what it keeps"
    )]
    UniqueShard,
    /// No room for the URLs that were seen.
    #[error("cannot make room for {bytes} bytes in {}, for the URLs that were seen: {error}", folder.display())]
    Unique {
        /// The folder.
        folder: PathBuf,
        /// How many bytes are needed.
        bytes: u64,
        /// What the system said.
        error: io::Error,
    },
    /// A folder with something in it.
    #[error("{} is not empty; choose another folder, or have an earlier run's files in it replaced", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file that the run would have to replace, and that no earlier run wrote.
    #[error("{} is in the way, and no receipt of an earlier run names it; move it away, or choose another folder", path.display())]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
    /// A folder with a run that was interrupted.
    #[error("{} has an unfinished run in it; resume it, or discard it", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// A run that cannot go on.
    #[error("the run in {} cannot be resumed: {problem}; begin it anew", path.display())]
    NotResumable {
        /// Its folder.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// A checkpoint that cannot be read.
    #[error("cannot read the checkpoint {}: {error}; begin the run anew", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong.
        error: io::Error,
    },
    /// A run that was asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A run that failed, and can go on when the cause is removed.
    #[error("{error}\nwhat was done until then is kept in {}: resume the run to go on from there", path.display())]
    Kept {
        /// Why it failed.
        error: Box<FilterError>,
        /// Its folder.
        path: PathBuf,
    },
    /// Two crawlers whose files would have one name.
    #[error("two crawlers would write to {name}; split for one of them in a run of its own")]
    SameName {
        /// The name.
        name: String,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Output {
        /// The file, or the folder it is in.
        path: PathBuf,
        /// What the system said; where bytes could not be written, an [`Unwritten`](crate::output::Unwritten) is in it, with their place.
        error: io::Error,
    },
    /// Standard output that cannot be written to.
    #[error("cannot write to standard output: {0}")]
    StandardOutput(io::Error),
    /// One partition of several crawlers.
    #[error(
        "one partition can only be that of one crawler; {given} are asked for, so ask for each in a run of its own"
    )]
    SeveralCrawlers {
        /// How many there are.
        given: usize,
    },
    /// Lines that cannot be compressed.
    #[error("cannot compress what is to be written: {0}")]
    Compress(#[from] io::Error),
    /// The checksums of what was read and what was written differ.
    #[error(
        "what was written is not what was read: the checksums differ; this is a defect of robosieve, please report it"
    )]
    Unbalanced,
    /// The workers could not be started.
    #[error("cannot start the workers: {0}")]
    Workers(#[from] rayon::ThreadPoolBuildError),
}

impl FilterError {
    /// Whether what was read or written is not to be trusted, so that nothing can go on from it. A list that
    /// was cut short is no reason for it: it must be again what it was before a run goes on, and what a checkpoint keeps was
    /// read of it as it stood.
    pub(crate) fn is_distrust(&self) -> bool {
        matches!(self, FilterError::ListChanged { .. } | FilterError::Unbalanced)
    }

    /// Whether the run only stopped because it was asked to.
    pub fn is_interrupted(&self) -> bool {
        match self {
            FilterError::Interrupted => true,
            FilterError::Kept { error, .. } => error.is_interrupted(),
            _ => false,
        }
    }
}

/// A list in which the URL is not where the operator says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlFieldError {
    /// A quote in the head line.
    #[error("its head line has a quote that is open or out of place")]
    Quote,
    /// A head line without the column.
    #[error("it has no column {wanted}; its columns are {}", names.join(", "))]
    NoColumn {
        /// The column.
        wanted: Column,
        /// The names of those that there are.
        names: Vec<String>,
    },
    /// A table without the columns that are looked for where none is given.
    #[error(
        "it has no column \"url\", nor all columns of Common Crawl's index that make up a URL; its columns are {}; choose \
         one", names.join(", ")
    )]
    NoUrl {
        /// The names of those that there are.
        names: Vec<String>,
    },
    /// A column of a table that cannot hold what it should.
    #[error("its column {name:?} is not of {wanted}, one value a row; choose another")]
    Kind {
        /// The column.
        name: String,
        /// What is wanted.
        wanted: &'static str,
    },
    /// A column of lines that have none.
    #[error("its lines have no columns, as far as is known; say what separates them")]
    NoDelimiter,
    /// Something that the operator says of lines that say it themselves.
    #[error(
        "it is an index (CDXJ), whose lines say which part is the URL; choose no column, and say nothing of a head line"
    )]
    Index,
    /// A head line that does not end.
    #[error("its head line is longer than 1 MiB")]
    LongHead,
}

/// What is no delimiter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{given:?} is no delimiter: one character of ASCII is wanted, such as , or ; or `tab`")]
pub struct DelimiterError {
    pub(crate) given: String,
}

/// What is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{given:?} is no shard: I/N is wanted, where I counts from 1 to N, such as 1/8")]
pub struct ShardError {
    pub(super) given: String,
}

/// Why a file is no table of URLs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    /// It cannot be read.
    #[error("{0}")]
    Malformed(String),
    /// The URLs are not where they were said to be.
    #[error(transparent)]
    UrlField(#[from] UrlFieldError),
}
