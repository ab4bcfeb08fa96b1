//! How lists are cut into chunks, and who judges them, changes nothing that is said of any line.
//!
//! Each run is compared with one whose chunks hold a whole list: the receipts, with the checksums of all lines of each partition, and,
//! where no frames or row groups are made of chunks, every file. Those that are made of chunks do not depend on the number of workers.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use robosieve::policy::{Capture, Captures, Crawler, Crawlers, Policy};
use robosieve::run::{Folder, FrameCompression, Job, OutputMode, Progress, UrlField, verify};
use robosieve::{Agents, AllowedIf, Choices, Dialect, SameUrl};
use serde_json::Value;

/// The sizes of chunks: less than a line, a line or two, some, many.
const SIZES: [usize; 4] = [1, 40, 300, 2500];

/// More than a list.
const WHOLE: usize = 1 << 16;

/// A change of a job and its folder.
type Change = fn(&mut Job, &mut Folder, &Bench);

struct Bench {
    place: tempfile::TempDir,
    policy: Policy,
    older: Policy,
}

impl Bench {
    fn new() -> Bench {
        let policy = |robots: &str| {
            let agents = ["onebot", "otherbot"].map(|name| name.parse::<Agents>().expect("a name"));
            let mut captures = Captures::new(Crawlers::new(agents.to_vec()).expect("two crawlers"), Dialect::DEFAULT);
            let sites = [("http://a.example", robots), ("http://b.example", "User-agent: otherbot\nDisallow: /*y$\n")];
            captures
                .add(sites.map(|(origin, robots)| Capture::found(origin, robots.as_bytes())).to_vec())
                .expect("two");
            captures.policy().expect("two origins")
        };
        Bench {
            place: tempfile::tempdir().expect("a folder"),
            policy: policy("User-agent: *\nContent-Usage: train-ai=n\nDisallow: /no\nDisallow: /*.gif$\n"),
            older: policy("User-agent: *\nDisallow: /7\n"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn crawlers(&self) -> Vec<Crawler> {
        ["onebot", "otherbot"]
            .map(|name| self.policy.crawler(Some(&name.parse().expect("a name"))).expect("a crawler"))
            .to_vec()
    }

    /// Runs a changed job; returns its receipt without times, workers and chunks, and its files.
    fn run(
        &self,
        lists: &[PathBuf],
        change: Change,
        size: usize,
        threads: usize,
    ) -> (Value, BTreeMap<PathBuf, Vec<u8>>) {
        let out = self.path("out");
        let mut job = Job::new(lists.to_vec(), self.crawlers()).choices(Choices::at(0));
        let mut folder = Folder::new(&out);
        change(&mut job, &mut folder, self);
        let receipt = job
            .destination(folder)
            .chunk_size(size)
            .threads(threads)
            .run(&self.policy, &Progress::default())
            .expect("a run");
        assert!(verify(&out, true, threads).expect("a receipt").is_proven());
        let mut receipt = serde_json::to_value(&receipt).expect("JSON");
        let fields = receipt.as_object_mut().expect("an object");
        for field in ["seconds", "urls_per_second", "speed"] {
            fields.remove(field);
        }
        let options = fields["options"].as_object_mut().expect("options");
        assert_eq!(options["chunk_size"], size);
        for option in ["threads", "chunk_size"] {
            options.remove(option);
        }
        let mut files = BTreeMap::new();
        read_all(&out, &mut files);
        files.remove(&out.join("receipt.json"));
        fs::remove_dir_all(&out).expect("removed");
        (receipt, files)
    }
}

/// Adds all files in a folder and the folders in it.
fn read_all(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => read_all(&path, files),
            false => drop(files.insert(path.clone(), fs::read(path).expect("a file"))),
        }
    }
}

/// Removes what a receipt tells of files, at any depth.
fn without_files(receipt: &mut Value) {
    match receipt {
        Value::Object(fields) => {
            fields.remove("files");
            fields.values_mut().for_each(without_files);
        }
        Value::Array(values) => values.iter_mut().for_each(without_files),
        _ => {}
    }
}

fn url(number: usize) -> String {
    let path = ["no/", "x", "y", "a.gif", "7", "%41/./z\u{e9}"][number % 6];
    let host = ["a", "b", "c"][number / 6 % 3];
    format!(
        "http://{host}.example/{path}{}",
        if number % 6 == 2 { String::new() } else { (number * 7 % 50).to_string() }
    )
}

/// Lists of each kind, with what reads them: the URLs may stand in fields, and may be compressed.
fn lists(bench: &Bench) -> Vec<(PathBuf, Change)> {
    let as_it_is: Change = |_, _, _| ();
    let odd = |number: usize| match number % 9 {
        3 => String::new(),
        5 => format!("no url {number}\r"),
        7 => format!("  {}\t", url(number)),
        _ => url(number),
    };
    let lines = |line: &dyn Fn(usize) -> String| (0..150).map(|number| line(number) + "\n").collect::<String>();
    let plain = format!("\u{feff}{}http://a.example/{}", lines(&odd), "long".repeat(2000));
    let gzip = |text: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).expect("memory");
        encoder.finish().expect("memory")
    };
    let (one, two) = plain.split_at(2000);
    let csv = lines(&|number| format!("{number},\"{}\",\"x\"\"y\"", url(number)));
    let cdxj = lines(&|number| format!("com,a)/ 2024{number} {{\"url\": \"{}\", \"status\": \"200\"}}", url(number)));
    let json = lines(&|number| format!("{{\"id\": {number}, \"url\": \"{}\"}}", url(number)));
    let by_name: Change = |job, _, _| {
        job.url_field = UrlField::default().delimiter(",").expect("a delimiter").column("page");
    };
    let all: [(&str, Vec<u8>, Change); 7] = [
        ("plain", plain.clone().into_bytes(), as_it_is),
        ("members", [gzip(one), gzip(two)].concat(), as_it_is),
        ("frames", zstd::encode_all(plain.as_bytes(), 1).expect("memory"), as_it_is),
        ("fields", format!("id,page,name\n{csv}").into_bytes(), by_name),
        ("index", cdxj.into_bytes(), as_it_is),
        ("objects", json.into_bytes(), as_it_is),
        ("empty", Vec::new(), as_it_is),
    ];
    all.map(|(name, content, change)| {
        fs::write(bench.path(name), content).expect("a list");
        (bench.path(name), change)
    })
    .to_vec()
}

/// Expects the same of all sizes of chunks, for one worker and three.
fn expect_same(bench: &Bench, lists: &[PathBuf], change: Change, shows_chunks: bool, what: &str) {
    let whole = bench.run(lists, change, WHOLE, 1);
    for size in SIZES {
        let [one, three] = [1, 3].map(|threads| bench.run(lists, change, size, threads));
        assert!(one == three, "{what}, chunks of {size} bytes: workers change something");
        let (mut receipt, files) = one;
        if shows_chunks {
            let mut whole = whole.0.clone();
            without_files(&mut receipt);
            without_files(&mut whole);
            assert_eq!(receipt, whole, "{what}, chunks of {size} bytes");
        } else {
            assert_eq!(receipt, whole.0, "{what}, chunks of {size} bytes");
            assert!(files == whole.1, "{what}, chunks of {size} bytes");
        }
    }
}

#[test]
fn lists_of_each_kind() {
    let bench = Bench::new();
    for (list, change) in lists(&bench) {
        expect_same(&bench, std::slice::from_ref(&list), change, false, &list.display().to_string());
    }
}

#[test]
fn each_form_of_lines() {
    let bench = Bench::new();
    let all: Vec<PathBuf> = lists(&bench).into_iter().take(2).map(|(list, _)| list).collect();
    let lists = [&all[..], &[bench.path("empty"), all[0].clone()]].concat();
    let forms: [(&str, bool, Change); 12] = [
        ("partitions", false, |_, _, _| ()),
        ("partitions of each list", false, |_, folder, _| folder.per_input = true),
        ("parts", false, |_, folder, _| folder.split_size = Some(700)),
        ("verdicts", false, |_, folder, _| folder.form = OutputMode::Verdicts),
        ("explanations", false, |job, folder, _| (job.explain, folder.form) = (true, OutputMode::Verdicts)),
        ("preferences", false, |job, _, _| job.preferences = "train-ai,search".parse().expect("two uses")),
        ("crawlers that lines are blocked for", false, |_, folder, _| folder.form = OutputMode::BlockedFor),
        ("lines for all crawlers", false, |job, _, _| job.allowed_if = Some(AllowedIf::All)),
        ("without repetitions", false, |job, _, _| job.unique = Some(SameUrl::Fetched)),
        ("changes", false, |job, folder, bench| {
            folder.form = OutputMode::Verdicts;
            *job = job.clone().against(bench.older.clone(), true);
        }),
        ("gzip", true, |_, folder, _| folder.compress = Some(FrameCompression::Gzip)),
        ("parts of Zstandard", true, |_, folder, _| {
            (folder.compress, folder.split_size) = (Some(FrameCompression::Zstd), Some(700));
        }),
    ];
    for (what, shows_chunks, change) in forms {
        expect_same(&bench, &lists, change, shows_chunks, what);
    }
}

/// Chunks of a few lines share a frame.
#[test]
fn small_chunks_share_frames() {
    let bench = Bench::new();
    let list = bench.path("list");
    let text: String = (0..20_000).map(|number| url(number) + "\n").collect();
    fs::write(&list, &text).expect("a list");
    let forms: [(&str, Change); 2] = [
        ("gzip", |_, folder, _| folder.compress = Some(FrameCompression::Gzip)),
        ("Zstandard", |_, folder, _| folder.compress = Some(FrameCompression::Zstd)),
    ];
    for (what, change) in forms {
        let (_, files) = bench.run(std::slice::from_ref(&list), change, 300, 2);
        let stored: usize = files.values().map(Vec::len).sum();
        // The lines are there for each of two crawlers.
        assert!(stored * 8 < 2 * text.len(), "{what}: {stored} bytes of {}", text.len());
    }
}

#[cfg(feature = "parquet")]
mod tables {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use robosieve::run::FileFormat;

    const TABLE: Change = |_, folder, _| folder.format = FileFormat::Parquet;

    #[test]
    fn rows_of_text_and_of_tables() {
        let bench = Bench::new();
        let text = lists(&bench).remove(0).0;
        let verdicts: Change = |job, folder, _| {
            (folder.format, folder.form, job.explain) = (FileFormat::Parquet, OutputMode::Verdicts, true);
        };
        let (_, files) = bench.run(std::slice::from_ref(&text), verdicts, WHOLE, 1);
        let table = bench.path("table");
        let (_, rows) =
            files.iter().find(|(path, _)| path.extension().is_some_and(|ending| ending == "parquet")).expect("a table");
        fs::write(&table, rows).expect("a list");
        let unique: Change = |job, folder, _| {
            (folder.format, job.unique) = (FileFormat::Parquet, Some(SameUrl::Bytes));
        };
        for list in [text, table] {
            for (what, change) in [("partitions", TABLE), ("verdicts", verdicts), ("without repetitions", unique)] {
                expect_same(
                    &bench,
                    std::slice::from_ref(&list),
                    change,
                    true,
                    &format!("{what} of {}", list.display()),
                );
            }
        }
    }

    /// Chunks produce small row groups, and files keep none of them but the last.
    #[test]
    #[ignore = "takes long"]
    fn small_row_groups_are_merged() {
        let bench = Bench::new();
        let list = bench.path("list");
        fs::write(&list, (0..400_000).map(|number| url(number) + "\n").collect::<String>()).expect("a list");
        let (_, files) = bench.run(&[list], TABLE, 100 << 10, 2);
        let largest = files.values().max_by_key(|file| file.len()).expect("files").clone();
        let reader = SerializedFileReader::new(bytes::Bytes::from(largest)).expect("a table");
        let groups: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        let (_, full) = groups.split_last().expect("a row group");
        assert!(!full.is_empty() && full.iter().all(|rows| (100_000..110_000).contains(rows)), "{groups:?}");
    }
}
