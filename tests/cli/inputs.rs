//! Sources and lists that are missing, unreadable, empty or wrong.

use crate::support::program::{Bench, assert_no_result};

#[test]
fn a_source_that_is_missing_or_an_empty_folder_is_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    std::fs::create_dir(bench.path("nobody")).expect("a folder");
    bench.refused("--robots missing --out out urls", &["missing"]);
    bench.refused("--robots sites --robots missing --out out urls", &["missing"]);
    bench.refused("--robots nobody --out out urls", &["nobody", "host"]);
    bench.refused("--robots missing --origin http://a.example --out out urls", &["missing"]);
    bench.refused("--robots sites --origin http://a.example --out out urls", &["sites"]);
    assert!(!bench.path("out").exists(), "nothing is made before the sources are read");
}

/// A quiet minute has no answers, and makes a policy of no origins.
#[test]
fn an_empty_file_of_answers_is_no_error() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/no\n");
    for (name, text) in [("empty.jsonl", ""), ("blank.jsonl", "\n \r\n\n")] {
        bench.file(name, text);
        bench.program(&format!("compile --agent examplebot {name} -o policy.rsv")).assert().success();
        assert_eq!(bench.outcome("--policy policy.rsv", "http://a.example/no"), "deferred unfetched", "{name}");
        assert_eq!(bench.outcome(&format!("--robots {name}"), "http://a.example/no"), "deferred unfetched");
        assert_eq!(bench.outcome(&format!("--robots sites --robots {name}"), "http://a.example/no"), "blocked rules");
        bench.program("compile --agent examplebot sites -o sites.rsv").assert().success();
        for order in ["sites.rsv policy.rsv", "policy.rsv sites.rsv"] {
            bench.program(&format!("merge {order} -o merged.rsv")).assert().success();
            assert_eq!(bench.outcome("--policy merged.rsv", "http://a.example/no"), "blocked rules", "{order}");
        }
    }
}

#[test]
fn a_list_that_is_missing_or_no_file_is_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.refused("--robots sites --out out missing", &["missing"]);
    bench.refused("--robots sites --out out urls missing", &["missing"]);
    bench.refused("--robots sites --out out sites", &["sites"]);
    bench.refused("--robots sites --count missing", &["missing"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.file("locked", "http://a.example/\n");
    bench.file("secret/b.example", "User-agent: *\nDisallow:\n");
    for name in ["locked", "secret/b.example"] {
        let forbidden = std::fs::Permissions::from_mode(0o000);
        std::fs::set_permissions(bench.path(name), forbidden).expect("permissions");
    }
    if std::fs::read(bench.path("locked")).is_ok() {
        eprintln!("SKIPPED: this user may read every file, so nothing tells what an unreadable one does");
        return;
    }
    bench.refused("--robots sites --out out locked", &["locked"]);
    bench.refused("--robots locked --out out urls", &["locked"]);
    bench.refused("--robots secret --out out urls", &["b.example"]);
}

#[test]
fn a_folder_without_hosts_is_refused_and_odd_names_are_counted() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\nhttp://b.example/\n");
    for name in ["odd/.hidden", "odd/a b", "odd/ftp%3A%2F%2Fa.example", "odd/sub/a.example"] {
        bench.file(name, "User-agent: *\nDisallow: /\n");
    }
    bench.refused("--robots odd --out out urls", &["odd", "host"]);
    bench.file("odd/a.example", "User-agent: *\nDisallow: /no\n");
    let split = bench.split("--robots odd", &["urls"]);
    assert_eq!(split.lines("blocked"), ["http://a.example/no"]);
    assert_eq!(split.receipt["policy"]["captures"]["unnamed_files"], 4);
}

#[test]
fn a_wrong_line_of_json_is_named_by_line_and_byte() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    let good = r#"{"origin":"http://a.example","status":404}"#;
    for (line, problem) in [
        ("{", "ends too early"),
        ("User-agent: *", "JSON Lines"),
        (r#"{"status":200}"#, "neither \"url\" nor \"origin\"; its keys are status; name the keys to read (--columns)"),
        (
            r#"{"url":"http://a.example/robots.txt","origin":"http://a.example","status":404}"#,
            "both a URL and an origin",
        ),
        (r#"{"url":"/robots.txt","status":404}"#, "absolute"),
        (r#"{"url":"ftp://a.example/robots.txt","status":404}"#, "http"),
        (r#"{"origin":"http://a.example/x","status":404}"#, "not an origin"),
        (r#"{"origin":"http://a.example","status":200,"body":"","body_base64":""}"#, "body twice"),
        (r#"{"origin":"http://a.example","status":200,"body_base64":"?"}"#, "Base64"),
        (r#"{"origin":"http://a.example","status":404,"fetched_at":"yesterday"}"#, "RFC 3339"),
        (r#"{"origin":"http://a.example","status":"200"}"#, "no HTTP status"),
        (r#"{"origin":"http://a.example","status":-1}"#, "no HTTP status"),
        (r#"[]"#, "line 3"),
    ] {
        bench.file("in.jsonl", format!("{good}\n\n{line}\n{good}\n"));
        // What is missing is missed at the end.
        let byte = format!("byte {}", good.len() + 2 + usize::from(line == "{"));
        bench.refused("--robots in.jsonl --out out urls", &["in.jsonl", "line 3", &byte, problem]);
    }
    bench.file("in.jsonl", b"{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"\xff\"}\n");
    bench.refused("--robots in.jsonl --out out urls", &["in.jsonl, line 1 (byte ", "a text in JSON is not UTF-8"]);
}

#[test]
fn html_and_binary_are_counted_and_do_no_harm() {
    let bench = Bench::new();
    bench.file("sites/page.example", "<!DOCTYPE html>\n<html><body>Not found</body></html>\n");
    bench.file("sites/binary.example", (0..=255u8).cycle().take(100_000).collect::<Vec<u8>>());
    bench.file("sites/empty.example", "");
    bench.file("urls", "http://page.example/\nhttp://binary.example/x\nhttp://empty.example/\n");
    let split = bench.split("--robots sites", &["urls"]);
    assert_eq!(split.reasons("allowed"), [("no-group".to_owned(), 3)].into());
    assert_eq!(split.receipt["policy"]["notes"]["looks-like-html"], 1, "one file, though it has two origins");
    assert!(split.receipt["policy"]["notes"]["missing-colon"].as_u64() > Some(0));
}

#[test]
fn what_was_cut_or_dropped_is_counted() {
    let bench = Bench::new();
    let long = format!("User-agent: *\nDisallow: /no\n{}Disallow: /late\n", "# filler\n".repeat(600_000));
    bench.file("long", long);
    assert_eq!(bench.outcome("--robots long --origin http://a.example", "http://a.example/no"), "blocked rules");
    assert_eq!(bench.outcome("--robots long --origin http://a.example", "http://a.example/late"), "allowed rules");
    bench.file(
        "sites/a.example",
        "Disallow: /early\nUser-agent: *\nDisalow: /a\nDisallow: b\nDisallow /c\nNoindex: /d\n",
    );
    bench.file("urls", "http://a.example/a\n");
    let split = bench.split("--robots long --origin http://a.example", &["urls"]);
    assert_eq!(split.receipt["policy"]["notes"], serde_json::json!({ "file-cut": 1 }));
    let notes = bench.split("--robots sites --force", &["urls"]).receipt["policy"]["notes"].clone();
    for kind in ["rule-outside-group", "rule-without-slash", "missing-colon", "misspelt-key", "unknown-record"] {
        assert_eq!(notes[kind], 1, "{kind} in {notes}");
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_program_without_parquet_says_so() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/\n");
    bench.file("in.parquet", "PAR1PAR1");
    bench.refused("--robots in.parquet --out out urls", &["in.parquet", "built without"]);
}

#[test]
fn wrong_arguments_are_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.refused("--robots sites --dialect rfc9308 --out out urls", &["rfc9308", "rfc9309", "original-1994"]);
    bench.refused("--robots sites --max-age soon --out out urls", &["--max-age", "soon"]);
    bench.refused("--robots sites --max-age=-3h --out out urls", &["--max-age", "-3h"]);
    bench.refused("--robots sites --now soon --out out urls", &["--now", "soon"]);
    bench.refused("--robots sites --on-unfetched use --out out urls", &["--on-unfetched"]);
    bench.refused("--robots sites --on-unreachable maybe --out out urls", &["--on-unreachable"]);
    bench.refused("--robots sites --out out --count urls", &["--count"]);
    bench.refused("--robots sites urls", &["--out"]);
    bench.refused("--out out urls", &["--robots"]);
    bench.refused("--robots sites --out out", &["no list", "--files-from"]);
    bench.refused("--robots sites --origin http://a.example --robots sites --out out urls", &["--origin", "one"]);
    bench.refused("--robots urls --origin a.example --out out urls", &["a.example", "https://example.com"]);
    assert_no_result(&bench.names("."));
}

/// Some programs write a byte order mark before a text. It belongs to the line, but not to the URL.
#[test]
fn a_byte_order_mark_is_kept_and_not_judged() {
    let entry = "com,a)/ 20240101000000 {\"url\": \"http://a.example/no\"}\n";
    for (text, options) in [
        ("\u{feff}http://a.example/no\nhttp://a.example/\n", ""),
        ("\u{feff}http://a.example/no", ""),
        ("\u{feff}http://a.example/no,x\nhttp://a.example/,\n", "--delimiter ,"),
        ("\u{feff}\"http://a.example/no\",x\nhttp://a.example/,\n", "--delimiter ,"),
        (&format!("\u{feff}{entry}"), ""),
    ] {
        let bench = Bench::with_site();
        bench.file("urls", text);
        let first = text.split_inclusive('\n').next().expect("a line").trim_end();
        let split = bench.split(&format!("--robots sites {options}"), &["urls"]);
        assert_eq!(split.lines("blocked"), [first], "{text}");
        assert_eq!(split.lines("invalid"), [""; 0], "{text}");
        // Likewise from a pipe, and in the middle of a partition.
        let words = format!("--robots sites {options} --force --out out");
        bench.filter(&format!("{words} -")).write_stdin(text).assert().success();
        assert_eq!(crate::support::results::Split::read(&bench, "out").lines("blocked"), [first], "{text}");
        bench.filter(&format!("{words} urls urls")).assert().success();
        assert_eq!(crate::support::results::Split::read(&bench, "out").lines("blocked"), [first, first], "{text}");
        bench.program("report out --robots sites").assert().success();
    }
    let bench = Bench::with_site();
    let twice = "http://a.example/\n\u{feff}http://a.example/\n";
    bench.file("urls", twice);
    let split = bench.split("--robots sites", &["urls"]);
    assert_eq!(split.lines("invalid"), ["\u{feff}http://a.example/"], "only at the start of a text");
    bench.file("headed", format!("url\n\u{feff}{twice}"));
    bench.filter("--robots sites --force --header --out out headed").assert().success();
    let invalid = bench.read("out/invalid.txt");
    assert_eq!(invalid, "url\n\u{feff}http://a.example/\n\u{feff}http://a.example/\n".as_bytes());
}
