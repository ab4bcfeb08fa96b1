//! `robosieve keys` and `robosieve seen`: the files of seen URLs.

use indicatif::DecimalBytes;
use std::process::ExitCode;

use super::args::{KeysArgs, SeenArgs};
use super::error::Failure;
use super::journal::watch_work;
use super::say::print;
use super::{destination, lists};
use crate::formats::shown;
use crate::output::counted;
use crate::run::{self, Job, KEYS_FILE, LongRun, Phase, Progress, SEEN_FILE, SeenFile, Snapshot};

pub fn keys(args: &KeysArgs) -> Result<ExitCode, Failure> {
    let lists = lists::all(&args.lists, &args.input)?;
    destination::ensure(&args.out, &KEYS_FILE, &lists)?;
    let long_run = LongRun::default().shard(args.shard).skip_bad(args.skip_bad).memory(args.memory);
    let job = Job::new(lists, Vec::new()).url_field(args.input.url_field()).unique(Some(args.unique));
    let job = job.threads(args.threads).long_run(long_run);
    let progress = Progress::new();
    let file = watch_work(|| work(&progress.snapshot()), || job.write_keys(&args.out, &progress))?;
    print(&line(&file))?;
    Ok(ExitCode::SUCCESS)
}

/// What the writing of keys is at.
fn work(snapshot: &Snapshot) -> String {
    let read = DecimalBytes(snapshot.source_bytes);
    match (snapshot.phase, snapshot.source_bytes_known) {
        (Phase::Completing, _) => "all lists are read; writing the keys".to_owned(),
        (_, Some(all)) => format!("{read} of {} read", DecimalBytes(all)),
        (_, None) => format!("{read} read"),
    }
}

pub fn seen(args: &SeenArgs) -> Result<ExitCode, Failure> {
    let mut files = args.files.iter().map(|path| SeenFile::open(path)).collect::<Result<Vec<_>, _>>()?;
    match &args.out {
        Some(out) => {
            destination::ensure(out, &SEEN_FILE, &[])?;
            // Each is checked as it is read.
            files = vec![run::merge_seen(&files, out)?];
        }
        None => files.iter().try_for_each(SeenFile::check)?,
    }
    print(&files.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// What a file is, as a line.
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
