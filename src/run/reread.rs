//! The URLs of a partition, read again from the files of a complete run.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::verify::VerifyError;
use crate::formats::compression::Reader;
use crate::input::error::FilterError;
use crate::input::layout::{LOOK, Layout, MARK};
use crate::input::scan::{self, Extent};
use crate::origin;
use crate::outcome::Partition;
use crate::output::folder::partition_names;
use crate::output::form::{Form, SEPARATOR};
use crate::output::format::Format;
use crate::output::receipt::{FilePart, Receipt};
use crate::output::table::{self, TableLines, Wanted};

/// Bytes of a chunk. What lines come to may depend on where chunks end, so it is the same for every run.
const CHUNK: usize = 1 << 20;

/// What the URLs of a partition come to: those of a chunk by `of`, put together in their order by `append`. They are those
/// of the crawler at this place of the receipt. `threads` of 0 are as many as there are processors.
///
/// # Errors
///
/// [`VerifyError`] where a file cannot be read.
pub(crate) fn reread<T: Default + Send>(
    (receipt, directory): (&Receipt, &Path),
    (crawler, partition): (usize, Partition),
    threads: usize,
    of: impl Fn(&[Cow<'_, [u8]>]) -> T + Sync,
    append: impl Fn(&mut T, &T) + Sync,
) -> Result<T, VerifyError> {
    let agents = receipt.crawlers();
    let names = partition_names(&agents.iter().collect::<Vec<_>>());
    let (place, rows) = (Partition::ALL.len() * crawler + partition as usize, receipt.rows());
    let Some(name) = names.get(place) else { return Ok(T::default()) };
    let (columns, verdict) = match rows.form {
        Form::Partitions => (rows.columns(place), None),
        Form::Verdicts => (rows.columns(0), Some(crawler * rows.columns_of_verdict())),
    };
    let mut whole = T::default();
    for (path, has_head) in files(receipt, directory, name) {
        if receipt.options.format == Format::Parquet {
            // The table of a partition has its own crawler's verdicts only.
            let column = if receipt.options.form == Form::Verdicts { crawler } else { 0 };
            let of_rows = |rows: &TableLines| of(&urls_of(rows, column, partition));
            append(&mut whole, &table::reread((&path, Wanted::Urls), receipt, threads, of_rows, &append)?);
            continue;
        }
        let list = scan::opened(&path)?;
        let skipped = usize::from(has_head || columns > 0);
        let layouts = Layouts::of(&list.path, receipt, columns, skipped > usize::from(has_head))?;
        let of_chunk = |chunk: &[u8], first: bool| {
            let rows = lines(chunk).skip(if first { skipped } else { 0 }).map(|row| split(row, columns));
            let wanted = |before: &[u8]| {
                let is_it =
                    |column| before.split(|&byte| byte == SEPARATOR).nth(column) == Some(partition.name().as_bytes());
                verdict.is_none_or(is_it)
            };
            let urls = rows.filter(|(before, _)| wanted(before)).map(|(_, line)| layouts.url(line));
            of(&urls.collect::<Vec<_>>())
        };
        append(&mut whole, &scan::scan((&list, Extent::Whole), threads, CHUNK, of_chunk, &append)?);
    }
    Ok(whole)
}

/// The URLs of the rows of a table that have this verdict in this column.
fn urls_of(rows: &TableLines, column: usize, partition: Partition) -> Vec<Cow<'_, [u8]>> {
    let verdicts = rows.verdicts.get(column).into_iter().flatten();
    let of_partition = lines(&rows.text).zip(verdicts).filter(|&(_, &verdict)| verdict == Some(partition));
    of_partition.map(|(url, _)| Cow::Borrowed(url)).collect()
}

/// The files that a run, or its shards, wrote a partition to, and whether the head line of lists stands in them.
fn files(receipt: &Receipt, directory: &Path, partition: &str) -> Vec<(PathBuf, bool)> {
    let files = match receipt.options.form {
        Form::Partitions => receipt.partitions.get(partition).map(|part| &part.files),
        Form::Verdicts => receipt.verdicts.as_ref().map(|verdicts| &verdicts.files),
    };
    let of = |file: &FilePart| {
        let path = directory.join(&file.name);
        let has_head = receipt.lists_of(&path).any(|list| list.head.is_some());
        (path, has_head)
    };
    files.into_iter().flatten().map(of).collect()
}

/// Where the URLs of a partition's lines may stand: it has the lines of all lists, of which some may be an index.
struct Layouts(Vec<Layout>);

impl Layouts {
    /// Those of the file at `path`, whose lines stand after so many columns; `is_headed` says that above them stands a
    /// head line of ours.
    fn of(path: &Path, receipt: &Receipt, columns: usize, is_headed: bool) -> Result<Layouts, VerifyError> {
        let unreadable = |error| VerifyError::Unreadable { path: path.to_owned(), error };
        let mut start = Vec::new();
        let mut text = Reader::<File>::open(path).map_err(unreadable)?.take(LOOK as u64);
        for place in 0..HEAD_LINES {
            let mut line = Vec::new();
            text.read_until(b'\n', &mut line).map_err(unreadable)?;
            if place > 0 || !is_headed {
                start.extend_from_slice(split(&line, columns).1);
            }
        }
        let known = receipt.options.url_field.layout(&start);
        let (layout, _) = known.map_err(|error| FilterError::UrlField { path: path.to_owned(), error })?;
        let is_any = [Layout::WHOLE, Layout::CDXJ].contains(&layout);
        Ok(Layouts(if is_any { vec![Layout::CDXJ, Layout::WHOLE] } else { vec![layout] }))
    }

    /// The URL of a line; an empty one where there is none. The first line of a list may have a mark before it.
    fn url<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        let line = line.strip_prefix(MARK).unwrap_or(line);
        let urls = self.0.iter().filter_map(|layout| layout.url(line).ok());
        let mut valid = urls.filter(|url| origin::canonical(origin::trimmed(url)).is_ok());
        valid.next().unwrap_or_default()
    }
}

/// So many lines tell the layout: a head line, and one below it.
const HEAD_LINES: usize = 2;

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// So many columns that stand before a line, with what separates them, and the line.
fn split(row: &[u8], columns: usize) -> (&[u8], &[u8]) {
    let Some(last) = columns.checked_sub(1) else { return (b"", row) };
    let end = memchr::memchr_iter(SEPARATOR, row).nth(last).map_or(row.len(), |end| end + 1);
    row.split_at(end)
}
