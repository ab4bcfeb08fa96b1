//! The arguments of the commands about files of seen URLs: `keys` and `seen`.

use clap::ValueHint;
use std::path::PathBuf;

use super::filter::InputArgs;
use super::values::{bytes, one_of, workers};
use crate::input::Shard;
use crate::judge::SameUrl;

/// Write the keys of all URLs in lists to a file, for a shard that leaves out duplicates
///
/// The first of three steps. Each shard writes its keys to one folder; then each shard is filtered, with `--keys` and that folder,
/// and leaves out what an earlier one has; then `join` combines the receipts. The keys are sorted hashes, 16 bytes per URL.
/// A file of keys that is there is replaced, but one of `filter --seen` is not.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve keys --shard 1/8 -o keys/1.rss lists/*.gz
  robosieve keys --unique=bytes -o before.rss urls.txt")]
pub struct KeysArgs {
    /// The URL lists, as for `filter`; - is standard input
    #[arg(required_unless_present = "files_from", value_name = "LIST")]
    pub lists: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "Input")]
    pub input: InputArgs,
    /// The file to write, in a folder for those of all shards
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// Which URLs are the same: fetched, bytes or surt, as for `filter`
    #[arg(
        long,
        value_name = "KEY",
        num_args = 0..=1,
        require_equals = true,
        default_value = SameUrl::Fetched.name(),
        default_missing_value = SameUrl::Fetched.name(),
        hide_possible_values = true,
        value_parser = one_of(SameUrl::ALL.map(|same| (same.name(), same)))
    )]
    pub unique: SameUrl,
    /// Read only the I-th of N equal parts of the lists, as for `filter`
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Skip parts of lists that cannot be read, as `filter` does
    #[arg(long)]
    pub skip_bad: bool,
    /// The memory budget, such as 512M or 2GiB
    #[arg(long, default_value = "1G", value_name = "SIZE", value_parser = bytes)]
    pub memory: u64,
    /// The number of worker threads [default: one per processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
}

/// Count, check and merge files of seen URLs
///
/// Such files are made by `filter --seen`. Reads each FILE and checks it; prints its number of URLs, its key and its
/// checksum. With --out, merges all of them into one, whose URLs are those of any. They must have the same key. Exits
/// with 0 on success, and with 2 if a file is damaged or does not fit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve seen seen.rss
  robosieve seen monday.rss tuesday.rss -o all.rss")]
pub struct SeenArgs {
    /// The file for all of them together; it may be one of these
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// The files
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
}
