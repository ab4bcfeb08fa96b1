//! `--split-size`: partitions in numbered files.

use serde_json::Value;

use crate::support::program::{Bench, SOURCES_NOW};
use crate::support::results::{PARTITIONS, lines, text_of};

const LIST: &str = "DATASETS/urls.txt";

/// The names of the files, in receipt order.
fn names(files: &Value) -> Vec<String> {
    files.as_array().expect("files").iter().map(|file| file["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
#[ignore = "takes long"]
fn parts_are_numbered_and_no_longer_than_they_may_be() {
    let bench = Bench::new();
    let plain = bench.split(SOURCES_NOW, &[LIST]);
    for (given, size) in [("1000", 1000), ("10k", 10 << 10), ("1M", 1 << 20), ("1", 1)] {
        let options = format!("{SOURCES_NOW} --force --split-size {given}");
        let split = bench.split(&options, &[LIST]);
        assert_eq!(split.partitions, plain.partitions, "{given}");
        for (name, text) in PARTITIONS.iter().zip(&plain.partitions) {
            let names = names(&split.receipt["partitions"][name]["files"]);
            let numbered = (1..=names.len()).map(|number| format!("{name}.{number:04}.txt"));
            assert!(names.iter().eq(numbered.collect::<Vec<_>>().iter()), "{names:?}");
            let parts: Vec<Vec<u8>> = names.iter().map(|name| bench.read(&format!("out/{name}"))).collect();
            for (part, next) in parts.iter().zip(parts.iter().skip(1)) {
                assert!(part.len() <= size || lines(part).len() == 1, "{} bytes of {size}", part.len());
                let first = lines(next)[0].len();
                assert!(part.len() + first > size, "another line would have fitted");
                assert!(part.ends_with(b"\n"));
            }
            assert!(parts.len() == 1 || text.len() > size);
        }
        bench.program("verify out").assert().success();
        let files: usize = PARTITIONS.iter().map(|name| names(&split.receipt["partitions"][name]["files"]).len()).sum();
        assert_eq!(bench.names("out").len(), files + 2, "nothing is left of the run before");
    }
}

#[test]
#[ignore = "takes long"]
fn parts_do_not_depend_on_threads() {
    let bench = Bench::new();
    bench.file("urls", bench.read(LIST).repeat(30));
    for options in ["--split-size 7k", "--split-size 5k --compress zst", "--split-size 6k --compress gz"] {
        let stored = |threads: usize| {
            let words = format!("{SOURCES_NOW} {options} --threads {threads} --force");
            let split = bench.split(&words, &["urls"]).timeless();
            let files = names(&split.receipt["partitions"]["allowed"]["files"]);
            assert!(files.len() > 3, "{files:?}");
            let stored: Vec<Vec<u8>> = files.iter().map(|name| bench.read(&format!("out/{name}"))).collect();
            (split, stored)
        };
        assert!(stored(1) == stored(4), "{options}");
    }
}

/// Each file of verdicts is a table of its own, with a header.
#[test]
fn parts_of_verdicts_have_heads() {
    let bench = Bench::new();
    bench.filter(&format!("{SOURCES_NOW} --verdicts --out plain {LIST}")).assert().success();
    let plain = bench.read("plain/verdicts.tsv");
    let (head, rows) = plain.split_at(lines(&plain)[0].len());
    for (options, parts) in [("", 5), ("--compress gz", 1), ("--per-input", 5)] {
        bench
            .filter(&format!("{SOURCES_NOW} --verdicts --split-size 20k {options} --out out --force {LIST}"))
            .assert()
            .success();
        let receipt = bench.receipt("out");
        let files = receipt["verdicts"]["files"].as_array().expect("files");
        assert!(files.len() >= parts, "{options}");
        if !options.contains("compress") {
            let texts = files.iter().map(|file| bench.read(&format!("out/{}", file["name"].as_str().expect("a name"))));
            let after = texts.map(|text| text.strip_prefix(head).expect("a head").to_vec());
            assert!(after.collect::<Vec<_>>().concat() == rows);
        }
        bench.program("verify out").assert().success();
    }
}

#[test]
fn compressed_parts_are_whole_files() {
    let bench = Bench::new();
    bench.file("urls", bench.read(LIST).repeat(30));
    let plain = bench.split(SOURCES_NOW, &["urls"]);
    let split = bench.split(&format!("{SOURCES_NOW} --force --compress gz --split-size 1"), &["urls"]);
    assert_eq!(split.partitions, plain.partitions);
    let files = &split.receipt["partitions"]["allowed"]["files"];
    assert!(names(files).len() > 3 && names(files)[1] == "allowed.0002.txt.gz");
    for file in files.as_array().expect("files") {
        text_of(&bench, "out", &Value::Array(vec![file.clone()]));
    }
}

#[test]
fn a_list_that_would_be_replaced_by_a_part_is_refused() {
    let bench = Bench::with_site();
    bench.file("out/allowed.0007.txt", "http://a.example/\n");
    bench.filter("--robots sites --out out --force --split-size 1k out/allowed.0007.txt").assert().code(2);
    bench.split("--robots sites --force", &["out/allowed.0007.txt"]);
}

#[test]
fn sizes_that_are_none_are_refused() {
    let bench = Bench::with_site();
    for size in ["0", "0k", "x", "1XB", "-1", "1.5M", "99999999999999999999", "99999999999G", ""] {
        bench.refused(&format!("--robots sites --out out --split-size={size} urls"), &["--split-size"]);
    }
}

/// Parts of shards stay as they are; joined, they would not be parts of the given size.
#[test]
fn shards_with_parts_are_joined_where_they_lie() {
    let bench = Bench::new();
    for number in 1..=2 {
        let words = format!("{SOURCES_NOW} --split-size 5k --shard {number}/2 --out part-{number} {LIST}");
        bench.filter(&words).assert().success();
    }
    bench.program("join --out all part-1 part-2").assert().success();
    bench.program("verify all").assert().success();
    let done = bench.program("join --out whole --concat part-1 part-2").assert().code(2);
    crate::support::program::said(&done.get_output().stderr, &["--split-size", "--concat"]);
}
