//! Errors in policies: their crawlers, merging them, and reading and writing their files.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::ValueError;
use crate::formats::error::{FileError, in_words};
use crate::formats::shown;
use crate::formats::write_lock::{LockNotice, WriteLock};
use crate::robots::AgentError;

opaque_error! {
    /// A policy that cannot be made, opened, merged or compared, or that has no answer.
    ///
    /// ```
    /// use robosieve::Policy;
    /// use robosieve::policy::ErrorKind;
    ///
    /// assert_eq!(Policy::from_bytes(b"").unwrap_err().kind(), ErrorKind::NoPolicy);
    /// ```
    pub struct Error;

    /// What went wrong with a policy.
    pub enum ErrorKind {
        /// A file cannot be read or written. The [source](std::error::Error::source) is the system's error.
        File,
        /// The bytes are no policy, or are damaged.
        NoPolicy,
        /// The policy is of an older or newer version of the file format.
        Version,
        /// A source of robots.txt files is malformed, or has none.
        Source,
        /// Overrides are malformed.
        Overrides,
        /// The policy has no answer for a crawler, or cannot have all these crawlers.
        Crawler,
        /// Policies do not fit together: their dialects or crawlers differ.
        Differ,
        /// More than a policy can hold, or a capture that is none.
        Capture,
    }
}

is_opaque!(FileError as Error: |_| ErrorKind::File);
is_opaque!(CrawlersError as Error: |_| ErrorKind::Crawler);
is_opaque!(CrawlerError as Error: |_| ErrorKind::Crawler);
is_opaque!(AgentError as Error: |_| ErrorKind::Crawler);
is_opaque!(ValueError as Error: |_| ErrorKind::Crawler);
is_opaque!(MergeError as Error: |problem| match problem {
    MergeError::Write(problem) => problem.kind(),
    _ => ErrorKind::Differ,
});
is_opaque!(ImageError as Error: ImageError::kind);
is_opaque!(LiveError as Error: |_| ErrorKind::Source);
is_opaque!(OpenError as Error: |problem| match problem {
    OpenError::Unreadable(_) => ErrorKind::File,
    OpenError::Image { problem, .. } => problem.kind(),
});
is_opaque!(WriteError as Error: WriteError::kind);

impl ImageError {
    fn kind(&self) -> ErrorKind {
        match self {
            ImageError::Newer { .. } | ImageError::Older { .. } => ErrorKind::Version,
            _ => ErrorKind::NoPolicy,
        }
    }
}

impl WriteError {
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            WriteError::Io(_) | WriteError::Spill { .. } => ErrorKind::File,
            _ => ErrorKind::Capture,
        }
    }
}

/// For policy files.
impl WriteLock {
    /// Takes the lock of a policy file, which need not exist, and deletes what was left by processes that died while they wrote it.
    /// While another process has the lock, waits. Each notice is given to `tell` at most once.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to, or if what stands in the place of the lock is no lock; with the source
    /// [`Interrupted`](io::ErrorKind::Interrupted) if a signal arrives while it waits.
    pub fn take(path: impl AsRef<Path>, tell: impl FnMut(LockNotice)) -> Result<WriteLock, Error> {
        Ok(WriteLock::take_to("write the policy", path.as_ref(), tell)?)
    }
}

/// Why a live policy does not take an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LiveError {
    /// A field of it is wrong, or missing.
    #[error("the answer for {url:?} cannot be used: {problem}")]
    Answer {
        /// Its URL or its origin.
        url: String,
        /// The problem.
        problem: String,
    },
}

/// Crawlers that cannot be the columns of a policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CrawlersError {
    /// No crawlers.
    #[error("a policy needs at least one crawler")]
    Empty,
    /// More crawlers than there is room for.
    #[error("a policy can have at most {most} crawlers, not {given}; compile several policies")]
    TooMany {
        /// How many there is room for.
        most: usize,
        /// How many were given.
        given: usize,
    },
    /// The same crawler twice.
    #[error("{agents} is given twice")]
    Twice {
        /// The crawler.
        agents: String,
    },
}

/// A crawler that a policy has no answer for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CrawlerError {
    /// No crawler named, though there are several.
    #[error("the policy has several crawlers ({known}); name one, or a list in order of preference")]
    Several {
        /// The crawlers of the policy.
        known: String,
    },
    /// A crawler that the policy was not compiled for.
    #[error("the policy was not compiled for {given}, only for {known}; compile it for that crawler too")]
    Unknown {
        /// The crawler asked for.
        given: String,
        /// The crawlers of the policy.
        known: String,
    },
    /// A list whose groups must be merged, which columns cannot do.
    #[error(
        "the dialect {dialect} merges the groups of all names in a list, which is impossible after compiling them \
         one by one; compile the policy for the list {given}"
    )]
    Merged {
        /// The list asked for.
        given: String,
        /// The dialect.
        dialect: &'static str,
    },
}

/// Why policies cannot be merged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MergeError {
    /// There are none.
    #[error("there are no policies to merge; give at least one")]
    None,
    /// They have different dialects.
    #[error("the policies have different dialects, {one} and {other}; compile one of them again with the other's")]
    Dialects {
        /// The dialect of the first one.
        one: &'static str,
        /// The dialect of another one.
        other: &'static str,
    },
    /// They are for different crawlers.
    #[error(
        "the policies have different crawlers, or in a different order: {one} and {other}; compile one of them again \
         for the other's"
    )]
    Crawlers {
        /// The crawlers of the first one.
        one: String,
        /// The crawlers of another one.
        other: String,
    },
    /// The merged policy cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Why bytes are not a policy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImageError {
    /// There are no bytes.
    #[error("it is empty; compile it again with `robosieve compile`")]
    Empty,
    /// The bytes are something else.
    #[error("it is not a policy file; create one with `robosieve compile`")]
    Foreign,
    /// The bytes are a file of another format, such as a compressed file: policies are mapped, so they cannot be
    /// compressed.
    #[error("it is {name}, not a policy file; {remedy}")]
    OtherFile {
        /// What such a file is called, with an article.
        name: &'static str,
        /// What to do with it.
        remedy: &'static str,
    },
    /// A later version of the format.
    #[error("it is a policy file of version {found}, and this robosieve reads version {known}; use a newer robosieve")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
    /// An earlier version of the format, which is no longer read.
    #[error(
        "it was written by an older robosieve (file version {found}, and this one reads {known}); compile it again"
    )]
    Older {
        /// Its version.
        found: u32,
        /// The only version that can be read.
        known: u32,
    },
    /// The end is missing.
    #[error("it is cut short: {found} bytes instead of {expected}; copy or compile it again")]
    Truncated {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// There are bytes after the end.
    #[error("there are bytes after its end: {found} bytes instead of {expected}; copy or compile it again")]
    TooLong {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// A header that does not match its own hash, or that no writer produces.
    #[error("its header is damaged; copy or compile it again")]
    Header,
    /// The content differs from what was written.
    #[error("it is damaged: its checksum differs; copy or compile it again")]
    Checksum,
    /// The content is invalid.
    #[error("it is damaged: {section} (byte {at}): {problem}; copy or compile it again")]
    Damaged {
        /// The section, by its name in FORMAT.md.
        section: &'static str,
        /// The position of the damage, in bytes from the start.
        at: u64,
        /// The problem.
        problem: String,
    },
}

/// Why a policy file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// It is missing or cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// It is not a policy, or damaged.
    #[error("cannot use the policy {}: {problem}", shown(path))]
    Image {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: ImageError,
    },
}

/// Why a policy cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// The system reports an error.
    #[error("{}", in_words(.0))]
    Io(#[from] io::Error),
    /// The temporary file for a policy that does not fit into memory cannot be written.
    #[error(
        "cannot write a temporary file in {}: {}; free space there, or choose another folder",
        shown(folder),
        in_words(error)
    )]
    Spill {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The URL of a capture is invalid, or is not the robots.txt of its origin.
    #[error("{problem}; give an origin such as https://www.example.com, or the URL of a page")]
    Capture {
        /// The problem, and the URL or origin that has it.
        problem: String,
    },
    /// A section is larger than places can address.
    #[error("too much for one policy: {section} would take more than {limit} GiB; compile several")]
    Full {
        /// The section, by its name in FORMAT.md.
        section: &'static str,
        /// The most it can hold, in GiB.
        limit: u64,
    },
    /// An origin is far too long.
    #[error("an origin has {length} bytes, but at most 65,535 are possible: {start}...")]
    LongOrigin {
        /// Its length.
        length: usize,
        /// Its beginning.
        start: String,
    },
}
