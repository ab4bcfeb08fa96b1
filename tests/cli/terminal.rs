//! Text of others, which must never reach a terminal as commands: in a robots.txt, in URLs, in names of files.

use std::ffi::OsString;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::program::{Bench, PROGRAM};

/// What a terminal obeys: C0 and DEL, C1, and what changes the direction of text.
fn obeyed() -> impl Iterator<Item = char> {
    let ranges = [0..=0x1f, 0x7f..=0x9f, 0x61c..=0x61c, 0x200e..=0x200f, 0x2028..=0x202e, 0x2066..=0x2069];
    ranges.into_iter().flatten().filter_map(char::from_u32)
}

/// A text with all of these that can be in a line of a robots.txt, or in the name of a file.
fn hostile(is_wanted: impl Fn(char) -> bool) -> String {
    let all: String = obeyed().filter(|&character| is_wanted(character)).collect();
    format!("\u{1b}[2J\u{1b}]0;owned\u{7}{all}end")
}

/// Checks what a command printed: no character that a terminal obeys but its own line feeds and tabs, and as many lines as
/// expected.
fn check(done: &Output, words: &str) -> String {
    for (name, bytes) in [("stdout", &done.stdout), ("stderr", &done.stderr)] {
        let text = std::str::from_utf8(bytes).unwrap_or_else(|_| panic!("{words}: {name} is not UTF-8"));
        let found =
            text.chars().find(|character| !['\n', '\t'].contains(character) && obeyed().any(|one| one == *character));
        assert_eq!(found, None, "{words}: {name}: {text:?}");
        assert!(!text.contains("panicked"), "{text}");
    }
    let text = [&done.stdout[..], &done.stderr].concat();
    String::from_utf8(text).expect("UTF-8")
}

fn run(bench: &Bench, words: &[&str]) -> Output {
    let words = words.iter().map(OsString::from);
    Command::new(PROGRAM).current_dir(bench.path(".")).args(words).output().expect("the program")
}

/// A site whose robots.txt has hostile values in every kind of record, as text and as raw C1 bytes, and its policy.
fn bench() -> Bench {
    let bench = Bench::new();
    let text = hostile(|character| !['\0', '\n', '\r', '\u{2028}', '\u{2029}'].contains(&character));
    let mut file = format!(
        "User-agent: x{text}\nUser-agent: x\nDisallow: /{text}\nAllow: /*{text}\nCrawl-delay: 1{text}\nRequest-rate: 1{text}\n\
         Disalow: /{text}\nNoindex: /{text}\n{text}: {text}\nnonsense{text}\nDisallow: /a /b{text}\n\nUser-agent: {text}\n\
         Disallow: /\nSitemap: http://a.example/{text}\nSitemap: {text}\nHost: {text}\n"
    )
    .into_bytes();
    file.extend_from_slice(b"Sitemap: http://a.example/\x9b2J\x9d\x85\xff\n");
    bench.file("sites/a.example", &file);
    let page = r#"{"url":"http://b.example/\u001b[2J\u009b\u202e\n","status":200,"body":""}"#;
    bench.file("pages.jsonl", format!("{page}\n"));
    bench.program("compile -q --agent x --agent * sites -o policy.rsv").assert().success();
    bench
}

#[test]
fn a_robots_txt_is_shown() {
    let bench = bench();
    let url = "http://a.example/\u{1b}[2J\u{9b}\u{202e}\tx\ny";
    let start = hostile(|character| !['\0', '\n', '\r', '\u{2028}', '\u{2029}'].contains(&character));
    let ruled = format!("http://a.example/{start}");
    for words in [
        &["lint", "--dialect", "all", "sites/a.example"][..],
        &["lint", "--json", "sites/a.example"],
        &["check", "--agent", "x", "--robots", "sites/a.example", url, &ruled],
        &["check", "--policy", "policy.rsv", "--agent", "x", url, &ruled],
        &["check", "--agent", "x", "--robots", "sites", "--robots", "pages.jsonl", url, &ruled],
        &["check", "--json", "--policy", "policy.rsv", "--agent", "x", url, &ruled],
        &["inspect", "policy.rsv"],
        &["inspect", "policy.rsv", "--json"],
        &["inspect", "policy.rsv", "http://a.example"],
        &["inspect", "policy.rsv", "http://a.example", "--json"],
        &["inspect", "policy.rsv", "http://a.example", "--dot", "--agent", "x"],
        &["export", "policy.rsv", "--what", "delays", "--format", "jsonl"],
        &["export", "policy.rsv", "--what", "sitemaps", "--format", "jsonl"],
        &["export", "policy.rsv", "--what", "agents"],
        &["export", "policy.rsv", "--what", "delays"],
    ] {
        let done = run(&bench, words);
        let text = check(&done, &words.join(" "));
        assert!(!done.stdout.is_empty(), "{words:?}: {text}");
        let lines = String::from_utf8_lossy(&done.stdout).lines().count();
        match words[0] {
            "check" => assert_eq!(lines, 2, "{text}"),
            "inspect" if words.last() == Some(&"http://a.example") => {
                assert!(text.contains("\\u{1b}]0;owned\\u{7}"), "{text}")
            }
            _ => {}
        }
        let is_json = words.contains(&"--json") || words.contains(&"jsonl");
        if is_json && !words.contains(&"check") {
            let values = serde_json::Deserializer::from_slice(&done.stdout).into_iter::<Value>();
            values.for_each(|value| drop(value.expect("JSON")));
        }
    }
}

/// Escapes in tables can be undone; raw bytes of C1 are escaped, too, and others are not.
#[test]
fn tables_lose_nothing() {
    let bench = bench();
    let done = run(&bench, &["export", "policy.rsv", "--what", "sitemaps"]);
    let raw = b"http://a.example/\\x9b2J\\x9d\\x85\xff\t";
    assert!(done.stdout.windows(raw.len()).any(|part| part == raw), "{}", done.stdout.escape_ascii());
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(text.contains("\\u{1b}[2J") && text.contains("\\u{202e}") && text.contains("\\u{9b}"), "{text}");
    assert!(!done.stdout.contains(&0x1b) && !text.contains('\u{9b}'));
    let json = run(&bench, &["export", "policy.rsv", "--what", "sitemaps", "--format", "jsonl"]);
    let first: Value = serde_json::from_slice(json.stdout.split(|&byte| byte == b'\n').next().unwrap()).expect("JSON");
    assert!(first["sitemap"].as_str().expect("a text").contains("\u{1b}[2J"), "{first}");
}

/// The rule that blocks a line is text of others; the line itself stays as it is.
#[test]
fn a_line_is_bytes_and_its_cause_is_text() {
    let bench = Bench::new();
    bench.file("sites/a.example", "User-agent: *\nDisallow: /\u{1b}[2J\u{9b}\u{202e}\n");
    bench.file("urls", "http://a.example/\u{1b}[2J\u{9b}\u{202e}\n");
    let words = ["filter", "-q", "--agent", "x", "--robots", "sites", "--only", "blocked", "--explain", "urls"];
    let done = run(&bench, &words);
    let text = String::from_utf8(done.stdout).expect("UTF-8");
    let row = "Disallow: /\\u{1b}[2J\\u{9b}\\u{202e}\t2\t*\t\thttp://a.example/\u{1b}[2J\u{9b}\u{202e}\n";
    assert!(text.ends_with(row), "{text:?}");
}

/// Names of files are shown in every message, and a message has one line for each that is ours, whatever the names are.
#[cfg(unix)]
#[test]
fn names_of_files_are_shown() {
    use std::os::unix::ffi::OsStringExt;

    let text = format!("n{}", hostile(|character| character != '\0' && character != '/'));
    let raw = OsString::from_vec(b"r\x9b2J\x1b[2J\nrobosieve: all is well".to_vec());
    for name in [OsString::from(&text), raw] {
        let bench = bench();
        bench.file("urls", "http://a.example/\n");
        let path = bench.path(".").join(&name);
        let all = [
            "lint N",
            "lint --json N",
            "check --agent x --robots N http://a.example/",
            "inspect N",
            "inspect policy.rsv N",
            "export N --what status",
            "export policy.rsv --what status -o N/x",
            "export policy.rsv --what status -o N",
            "compile --agent x N -o p",
            "compile --agent x sites -o N",
            "compile --agent x sites --overrides N -o p",
            "merge N policy.rsv -o p",
            "merge policy.rsv policy.rsv -o N",
            "verify N",
            "report N",
            "join N --out all",
            "join N N --out N",
            "filter --policy policy.rsv --agent x --count N",
            "filter --policy policy.rsv --agent x --count --log json N",
            "filter --policy policy.rsv --agent x --count --files-from N",
            "filter --policy N --count urls",
            "filter --policy policy.rsv --agent x --out N urls",
            "filter --agent x --robots N --count urls",
            "filter --policy policy.rsv --agent x --verbose --out o --force urls N",
            "filter --policy policy.rsv --agent x --count --metrics N urls",
            "man N",
            "man -o N",
            "completions N",
            "N",
            "filter --N",
            "filter --agent=N",
            "filter --dialect=N",
            "check N",
            "filter --delimiter N",
            "filter --policy policy.rsv --agent x --count --json N urls",
            "filter --skip-bad --policy policy.rsv --agent x --out o2 N urls",
        ];
        for exists in 0..3 {
            match exists {
                0 => {}
                1 => fs::write(&path, "http://a.example/\u{1b}\n\u{1b}nonsense\n").expect("a file"),
                _ => fs::remove_file(&path).and_then(|()| fs::create_dir(&path)).expect("a folder"),
            }
            for words in all {
                let _ = fs::remove_dir_all(bench.path("o"));
                let arguments = words.split(' ').map(|word| match word.split_once('N') {
                    Some((before, after)) if !before.contains(char::is_alphabetic) || before.ends_with('=') => {
                        [OsString::from(before), name.clone(), OsString::from(after)].into_iter().collect()
                    }
                    _ => OsString::from(word),
                });
                let done =
                    Command::new(PROGRAM).current_dir(bench.path(".")).args(arguments).output().expect("the program");
                let printed = check(&done, words);
                assert!(!printed.lines().any(|line| line.starts_with("robosieve: all is well")), "{words}: {printed}");
                if exists == 1 && !path.is_file() {
                    fs::write(&path, "http://a.example/\u{1b}\n\u{1b}nonsense\n").expect("a file");
                }
            }
        }
    }
}

/// Receipts are files, and so may hold anything.
#[test]
fn a_receipt_is_shown() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    bench.filter("-q --robots sites --out out urls").assert().success();
    let before = bench.receipt("out");
    let text = hostile(|_| true);
    let changes: [fn(&mut Value, &str); 10] = [
        |receipt: &mut Value, text: &str| receipt["lists"][0]["path"] = text.into(),
        |receipt, text| receipt["line_hash"] = text.into(),
        |receipt, text| receipt["robosieve"] = text.into(),
        |receipt, text| receipt["agents"][0] = text.into(),
        |receipt, text| receipt["dialect"] = text.into(),
        |receipt, text| receipt["version"] = text.into(),
        |receipt, text| receipt["options"]["form"] = text.into(),
        |receipt, text| receipt["partitions"][text] = receipt["partitions"]["allowed"].clone(),
        |receipt, text| receipt["partitions"]["allowed"]["files"][0]["name"] = text.into(),
        |receipt, text| receipt["partitions"]["allowed"]["reasons"][text] = 1.into(),
    ];
    for change in changes {
        let mut receipt = before.clone();
        change(&mut receipt, &text);
        bench.file("out/receipt.json", receipt.to_string());
        for words in
            ["verify out", "verify out --inputs", "report out", "report out --robots sites", "join out --out all"]
        {
            check(&bench.program(words).output().expect("the program"), words);
        }
        let resumed = bench.filter("--robots sites --resume --out out urls").output().expect("the program");
        check(&resumed, "--resume");
    }
}
