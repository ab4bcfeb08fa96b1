//! Shards that leave out lines whose URLs an earlier shard has.

use std::fs;

use serde_json::Value;

use crate::support::compression::gzip;
use crate::support::program::{Bench, said};
use crate::support::results::assert_same;

const RUN: &str = "filter --agent examplebot --robots sites --now 2026-01-01T00:00:00Z";

/// Lists in which most URLs are written several times, in several ways.
fn bench_with_lists() -> Bench {
    let bench = Bench::with_site();
    let line = |n: usize| match n % 7 {
        0 => format!("http://a.example/no/{}\n", n % 60),
        1 => format!("http://{}.example/{}\n", n % 5, n % 90),
        2 => "no url\n".to_owned(),
        3 => format!("HTTP://A.example:80/{}#x\n", n % 50),
        _ => format!("http://a.example/{}\n", n % 120),
    };
    let lines = |range: std::ops::Range<usize>| range.map(line).collect::<String>();
    bench.file("one", lines(0..700));
    bench.file("two", gzip(lines(700..900).as_bytes()));
    bench.file("three", "");
    bench.file("four", lines(300..1300) + "http://a.example/5");
    bench
}

const LISTS: &str = "one two three four";

/// Writes the keys of all shards.
fn write_keys(bench: &Bench, of: usize, options: &str) {
    fs::create_dir(bench.path("keys")).expect("a folder");
    for number in 1..=of {
        bench.program(&format!("keys {options} --shard {number}/{of} -o keys/{number}.rss {LISTS}")).assert().success();
    }
}

/// The receipt without what tells shards from an undivided run.
fn receipt(bench: &Bench, folder: &str) -> Value {
    let mut receipt = bench.timeless(folder);
    receipt["options"].as_object_mut().expect("options").remove("keys");
    receipt.as_object_mut().expect("an object").remove("shards");
    receipt
}

#[test]
fn shards_leave_out_what_an_undivided_run_does() {
    for (of, keys, options) in [
        (1, "", "--unique"),
        (3, "--memory 48M", "--unique"),
        (8, "--unique=bytes", "--unique=bytes --verdicts"),
        (40, "--unique=fetched --threads 3", "--unique --per-input --threads 3"),
    ] {
        let bench = bench_with_lists();
        bench.program(&format!("{RUN} {options} --out whole {LISTS}")).assert().success();
        write_keys(&bench, of, keys);
        let parts: Vec<String> = (1..=of).map(|number| format!("part-{number}")).collect();
        for (number, part) in (1..).zip(&parts) {
            let words = format!("{RUN} {options} --keys keys --shard {number}/{of} --out {part} {LISTS}");
            bench.program(&words).assert().success();
            bench.program(&format!("verify --inputs {part}")).assert().success();
        }
        bench.program(&format!("join --concat --out all {}", parts.join(" "))).assert().success();
        bench.program("verify --inputs all").assert().success();
        let whole = receipt(&bench, "whole");
        assert_eq!(receipt(&bench, "all"), whole, "{of} {options}");
        assert!(whole["duplicates"]["lines"].as_u64() > Some(500), "{whole}");
        fs::copy(bench.path("whole/receipt.json"), bench.path("all/receipt.json")).expect("copied");
        assert_same(&bench, "all", "whole");
    }
}

#[test]
fn a_shard_resumes_with_the_same_keys_only() {
    let bench = bench_with_lists();
    write_keys(&bench, 2, "");
    let words = format!("{RUN} --unique --keys keys --shard 2/2 --resume --out part {LISTS}");
    bench.program(&words).assert().success();
    let before = bench.read("part/receipt.json");
    bench.program(&words).assert().success();
    assert!(bench.read("part/receipt.json") == before);
    bench.file("one", "http://a.example/other\n");
    bench.program(&format!("keys --shard 1/2 -o keys/1.rss {LISTS}")).assert().success();
    let refused = bench.program(&words).assert().code(2);
    said(&refused.get_output().stderr, &["complete", "of another job"]);
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    let refused = |words: &[&str], options: &str, change: &dyn Fn(&Bench)| {
        let bench = bench_with_lists();
        write_keys(&bench, 3, "");
        change(&bench);
        let ended = bench.program(&format!("{RUN} {options} --out out {LISTS}")).assert().code(2);
        said(&ended.get_output().stderr, words);
        assert!(!bench.path("out/receipt.json").exists());
    };
    let of_shard = "--unique --keys keys --shard 3/3";
    let remove = |bench: &Bench| fs::remove_file(bench.path("keys/2.rss")).expect("removed");
    refused(&["keys has no file", "2/3"], of_shard, &remove);
    refused(&["1.rss", "one of 4 shards", "--keys"], "--unique --keys keys --shard 3/4", &remove);
    refused(&["1.rss", "fetched, not by bytes"], "--unique=bytes --keys keys --shard 3/3", &|_| ());
    refused(&["extra", "no file of seen URLs"], of_shard, &|bench| bench.file("keys/extra", "mine"));
    refused(&["4.rss", "shard 2/3"], of_shard, &|bench| {
        fs::copy(bench.path("keys/2.rss"), bench.path("keys/4.rss")).expect("copied");
    });
    // One of the keys of an earlier shard is another.
    refused(&["1.rss", "checksum"], of_shard, &|bench| {
        let mut bytes = bench.read("keys/1.rss");
        *bytes.last_mut().expect("a key") ^= 1;
        bench.file("keys/1.rss", bytes);
    });
    // The lists have changed since: a URL is missing, or there is one too many.
    for last in ["", "http://a.example/new\nhttp://a.example/newer\n"] {
        refused(&["3.rss", "write it again", "--keys"], of_shard, &|bench| {
            bench.file("four", String::from_utf8(bench.read("four")).expect("UTF-8").replace("/no/17", "/no/5") + last);
        });
    }
    refused(&["write the keys of all shards first", "--keys"], "--unique --shard 1/3", &|_| ());
    refused(&["only for a shard", "--keys"], "--unique --keys keys", &|_| ());
    refused(&["each shard would replace", "--seen"], "--unique --keys keys --shard 1/3 --seen seen", &|_| ());
    refused(&["keys/1.rss", "not those that runs have allowed"], "--seen keys/1.rss", &|_| ());
}

#[test]
fn keys_replace_nothing_but_keys() {
    let bench = bench_with_lists();
    bench.program(&format!("{RUN} --seen seen --out out {LISTS}")).assert().success();
    let seen = bench.read("seen");
    bench.file("mine", "a user's");
    for (out, words) in [
        ("seen", &["a file of the keys of lists"][..]),
        ("mine", &["a file of the keys of lists"]),
        ("one", &["input"]),
    ] {
        let refused = bench.program(&format!("keys --shard 1/2 -o {out} {LISTS}")).assert().code(2);
        said(&refused.get_output().stderr, words);
    }
    assert!(bench.read("seen") == seen && bench.read("mine") == b"a user's");
    for _ in 0..2 {
        let done = bench.program(&format!("keys --shard 1/2 -o keys {LISTS}")).assert().success();
        let line = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(line.starts_with("keys: ") && line.contains(" URLs, fetched, shard 1/2, "), "{line}");
    }
    // Keys of whole lists may be the first seen URLs of a frontier.
    bench.program(&format!("keys -o before {LISTS}")).assert().success();
    let run = bench.program(&format!("{RUN} --seen before --count --json {LISTS}")).assert().success();
    let receipt: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    assert_eq!(receipt["partitions"]["allowed"]["lines"], 0);
    assert!(receipt["partitions"]["invalid"]["lines"].as_u64() > Some(0));
}
