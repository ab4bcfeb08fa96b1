//! Reads the files of a complete run again, to prove them or to report on them.

use std::path::Path;

use crate::input::error::ListError;
use crate::input::scan::{self, Extent, scan};
use crate::output::format::Format;
use crate::output::receipt::Receipt;
use crate::output::table::{self, TableLines, Wanted};

/// The size of a chunk in bytes. Results may depend on where chunks end, so it is the same for every run.
pub(super) const CHUNK: usize = 1 << 20;

/// A complete run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredRun<'r> {
    pub receipt: &'r Receipt,
    pub directory: &'r Path,
    /// How many threads read it; 0 for one per processor.
    pub threads: usize,
}

/// Some lines of a file.
pub(super) enum StoredLines<'l> {
    /// Text, and whether it is the first of its file, where a head may be.
    Text(&'l [u8], bool),
    /// Rows of a table.
    Rows(&'l TableLines),
}

impl StoredRun<'_> {
    /// Calls `of` on some lines of a file of the run at a time, and combines the results in order with `append`.
    pub(super) fn read<T: Default + Send>(
        &self,
        path: &Path,
        wanted: Wanted,
        of: impl Fn(StoredLines<'_>) -> T + Sync,
        append: impl Fn(&mut T, &T) + Sync,
    ) -> Result<T, ListError> {
        let StoredRun { receipt, threads, .. } = *self;
        match receipt.options.format {
            Format::Text => {
                let of = |text: &[u8], first| of(StoredLines::Text(text, first));
                scan(&scan::opened(path)?, Extent::Whole, threads, CHUNK, of, append)
            }
            Format::Parquet => {
                table::reread(path, wanted, receipt, threads, |rows| of(StoredLines::Rows(rows)), append)
            }
        }
    }
}
