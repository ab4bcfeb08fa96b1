//! Data for the benchmarks, with the correct answers.
//!
//! A [`Set`] is a folder of robots.txt files, each named by its host, and a list of URLs in two orders. There are three:
//! `generated` by the repository's own generator, always the same; `real`, from the corpus next to the repository, where
//! present; and `samples`, the hand-made files of `datasets/`, small enough for `cargo test`. The answers are counted by
//! the plain reading, which tries every rule of a file and shares nothing with the automata but the patterns.

use robosieve::Agents;
use robosieve::Partition;
use robosieve::internals::Axes;
use robosieve::{Dialect, RuleSet, Verdict, origin};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crawler to judge for.
pub const AGENT: &str = "examplebot";

/// The generator's options, and the XXH3 hash of all robots.txt files and the shuffled list it makes with them.
const GENERATED: [&str; 6] = ["--lines", "200k", "--origins", "2k", "--seed", "9309"];
const GENERATED_HASH: u64 = 6_939_017_132_188_597_187;

/// `User-agent` lines in groups and rules of each set, under the default dialect.
const SAMPLE_RECORDS: usize = 791;
const GENERATED_RECORDS: usize = 58_132;
const REAL_RECORDS: usize = 129_102;

/// Robots.txt files and lists.
pub struct Set {
    pub name: &'static str,
    /// The folder of the robots.txt files.
    pub robots: PathBuf,
    /// Their names and contents, sorted by name.
    pub bodies: Vec<(String, Vec<u8>)>,
    /// The same lines in two orders; the samples have only one.
    pub lists: Vec<List>,
    pub expected: Expected,
    /// The number of `User-agent` lines in groups and rules in the files.
    pub records: usize,
}

/// The lines of a set in one order.
pub struct List {
    pub order: &'static str,
    pub path: PathBuf,
    pub text: Vec<u8>,
}

impl List {
    fn read(order: &'static str, path: PathBuf) -> List {
        let text = read(&path);
        List { order, path, text }
    }

    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.text.strip_suffix(b"\n").unwrap_or(&self.text);
        text.split(|&byte| byte == b'\n')
    }
}

/// The correct answers, from the plain reading.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Lines of each partition.
    pub partitions: BTreeMap<&'static str, u64>,
}

impl Expected {
    fn of(bodies: &[(String, Vec<u8>)], list: &List) -> Expected {
        let agents = agents();
        let dialect = Dialect::DEFAULT;
        let rules: HashMap<&str, RuleSet> =
            bodies.iter().map(|(host, body)| (host.as_str(), RuleSet::compile(body, &agents, dialect))).collect();
        let mut expected = Expected::default();
        for partition in Partition::all() {
            expected.partitions.insert(partition.name(), 0);
        }
        for line in list.lines() {
            let partition = plain_partition(line, &rules);
            *expected.partitions.get_mut(partition.name()).expect("a partition") += 1;
        }
        expected
    }

    pub fn lines_of(&self, partition: Partition) -> u64 {
        self.partitions[partition.name()]
    }
}

/// The partition of a line, by the plain reading.
fn plain_partition(line: &[u8], rules: &HashMap<&str, RuleSet>) -> Partition {
    let Ok((origin, rest)) = origin::split(line) else { return Partition::Invalid };
    let host = origin.split_once("://").expect("a scheme").1;
    let exact = origin.replace(':', "%3A").replace('/', "%2F").replace('[', "%5B").replace(']', "%5D");
    let Some(rules) = rules.get(exact.as_str()).or_else(|| rules.get(host)) else { return Partition::Deferred };
    match rules.explain(Dialect::DEFAULT.url_path().of(rest)).verdict {
        Verdict::Allowed => Partition::Allowed,
        Verdict::Blocked => Partition::Blocked,
    }
}

pub fn agents() -> Agents {
    AGENT.parse().expect("a product token")
}

/// The sets to measure, or only the samples.
pub fn sets(measuring: bool) -> Vec<Set> {
    if !measuring {
        return vec![samples()];
    }
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("benches");
    fs::create_dir_all(&work).expect("a folder for data");
    [Some(generated(&work)), real(&work)].into_iter().flatten().collect()
}

fn set(name: &'static str, robots: PathBuf, lists: Vec<List>, records: usize) -> Set {
    let mut bodies: Vec<(String, Vec<u8>)> = fs::read_dir(&robots)
        .expect("a folder of robots.txt files")
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), read(&entry.path())))
        .collect();
    bodies.sort();
    let expected = Expected::of(&bodies, &lists[0]);
    eprintln!("{name}: {} files, {} lines, {expected:?}", bodies.len(), lists[0].lines().count());
    Set { name, robots, bodies, lists, expected, records }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

/// The hand-made files.
fn samples() -> Set {
    let datasets = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    set("samples", datasets.join("sites"), vec![List::read("mixed", datasets.join("urls.txt"))], SAMPLE_RECORDS)
}

/// The generator's data, created on first use.
fn generated(work: &Path) -> Set {
    let folder = work.join("generated");
    let robots = folder.join("robots");
    let list = |order: &'static str| folder.join(format!("{order}.txt"));
    if !folder.is_dir() {
        // Created elsewhere and then moved, so that an interrupted run's files do not pass for the whole.
        let unfinished = work.join("unfinished");
        let _ = fs::remove_dir_all(&unfinished);
        fs::create_dir_all(&unfinished).expect("a folder for data");
        generate(&["robots", "--dir"], &unfinished.join("robots"));
        for order in ["shuffled", "sorted"] {
            generate(&["urls", "--order", order, "--out"], &unfinished.join(format!("{order}.txt")));
        }
        fs::rename(&unfinished, &folder).expect("a place for data");
    }
    let lists = ["shuffled", "sorted"].map(|order| List::read(order, list(order))).into();
    let set = set("generated", robots, lists, GENERATED_RECORDS);
    let all: Vec<u8> = set.bodies.iter().flat_map(|(_, body)| body).chain(&set.lists[0].text).copied().collect();
    let hash = xxhash_rust::xxh3::xxh3_64(&all);
    assert_eq!(
        hash, GENERATED_HASH,
        "the generator makes other data than before, or what is in {folder:?} is old: remove it"
    );
    set
}

/// Runs the generator with the set's options.
fn generate(words: &[&str], out: &Path) {
    let status = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["run", "--release", "--quiet", "--example", "generate", "--"])
        .args(words)
        .arg(out)
        .args(GENERATED)
        .status()
        .expect("cargo can be run");
    assert!(status.success(), "the generator ends with {status}");
}

/// Real files and links, if present: the recipe of `scripts/make-list`, without repetition.
fn real(work: &Path) -> Option<Set> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.is_dir() {
        eprintln!("SKIPPED: ../shared/corpus is missing; only generated data is measured");
        return None;
    }
    let mut hosts: Vec<String> = fs::read_dir(corpus.join("urls"))
        .expect("lists of links")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|host| corpus.join("robots").join(host).is_file())
        .collect();
    hosts.sort();
    let mut lines: Vec<Vec<u8>> = hosts.iter().flat_map(|host| links(host, &corpus.join("urls").join(host))).collect();
    let write = |order: &'static str, lines: &[Vec<u8>]| {
        let path = work.join(format!("real-{order}.txt"));
        fs::write(&path, lines.concat()).expect("room for a list");
        List::read(order, path)
    };
    let sorted = write("sorted", &lines);
    shuffle(&mut lines);
    Some(set("real", corpus.join("robots"), vec![write("shuffled", &lines), sorted], REAL_RECORDS))
}

/// The links of a host, with their origin replaced by it, each with its LF.
fn links(host: &str, path: &Path) -> Vec<Vec<u8>> {
    let rewritten = |line: &[u8]| {
        let authority = memchr::memmem::find(line, b"://")? + 3;
        let is_end = |byte: &u8| b"/?#".contains(byte);
        let end = line[authority..].iter().position(is_end).map_or(line.len(), |at| authority + at);
        Some([b"http://", host.as_bytes(), &line[end..], b"\n"].concat())
    };
    read(path).split(|&byte| byte == b'\n').filter_map(rewritten).collect()
}

/// A Fisher-Yates shuffle with a fixed seed: the order is the same in every run.
fn shuffle(lines: &mut [Vec<u8>]) {
    let mut state: u64 = 9309;
    for last in (1..lines.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        lines.swap(last, (state >> 33) as usize % (last + 1));
    }
}
