//! Lists in CDXJ, the index format of web archives.

use crate::support::compression::gzip;
use crate::support::program::{Bench, SOURCES};
use crate::support::results::{PARTITIONS, Split, lines};

/// A line of an index, with its JSON written in one of several ways.
fn entry(number: usize, url: &str) -> String {
    let json = serde_json::to_string(url).expect("JSON");
    let json = if number.is_multiple_of(3) { json.replace('/', "\\/").replace('e', "\\u0065") } else { json };
    let json = match number % 2 {
        0 => format!("{{\"url\": {json}, \"mime\": \"text/html\", \"status\": \"200\"}}"),
        _ => format!("{{\"x\":{{\"url\":\"http://wrong.example/\"}},\"n\":[1,{{}}],\"url\":{json}}}"),
    };
    format!("com,example)/{number} 20240101000000 {json}\n")
}

#[test]
fn lines_of_an_index_go_where_their_urls_go() {
    let bench = Bench::new();
    let text = bench.read("DATASETS/urls.txt");
    let urls: Vec<String> = lines(&text)
        .into_iter()
        .filter_map(|line| Some(String::from_utf8(line.to_vec()).ok()?.strip_suffix('\n')?.to_owned()))
        .collect();
    bench.file("plain", urls.iter().map(|url| format!("{url}\n")).collect::<String>());
    bench.filter(&format!("{SOURCES} --verdicts --delimiter none --out plain-out plain")).assert().success();
    let verdicts = String::from_utf8(bench.read("plain-out/verdicts.tsv")).expect("UTF-8");
    let verdicts = verdicts.split('\n').skip(1).map(|line| line.split('\t').next().expect("a verdict"));
    let index: Vec<String> = urls.iter().enumerate().map(|(number, url)| entry(number, url)).collect();
    let mut expected = [const { String::new() }; 4];
    for (line, verdict) in index.iter().zip(verdicts) {
        expected[PARTITIONS.iter().position(|name| *name == verdict).expect("a partition")] += line;
    }
    bench.file("index", index.concat());
    bench.file("index.gz", gzip(index.concat().as_bytes()));
    for (list, options) in [("index", "--threads 1"), ("index", "--threads 3"), ("index.gz", "")] {
        bench.filter(&format!("{SOURCES} --force --out out {options} {list}")).assert().success();
        let split = Split::read(&bench, "out");
        split.accounts_for(&[index.concat().into_bytes()]);
        assert_eq!(split.receipt["lists"][0]["format"], "cdxj");
        for (partition, expected) in split.partitions.iter().zip(&expected) {
            assert!(partition == expected.as_bytes(), "{list} {options}");
        }
        let plain = bench.receipt("plain-out");
        for name in PARTITIONS {
            assert_eq!(split.receipt["partitions"][name]["reasons"], plain["partitions"][name]["reasons"]);
        }
        assert_eq!(split.needed.as_bytes(), bench.read("plain-out/robots-needed.tsv"));
    }
}

#[test]
fn lines_without_a_url_are_invalid_and_say_why() {
    let bench = Bench::with_site();
    let good = "example,a)/ 2024 {\"url\":\"http://a.example/yes\"}";
    let wrong = [
        ("http://a.example/yes", "json"),
        ("", "json"),
        ("!a remark", "json"),
        ("example,a)/ 2024 {\"url\":\"http://a.example/yes\"", "json"),
        ("example,a)/ 2024 {\"url\":\"http://a.example/yes\",\"url\":\"http://a.example/no\"}", "json"),
        ("example,a)/ 2024 {\"uri\":\"http://a.example/yes\"}", "no-url"),
        ("example,a)/ 2024 {\"url\":[\"http://a.example/yes\"]}", "no-url"),
        ("example,a)/ 2024 {\"url\":\"http://a.example/\\n\"}", "line-break"),
        ("example,a)/ 2024 {\"url\":\"a.example/yes\"}", "not-absolute"),
        ("example,a)/ 2024 {\"url\":\"\"}", "empty"),
    ];
    let text: String = [good].into_iter().chain(wrong.map(|(line, _)| line)).map(|line| format!("{line}\n")).collect();
    bench.file("index", &text);
    let split = bench.split("--robots sites", &["index"]);
    assert_eq!(split.lines("allowed"), [good]);
    assert_eq!(split.lines("invalid"), wrong.map(|(line, _)| line));
    for (_, reason) in wrong {
        let count = wrong.iter().filter(|(_, other)| *other == reason).count() as u64;
        assert_eq!(split.reasons("invalid")[reason], count, "{reason}");
    }
}

#[test]
fn an_index_is_recognised_on_standard_input_and_after_remarks() {
    let bench = Bench::with_site();
    let text = "!meta {\"x\":1}\nexample,a)/no 2024 {\"url\":\"http://a.example/no\"}\n";
    for text in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
        bench.filter("--robots sites --force --out out -").write_stdin(text).assert().success();
        let split = Split::read(&bench, "out");
        assert_eq!(split.lines("blocked").len(), 1);
        assert_eq!(split.reasons("invalid"), [("json".to_owned(), 1)].into());
    }
}

#[test]
fn an_index_may_begin_with_an_empty_line() {
    let bench = Bench::new();
    for (before, invalid) in [("\n", 1), ("\r\n\n", 2), ("\n!meta\n", 2)] {
        bench.file("index", format!("{before}{}", entry(1, "http://a.example/")));
        bench.filter(&format!("{SOURCES} --force --out out index")).assert().success();
        let split = Split::read(&bench, "out");
        assert_eq!(split.receipt["lists"][0]["format"], "cdxj");
        assert_eq!(split.receipt["partitions"]["invalid"]["lines"], invalid, "{before:?}");
        assert_eq!(split.receipt["input"]["lines"], invalid + 1);
    }
}

#[test]
fn an_index_has_no_columns_and_no_head() {
    let bench = Bench::new();
    bench.file("index", entry(1, "http://a.example/"));
    for options in ["--column url", "--column 1", "--header"] {
        bench.refused(&format!("{SOURCES} {options} --out out index"), &["index", "--column", "--header", "CDXJ"]);
    }
}
