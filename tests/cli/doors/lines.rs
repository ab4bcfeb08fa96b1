//! Lines of lists, by every door that reads one: a line with a tab inside has fields, unless it is said that it has none; columns may
//! be padded; and a line that is too long is left out of a run that skips what it cannot read.

use serde_json::Value;

use crate::support::compression::{gzip, zstd};
use crate::support::program::{Bench, PROGRAM, said};
use crate::support::results::{Split, reasons_of};

const SEEDS: &str = "http://a.example/yes\nhttp://a.example/no\tkey=value\n http://a.example/yes \t\r\nhttp://a.example/yes#\tx\n\
                     \u{fffd}\tx\n";

fn bench() -> Bench {
    let bench = Bench::with_site();
    bench.file("list", SEEDS);
    bench.file("marked", format!("\u{feff}http://a.example/no\tx\n{SEEDS}"));
    bench.file("list.gz", gzip(SEEDS.as_bytes()));
    bench.file("list.zst", zstd(SEEDS.as_bytes(), b""));
    bench
}

fn counts(receipt: &Value) -> (u64, u64) {
    let tabs = reasons_of(receipt, "invalid").get("tab").copied().unwrap_or(0);
    (tabs, receipt["partitions"]["blocked"]["lines"].as_u64().expect("a number"))
}

#[test]
fn a_line_with_a_tab_inside_is_invalid_at_every_door() {
    let bench = bench();
    for list in ["list", "list.gz", "list.zst"] {
        for options in ["", "--skip-bad", "--verdicts", "--compress gzip", "--unique", "--seen s.rss"] {
            bench.filter(&format!("--robots sites --force --out out {options} {list}")).assert().success();
            assert_eq!(counts(&bench.receipt("out")), (3, 0), "{list} {options}");
            assert_eq!(bench.receipt("out")["lists"][0]["tabbed"]["lines"], 3, "{list} {options}");
            assert_eq!(bench.receipt("out")["lists"][0]["tabbed"]["first"], 2, "{list} {options}");
            bench.program("verify out --inputs").assert().success();
        }
        bench.filter(&format!("--robots sites --force --out out --delimiter none {list}")).assert().success();
        assert_eq!(counts(&bench.receipt("out")), (0, 1), "{list}");
        bench.filter(&format!("--robots sites --force --out out --delimiter tab {list}")).assert().success();
        assert_eq!(counts(&bench.receipt("out")), (0, 1), "{list}");
    }
    // After a byte order mark, from a pipe, and for several crawlers.
    let many = "--count --json --agent b --agent c --agent d";
    for options in ["--count --json", many] {
        let done = bench.filter(&format!("--robots sites {options} -")).write_stdin(bench.read("marked")).assert();
        let receipt: Value = serde_json::from_slice(&done.success().get_output().stdout).expect("JSON");
        let parts = receipt["partitions"].as_object().expect("an object");
        for (name, part) in parts.iter().filter(|(name, _)| name.starts_with("invalid")) {
            assert_eq!(part["reasons"]["tab"], 4, "{name} {options}");
        }
    }
    let done = bench.filter("--robots sites --blocked-for --agent other --out out --force list").assert().success();
    said(
        &done.get_output().stderr,
        &["3 lines have a tab inside", "the first is line 2", "--delimiter tab --column 1"],
    );
    // Equal lines are equal URLs only if they are URLs.
    bench.file("twice", "http://a.example/yes\tx\n".repeat(2));
    bench.filter("--robots sites --unique --out out --force twice").assert().success();
    assert_eq!(bench.receipt("out")["duplicates"]["lines"], 0);
    // What a list is says nothing of a single URL, nor of lists that quote or name their URLs.
    let done = bench.program("check --agent examplebot --robots sites").arg("http://a.example/n\to").assert().code(1);
    assert!(String::from_utf8_lossy(&done.get_output().stdout).contains("blocked"));
    bench.file("json", "{\"url\":\"http://a.example/n\\to\"}\n");
    bench.file("csv", "1,\"http://a.example/n\to\"\n");
    for (list, options) in [("json", ""), ("csv", "--delimiter , --column 2")] {
        bench.filter(&format!("--robots sites --out out --force {options} {list}")).assert().success();
        assert_eq!(counts(&bench.receipt("out")), (0, 1), "{list}");
    }
}

#[test]
fn shards_and_later_runs_must_say_the_same() {
    let bench = bench();
    bench.file("list", SEEDS.repeat(40));
    let words = |shard: &str, more: &str| {
        format!("--robots sites --now 2026-01-01T00:00:00Z --shard {shard} --out parts/{} {more} list", &shard[..1])
    };
    bench.filter(&words("1/2", "")).assert().success();
    bench.filter(&words("2/2", "--delimiter none")).assert().success();
    bench.program("join --out whole parts/1 parts/2").assert().code(2);
    bench.filter(&words("2/2", "--force")).assert().success();
    bench.program("join --out whole parts/1 parts/2").assert().success();
    let tabbed = &bench.receipt("whole")["lists"][0]["tabbed"];
    assert_eq!((tabbed["lines"].as_u64(), tabbed["first"].as_u64()), (Some(120), Some(2)));
    bench.program("verify whole").assert().success();
}

#[test]
fn padded_columns_are_read() {
    let bench = Bench::with_site();
    let log = "2026-01-01T00:00:00.000Z   200       1234 http://a.example/no L http://a.example/ text/html #001\n\
               2026-01-01T00:00:00.000Z    -5          - http://a.example/yes - - unknown #002\r\n \t\n";
    bench.file("crawl.log", log);
    let split = bench.split("--robots sites --delimiter whitespace --column 4", &["crawl.log"]);
    assert_eq!([split.lines("blocked").len(), split.lines("allowed").len()], [1, 1]);
    assert_eq!(split.reasons("invalid")["column"], 1);
    bench.file("named", format!("time  status  size url\n{log}"));
    bench.filter("--robots sites --force --out out --delimiter whitespace --column url named").assert().success();
    let split = Split::read(&bench, "out");
    assert_eq!(split.receipt["lists"][0]["head"]["lines"], 1);
    assert_eq!(
        [&split.receipt["partitions"]["blocked"]["lines"], &split.receipt["partitions"]["allowed"]["lines"]],
        [1, 1]
    );
}

/// Lists that other programs write, and how many lines are judged once the advice is followed.
#[test]
#[cfg(unix)]
fn advice_works_as_written() {
    let bench = Bench::with_site();
    let nutch = "http://a.example/no\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Thu Jan 01 00:00:00 UTC 2026\n\
                 Score: 1.0\nMetadata: \n \t_pst_=success(1), lastModified=0\n\n";
    let scrapy = "2026-01-01 12:00:00 [scrapy.core.engine] INFO: Spider opened\n\
                  2026-01-01 12:00:00 [scrapy.core.engine] DEBUG: Crawled (200) <GET http://a.example/no> (referer: None)\n";
    let heritrix = "2026-01-01T00:00:00.000Z   200       1234 http://a.example/no L http://b.example/ text/html #001\n\
                    2026-01-01T00:00:00.000Z    -5          - http://a.example/no - - unknown #002\n";
    let csv =
        "Url,Status code,Status name\n\"http://a.example/no\",2,\"db_fetched\"\n\"http://a.example/no\",1,\"x\"\n";
    let seeds = "http://a.example/no\tnutch.score=2\nhttp://a.example/no\ta=b\n";
    for list in [nutch, scrapy, heritrix, csv, seeds] {
        bench.file("list", list.repeat(3));
        let done = bench.filter("--robots sites --count list").assert().success();
        let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        let hint = stderr
            .lines()
            .find(|line| line.starts_with("robosieve: the list"))
            .unwrap_or_else(|| panic!("no advice: {list}"));
        let shell = match hint.split_once("first: ") {
            Some((_, command)) => format!(
                "{} && {PROGRAM} filter --agent examplebot --robots sites --count --json urls.txt",
                command.replace("FILE", "list")
            ),
            None => {
                let (_, options) = hint.split_once("--delimiter ").unwrap_or_else(|| panic!("{hint}"));
                let options = options.split("; ").next().expect("options");
                format!("{PROGRAM} filter --agent examplebot --robots sites --count --json --delimiter {options} list")
            }
        };
        let done = assert_cmd::Command::new("sh").current_dir(bench.path(".")).arg("-c").arg(&shell).assert().success();
        let receipt: Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
        assert!(receipt["partitions"]["blocked"]["lines"].as_u64() >= Some(3), "{shell}: {receipt}");
    }
}

/// Text with a line that is longer than there is memory for, and what is around it.
fn long_list(line: impl Fn(&str) -> String) -> (String, String, u64) {
    let (before, long) = (line("yes").repeat(30_000), line(&format!("no{}", "x".repeat(900_000))));
    let after = line("no").repeat(30_000) + &line(&"y".repeat(800_000));
    let text = [before.clone(), long, after].concat();
    let kept = [before.clone(), line("no").repeat(30_000)].concat();
    (text, kept, before.len() as u64)
}

#[test]
fn a_line_that_is_too_long_is_left_out_with_skip_bad() {
    let bench = Bench::with_site();
    let plain = |path: &str| format!("http://a.example/{path}\n");
    let json = |path: &str| format!("{{\"url\":\"http://a.example/{path}\"}}\n");
    let csv = |path: &str| format!("1,http://a.example/{path}\n");
    for (line, options) in [(&plain as &dyn Fn(&str) -> String, ""), (&json, ""), (&csv, "--delimiter , --column 2")] {
        let (text, kept, at) = long_list(line);
        bench.file("list", &text);
        bench.file("list.gz", gzip(text.as_bytes()));
        let common = format!("--robots sites --memory 64M --force --out out {options}");
        let done = bench.filter(&format!("{common} list")).assert().code(2);
        said(&done.get_output().stderr, &["list has a line of more than", "--memory", "--skip-bad"]);
        for list in ["list", "list.gz"] {
            for more in ["", "--threads 3", "--unique=bytes"] {
                let done = bench.filter(&format!("{common} --skip-bad {more} {list}")).assert().success();
                let place = format!("skipped after byte {at} of its text: a line of ");
                said(&done.get_output().stderr, &[&place]);
                let receipt = bench.receipt("out");
                assert_eq!(receipt["skipped"], 2, "{list} {more}");
                assert_eq!(receipt["lists"][0]["skipped"][0]["at"], at);
                bench.program("verify out --inputs").assert().success();
                if more.contains("unique") {
                    continue;
                }
                Split::read(&bench, "out").accounts_for(&[kept.clone().into_bytes()]);
            }
        }
        let done = bench.filter(&format!("--robots sites --memory 64M --skip-bad --count --json {options} -"));
        let mut done = done;
        let receipt = done.write_stdin(text.clone()).assert().success();
        let receipt: Value = serde_json::from_slice(&receipt.get_output().stdout).expect("JSON");
        assert_eq!((receipt["skipped"].as_u64(), receipt["input"]["lines"].as_u64()), (Some(2), Some(60_000)));
    }
    // Shards of it are joined to the same.
    let (text, kept, _) = long_list(plain);
    bench.file("list", &text);
    for shard in ["1/3", "2/3", "3/3"] {
        let words = format!("--robots sites --memory 64M --now 2026-01-01T00:00:00Z --skip-bad --shard {shard}");
        bench.filter(&format!("{words} --out parts/{} list", &shard[..1])).assert().success();
    }
    bench.program("join --concat --out whole parts/1 parts/2 parts/3").assert().success();
    Split::read(&bench, "whole").accounts_for(&[kept.into_bytes()]);
    bench.program("verify whole --inputs").assert().success();
}
