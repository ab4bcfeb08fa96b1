//! A run has the same results whether its lists are mapped or read by ranges.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use robosieve::policy::{Capture, Captures, Policy};
use robosieve::run::{Folder, FrameCompression, Job, OutputMode, Progress};
use robosieve::{Agents, Choices, Dialect, SameUrl};

fn policy() -> Policy {
    let mut captures = Captures::new("examplebot".parse::<Agents>().unwrap(), Dialect::DEFAULT);
    captures.add(vec![Capture::found("http://a.example", "User-agent: *\nDisallow: /no\n")]).unwrap();
    captures.policy().unwrap()
}

/// Lists of many lengths of lines, with and without a last line feed, a mark, a head line; and one of a long line among short ones.
fn write_lists(folder: &Path) -> Vec<std::path::PathBuf> {
    let line = |number: usize| {
        let path = if number.is_multiple_of(3) { "no" } else { "yes" };
        format!("http://{}.example/{path}{}\n", ["a", "b"][number % 2], "x".repeat(number * 7 % 400))
    };
    let lines = |count: usize| (0..count).map(line).collect::<String>();
    let texts = [
        lines(1500),
        format!("\u{feff}{}http://a.example/no", lines(77)),
        String::new(),
        format!("{}http://a.example/{}\n{}", lines(50), "long".repeat(50_000), lines(50)),
    ];
    let write = |(number, text): (usize, &String)| {
        let path = folder.join(format!("list{number}"));
        fs::write(&path, text).unwrap();
        path
    };
    texts.iter().enumerate().map(write).collect()
}

/// The files of a run, and what its receipt says of lists and files.
fn results(folder: &Path) -> (BTreeMap<String, Vec<u8>>, [serde_json::Value; 3]) {
    let receipt: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("receipt.json")).unwrap()).unwrap();
    let facts = ["lists", "partitions", "verdicts"].map(|name| receipt[name].clone());
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap_or_default())
    };
    (files.map(file).filter(|(name, _)| name != "receipt.json").collect(), facts)
}

#[test]
fn mapped_lists_and_lists_read_by_ranges_have_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let lists = write_lists(folder.path());
    let policy = policy();
    type Change = fn(&mut Job);
    let changes: [(&str, Change); 6] = [
        ("plain", |_| ()),
        ("unique", |job| job.unique = Some(SameUrl::Fetched)),
        ("shard 1", |job| *job = job.clone().shard("1/3".parse().ok())),
        ("shard 2", |job| *job = job.clone().shard("2/3".parse().ok())),
        ("shard 3", |job| *job = job.clone().shard("3/3".parse().ok())),
        ("skipping", |job| *job = job.clone().skip_bad(true)),
    ];
    for (name, change) in changes {
        for chunk_size in [1 << 10, 1 << 16] {
            for (threads, compression, mode) in [
                (1, None, OutputMode::Partitions),
                (3, Some(FrameCompression::Gzip), OutputMode::Partitions),
                (2, None, OutputMode::Verdicts),
            ] {
                let run = |mapped: bool| {
                    let out = folder.path().join(format!("{name} {chunk_size} {threads} {mapped}"));
                    let destination = Folder::new(&out).compress(compression).form(mode);
                    let job = Job::new(&lists, vec![policy.crawler(None).unwrap()]).destination(destination);
                    let mut job = job.choices(Choices::at(0)).threads(threads).chunk_size(chunk_size);
                    change(&mut job);
                    if mapped {
                        // SAFETY: nothing writes into the lists.
                        job = unsafe { job.map_lists() };
                    }
                    job.run(&policy, &Progress::default()).unwrap();
                    results(&out)
                };
                let (mapped, read) = (run(true), run(false));
                assert!(mapped.0.values().any(|file| !file.is_empty()), "{name}");
                assert!(mapped == read, "{name} {chunk_size} {threads}");
            }
        }
    }
}
