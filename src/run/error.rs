//! Why shards cannot be joined.

use std::io;
use std::path::PathBuf;

use super::verify::VerifyError;
use crate::input::error::FilterError;

/// Why shards cannot be joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// A receipt that cannot be read.
    #[error(transparent)]
    Receipt(#[from] VerifyError),
    /// A receipt of a whole run.
    #[error("{} is no shard: that was a run over all of its lists", path.display())]
    NoShard {
        /// Its folder.
        path: PathBuf,
    },
    /// A receipt that contradicts itself.
    #[error("the receipt in {} contradicts itself: {problem}", path.display())]
    Contradiction {
        /// Its folder.
        path: PathBuf,
        /// What does not fit together.
        problem: String,
    },
    /// Shards of different jobs.
    #[error("{} and {} are not of one job: they differ in {what}", path.display(), other.display())]
    Differ {
        /// The folder of one.
        path: PathBuf,
        /// The folder of the other.
        other: PathBuf,
        /// In what.
        what: &'static str,
    },
    /// A shard that is given twice.
    #[error("{} and {} are both shard {number}", path.display(), other.display())]
    Twice {
        /// One folder.
        path: PathBuf,
        /// The other folder.
        other: PathBuf,
        /// The shard's number.
        number: u32,
    },
    /// Shards that are not there.
    #[error(
        "of {of} shards, these are missing: {}{}",
        missing.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        if *more > 0 { format!(" and {more} more") } else { String::new() }
    )]
    Missing {
        /// The first of their numbers.
        missing: Vec<u32>,
        /// How many more there are.
        more: usize,
        /// How many there should be.
        of: u32,
    },
    /// Shards that leave something of a list out, or read it twice.
    #[error("{} does not begin in the list {list} where the shard before it ends, or the last one not at its end", path.display())]
    Gap {
        /// The folder of the shard.
        path: PathBuf,
        /// The list.
        list: String,
    },
    /// Partitions that were cut into parts and should be put together.
    #[error(
        "the partitions of these shards are cut into numbered parts; join the receipts alone, which leaves them so"
    )]
    Numbered,
    /// An output in the place of a shard.
    #[error("the output would replace the shard in {}; choose another folder for it", path.display())]
    Replaced {
        /// The shard's folder.
        path: PathBuf,
    },
    /// A list of robots.txt with a row that is none.
    #[error("{}:{line}: that is no row of robots.txt to fetch", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// A file of a shard that cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A file of a shard that is not as its receipt says.
    #[error("{}: {problem}; `robosieve verify` tells more", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// What cannot be written.
    #[error(transparent)]
    Output(#[from] FilterError),
}
