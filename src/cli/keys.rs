//! `robosieve keys` and `robosieve seen`: the files of seen URLs.

use clap::ValueHint;
use indicatif::DecimalBytes;
use std::path::PathBuf;
use std::process::ExitCode;

use super::args::{InputArgs, MEMORY, bytes, one_of, workers};
use super::error::Failure;
use super::help::{LONG_RUNS, OUTPUT};
use super::say::print;
use super::watch::watch_work;
use super::{destination, lists};
use crate::formats::shown;
use crate::input::Shard;
use crate::judge::SameUrl;
use crate::output::counted;
use crate::run::{self, Job, KEYS_FILE, Phase, Progress, SEEN_FILE, SeenFile, Snapshot};

/// Write the keys of lists' URLs, for shards without duplicates
///
/// The first of three steps. Each shard writes its keys to one folder; then each shard is filtered, with `--keys` and that folder,
/// and leaves out what an earlier one has; then `join` combines the receipts. The keys are sorted hashes, 16 bytes per URL. A file
/// of keys that is there is replaced, but one of `filter --seen` is not.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve keys --shard 1/8 -o keys/1.rss lists/*.gz
  robosieve keys --unique=bytes -o before.rss urls.txt")]
pub struct KeysArgs {
    /// The URL lists, as for `filter`; - is standard input
    #[arg(required_unless_present = "files_from", value_name = "LIST")]
    pub lists: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// The file to write, in a folder for those of all shards
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,
    /// fetched, bytes or surt, as in filter
    #[arg(
        long,
        help_heading = OUTPUT,
        value_name = "KEY",
        num_args = 0..=1,
        require_equals = true,
        default_value = SameUrl::Fetched.name(),
        default_missing_value = SameUrl::Fetched.name(),
        hide_possible_values = true,
        value_parser = one_of(SameUrl::ALL.map(|same| (same.name(), same)))
    )]
    pub unique: SameUrl,
    /// Read only the I-th of N equal parts of the lists
    #[arg(long, help_heading = LONG_RUNS, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Skip parts of lists that are damaged
    #[arg(long, help_heading = LONG_RUNS)]
    pub skip_bad: bool,
    /// The memory budget, such as 512M or 2GiB
    #[arg(long, help_heading = LONG_RUNS, default_value = MEMORY, value_name = "SIZE", value_parser = bytes)]
    pub memory: u64,
    /// The number of workers [default: one per processor]
    #[arg(long, help_heading = LONG_RUNS, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
}

/// Count, check and merge files of seen URLs
///
/// `filter --seen` makes such files. Checks each, and prints its number of URLs, its key and its checksum. With --out, merges all
/// of them, which must have the same key, into one. Exits with 0 on success, and with 2 if a file is damaged or does not fit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve seen seen.rss
  robosieve seen monday.rss tuesday.rss -o all.rss")]
pub struct SeenArgs {
    /// The file for all of them; may be one of these
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// The files
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
}

pub fn keys(args: &KeysArgs) -> Result<ExitCode, Failure> {
    let lists = lists::all(&args.lists, &args.input)?;
    destination::ensure(&args.out, &KEYS_FILE, &lists)?;
    let job = Job::new(lists, Vec::new()).url_field(args.input.url_field()).unique(Some(args.unique));
    // SAFETY: who names a list answers for its not changing meanwhile, as SECURITY.md says.
    let job = unsafe { job.map_lists() };
    let job = job.threads(args.threads).shard(args.shard).skip_bad(args.skip_bad).memory(args.memory);
    let progress = Progress::new();
    let file = watch_work(|| work(&progress.snapshot()), || job.write_keys(&args.out, &progress))?;
    print(&line(&file))?;
    Ok(ExitCode::SUCCESS)
}

fn work(snapshot: &Snapshot) -> String {
    let read = DecimalBytes(snapshot.source_bytes);
    match (snapshot.phase, snapshot.source_bytes_known) {
        (Phase::Completing, _) => "all lists are read; writing the keys".to_owned(),
        (_, Some(all)) => format!("{read} of {} read", DecimalBytes(all)),
        (_, None) => format!("{read} read"),
    }
}

pub fn seen(args: &SeenArgs) -> Result<ExitCode, Failure> {
    let files = match &args.out {
        Some(out) => {
            destination::ensure(out, &SEEN_FILE, &[])?;
            // Each is checked as it is read.
            vec![run::merge_seen(&args.files, out, |notice| destination::say_notice(out, notice))?]
        }
        None => {
            let files = args.files.iter().map(|path| SeenFile::open(path)).collect::<Result<Vec<_>, _>>()?;
            files.iter().try_for_each(SeenFile::check)?;
            files
        }
    };
    print(&files.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn line(file: &SeenFile) -> String {
    let shard = file.shard.map_or(String::new(), |shard| format!(", shard {shard}"));
    let urls = counted(file.count, "URL", "URLs");
    format!("{}: {urls}, {}{shard}, {}", shown(&file.path), file.same, file.checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_named_by_what_is_read() {
        let reading = Snapshot { phase: Phase::Comparing, source_bytes: 2_000_000, ..Snapshot::default() };
        assert_eq!(work(&reading), "2.00 MB read");
        assert_eq!(
            work(&Snapshot { source_bytes_known: Some(5_000_000), ..reading.clone() }),
            "2.00 MB of 5.00 MB read"
        );
        assert_eq!(work(&Snapshot { phase: Phase::Completing, ..reading }), "all lists are read; writing the keys");
    }
}
