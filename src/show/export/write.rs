//! Writes tables in any format.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::format::{self, Format};
use super::kind::file_kind;
#[cfg(feature = "parquet")]
use super::parquet;
use super::tables::{self, Each, ExportTable};
use crate::policy::{Crawler, Policy, replace};

/// Writes a table of a policy, for some of its crawlers.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write(
    policy: &Policy,
    table: ExportTable,
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

/// Writes a table to a file, which gets its name only when it is complete. It replaces an empty file and, if it is Parquet, an earlier
/// table of this function, which has a mark. Text has none, so any other text is replaced only if `force` is set.
///
/// # Errors
///
/// If the file cannot be written, or exists and is not to be replaced.
pub fn write_file(
    policy: &Policy,
    table: ExportTable,
    crawlers: &[Crawler],
    format: Format,
    path: &Path,
    force: bool,
) -> io::Result<()> {
    replace(path, &file_kind(format, force), |file: &mut File| write(policy, table, crawlers, format, file))
}
