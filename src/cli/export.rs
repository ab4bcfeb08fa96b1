//! `robosieve export`.

use std::io;
use std::process::ExitCode;

use super::args::{ExportArgs, ExportContent, ExportFormat};
use super::destination::{self, Kind};
use super::failure::Failure;
use crate::cli::crawlers::crawlers;
#[cfg(feature = "parquet")]
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::show::export::{self, ExportTable, Format};

pub fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.open()?;
    let crawlers = crawlers(args.agent.as_ref(), &policy)?;
    let table = match args.what {
        ExportContent::Delays => ExportTable::Delays,
        ExportContent::Sitemaps => ExportTable::Sitemaps,
        ExportContent::Agents => ExportTable::Agents,
        ExportContent::Status => ExportTable::Status,
    };
    let format = match args.format {
        ExportFormat::Tsv => Format::Tsv,
        ExportFormat::Jsonl => Format::JsonLines,
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => Format::Parquet,
    };
    let kind = Kind::Table(match args.format {
        ExportFormat::Tsv => b"origin\t",
        ExportFormat::Jsonl => b"{\"origin\":",
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => PARQUET_MARK,
    });
    match &args.out {
        Some(path) => {
            destination::ensure(path, kind, std::slice::from_ref(&args.policy.path))?;
            export::write_file(&policy, table, &crawlers, format, path)
                .map_err(|error| Failure::Output { path: path.clone(), error })?;
        }
        None => export::write(&policy, table, &crawlers, format, &mut io::stdout())?,
    }
    Ok(ExitCode::SUCCESS)
}
