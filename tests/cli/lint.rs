//! `robosieve lint`.

use serde_json::Value;

use crate::support::program::{Bench, said};

const FILE: &str = "User-agent: *\nDisallow: /a\nAllow: /a*\nDisallow: /b /c\n";

/// The output of `lint` for [`FILE`] or another file in the folder, and its exit status.
fn linted(words: &str) -> (String, i32) {
    let bench = Bench::new();
    bench.file("robots.txt", FILE);
    bench.file("clean.txt", "User-agent: *\nDisallow: /a\n");
    bench.file("empty.txt", "");
    let done = bench.program(&format!("lint {words}")).assert();
    let output = done.get_output();
    let count = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(count.lines().count(), usize::from(!words.contains("--json")), "{count}");
    (String::from_utf8(output.stdout.clone()).expect("UTF-8"), output.status.code().expect("a status"))
}

#[test]
fn findings_have_file_line_kind_reason_and_text() {
    let (text, status) = linted("robots.txt");
    let expected = "robots.txt:2: warning: unreachable-rule: it never decides: line 3, Allow: /a*, wins against it and matches \
                    every path that it matches [rfc9309: RFC 9309, 2.2.2]\n    Disallow: /a\n\
                    robots.txt:4: error: several-paths: the whole value is one path, spaces included; give each path its own \
                    line [rfc9309: RFC 9309, 2.2]\n    Disallow: /b /c\n";
    assert_eq!((text.as_str(), status), (expected, 1));
    let (text, _) = linted("empty.txt");
    assert!(text.starts_with("empty.txt: note: file-without-disallow: "), "{text}");
    let (text, _) = linted("--dialect mandelbot robots.txt");
    assert!(text.contains("[mandelbot: RFC 9309, 2.2; its own text does not say]"), "{text}");
}

#[test]
fn the_exit_status_says_whether_there_is_anything() {
    assert_eq!(linted("clean.txt"), (String::new(), 0));
    assert_eq!(linted("clean.txt empty.txt").1, 1);
    assert_eq!(linted("--dialect all clean.txt"), (String::new(), 0));
    assert_eq!(linted("--dialect original-1994 robots.txt").1, 1);
}

#[test]
fn machines_get_one_object_a_finding() {
    let (text, status) = linted("--json --dialect google --dialect draft-1996 robots.txt clean.txt empty.txt");
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(status, 1);
    let first = &found[0];
    for (field, value) in [
        ("file", "robots.txt".into()),
        ("dialect", "google".into()),
        ("kind", "unreachable-rule".into()),
        ("severity", "warning".into()),
        ("line", 2.into()),
        ("text", "Disallow: /a".into()),
        ("related", serde_json::json!({ "line": 3, "text": "Allow: /a*" })),
        ("document", "Google, How Google interprets the robots.txt specification".into()),
        ("section", "Order of precedence for rules".into()),
        ("borrowed", false.into()),
    ] {
        assert_eq!(first[field], value, "{field} of {first}");
    }
    let summary: Vec<String> = found
        .iter()
        .map(|one| format!("{} {} {} {}", one["file"], one["dialect"], one["line"], one["kind"]).replace('"', ""))
        .collect();
    let expected = [
        "robots.txt google 2 unreachable-rule",
        "robots.txt google 4 several-paths",
        "robots.txt draft-1996 3 literal-wildcard",
        "robots.txt draft-1996 3 unreachable-rule",
        "robots.txt draft-1996 4 several-paths",
        "empty.txt google 0 file-without-disallow",
        "empty.txt draft-1996 0 file-without-disallow",
    ];
    assert_eq!(summary, expected);
}

#[test]
fn dialects_may_be_several_or_all_and_count_once() {
    let of = |words: &str| {
        let (text, _) = linted(&format!("--json {words} empty.txt"));
        let dialect = |line| serde_json::from_str::<Value>(line).expect("JSON")["dialect"].as_str().unwrap().to_owned();
        text.lines().map(dialect).collect::<Vec<_>>()
    };
    assert_eq!(of(""), ["rfc9309"]);
    assert_eq!(of("--dialect google --dialect google"), ["google"]);
    assert_eq!(of("--dialect all"), robosieve::Dialect::names());
    assert_eq!(of("--dialect google --dialect all").len(), robosieve::Dialect::names().len());
    let done = Bench::new().program("lint --dialect none x").assert().code(2);
    said(&done.get_output().stderr, &["none", "mandelbot", "all"]);
}

/// In every dialect but the one that takes URLs as they are given.
#[test]
fn a_rule_with_a_dot_segment_matches_nothing_that_is_fetched() {
    let bench = Bench::new();
    bench.file("dots.txt", "User-agent: *\nDisallow: /a/../b\nDisallow: /c/%2E/\nDisallow: /d/..\nDisallow: /e?/../\n");
    let done = bench.program("lint --dialect all --json dots.txt").assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(found.iter().all(|finding| finding["kind"] == "dot-segment" && finding["severity"] == "warning"), "{text}");
    assert!(found.iter().all(|finding| finding["document"] == "URL Standard"), "{text}");
    let mut expected: Vec<String> = robosieve::Dialect::names().iter().map(|name| name.to_string()).collect();
    expected.retain(|name| name != "google");
    let mut places = Vec::new();
    for dialect in &expected {
        places.extend([(dialect.as_str(), 2), (dialect.as_str(), 3)]);
    }
    let found: Vec<(&str, i64)> = found
        .iter()
        .map(|finding| (finding["dialect"].as_str().expect("a name"), finding["line"].as_i64().expect("a number")))
        .collect();
    assert_eq!(found, places);
}

#[test]
fn a_file_may_come_from_standard_input() {
    let bench = Bench::new();
    let done = bench.program("lint -").write_stdin("User-agent: *\rDisallow: x\r").assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.starts_with("-:2: error: rule-without-slash: "), "{text}");
    assert!(text.contains("\n    probably meant: Disallow: /x\n"), "{text}");
}

#[test]
fn an_unreadable_file_is_an_error_and_the_others_are_reported() {
    let bench = Bench::new();
    bench.file("empty.txt", "");
    let done = bench.program("lint missing.txt empty.txt").assert().code(2);
    said(&done.get_output().stderr, &["missing.txt"]);
    assert!(String::from_utf8_lossy(&done.get_output().stdout).starts_with("empty.txt: "));
    bench.program("lint").assert().code(2);
}

#[test]
fn what_was_not_searched_is_said() {
    let bench = Bench::new();
    let rules = (0..12_000).map(|n| format!("Disallow: /*{n}*b\n")).collect::<String>();
    bench.file("robots.txt", format!("User-agent: *\n{rules}"));
    let done = bench.program("lint robots.txt").assert().code(0);
    said(&done.get_output().stderr, &["robots.txt: rfc9309: ", "rules were not compared with all others"]);
}

#[test]
fn a_folder_stands_for_its_files_and_the_end_is_a_count() {
    let bench = Bench::new();
    bench.file("robots/b", FILE);
    bench.file("robots/a", "");
    bench.file("robots/.hidden", FILE);
    bench.file("clean", "User-agent: *\nDisallow: /a\n");
    let done = bench.program("lint robots").assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.starts_with("robots/a: note: ") && text.contains("\nrobots/b:2: warning: "), "{text}");
    let count = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert_eq!(count, "2 files, 3 findings: 1 error, 1 warning, 1 note\n");
    bench.program("lint clean").assert().success().stderr("1 file, no findings\n");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error_and_does_not_change_the_answer() {
    let bench = Bench::new();
    bench.file("many.txt", "nonsense\n".repeat(20_000));
    let done = crate::support::program::with_closed_stdout(&bench, "lint many.txt");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "1 file, 20001 findings: 20000 errors, 0 warnings, 1 note\n");
    assert_eq!(done.status.code(), Some(1));
}

#[test]
fn the_documents_show_what_is_printed() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dialects.md")).expect("docs/dialects.md");
    let command = "robosieve lint datasets/sites/blog.example.net || test $? = 1\n```\n\n```text\n";
    let (_, shown) = page.split_once(command).expect("an example");
    let (shown, _) = shown.split_once("```").expect("its end");
    let mut program = assert_cmd::Command::new(crate::support::program::PROGRAM);
    program.current_dir(env!("CARGO_MANIFEST_DIR")).args(["lint", "datasets/sites/blog.example.net"]);
    program.assert().code(1).stdout(shown.to_owned());
}
