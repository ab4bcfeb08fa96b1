//! Why a command ended with an error.

use std::fmt::{self, Display, Formatter};
use std::io;

use super::process;
use crate::error::{About, Problem, ValueError, ValueErrorKind};
use crate::formats::error::in_words;
use crate::formats::shown;
use crate::policy;
use crate::run;

/// Why a command ended with an error.
#[derive(Debug)]
pub struct Failure {
    message: String,
    is_interrupted: bool,
    is_closed_pipe: bool,
}

impl Failure {
    pub fn status(&self) -> u8 {
        if self.is_interrupted { process::INTERRUPTED } else { 2 }
    }

    /// Whether the run ended only because it was asked to.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// Whether this only means that the reader of the output is gone.
    pub fn is_closed_pipe(&self) -> bool {
        self.is_closed_pipe
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, is_interrupted: false, is_closed_pipe: false }
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        message.to_owned().into()
    }
}

impl From<Problem> for Failure {
    /// With the options that help, which the library does not know.
    fn from(problem: Problem) -> Failure {
        let Problem { message, about, kept, source } = problem;
        let message = format!("{message}{}", about.map_or("", options));
        let message = match kept.as_deref().map(shown) {
            None => message,
            Some(folder) => {
                format!(
                    "{message}; the work so far is kept in {folder}; run the same command with --resume to continue"
                )
            }
        };
        let is_broken = source.is_some_and(|source| source.kind() == io::ErrorKind::BrokenPipe);
        Failure { is_closed_pipe: about == Some(About::StandardOutput) && is_broken, ..message.into() }
    }
}

impl From<run::Error> for Failure {
    fn from(error: run::Error) -> Failure {
        Failure { is_interrupted: error.kind() == run::ErrorKind::Interrupted, ..Problem::from(error).into() }
    }
}

impl From<policy::Error> for Failure {
    fn from(error: policy::Error) -> Failure {
        let problem = Problem::from(error);
        match problem.about {
            Some(About::Crawler) => problem.within("--agent: "),
            Some(About::Crawlers) => problem.within("--agent or --agents-file: "),
            _ => problem,
        }
        .into()
    }
}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Failure {
        let option = match error.kind() {
            ValueErrorKind::Agent => "--agent: ",
            ValueErrorKind::Statuses => "--statuses: ",
            _ => "",
        };
        format!("{option}{error}").into()
    }
}

impl From<io::Error> for Failure {
    /// Of commands themselves, only the printing fails so.
    fn from(error: io::Error) -> Failure {
        let is_closed_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Failure { is_closed_pipe, ..format!("cannot print the result: {}", in_words(&error)).into() }
    }
}

impl From<serde_json::Error> for Failure {
    /// Of what is printed as JSON, only the writing fails.
    fn from(error: serde_json::Error) -> Failure {
        io::Error::from(error).into()
    }
}

/// The failure that policies cannot be merged.
pub fn not_merged(error: policy::Error) -> Failure {
    error.within("cannot merge: ").into()
}

/// The failure that a policy cannot be compiled.
pub fn not_compiled(error: policy::Error) -> Failure {
    error.within("cannot compile the policy: ").into()
}

/// The options that help with a problem.
fn options(about: About) -> &'static str {
    match about {
        About::Memory => " (--memory)",
        About::MemoryOrSkipped => " (--memory, --skip-bad)",
        About::Untrusted
        | About::StandardOutput
        | About::Crawler
        | About::Crawlers
        | About::WholeUserAgent
        | About::StarInList
        | About::Character => "",
        About::AnswerFields => " (--columns)",
        About::FirstLine => " (--origin, if the file is a robots.txt)",
        About::JsonLines => {
            "; if its lines are answers, name their keys: --columns url=KEY,status=KEY,body=KEY,fetched_at=KEY"
        }
        About::Json => "; of answers, JSON Lines are read, with one object a line",
        About::Table => "; of answers, JSON Lines, WARC and Parquet are read",
        About::OlderPolicy => " with `robosieve compile`",
        About::Column => " (--column)",
        About::ColumnOrHead => " (--column, --header)",
        About::Delimiter => " (--delimiter)",
        About::NameEnd => " (-0)",
        About::OwnPartitions => " (--per-input)",
        About::OwnPartitionsOrPathColumns => " (--per-input, --path-columns ignored)",
        About::ColumnName => " (--format text, or --path-columns ignored for a folder's)",
        About::PathColumns => " (--path-columns ignored)",
        About::FoldersAsColumns => " (--path-columns columns)",
        About::Folder => " (--out)",
        About::UsedFolder => " (--out, --force)",
        About::Unfinished => " (--resume, --force)",
        About::NotResumable => " (--force, without --resume)",
        About::IndexKeys => " (--unique=surt)",
        About::Seen => " (--seen)",
        About::SeenAndUnique => " (--seen, --unique)",
        About::SeenAndShard => " (--seen, --shard)",
        About::Keys => " (--keys)",
        About::KeysAndShard => " (--unique, --shard, --keys)",
        About::Space => " (--unique, --robots-needed, TMPDIR)",
        About::Shard => " (--shard)",
        About::Jobs => " (all shards need the same options and the same --now)",
        About::Numbered => " (the runs used --split-size; leave --concat out)",
        About::Damaged => "; `robosieve verify` shows more",
    }
}
