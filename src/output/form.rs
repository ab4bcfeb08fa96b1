//! The form of the output: lines split into partitions, or all lines with their verdicts; text or tables; compressed or
//! not; the columns before lines; the crawlers that lines are split for; and the blocks that are written. This module
//! also parses the columns of crawlers that may not fetch a line's URL.

use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::formats::time;
use crate::formats::visible::escaped;
use crate::judge::explain::Cause;
use crate::judge::outcomes::AllowedIf;
use crate::judge::tally::{CrawlerCounts, Tally};
use crate::outcome::Partition;
use crate::preferences::{PreferenceColumn, PreferenceColumns, Preferred};
use crate::robots::Agents;
use crate::rules::chosen::KeptRule;

named! {
    /// Whether lines are split into partitions, or stay together with their verdicts. See [`FileFormat`] for the format of the files.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum OutputMode {
        /// One file for each partition of each crawler.
        #[default]
        Partitions = "partitions",
        /// One file with all lines, in order, each after its partition's name for each crawler, separated by tabs. The names come
        /// first because a line may contain tabs.
        Verdicts = "verdicts",
        /// One file with all lines, in order, each after two columns: the names of the crawlers that it is blocked for, and of those
        /// that it is deferred for, separated by commas. A line without a valid URL is blocked for all of them.
        BlockedFor = "blocked-for",
    }
}

impl OutputMode {
    /// Whether all lines go to one file.
    pub(crate) fn is_whole(self) -> bool {
        self != OutputMode::Partitions
    }
}

/// The columns of crawlers that may not fetch a line's URL.
pub(crate) const REFUSED: [&str; 2] = ["blocked_for", "deferred_for"];

/// The byte after each column before a line.
pub(crate) const SEPARATOR: u8 = b'\t';

/// The columns that show what blocked a line.
const CAUSE: [&str; 3] = ["rule", "line", "captured"];

/// The most bytes of a rule that are shown, because a rule may be as long as its robots.txt and block every line.
const LONGEST_RULE: usize = 200;

/// The most bytes that they take, escaped.
const LONGEST_ESCAPED: usize = 2 * LONGEST_RULE;

/// Appended to a rule that was cut.
const CUT: &[u8] = b"...";

/// How many times as long as its line a cause can be: no line is shorter than a scheme and `//a`.
pub(crate) const CAUSE_FACTOR: u64 = 50;

/// How the lines of a run are written: in which mode and format, and after which columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutputOptions {
    pub form: OutputMode,
    /// The format of the files; in tables, no columns come before lines.
    #[serde(default)]
    pub format: FileFormat,
    /// Whether columns show what blocked a line: before the line in a blocked partition, after each verdict in a file of
    /// verdicts, and after each verdict and its reason in a table.
    pub explain: bool,
    /// The columns of preferences about uses of the line's page: before the line in an allowed partition, after each
    /// verdict and its cause in a file of verdicts, and after these and the reason in a table.
    #[serde(default, skip_serializing_if = "PreferenceColumns::is_empty")]
    pub preferences: PreferenceColumns,
    /// The number of crawlers with separate files or columns; with two policies, each crawler counts twice.
    pub crawlers: usize,
}

impl OutputOptions {
    /// The number of files.
    pub fn files(self) -> usize {
        if self.form.is_whole() { 1 } else { Partition::COUNT * self.crawlers }
    }

    /// The number of columns before each line of a file.
    pub fn columns(self, file: usize) -> usize {
        match self.form {
            _ if self.format == FileFormat::Parquet => 0,
            OutputMode::Partitions => self.columns_of_partition(file).count(),
            OutputMode::Verdicts => self.columns_of_verdict() * self.crawlers,
            OutputMode::BlockedFor => REFUSED.len(),
        }
    }

    /// The columns before the lines of a partition's file: the cause before blocked lines, and preferences before
    /// allowed lines, because other pages may not be fetched.
    fn columns_of_partition(self, file: usize) -> impl Iterator<Item = &'static str> {
        let is_of = |partition: Partition| file % Partition::COUNT == partition as usize;
        let causes = if self.explain && is_of(Partition::Blocked) { &CAUSE[..] } else { &[] };
        let said = if is_of(Partition::Allowed) { self.preferences } else { PreferenceColumns::default() };
        causes.iter().copied().chain(said.all().map(PreferenceColumn::name))
    }

    /// The number of columns of a verdict, its cause, and preferences.
    pub fn columns_of_verdict(self) -> usize {
        1 + if self.explain { CAUSE.len() } else { 0 } + self.preferences.count()
    }

    /// The head of a file of lines with these splits; `lists_head` is the head line of its lists, which may be empty.
    pub fn head(self, file: usize, splits: &Splits, lists_head: &[u8]) -> Vec<u8> {
        let columns = match self.form {
            OutputMode::Partitions if self.columns(file) == 0 => return lists_head.to_vec(),
            OutputMode::Partitions => self.columns_of_partition(file).map(|name| format!("{name}\t")).collect(),
            OutputMode::Verdicts => {
                let crawlers = splits.names().into_iter().zip(splits.labels()).take(self.crawlers);
                crawlers.map(|(name, label)| self.verdict_head(&name, &label)).collect()
            }
            OutputMode::BlockedFor => REFUSED.map(|name| format!("{name}\t")).concat(),
        };
        [columns.as_bytes(), if lists_head.is_empty() { NO_HEAD } else { lists_head }].concat()
    }

    /// The names of a crawler's columns. Those after the verdict carry its name too, if it has a label.
    fn verdict_head(self, name: &str, label: &str) -> String {
        let label = if label.is_empty() { "" } else { name };
        let causes = if self.explain { &CAUSE[..] } else { &[] };
        let said = self.preferences.all().map(PreferenceColumn::name);
        let columns = causes.iter().copied().chain(said).map(|column| labelled(column, label));
        std::iter::once(name.to_owned()).chain(columns).map(|name| name + "\t").collect()
    }

    /// The tally of lines about to be written to a file, without the columns before them.
    pub fn tally(self, file: usize, text: &[u8]) -> Tally {
        let columns = self.columns(file);
        Tally::of_text(text, |line| rest_of_row(line, columns))
    }

    /// The tallies that the files must have if all judged lines are written.
    pub fn expected(self, judged: &Tally, added_line_feeds: u64, crawlers: &[CrawlerCounts]) -> Vec<Tally> {
        match self.form.is_whole() {
            true => vec![Tally { bytes: judged.bytes + added_line_feeds, ..*judged }],
            false => crawlers.iter().take(self.crawlers).flat_map(|counted| counted.tallies).collect(),
        }
    }
}

/// Lines written to one file together.
#[derive(Debug)]
pub(crate) struct Block<'b> {
    /// The set of files, and the file's index within the set.
    pub set: usize,
    pub file: usize,
    /// The bytes to write, one piece after the other.
    pub pieces: Vec<Cow<'b, [u8]>>,
    pub tally: Tally,
}

impl Block<'_> {
    /// The total length of its pieces, in bytes.
    pub fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}

/// The name of the last column, that of the lines, if the lists have no head line.
pub(crate) const NO_HEAD: &[u8] = b"url\n";

/// A line without the first `columns` columns; empty if it has fewer.
pub(crate) fn rest_of_row(line: &[u8], columns: usize) -> &[u8] {
    (0..columns).fold(line, |line, _| {
        let end = memchr::memchr(SEPARATOR, line);
        end.map_or(&[], |end| &line[end + 1..])
    })
}

/// Writes the columns of a cause: the rule, its line number and the time of its capture, as far as they exist.
pub(crate) fn put_cause(cause: &Cause, out: &mut Vec<u8>) {
    if let Some(rule) = &cause.rule {
        put_rule(rule, out, put_escaped);
    }
    out.push(SEPARATOR);
    if let Some(rule) = &cause.rule {
        out.extend_from_slice(rule.line.to_string().as_bytes());
    }
    out.push(SEPARATOR);
    if let Some(captured) = cause.captured {
        out.extend_from_slice(time(captured).as_bytes());
    }
    out.push(SEPARATOR);
}

/// Writes the value of a rule, escaped; returns whether there was room for all of it.
fn put_escaped(value: &[u8], out: &mut Vec<u8>) -> bool {
    let end = out.len() + LONGEST_ESCAPED;
    let put = |piece: &[u8]| {
        let fits = out.len() + piece.len() <= end;
        out.extend_from_slice(if fits { piece } else { b"" });
        if fits { Ok(()) } else { Err(()) }
    };
    escaped(value, put).is_ok()
}

/// Writes a rule, cut if it is too long; `put_value` writes its value, and returns whether it wrote all of it.
pub(super) fn put_rule(rule: &KeptRule, out: &mut Vec<u8>, put_value: impl FnOnce(&[u8], &mut Vec<u8>) -> bool) {
    out.extend_from_slice(rule.key().as_bytes());
    out.extend_from_slice(b": ");
    let value = rule.value.get(..LONGEST_RULE).unwrap_or(&rule.value);
    let is_all = put_value(value, out) && value.len() == rule.value.len();
    out.extend_from_slice(if is_all { b"" } else { CUT });
}

/// Writes the columns of preferences about uses of a page.
pub(crate) fn put_preferences(columns: PreferenceColumns, preferred: &Preferred, out: &mut Vec<u8>) {
    for column in columns.all() {
        out.extend_from_slice(column.value(preferred).unwrap_or_default().as_bytes());
        out.push(SEPARATOR);
    }
}

/// Leaves the columns of the cause empty.
pub(crate) fn put_no_cause(out: &mut Vec<u8>) {
    out.extend_from_slice(&[SEPARATOR; CAUSE.len()]);
}

/// How many texts of columns are cached with their meaning.
const KEPT: usize = 4096;

/// Reads the names of crawlers that lines are blocked and deferred for.
pub(crate) struct RefusedColumns {
    /// The indexes of crawlers, by name.
    crawlers: HashMap<Vec<u8>, usize>,
    verdicts: Vec<Option<Partition>>,
    known: HashMap<Vec<u8>, Vec<Option<Partition>>>,
}

impl RefusedColumns {
    /// Columns that may name these crawlers.
    pub fn new(agents: &[Agents]) -> RefusedColumns {
        let crawlers: HashMap<_, _> = agents.iter().map(|agents| crawler_name(agents).into_bytes()).zip(0..).collect();
        RefusedColumns { crawlers, verdicts: vec![None; agents.len()], known: HashMap::new() }
    }

    /// The verdict for each crawler of a line with these columns, each ended by a tab; `None` for all if they are not
    /// two lists of its crawlers. If a line is blocked for all, the columns do not show whether it is invalid.
    pub fn of_text(&mut self, columns: &[u8]) -> &[Option<Partition>] {
        if !self.known.contains_key(columns) {
            if self.known.len() == KEPT {
                self.known.clear();
            }
            let texts: Vec<&[u8]> = columns.split(|&byte| byte == SEPARATOR).collect();
            let verdicts = match texts[..] {
                [blocked, deferred, b""] => self.of_lists([blocked, deferred].map(names)).to_vec(),
                _ => vec![None; self.verdicts.len()],
            };
            self.known.insert(columns.to_vec(), verdicts);
        }
        &self.known[columns]
    }

    /// The verdict for each crawler of a line that is blocked for the crawlers of the first list, and deferred for
    /// those of the second; `None` for all if a name is unknown or repeated.
    pub fn of_lists<'n>(&mut self, lists: [impl IntoIterator<Item = &'n [u8]>; 2]) -> &[Option<Partition>] {
        self.verdicts.fill(Some(Partition::Allowed));
        for (names, partition) in lists.into_iter().zip([Partition::Blocked, Partition::Deferred]) {
            for name in names {
                match self.crawlers.get(name).map(|&crawler| &mut self.verdicts[crawler]) {
                    Some(verdict) if *verdict == Some(Partition::Allowed) => *verdict = Some(partition),
                    _ => {
                        self.verdicts.fill(None);
                        return &self.verdicts;
                    }
                }
            }
        }
        &self.verdicts
    }
}

/// The names in a text, separated by commas.
fn names(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let all = (!text.is_empty()).then(|| text.split(|&byte| byte == b','));
    all.into_iter().flatten()
}

named! {
    /// The format of the files of lines, in either [`OutputMode`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
    #[non_exhaustive]
    pub enum FileFormat {
        /// The lines, as they were read.
        #[default]
        Text = "text",
        /// Parquet, one row a line: the columns of the list, then the reason and, if asked for, what blocked the line. The verdict is
        /// a column in [`OutputMode::Verdicts`], and otherwise the name of the folder. For a list that is not
        /// a table, the columns are `url` and, where the line is more than that, `line`.
        Parquet = "parquet",
    }
}

/// Bytes of a chunk of text, unless the memory allows less or the job asks for another size.
const TEXT_CHUNK: usize = 1 << 20;

/// Bytes of lines in a chunk that becomes rows, some 100,000: about a row group of a list, which is decoded only as a whole.
const TABLE_CHUNK: usize = 8 << 20;

impl FileFormat {
    /// Whether it is text, the default, which receipts leave out.
    pub(crate) fn is_text(&self) -> bool {
        *self == FileFormat::Text
    }

    /// Chunks are made small enough for this many workers to fit into memory. More workers keep larger machines busy, fewer give
    /// larger frames, which compress faster. With 1 GiB, chunks are 1 MiB, or 8 MiB of lines that become rows, or 128 KiB where
    /// blocked lines are explained, which takes far more memory.
    pub(crate) fn usual_workers(self, explain: bool) -> usize {
        match self {
            FileFormat::Text if explain => 8,
            FileFormat::Text => 16,
            FileFormat::Parquet => 3,
        }
    }

    /// Bytes of a chunk of text if rows are read in chunks of this size; text that becomes rows does not need chunks
    /// that large.
    pub(crate) fn text_chunk(self, chunk_size: usize) -> usize {
        match self {
            FileFormat::Text => chunk_size,
            FileFormat::Parquet => chunk_size.div_ceil(TABLE_CHUNK / TEXT_CHUNK),
        }
    }

    /// Bytes of a chunk, if there is enough memory.
    pub(crate) fn chunk_size(self) -> usize {
        match self {
            FileFormat::Text => TEXT_CHUNK,
            FileFormat::Parquet => TABLE_CHUNK,
        }
    }
}

// Compressed output, as independent frames (gzip members, Zstandard frames). Workers can make them in parallel, and
// every tool reads the file as one text.

named! {
    /// How files of text are compressed: as a sequence of independent frames.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[non_exhaustive]
    pub enum FrameCompression {
        /// RFC 1952, at the default level of `gzip`.
        Gzip = "gzip",
        /// RFC 8878 with a checksum, at the default level of `zstd`.
        Zstd = "zstd",
    }
}

/// The default levels of `gzip` and `zstd`.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;

impl FrameCompression {
    /// The extension of file names, for example `gz`.
    pub fn extension(self) -> &'static str {
        match self {
            FrameCompression::Gzip => "gz",
            FrameCompression::Zstd => "zst",
        }
    }
}

/// Makes frames. Equal texts always give equal frames, whatever was compressed before.
pub(crate) enum Compressor {
    Gzip,
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    pub fn new(format: FrameCompression) -> io::Result<Compressor> {
        Ok(match format {
            FrameCompression::Gzip => Compressor::Gzip,
            FrameCompression::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
                compressor.include_checksum(true)?;
                Compressor::Zstd(compressor)
            }
        })
    }

    /// Compresses a text into a frame.
    pub fn frame(&mut self, text: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Compressor::Gzip => {
                let half = Vec::with_capacity(text.len() / 2);
                let mut encoder = GzEncoder::new(half, flate2::Compression::new(GZIP_LEVEL));
                encoder.write_all(text)?;
                encoder.finish()
            }
            Compressor::Zstd(compressor) => compressor.compress(text),
        }
    }
}

/// The label of the crawler `*` in file names.
const EVERYBODY: &str = "default";

/// Stands for the older policy in names.
pub(crate) const WAS: &str = "was";

/// The crawlers that lines are split for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splits {
    agents: Vec<Agents>,
    allowed_if: Option<AllowedIf>,
    is_compared: bool,
}

impl Splits {
    /// These crawlers, or all of them together if `allowed_if` is set; if policies are compared, by both policies.
    pub fn new(agents: Vec<Agents>, allowed_if: Option<AllowedIf>, is_compared: bool) -> Splits {
        Splits { agents, allowed_if, is_compared }
    }

    /// Whether lines are also split by an older policy.
    pub fn is_compared(&self) -> bool {
        self.is_compared
    }

    /// How many splits there are by one policy.
    pub fn by_one_policy(&self) -> usize {
        AllowedIf::split_count(self.allowed_if, self.agents.len())
    }

    /// How many splits there are.
    pub fn count(&self) -> usize {
        if self.is_compared { 2 * self.by_one_policy() } else { self.by_one_policy() }
    }

    /// The agents of the splits by one policy. If lines are split once for all crawlers, the first stands for all.
    pub fn agents(&self) -> &[Agents] {
        &self.agents[..self.by_one_policy()]
    }

    /// Their names, as columns have them: first by the policy of the run, then by the older one.
    pub fn names(&self) -> Vec<String> {
        let names: Vec<String> = self.agents.iter().map(Agents::to_string).collect();
        self.by_both(match self.allowed_if {
            Some(allowed) if names.len() > 1 => vec![format!("{} of {}", allowed.name(), names.join(", "))],
            _ => names,
        })
    }

    /// Their labels in the names of files and columns. The label is empty if there is only one crawler.
    pub fn labels(&self) -> Vec<String> {
        let label = |agents: &Agents| match agents.tokens() {
            _ if self.by_one_policy() == 1 => String::new(),
            [] => EVERYBODY.to_owned(),
            _ => crawler_name(agents),
        };
        self.by_both(self.agents().iter().map(label).collect())
    }

    /// The names of all partitions: `allowed`, or `allowed.examplebot` if there are several crawlers, then
    /// `allowed.was`.
    pub fn partitions(&self) -> Vec<String> {
        self.labels()
            .iter()
            .flat_map(|label| Partition::ALL.map(|partition| labelled(partition.name(), label)))
            .collect()
    }

    /// The names of all changes from one partition to another, such as `allowed-to-blocked`, with the label of the
    /// crawler if there are several; and the numbers of both partitions among the current ones in
    /// [`Splits::partitions`].
    pub fn changes(&self) -> Vec<(String, [usize; 2])> {
        let mut all = Vec::new();
        for (split, label) in self.labels().iter().take(self.by_one_policy()).enumerate() {
            let of_split = Partition::ALL.into_iter().flat_map(|was| Partition::ALL.map(|now| (was, now)));
            for (was, now) in of_split.filter(|(was, now)| was != now) {
                let name = labelled(&format!("{}-to-{}", was.name(), now.name()), label);
                all.push((name, [was, now].map(|partition| Partition::COUNT * split + partition as usize)));
            }
        }
        all
    }

    /// The names of the splits by one policy, and if policies are compared, of those by the older policy.
    fn by_both(&self, names: Vec<String>) -> Vec<String> {
        let was = |name: &String| if self.by_one_policy() == 1 { WAS.to_owned() } else { format!("{WAS}.{name}") };
        let older: Vec<String> = if self.is_compared { names.iter().map(was).collect() } else { Vec::new() };
        [names, older].concat()
    }
}

/// The name of a crawler in a list of names: a crawler with several tokens has them joined by `+`, as in the names of files.
pub(crate) fn crawler_name(agents: &Agents) -> String {
    if agents.tokens().is_empty() { agents.to_string() } else { agents.tokens().join("+") }
}

/// A name with a label, if there is one.
pub(crate) fn labelled(name: &str, label: &str) -> String {
    if label.is_empty() { name.to_owned() } else { format!("{name}.{label}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_before_a_line_are_not_counted() {
        let style = OutputOptions {
            form: OutputMode::Verdicts,
            format: FileFormat::Text,
            explain: false,
            preferences: PreferenceColumns::default(),
            crawlers: 2,
        };
        let of = |text: &str| style.tally(0, text.as_bytes());
        let mut plain = Tally::default();
        for line in ["http://a/\tx", ""] {
            plain.add_hashed(crate::judge::line_hash(line.as_bytes()), line.len() + 1);
        }
        assert_eq!(of("allowed\tblocked\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain);
        assert_ne!(of("allowed\thttp://a/\tx\ninvalid\tinvalid\t\n"), plain, "a column is missing");
        let style = OutputOptions {
            form: OutputMode::Partitions,
            format: FileFormat::Text,
            explain: true,
            preferences: PreferenceColumns::default(),
            crawlers: 2,
        };
        let text = b"Disallow: /\t2\t\thttp://a/\tx\n\t\t\t\n";
        assert_eq!([1, 5].map(|file| style.tally(file, text)), [plain; 2], "blocked, of either crawler");
        assert_eq!(style.tally(0, b"http://a/\tx\n\n"), plain, "allowed");
    }

    #[test]
    fn a_long_rule_is_cut() {
        let of = |value: Vec<u8>| {
            let mut out = Vec::new();
            let rule = KeptRule { allow: false, value, line: u32::MAX, about_uses: None };
            put_cause(&Cause { rule: Some(rule), agent: None, captured: Some(i64::MAX >> 16), status: None }, &mut out);
            out
        };
        let columns = |value: &str| format!("Disallow: {value}\t4294967295\t140737488355327\t").into_bytes();
        let longest = "x".repeat(LONGEST_RULE);
        assert_eq!(of(longest.clone().into_bytes()), columns(&longest));
        assert_eq!(of(format!("{longest}y").into_bytes()), columns(&format!("{longest}...")));
        assert_eq!(of(b"*".repeat(500_000)), columns(&format!("{}...", "*".repeat(LONGEST_RULE))));
        let shortest = b"http://a\n".len() as u64;
        for escaped in [&b"\t"[..], b"\x1b", b"\x9b", "\u{202e}".as_bytes()] {
            let columns = of(escaped.repeat(500_000 / escaped.len()));
            assert!(columns.len() as u64 <= CAUSE_FACTOR * shortest, "all of it escaped: {}", columns.len());
            assert!(columns.windows(4).any(|end| end == b"...\t"), "cut");
        }
    }

    #[test]
    fn a_cause_takes_its_columns_whatever_the_rule_is() {
        let rule = KeptRule { allow: false, value: b"/a\tb\\\xff".to_vec(), line: 7, about_uses: None };
        let cause = |rule, captured| {
            let mut out = Vec::new();
            put_cause(&Cause { rule, agent: None, captured, status: None }, &mut out);
            out
        };
        assert_eq!(cause(Some(rule.clone()), Some(0)), b"Disallow: /a\\tb\\\\\xff\t7\t1970-01-01T00:00:00Z\t");
        let mut none = Vec::new();
        put_no_cause(&mut none);
        assert_eq!(cause(None, None), none);
    }

    #[test]
    fn columns_name_the_crawlers_that_may_not_fetch() {
        let agents = ["a", "b,c", "*"].map(|name| name.parse().unwrap());
        let mut columns = RefusedColumns::new(&agents);
        let [allowed, blocked, deferred] = [Partition::Allowed, Partition::Blocked, Partition::Deferred].map(Some);
        for (text, expected) in [
            ("\t\t", [allowed; 3]),
            ("a\t\t", [blocked, allowed, allowed]),
            ("a,*\tb+c\t", [blocked, deferred, blocked]),
            ("", [None; 3]),
            ("a\t", [None; 3]),
            ("d\t\t", [None; 3]),
            ("a,a\t\t", [None; 3]),
            ("a\ta\t", [None; 3]),
            ("a,\t\t", [None; 3]),
        ] {
            assert_eq!(columns.of_text(text.as_bytes()), expected, "{text:?}");
            assert_eq!(columns.of_text(text.as_bytes()), expected, "{text:?}, again");
        }
    }

    #[test]
    fn those_by_the_older_policy_come_last_under_names_of_their_own() {
        let of = |agents: &[&str], allowed_if, is_compared| {
            let agents = agents.iter().map(|agents| agents.parse().unwrap()).collect();
            let splits = Splits::new(agents, allowed_if, is_compared);
            assert_eq!(splits.partitions().len(), 4 * splits.count());
            assert_eq!(splits.labels().len(), splits.count());
            (splits.names(), splits.partitions()[4 * (splits.count() - 1)].clone())
        };
        assert_eq!(of(&["a"], None, false), (vec!["a".to_owned()], "allowed".to_owned()));
        assert_eq!(of(&["a"], None, true), (["a", "was"].map(str::to_owned).to_vec(), "allowed.was".to_owned()));
        // A crawler may have that name.
        let several = ["was", "*", "was.was", "was.*"].map(str::to_owned).to_vec();
        assert_eq!(of(&["was", "*"], None, true), (several, "allowed.was.default".to_owned()));
        let together = ["any of a, b", "was"].map(str::to_owned).to_vec();
        assert_eq!(of(&["a", "b"], Some(AllowedIf::Any), true), (together, "allowed.was".to_owned()));
    }
}
