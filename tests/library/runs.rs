//! Whole runs, compared with plain readings of their lists.

mod left_out;
mod shards;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use proptest::prelude::*;
use robosieve::policy::{Capture, Captures, Policy};
use robosieve::run::{Folder, Job, Progress, UrlField, verify};
use robosieve::{Agents, Choices, Dialect};
use serde_json::Value;

/// A line, the number of its URL, and whether the policy allows it. All that have the same number are fetched alike.
const LINES: [(&str, Option<usize>, bool); 12] = [
    ("http://a.example/1", Some(1), true),
    ("HTTP://A.example:80/%31#x", Some(1), true),
    ("  http://a.example/./1", Some(1), true),
    ("http://a.example/no/2", Some(2), false),
    ("http://a.example/no/%32", Some(2), false),
    ("http://c.example/3", Some(3), false),
    ("http://C.example/3", Some(3), false),
    ("http://b.example/4", Some(4), true),
    ("http://b.example/4#long", Some(4), true),
    ("http://a.example/%41/./5", Some(5), true),
    ("no url", None, false),
    ("", None, false),
];

/// A list, of [`LINES`].
#[derive(Debug, Clone)]
struct Text {
    lines: Vec<usize>,
    /// Whether it begins with a byte order mark.
    is_marked: bool,
    /// Whether its last line ends without a line feed.
    is_open: bool,
    is_compressed: bool,
}

impl Text {
    fn any(most: usize) -> impl Strategy<Value = Text> {
        let of = (prop::collection::vec(0..LINES.len(), 0..most), any::<bool>(), any::<bool>(), 0..4);
        of.prop_map(|(lines, is_marked, is_open, compressed)| {
            // A mark alone, or nothing before the end, is no line.
            let is_open = is_open && lines.last().is_some_and(|&line| !LINES[line].0.is_empty());
            Text { is_marked: is_marked && !lines.is_empty(), lines, is_open, is_compressed: compressed == 0 }
        })
    }

    /// The line that all its lines follow, and these, with the mark where it is. With `fields`, a URL is the second of them.
    fn pieces(&self, fields: bool) -> (String, Vec<String>) {
        let before = if fields { "7," } else { "" };
        let mut lines: Vec<String> = self.lines.iter().map(|&line| format!("{before}{}\n", LINES[line].0)).collect();
        if self.is_open {
            lines.last_mut().map(String::pop);
        }
        let mut head = if fields { "id,page\n".to_owned() } else { String::new() };
        if self.is_marked {
            if fields { &mut head } else { &mut lines[0] }.insert(0, '\u{feff}');
        }
        (head, lines)
    }

    /// The list as a file.
    fn whole(&self, fields: bool) -> Vec<u8> {
        let (head, lines) = self.pieces(fields);
        self.stored(&(head + &lines.concat()))
    }

    fn stored(&self, text: &str) -> Vec<u8> {
        if !self.is_compressed {
            return text.as_bytes().to_vec();
        }
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("memory");
        encoder.finish().expect("memory")
    }
}

/// Lists of fewer lines than `most`. If these have fields, all heads are the same.
fn lists(most: usize, fields: bool) -> impl Strategy<Value = Vec<Text>> {
    prop::collection::vec(Text::any(most), 2..5).prop_map(move |mut lists| {
        let is_marked = lists[0].is_marked;
        lists.iter_mut().filter(|_| fields).for_each(|list| list.is_marked = is_marked);
        lists
    })
}

/// A folder, and a policy for two of the three hosts of [`LINES`].
struct Bench {
    place: tempfile::TempDir,
    policy: Policy,
}

impl Bench {
    fn new() -> Bench {
        let mut captures = Captures::new("examplebot".parse::<Agents>().expect("a name"), Dialect::DEFAULT);
        let sites = [("http://a.example", "User-agent: *\nDisallow: /no\n"), ("http://b.example", "")];
        captures.add(sites.map(|(origin, robots)| Capture::found(origin, robots.as_bytes())).to_vec()).expect("two");
        Bench { place: tempfile::tempdir().expect("a folder"), policy: captures.policy().expect("two origins") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Writes lists to a folder.
    fn write(&self, folder: &str, lists: impl IntoIterator<Item = Vec<u8>>) -> Vec<PathBuf> {
        fs::create_dir(self.path(folder)).expect("a new folder");
        let write = |(number, list)| {
            let path = self.path(&format!("{folder}/list{number}"));
            fs::write(&path, list).expect("a list");
            path
        };
        (0..).zip(lists).map(write).collect()
    }

    fn job(&self, lists: &[PathBuf], fields: bool) -> Job {
        let job =
            Job::new(lists.to_vec(), vec![self.policy.crawler(None).expect("one crawler")]).choices(Choices::at(0));
        match fields {
            true => job.url_field(UrlField::default().delimiter(",").expect("a delimiter").column("page")),
            false => job,
        }
    }

    /// Runs a job; returns its proven receipt.
    fn run(&self, job: Job, folder: Folder) -> Value {
        let out = folder.directory.clone();
        let receipt = job.destination(folder).run(&self.policy, &Progress::default()).expect("a run");
        self.is_proven(&out);
        serde_json::to_value(&receipt).expect("JSON")
    }

    fn is_proven(&self, out: &Path) {
        assert!(verify(out, true, 1).expect("a receipt").is_proven(), "{}", out.display());
    }
}

/// All files in a folder and the folders in it but the receipt, by their paths in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = PathBuf::from(path.file_name().expect("a name"));
        match path.is_dir() {
            true => files.extend(self::files(&path).into_iter().map(|(inner, file)| (name.join(inner), file))),
            false if name == Path::new("receipt.json") => {}
            false => drop(files.insert(name, fs::read(path).expect("a file"))),
        }
    }
    files
}

/// Without these fields of an object.
fn without(mut value: Value, fields: &[&str]) -> Value {
    let object = value.as_object_mut().expect("an object");
    fields.iter().for_each(|&field| drop(object.remove(field)));
    value
}
