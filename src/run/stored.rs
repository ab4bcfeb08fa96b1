//! Reads the files of a complete run again, to verify them or to report on them.
//!
//! A run may have as many lists as files. So the list of a file's lines is found by the number in the name of the
//! file's folder, and facts about all lists together are computed once.

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::Path;
use std::slice;

use crate::error::run::{Error, ErrorKind};
use crate::formats::compression::Reader;
use crate::formats::seekable;
use crate::input::error::of_list;
use crate::input::layout::{LOOK, Layout, MARK};
use crate::input::list::LIST_FORMAT;
use crate::judge::lines::for_each_end;
use crate::origin;
use crate::outcome::Partition;
use crate::output::columns::rest_of_row;
use crate::output::folder::{is_list_folder, list_folder};
use crate::output::form::{FileFormat, OutputMode, OutputOptions, REFUSED, RefusedColumns, SEPARATOR};
use crate::output::receipt::{FilePart, ListPart, Part, Receipt};
use crate::output::table::{self, TableLines, Wanted};
use crate::robots::Agents;
use crate::run::scan::{self, Extent, scan};

/// The size in bytes of the chunks in which files are read again. Results may depend on where chunks end, so it is the same for every run.
pub(super) const REREAD_CHUNK: usize = 1 << 20;

/// The same for the URLs of a partition, which are larger because URLs of one origin are best read together.
const URLS_CHUNK: usize = 32 << 20;

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

    /// Calls `visit` with each line of a file of this style: without the columns before it and without its LF; its bytes, with
    /// the LF; and its verdict in each column of verdicts, `None` if that is not one.
    pub fn each(
        &self,
        style: OutputOptions,
        file: usize,
        mut visit: impl FnMut(&'l [u8], usize, &[Option<Partition>]),
    ) {
        match *self {
            StoredLines::Text(text, _, agents) if style.form == OutputMode::BlockedFor => {
                let mut refused = RefusedColumns::new(agents);
                each_line(text, |line, line_feed| {
                    let rest = rest_of_row(line, REFUSED.len());
                    visit(rest, rest.len() + line_feed, refused.of_text(&line[..line.len() - rest.len()]));
                });
            }
            StoredLines::Text(text, ..) => {
                let mut verdicts = vec![None; if style.form == OutputMode::Verdicts { style.crawlers } else { 0 }];
                let (of_verdict, of_partition) = (style.columns_of_verdict(), style.columns(file));
                each_line(text, |line, line_feed| {
                    let mut rest = line;
                    for verdict in &mut verdicts {
                        let name = memchr::memchr(SEPARATOR, rest).map_or(&b""[..], |end| &rest[..end]);
                        *verdict = Partition::from_name(name);
                        rest = rest_of_row(rest, of_verdict);
                    }
                    if verdicts.is_empty() {
                        rest = rest_of_row(rest, of_partition);
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

    /// Calls `of` on some lines of a file of the run at a time, of text this many bytes, and combines the results in order with
    /// `append`.
    pub(super) fn read<T: Default + Send>(
        &self,
        path: &Path,
        wanted: Wanted,
        chunk_size: usize,
        of: impl Fn(StoredLines<'_>) -> T + Sync,
        append: impl Fn(&mut T, T) + Sync,
    ) -> Result<T, Error> {
        let StoredRun { receipt, threads, lists, .. } = *self;
        match receipt.options.format {
            FileFormat::Text => {
                let splits = receipt.splits();
                let of = |text: &[u8], first| of(StoredLines::Text(text, first, splits.agents()));
                scan(&scan::opened(path)?, Extent::Whole, threads, chunk_size, of, append)
            }
            FileFormat::Parquet => {
                let made = (receipt, lists.of(path).has_table);
                table::reread(path, wanted, made, threads, |rows| of(StoredLines::Rows(rows)), append)
            }
        }
    }
}

/// The lists of any file that a run wrote.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileLists<'r> {
    lists: &'r [ListPart],
    /// Whether each list has its own folder.
    per_input: bool,
    /// All lists, from which each file has lines unless each list has its own folder.
    all: ListFacts<'r>,
}

/// The facts about lists that determine how a file of their lines looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListFacts<'r> {
    /// Their head line, if they have one.
    pub head: Option<&'r Part>,
    /// Whether any of them is a table.
    pub has_table: bool,
}

impl<'r> FileLists<'r> {
    pub fn new(receipt: &'r Receipt) -> FileLists<'r> {
        FileLists::of_lists(&receipt.lists, receipt.options.per_input)
    }

    fn of_lists(lists: &'r [ListPart], per_input: bool) -> FileLists<'r> {
        FileLists { lists, per_input, all: ListFacts::of(lists) }
    }

    /// The facts about the lists whose lines are in the file at this path.
    pub fn of(&self, file: &Path) -> ListFacts<'r> {
        match self.per_input {
            true => ListFacts::of(self.own(file).map_or(&[], slice::from_ref)),
            false => self.all,
        }
    }

    /// The list whose folder a file is in.
    fn own(&self, file: &Path) -> Option<&'r ListPart> {
        let mut names = file.ancestors().skip(1).filter_map(Path::file_name).map(|name| name.to_string_lossy());
        let folder = names.find(|name| is_list_folder(name))?;
        let place = folder.split_once('-')?.0.parse::<usize>().ok()?.checked_sub(1)?;
        let list = self.lists.get(place)?;
        (list_folder(place, Path::new(&list.path)) == folder).then_some(list)
    }
}

impl<'r> ListFacts<'r> {
    fn of(lists: &'r [ListPart]) -> ListFacts<'r> {
        ListFacts {
            head: lists.iter().find_map(|list| list.head.as_ref()),
            has_table: lists.iter().any(|list| list.format == LIST_FORMAT),
        }
    }
}

/// Calls `of` on the URLs of a partition, a chunk at a time, and combines the results in order with `append`. `crawler` is the
/// index of the crawler in the receipt.
pub(crate) fn reread<T: Default + Send>(
    run: StoredRun<'_>,
    crawler: usize,
    partition: Partition,
    of: impl Fn(&[Cow<'_, [u8]>]) -> T + Sync,
    append: impl Fn(&mut T, T) + Sync,
) -> Result<T, Error> {
    let receipt = run.receipt;
    let names = receipt.splits().partitions();
    let place = Partition::COUNT * crawler + partition as usize;
    let Some(name) = names.get(place) else { return Ok(T::default()) };
    let (style, form) = (receipt.style(), receipt.options.form);
    let columns = style.columns(place);
    let mut whole = T::default();
    for (name, has_head) in files(run, name) {
        let path = run.directory.join(name);
        let layouts = match receipt.options.format {
            FileFormat::Text => Some(Layouts::of(&path, receipt, columns, columns > 0 && !has_head)?),
            FileFormat::Parquet => None,
        };
        let of = |mut stored: StoredLines<'_>| {
            if has_head || columns > 0 {
                stored.split_head();
            }
            let mut urls = Vec::new();
            stored.each(style, place, |line, _, verdicts| {
                if !form.is_whole() || verdicts.get(crawler) == Some(&Some(partition)) {
                    urls.push(layouts.as_ref().map_or(Cow::Borrowed(line), |layouts| layouts.url(line)));
                }
            });
            of(&urls)
        };
        append(&mut whole, run.read(&path, Wanted::Urls, URLS_CHUNK, of, &append)?);
    }
    Ok(whole)
}

/// The names of the files that a run, or its shards, wrote a partition to, and whether they contain the head line of lists.
fn files<'r>(run: StoredRun<'r>, partition: &str) -> Vec<(&'r str, bool)> {
    let StoredRun { receipt, lists, .. } = run;
    let files = match receipt.options.form.is_whole() {
        false => receipt.partitions.get(partition).map(|part| &part.files),
        true => receipt.verdicts.as_ref().map(|verdicts| &verdicts.files),
    };
    let has_head = |file: &FilePart| lists.of(Path::new(&file.name)).head.is_some();
    files.into_iter().flatten().map(|file| (&*file.name, has_head(file))).collect()
}

/// Where the URLs of a partition's lines may be. A partition has the lines of all lists, some of which may be an index.
struct Layouts(Vec<Layout>);

impl Layouts {
    /// The layouts of the file at `path`, whose lines come after this many columns; `is_headed` says that this program
    /// wrote a head line above them.
    fn of(path: &Path, receipt: &Receipt, columns: usize, is_headed: bool) -> Result<Layouts, Error> {
        let unreadable = ErrorKind::Receipt.with_file("read", path);
        let mut start = Vec::new();
        let mut text = seekable::open(path).and_then(Reader::new).map_err(unreadable)?.take(LOOK as u64);
        for place in 0..HEAD_LINES {
            let mut line = Vec::new();
            text.read_until(b'\n', &mut line).map_err(unreadable)?;
            if place > 0 || !is_headed {
                start.extend_from_slice(rest_of_row(&line, columns));
            }
        }
        let known = receipt.options.url_field.layout(&start);
        let (layout, _) = known.map_err(of_list(path))?;
        Ok(Layouts(receipt.options.url_field.layouts_beside(layout)))
    }

    /// The URL of a line by the first layout that finds a valid URL, otherwise by the last layout; empty if the line
    /// has none. The first line of a list may begin with a byte order mark.
    fn url<'l>(&self, line: &'l [u8]) -> Cow<'l, [u8]> {
        let line = line.strip_prefix(MARK).unwrap_or(line);
        let Some((last, before)) = self.0.split_last() else { return Cow::Borrowed(b"") };
        let mut urls = before.iter().filter_map(|layout| layout.url(line).ok());
        let valid = urls.find(|url| origin::split(url).is_ok());
        valid.or_else(|| last.url(line).ok()).unwrap_or_default()
    }
}

/// The lines that determine the layout: a head line, and one below it.
const HEAD_LINES: usize = 2;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::output::folder::FOLDERS_NAMED;

    fn lists(count: usize) -> Vec<ListPart> {
        let list = |place: usize| ListPart {
            path: format!("lists/{place}"),
            path_base64: None,
            file: None,
            range: None,
            format: if place == 7 { LIST_FORMAT.into() } else { "lines".into() },
            compression: None,
            head: (place % 2 == 1).then(|| Part { lines: place as u64, ..Part::default() }),
            input: Part::default(),
            duplicates: None,
            seen: None,
            unchanged: None,
            skipped: Vec::new(),
            dropped_metadata: Vec::new(),
            tabbed: None,
            partitions: BTreeMap::new(),
        };
        (0..count).map(list).collect()
    }

    #[test]
    fn the_list_of_a_file_is_found_without_naming_the_folders_of_all() {
        const COUNT: usize = 3000;
        let lists = lists(COUNT);
        let (own, together) = (FileLists::of_lists(&lists, true), FileLists::of_lists(&lists, false));
        let before = FOLDERS_NAMED.get();
        for place in 0..COUNT {
            let file = format!("../shard/{:04}-{place}/lines/verdict=allowed/part-0001.parquet", place + 1);
            let found = own.of(Path::new(&file));
            let head = (place % 2 == 1).then_some(place as u64);
            assert_eq!((found.head.map(|head| head.lines), found.has_table), (head, place == 7), "{file}");
            let found = together.of(Path::new(&file));
            assert_eq!((found.head.map(|head| head.lines), found.has_table), (Some(1), true), "{file}");
        }
        assert_eq!(FOLDERS_NAMED.get() - before, COUNT, "one for each file");
        for other in ["allowed.txt", "0000-x/allowed.txt", "0002-0/allowed.txt", "3001-x/a", "99999999999999999999-x/a"]
        {
            let found = own.of(Path::new(other));
            assert!(found.head.is_none() && !found.has_table, "{other}");
        }
    }
}
