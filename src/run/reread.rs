//! The URLs of a partition, read again from the files of a complete run.

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::Path;

use super::stored::{StoredLines, StoredRun};
use super::verify::VerifyError;
use crate::formats::compression::Reader;
use crate::formats::error::FileError;
use crate::formats::regular_file;
use crate::input::error::ListError;
use crate::input::layout::{LOOK, Layout, MARK};
use crate::origin;
use crate::outcome::Partition;
use crate::output::form::{Form, rest_of_row};
use crate::output::format::Format;
use crate::output::receipt::{FilePart, Receipt};
use crate::output::table::Wanted;

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
    let names = receipt.splits().partitions();
    let place = Partition::COUNT * crawler + partition as usize;
    let Some(name) = names.get(place) else { return Ok(T::default()) };
    let (rows, form) = (receipt.rows(), receipt.options.form);
    let columns = rows.columns(place);
    let mut whole = T::default();
    for (name, has_head) in files(run, name) {
        let path = run.directory.join(name);
        let layouts = match receipt.options.format {
            Format::Text => Some(Layouts::of(&path, receipt, columns, columns > 0 && !has_head)?),
            Format::Parquet => None,
        };
        let of = |mut stored: StoredLines<'_>| {
            if has_head || columns > 0 {
                stored.split_head();
            }
            let mut urls = Vec::new();
            stored.each(rows, place, |line, _, verdicts| {
                if !form.is_whole() || verdicts.get(crawler) == Some(&Some(partition)) {
                    urls.push(layouts.as_ref().map_or(Cow::Borrowed(line), |layouts| layouts.url(line)));
                }
            });
            of(&urls)
        };
        append(&mut whole, &run.read(&path, Wanted::Urls, of, &append)?);
    }
    Ok(whole)
}

/// The names of the files that a run, or its shards, wrote a partition to, and whether they contain the head line of lists.
fn files<'r>(run: StoredRun<'r>, partition: &str) -> Vec<(&'r str, bool)> {
    let StoredRun { receipt, lists, .. } = run;
    let files = match receipt.options.form {
        Form::Partitions => receipt.partitions.get(partition).map(|part| &part.files),
        Form::Verdicts | Form::BlockedFor => receipt.verdicts.as_ref().map(|verdicts| &verdicts.files),
    };
    let has_head = |file: &FilePart| lists.of(Path::new(&file.name)).head.is_some();
    files.into_iter().flatten().map(|file| (&*file.name, has_head(file))).collect()
}

/// Where the URLs of a partition's lines may be. A partition has the lines of all lists, some of which may be an index.
struct Layouts(Vec<Layout>);

impl Layouts {
    /// The layouts of the file at `path`, whose lines come after this many columns; `is_headed` says that a head line of ours is
    /// above them.
    fn of(path: &Path, receipt: &Receipt, columns: usize, is_headed: bool) -> Result<Layouts, VerifyError> {
        let unreadable = FileError::of("read", path);
        let mut start = Vec::new();
        let mut text = regular_file::open(path).and_then(Reader::new).map_err(unreadable)?.take(LOOK as u64);
        for place in 0..HEAD_LINES {
            let mut line = Vec::new();
            text.read_until(b'\n', &mut line).map_err(unreadable)?;
            if place > 0 || !is_headed {
                start.extend_from_slice(rest_of_row(&line, columns));
            }
        }
        let known = receipt.options.url_field.layout(&start);
        let (layout, _) = known.map_err(|error| ListError::UrlField { path: path.to_owned(), error })?;
        Ok(Layouts(receipt.options.url_field.layouts_beside(layout)))
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
