//! How sources are read.

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
    /// Converts to the library's type.
    pub fn options(&self) -> Options {
        Options {
            #[cfg(feature = "parquet")]
            columns: self.columns.clone(),
        }
    }
}
