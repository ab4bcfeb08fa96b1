//! How sources are read.

use std::path::{Path, PathBuf};

use crate::cli::sources::Sources;
use crate::policy::source::{FetchedAt, FieldNames, Options, PassedOver};

/// How to read sources.
#[derive(Debug, clap::Args)]
pub struct ReadingArgs {
    /// The keys of JSON Lines and columns of Parquet, if they differ
    ///
    /// For example, url=target_uri,body=content,status=code. The fields are url, origin, status, location, body, body_base64,
    /// fetched_at, expires and unreachable_since. An empty name, as in fetched_at=, means that there is no such field;
    /// with status=, every response is a file with status 200.
    #[arg(long, value_name = "FIELD=NAME,...", hide_short_help = true)]
    pub columns: Option<FieldNames>,
    /// When the files of folders were fetched: a time (RFC 3339), or mtime for when each was modified
    ///
    /// The file of a folder, or a single robots.txt with --origin, says nothing of its time, so any answer that does
    /// replaces it, however old. With this option it counts as of that time. Other sources have times of their own.
    #[arg(long, value_name = "TIME|mtime", hide_short_help = true)]
    pub fetched_at: Option<FetchedAt>,
}

impl ReadingArgs {
    /// The sources of a policy, to be read so.
    pub fn sources<'a>(
        &self,
        paths: &'a [PathBuf],
        origin: Option<&'a str>,
        overrides: Option<&'a Path>,
        skip_bad: bool,
        tell: &'a dyn Fn(&PassedOver),
    ) -> Sources<'a> {
        let names = self.columns.clone().unwrap_or_default();
        let options = Options { names, skip_bad, fetched_at: self.fetched_at, ..Options::default() };
        Sources { paths, origin, options, overrides, tell }
    }
}
