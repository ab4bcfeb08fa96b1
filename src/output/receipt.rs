//! The receipt of a run: how many lines went in, where they went and why, and the proof that no line was lost.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::columns::named_causes;
use super::folder::Written;
use super::form::{FileFormat, FrameCompression, OutputMode, OutputOptions, Splits};
use super::table::DroppedKey;
use crate::error::ValueError;
use crate::formats::compression::Compression;
use crate::formats::error::json_problem;
use crate::formats::fit::{self, Row};
use crate::formats::{json, seekable, visible};
use crate::input::error::SkippedPart;
use crate::input::layout::UrlField;
use crate::input::list::{FileState, ListRange};
use crate::input::path_columns::PathColumns;
use crate::input::shard::Shard;
use crate::judge::choices::Choices;
use crate::judge::outcomes::AllowedIf;
use crate::judge::same_url::SameUrl;
use crate::judge::tally::{CrawlerCounts, Tally};
use crate::outcome::Partition;
use crate::policy::Statistics;
use crate::preferences::PreferenceColumns;
use crate::robots::Agents;

/// The version of the receipt format. It increases when a key changes its name or meaning, not when a key is added.
pub const RECEIPT_VERSION: u32 = 1;

/// The receipt, as it is written to `receipt.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The version of the program.
    pub(crate) robosieve: Cow<'static, str>,
    /// The version of the receipt format; docs/receipt.md describes it.
    #[serde(deserialize_with = "known_version")]
    pub(crate) version: u32,
    /// How lines are hashed for the checksums.
    pub(crate) line_hash: Cow<'static, str>,
    /// The options of the run.
    pub(crate) options: ReceiptOptions,
    /// The crawlers.
    pub(crate) agents: Vec<String>,
    /// The dialect.
    pub(crate) dialect: Cow<'static, str>,
    /// The lines read, of all lists together.
    pub(crate) input: Part,
    /// The lines left out because their URLs had occurred before; absent if the run was not asked to leave any out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) duplicates: Option<Part>,
    /// The lines left out because earlier runs have seen their URLs; absent if the run was not asked to leave any out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<Part>,
    /// The file of seen URLs after the run; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen_file: Option<SeenPart>,
    /// The lines left out because their verdicts are those of the older policy; absent if the run was not asked to leave any out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unchanged: Option<Part>,
    /// The partitions by name, with the crawler's if there are several (`allowed.examplebot`). If the run compared policies, the
    /// partitions by the older one are there too, as counts (`allowed.was`, `allowed.was.examplebot`).
    pub(crate) partitions: BTreeMap<String, PartitionPart>,
    /// How many lines changed from one partition to another, by names such as `allowed-to-blocked`, with the crawler's if there are
    /// several; absent if policies were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<BTreeMap<String, u64>>,
    /// The lines of the file of verdicts, without the columns before them; absent if there is no such file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdicts: Option<VerdictsPart>,
    /// The lists.
    pub(crate) lists: Vec<ListPart>,
    /// Whether the checksums prove that all lines that went in came out; absent if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) balanced: Option<bool>,
    /// Line feeds added to last lines without one: if another list follows, and if lines become rows, because each row
    /// counts as ending in a line feed.
    pub(crate) added_line_feeds: u64,
    /// The number of parts of lists skipped because they could not be read; absent if there were none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) skipped: u64,
    /// URLs with a tab inside, valid or not. In a fragment, a tab counts only if it makes the line invalid.
    #[serde(default)]
    pub(crate) urls_with_tabs: u64,
    /// URLs with a `.` or `..` segment.
    pub(crate) dot_segments: u64,
    /// URLs whose fetched path, by which they are judged, differs from the written one: without tabs and CRs, with `/`
    /// for `\\`, and with dot segments resolved. Every URL with a valid origin counts, known or not.
    #[serde(default)]
    pub(crate) rewritten_paths: u64,
    /// How often a URL's path was normalised before matching; with several crawlers, counted for each crawler whose
    /// rules needed it.
    pub(crate) normalised_paths: u64,
    /// URLs judged by the `www.` sibling of their origin, which is not in the policy itself; absent if there were none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) www_fallbacks: u64,
    /// The number of origins to fetch, in `robots-needed.tsv`; absent if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origins_needed: Option<u64>,
    /// The file `robots-needed.tsv`, whose lines are its rows; absent if nothing was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) robots_needed: Option<FilePart>,
    /// The folders of the joined shards, where the partitions are, as seen from the folder of this receipt; absent if the
    /// partitions are beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) shards: Vec<String>,
    /// The checksum of the policy, as in its file.
    pub(crate) policy_checksum: Hex,
    /// How the policy was made, with everything that was dropped from robots.txt files.
    pub(crate) policy: Statistics,
    /// The duration of the run in seconds, without reading the policy.
    pub(crate) seconds: f64,
    /// URLs a second.
    pub(crate) urls_per_second: f64,
    /// Samples of the progress over time.
    #[serde(default)]
    pub(crate) speed: Vec<Sample>,
}

/// The options of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReceiptOptions {
    /// The operator's choices for lines without a definite verdict.
    #[serde(flatten)]
    pub choices: Choices,
    /// Where in a line the URL is.
    pub url_field: UrlField,
    /// How lines are written.
    pub form: OutputMode,
    /// The format of the files; absent if it is text.
    #[serde(default, skip_serializing_if = "FileFormat::is_text")]
    pub format: FileFormat,
    /// Whether blocked lines are written with what blocked them; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
    /// The names of the columns that show it; absent if none do, or in a receipt of a version that did not name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The uses of which columns show what is said of each line's page; absent if none.
    #[serde(default, skip_serializing_if = "PreferenceColumns::is_empty")]
    pub preferences: PreferenceColumns,
    /// Whether lines were split once for all crawlers together, and when they were allowed then; absent if for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_if: Option<AllowedIf>,
    /// How files are compressed; absent if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compress: Option<FrameCompression>,
    /// The most bytes in a file; absent if files are not split into parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_size: Option<u64>,
    /// Which URLs are the same, if lines are left out whose URLs have occurred before; absent if none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<SameUrl>,
    /// The checksum of the file of URLs that earlier runs have seen, 0 if there was none yet; absent if they are not left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Hex>,
    /// The checksum of the keys of all shards, by which lines are left out whose URLs an earlier shard has; absent if they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Hex>,
    /// The checksum of the older policy that verdicts are compared with, as in its file; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Hex>,
    /// Whether lines are left out if both policies put them into the same partition.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_changed: bool,
    /// The number of workers.
    pub threads: usize,
    /// The size of a chunk in bytes.
    pub chunk_size: usize,
    /// Whether each list has its own partitions.
    pub per_input: bool,
    /// What became of the columns in the names of folders of tables; absent if they became columns.
    #[serde(default, skip_serializing_if = "PathColumns::is_default")]
    pub path_columns: PathColumns,
    /// The part of the job that was done; absent if it was the whole job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

impl ReceiptOptions {
    /// The style of the files. Only a file of verdicts has verdicts by the older policy.
    pub(crate) fn style(&self, splits: &Splits) -> OutputOptions {
        let ReceiptOptions { form, format, preferences, .. } = *self;
        let causes = if self.explain { named_causes(&self.columns) } else { 0 };
        let crawlers = if form == OutputMode::Verdicts { splits.count() } else { splits.by_one_policy() };
        OutputOptions { form, format, causes, preferences, crawlers }
    }
}

/// Lines and bytes of a part, with their checksums.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Part {
    /// Lines.
    pub lines: u64,
    /// Bytes, line ends included.
    pub bytes: u64,
    /// The sum of the lines' hashes modulo 2^128, in hexadecimal; absent if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<Hex>,
    /// The sum of `sum` after each line modulo 2^128, in hexadecimal; absent if nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Hex>,
}

/// A 128-bit number, written in hexadecimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hex(pub u128);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        u128::from_str_radix(&text, 16).map(Hex).map_err(serde::de::Error::custom)
    }
}

/// A partition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartitionPart {
    /// The lines that belong to the partition, as read.
    #[serde(flatten)]
    pub judged: Part,
    /// The lines written; absent if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Part>,
    /// The files they were written to, in the order of the lines; none if nothing was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FilePart>,
    /// The reasons, each with its number of lines.
    pub reasons: BTreeMap<Cow<'static, str>, u64>,
}

/// All lines with their verdicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VerdictsPart {
    /// The lines, as written.
    #[serde(flatten)]
    pub written: Part,
    /// The files they were written to, in the order of the lines.
    pub files: Vec<FilePart>,
}

/// A file of lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FilePart {
    /// Its name, relative to the folder of the run, with `/` after the name of a folder. In a joined receipt whose files are
    /// still in the folders of their shards, it begins with the shard's folder, as in [`Receipt::shards`].
    pub name: String,
    /// Its size in bytes, as stored.
    pub file_bytes: u64,
    /// The bytes of the head, before the lines; absent if there is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub head_bytes: u64,
    /// Its lines, decompressed and without the columns before them.
    #[serde(flatten)]
    pub lines: Part,
}

/// Lines that a run left out for one reason.
pub(crate) struct LeftOutPart {
    /// The lines, as a part of a sentence.
    pub lines: &'static str,
    /// The lines of all lists; absent if the run was not asked to leave any out.
    pub part: Option<Part>,
    /// The lines of one list.
    pub of_list: fn(&ListPart) -> Option<Part>,
    /// Whether the options ask for it.
    pub is_asked: bool,
}

impl ReceiptOptions {
    /// Whether lines are to be left out, for each reason in the order of [`Receipt::left_out`].
    pub(crate) fn leaves_out(&self) -> [bool; 3] {
        [self.unique.is_some(), self.seen.is_some(), self.only_changed]
    }
}

/// The most keys of metadata that warnings name.
const KEYS_NAMED: usize = 5;

impl Receipt {
    /// The warnings about keys of the lists' metadata that the files do not have.
    pub(crate) fn about_metadata(&self) -> Vec<String> {
        let dropped = self.lists.iter().flat_map(|list| list.dropped_metadata.iter().map(move |key| (&list.path, key)));
        let more = dropped.clone().count().saturating_sub(KEYS_NAMED);
        let mut warnings: Vec<String> =
            dropped.take(KEYS_NAMED).map(|(list, key)| format!("the list {}: {key}", visible(list))).collect();
        if more > 0 {
            warnings.push(format!("{more} more keys of lists' metadata are not kept; the receipt names them"));
        }
        warnings
    }
}

impl Receipt {
    /// The lines read, of all lists together.
    pub fn lines(&self) -> u64 {
        self.input.lines
    }

    /// The partitions by name, with the crawler's if there are several (`allowed.examplebot`), each with the lines judged to go there. If
    /// the run compared policies, the partitions by the older one are there too (`allowed.was`, `allowed.was.examplebot`).
    pub fn partitions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.partitions.iter().map(|(name, part)| (&**name, part.judged.lines))
    }

    /// Whether all lines that went in came out, by the checksums; `None` if nothing was written.
    pub fn is_balanced(&self) -> Option<bool> {
        self.balanced
    }

    /// The duration of the run in seconds, without reading the policy.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The same, to be changed.
    pub(crate) fn left_out_mut(&mut self) -> [&mut Option<Part>; 3] {
        [&mut self.duplicates, &mut self.seen, &mut self.unchanged]
    }

    /// The lines left out, in the order of the reasons: a line counts under the first reason that applies.
    pub(crate) fn left_out(&self) -> [LeftOutPart; 3] {
        let [of_duplicates, of_seen, of_unchanged] = self.options.leaves_out();
        let part = |lines, part, of_list, is_asked| LeftOutPart { lines, part, of_list, is_asked };
        [
            part("duplicates", self.duplicates, |list| list.duplicates, of_duplicates),
            part("seen lines", self.seen, |list| list.seen, of_seen),
            part("unchanged lines", self.unchanged, |list| list.unchanged, of_unchanged),
        ]
    }
}

/// A file of seen URLs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SeenPart {
    /// Its path.
    pub path: String,
    /// The number of URLs.
    pub urls: u64,
    /// Its checksum, as in its header.
    pub checksum: Hex,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListPart {
    /// Its path, as given; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The bytes of its path in Base64, if they are not UTF-8; absent if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_base64: Option<String>,
    /// The state of its file; absent if it is a pipe or a device, or a compressed table, which is read from a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileState>,
    /// The part of it that a shard read; absent if the whole list was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<ListRange>,
    /// The layout of its lines: `lines` if each is a URL, `delimited`, `cdxj` or `parquet`.
    pub format: Cow<'static, str>,
    /// How it is compressed; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
    /// Its head line, with which every file of its lines begins; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Part>,
    /// Its lines, decompressed, without the head line.
    #[serde(flatten)]
    pub input: Part,
    /// Its lines left out because their URLs had occurred before, in this list or an earlier one; absent if the run was not asked
    /// to leave any out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<Part>,
    /// Its lines left out because earlier runs have seen their URLs; absent if the run was not asked to leave any out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Part>,
    /// Its lines left out because both policies put them into the same partition; absent if the run was not asked to
    /// leave any out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<Part>,
    /// The parts skipped because they could not be read, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedPart>,
    /// The keys of its metadata that the files of its rows do not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped_metadata: Vec<DroppedKey>,
    /// Its lines that are invalid because of a tab; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tabbed: Option<TabbedLines>,
    /// Where its lines went.
    pub partitions: BTreeMap<String, Part>,
}

/// The lines of a list that are invalid because of a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TabbedLines {
    /// How many.
    pub lines: u64,
    /// The number of the first one, counted from 1, without the head line; of a shard, within the part that it read.
    pub first: u64,
}

impl ListPart {
    /// The lines left out, in the order of the reasons.
    pub(crate) fn left_out_mut(&mut self) -> [&mut Option<Part>; 3] {
        [&mut self.duplicates, &mut self.seen, &mut self.unchanged]
    }

    /// Its path, byte for byte; `None` if the receipt names none.
    pub(crate) fn exact_path(&self) -> Option<PathBuf> {
        json::read(&self.path, self.path_base64.as_deref())
    }
}

impl Part {
    /// The part of a tally, with its checksums if they were computed.
    pub(crate) fn of(tally: &Tally, checksums: bool) -> Part {
        Part {
            lines: tally.lines,
            bytes: tally.bytes,
            sum: checksums.then_some(Hex(tally.sum)),
            order: checksums.then_some(Hex(tally.order)),
        }
    }

    /// The tally of the part; checksums that were not computed are 0.
    pub(crate) fn tally(&self) -> Tally {
        let [sum, order] = [self.sum, self.order].map(|checksum| checksum.map_or(0, |Hex(checksum)| checksum));
        Tally { lines: self.lines, bytes: self.bytes, sum, order }
    }

    /// Appends the lines of `next`; drops the checksums if either has none.
    pub(crate) fn append(&mut self, next: &Part) {
        let checksums = self.order.is_some() && next.order.is_some();
        let mut tally = self.tally();
        tally.append(&next.tally());
        *self = Part::of(&tally, checksums);
    }

    /// How these lines differ from the `found` lines, if they do.
    pub(crate) fn difference(&self, found: &Tally) -> Option<String> {
        self.tally().difference(found)
    }
}

/// Reads the version of the format, and refuses any other: its keys may have other meanings.
fn known_version<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = serde_json::Number::deserialize(deserializer)?;
    match version.as_u64() == Some(RECEIPT_VERSION.into()) {
        true => Ok(RECEIPT_VERSION),
        false => Err(serde::de::Error::custom(format_args!(
            "version {version} of receipts is unknown, only {RECEIPT_VERSION} is known; use the robosieve that wrote it"
        ))),
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Receipt {
    /// Reads the receipt at `path`, if there is one.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Receipt>> {
        match seekable::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
            Ok(file) => match serde_json::from_reader(BufReader::new(file)) {
                Ok(receipt) => Ok(Some(receipt)),
                Err(error) if error.is_io() => Err(error.into()),
                Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, json_problem(&error))),
            },
        }
    }

    /// The crawlers.
    pub(crate) fn crawlers(&self) -> Result<Vec<Agents>, ValueError> {
        self.agents.iter().map(|text| Agents::written(text, &self.dialect)).collect()
    }

    /// Whom lines were split for. The agents were checked when the receipt was read.
    pub(crate) fn splits(&self) -> Splits {
        let agents = self.crawlers().unwrap_or_default();
        Splits::new(agents, self.options.allowed_if, self.options.against.is_some())
    }

    /// The rows of the run's files.
    pub(crate) fn style(&self) -> OutputOptions {
        self.options.style(&self.splits())
    }

    /// Records `robots-needed.tsv`, as it was written.
    pub(crate) fn set_robots_needed(&mut self, file: &Written) {
        self.origins_needed = Some(file.tally.lines);
        self.robots_needed = Some(FilePart::of(file));
    }

    /// The lists of files of each partition, or that of the verdicts.
    pub(crate) fn file_lists(&self) -> impl Iterator<Item = &Vec<FilePart>> {
        let verdicts = self.verdicts.iter().map(|verdicts| &verdicts.files);
        self.partitions.values().map(|part| &part.files).chain(verdicts)
    }

    /// The same, to be changed.
    pub(crate) fn file_lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<FilePart>> {
        let verdicts = self.verdicts.iter_mut().map(|verdicts| &mut verdicts.files);
        self.partitions.values_mut().map(|part| &mut part.files).chain(verdicts)
    }
}

impl FilePart {
    pub(crate) fn of(file: &Written) -> FilePart {
        let Written { name, head, end, tally, .. } = file;
        FilePart { name: name.clone(), file_bytes: *end, head_bytes: *head, lines: Part::of(tally, true) }
    }
}

/// The reasons of a partition, each with its number of lines.
pub(crate) fn reasons(partition: Partition, counts: &CrawlerCounts) -> BTreeMap<Cow<'static, str>, u64> {
    let of_partition = counts.outcomes().filter(|(outcome, _)| outcome.partition() == partition);
    of_partition.map(|(outcome, lines)| (outcome.reason().name().into(), lines)).collect()
}

/// A number with its noun, in the singular or plural.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// The progress of a run at one point in time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sample {
    /// Seconds since the run began or was resumed.
    pub seconds: f64,
    /// Lines judged in that time.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl fmt::Display for Receipt {
    /// A short table of the run, in 80 columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fit::table(&self.rows_of_summary()))?;
        if let Some(changes) = &self.changes {
            let changes = if changes.is_empty() { vec!["no line".to_owned()] } else { listed(changes) };
            writeln!(f, "{}", fit::wrapped([vec!["changed:".to_owned()], changes].concat()))?;
        }
        if self.skipped > 0 {
            let (part, parts) =
                ("part of a list could not be read and was", "parts of lists could not be read and were");
            writeln!(f, "{} skipped", counted(self.skipped, part, parts))?;
        }
        if let Some(needed) = self.origins_needed.filter(|&needed| needed > 0) {
            writeln!(f, "{needed} robots.txt to fetch, in robots-needed.tsv")?;
        }
        let notes: u64 = self.policy.notes.iter().map(|(_, count)| count).sum();
        if notes > 0 {
            let lines = counted(notes, "line or part", "lines or parts");
            let had_none = format!("{lines} of robots.txt files had no effect;");
            // If lines are only counted or printed, no receipt is written.
            let where_to = match self.origins_needed {
                Some(_) => "the receipt lists their kinds, `robosieve lint` the lines",
                None => "`robosieve lint` lists the lines",
            };
            writeln!(f, "{}", fit::wrapped([had_none.as_str(), where_to]))?;
        }
        for (name, count) in self.policy.captures.flaws() {
            writeln!(f, "bodies: {name} {count}")?;
        }
        for (name, count) in self.policy.warc.flaws() {
            writeln!(f, "WARC: {name} {count}")?;
        }
        f.write_str(&self.conclusion())
    }
}

impl Receipt {
    /// The lines of each partition, the lines left out, and all lines.
    fn rows_of_summary(&self) -> Vec<Row> {
        let all = self.input.lines.max(1) as f64;
        let row = |name: &str, Part { lines, bytes, .. }: Part, text| {
            let share = format!("{:.2}%", 100.0 * lines as f64 / all);
            Row { name: visible(name).to_string(), cells: vec![lines.to_string(), share, bytes.to_string()], text }
        };
        let head = ["lines", "share", "bytes"].map(str::to_owned).to_vec();
        let mut rows = vec![Row { name: "partition".to_owned(), cells: head, text: vec!["reasons".to_owned()] }];
        rows.extend(self.partitions.iter().map(|(name, part)| row(name, part.judged, listed(&part.reasons))));
        for (name, part, why) in [
            ("duplicates", self.duplicates, "duplicate URLs, left out"),
            ("seen", self.seen, "seen by earlier runs, left out"),
            ("unchanged", self.unchanged, "the same by both policies, left out"),
        ] {
            rows.extend(part.map(|part| row(name, part, vec![why.to_owned()])));
        }
        let Part { lines, bytes, .. } = self.input;
        let cells = vec![lines.to_string(), String::new(), bytes.to_string()];
        rows.push(Row { name: "input".to_owned(), cells, text: Vec::new() });
        rows
    }

    /// The policy that judged the lines, how fast, and whether all lines came out.
    fn conclusion(&self) -> String {
        let origins = counted(self.policy.origins, "origin", "origins");
        let groups = counted(self.policy.automata, "distinct group", "distinct groups");
        let speed = format!("{:.3} s, {:.2} million URLs a second", self.seconds, self.urls_per_second / 1e6);
        let proof = match self.balanced {
            Some(true) if self.skipped > 0 => "every line that could be read is accounted for",
            Some(true) => "every line is accounted for",
            _ => return fit::wrapped([format!("{origins}, {groups};"), speed]),
        };
        fit::wrapped([format!("{origins}, {groups};"), format!("{speed};"), proof.to_owned()])
    }
}

/// Counts by name, as pieces of a text.
fn listed<'c>(counts: impl IntoIterator<Item = (&'c (impl AsRef<str> + 'c), &'c u64)>) -> Vec<String> {
    let listed = counts.into_iter().map(|(name, count)| format!("{} {count}", visible(name.as_ref())));
    fit::comma_separated(listed.collect())
}
