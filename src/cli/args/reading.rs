//! How sources are read.

use std::path::{Path, PathBuf};

use crate::cli::sources::Sources;
use crate::policy::source::Options;
#[cfg(feature = "parquet")]
use crate::policy::source::ParquetColumns;

/// How to read sources.
#[derive(Debug, clap::Args)]
pub struct ReadingArgs {
    /// The column names of Parquet sources, if they differ
    ///
    /// For example, url=target_uri,fetched_at=date. An empty name, as in status= or fetched_at=, means that there is no
    /// such column.
    #[cfg(feature = "parquet")]
    #[arg(
        long,
        default_value = "url=url,status=status,body=body,fetched_at=fetched_at",
        value_name = "ROLE=NAME,...",
        hide_short_help = true
    )]
    pub columns: ParquetColumns,
}

impl ReadingArgs {
    /// The sources of a policy, to be read so.
    pub fn sources<'a>(
        &self,
        paths: &'a [PathBuf],
        origin: Option<&'a str>,
        overrides: Option<&'a Path>,
        quiet: bool,
    ) -> Sources<'a> {
        let options = Options {
            #[cfg(feature = "parquet")]
            columns: self.columns.clone(),
        };
        Sources { paths, origin, options, overrides, quiet }
    }
}
