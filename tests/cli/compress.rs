//! `--compress`: the same lines in smaller files.

use std::process::{Command, Stdio};

use crate::support::program::{Bench, SOURCES_NOW};
use crate::support::results::{PARTITIONS, Sums};

/// File name endings, and the tools that decompress them.
const FORMATS: [(&str, &str); 2] = [("gz", "gzip"), ("zst", "zstd")];

/// The output of a tool that decompresses a file; reports it as skipped if the tool is missing.
fn decompressed_by(tool: &str, bench: &Bench, name: &str) -> Option<Vec<u8>> {
    let run = Command::new(tool).arg("-dc").arg(bench.path(name)).stdin(Stdio::null()).output();
    let Ok(done) = run else {
        eprintln!("SKIPPED: there is no {tool}, so nothing but this program has read what it compressed");
        return None;
    };
    assert!(done.status.success(), "{tool} {name}: {}", String::from_utf8_lossy(&done.stderr));
    Some(done.stdout)
}

/// The lists of the repository, repeated, so that files have more than one frame.
fn long_list(bench: &Bench) -> Vec<u8> {
    let list = bench.read("DATASETS/urls.txt").repeat(20);
    bench.file("urls", &list);
    list
}

#[test]
fn compressed_partitions_are_those_of_a_plain_run() {
    let bench = Bench::new();
    long_list(&bench);
    let plain = bench.split(SOURCES_NOW, &["urls"]);
    for (ending, tool) in FORMATS {
        let packed = bench.split(&format!("{SOURCES_NOW} --force --compress {ending}"), &["urls"]);
        assert_eq!(packed.partitions, plain.partitions);
        for (name, text) in PARTITIONS.iter().zip(&plain.partitions) {
            let file = format!("out/{name}.txt.{ending}");
            if let Some(read) = decompressed_by(tool, &bench, &file) {
                assert!(read == *text, "{tool} reads something else in {file}");
            }
            let stored = bench.read(&file).len();
            assert!(stored * 4 < text.len(), "{file}: {stored} bytes of {}", text.len());
        }
        let mut names: Vec<String> = PARTITIONS.iter().map(|name| format!("{name}.txt.{ending}")).collect();
        names.extend(["receipt.json".to_owned(), "robots-needed.tsv".to_owned()]);
        assert_eq!(bench.names("out"), names, "the files of the earlier run are gone");
        bench.program("verify out --inputs").assert().success();
        let mut file = bench.read(&format!("out/allowed.txt.{ending}"));
        file.pop();
        bench.file(&format!("out/allowed.txt.{ending}"), file);
        let done = bench.program("verify out").assert().code(1);
        let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        let line = |name: &str| table.lines().find(|line| line.contains(name)).expect("a line of the file");
        assert!(line("allowed").contains("damaged or cut short") && line("allowed").contains("byte"), "{table}");
        assert!(line("blocked").contains("matches the receipt") && table.ends_with("NOT proven\n"), "{table}");
    }
}

/// The stored bytes do not depend on which worker judged a chunk.
#[test]
#[ignore = "takes long"]
fn compressed_files_do_not_depend_on_threads() {
    let bench = Bench::new();
    long_list(&bench);
    for (ending, _) in FORMATS {
        let stored = |threads: usize| {
            let options = format!("{SOURCES_NOW} --compress {ending} --threads {threads} --force");
            let split = bench.split(&options, &["urls"]);
            let files = PARTITIONS.map(|name| bench.read(&format!("out/{name}.txt.{ending}")));
            (split.timeless(), files)
        };
        assert!(stored(1) == stored(4), "{ending}");
    }
}

#[test]
fn files_without_lines_are_compressed_files_too() {
    let bench = Bench::with_site();
    bench.file("urls", "");
    for (ending, tool) in FORMATS {
        bench.split(&format!("--robots sites --force --compress {ending}"), &["urls"]);
        for name in PARTITIONS {
            let file = format!("out/{name}.txt.{ending}");
            assert!(!bench.read(&file).is_empty(), "{file}");
            if let Some(read) = decompressed_by(tool, &bench, &file) {
                assert_eq!(read, b"");
            }
        }
    }
}

#[test]
fn each_list_has_compressed_files_of_its_own() {
    let bench = Bench::with_site();
    let lists = ["http://a.example/1\nhttp://a.example/no/1", "", "http://a.example/no/3\n"];
    for (name, list) in ["one", "two", "three"].iter().zip(lists) {
        bench.file(name, list);
    }
    bench.filter("--robots sites --out out --per-input --compress gz one two three").assert().success();
    let receipt = bench.receipt("out");
    let files = &receipt["partitions"]["blocked"]["files"];
    let texts = ["http://a.example/no/1", "", "http://a.example/no/3\n"];
    for (place, (folder, text)) in ["0001-one", "0002-two", "0003-three"].iter().zip(texts).enumerate() {
        assert_eq!(files[place]["name"], format!("{folder}/blocked.txt.gz"));
        let file = serde_json::Value::Array(vec![files[place].clone()]);
        assert_eq!(crate::support::results::text_of(&bench, "out", &file), text.as_bytes());
    }
    bench.filter("--robots sites --out out --per-input --force one").assert().success();
    assert_eq!(bench.names("out"), ["0001-one", "receipt.json", "robots-needed.tsv"]);
    assert_eq!(bench.names("out/0001-one"), ["allowed.txt", "blocked.txt", "deferred.txt", "invalid.txt"]);
}

#[test]
fn verdicts_may_be_compressed() {
    let bench = Bench::new();
    let list = long_list(&bench);
    bench.filter(&format!("{SOURCES_NOW} --out plain --verdicts urls")).assert().success();
    let plain = bench.read("plain/verdicts.tsv");
    for (ending, tool) in FORMATS {
        let options = format!("{SOURCES_NOW} --verdicts --compress {ending}");
        bench.filter(&format!("{options} --out out --force urls")).assert().success();
        if let Some(read) = decompressed_by(tool, &bench, &format!("out/verdicts.tsv.{ending}")) {
            assert!(read == plain);
        }
        let receipt = bench.receipt("out");
        assert!(Sums::of(&list).fit(&receipt["verdicts"]));
        let file = &receipt["verdicts"]["files"][0];
        assert!(Sums::of(&list).fit(file), "without the head, and without what stands before the lines");
        assert_eq!(file["file_bytes"], bench.read(&format!("out/verdicts.tsv.{ending}")).len());
    }
}

/// Concatenated members are one text, so the files of shards can be joined as they are; only one header stays.
#[test]
fn compressed_shards_are_joined() {
    let bench = Bench::new();
    let list = long_list(&bench);
    for (ending, tool) in FORMATS {
        for form in ["", "--verdicts"] {
            bench.filter(&format!("{SOURCES_NOW} {form} --out whole --force urls")).assert().success();
            for number in 1..=3 {
                let options = format!("{SOURCES_NOW} {form} --compress {ending} --shard {number}/3 --force");
                bench.filter(&format!("{options} --out part-{number} urls")).assert().success();
            }
            bench.program("join --concat --force --out all part-1 part-2 part-3").assert().success();
            bench.program("verify all --inputs").assert().success();
            let name = if form.is_empty() { "blocked.txt" } else { "verdicts.tsv" };
            let whole = bench.read(&format!("whole/{name}"));
            assert!(whole.len() > list.len() / 5);
            if let Some(read) = decompressed_by(tool, &bench, &format!("all/{name}.{ending}")) {
                assert!(read == whole, "{name}.{ending}");
            }
        }
    }
}

#[test]
fn output_that_is_only_counted_has_no_format() {
    let bench = Bench::with_site();
    for option in ["--compress gz", "--split-size 1k", "--verdicts", "--force", "--per-input"] {
        let name = option.split(' ').next().expect("a name");
        bench.refused(&format!("--robots sites --count {option} urls"), &["--count", name]);
    }
}
