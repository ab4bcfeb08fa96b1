//! Side tables of a policy, for the parts of a crawler that want them: schedulers, sitemap readers, dashboards.
//!
//! A [`Table`] is rows of [`Value`]s under [`Column`]s, read from the policy one origin after the other, in their order, so
//! that memory does not grow with the table. A [`Format`] says how rows are written.
//!
//! ```
//! use robosieve::export::{self, Format, Table};
//! use robosieve::policy::{Captures, Policy};
//! use robosieve::{Dialect, robots::Agents};
//!
//! let policy = Captures::new(Agents::everybody(), Dialect::DEFAULT).policy()?;
//! let mut out = Vec::new();
//! export::write(&policy, Table::Sitemaps, &[policy.crawler(None)?], Format::Tsv, &mut out)?;
//! assert_eq!(out, b"origin\tsitemap\tline\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod format;
#[cfg(feature = "parquet")]
mod parquet;
mod tables;

pub use format::Format;
pub use tables::{Column, Kind, Table, Value};

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::policy::{Crawler, Policy, replace};
use tables::Each;

/// Writes a table of a policy, for some of its crawlers.
///
/// # Errors
///
/// What the system says.
pub fn write(
    policy: &Policy,
    table: Table,
    crawlers: &[Crawler],
    format: Format,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let rows = |each: &mut Each<'_>| tables::rows(policy, table, crawlers, each);
    match format {
        Format::Tsv => {
            format::tsv_head(table, &mut out)?;
            rows(&mut |row| format::tsv_row(row, &mut out))?;
        }
        Format::JsonLines => rows(&mut |row| format::json_row(table, row, &mut out))?,
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let mut writer = parquet::ParquetWriter::new(table, &mut out, parquet::GROUP)?;
            rows(&mut |row| writer.row(row))?;
            writer.finish()?;
        }
    }
    out.flush()
}

/// The same, as a file, which gets its name when it is complete.
///
/// # Errors
///
/// What the system says.
pub fn write_file(policy: &Policy, table: Table, crawlers: &[Crawler], format: Format, path: &Path) -> io::Result<()> {
    replace(path, |file: &mut File| write(policy, table, crawlers, format, file))
}
