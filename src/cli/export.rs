//! `robosieve export`.

use std::io;
use std::process::ExitCode;

use super::args::ExportArgs;
use super::crawlers;
use super::destination::{self, Kind};
use super::error::Failure;
#[cfg(feature = "parquet")]
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::show::export::{self, Format};

pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.open()?;
    let crawlers = crawlers::asked_or_all(args.agent.as_ref(), &policy)?;
    let kind = Kind::Table(match args.format {
        Format::Tsv => b"origin\t",
        Format::JsonLines => b"{\"origin\":",
        #[cfg(feature = "parquet")]
        Format::Parquet => PARQUET_MARK,
    });
    match &args.out {
        Some(path) => {
            destination::ensure(path, kind, std::slice::from_ref(&args.policy.path))?;
            export::write_file(&policy, args.what, &crawlers, args.format, path)
                .map_err(|error| Failure::Output { path: path.clone(), error })?;
        }
        None => export::write(&policy, args.what, &crawlers, args.format, &mut io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}
