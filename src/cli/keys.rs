//! `robosieve keys` and `robosieve seen`: the files of seen URLs.

use std::process::ExitCode;

use super::args::{KeysArgs, SeenArgs};
use super::error::Failure;
use super::say::print;
use super::{destination, lists};
use crate::formats::shown;
use crate::output::counted;
use crate::run::{self, Job, KEYS_FILE, LongRun, SEEN_FILE, SeenFile};

pub fn keys(args: &KeysArgs) -> Result<ExitCode, Failure> {
    let lists = lists::all(&args.lists, &args.input)?;
    destination::ensure(&args.out, &KEYS_FILE, &lists)?;
    let long_run = LongRun::default().shard(args.shard).skip_bad(args.skip_bad).memory(args.memory);
    let job = Job::new(lists, Vec::new()).url_field(args.input.url_field()).unique(Some(args.unique));
    let file = job.threads(args.threads).long_run(long_run).write_keys(&args.out)?;
    print(&line(&file))?;
    Ok(ExitCode::SUCCESS)
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
