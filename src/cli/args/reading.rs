//! How sources are read.

use crate::policy::source::Options;
#[cfg(feature = "parquet")]
use crate::policy::source::ParquetColumns;

/// How to read sources.
#[derive(Debug, clap::Args)]
pub struct ReadingArgs {
    /// The columns of Parquet sources, where they have other names
    ///
    /// Such as url=target_uri,fetched_at=date; status= and fetched_at= say that there is none.
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
    /// The same for the library.
    pub fn options(&self) -> Options {
        Options {
            #[cfg(feature = "parquet")]
            columns: self.columns.clone(),
        }
    }
}
