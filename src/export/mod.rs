//! Side tables of a policy, for the parts of a crawler that want them: schedulers, sitemap readers, dashboards.
//!
//! A [`Table`] is rows of [`Value`]s under named columns, read from the policy one origin after the other, in their order,
//! so that memory does not grow with the table. A [`Format`] says how rows are written.
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
mod tables;

pub use format::Format;
pub use tables::{Table, Value};

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::policy::{Crawler, Policy, replace};

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
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    format.head(table, &mut out)?;
    tables::rows(policy, table, crawlers, &mut |row| format.row(table, row, &mut out))?;
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
