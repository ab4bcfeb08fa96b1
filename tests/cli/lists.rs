//! Lists of every shape.

use std::fs;

use crate::support::program::Bench;
use crate::support::results::{Split, Sums};

#[test]
fn a_list_without_a_last_line_feed_gets_one_before_another_list() {
    let bench = Bench::with_site();
    bench.file("one", "http://a.example/1\nhttp://a.example/no/1");
    bench.file("two", "http://a.example/2\n");
    bench.file("three", "not a url");
    bench.file("four", "http://a.example/4");
    let split = bench.split("--robots sites", &["one", "two", "three", "four"]);
    assert_eq!(split.partitions[0], b"http://a.example/1\nhttp://a.example/2\nhttp://a.example/4");
    assert_eq!(split.partitions[1], b"http://a.example/no/1\n");
    assert_eq!(split.partitions[3], b"not a url\n");
    assert_eq!(split.receipt["added_line_feeds"], 2);
    let paths: Vec<_> = split.receipt["lists"].as_array().expect("lists").iter().map(|list| &list["path"]).collect();
    assert_eq!(paths, ["one", "two", "three", "four"]);
}

#[test]
fn the_last_list_keeps_its_end() {
    let bench = Bench::with_site();
    for text in ["http://a.example/x", "http://a.example/x\n"] {
        bench.file("urls", text);
        let split = bench.split("--robots sites --force", &["urls"]);
        assert_eq!(split.partitions[0], text.as_bytes());
        assert_eq!(split.receipt["added_line_feeds"], 0);
    }
}

#[test]
fn standard_input_is_a_list_like_others() {
    let bench = Bench::new();
    let sources = "--robots DATASETS/sites --robots DATASETS/origins.jsonl";
    let mut mapped = bench.split(&format!("{sources} --threads 2"), &["DATASETS/urls.txt"]).timeless();
    let list = mapped.receipt["lists"][0].as_object_mut().expect("a list");
    assert!(list.remove("file").is_some_and(|file| file["length"] == bench.read("DATASETS/urls.txt").len()));
    let words = format!("{sources} --force --out out -");
    bench.filter(&words).write_stdin(bench.read("DATASETS/urls.txt")).assert().success();
    let mut read = Split::read(&bench, "out").timeless();
    assert_eq!(read.receipt["lists"][0]["path"], "-");
    read.receipt["lists"][0]["path"] = mapped.receipt["lists"][0]["path"].clone();
    assert!(read == mapped);
}

#[test]
fn standard_input_may_be_mixed_with_files() {
    let bench = Bench::with_site();
    bench.file("one", "http://a.example/1");
    bench.file("two", "http://a.example/2\n");
    let words = "--robots sites --out out one - two";
    bench.filter(words).write_stdin("http://a.example/in").assert().success();
    let lists = ["http://a.example/1", "http://a.example/in", "http://a.example/2\n"];
    let split = Split::read(&bench, "out");
    split.accounts_for(&lists.map(|list| list.as_bytes().to_vec()));
    assert_eq!(split.lines("allowed"), ["http://a.example/1", "http://a.example/in", "http://a.example/2"]);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_as_a_stream() {
    use std::process::{Command, Stdio};

    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/file\n");
    let pipe = bench.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let child = bench
        .command("filter --agent examplebot --robots sites --out out pipe urls")
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let content = "http://a.example/pipe\nhttp://a.example/no\n".repeat(5000) + "http://a.example/last";
    let written = content.clone();
    // Not joined: if the program never opens the pipe, the writer blocks forever, and the test fails below.
    std::thread::spawn(move || fs::write(pipe, written));
    let done = child.wait_with_output().expect("the program ends");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let split = Split::read(&bench, "out");
    split.accounts_for(&[content.into_bytes(), b"http://a.example/file\n".to_vec()]);
    assert_eq!(split.receipt["partitions"]["blocked"]["lines"], 5000);
    assert_eq!(split.receipt["added_line_feeds"], 1);
}

/// The kernel generates the content of such files while they are read, and reports a length of 0.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_hides_its_length_is_read_all_the_same() {
    let bench = Bench::with_site();
    let content = fs::read("/proc/version").expect("/proc");
    bench.filter("--robots sites --out out /proc/version").assert().success();
    Split::read(&bench, "out").accounts_for(&[content]);
}

#[test]
fn carriage_returns_stay_and_do_not_matter() {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: *\nDisallow: /no$\n");
    bench.file("urls", "http://a.example/no\r\nhttp://a.example/yes\r\n\r\nhttp://a.example/no\r");
    let split = bench.split("--robots sites", &["urls"]);
    assert_eq!(split.partitions[0], b"http://a.example/yes\r\n");
    assert_eq!(split.partitions[1], b"http://a.example/no\r\nhttp://a.example/no\r");
    assert_eq!(split.partitions[3], b"\r\n");
}

#[test]
fn empty_lines_are_invalid_lines() {
    let bench = Bench::with_site();
    bench.file("urls", "\n\nhttp://a.example/x\n\n \t\n\n");
    let split = bench.split("--robots sites", &["urls"]);
    assert_eq!(split.partitions[3], b"\n\n\n \t\n\n");
    assert_eq!(split.reasons("invalid"), [("empty".to_owned(), 5)].into());
}

#[test]
fn an_empty_list_is_a_list() {
    let bench = Bench::with_site();
    bench.file("empty", "");
    bench.file("urls", "http://a.example/x");
    let split = bench.split("--robots sites", &["empty"]);
    assert_eq!(split.partitions, [const { Vec::<u8>::new() }; 4]);
    assert_eq!(split.receipt["input"]["lines"], 0);
    let split = bench.split("--robots sites --force", &["empty", "urls", "empty"]);
    assert_eq!(split.partitions[0], b"http://a.example/x\n");
}

#[test]
#[ignore = "takes long"]
fn lines_of_several_mebibytes_are_lines() {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: *\nDisallow: /*no$\n");
    let long = format!("http://a.example/{}", "x".repeat(3 << 20));
    let garbage = "y".repeat(5 << 20);
    let text = format!("{long}no\nhttp://a.example/\n{long}\n{garbage}\n{long}no");
    bench.file("urls", &text);
    for options in ["--threads 1", "--threads 3"] {
        let split = bench.split(&format!("--robots sites --force {options}"), &["urls"]);
        assert_eq!(split.lines("blocked").len(), 2, "{options}");
        assert_eq!(split.lines("allowed").len(), 2, "{options}");
        assert_eq!(split.partitions[3].len(), garbage.len() + 1, "{options}");
        bench
            .filter(&format!("--robots sites --out fed --force {options} -"))
            .write_stdin(text.clone())
            .assert()
            .success();
        assert!(Split::read(&bench, "fed").partitions == split.partitions, "{options}, from a stream");
    }
}

#[test]
fn odd_bytes_in_paths_are_judged_and_in_hosts_invalid() {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: *\nDisallow: /no\nDisallow: /%FF\nDisallow: /caf%C3%A9\n");
    let mut list = Vec::new();
    for line in [
        &b"http://a.example/no\xff"[..],
        b"http://a.example/\xff/x",
        b"http://A.example:80/no\xff",
        b"http://a.example/yes\xff\xfe",
        b"http://a.example/caf\xc3\xa9",
        b"http://a.example/\0no",
        b"http://a.example/no\0",
        b"http://a.exam\0ple/",
        b"\0",
        b"http://a\xff.example/no",
        b"\xffhttp://a.example/no",
    ] {
        list.extend_from_slice(line);
        list.push(b'\n');
    }
    bench.file("urls", &list);
    let split = bench.split("--robots sites", &["urls"]);
    assert_eq!(
        split.partitions[1],
        b"http://a.example/no\xff\nhttp://a.example/\xff/x\nhttp://A.example:80/no\xff\nhttp://a.example/caf\xc3\xa9\nhttp://a.example/no\0\n"
    );
    assert_eq!(split.partitions[0], b"http://a.example/yes\xff\xfe\nhttp://a.example/\0no\n");
    let reasons = split.reasons("invalid");
    assert_eq!(reasons, [("empty", 1), ("host", 2), ("not-absolute", 1)].map(|(name, n)| (name.to_owned(), n)).into());
}

#[test]
fn each_list_may_have_partitions_of_its_own() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/1\nhttp://a.example/no/1\nhttp://b.example/");
    bench.file("more/urls", "http://a.example/2\n\n");
    let words = "--robots sites --out out --per-input --threads 2 urls more/urls -";
    bench.filter(words).write_stdin("http://b.example/\nhttp://c.example/\n").assert().success();
    let read = |name: &str| String::from_utf8(bench.read(&format!("out/{name}.txt"))).expect("UTF-8");
    assert_eq!(read("0001-urls/allowed"), "http://a.example/1\n");
    assert_eq!(read("0001-urls/blocked"), "http://a.example/no/1\n");
    assert_eq!(read("0001-urls/deferred"), "http://b.example/", "a list of its own keeps its end");
    assert_eq!(read("0001-urls/invalid"), "");
    assert_eq!(read("0002-urls/allowed"), "http://a.example/2\n");
    assert_eq!(read("0002-urls/invalid"), "\n");
    assert_eq!(read("0003-standard-input/deferred"), "http://b.example/\nhttp://c.example/\n");
    let names = ["0001-urls", "0002-urls", "0003-standard-input", "receipt.json", "robots-needed.tsv"];
    assert_eq!(bench.names("out"), names, "one receipt and one list of what to fetch, for all");
    let receipt = bench.receipt("out");
    assert_eq!(receipt["added_line_feeds"], 0);
    assert_eq!(receipt["input"]["lines"], 7);
    assert_eq!(receipt["options"]["per_input"], true);
    let deferred = read("0001-urls/deferred");
    assert!(Sums::of(deferred.as_bytes()).fit(&receipt["lists"][0]["partitions"]["deferred"]));
    let needed = String::from_utf8(bench.read("out/robots-needed.tsv")).expect("UTF-8");
    let rows: Vec<&str> = needed.lines().skip(1).collect();
    assert_eq!(
        rows,
        ["http://b.example/robots.txt\tunfetched\t2\t\t", "http://c.example/robots.txt\tunfetched\t1\t\t"]
    );
}

/// A folder is named with a number and the list's name, which together may be too long.
#[test]
fn a_list_with_the_longest_name_has_partitions_of_its_own() {
    let bench = Bench::with_site();
    let name = "n".repeat(254);
    for number in 1..=2 {
        bench.file(&format!("{number}/{name}"), format!("number,url\n{number},http://a.example/{number}\n"));
    }
    let words = "--robots sites --delimiter , --column url --header --now 2026-01-01T00:00:00Z --per-input";
    bench.filter(&format!("{words} --out out 1/{name} 2/{name}")).assert().success();
    for number in 1..=2 {
        let allowed = bench.read(&format!("out/000{number}-{}/allowed.txt", &name[..250]));
        assert_eq!(String::from_utf8_lossy(&allowed), format!("number,url\n{number},http://a.example/{number}\n"));
    }
    bench.program("verify --inputs out").assert().success();
    bench.program("report out").assert().success();
    bench.filter(&format!("{words} --out out --resume 1/{name} 2/{name}")).assert().success();
    bench.filter(&format!("{words} --out out --force 1/{name}")).assert().success();
    assert!(!bench.names("out").iter().any(|name| name.starts_with("0002-")));
    for number in 1..=2 {
        let shard = format!("{words} --out part-{number} --shard {number}/2 1/{name} 2/{name}");
        bench.filter(&shard.replace("--header ", "")).assert().success();
    }
    bench.program("join --concat --out joined part-1 part-2").assert().success();
    bench.program("verify joined").assert().success();
}
