//! Sources that are damaged in part: what can be read is, and the rest is counted, told, and never allowed.

use crate::support::archives::{answer, counts, fields, http, record, rules};
use crate::support::compression::{Compress, checked_zstd, gzip, zstd};
use crate::support::program::{Bench, ROBOTS, said};

/// Compiles sources; returns what is said on standard error.
fn compiled(bench: &Bench, sources: &str) -> String {
    let done = bench.program(&format!("compile --agent examplebot {sources} -o policy.rsv")).assert().success();
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

/// The outcomes for `/no` of three hosts.
fn outcomes(bench: &Bench, sources: &str) -> [String; 3] {
    ["a", "b", "c"].map(|host| bench.outcome(sources, format!("http://{host}.example/no")))
}

/// Checks that a run ends with an error that has these words.
fn ends(bench: &Bench, options: &str, words: &[&str]) {
    let done = bench.filter(&format!("{options} --out ended urls")).assert().code(2);
    said(&done.get_output().stderr, words);
}

const BLOCKED: &str = "blocked rules";

/// The record of the host `b`, with one change.
fn changed(from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(rules("b")).expect("text");
    assert!(text.contains(from), "{from}");
    text.replace(from, to).into_bytes()
}

#[test]
fn a_wrong_record_leaves_its_own_origin_without_a_verdict() {
    let bench = Bench::new();
    let (first, third) = (rules("a"), rules("c"));
    let length = rules("b").len() - changed("HTTP/1.1", "").len();
    assert_eq!(length, 8);
    let block = http("200 OK\r\nContent-Type: text/plain", ROBOTS).len();
    let of_length = |length: usize| changed(&format!("Content-Length: {block}"), &format!("Content-Length: {length}"));
    for (wrong, problem, outcome) in [
        (changed("WARC-Date: 2026-01-10", "WARC-Date: January"), "WARC-Date", "deferred incomplete"),
        (changed("WARC-Date", "Date"), "no WARC-Date", "deferred incomplete"),
        (changed("WARC-Type", "Type"), "no WARC-Type", "deferred unfetched"),
        (changed("WARC-Target-URI", "Target-URI"), "no WARC-Target-URI", "deferred unfetched"),
        (changed("WARC-Date", "no field\r\nWARC-Date"), "no field", "deferred incomplete"),
        (changed("\r\nContent-Length", "\r\nLength"), "no Content-Length", "deferred incomplete"),
        (of_length(block - 1), "does not end", "deferred incomplete"),
        (of_length(block + 1), "does not end", "deferred incomplete"),
        (of_length(block + 40), "does not end", "deferred incomplete"),
        (of_length(99_999), "ends within this record", "deferred incomplete"),
        (changed("WARC/1.1", "WARC/9.9"), "WARC/9.9", "deferred incomplete"),
        (rules("b")[..rules("b").len() - 20].to_vec(), "does not end", "deferred incomplete"),
        (rules("b")[..90].to_vec(), "another record", "deferred incomplete"),
        (rules("b")[..81].to_vec(), "another record", "deferred incomplete"),
        (rules("b")[..60].to_vec(), "another record", "deferred unfetched"),
        (rules("b")[40..].to_vec(), "not a known version", "deferred unfetched"),
    ] {
        let plain = [&first[..], &wrong, &third].concat();
        for archive in [plain.clone(), gzip(&plain), [gzip(&first), gzip(&wrong), gzip(&third)].concat()] {
            bench.file("in.warc", archive);
            assert_eq!(outcomes(&bench, "--robots in.warc"), [BLOCKED, outcome, BLOCKED], "{problem}");
            assert_eq!(counts(&bench, "--robots in.warc").0["bad_records"], 1, "{problem}");
            let text = compiled(&bench, "in.warc");
            let place = format!("record 2 (byte {})", first.len());
            said(text.as_bytes(), &["in.warc: 1 record is damaged or malformed: ", &place, problem]);
        }
    }
}

/// Each archive has a damaged member between two good ones, and an older archive has rules that would allow everything.
#[test]
fn a_damaged_member_of_an_archive_is_passed_over() {
    let bench = Bench::new();
    bench.file("old.warc", answer("http://b.example/robots.txt", 0, "200 OK", "User-agent: *\nAllow: /\n"));
    let page = answer("http://d.example/", 1, "200 OK", "<html>".repeat(99));
    let (mut unknown, mut known) = (0, 0);
    let compress: [Compress; 2] = [gzip, checked_zstd];
    for compress in compress {
        let [first, second, third] = ["a", "b", "c"].map(|host| compress(&rules(host)));
        let page = compress(&page);
        for at in (0..second.len()).step_by(11) {
            let mut damaged = second.clone();
            damaged[at] ^= 0x3c;
            bench.file("in.warc", [&first[..], &damaged, &page, &third].concat());
            let [a, b, c] = outcomes(&bench, "--robots in.warc --robots old.warc");
            assert_eq!([&*a, &*c], [BLOCKED; 2], "byte {at}");
            // Some bytes do not matter. If the damage hides the URL, nothing is known of the answer.
            match &*b {
                BLOCKED => continue,
                "deferred incomplete" => known += 1,
                "allowed rules" => unknown += 1,
                other => panic!("byte {at}: {other}"),
            }
            let text = compiled(&bench, "in.warc");
            said(text.as_bytes(), &["in.warc: 1 record is damaged or malformed: record 2 "]);
            assert_eq!(counts(&bench, "--robots in.warc").0["bad_records"], 1, "byte {at}");
        }
    }
    assert!(known > 8, "{known} {unknown}");
}

/// Which of several records in one member is damaged is not known.
#[test]
fn damage_in_a_member_of_several_records_is_that_of_the_archive() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    let mut damaged = gzip(&[rules("d"), rules("b")].concat());
    let end = damaged.len();
    damaged[end - 6] ^= 1;
    bench.file("in.warc", [gzip(&rules("a")), damaged, gzip(&rules("c"))].concat());
    ends(&bench, "--robots in.warc", &["in.warc", "record 3", "gzip"]);
    assert_eq!(outcomes(&bench, "--skip-bad --robots in.warc"), [BLOCKED, "deferred incomplete", BLOCKED]);
}

#[test]
fn what_is_lost_at_the_end_of_an_archive_ends_the_run_unless_it_may() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    let (first, second) = (rules("a"), rules("b"));
    for (first, second) in [(first.clone(), second.clone()), (gzip(&first), gzip(&second))] {
        bench.file("in.warc", [&first[..], &second[..second.len() - 5]].concat());
        bench.file("more.warc", rules("c"));
        ends(&bench, "--robots in.warc", &["in.warc", "record 2"]);
        let sources = "--skip-bad --robots in.warc --robots more.warc";
        assert_eq!(outcomes(&bench, sources), [BLOCKED, "deferred incomplete", BLOCKED]);
        let (_, captures) = counts(&bench, sources);
        assert_eq!(captures["cut_sources"], 1);
        let text = compiled(&bench, "--skip-bad in.warc more.warc");
        said(text.as_bytes(), &["in.warc: 1 source ends in damage: record 2", "http://b.example/robots.txt"]);
    }
    // Nothing of it can be read.
    bench.file("in.warc", &gzip(&first)[..20]);
    ends(&bench, "--robots in.warc", &["in.warc", "damaged"]);
    assert_eq!(outcomes(&bench, "--skip-bad --robots in.warc --robots more.warc")[2], BLOCKED);
}

#[test]
fn an_archive_may_begin_with_damage() {
    let bench = Bench::new();
    let mut first = gzip(&record("warcinfo", "WARC-Date: 2026-01-10T00:00:00Z\r\n", "software: by hand\r\n"));
    let end = first.len();
    // Its text is another, has an error, or does not match its checksum.
    for at in [12, 14, 20, end - 20, end - 6] {
        first[at] ^= 0xff;
        let stored = [&first[..], &gzip(&rules("a")), &gzip(&rules("c"))].concat();
        first[at] ^= 0xff;
        bench.file("in.warc", stored);
        let [a, _, c] = outcomes(&bench, "--robots in.warc");
        assert_eq!([&*a, &*c], [BLOCKED; 2], "byte {at}");
        assert_eq!(counts(&bench, "--robots in.warc").0["bad_records"], 1, "byte {at}");
    }
}

/// Archives are read again for pages that redirects lead to; the damage in them counts once.
#[test]
fn damage_is_counted_once_however_often_an_archive_is_read() {
    let bench = Bench::new();
    let redirect = answer("http://a.example/robots.txt", 1, "301 Moved\r\nLocation: /policy", "");
    let page = answer("http://a.example/policy", 1, "200 OK", ROBOTS);
    let lost = answer("http://b.example/robots.txt", 1, "301 Moved\r\nLocation: /policy", "");
    let mut damaged = gzip(&answer("http://b.example/policy", 1, "200 OK", ROBOTS));
    let end = damaged.len();
    damaged[end - 6] ^= 1;
    let parts = [gzip(&lost), damaged, gzip(&page), gzip(&redirect), gzip(&rules("c"))].concat();
    bench.file("in.warc", parts);
    assert_eq!(outcomes(&bench, "--robots in.warc"), [BLOCKED, "deferred incomplete", BLOCKED]);
    assert_eq!(counts(&bench, "--robots in.warc").0["bad_records"], 1);
}

#[test]
fn compile_tells_what_it_passed_over_with_an_example() {
    let bench = Bench::new();
    let url = |host: &str| format!("http://{host}.example/robots.txt");
    let records = [
        answer(&url("a"), 1, "200 OK\r\nContent-Length: 99", ROBOTS),
        answer(&url("b"), 1, "200 OK\r\nContent-Encoding: compress", b"\x1f\x9d\x90\x01"),
        record("response", &fields(&url("c"), 1), "garbage"),
        record("response", &(fields(&url("d"), 1) + "WARC-Truncated: length\r\n"), http("200 OK", ROBOTS)),
        record("revisit", &fields(&url("e"), 1), ""),
        answer("http://f.example/page", 1, "200 OK", "<html>"),
    ];
    bench.file("one.warc", records.concat());
    bench.file("two.warc", record("response", &fields(&url("g"), 1), "garbage"));
    let text = compiled(&bench, "one.warc two.warc");
    for line in [
        "robosieve: warning: one.warc: 1 file did not arrive whole or is damaged: record 1, http://a.example/robots.txt; ",
        "robosieve: warning: one.warc: 1 file is in an unknown coding: record 2, http://b.example/robots.txt; ",
        "robosieve: warning: one.warc and another source: 2 responses are not HTTP: record 3, http://c.example/robots.txt, ",
        "robosieve: warning: one.warc: 1 file was too long to be kept whole: record 4, http://d.example/robots.txt; ",
        "robosieve: warning: one.warc: 1 revisit has no original: http://e.example/robots.txt; ",
        "robosieve: one.warc: 1 response is not for /robots.txt: http://f.example/page; ",
    ] {
        assert_eq!(text.lines().filter(|found| found.starts_with(line)).count(), 1, "{line}: {text}");
    }
    let quiet = bench.program("compile --quiet --agent examplebot one.warc -o policy.rsv").assert().success();
    assert!(quiet.get_output().stderr.is_empty());
    bench.file("urls", "http://a.example/no\n");
    let done = bench.filter("--robots one.warc --count --log json urls").assert().success();
    let log = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    for line in log.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(event["event"] != "error", "{line}");
    }
    assert!(log.contains("did not arrive whole"), "{log}");
}

#[test]
fn a_damaged_file_of_a_folder_leaves_its_origins_without_a_verdict() {
    let bench = Bench::new();
    bench.file("old.warc", answer("http://b.example/robots.txt", 0, "200 OK", "User-agent: *\nAllow: /\n"));
    bench.file("sites/a.example", ROBOTS);
    bench.file("sites/c.example.gz", gzip(ROBOTS.as_bytes()));
    for (file, name) in [(gzip(ROBOTS.as_bytes()), "gzip"), (zstd(ROBOTS.as_bytes(), b""), "Zstandard")] {
        for end in 12..file.len() {
            bench.file("sites/b.example.gz", &file[..end]);
            assert_eq!(outcomes(&bench, "--robots sites"), [BLOCKED, "deferred incomplete", BLOCKED], "{end}");
        }
        let (_, captures) = counts(&bench, "--robots sites");
        assert_eq!((&captures["damaged_files"], &captures["read"]), (&1.into(), &6.into()));
        said(compiled(&bench, "sites").as_bytes(), &["sites: 1 file is damaged or cut short: b.example.gz: ", name]);
    }
}

#[test]
fn an_empty_file_of_a_folder_is_an_empty_robots_txt_and_told() {
    let bench = Bench::new();
    bench.file("sites/a.example", ROBOTS);
    bench.file("sites/b.example", "");
    bench.file("sites/c.example", gzip(b""));
    assert_eq!(outcomes(&bench, "--robots sites"), [BLOCKED, "allowed no-group", "allowed no-group"]);
    assert_eq!(counts(&bench, "--robots sites").1["empty_files"], 2);
    said(compiled(&bench, "sites").as_bytes(), &["sites: 2 files are empty: b.example, ...; "]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_file_of_a_folder_ends_the_run() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.file("sites/a.example", ROBOTS);
    bench.file("sites/b.example", ROBOTS);
    let path = bench.path("sites/b.example");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("permissions");
    if std::fs::File::open(&path).is_ok() {
        // This user may read everything but that.
        std::fs::remove_file(&path).expect("a file");
        std::os::unix::fs::symlink("/proc/self/mem", &path).expect("a link");
    }
    bench.file("urls", "http://a.example/no\n");
    for options in ["", "--skip-bad "] {
        ends(&bench, &format!("{options}--robots sites"), &["b.example"]);
    }
}

#[test]
fn a_bad_line_ends_the_run_unless_it_may_be_passed_over() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    let line = |host: &str| {
        let body = "User-agent: *\\nDisallow: /no\\n";
        format!("{{\"origin\":\"http://{host}.example\",\"status\":200,\"body\":\"{body}\"}}\n")
    };
    for (bad, problem) in [
        ("{\"origin\":\"http://b.example\",\"status\":200}\n".to_owned(), "line 2 (byte "),
        ("{\"origin\":\"http://b.example\"\n".to_owned(), "line 2 (byte "),
        ("garbage\n".to_owned(), "line 2 (byte "),
        (format!("garbage{}\n", "x".repeat(3 << 20)), "is longer than"),
    ] {
        let text = line("a") + &bad + &line("c");
        let outcomes_of = |file: &[u8]| {
            bench.file("in.jsonl", file);
            ends(&bench, "--robots in.jsonl --memory 64M", &["in.jsonl", "line 2"]);
            let found = outcomes(&bench, "--robots in.jsonl --memory 64M --skip-bad");
            assert_eq!(found, [BLOCKED, "deferred unfetched", BLOCKED], "{problem}");
            assert_eq!(counts(&bench, "--robots in.jsonl --memory 64M --skip-bad").1["bad"], 1, "{problem}");
        };
        outcomes_of(text.as_bytes());
        outcomes_of(&gzip(text.as_bytes()));
    }
    let text = line("a") + "garbage\n" + &line("c");
    bench.file("in.jsonl", &text);
    bench.program("compile --agent examplebot in.jsonl -o policy.rsv").assert().code(2);
    said(compiled(&bench, "--skip-bad in.jsonl").as_bytes(), &["in.jsonl: 1 line is no response: line 2 (byte "]);
    // Members of their own, so that the lines before the damage are read.
    let mut damaged = gzip(line("c").as_bytes());
    damaged[20] ^= 0xff;
    bench.file("in.jsonl", [gzip(line("a").as_bytes()), gzip(&[b' '; 600_000]), damaged].concat());
    ends(&bench, "--robots in.jsonl", &["in.jsonl", "damaged"]);
    assert_eq!(outcomes(&bench, "--robots in.jsonl --skip-bad")[0], BLOCKED);
    assert_eq!(counts(&bench, "--robots in.jsonl --skip-bad").1["cut_sources"], 1);
}

/// A time in the wrong unit, or of tomorrow, would be newer than every later answer.
#[test]
fn a_record_of_an_impossible_time_is_bad() {
    let bench = Bench::new();
    let old = record("response", &fields("http://b.example/robots.txt", 1), http("200 OK", ROBOTS));
    for (time, problem) in [
        ("5001-01-01T00:00:00Z", "beyond the year 5000"),
        ("4000-01-01T00:00:00Z", "more than a day after now"),
        ("58032-01-01T00:00:00Z", "WARC-Date"),
        ("20260110000000", "WARC-Date"),
        ("1768003200", "WARC-Date"),
    ] {
        let wrong = String::from_utf8(answer("http://b.example/robots.txt", 1, "200 OK", "")).expect("text");
        let wrong = wrong.replace("2026-01-10T00:00:01Z", time).into_bytes();
        bench.file("in.warc", [wrong.clone(), rules("a")].concat());
        assert_eq!(outcomes(&bench, "--robots in.warc")[..2], [BLOCKED, "deferred incomplete"], "{time}");
        said(compiled(&bench, "in.warc").as_bytes(), &["in.warc: 1 record is damaged", "record 1", problem]);
        for parts in [[wrong.clone(), old.clone()], [old.clone(), wrong]] {
            bench.file("in.warc", parts.concat());
            assert_eq!(outcomes(&bench, "--robots in.warc")[1], BLOCKED, "{time}");
            assert_eq!(counts(&bench, "--robots in.warc").0["bad_records"], 1, "{time}");
        }
    }
}
