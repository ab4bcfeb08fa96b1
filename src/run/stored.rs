//! Reads the files of a complete run again, to prove them or to report on them.

use std::path::Path;

use crate::input::error::ListError;
use crate::input::scan::{self, Extent, scan};
use crate::judge::lines::for_each_end;
use crate::outcome::Partition;
use crate::output::file_lists::FileLists;
use crate::output::form::{Form, REFUSED, Rows, SEPARATOR, rest_of_row};
use crate::output::format::Format;
use crate::output::receipt::Receipt;
use crate::output::refused::RefusedColumns;
use crate::output::table::{self, TableLines, Wanted};
use crate::robots::Agents;

/// The size in bytes of the chunks in which files are read again. Results may depend on where chunks end, so it is the same for every run.
pub(super) const REREAD_CHUNK: usize = 1 << 20;

/// A complete run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredRun<'r> {
    pub receipt: &'r Receipt,
    pub directory: &'r Path,
    /// How many threads read it; 0 for one per processor.
    pub threads: usize,
    pub lists: FileLists<'r>,
}

/// Some lines of a file.
pub(super) enum StoredLines<'l> {
    /// Text, whether it is the first of its file, where a head may be, and the crawlers that its columns may name.
    Text(&'l [u8], bool, &'l [Agents]),
    /// Rows of a table.
    Rows(&'l TableLines),
}

impl<'l> StoredLines<'l> {
    /// Takes off the first line of a text that begins its file.
    pub fn split_head(&mut self) -> &'l [u8] {
        let StoredLines::Text(text, true, _) = self else { return b"" };
        let end = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
        let (head, rest) = text.split_at(end);
        *text = rest;
        head
    }

    /// Calls `visit` with each line of a file with these rows: without the columns before it and without its LF; its bytes, with
    /// the LF; and its verdict in each column of verdicts, `None` if that is not one.
    pub fn each(&self, rows: Rows, file: usize, mut visit: impl FnMut(&'l [u8], usize, &[Option<Partition>])) {
        match *self {
            StoredLines::Text(text, _, agents) => {
                let mut verdicts = vec![None; if rows.form == Form::Verdicts { rows.crawlers } else { 0 }];
                if rows.form == Form::BlockedFor {
                    let mut refused = RefusedColumns::new(agents);
                    each_line(text, |line, line_feed| {
                        let rest = rest_of_row(line, REFUSED.len());
                        visit(rest, rest.len() + line_feed, refused.of_text(&line[..line.len() - rest.len()]));
                    });
                    return;
                }
                each_line(text, |line, line_feed| {
                    let mut rest = line;
                    for verdict in &mut verdicts {
                        let name = memchr::memchr(SEPARATOR, rest).map_or(&b""[..], |end| &rest[..end]);
                        *verdict = Partition::from_name(name);
                        rest = rest_of_row(rest, rows.columns_of_verdict());
                    }
                    if verdicts.is_empty() {
                        rest = rest_of_row(rest, rows.columns(file));
                    }
                    visit(rest, rest.len() + line_feed, &verdicts);
                });
            }
            StoredLines::Rows(rows) => {
                let (mut verdicts, mut row) = (Vec::new(), 0);
                each_line(&rows.text, |line, line_feed| {
                    verdicts.clear();
                    verdicts.extend(rows.verdicts.iter().map(|verdicts| verdicts.get(row).copied().flatten()));
                    visit(line, line.len() + line_feed, &verdicts);
                    row += 1;
                });
            }
        }
    }
}

/// Calls `visit` with each line of a text, without its LF, and the length of that LF: 0 if the last line has none.
fn each_line<'t>(text: &'t [u8], mut visit: impl FnMut(&'t [u8], usize)) {
    let mut start = 0;
    for_each_end(text, |end| {
        visit(&text[start..end], 1);
        start = end + 1;
    });
    if start < text.len() {
        visit(&text[start..], 0);
    }
}

impl<'r> StoredRun<'r> {
    pub fn new(receipt: &'r Receipt, directory: &'r Path, threads: usize) -> StoredRun<'r> {
        StoredRun { receipt, directory, threads, lists: FileLists::new(receipt) }
    }

    /// Calls `of` on some lines of a file of the run at a time, and combines the results in order with `append`.
    pub(super) fn read<T: Default + Send>(
        &self,
        path: &Path,
        wanted: Wanted,
        of: impl Fn(StoredLines<'_>) -> T + Sync,
        append: impl Fn(&mut T, &T) + Sync,
    ) -> Result<T, ListError> {
        let StoredRun { receipt, threads, lists, .. } = *self;
        match receipt.options.format {
            Format::Text => {
                let agents = receipt.crawlers();
                let of = |text: &[u8], first| of(StoredLines::Text(text, first, &agents));
                scan(&scan::opened(path)?, Extent::Whole, threads, REREAD_CHUNK, of, append)
            }
            Format::Parquet => {
                let made = (receipt, lists.of(path).has_table);
                table::reread(path, wanted, made, threads, |rows| of(StoredLines::Rows(rows)), append)
            }
        }
    }
}
