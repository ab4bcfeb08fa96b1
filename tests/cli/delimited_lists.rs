//! Lists whose lines have fields: TSV, CSV, CDX. Verdicts are those of the URLs; the lines stay unchanged.

use crate::support::program::{Bench, SOURCES};
use crate::support::results::{PARTITIONS, Split, Sums, lines};

/// The lines of the data set that fit into a field of a TSV file: those without tabs.
fn urls(bench: &Bench) -> Vec<Vec<u8>> {
    let text = bench.read("DATASETS/urls.txt");
    let urls = lines(&text).into_iter().map(|line| line.strip_suffix(b"\n").unwrap_or(line).to_vec());
    urls.filter(|url| !url.contains(&b'\t')).collect()
}

/// A text of the lines that `line` makes from numbers and URLs.
fn text(urls: &[Vec<u8>], line: impl Fn(usize, &[u8]) -> Vec<u8>) -> Vec<u8> {
    urls.iter().enumerate().flat_map(|(number, url)| [line(number, url), b"\n".to_vec()].concat()).collect()
}

/// A CSV field, quoted if necessary or if the number is even.
fn csv_field(number: usize, field: &[u8]) -> Vec<u8> {
    if number % 2 == 1 && !field.iter().any(|byte| b",;\"\r".contains(byte)) {
        return field.to_vec();
    }
    let doubled: Vec<u8> = field.iter().flat_map(|&byte| vec![byte; if byte == b'"' { 2 } else { 1 }]).collect();
    [b"\"", &doubled[..], b"\""].concat()
}

/// Splits a list of lines made from URLs, and checks that each ends up in the partition of its URL.
fn as_plain(options: &str, head: &[u8], line: impl Fn(usize, &[u8]) -> Vec<u8>) {
    let bench = Bench::new();
    let urls = urls(&bench);
    bench.file("plain", text(&urls, |_, url| url.to_vec()));
    let plain = bench.split(&format!("{SOURCES} --force"), &["plain"]);
    let mut verdicts = vec![""; urls.len()];
    let mut next = [0; 4];
    for (url, verdict) in urls.iter().zip(&mut verdicts) {
        let place = (0..4).find(|&place| {
            let rest = &plain.partitions[place][next[place]..];
            rest.strip_prefix(&url[..]).is_some_and(|rest| rest.starts_with(b"\n"))
        });
        let place = place.expect("a partition");
        next[place] += url.len() + 1;
        *verdict = PARTITIONS[place];
    }
    bench.file("list", [head, &text(&urls, &line)].concat());
    for options in [format!("{options} --threads 1"), format!("{options} --threads 3")] {
        bench.filter(&format!("{SOURCES} --force --out out {options} list")).assert().success();
        let split = Split::read(&bench, "out");
        for (name, partition) in PARTITIONS.iter().zip(&split.partitions) {
            let mut expected = head.to_vec();
            for (number, url) in urls.iter().enumerate().filter(|&(number, _)| verdicts[number] == *name) {
                expected.extend_from_slice(&[line(number, url), b"\n".to_vec()].concat());
            }
            assert!(*partition == expected, "{name} with {options}");
            assert!(Sums::of(&partition[head.len()..]).fit(&split.receipt["partitions"][name]), "{name}");
            assert_eq!(split.reasons(name), plain.reasons(name), "{name} with {options}");
        }
        assert_eq!(split.needed, plain.needed, "{options}");
        let list = &split.receipt["lists"][0];
        assert_eq!(list["format"], "delimited");
        assert_eq!(list["lines"], urls.len());
        assert_eq!(list.get("head").is_some(), !head.is_empty());
        if !head.is_empty() {
            assert!(Sums::of(head).fit(&list["head"]));
        }
    }
}

#[test]
fn lines_of_tsv_go_where_their_urls_go() {
    let line = |number: usize, url: &[u8]| [format!("{number}\t").as_bytes(), url, b"\tthe \"rest"].concat();
    as_plain("--delimiter \\t --column 2", b"", line);
    as_plain("--delimiter \\t --column 2 --header", b"id\tpage\tmore\n", line);
    as_plain("--delimiter \\t --column page", b"id\tpage\tmore\r\n", line);
    as_plain("--delimiter \\t", b"", |_, url| [url, b"\tx"].concat());
}

#[test]
fn lines_of_csv_go_where_their_urls_go() {
    for delimiter in [",", ";"] {
        let line = |number: usize, url: &[u8]| {
            let fields = [csv_field(0, b"a \"title\", or; two"), csv_field(number, url), csv_field(number, b"x")];
            fields.join(delimiter.as_bytes())
        };
        let head = format!("\u{feff}title{delimiter}\"the,url\"{delimiter}x\n");
        as_plain(&format!("--delimiter {delimiter} --column 2"), b"", line);
        as_plain(&format!("--delimiter {delimiter} --column the,url"), head.as_bytes(), line);
    }
}

#[test]
fn lines_of_cdx_go_where_their_urls_go() {
    let bench = Bench::with_site();
    let head = " CDX N b a m s k r M S V g\n";
    let line = |url: &str| format!("example,a)/ 20240101000000 {url} text/html 200 ABC - - 1 2 x.warc.gz\n");
    let [yes, no] = ["http://a.example/yes", "http://a.example/no"].map(line);
    bench.file("list", format!("{head}{yes}{no}short 2024\n"));
    bench.filter("--robots sites --out out list").assert().success();
    let split = Split::read(&bench, "out");
    let expected = [yes, no, String::new(), "short 2024\n".to_owned()].map(|lines| format!("{head}{lines}"));
    assert_eq!(split.partitions.map(|text| String::from_utf8(text).expect("UTF-8")), expected);
    assert_eq!(split.receipt["partitions"]["invalid"]["reasons"], serde_json::json!({ "column": 1 }));
}

#[test]
fn a_line_without_the_field_is_invalid_and_says_why() {
    let bench = Bench::with_site();
    let wrong = [
        "http://a.example/one",
        "",
        "x,\"http://a.example/open",
        "x,\"http://a.example/a\"b",
        "x,http://a.example/a\"b",
        "\"x\"y,http://a.example/",
        "x,http://a.example/,\"open",
        "x,",
        "x,y",
    ];
    bench.file("list", wrong.join("\n"));
    bench.filter("--robots sites --out out --delimiter , --column 2 list").assert().success();
    let split = Split::read(&bench, "out");
    split.accounts_for(&[bench.read("list")]);
    assert_eq!(split.lines("invalid"), wrong);
    let expected = [("column", 2), ("quote", 5), ("empty", 1), ("not-absolute", 1)];
    assert_eq!(split.reasons("invalid"), expected.map(|(name, count)| (name.to_owned(), count)).into());
}

/// Lines are the unit: neither line of a record that spans two is believed.
#[test]
fn a_record_on_two_lines_is_never_allowed_in_silence() {
    let bench = Bench::with_site();
    bench.file("list", "http://a.example/1,\"one\ntwo\",x\nhttp://a.example/2,\"three\"\n");
    bench.filter("--robots sites --out out --delimiter , list").assert().success();
    let split = Split::read(&bench, "out");
    assert_eq!(split.lines("allowed"), ["http://a.example/2,\"three\""]);
    assert_eq!(split.reasons("invalid"), [("quote".to_owned(), 2)].into());
}

#[test]
fn each_list_may_have_columns_in_an_order_of_its_own() {
    let bench = Bench::with_site();
    bench.file("one", "id,url\n1,http://a.example/1\n2,http://a.example/no\n");
    bench.file("two", "url,id\nhttp://a.example/2,1");
    let words = "--robots sites --delimiter , --column url --out out";
    bench.refused(&format!("{words} one two"), &["one", "two", "different head lines", "--per-input"]);
    bench.filter(&format!("{words} --per-input one two")).assert().success();
    let read = |name: &str| String::from_utf8(bench.read(&format!("out/{name}.txt"))).expect("UTF-8");
    assert_eq!(read("0001-one/allowed"), "id,url\n1,http://a.example/1\n");
    assert_eq!(read("0001-one/blocked"), "id,url\n2,http://a.example/no\n");
    assert_eq!(read("0002-two/allowed"), "url,id\nhttp://a.example/2,1");
    assert_eq!(read("0002-two/deferred"), "url,id\n");
}

#[test]
fn lists_with_one_head_line_are_written_below_it() {
    let bench = Bench::with_site();
    bench.file("one", "id,url\n1,http://a.example/1");
    bench.file("empty", "");
    bench.file("head", "id,url");
    bench.file("two", "id,url\n2,http://a.example/2\n");
    let words = "--robots sites --delimiter , --column url --out out one empty head - two";
    bench.filter(words).write_stdin("id,url\n3,http://a.example/3\n").assert().success();
    let split = Split::read(&bench, "out");
    let expected = b"id,url\n1,http://a.example/1\n3,http://a.example/3\n2,http://a.example/2\n";
    assert_eq!(split.partitions[0], expected);
    assert_eq!(split.receipt["input"]["lines"], 3);
    assert_eq!(split.receipt["added_line_feeds"], 1);
}

#[test]
fn a_head_line_follows_the_columns_of_verdicts() {
    let bench = Bench::with_site();
    bench.file("list", "id\turl\n1\thttp://a.example/1\n2\thttp://a.example/no\n");
    bench.filter("--robots sites --delimiter \\t --column url --verdicts --out out list").assert().success();
    let expected = "examplebot\tid\turl\nallowed\t1\thttp://a.example/1\nblocked\t2\thttp://a.example/no\n";
    assert_eq!(String::from_utf8(bench.read("out/verdicts.tsv")).expect("UTF-8"), expected);
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let bench = Bench::with_site();
    bench.file("list", "id,page\n1,http://a.example/\n");
    let refused = |options: &str, words: &[&str]| {
        bench.refused(&format!("--robots sites --out out {options} list"), words);
        assert!(!bench.path("out").exists());
    };
    refused("--delimiter , --column url", &["list", "no column \"url\"", "id, page"]);
    refused("--delimiter , --column 3 --header", &["list", "no column 3", "id, page"]);
    refused("--column page", &["list", "--delimiter"]);
    refused("--delimiter ,, --column page", &["--delimiter", ",,"]);
    bench.file("list", "id,\"page\n1,http://a.example/\n");
    refused("--delimiter , --column page", &["list", "quote"]);
}

#[test]
fn a_receipt_of_lines_below_a_head_can_be_proved_again() {
    let bench = Bench::with_site();
    bench.file("one", "id,url\n1,http://a.example/1\n2,http://a.example/no\n");
    bench.file("two", "id,url\n3,http://b.example/");
    for options in ["", "--per-input", "--verdicts"] {
        let words = format!("--robots sites --force --delimiter , --column url --out out {options} one two");
        bench.filter(&words).assert().success();
        bench.program("verify out --inputs").assert().success();
    }
    bench.filter("--robots sites --force --delimiter , --column url --out out one two").assert().success();
    let allowed = String::from_utf8(bench.read("out/allowed.txt")).expect("UTF-8");
    bench.file("out/allowed.txt", allowed.replace("id,url", "id,uri"));
    bench.program("verify out").assert().code(1);
    bench.file("out/allowed.txt", allowed.replace("id,url\n", ""));
    bench.program("verify out").assert().code(1);
}

#[test]
fn shards_of_lists_with_a_head_line_are_the_whole() {
    let bench = Bench::with_site();
    let rows = |from: usize, to: usize| -> String {
        (from..to)
            .map(|number| format!("{number},http://a.example/{}\n", if number % 3 == 0 { "no" } else { "" }))
            .collect()
    };
    bench.file("one", format!("id,url\n{}", rows(0, 50)));
    bench.file("two", format!("id,url\n{}", rows(50, 60)));
    for options in ["", "--per-input", "--verdicts"] {
        let words = format!("--robots sites --now 2026-01-01T00:00:00Z --delimiter , --column url {options}");
        bench.filter(&format!("{words} --force --out whole one two")).assert().success();
        for number in 1..=4 {
            bench.filter(&format!("{words} --force --shard {number}/4 --out part-{number} one two")).assert().success();
            bench.program(&format!("verify --inputs part-{number}")).assert().success();
        }
        bench.program("join --force --concat --out all part-1 part-2 part-3 part-4").assert().success();
        bench.program("verify --inputs all").assert().success();
        let names: Vec<String> = ["whole", "whole/0001-one", "whole/0002-two"]
            .iter()
            .flat_map(|folder| bench.names(folder).into_iter().map(move |name| format!("{folder}/{name}")))
            .filter(|name| name.ends_with(".txt") || name.ends_with(".tsv"))
            .collect();
        assert!(!names.is_empty());
        for name in names {
            let joined = name.replace("whole", "all");
            assert_eq!(bench.read(&joined), bench.read(&name), "{name} {options}");
        }
        std::fs::remove_dir_all(bench.path("whole")).expect("removed");
    }
}
