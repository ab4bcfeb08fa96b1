//! The names of a run's files: the receipt and other fixed names, which do not depend on the job, and the names of
//! files of lines. Also the record of what was written to such a file.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::input::list::STANDARD_INPUT;
use crate::input::path_columns::is_path_column;
use crate::judge::tally::Tally;
use crate::outcome::Partition;
use crate::output::form::{FileFormat, FrameCompression, OutputOptions, Splits};

/// The name of the receipt, which marks a run as complete.
pub const RECEIPT: &str = "receipt.json";

/// The name of a page about a run. It is not part of the run, but is deleted when the run's files are replaced.
pub const REPORT: &str = "report.html";

/// How every such page begins.
pub(crate) const REPORT_START: &str =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta name=\"generator\" content=\"robosieve\">\n";

/// The name of the list of robots.txt to fetch.
pub const NEEDED: &str = "robots-needed.tsv";

/// The name of a file until it is complete.
pub(crate) fn partial(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.partial"))
}

/// Whether [`partial`] gives this name. A partial file that a killed run left is not a result.
pub(super) fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".partial")
}

/// The beginning of the names of files with waiting rows; a number follows. They are partial, and never become results.
pub(crate) const WAITING_ROWS: &str = "waiting-rows";

/// The name of the lock file, which exists while a run does.
pub(super) const LOCK: &str = ".robosieve.lock";

/// The name of the checkpoint.
pub(crate) const CHECKPOINT: &str = ".checkpoint.json";

// The names of a run's files of lines.

/// The stem of the file of all lines with their verdicts.
const VERDICTS: &str = "verdicts";

/// The folder of tables, a dataset in Hive partitioning, and the stem of its parts.
const LINES: &str = "lines";
const PART: &str = "part";

/// The columns that readers derive from folder names.
pub(crate) const VERDICT: &str = "verdict";
pub(crate) const CRAWLER: &str = "crawler";

/// The extensions of partitions and of tab-separated tables.
const TEXT: &str = "txt";
const TABLE: &str = "tsv";
/// The extension of both, if they are Parquet.
const PARQUET: &str = "parquet";

/// The name of an output: `allowed.examplebot.txt.gz`, or `allowed.0001.txt` if it is split into parts. Parquet is always in
/// parts: `lines/verdict=allowed/part-0001.parquet`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileName {
    /// Its folders, and its name without part number and extension, for example `allowed.examplebot`.
    stem: String,
    ending: &'static str,
    frames: Option<FrameCompression>,
    /// The separator before the part number, if the file is split into parts.
    numbered: Option<char>,
}

/// The minimum number of digits of a part number.
const DIGITS: usize = 4;

impl FileName {
    /// The names of all files of this style, crawler by crawler; of their parts, if they are `numbered`.
    pub fn all(
        style: OutputOptions,
        splits: &Splits,
        frames: Option<FrameCompression>,
        numbered: bool,
    ) -> Vec<FileName> {
        let stems = match (table_root(style), style.form.is_whole()) {
            (None, false) => splits.partitions(),
            (None, true) => vec![VERDICTS.to_owned()],
            (Some(_), false) => table_names(splits),
            (Some(root), true) => vec![format!("{root}/{PART}")],
        };
        // A text file with columns before its lines is a table.
        let ending = |file| match style.format {
            FileFormat::Parquet => PARQUET,
            FileFormat::Text if style.columns(file) > 0 => TABLE,
            FileFormat::Text => TEXT,
        };
        let numbered = match style.format {
            FileFormat::Parquet => Some('-'),
            FileFormat::Text => numbered.then_some('.'),
        };
        let name = |(file, stem)| FileName { stem, ending: ending(file), frames, numbered };
        stems.into_iter().take(style.files()).enumerate().map(name).collect()
    }

    /// The name of a part, counted from 0, with its folders; of the whole file if it has no parts.
    pub fn of_part(&self, part: usize) -> String {
        let FileName { stem, .. } = self;
        let number = self.numbered.map_or(String::new(), |before| format!("{before}{:0DIGITS$}", part + 1));
        format!("{stem}{number}{}", self.extension())
    }

    /// The folder the file is in; empty if it is in none.
    pub fn folder(&self) -> &str {
        self.stem.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether this is the name of the file or of one of its parts.
    pub fn matches(&self, name: &str) -> bool {
        self.inner(name).is_some()
    }

    /// The folders of columns of lists, below those of the file, that this name of the file or of one of its parts has; empty if it
    /// has none, and `None` if it is another name.
    pub fn inner<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (folder, stem) = self.stem.rsplit_once('/').unwrap_or(("", &self.stem));
        let rest = if folder.is_empty() { name } else { name.strip_prefix(folder)?.strip_prefix('/')? };
        let (inner, last) = rest.rsplit_once('/').unwrap_or(("", rest));
        let number = last.strip_prefix(stem)?.strip_suffix(&self.extension())?;
        let is_part = match self.numbered {
            Some(before) => number.strip_prefix(before).is_some_and(is_number),
            None => number.is_empty(),
        };
        let is_ours = inner.is_empty() || !folder.is_empty() && inner.split('/').all(is_path_column);
        (is_part && is_ours).then_some(inner)
    }

    /// The part of the name after the stem and the part number, beginning with a dot.
    fn extension(&self) -> String {
        let packed = self.frames.map_or(String::new(), |format| format!(".{}", format.extension()));
        format!(".{}{packed}", self.ending)
    }
}

/// The names of the tables of all crawlers' partitions: a dataset whose folder names describe the rows, so that readers can skip
/// folders.
fn table_names(splits: &Splits) -> Vec<String> {
    let folder = |label: &String| match label.as_str() {
        "" => LINES.to_owned(),
        label => format!("{LINES}/{CRAWLER}={label}"),
    };
    let folders = splits.labels().iter().map(folder).collect::<Vec<_>>();
    let name = |folder: &String, partition: Partition| format!("{folder}/{VERDICT}={}/{PART}", partition.name());
    folders.iter().flat_map(|folder| Partition::ALL.map(|partition| name(folder, partition))).collect()
}

fn is_number(text: &str) -> bool {
    text.len() >= DIGITS && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The name of a part of a table within its folder, counted from 0.
pub(crate) fn table_part(part: usize) -> String {
    FileName { stem: PART.to_owned(), ending: PARQUET, frames: None, numbered: Some('-') }.of_part(part)
}

/// The folder of all tables of this style; `None` if they are text.
pub(super) fn table_root(style: OutputOptions) -> Option<&'static str> {
    let root = if style.form.is_whole() { VERDICTS } else { LINES };
    (style.format == FileFormat::Parquet).then_some(root)
}

/// Whether this is the name of a folder for tables.
fn is_table_folder(name: &str) -> bool {
    let is_of = |column: &&str| name.strip_prefix(column).is_some_and(|rest| rest.starts_with('='));
    [LINES, VERDICTS].contains(&name) || [VERDICT, CRAWLER].iter().any(is_of)
}

/// Whether [`FileName`] gives this name, without its folders, in some run.
pub(super) fn is_output(name: &str) -> bool {
    let plain = [FrameCompression::Gzip, FrameCompression::Zstd].iter().find_map(|format| {
        let name = name.strip_suffix(format.extension())?;
        name.strip_suffix('.')
    });
    let Some((stem, ending)) = plain.unwrap_or(name).rsplit_once('.') else { return false };
    let stem = stem.rsplit_once('.').filter(|(_, number)| is_number(number)).map_or(stem, |(stem, _)| stem);
    let (known, crawler) = stem.split_once('.').unwrap_or((stem, ""));
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+');
    let is_partition = || Partition::from_name(known.as_bytes()).is_some() && crawler.bytes().all(is_token);
    match ending {
        TEXT => is_partition(),
        TABLE if [Partition::Allowed, Partition::Blocked].map(Partition::name).contains(&known) => is_partition(),
        TABLE => stem == VERDICTS,
        // Parquet is compressed internally.
        PARQUET => {
            plain.is_none() && stem.strip_prefix(PART).and_then(|rest| rest.strip_prefix('-')).is_some_and(is_number)
        }
        _ => false,
    }
}

/// The longest name that common file systems allow, in bytes.
const LONGEST_NAME: usize = 255;

#[cfg(test)]
thread_local! {
    /// How many folders were named, to count the work of looking one up.
    pub(crate) static FOLDERS_NAMED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The folder of a list's own partitions: its number, so that lists of the same name do not collide, and its name, cut to the
/// longest a name may be.
pub(crate) fn list_folder(place: usize, list: &Path) -> String {
    #[cfg(test)]
    FOLDERS_NAMED.set(FOLDERS_NAMED.get() + 1);
    let name = match list.file_name() {
        Some(name) if list.as_os_str() != STANDARD_INPUT => name.to_string_lossy().into_owned(),
        _ => "standard-input".to_owned(),
    };
    let mut folder = format!("{:04}-{name}", place + 1);
    let fits = (0..=LONGEST_NAME.min(folder.len())).rev().find(|&end| folder.is_char_boundary(end));
    folder.truncate(fits.unwrap_or_default());
    folder
}

/// Whether [`list_folder`] gives this name.
pub(crate) fn is_list_folder(name: &str) -> bool {
    name.split_once('-').is_some_and(|(number, _)| number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The folder of a list in the name of a file, empty if it is in none, and the rest of the name.
pub(crate) fn split_list_folder(name: &str) -> (&str, &str) {
    name.split_once('/').filter(|(folder, _)| is_list_folder(folder)).unwrap_or(("", name))
}

/// The name of a file in the folder of a set, and in that of columns of lists, of which either may be empty.
pub(crate) fn in_folders(folder: &str, inner: &str, name: &str) -> String {
    let (of_file, name) = name.rsplit_once('/').unwrap_or(("", name));
    let parts = [folder, of_file, inner, name];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// Whether a run creates folders of this name in a folder of the name `above`.
pub(super) fn is_folder_of_run(above: Option<&str>, name: &str) -> bool {
    let is_in_table = above.is_some_and(|above| [LINES, VERDICTS].contains(&above) || is_path_column(above));
    is_list_folder(name) || is_table_folder(name) || is_in_table && is_path_column(name)
}

/// Whether a run creates these folders, each in the one before it.
pub(super) fn are_folders_of_run(folders: &str) -> bool {
    let mut above = None;
    folders.split('/').all(|name| is_folder_of_run(above.replace(name), name))
}

/// Whether a folder below that of a run is the folder of another run, whatever its name.
pub(super) fn is_of_other_run(folder: &Path) -> bool {
    [RECEIPT, CHECKPOINT, LOCK].iter().any(|name| folder.join(name).exists())
}

/// Whether a name in a receipt can be that of a file of lines.
pub(crate) fn is_file_of_run(name: &str) -> bool {
    match name.rsplit_once('/') {
        Some((folders, name)) => is_output(name) && are_folders_of_run(folders),
        None => is_output(name),
    }
}

/// The folder of the run that a file belongs to by its name and place.
#[cfg(feature = "cli")]
pub(crate) fn run_of(file: &Path) -> Option<PathBuf> {
    let mut folders = file.ancestors().skip(1).take(MOST_FOLDERS);
    let is_run = |folder: &&Path| {
        let name = file.strip_prefix(folder).ok().and_then(Path::to_str);
        let is_of_run = |name| [RECEIPT, CHECKPOINT, LOCK, NEEDED].contains(&name) || is_file_of_run(name);
        name.is_some_and(is_of_run) && [RECEIPT, CHECKPOINT].iter().any(|name| folder.join(name).exists())
    };
    folders.find(is_run).map(Path::to_owned)
}

/// The most folders that a file of a run is in: the folders of the run, of the list, of all lines, of the crawler and
/// of the verdict, and more columns of a list than tables have.
#[cfg(feature = "cli")]
const MOST_FOLDERS: usize = 5 + 59;

/// The folders that files of these names are in, and the folders above those, deepest first. Names are relative to the folder of
/// the run, which is not included.
pub(super) fn folders_of<'n>(names: impl IntoIterator<Item = &'n Path>) -> Vec<PathBuf> {
    let above = names.into_iter().flat_map(|name| name.ancestors().skip(1));
    let folders: BTreeSet<&Path> = above.filter(|folder| !folder.as_os_str().is_empty()).collect();
    folders.into_iter().rev().map(Path::to_owned).collect()
}

/// The part of a file that a run has written so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Written {
    /// Its name, with its folder.
    pub name: String,
    /// The offset of its lines.
    pub head: u64,
    /// The offset of the next byte.
    pub end: u64,
    /// Its lines, without the columns before them, and before compression.
    pub tally: Tally,
    /// The number of blocks written to it.
    #[serde(default)]
    pub blocks: u64,
    /// The maximum length of its footer, in bytes.
    #[serde(default)]
    pub footer: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::form::OutputMode;
    use crate::robots::Agents;

    #[test]
    fn only_names_of_outputs_are_known() {
        let outputs = "allowed.txt blocked.examplebot.txt deferred.a+b.txt.gz invalid.default.txt.zst verdicts.tsv \
                       verdicts.0012.tsv.gz allowed.0001.txt blocked.a.12345.txt.zst part-0001.parquet \
                       part-12345.parquet blocked.tsv blocked.examplebot.0001.tsv.gz allowed.tsv";
        let others = "allowed urls.txt allowed/x.txt allowed../x.txt blocked.a.b.txt deferred.tsv allowed.txt.bak \
                      blocked.a.b.0001.txt allowed.txtgz verdicts.txt verdicts.a.tsv allowed.parquet \
                      part-0001.parquet.gz part-1.parquet urls.parquet receipt.json .gz";
        for name in outputs.split(' ') {
            assert!(is_output(name), "{name}");
        }
        for name in others.split(' ').chain([""]) {
            assert!(!is_output(name), "{name}");
        }
    }

    #[test]
    fn parts_have_numbers_and_know_their_names() {
        let splits = Splits::new(vec![Agents::everybody()], None, false);
        for (numbered, names) in
            [(true, ["allowed.0001.txt.gz", "allowed.12346.txt.gz"]), (false, ["allowed.txt.gz"; 2])]
        {
            let style = OutputOptions { crawlers: 1, ..OutputOptions::default() };
            let file = &FileName::all(style, &splits, Some(FrameCompression::Gzip), numbered)[0];
            assert_eq!([file.of_part(0), file.of_part(12345)], names);
            for name in names {
                assert!(file.matches(name) && is_output(name), "{name}");
            }
            for name in ["allowed.001.txt.gz", "allowed.0001.txt", "allowed.x.txt.gz", "blocked.txt.gz", "allowed"] {
                assert!(!file.matches(name), "{name}");
            }
        }
        let style = OutputOptions {
            form: OutputMode::Verdicts,
            format: FileFormat::Parquet,
            crawlers: 1,
            ..OutputOptions::default()
        };
        let table = &FileName::all(style, &splits, None, false)[0];
        assert!(table.matches("verdicts/part-0002.parquet") && !table.matches("part-0002.parquet"));
        let name = in_folders("0001-x", "k=1/j=a", &table.of_part(1));
        assert_eq!(name, "0001-x/verdicts/k=1/j=a/part-0002.parquet");
        assert_eq!(table.inner("verdicts/k=1/j=a/part-0002.parquet"), Some("k=1/j=a"));
        assert!(
            is_file_of_run(&name)
                && !is_file_of_run("x/k=1/part-0002.parquet")
                && !is_file_of_run("k=1/part-0002.parquet")
        );
        for other in ["verdicts/other/part-0002.parquet", "verdicts/k=1/part-2.parquet", "k=1/part-0002.parquet"] {
            assert_eq!(table.inner(other), None, "{other}");
        }
    }

    #[test]
    fn the_folder_of_a_list_has_a_name_that_can_be() {
        let folder = |place, name: &str| list_folder(place, Path::new(name));
        assert_eq!(folder(0, "lists/urls.txt"), "0001-urls.txt");
        assert_eq!(folder(12_344, "-"), "12345-standard-input");
        assert_eq!(folder(1, &"x".repeat(250)), format!("0002-{}", "x".repeat(250)));
        assert_eq!(folder(1, &"x".repeat(255)), format!("0002-{}", "x".repeat(250)));
        assert_eq!(folder(1, &"\u{e9}".repeat(127)), format!("0002-{}", "\u{e9}".repeat(125)));
        assert_eq!(folder(1, &format!("x{}", "\u{e9}".repeat(127))), format!("0002-x{}", "\u{e9}".repeat(124)));
        assert!(is_list_folder(&folder(1, &"x".repeat(255))));
    }
}
