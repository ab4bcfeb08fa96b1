//! What a run leaves: its files, and all that its receipt says of them.

use std::collections::BTreeMap;
use std::io::Read;

use robosieve::internals::formats::compression::Reader;
use serde_json::Value;

use super::program::Bench;

/// The partitions, in the order of the receipt's table.
pub const PARTITIONS: [&str; 4] = ["allowed", "blocked", "deferred", "invalid"];

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
        self.needed_and_asked().into_iter().map(|(row, _)| row).collect()
    }

    /// The rows of `robots-needed.tsv`, each with when its URL was asked last.
    pub fn needed_and_asked(&self) -> Vec<(Vec<&str>, &str)> {
        let mut rows = self.needed.lines();
        assert_eq!(rows.next(), Some("robots_txt\treason\tlines\tstatus\tasked_at"));
        let rows = rows.map(|row| row.rsplit_once('\t').expect("five columns"));
        rows.map(|(row, asked_at)| (row.split('\t').collect(), asked_at)).collect()
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

/// All files in a folder, including those in the lists' folders.
pub fn files(bench: &Bench, folder: &str) -> Vec<String> {
    let mut all = Vec::new();
    for name in bench.names(folder) {
        if bench.path(&format!("{folder}/{name}")).is_dir() {
            all.extend(files(bench, &format!("{folder}/{name}")).into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            all.push(name);
        }
    }
    all
}

/// The two folders must have the same files, except for times in the receipt.
pub fn assert_same(bench: &Bench, folder: &str, other: &str) {
    assert_eq!(files(bench, folder), files(bench, other));
    for name in files(bench, folder) {
        if name != "receipt.json" {
            let same = bench.read(&format!("{folder}/{name}")) == bench.read(&format!("{other}/{name}"));
            assert!(same, "{folder}/{name}");
        }
    }
    assert_eq!(bench.timeless(folder), bench.timeless(other));
}

/// What a receipt says was left out of a list.
pub fn skipped(receipt: &Value, list: usize) -> Vec<Value> {
    receipt["lists"][list]["skipped"].as_array().cloned().unwrap_or_default()
}
