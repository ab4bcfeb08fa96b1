//! `--unique`: lines whose URL has occurred before are left out.

use std::collections::HashSet;
use std::fs;

use proptest::prelude::*;
use serde_json::Value;
use url::Url;

use crate::support::compression::gzip;
use crate::support::program::{Bench, said};
use crate::support::results::{PARTITIONS, assert_same};

/// Two lists that share URLs; the first has no final line feed, and its last line is a repetition.
fn bench_with_lists() -> Bench {
    let bench = Bench::with_site();
    let line = |n: usize| match n % 7 {
        0 => format!("http://a.example/no/{}", n % 900),
        1 => format!("http://{}.example/{}", n * 7919 % 50, n % 90),
        2 => String::new(),
        3 => format!("no url {}", n % 5),
        4 => format!("http://a.example/\r\nhttp://a.example/{n}"),
        _ => format!("  http://a.example/./%41/{} ", n % 1100),
    };
    let lines = |range: std::ops::Range<usize>| range.map(|n| line(n) + "\n").collect::<String>();
    bench.file("urls", lines(0..6000) + "http://a.example/");
    bench.file("more", lines(4000..9000));
    bench
}

/// The normal form of a URL in which those that are fetched alike are the same, by the `url` crate; `None` if it is not valid.
fn fetched(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_fragment(None);
    let (mut rest, mut form) = (url.as_str(), String::new());
    while let Some((before, after)) = rest.split_once('%') {
        form += before;
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte.map(char::from) {
            Some(byte) if byte.is_ascii_alphanumeric() || "-._~".contains(byte) => form.push(byte),
            Some(byte) => form += &format!("%{:02X}", u32::from(byte)),
            None => form.push('%'),
        }
        rest = &after[if byte.is_some() { 2 } else { 0 }..];
    }
    Some(form + rest)
}

/// The lines that stay: the first line of each URL by its bytes, and those without one.
fn expected(texts: &[Vec<u8>]) -> Vec<Vec<u8>> {
    expected_by(texts, |url| url.starts_with("http://").then(|| url.to_owned()))
}

/// The lines that stay: the first line of each key, and those without one.
fn expected_by(texts: &[Vec<u8>], key: impl Fn(&str) -> Option<String>) -> Vec<Vec<u8>> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for line in texts.iter().flat_map(|text| text.split_inclusive(|&byte| byte == b'\n')) {
        let url = str::from_utf8(line).expect("UTF-8").trim();
        if key(url).is_none_or(|key| seen.insert(key)) {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            kept.push(content.to_vec());
        }
    }
    kept
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line).to_vec()).collect()
}

fn has(text: &[u8], words: &[&str]) {
    let text = String::from_utf8_lossy(text);
    assert!(words.iter().all(|word| text.contains(word)), "{words:?} {text}");
}

const RUN: &str = "filter --agent examplebot --robots sites --now 2026-01-01T00:00:00Z";

/// The lists read again to rebuild the set end where the run resumes: an empty list there must be read only once.
#[test]
fn a_run_resumes_before_an_empty_list() {
    let bench = bench_with_lists();
    bench.file("empty", "");
    bench.file("long", format!("http://a.example/{}\n{}", "x".repeat(1 << 20), "http://a.example/1\n".repeat(500)));
    let words = |memory: &str, options: &str, folder: &str| {
        format!("{RUN} --unique=bytes --memory {memory} {options} --out {folder} urls empty long")
    };
    bench.program(&words("1G", "", "whole")).assert().success();
    for threads in [1, 3] {
        let options = format!("--threads {threads} --force --checkpoint 0");
        let ended = bench.program(&words("60M", &options, "out")).assert().code(2);
        has(&ended.get_output().stderr, &["long", "--resume"]);
        bench.program(&words("1G", "--resume", "out")).assert().success();
        for name in ["allowed.txt", "blocked.txt", "robots-needed.tsv"] {
            assert!(bench.read(&format!("out/{name}")) == bench.read(&format!("whole/{name}")), "{name}");
        }
        bench.program("verify --inputs out").assert().success();
    }
}

#[test]
fn the_first_line_of_each_url_stays_and_the_rest_is_accounted_for() {
    let bench = bench_with_lists();
    let (urls, more) = (bench.read("urls"), bench.read("more"));
    let kept = expected(&[urls.clone(), more.clone()]);
    let all = lines(&urls).len() + lines(&more).len();
    for threads in [1, 3] {
        let words = format!("{RUN} --unique=bytes --force --threads {threads} --out out urls more");
        let done = bench.program(&words).assert().success();
        has(&done.get_output().stderr, &["duplicates", "duplicate URLs, left out", "every line is accounted for"]);
        let receipt = bench.receipt("out");
        assert_eq!(receipt["options"]["unique"], "bytes");
        assert_eq!(receipt["input"]["lines"], all);
        assert_eq!(receipt["duplicates"]["lines"], all - kept.len());
        let of_first = lines(&urls).len() - expected(std::slice::from_ref(&urls)).len();
        assert_eq!(receipt["lists"][0]["duplicates"]["lines"], of_first);
        assert_eq!(receipt["added_line_feeds"], 0, "the only line without one was left out");
        bench.program("verify --inputs out").assert().success();
        let mut written: Vec<_> =
            PARTITIONS.iter().flat_map(|name| lines(&bench.read(&format!("out/{name}.txt")))).collect();
        let mut sorted = kept.clone();
        written.sort();
        sorted.sort();
        assert_eq!(written, sorted);
    }
}

/// The lines that stay keep their order in every form of output.
#[test]
fn every_form_of_output_has_the_same_lines() {
    let bench = bench_with_lists();
    let texts = [bench.read("urls"), bench.read("more")];
    let kept = expected(&texts);
    let without_verdict = |line: Vec<u8>| {
        let tab = line.iter().position(|&byte| byte == b'\t').expect("a verdict");
        line[tab + 1..].to_vec()
    };
    bench.program(&format!("{RUN} --unique=bytes --verdicts --out verdicts urls more")).assert().success();
    let verdicts = lines(&bench.read("verdicts/verdicts.tsv"));
    assert!(verdicts.into_iter().skip(1).map(without_verdict).eq(kept.iter().cloned()));
    bench.program("verify --inputs verdicts").assert().success();

    bench.program(&format!("{RUN} --unique=bytes --out out urls more")).assert().success();
    let piped = bench.program(&format!("{RUN} --unique=bytes --only allowed urls more")).assert().success();
    assert_eq!(piped.get_output().stdout, bench.read("out/allowed.txt"));

    let counted = bench.program(&format!("{RUN} --unique=bytes --count --json urls more")).assert().success();
    let counted: Value = serde_json::from_slice(&counted.get_output().stdout).expect("JSON");
    assert_eq!(counted["duplicates"]["lines"], bench.receipt("out")["duplicates"]["lines"]);

    bench.program(&format!("{RUN} --unique=bytes --per-input --compress gz --out each urls more")).assert().success();
    bench.program("verify --inputs each").assert().success();
    assert_eq!(bench.receipt("each")["duplicates"], bench.receipt("out")["duplicates"]);
}

/// With little memory, lists are read twice: first to find what is repeated.
#[test]
fn lists_that_are_read_twice_have_the_same_results() {
    let bench = Bench::with_site();
    let path = "x".repeat(90);
    let list = |numbers: &mut dyn Iterator<Item = u64>| -> String {
        let line = |n: u64| match n % 100 {
            0 => "no url\n".to_owned(),
            1..60 => format!("http://a.example/{path}/{n}\n"),
            _ => format!("http://A.example:80/./{path}/{n}#{n}\n"),
        };
        numbers.map(line).collect()
    };
    bench.file("first", list(&mut (0..14_000).map(|n| n * 7 % 4001)));
    bench.file("empty", "");
    bench.file("second.gz", gzip(list(&mut (0..10_000).map(|n| n * 5 % 6007)).trim_end().as_bytes()));
    bench.file("third", list(&mut (0..8_000).map(|n| n % 7001)));
    let lists = "first empty second.gz third";
    for (options, memory) in [
        ("--unique", "48M"),
        ("--unique=bytes --verdicts --threads 2", "48M"),
        ("--unique --per-input --threads 3", "48M"),
        ("--unique --format parquet --threads 2", "60M"),
    ] {
        let words =
            |memory: &str, folder: &str| format!("{RUN} {options} --memory {memory} --force --out {folder} {lists}");
        bench.program(&words(memory, "twice")).assert().success();
        bench.program(&words("1G", "once")).assert().success();
        let [twice, once] = ["twice", "once"].map(|folder| bench.timeless(folder));
        // Row groups are as large as memory lets them be.
        if !options.contains("parquet") {
            assert_same(&bench, "twice", "once");
        }
        assert_eq!(twice["duplicates"], once["duplicates"]);
        assert_eq!(twice["partitions"]["allowed"]["sum"], once["partitions"]["allowed"]["sum"]);
        assert!(twice["duplicates"]["lines"].as_u64().is_some_and(|lines| lines > 10_000), "{options}");
        bench.program("verify --inputs twice").assert().success();
    }
    let count = |memory: &str| {
        let words = format!("{RUN} --unique --count --json --memory {memory} {lists}");
        let counted = bench.program(&words).assert().success();
        let counted: Value = serde_json::from_slice(&counted.get_output().stdout).expect("JSON");
        (counted["duplicates"].clone(), counted["partitions"].clone())
    };
    assert_eq!(count("48M"), count("1G"));
}

/// A fetcher asks for the same thing, so it is the same.
#[test]
fn urls_that_are_fetched_alike_are_the_same_unless_bytes_count() {
    let bench = Bench::with_site();
    let urls = "http://a.example/x\nhttp://A.example/x\nhttp://a.example:80/x\nhttp://a.example/x#f\n\
                http://a.example/%78\nhttp://a.example/./x\nhttp://a.example:x/\nhttp://a.example:x/\n";
    bench.file("urls", urls);
    for (option, kept, left_out) in [("", 1, 5), ("=fetched", 1, 5), ("=bytes", 6, 0)] {
        bench.program(&format!("{RUN} --unique{option} --force --out out urls")).assert().success();
        assert_eq!(lines(&bench.read("out/allowed.txt")).len(), kept, "{option}");
        assert_eq!(lines(&bench.read("out/invalid.txt")).len(), 2, "a line without a valid URL is never left out");
        let receipt = bench.receipt("out");
        assert_eq!(receipt["options"]["unique"], option.strip_prefix('=').unwrap_or("fetched"));
        assert_eq!(receipt["duplicates"]["lines"], left_out, "{option}");
        bench.program("verify --inputs out").assert().success();
    }
    let ended = bench.program(&format!("{RUN} --unique=some --count urls")).assert().code(2);
    said(&ended.get_output().stderr, &["some", "fetched, bytes, surt"]);
}

#[test]
fn an_index_may_be_compared_by_its_keys() {
    let bench = Bench::with_site();
    let cdxj = |key: &str, url: &str| format!("{key} 2024 {{\"url\": \"{url}\"}}\n");
    let first = [cdxj("example,a)/x", "http://a.example/x"), cdxj("example,a)/y", "dns:a.example")].concat();
    let left_out = cdxj("example,a)/x", "https://www.a.example/x");
    let others = [cdxj("-", "http://a.example/x"), cdxj("example,a)/y", "http://a.example/y")].concat();
    bench.file("list.cdxj", [&*first, &*left_out, &*others].concat());
    bench.file("list.cdx", " CDX N b a\nexample,a)/y 2024 http://a.example/y\nexample,a)/z 2024 http://a.example/z\n");
    bench.program(&format!("{RUN} --unique=surt --verdicts --out out list.cdxj")).assert().success();
    let kept: Vec<Vec<u8>> = lines(&[first, others].concat().into_bytes());
    let written = lines(&bench.read("out/verdicts.tsv"));
    let after = |line: &Vec<u8>| line[line.iter().position(|&byte| byte == b'\t').expect("a verdict") + 1..].to_vec();
    assert_eq!(written.iter().skip(1).map(after).collect::<Vec<_>>(), kept);
    assert_eq!(bench.receipt("out")["options"]["unique"], "surt");
    let counted = bench.program(&format!("{RUN} --unique=surt --count --json list.cdxj list.cdx")).assert().success();
    let counted: Value = serde_json::from_slice(&counted.get_output().stdout).expect("JSON");
    assert_eq!(counted["duplicates"]["lines"], 2, "keys of both indexes are the same");

    bench.file("urls", "http://a.example/x\n");
    let ended = bench.program(&format!("{RUN} --unique=surt --out none list.cdxj urls")).assert().code(2);
    said(&ended.get_output().stderr, &["urls", "no keys", "--unique=surt"]);
    assert!(!bench.path("none").exists());
}

#[test]
fn lines_of_fields_are_compared_by_their_urls() {
    let bench = Bench::with_site();
    bench.file("urls.csv", "n,url\n1,http://a.example/1\n2,http://a.example/2\n3,http://a.example/1\n4\n4\n");
    bench.program(&format!("{RUN} --unique=bytes --delimiter , --column url --out out urls.csv")).assert().success();
    assert_eq!(bench.read("out/allowed.txt"), b"n,url\n1,http://a.example/1\n2,http://a.example/2\n");
    assert_eq!(bench.read("out/invalid.txt"), b"n,url\n4\n4\n");
    bench.program("verify --inputs out").assert().success();
}

#[test]
fn without_the_option_nothing_is_left_out() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\nhttp://a.example/\n");
    bench.program(&format!("{RUN} --out out urls")).assert().success();
    assert_eq!(bench.read("out/allowed.txt"), bench.read("urls"));
    assert!(bench.receipt("out").get("duplicates").is_none());
}

/// `verify` proves each count of left-out lines too.
#[test]
fn a_receipt_that_hides_lines_among_duplicates_is_noticed() {
    let bench = bench_with_lists();
    bench.program(&format!("{RUN} --unique=bytes --out out urls more")).assert().success();
    let original = bench.receipt("out");
    let with = |change: &dyn Fn(&mut Value), message: &[&str]| {
        let mut receipt = original.clone();
        change(&mut receipt);
        bench.file("out/receipt.json", receipt.to_string());
        let ended = bench.program("verify out").assert().code(1);
        has(&ended.get_output().stdout, message);
    };
    with(&|receipt| receipt["duplicates"]["lines"] = 1.into(), &["and duplicates do not add up to the input"]);
    with(&|receipt| receipt["lists"][0]["duplicates"]["lines"] = 1.into(), &["the duplicates of the lists"]);
    with(&|receipt| receipt["options"]["unique"] = Value::Null, &["do not ask for"]);
    with(&|receipt| receipt["duplicates"] = Value::Null, &["do not add up"]);
}

#[test]
fn shards_are_refused() {
    let bench = bench_with_lists();
    let ended = bench.program(&format!("{RUN} --unique --shard 1/2 --out out urls more")).assert().code(2);
    said(&ended.get_output().stderr, &["--unique", "--shard", "duplicates across shards"]);
    assert!(!bench.path("out").exists());
}

#[test]
fn progress_and_metrics_show_duplicates() {
    let bench = bench_with_lists();
    let words = format!("{RUN} --unique=bytes --log json --metrics run.prom --out out urls more");
    bench.program(&words).assert().success();
    let duplicates = bench.receipt("out")["duplicates"]["lines"].as_u64().expect("a number");
    let metrics = fs::read_to_string(bench.path("run.prom")).expect("UTF-8");
    assert!(metrics.contains(&format!("\nrobosieve_duplicate_lines_total {duplicates}\n")), "{metrics}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    /// Holds however lines are spread over lists.
    #[test]
    fn what_stays_is_what_a_set_would_keep(
        texts in prop::collection::vec(prop::collection::vec(
            "x|||http://a\\.example/[ab]{0,3}|[hH]ttp://([aA]\\.example|u@a)(:80|:81)?(/|/\\./)([ab'.?]|%61|%2[eEfF]|é|/\\.\\./){0,3}(#a?)?",
            1..60), 1..4),
        same in prop::sample::select(vec!["", "=fetched", "=bytes"]),
        threads in 1usize..4,
    ) {
        let bench = Bench::with_site();
        let names: Vec<String> = (0..texts.len()).map(|n| format!("list{n}")).collect();
        let texts: Vec<String> = texts.iter().map(|lines| lines.join("\n")).collect();
        for (name, text) in names.iter().zip(&texts) {
            bench.file(name, text);
        }
        let words = format!(
            "filter --agent examplebot --robots sites --threads {threads} --unique{same} --verdicts --out out {}", names.join(" ")
        );
        bench.program(&words).assert().success();
        let texts: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
        let after = |line: &Vec<u8>| line[line.iter().position(|&byte| byte == b'\t').expect("a verdict") + 1..].to_vec();
        let written: Vec<_> = lines(&bench.read("out/verdicts.tsv")).iter().skip(1).map(after).collect();
        let key = |url: &str| match same {
            "=bytes" => Some(url.to_owned()).filter(|url| url != "x" && !url.is_empty()),
            _ => fetched(url),
        };
        prop_assert_eq!(written, expected_by(&texts, key));
        bench.program("verify --inputs out").assert().success();
    }
}
