//! What the output looks like: lines split into partitions, or all of them with their verdicts, as text or tables, compressed or not; whom
//! they are split for, and the blocks that are written. Columns of the crawlers that may not fetch a line's URL are read back, too.

use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::judge::outcomes::AllowedIf;
use crate::judge::tally::{CrawlerCounts, Tally};
use crate::outcome::Partition;
use crate::preferences::PreferenceColumns;
use crate::robots::Agents;

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

/// How the lines of a run are written: in which form and format, and after which columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutputOptions {
    pub form: OutputMode,
    /// The format of the files; in tables, no columns come before lines.
    #[serde(default)]
    pub format: FileFormat,
    /// How many columns show what blocked a line: before the line in a blocked partition, after each verdict in a file of
    /// verdicts, and after each verdict and its reason in a table.
    #[serde(default)]
    pub causes: usize,
    /// What columns show of what is said about uses of the line's page: before the line in an allowed partition, after each verdict
    /// and its cause in a file of verdicts, and after both and the reason in a table.
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

/// Texts of columns that are kept with what they mean.
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
