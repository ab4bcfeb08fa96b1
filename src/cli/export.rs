//! `robosieve export`.

use std::fs::File;
use std::io;
use std::process::ExitCode;

use super::args::ExportArgs;
use super::destination;
use super::error::Failure;
use super::sources::crawlers_or_all;
use crate::formats::error::FileError;
use crate::judge::Choices;
use crate::show::export::{self, Export};

pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let table = args.table()?;
    if let Some(path) = &args.file.out {
        let kind = export::file_kind(args.format, args.file.force);
        destination::ensure(path, &kind, &args.policy.files()).map_err(forceable)?;
    }
    let choices = args.view.choices(Choices::now().now)?;
    let policy = args.policy.open()?;
    let crawlers = crawlers_or_all(args.agent.as_ref(), &policy)?;
    let export = Export::new(&policy, table, &crawlers).choices(choices);
    match &args.file.out {
        Some(path) => {
            export.write_file(args.format, path, args.file.force).map_err(FileError::of("write", path))?;
        }
        None => export.write(args.format, &mut io::stdout())?,
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
