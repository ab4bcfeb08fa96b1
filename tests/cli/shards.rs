//! A job run in shards, and their receipts joined.

use std::fs;

use serde_json::Value;

use crate::support::compression::{gzip, zstd};
use crate::support::program::{Bench, said};
use crate::support::results::{PARTITIONS, Split};

/// All runs of a job judge ages at the same time.
const NOW: &str = "--now 2026-01-01T00:00:00Z";

/// Lists of many lines, of none, of one, and of lines longer than a shard; the second and the last have no final line feed.
fn bench_with_lists() -> Bench {
    let bench = Bench::with_site();
    let line = |n: usize| match n % 6 {
        0 => format!("http://a.example/no/{n}"),
        1 => format!("http://{}.example/{n}", n % 17),
        2 => String::new(),
        3 => format!("no url {n}"),
        _ => format!("http://a.example/{}", "x".repeat(n % 40)),
    };
    let lines = |range: std::ops::Range<usize>| range.map(|n| line(n) + "\n").collect::<String>();
    bench.file("one", lines(0..700));
    bench.file("two", lines(700..1000).trim_end());
    bench.file("three", "");
    bench.file("four", format!("http://long.example/{}\nhttp://a.example/no\n", "y".repeat(9000)));
    bench.file("five", lines(1000..1200) + "http://5.example/last");
    bench
}

const LISTS: &str = "one two three four five";

/// Runs all shards of a job.
fn run_shards(bench: &Bench, of: usize, options: &str) -> String {
    let folders: Vec<String> = (1..=of).map(|number| format!("part-{number}")).collect();
    for (number, folder) in (1..).zip(&folders) {
        let words = format!("--robots sites {NOW} {options} --shard {number}/{of} --out {folder} {LISTS}");
        bench.filter(&words).assert().success();
    }
    folders.join(" ")
}

fn receipt(bench: &Bench, folder: &str) -> Value {
    let mut receipt = bench.timeless(folder);
    receipt.as_object_mut().expect("an object").remove("shards");
    receipt
}

/// A path is normalised once for each crawler whose rules need it: on each site, only one of the two.
#[test]
fn normalised_paths_are_counted_the_same_whatever_shards_are() {
    let bench = Bench::new();
    let file = |one, other| format!("User-agent: {one}\nDisallow: /x*y\n\nUser-agent: {other}\nDisallow:\n");
    bench.file("sites/one.example", file("examplebot", "other"));
    bench.file("sites/two.example", file("other", "examplebot"));
    bench.file("urls", "http://one.example/%41/q\nhttp://two.example/%41/q\n");
    let words = format!("--agent other --robots sites {NOW} urls");
    let count = |folder: &str| receipt(&bench, folder)["normalised_paths"].clone();
    for (folder, options) in [("undivided", ""), ("part-1", "--shard 1/2"), ("part-2", "--shard 2/2")] {
        bench.filter(&format!("{words} {options} --out {folder}")).assert().success();
    }
    bench.program("join --out whole part-1 part-2").assert().success();
    assert_eq!(["undivided", "whole", "part-1"].map(count), [2, 2, 1]);
}

/// A receipt without files: those in the shards' folders differ from those of an undivided run.
fn without_files(mut receipt: Value) -> Value {
    for part in receipt["partitions"].as_object_mut().expect("partitions").values_mut() {
        part.as_object_mut().expect("an object").remove("files");
    }
    if let Some(verdicts) = receipt.get_mut("verdicts") {
        verdicts.as_object_mut().expect("an object").remove("files");
    }
    receipt
}

#[test]
#[ignore = "takes long"]
fn joined_shards_are_an_undivided_run() {
    let forms =
        ["", "--verdicts", "--agent other", "--agent other --verdicts", "--per-input", "--per-input --verdicts"];
    for options in forms {
        let bench = bench_with_lists();
        bench.filter(&format!("--robots sites {NOW} {options} --out whole {LISTS}")).assert().success();
        for of in [1, 3, 8] {
            let folders = run_shards(&bench, of, options);
            bench.program(&format!("join --out all {folders}")).assert().success();
            assert_eq!(bench.names("all"), ["receipt.json", "robots-needed.tsv"]);
            bench.program(&format!("join --out copied --concat {folders}")).assert().success();
            assert_eq!(receipt(&bench, "copied"), receipt(&bench, "whole"), "{of} {options}");
            for folder in ["all", "copied"] {
                let [joined, whole] = [folder, "whole"].map(|folder| without_files(receipt(&bench, folder)));
                assert_eq!(joined, whole, "{folder} {of} {options}");
                assert_eq!(bench.read(&format!("{folder}/robots-needed.tsv")), bench.read("whole/robots-needed.tsv"));
            }
            assert_eq!(bench.names("copied"), bench.names("whole"));
            for name in bench.names("whole").iter().filter(|name| *name != "receipt.json") {
                if !bench.path(&format!("whole/{name}")).is_dir() {
                    let same = bench.read(&format!("copied/{name}")) == bench.read(&format!("whole/{name}"));
                    assert!(same, "{name} {of} {options}");
                }
                for file in bench.names(&format!("whole/{name}")) {
                    let same =
                        bench.read(&format!("copied/{name}/{file}")) == bench.read(&format!("whole/{name}/{file}"));
                    assert!(same, "{name}/{file} {of} {options}");
                }
            }
            let made: Vec<&str> = folders.split(' ').chain(["all", "copied"]).collect();
            for folder in &made {
                bench.program(&format!("verify --inputs {folder}")).assert().success();
            }
            for folder in made {
                fs::remove_dir_all(bench.path(folder)).expect("removed");
            }
        }
    }
}

/// All lists have a header.
#[test]
#[ignore = "takes long"]
fn compressed_lists_are_dealt_out_whole() {
    let bench = Bench::with_site();
    let lines = |range: std::ops::Range<usize>| range.map(|n| format!("http://a.example/no/{n}\n")).collect::<String>();
    let table = |range| "url,n\n".to_owned() + &lines(range).replace('\n', ",7\n");
    bench.file("one", gzip(table(0..900).as_bytes()));
    bench.file("two", table(900..1000));
    bench.file("three", zstd(table(1000..1500).as_bytes(), b""));
    bench.file("four", gzip(table(0..0).as_bytes()));
    bench.file("five", gzip(table(1500..4000).trim_end().as_bytes()));
    let lists = "one two three four five";
    for options in ["", "--per-input", "--verdicts"] {
        let words = format!("--robots sites {NOW} --delimiter , --column url {options}");
        bench.filter(&format!("{words} --out whole {lists}")).assert().success();
        for of in [1, 2, 3, 30] {
            let folders: Vec<String> = (1..=of).map(|number| format!("part-{number}")).collect();
            let mut read = [0; 5];
            for (number, folder) in (1..).zip(&folders) {
                bench.filter(&format!("{words} --shard {number}/{of} --out {folder} {lists}")).assert().success();
                for (shards, list) in read.iter_mut().zip(receipt(&bench, folder)["lists"].as_array().expect("lists")) {
                    *shards += usize::from(list["lines"] != 0);
                }
            }
            // Every list but the plain one, which is cut, and the empty one.
            assert_eq!([read[0], read[2], read[3], read[4]], [1, 1, 0, 1], "{of} {options}");
            bench.program(&format!("join --out copied --concat {}", folders.join(" "))).assert().success();
            assert_eq!(receipt(&bench, "copied"), receipt(&bench, "whole"), "{of} {options}");
            for folder in folders.iter().map(String::as_str).chain(["copied"]) {
                bench.program(&format!("verify --inputs {folder}")).assert().success();
                fs::remove_dir_all(bench.path(folder)).expect("removed");
            }
        }
        fs::remove_dir_all(bench.path("whole")).expect("removed");
    }
}

#[test]
fn a_shard_is_a_split_of_its_lines() {
    let bench = bench_with_lists();
    run_shards(&bench, 3, "");
    let mut partitions: [Vec<u8>; 4] = Default::default();
    for number in 1..=3 {
        let split = Split::read(&bench, &format!("part-{number}"));
        assert_eq!(split.receipt["options"]["shard"], format!("{number}/3"));
        for (all, part) in partitions.iter_mut().zip(split.partitions) {
            all.extend(part);
        }
    }
    let lists: Vec<Vec<u8>> = LISTS.split(' ').map(|name| bench.read(name)).collect();
    bench.filter(&format!("--robots sites {NOW} --out whole {LISTS}")).assert().success();
    let whole = Split::read(&bench, "whole");
    whole.accounts_for(&lists);
    assert!(whole.partitions == partitions);
}

/// One shard of a job is changed; `join` must report it and write nothing.
fn refused(words: &[&str], change: impl FnOnce(&Bench) -> String) {
    let bench = bench_with_lists();
    let folders = run_shards(&bench, 3, "");
    assert_eq!(folders, "part-1 part-2 part-3");
    let joined = change(&bench);
    let done = bench.program(&format!("join --out all --concat {joined}")).assert().code(2);
    said(&done.get_output().stderr, words);
    assert!(bench.names("all").is_empty());
}

/// Runs a shard again with other options.
fn again(bench: &Bench, number: usize, options: &str) -> String {
    let words = format!("{options} --force --shard {number}/3 --out part-{number} {LISTS}");
    bench.program(&format!("filter {words}")).assert().success();
    "part-1 part-2 part-3".to_owned()
}

#[test]
fn shards_that_are_missing_or_doubled_are_refused() {
    refused(&["missing", "2"], |_| "part-1 part-3".to_owned());
    refused(&["missing", "1, 3"], |_| "part-2".to_owned());
    // However many are missing, only the first are named.
    refused(&["of 4294967295 shards", ": 2, 3, 4,", "20, 21 and 4294967274 more"], |bench| {
        bench.filter(&format!("--robots sites {NOW} --out first --shard 1/4294967295 {LISTS}")).assert().success();
        "first".to_owned()
    });
    refused(&["both shard 2", "part-2", "part-2"], |_| "part-1 part-2 part-2 part-3".to_owned());
    refused(&["receipt.json", "does not exist"], |bench| {
        fs::remove_file(bench.path("part-2/receipt.json")).expect("removed");
        "part-1 part-2 part-3".to_owned()
    });
    refused(&["whole is not a shard"], |bench| {
        bench.filter(&format!("--robots sites {NOW} --out whole {LISTS}")).assert().success();
        "part-1 whole part-2 part-3".to_owned()
    });
    refused(&["number of shards"], |bench| {
        bench.filter(&format!("--robots sites {NOW} --out other --shard 2/4 {LISTS}")).assert().success();
        "part-1 other part-3".to_owned()
    });
}

#[test]
fn a_shard_is_not_replaced_by_what_it_is_joined_to() {
    let bench = bench_with_lists();
    let folders = run_shards(&bench, 3, "");
    let before = bench.names("part-1");
    for options in ["", "--concat"] {
        let done = bench.program(&format!("join --out part-1 --force {options} {folders}")).assert().code(2);
        assert!(String::from_utf8_lossy(&done.get_output().stderr).contains("would replace the shard in part-1"));
        assert_eq!(bench.names("part-1"), before);
    }
}

/// Here too, only files of an earlier run are replaced, wherever the partitions go.
#[test]
fn shards_are_not_joined_over_a_users_files() {
    let join = "join --out out --force";
    let per_input = ["robots-needed.tsv", "receipt.json", "0001-one/allowed.txt", "0005-five/invalid.txt", "0002-two"];
    for (options, in_the_way) in [("", &["robots-needed.tsv", "blocked.txt"][..]), ("--per-input", &per_input)] {
        let bench = bench_with_lists();
        let folders = run_shards(&bench, 2, options);
        for name in in_the_way {
            bench.file(&format!("out/{name}"), "mine");
            let done = bench.program(&format!("{join} --concat {folders}")).assert().code(2);
            said(&done.get_output().stderr, &[name, "in the way"]);
            assert_eq!(bench.read(&format!("out/{name}")), b"mine", "{name}");
            assert_eq!(bench.names("out").len(), 1, "{name}");
            fs::remove_dir_all(bench.path("out")).expect("removed");
        }
        let (copied, beside) = if options.is_empty() { ("", "0001-one/") } else { ("0001-one/", "") };
        let [copied, beside] = [copied, beside].map(|folder| format!("out/{folder}allowed.txt"));
        // Without --concat, nothing is copied.
        bench.file(&copied, "mine");
        bench.program(&format!("{join} {folders}")).assert().success();
        assert_eq!(bench.read(&copied), b"mine", "{options}");
        fs::remove_file(bench.path(&copied)).expect("removed");
        bench.file(&beside, "mine");
        for again in ["--concat", "--concat", "", "--concat"] {
            bench.program(&format!("{join} {again} {folders}")).assert().success();
            bench.program("verify out").assert().success();
            assert_eq!(bench.read(&beside), b"mine", "{options} {again}");
        }
    }
}

/// Shards may lie in the folder they are joined in, even under names that folders of lists have: their files are their own.
#[test]
fn shards_in_the_joined_folder_stay_when_it_is_replaced() {
    for options in ["", "--verdicts", "--per-input", "--format parquet"] {
        let bench = bench_with_lists();
        let parts = ["job/0001-part", "job/0002-part"];
        fs::create_dir(bench.path("job")).expect("a folder");
        for (folder, part) in run_shards(&bench, 2, options).split(' ').zip(parts) {
            fs::rename(bench.path(folder), bench.path(part)).expect("moved");
        }
        let join = |more: &str| format!("join --out job --force {more} {}", parts.join(" "));
        let run = format!("filter --agent examplebot --robots sites {NOW} {options} --out job --force {LISTS}");
        for words in [&join(""), &join(""), &join("--concat"), &join("--concat"), &join(""), &run, &join("")] {
            bench.program(words).assert().success();
            for folder in ["job", "job/0001-part", "job/0002-part"] {
                bench.program(&format!("verify {folder}")).assert().success();
            }
        }
        // The files written beside them are replaced.
        let left = ["0001-part", "0002-part", "receipt.json", "robots-needed.tsv"];
        assert_eq!(bench.names("job"), left, "{options}");
    }
}

#[test]
fn shards_of_different_jobs_are_refused() {
    let same = "--agent examplebot --robots sites";
    refused(&["part-3", "--now"], |bench| again(bench, 3, &format!("{same} --now 2026-01-01T00:00:01Z")));
    refused(&["part-2", "options"], |bench| again(bench, 2, &format!("{same} {NOW} --on-unfetched block")));
    refused(&["part-2", "crawlers"], |bench| again(bench, 2, &format!("--agent other --robots sites {NOW}")));
    refused(&["part-2", "policy"], |bench| {
        bench.file("sites/b.example", "");
        again(bench, 2, &format!("{same} {NOW}"))
    });
    refused(&["part-3", "lists"], |bench| {
        let list = String::from_utf8(bench.read("five")).expect("text");
        bench.file("five", list + "\n");
        again(bench, 3, &format!("{same} {NOW}"))
    });
}

#[test]
fn shards_whose_files_or_receipts_were_changed_are_refused() {
    let changed = |name: &'static str, from: &'static str, to: &'static str| {
        move |bench: &Bench| {
            let text = String::from_utf8(bench.read(name)).expect("text");
            assert!(text.contains(from), "{text}");
            bench.file(name, text.replacen(from, to, 1));
            "part-1 part-2 part-3".to_owned()
        }
    };
    refused(&["part-1/blocked.txt", "different ones"], changed("part-1/blocked.txt", "/no/6", "/no/7"));
    refused(&["part-2/robots-needed.tsv", "wait"], changed("part-2/robots-needed.tsv", "unfetched\t", "unfetched\t1"));
    refused(&["part-3/robots-needed.tsv"], changed("part-3/robots-needed.tsv", "/robots.txt", "/robots"));
    refused(&["part-3", "contradicts"], changed("part-3/receipt.json", "\"rules\": ", "\"rules\": 1"));
    refused(&["part-2", "leave a gap or overlap"], changed("part-2/receipt.json", "\"start\": ", "\"start\": 1"));
}

#[test]
fn a_joined_receipt_is_proved_by_its_shards() {
    let bench = bench_with_lists();
    let folders = run_shards(&bench, 2, "");
    bench.program(&format!("join --out all {folders}")).assert().success();
    let all = String::from_utf8(bench.read("all/receipt.json")).expect("text");
    let fails = |words: &[&str]| {
        let done = bench.program("verify all").assert().code(1);
        let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        words.iter().for_each(|word| assert!(table.contains(word), "{table}"));
    };
    bench.file("all/receipt.json", all.replacen("\"dot_segments\": ", "\"dot_segments\": 1", 1));
    fails(&["receipts of its shards"]);
    bench.file("all/receipt.json", &all);
    bench.file("part-2/invalid.txt", "x\n");
    fails(&["part-2/invalid.txt", "found"]);
    bench.program("join --out all part-1 part-2").assert().code(2);
    bench.program("join --out all --force part-1 part-2").assert().success();
}

/// Receipts that name each other, or themselves, are not followed.
#[test]
fn shards_of_shards_are_not_followed() {
    let bench = bench_with_lists();
    let folders = run_shards(&bench, 2, "");
    bench.program(&format!("join --out all {folders}")).assert().success();
    let joined = bench.read("all/receipt.json");
    let with_shards = |receipt: &[u8], shards: &[&str]| {
        let mut receipt: Value = serde_json::from_slice(receipt).expect("JSON");
        receipt["shards"] = shards.into();
        receipt.to_string()
    };
    let verify = |words: &[&str]| {
        let done = bench.program("verify all").assert().code(1);
        let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        words.iter().for_each(|word| assert!(table.contains(word), "{word}: {table}"));
    };
    for shards in [&["."][..], &["../part-1", "../all"]] {
        bench.file("all/receipt.json", with_shards(&joined, shards));
        verify(&["/receipt.json", "a shard must not contain shards", "NOT proven"]);
    }
    bench.file("all/receipt.json", &joined);
    let shard = bench.read("part-1/receipt.json");
    bench.file("part-1/receipt.json", with_shards(&shard, &["../part-2"]));
    verify(&["part-1/receipt.json", "a shard must not contain shards", "part-2/allowed.txt"]);
    let done = bench.program(&format!("join --concat --out other {folders}")).assert().code(2);
    said(&done.get_output().stderr, &["part-1", "must not contain shards"]);
}

/// A joined folder finds its shards from any working directory, even after everything was moved.
#[test]
fn a_joined_folder_finds_its_shards_from_anywhere() {
    let bench = bench_with_lists();
    let folders = run_shards(&bench, 2, "");
    fs::create_dir_all(bench.path("job/parts")).expect("a folder");
    for folder in folders.split(' ') {
        fs::rename(bench.path(folder), bench.path(&format!("job/parts/{folder}"))).expect("moved");
    }
    let mut join = bench.program("join --out ../all part-1 part-2");
    join.current_dir(bench.path("job/parts")).assert().success();
    let shards = ["../parts/part-1", "../parts/part-2"].map(Value::from);
    let receipt = bench.receipt("job/all");
    assert_eq!(receipt["shards"], Value::from(shards.to_vec()));
    fs::rename(bench.path("job"), bench.path("moved")).expect("moved");
    bench.program("verify moved/all").assert().success();
    bench.program("verify .").current_dir(bench.path("moved/all")).assert().success();
    bench.program("report moved/all --robots sites").assert().success();
    bench.program("join --concat --out copied moved/parts/part-1 moved/parts/part-2").assert().success();
    bench.program("verify copied").assert().success();
    fs::remove_file(bench.path("moved/parts/part-1/receipt.json")).expect("removed");
    let done = bench.program("verify moved/all").assert().code(1);
    let table = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(table.contains("part-1/receipt.json") && table.contains("does not exist"), "{table}");
    assert!(table.contains("part-2/allowed.txt"), "the other shard is read: {table}");
}

#[test]
fn lists_that_cannot_be_divided_are_an_error() {
    let bench = bench_with_lists();
    let refused = |words: &str, message: &[&str]| bench.refused(&format!("--robots sites {words}"), message);
    refused(&format!("{NOW} --shard 1/2 --out out one -"), &["-", "cannot be divided", "--shard"]);
    refused("--shard 1/2 --out out one", &["--now"]);
    for shard in ["0/2", "3/2", "2", "x/y"] {
        refused(&format!("{NOW} --shard {shard} --out out one"), &[shard, "I/N"]);
    }
    #[cfg(target_os = "linux")]
    refused(&format!("{NOW} --shard 1/2 --out out /proc/cpuinfo"), &["cpuinfo", "cannot be divided"]);
    assert!(PARTITIONS.iter().all(|name| !bench.path(&format!("out/{name}.txt")).exists()));
}
