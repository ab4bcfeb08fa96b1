//! A folder to run the program in, and access to the files of a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use super::results::{PARTITIONS, Split, reasons_of};

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_robosieve");

/// A robots.txt that blocks `/no` for every crawler.
pub const ROBOTS: &str = "User-agent: *\nDisallow: /no\n";

/// The sources among the datasets.
pub const SOURCES: &str = "--robots DATASETS/sites --robots DATASETS/origins.jsonl";

/// The sources among the datasets, judged at a fixed time.
pub const SOURCES_NOW: &str = "--robots DATASETS/sites --robots DATASETS/origins.jsonl --now 2026-11-01T00:00:00Z";

/// `filter` that leaves out what it cannot read.
pub const SKIPPING: &str = "filter --agent examplebot --robots sites --now 2026-01-01T00:00:00Z --skip-bad";

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

    /// The receipt of a run, without what depends on its speed, its memory and the number of its workers.
    pub fn timeless(&self, folder: &str) -> Value {
        let mut receipt = self.receipt(folder);
        let fields = receipt.as_object_mut().expect("an object");
        for time in ["seconds", "urls_per_second", "speed"] {
            fields.remove(time);
        }
        let options = fields["options"].as_object_mut().expect("options");
        for by_machine in ["threads", "chunk_size"] {
            options.remove(by_machine);
        }
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

    /// Like [`Bench::program`], to be started by the test.
    pub fn command(&self, words: &str) -> std::process::Command {
        let mut command = std::process::Command::new(PROGRAM);
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

/// Runs the program with the given standard output, and captures standard error.
pub fn with_stdout(bench: &Bench, words: &str, stdout: Stdio) -> Output {
    let mut command = bench.command(words);
    command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    let child = command.spawn().expect("the program");
    child.wait_with_output().expect("the program ends")
}

/// Runs the program with a standard output that nobody reads.
#[cfg(unix)]
pub fn with_closed_stdout(bench: &Bench, words: &str) -> Output {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("a pair of sockets");
    drop(ours);
    with_stdout(bench, words, Stdio::from(std::os::fd::OwnedFd::from(theirs)))
}
