//! Files beside a run's own, which readers of its folder would count as output.

use std::fs;

use serde_json::json;

use crate::support::program::{Bench, said};

fn bench_with_run(options: &str) -> Bench {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\nhttp://a.example/no\nhttp://b.example/\nx\n");
    bench.file("more", "http://a.example/1\n");
    bench.filter(&format!("{options} --robots sites --out out urls more")).assert().success();
    bench
}

/// `verify` must name the file, and its answer must be this.
fn verified(bench: &Bench, folder: &str, name: &str, is_proven: bool) {
    let done = bench.program(&format!("verify {folder}")).output().expect("the program");
    // A long name has a line of its own.
    let table = String::from_utf8_lossy(&done.stdout).replace("\n  ", "  ");
    assert_eq!(done.status.code(), Some(if is_proven { 0 } else { 1 }), "{name}: {table}");
    let line = table.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {table}"));
    assert!(line.contains(" extra ") && line.contains("the receipt does not name it"), "{line}");
}

/// Files that readers count disprove the receipt, and a forced run names them, whether it refuses to write there or not; those that
/// readers skip are named by `verify` only, and others are of no interest.
fn check(options: &str, counted: &[&str], skipped: &[&str], others: &[&str]) {
    let bench = bench_with_run(options);
    let forced = |quiet| {
        bench.filter(&format!("{options} {quiet} --robots sites --force --out out urls more")).output().unwrap()
    };
    for name in counted {
        let path = format!("out/{name}");
        bench.file(&path, "http://a.example/mine\n");
        verified(&bench, "out", name, false);
        for quiet in ["", "-q", "--log json", "-q --log json"] {
            let done = forced(quiet);
            let problem = if done.status.success() { "does not name it" } else { "in the way" };
            let told = String::from_utf8_lossy(&done.stderr);
            let is_told = |line: &str| line.contains(name) && line.contains(problem);
            assert!(told.lines().any(is_told), "{name}: {told}");
            if quiet == "-q" {
                assert_eq!(String::from_utf8_lossy(&done.stderr).lines().count(), 1);
            }
        }
        assert_eq!(bench.read(&path), b"http://a.example/mine\n", "{name}");
        fs::remove_file(bench.path(&path)).unwrap();
    }
    for name in skipped {
        bench.file(&format!("out/{name}"), "mine");
        verified(&bench, "out", name, true);
    }
    others.iter().for_each(|name| bench.file(&format!("out/{name}"), "mine"));
    let done = bench.program("verify out").assert().success();
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(others.iter().all(|name| !table.contains(&format!("out/{name} "))), "{table}");
    let done = forced("-q");
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    skipped.iter().chain(others).for_each(|name| assert_eq!(bench.read(&format!("out/{name}")), b"mine", "{name}"));
}

#[test]
fn files_with_the_names_of_partitions_count() {
    let others =
        ["notes.txt", "allowed", "allowed.txt.bak", "0001-urls/allowed.txt", "lines/x.parquet", ".allowed.txt"];
    check("", &[], &[], &others);
    check("--split-size 1k", &["allowed.0002.txt", "blocked.0077.txt"], &[], &["notes.txt", "allowed.0002.txt.gz"]);
    check("--split-size 1k --compress gzip", &["allowed.0002.txt.gz"], &[], &["notes.txt", "allowed.0002.txt"]);
    check("--verdicts --split-size 1k", &["verdicts.0009.tsv"], &[], &["notes.txt", "verdicts/x"]);
    check("--per-input", &["0007-old/allowed.txt"], &[], &["notes.txt", "0001-urls/notes.txt", "allowed.txt"]);
    let counted = ["0001-urls/allowed.0002.txt", "0007-old/blocked.0001.txt"];
    check("--per-input --split-size 1k", &counted, &[], &["notes.txt", "0007-old/allowed.txt"]);
}

#[cfg(feature = "parquet")]
#[test]
fn all_files_of_a_dataset_count() {
    let counted = [
        "lines/verdict=allowed/x.parquet",
        "lines/verdict=allowed/part-0002.parquet",
        "lines/verdict=allowed/notes.txt",
        "lines/verdict=blocked/deeper/x",
        "lines/x.parquet",
        "lines/verdict=other/x.parquet",
    ];
    let skipped = ["lines/_SUCCESS", "lines/verdict=allowed/.x.crc", "lines/_delta_log/0.json"];
    check("--format parquet", &counted, &skipped, &["notes.txt", "mine/x.parquet", "allowed.txt"]);
    check("--format parquet --verdicts", &["verdicts/x.parquet"], &["verdicts/_x"], &["lines.txt", "lines/x"]);
    let counted = ["0001-urls/lines/verdict=allowed/x.parquet", "0009-x/lines/x.parquet"];
    check("--format parquet --per-input", &counted, &["0001-urls/lines/_x"], &["0001-urls/notes.txt"]);
    check("--format parquet --agent other", &["lines/crawler=x/y"], &["lines/crawler=other/.y"], &[]);
}

#[cfg(all(unix, feature = "parquet"))]
#[test]
fn links_into_a_dataset_are_followed_once() {
    let bench = bench_with_run("--format parquet");
    bench.file("elsewhere/x.parquet", "mine");
    std::os::unix::fs::symlink("..", bench.path("out/lines/up")).unwrap();
    bench.program("verify out").assert().success();
    std::os::unix::fs::symlink(bench.path("elsewhere"), bench.path("out/lines/elsewhere")).unwrap();
    verified(&bench, "out", "lines/elsewhere/x.parquet", false);
}

#[test]
fn shards_are_searched_too() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\nhttp://a.example/no\n");
    for number in 1..=2 {
        bench
            .filter(&format!(
                "--robots sites --now 2026-01-01T00:00:00Z --split-size 1k --shard {number}/2 --out s{number} urls"
            ))
            .assert()
            .success();
    }
    bench.program("join s1 s2 --out all").assert().success();
    bench.program("verify all").assert().success();
    bench.file("s1/allowed.0007.txt", "mine");
    verified(&bench, "all", "s1/allowed.0007.txt", false);
}

#[test]
fn a_receipt_of_another_version_is_refused_everywhere() {
    let bench = bench_with_run("");
    let before = bench.receipt("out");
    for version in [json!(2), json!(0), json!("1"), json!(null), json!(1.0), json!(u64::from(u32::MAX) + 2)] {
        let mut receipt = before.clone();
        receipt["version"] = version.clone();
        bench.file("out/receipt.json", serde_json::to_string_pretty(&receipt).unwrap());
        let kept = bench.read("out/receipt.json");
        for words in ["verify out", "report out", "join out --out all"] {
            let done = bench.program(words).output().unwrap();
            assert_eq!(done.status.code(), Some(2), "{words} {version}");
            said(&done.stderr, &["receipt"]);
        }
        for option in ["--resume", "--force"] {
            let done = bench.filter(&format!("--robots sites {option} --out out urls more")).output().unwrap();
            assert_eq!(done.status.code(), Some(2), "{option} {version}");
            assert_eq!(bench.read("out/receipt.json"), kept);
        }
    }
    bench.file(
        "out/receipt.json",
        serde_json::to_string(&before).unwrap().replacen("\"version\":1", "\"version\":2", 1),
    );
    said(&bench.program("verify out").output().unwrap().stderr, &["version 2 of receipts is unknown"]);
}
