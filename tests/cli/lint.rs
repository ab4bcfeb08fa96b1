//! `robosieve lint`.

use robosieve::lint::FindingKind;
use serde_json::Value;

use crate::support::compression::gzip;
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
                    line [rfc9309: RFC 9309, 2.2]\n    Disallow: /b /c\n    probably meant: Disallow: /b\n                    Disallow: /c\n";
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
    let done = bench.program("lint robots.txt").assert().code(1);
    said(
        &done.get_output().stderr,
        &[
            "robots.txt: rfc9309: ",
            "rules were not compared with all others",
            "questions about the effect of lines not decided",
        ],
    );
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
fn the_severity_says_what_counts_for_the_exit_status() {
    let bench = Bench::new();
    bench.file("note.txt", "");
    bench.file("warning.txt", "User-agent: *\nDisallow: /a\nDisallow: /a\n");
    bench.file("error.txt", "User-agent: *\nDisallow: a\n");
    for (file, codes) in [("note.txt", [1, 0, 0]), ("warning.txt", [1, 1, 0]), ("error.txt", [1, 1, 1])] {
        for (severity, code) in ["note", "warning", "error"].into_iter().zip(codes) {
            let done = bench.program(&format!("lint --severity {severity} {file}")).assert().code(code);
            let shown = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
            assert!(shown.starts_with(file), "all findings are shown: {shown}");
        }
    }
    bench.program("lint --severity grave note.txt").assert().code(2);
}

#[test]
fn what_several_dialects_say_of_a_line_is_one_finding() {
    let bench = Bench::new();
    bench.file("robots.txt", "User-agent: *\nDisallow: /b /c\nDisallow: /a*\n");
    let done = bench.program("lint --dialect all robots.txt").assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("robots.txt:")).collect();
    let [several, literal] = headings.as_slice() else { panic!("{text}") };
    assert!(several.starts_with("robots.txt:2: error: several-paths: "), "{several}");
    let cited = "[rfc9309: RFC 9309, 2.2] [google, mandelbot, extended-2008: RFC 9309, 2.2; their own texts do not say] \
                 [draft-1996: draft-koster-robots-00, 3.3] [original-1994: robotstxt.org, About /robots.txt, What to put in it]";
    assert!(several.ends_with(cited), "{several}");
    assert!(literal.starts_with("robots.txt:3: error: literal-wildcard: ") && !literal.contains("google"), "{literal}");
    let count = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert_eq!(count, "1 file, 2 findings: 2 errors, 0 warnings, 0 notes\n");
    assert!(text.contains("    probably meant: Disallow: /b\n                    Disallow: /c\n"), "{text}");
}

#[test]
fn code_hosts_get_sarif() {
    let bench = Bench::new();
    bench.file("a b.txt", FILE);
    bench.file("empty.txt", "");
    let mut program = bench.program("lint --format sarif");
    let done = program.args(["a b.txt", "empty.txt"]).assert().code(1).stderr("");
    let log: Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let shown: Vec<String> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let rule = &rules[result["ruleIndex"].as_u64().expect("a number") as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
            assert!(result["message"]["text"].as_str().is_some_and(|text| text.contains("[rfc9309: ")), "{result}");
            let (uri, line) = (&place["artifactLocation"]["uri"], &place["region"]["startLine"]);
            format!("{} {} {uri} {line}", result["ruleId"], result["level"]).replace('"', "")
        })
        .collect();
    let expected = [
        "unreachable-rule warning a%20b.txt 2",
        "several-paths error a%20b.txt 4",
        "file-without-disallow note empty.txt 1",
    ];
    assert_eq!(shown, expected);
    assert_eq!(results[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 3);
    bench.file("clean.txt", "User-agent: *\nDisallow: /a\n");
    let done = bench.program("lint --format sarif clean.txt").assert().success();
    let log: Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    let same = |words: &str| bench.program(words).assert().code(1).get_output().stdout.clone();
    assert_eq!(same("lint --format jsonl empty.txt"), same("lint --json empty.txt"));
    bench.program("lint --json --format sarif empty.txt").assert().code(2);
}

/// A line of JSON Lines with a robots.txt.
fn answer(url: &str, status: u16, time: u64, body: &str) -> String {
    let answer = serde_json::json!({"url": url, "status": status, "fetched_at": time, "body": body});
    format!("{answer}\n")
}

#[test]
fn of_a_file_of_answers_the_newest_robots_txt_of_each_origin_is_linted() {
    let bench = Bench::new();
    let wrong = "User-agent: *\nDisallow: a\n";
    let right = "User-agent: *\nDisallow: /a\n";
    let answers = [
        answer("https://b.example/robots.txt", 200, 1_700_000_000, wrong),
        answer("https://a.example/robots.txt", 200, 1_700_000_002, wrong),
        answer("https://a.example/robots.txt", 200, 1_700_000_001, right),
        answer("https://b.example/robots.txt", 200, 1_700_000_001, right),
        answer("https://c.example/robots.txt", 404, 1_700_000_001, wrong),
    ]
    .concat();
    bench.file("answers.jsonl", &answers);
    let done = bench.program("lint answers.jsonl").assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.starts_with("https://a.example/robots.txt:2: error: rule-without-slash: "), "{text}");
    assert!(!text.contains("https://b.example") && !text.contains("https://c.example"), "{text}");
    assert_eq!(
        String::from_utf8_lossy(&done.get_output().stderr),
        "2 files, 1 finding: 1 error, 0 warnings, 0 notes\n"
    );
    bench.program("lint -").write_stdin(answers).assert().code(1).stdout(text);
    // What cannot be read as what it is, is not read as text.
    bench.program("compile --agent x answers.jsonl -o p.rsv").assert().success();
    let done = bench.program("lint p.rsv").assert().code(2).stdout("");
    said(&done.get_output().stderr, &["p.rsv is a policy file"]);
    bench.file("bad.jsonl", "{\"url\": \"https://a.example/robots.txt\"}\n");
    bench.program("lint bad.jsonl").assert().code(2).stdout("");
}

#[cfg(feature = "warc")]
#[test]
fn an_archive_is_linted_as_one() {
    let bench = Bench::new();
    let body = "User-agent: *\nDisallow: a\n";
    let block = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/robots.txt\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000001>\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    bench.file("a.warc", format!("{head}{block}\r\n\r\n"));
    let done = bench.program("lint a.warc").assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.starts_with("https://a.example/robots.txt:2: error: rule-without-slash: "), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains(": error: ")).count(), 1, "{text}");
}

#[test]
fn all_kinds_are_listed_by_the_program_and_in_the_documents() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/dialects.md")).expect("docs/dialects.md");
    let done = Bench::new().program("lint --kinds").assert().success();
    let listed = String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8");
    let mut table = "| kind | severity | what is found | example |\n|---|---|---|---|\n".to_owned();
    for kind in FindingKind::all() {
        let (name, severity, meaning) = (kind.name(), kind.severity().name(), kind.meaning());
        assert!(listed.contains(&format!("{severity}: {name}: {meaning}\n")), "{name}");
        let cell = |line: &str| match line.replace('\u{feff}', "U+FEFF ") {
            line if line.is_empty() => String::new(),
            line => format!("`{line}`"),
        };
        let example: Vec<String> = kind.example().unwrap_or_default().lines().map(cell).collect();
        let example = if example.is_empty() { "—".to_owned() } else { example.join("<br>") };
        table += &format!("| `{name}` | {severity} | {meaning} | {example} |\n");
    }
    assert!(page.contains(&table), "docs/dialects.md has another list than this:\n{table}");
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

#[test]
fn what_is_certainly_no_robots_txt_is_refused_and_the_others_are_linted() {
    let bench = Bench::new();
    let tar = [&[0; 257][..], b"ustar\x0000", &[0; 248]].concat();
    for (name, file, words) in [
        (
            "keys.jsonl",
            &b"{\"target_uri\": \"https://a.example/robots.txt\", \"content\": \"x\"}\n"[..],
            "like JSON Lines, not",
        ),
        ("array.json", b"[\n  {\"url\": \"https://a.example/robots.txt\", \"body\": \"x\"}\n]\n", "like JSON, not"),
        ("pretty.json", b"{\n  \"url\": \"https://a.example/robots.txt\"\n}\n", "like JSON, not"),
        (
            "answers.csv",
            b"url,status,body\nhttps://a.example/robots.txt,200,\"User-agent: *\nDisallow: a\"\n",
            "like a table",
        ),
        ("answers.tsv", b"page\tfile\nhttps://a.example/robots.txt\tx\n", "like a table"),
        ("robots.tar", &tar, "a tar archive"),
    ] {
        bench.file(&format!("files/{name}"), file);
        bench.file(&format!("packed/{name}.gz"), gzip(file));
        for path in [format!("files/{name}"), format!("packed/{name}.gz")] {
            let done = bench.program(&format!("lint {path}")).assert().code(2).stdout("");
            said(&done.get_output().stderr, &[&path, words, "0 files, no findings"]);
        }
    }
    bench.file("files/a.txt", "User-agent: *\nDisallow: a\n");
    let done = bench.program("lint files").assert().code(2);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.starts_with("files/a.txt:2: error: rule-without-slash: "), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("files/")).count(), 1, "{text}");
    // Its error says what to do.
    let done =
        bench.program("lint --columns url=target_uri,body=content,status=,fetched_at= files/keys.jsonl").assert();
    let text = String::from_utf8_lossy(&done.code(1).get_output().stdout).into_owned();
    assert!(text.contains("https://a.example/robots.txt:1: error: missing-colon: "), "{text}");
}

/// A server may answer with anything, so what `lint` refuses is a robots.txt to crawlers.
#[test]
fn what_lint_refuses_is_a_source_all_the_same() {
    let bench = Bench::new();
    bench.file("robots/a.example", "{\"error\": \"not found\"}\n");
    bench.program("lint robots").assert().code(2);
    bench.program("compile --agent x robots -o p.rsv").assert().success();
    bench.program("check --policy p.rsv https://a.example/x").assert().success();
}
