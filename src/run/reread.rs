//! The URLs of a partition, read again from the files of a complete run.

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::Path;

use super::stored::{StoredLines, StoredRun};
use super::verify::VerifyError;
use crate::formats::compression::Reader;
use crate::formats::regular_file;
use crate::input::error::ListError;
use crate::input::layout::{LOOK, Layout, MARK};
use crate::origin;
use crate::outcome::Partition;
use crate::output::folder::partition_names;
use crate::output::form::{Form, Rows, SEPARATOR};
use crate::output::format::Format;
use crate::output::receipt::{FilePart, Receipt};
use crate::output::table::{TableLines, Wanted};

/// Calls `of` on the URLs of a partition, a chunk at a time, and combines the results in order with `append`. `crawler` is the
/// index of the crawler in the receipt.
pub(crate) fn reread<T: Default + Send>(
    run: StoredRun<'_>,
    crawler: usize,
    partition: Partition,
    of: impl Fn(&[Cow<'_, [u8]>]) -> T + Sync,
    append: impl Fn(&mut T, &T) + Sync,
) -> Result<T, VerifyError> {
    let receipt = run.receipt;
    let agents = receipt.crawlers();
    let names = partition_names(&agents.iter().collect::<Vec<_>>());
    let place = Partition::COUNT * crawler + partition as usize;
    let Some(name) = names.get(place) else { return Ok(T::default()) };
    let wanted = WantedLines::new(receipt.rows(), place);
    let mut whole = T::default();
    for (name, has_head) in files(receipt, name) {
        let path = run.directory.join(name);
        let skipped = usize::from(has_head || wanted.columns > 0);
        let layouts = match receipt.options.format {
            Format::Text => Layouts::of(&path, receipt, wanted.columns, skipped > usize::from(has_head))?,
            Format::Parquet => Layouts(Vec::new()),
        };
        let of = |stored: StoredLines<'_>| match stored {
            StoredLines::Rows(rows) => of(&wanted.of_rows(rows)),
            StoredLines::Text(text, first) => {
                let lines = wanted.of_text(text, if first { skipped } else { 0 });
                of(&lines.map(|line| layouts.url(line)).collect::<Vec<_>>())
            }
        };
        append(&mut whole, &run.read(&path, Wanted::Urls, of, &append)?);
    }
    Ok(whole)
}

/// Which lines of a file belong to a partition.
struct WantedLines {
    partition: Partition,
    /// The number of columns before a line of text.
    columns: usize,
    /// If the file has lines of other partitions too: how many columns each crawler has, and which crawler's verdict counts.
    verdict: Option<(usize, usize)>,
}

impl WantedLines {
    /// The lines of the partition with this number, in files with these rows.
    fn new(rows: Rows, place: usize) -> WantedLines {
        let (crawler, partition) = (place / Partition::COUNT, Partition::ALL[place % Partition::COUNT]);
        match rows.form {
            Form::Partitions => WantedLines { partition, columns: rows.columns(place), verdict: None },
            Form::Verdicts => {
                let verdict = Some((rows.columns_of_verdict(), crawler));
                WantedLines { partition, columns: rows.columns(0), verdict }
            }
        }
    }

    /// The wanted lines of a text, without its first `skipped` lines.
    fn of_text<'t>(&self, text: &'t [u8], skipped: usize) -> impl Iterator<Item = &'t [u8]> {
        let name = self.partition.name().as_bytes();
        let has_verdict =
            move |before: &[u8], column| before.split(|&byte| byte == SEPARATOR).nth(column) == Some(name);
        let rows = lines(text).skip(skipped).map(|row| split(row, self.columns));
        let is_wanted =
            move |before: &[u8]| self.verdict.is_none_or(|(each, crawler)| has_verdict(before, each * crawler));
        rows.filter(move |(before, _)| is_wanted(before)).map(|(_, line)| line)
    }

    /// The wanted URLs of a table's rows.
    fn of_rows<'t>(&self, rows: &'t TableLines) -> Vec<Cow<'t, [u8]>> {
        let verdict = |crawler: usize, row: usize| rows.verdicts.get(crawler)?.get(row).copied().flatten();
        let is_wanted = |row| self.verdict.is_none_or(|(_, crawler)| verdict(crawler, row) == Some(self.partition));
        let urls = lines(&rows.text).enumerate().filter(|&(row, _)| is_wanted(row));
        urls.map(|(_, url)| Cow::Borrowed(url)).collect()
    }
}

/// The names of the files that a run, or its shards, wrote a partition to, and whether they contain the head line of lists.
fn files<'r>(receipt: &'r Receipt, partition: &str) -> Vec<(&'r str, bool)> {
    let files = match receipt.options.form {
        Form::Partitions => receipt.partitions.get(partition).map(|part| &part.files),
        Form::Verdicts => receipt.verdicts.as_ref().map(|verdicts| &verdicts.files),
    };
    let has_head = |file: &FilePart| receipt.lists_of(Path::new(&file.name)).any(|list| list.head.is_some());
    files.into_iter().flatten().map(|file| (&*file.name, has_head(file))).collect()
}

/// Where the URLs of a partition's lines may be. A partition has the lines of all lists, some of which may be an index.
struct Layouts(Vec<Layout>);

impl Layouts {
    /// The layouts of the file at `path`, whose lines come after this many columns; `is_headed` says that a head line of ours is
    /// above them.
    fn of(path: &Path, receipt: &Receipt, columns: usize, is_headed: bool) -> Result<Layouts, VerifyError> {
        let unreadable = |error| VerifyError::Unreadable { path: path.to_owned(), error };
        let mut start = Vec::new();
        let mut text = regular_file::open(path).and_then(Reader::new).map_err(unreadable)?.take(LOOK as u64);
        for place in 0..HEAD_LINES {
            let mut line = Vec::new();
            text.read_until(b'\n', &mut line).map_err(unreadable)?;
            if place > 0 || !is_headed {
                start.extend_from_slice(split(&line, columns).1);
            }
        }
        let known = receipt.options.url_field.layout(&start);
        let (layout, _) = known.map_err(|error| ListError::UrlField { path: path.to_owned(), error })?;
        let is_whole_or_index = [Layout::Whole, Layout::Cdxj].contains(&layout);
        Ok(Layouts(if is_whole_or_index { vec![Layout::Cdxj, Layout::Whole] } else { vec![layout] }))
    }

    /// The URL of a line; empty if it has none. The first line of a list may begin with a byte order mark.
    fn url<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        let line = line.strip_prefix(MARK).unwrap_or(line);
        let urls = self.0.iter().filter_map(|layout| layout.url(line).ok());
        let mut valid = urls.filter(|url| origin::canonical(origin::trimmed(url)).is_ok());
        valid.next().unwrap_or_default()
    }
}

/// The lines that determine the layout: a head line, and one below it.
const HEAD_LINES: usize = 2;

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Splits a row into this many columns, with their separators, and the line.
fn split(row: &[u8], columns: usize) -> (&[u8], &[u8]) {
    let Some(last) = columns.checked_sub(1) else { return (b"", row) };
    let end = memchr::memchr_iter(SEPARATOR, row).nth(last).map_or(row.len(), |end| end + 1);
    row.split_at(end)
}
