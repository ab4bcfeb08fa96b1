//! A folder to run the program in, and access to the files of a run.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use robosieve::formats::compression::Reader;
use serde_json::Value;
use tempfile::TempDir;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_robosieve");

/// The partitions, in the order of the receipt's table.
pub const PARTITIONS: [&str; 4] = ["allowed", "blocked", "deferred", "invalid"];

/// A robots.txt that blocks `/no` for every crawler.
pub const ROBOTS: &str = "User-agent: *\nDisallow: /no\n";

/// A temporary folder in which the program runs; removed when dropped.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// An empty folder.
    pub fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A folder with a directory source `sites`, in which `a.example` has [`ROBOTS`].
    pub fn with_site() -> Bench {
        let bench = Bench::new();
        bench.file("sites/a.example", ROBOTS);
        bench
    }

    /// A path in the folder; names that begin with `DATASETS` are in the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        match name.strip_prefix("DATASETS/") {
            Some(name) => Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name),
            None => self.folder.path().join(name),
        }
    }

    /// Writes a file, creating its parent folders.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    /// The bytes of a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The receipt of a run.
    pub fn receipt(&self, folder: &str) -> Value {
        serde_json::from_slice(&self.read(&format!("{folder}/receipt.json"))).expect("JSON")
    }

    /// The receipt of a run, without what depends on its speed and the number of its workers.
    pub fn timeless(&self, folder: &str) -> Value {
        let mut receipt = self.receipt(folder);
        let fields = receipt.as_object_mut().expect("an object");
        for time in ["seconds", "urls_per_second", "speed"] {
            fields.remove(time);
        }
        fields["options"].as_object_mut().expect("options").remove("threads");
        receipt
    }

    /// The names in a folder, sorted; empty if it does not exist.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Splits arguments at blanks, and resolves names in the repository.
    pub fn arguments(&self, words: &str) -> Vec<PathBuf> {
        let resolved = |word: &str| if word.starts_with("DATASETS/") { self.path(word) } else { word.into() };
        words.split_whitespace().map(resolved).collect()
    }

    /// The program with these arguments, separated by blanks.
    pub fn program(&self, words: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.current_dir(self.folder.path()).args(self.arguments(words));
        command
    }

    /// The command `filter` for the crawler `examplebot`.
    pub fn filter(&self, words: &str) -> Command {
        self.program(&format!("filter --agent examplebot {words}"))
    }

    /// Runs `filter` on lists into the folder `out`, and checks all of its results.
    pub fn split(&self, options: &str, lists: &[&str]) -> Split {
        let words = format!("{options} --out out {}", lists.join(" "));
        let done = self.filter(&words).assert().success();
        let contents: Vec<Vec<u8>> = lists.iter().map(|list| self.read(list)).collect();
        let split = Split::read(self, "out");
        let table = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(table.contains("every line is accounted for"), "{table}");
        split.accounts_for(&contents);
        split
    }

    /// Runs `filter` on one line without writing; returns its partition and reason: `blocked rules`.
    pub fn outcome(&self, options: &str, url: impl AsRef<[u8]>) -> String {
        let done = self.filter(&format!("{options} --count --json -")).write_stdin(url.as_ref()).assert().success();
        let receipt: Value = serde_json::from_slice(&done.get_output().stdout).expect("a receipt");
        let reasons = PARTITIONS.iter().flat_map(|&partition| {
            let reasons = reasons_of(&receipt, partition);
            reasons.into_iter().map(move |(reason, count)| (format!("{partition} {reason}"), count))
        });
        let found: Vec<(String, u64)> = reasons.collect();
        assert!(matches!(found.as_slice(), [(_, 1)]), "{found:?}");
        found.into_iter().next().expect("one").0
    }

    /// Runs `filter`, which must fail with status 2 and a message containing all of these words, and leave no file with a
    /// final name in `out`.
    pub fn refused(&self, words: &str, message: &[&str]) {
        let done = self.filter(words).assert().code(2);
        said(&done.get_output().stderr, message);
        assert_no_result(&self.names("out"));
    }
}

/// Checks that a message on standard error is the program's own, and contains all these words.
pub fn said(stderr: &[u8], words: &[&str]) {
    let text = String::from_utf8_lossy(stderr);
    assert!(text.contains("robosieve: ") || text.contains("error: "), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    for word in words {
        assert!(text.contains(word), "{word:?} is not in: {text}");
    }
}

/// The byte offset at which a file could not be written, from the error message.
pub fn unwritten_at(stderr: &[u8]) -> u64 {
    said(stderr, &["cannot write "]);
    let text = String::from_utf8_lossy(stderr);
    let place = text.split_once(": at byte ").and_then(|(_, rest)| rest.split_once(": "));
    place.and_then(|(place, _)| place.parse().ok()).unwrap_or_else(|| panic!("no place: {text}"))
}

/// Checks that none of these names is that of a result.
pub fn assert_no_result(names: &[String]) {
    let results = ["allowed.txt", "blocked.txt", "deferred.txt", "invalid.txt", "robots-needed.tsv", "receipt.json"];
    let found: Vec<_> = names.iter().filter(|name| results.contains(&name.as_str())).collect();
    assert!(found.is_empty(), "{found:?}");
}

/// The reasons of a partition, with their counts.
pub fn reasons_of(receipt: &Value, partition: &str) -> BTreeMap<String, u64> {
    let reasons = receipt["partitions"][partition]["reasons"].as_object().expect("reasons");
    reasons.iter().map(|(reason, count)| (reason.clone(), count.as_u64().expect("a count"))).collect()
}

/// The results of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The partitions, in the order of [`PARTITIONS`].
    pub partitions: [Vec<u8>; 4],
    /// `robots-needed.tsv`.
    pub needed: String,
    /// `receipt.json`.
    pub receipt: Value,
}

impl Split {
    /// Reads the results of a run from a folder.
    pub fn read(bench: &Bench, folder: &str) -> Split {
        let text = |name: &str| String::from_utf8(bench.read(&format!("{folder}/{name}"))).expect("UTF-8");
        let receipt: Value = serde_json::from_str(&text("receipt.json")).expect("JSON");
        let partition = |name: &str| text_of(bench, folder, &receipt["partitions"][name]["files"]);
        Split { partitions: PARTITIONS.map(partition), needed: text("robots-needed.tsv"), receipt }
    }

    /// The lines of a partition without their line feeds; invalid UTF-8 is replaced.
    pub fn lines(&self, partition: &str) -> Vec<String> {
        let at = PARTITIONS.iter().position(|name| *name == partition).expect("a partition");
        lines(&self.partitions[at]).iter().map(|line| String::from_utf8_lossy(content(line)).into_owned()).collect()
    }

    /// The reasons of a partition, with their counts.
    pub fn reasons(&self, partition: &str) -> BTreeMap<String, u64> {
        reasons_of(&self.receipt, partition)
    }

    /// The rows of `robots-needed.tsv`, without its header.
    pub fn needed_rows(&self) -> Vec<Vec<&str>> {
        let mut rows = self.needed.lines();
        assert_eq!(rows.next(), Some("robots_txt\treason\tlines\tstatus"));
        rows.map(|row| row.split('\t').collect()).collect()
    }

    /// The results that must not depend on threads and chunks: removes times and those options.
    pub fn timeless(mut self) -> Split {
        let receipt = self.receipt.as_object_mut().expect("an object");
        assert!(receipt.remove("seconds").and_then(|value| value.as_f64()).is_some_and(|seconds| seconds > 0.0));
        assert!(receipt.remove("urls_per_second").is_some());
        assert!(receipt.remove("speed").is_some());
        let options = receipt["options"].as_object_mut().expect("options");
        for option in ["threads", "chunk_size", "now"] {
            assert!(options.remove(option).is_some(), "{option}");
        }
        self
    }

    /// Checks that the partitions together are these lists, line by line and in order, and that every number in the
    /// receipt matches the files.
    pub fn accounts_for(&self, lists: &[Vec<u8>]) {
        let mut input = Vec::new();
        let mut added = 0;
        for (place, list) in lists.iter().enumerate() {
            input.extend_from_slice(list);
            if place + 1 < lists.len() && list.last().is_some_and(|&byte| byte != b'\n') {
                input.push(b'\n');
                added += 1;
            }
        }
        assert_merges_to(&self.partitions, &input);
        let receipt = &self.receipt;
        assert_eq!(receipt["added_line_feeds"], added);
        assert_eq!(receipt["balanced"], true);
        let read = Sums { bytes: input.len() as u64 - added, ..Sums::of(&input) };
        read.are_in(&receipt["input"]);
        for (name, text) in PARTITIONS.iter().zip(&self.partitions) {
            let part = &receipt["partitions"][name];
            Sums::of(text).are_in(part);
            Sums::of(text).are_in(&part["written"]);
            let reasons: u64 = self.reasons(name).values().sum();
            assert_eq!(part["lines"], reasons, "{name}");
        }
        for (list, part) in lists.iter().zip(receipt["lists"].as_array().expect("lists")) {
            Sums::of(list).are_in(part);
            let lines = PARTITIONS.iter().map(|name| part["partitions"][name]["lines"].as_u64().expect("a number"));
            assert_eq!(part["lines"], lines.sum::<u64>());
        }
        assert_eq!(receipt["origins_needed"], self.needed_rows().len());
    }
}

/// The text of the files listed in a receipt, decompressed; each must match the receipt.
pub fn text_of(bench: &Bench, folder: &str, files: &Value) -> Vec<u8> {
    let files = files.as_array().expect("files");
    let text = |file: &Value| {
        let name = format!("{folder}/{}", file["name"].as_str().expect("a name"));
        let stored = bench.read(&name);
        assert_eq!(file["file_bytes"], stored.len(), "{name}");
        let mut text = Vec::new();
        Reader::new(&stored[..]).and_then(|mut reader| reader.read_to_end(&mut text)).expect(&name);
        let head = if file.get("head_bytes").is_some() { lines(&text)[0].len() } else { 0 };
        Sums::of(&text[head..]).are_in(file);
        text
    };
    files.iter().flat_map(text).collect()
}

/// Lines including their line feeds.
pub fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').collect()
}

/// A line without its line feed.
pub fn content(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Checks that each line of the input is the next one of exactly one partition, and that nothing is left over.
fn assert_merges_to(partitions: &[Vec<u8>; 4], input: &[u8]) {
    let mut parts = partitions.each_ref().map(|text| lines(text).into_iter().peekable());
    for (number, line) in lines(input).into_iter().enumerate() {
        let taken = parts.iter_mut().filter_map(|part| part.next_if_eq(&line)).count();
        assert_eq!(taken, 1, "line {} ({}) is the next of {taken} partitions", number + 1, line.escape_ascii());
    }
    for (part, name) in parts.iter_mut().zip(PARTITIONS) {
        assert_eq!(part.next(), None, "{name} has more lines than the input");
    }
}

/// Counts and checksums of a text as the receipt's documentation defines them, implemented here independently.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sums {
    lines: u64,
    bytes: u64,
    sum: u128,
    order: u128,
}

impl Sums {
    /// The sums of all lines of a text.
    pub fn of(text: &[u8]) -> Sums {
        let mut sums = Sums { lines: 0, bytes: text.len() as u64, sum: 0, order: 0 };
        for line in lines(text) {
            sums.lines += 1;
            sums.sum = sums.sum.wrapping_add(xxhash_rust::xxh3::xxh3_128(content(line)));
            sums.order = sums.order.wrapping_add(sums.sum);
        }
        sums
    }

    /// Whether a part of a receipt has the same sums.
    pub fn fit(&self, part: &Value) -> bool {
        part["lines"] == self.lines
            && part["bytes"] == self.bytes
            && part["sum"] == format!("{:032x}", self.sum)
            && part["order"] == format!("{:032x}", self.order)
    }

    fn are_in(&self, part: &Value) {
        assert!(self.fit(part), "{self:x?} is not {part}");
    }
}
