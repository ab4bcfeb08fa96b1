//! `robosieve export`.

use std::fs::File;
use std::io;
use std::process::ExitCode;

use super::args::ExportArgs;
use super::destination;
use super::error::Failure;
use super::sources::crawlers_or_all;
use crate::formats::error::FileError;
use crate::show::export::{self, ExportTable};

pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let table = match (args.what, args.summary) {
        (ExportTable::Access, true) => ExportTable::AccessSummary,
        (table, true) => return Err(Failure::NoSummary { table: table.name() }),
        (table, false) => table,
    };
    if let Some(path) = &args.file.out {
        let kind = export::file_kind(args.format, args.file.force);
        destination::ensure(path, &kind, &args.policy.files()).map_err(forceable)?;
    }
    let policy = args.policy.open()?;
    let crawlers = crawlers_or_all(args.agent.as_ref(), &policy)?;
    match &args.file.out {
        Some(path) => export::write_file(&policy, table, &crawlers, args.format, path, args.file.force)
            .map_err(FileError::of("write", path))?,
        None => export::write(&policy, table, &crawlers, args.format, &mut io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The failure for a file that is not replaced, which names `--force` where that helps.
pub(super) fn forceable(failure: Failure) -> Failure {
    match failure {
        Failure::NotReplaced { path, .. }
            if File::open(&path).and_then(|mut file| export::is_text(&mut file)).unwrap_or(false) =>
        {
            Failure::TextExists { path }
        }
        other => other,
    }
}
