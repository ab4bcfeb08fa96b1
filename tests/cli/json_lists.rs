//! Lists in JSON Lines, and what is said of lists that were read otherwise than they were meant.

use crate::support::compression::gzip;
use crate::support::program::{Bench, said};
use crate::support::results::Split;

#[test]
fn a_member_of_json_lines_is_the_url() {
    let bench = Bench::with_site();
    let line = |name: &str, path: &str| format!("{{\"{name}\": \"http://a.example/{path}\", \"n\": 1}}\n");
    let list = |name| {
        ["1", "no/1", "2"].map(|path| line(name, path)).concat()
            + "{\"n\": 1}\nnot json\n"
            + &format!("{{\"x\":0,\"{name}\":\"http:\\/\\/a.example\\/no\\u002f2\"}}")
    };
    bench.file("plain", list("url"));
    bench.file("packed.gz", gzip(list("url").as_bytes()));
    bench.file("other", list("link"));
    for words in ["plain", "packed.gz", "--column url plain", "--column link other"] {
        bench.filter(&format!("--robots sites --force --out out {words}")).assert().success();
        let split = Split::read(&bench, "out");
        assert_eq!(split.receipt["lists"][0]["format"], "json-lines", "{words}");
        let counts = ["allowed", "blocked", "deferred", "invalid"].map(|name| split.lines(name).len());
        assert_eq!(counts, [2, 2, 0, 2], "{words}");
        let reasons = split.reasons("invalid");
        assert_eq!((reasons["json"], reasons["no-url"]), (1, 1), "{words}");
        bench.program("verify --inputs out").assert().success();
        bench.program("report out --robots sites").assert().success();
    }
    // Beside plain lists, in one set of files.
    bench.file("urls", "http://a.example/no/3\n");
    bench.filter("--robots sites --force --out out urls plain").assert().success();
    let report = bench.program("report out --robots sites -o report.html").assert().success();
    assert!(!String::from_utf8_lossy(&report.get_output().stderr).contains("not blocked"));
    let page = String::from_utf8(bench.read("report.html")).expect("UTF-8");
    assert!(page.contains("a.example") && page.contains('3'), "{page}");
    std::fs::remove_dir_all(bench.path("out")).expect("removed");
    bench.refused("--robots sites --out new --column link plain", &["plain", "no column \"link\"", "url"]);
    bench.refused("--robots sites --out new other", &["other", "no column \"url\"", "link"]);
    bench.refused("--robots sites --out new --column 2 plain", &["plain", "JSON objects", "by its name"]);
    bench.refused("--robots sites --out new --header plain", &["plain", "JSON objects", "no head line"]);
}

#[test]
fn a_list_of_invalid_lines_looks_like_something() {
    let bench = Bench::with_site();
    let cdx = "com,example)/ 20240101000000 http://a.example/ text/html 200 AAAA 10 0 a.warc.gz\n".repeat(20);
    for (name, text, words) in [
        ("cdx", cdx.as_bytes().to_vec(), "CDX without its head line; try --delimiter ' ' --column 3"),
        ("cdx.gz", gzip(cdx.as_bytes()), "CDX without its head line; try --delimiter ' ' --column 3"),
        ("csv", "1,http://a.example/,x\n".repeat(20).into_bytes(), "(CSV); try --delimiter , --column 2"),
    ] {
        bench.file(name, text);
        let done = bench.filter(&format!("--robots sites --force --out out {name}")).assert().success();
        said(&done.get_output().stderr, &[name, "20 lines are invalid", words]);
        // What is proposed reads the list.
        let mut command = bench.program("filter --agent examplebot --robots sites --force --out out");
        command.args(["--delimiter", if words.contains("' '") { " " } else { "," }]);
        command.args(["--column", &words[words.len() - 1..], name]).assert().success();
        assert_eq!(bench.receipt("out")["partitions"]["allowed"]["lines"], 20, "{name}");
    }
    // Neither another delimiter nor a pipe is left without advice.
    let rows = "1;http://a.example/\n".repeat(20);
    bench.file("rows", format!("id;url\n{rows}"));
    bench.file("tabs", rows.replace(';', "\t"));
    let advice = "try --delimiter ';' --column 2 --header";
    for (words, advice) in [
        ("rows", advice),
        ("--delimiter ; --column 1 rows", advice),
        ("--delimiter , --column 2 rows", advice),
        ("tabs", "(TSV); try --delimiter tab --column 2"),
        ("-", "the list -: 20 lines are invalid; it came through a pipe"),
    ] {
        let mut command = bench.filter(&format!("--robots sites --force --out out {words}"));
        let done = command.write_stdin(rows.as_bytes()).assert().success();
        said(&done.get_output().stderr, &[advice]);
    }
    bench.filter("--robots sites --force --out out --delimiter ; --column 2 --header rows").assert().success();
    assert_eq!(bench.receipt("out")["partitions"]["allowed"]["lines"], 20);
    // URLs may have commas, so only the head line tells that these are fields.
    bench.file("table", "url,status\n".to_owned() + &"http://a.example/x,200\n".repeat(20));
    let done = bench.filter("--robots sites --force --out out table").assert().success();
    said(
        &done.get_output().stderr,
        &["the list table", "each line was judged as one URL", "--delimiter , --column 1 --header"],
    );
    // Only so many lists are looked at again.
    let many: Vec<String> = (0..102).map(|number| format!("table{number}")).collect();
    many.iter().for_each(|name| bench.file(name, "url,status\nhttp://a.example/x,200\nhttp://a.example/y,200\n"));
    let done = bench.filter(&format!("--robots sites --force --out out {}", many.join(" "))).assert().success();
    said(&done.get_output().stderr, &["the list table2:", "97 more lists begin with a head line"]);
    // Some invalid lines are no reason to doubt.
    bench.file("urls", "http://a.example/\n".repeat(5) + "x,http://a.example/\n");
    let done = bench.filter("--robots sites --force --out out urls").assert().success();
    assert!(!String::from_utf8_lossy(&done.get_output().stderr).contains("looks like"));
}
