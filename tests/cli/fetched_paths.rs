//! Lines are judged by the path that is fetched, whatever their form; the receipt counts those that are written otherwise.

use crate::support::program::Bench;

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

/// Forms of `/private/x`, the number of those that are rewritten, and lines that must not count.
const FORMS: [&str; 8] = [
    "/private\\x",
    "/pri\tvate/x",
    "/a/../private/x",
    "/a/%2e%2E/private/x",
    "/./private/x",
    "\\private/x",
    "/pri\rvate/x",
    "/a/.%\t2e/private/x?y=/../z",
];

const PLAIN: [&str; 6] =
    ["/private/x\r", "/private/%78 ", "/private/x#/../y\\\tz", "/private/?a\\b=/../", "?/../x", "/%zz"];

fn bench() -> (Bench, String) {
    let bench = Bench::new();
    bench.file("sites/a.example", ROBOTS);
    let lines = |paths: &[&str]| paths.iter().map(|path| format!("http://a.example{path}\n")).collect::<String>();
    let others = "http://unknown.example/a/../b\nno URL/../x\nhttp://a.example/x\n".to_owned();
    (bench, lines(&FORMS) + &lines(&PLAIN) + &others)
}

#[test]
fn no_form_of_a_blocked_path_is_allowed_except_as_google_takes_it() {
    let (bench, list) = bench();
    // A text of any length: the hot path takes all lines but the last.
    bench.file("urls", list.clone() + &"http://a.example/allowed\n".repeat(40));
    for dialect in robosieve::Dialect::names() {
        let options = format!("--robots sites --delimiter none --force --dialect {dialect}");
        let split = bench.split(&options, &["urls"]);
        // Google's library sees no origin; where one ends at a backslash, the path begins with a slash.
        let is_google = dialect == "google";
        let blocked = FORMS.len() + PLAIN.len() - 2;
        assert_eq!(split.lines("blocked").len(), if is_google { PLAIN.len() - 1 } else { blocked }, "{dialect}");
        // The URL of the unknown origin, which waits for its robots.txt, is fetched otherwise, too.
        let rewritten = if is_google { 0 } else { FORMS.len() + 1 };
        assert_eq!(split.receipt["rewritten_paths"], rewritten, "{dialect}");
        assert_eq!(split.receipt["urls_with_tabs"], 2, "{dialect}");
        assert_eq!(split.receipt["dot_segments"], 3, "{dialect}");
    }
}

#[test]
fn the_count_does_not_depend_on_chunks_threads_crawlers_or_shards() {
    let (bench, list) = bench();
    bench.file("urls", list.repeat(30));
    let first = bench.split("--robots sites --delimiter none", &["urls"]).receipt;
    assert_eq!(first["rewritten_paths"], 30 * (FORMS.len() + 1));
    for options in ["--count", "--count --agent otherbot"] {
        let done = bench.filter(&format!("--robots sites --delimiter none {options} --json urls")).assert().success();
        let receipt: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
        assert_eq!(receipt["rewritten_paths"], first["rewritten_paths"], "{options}");
    }
    for shard in ["1/2", "2/2"] {
        let folder = shard.replace('/', "-");
        bench
            .filter(&format!(
                "--robots sites --delimiter none --now 2026-01-01T00:00:00Z --shard {shard} --out parts/{folder} urls"
            ))
            .assert()
            .success();
    }
    bench.program("join --out whole parts/1-2 parts/2-2").assert().success();
    assert_eq!(bench.receipt("whole")["rewritten_paths"], first["rewritten_paths"]);
}

#[test]
fn check_and_explain_name_the_rule_that_blocks_what_is_fetched() {
    let (bench, _) = bench();
    for url in ["http://a.example/a/../private/x", "http://a.example/private\\x", "http:a.example/pri\tvate/x"] {
        let mut program = bench.program("check --robots sites --agent examplebot");
        let done = program.arg(url).assert().code(1);
        let answer = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(answer.starts_with("blocked\t") && answer.contains("line 2: Disallow: /private/"), "{answer}");
    }
    bench.file("urls", "http://a.example/a/../private/x\nhttp://a.example/private\\x\n");
    bench.filter("--robots sites --explain --out out urls").assert().success();
    let blocked = String::from_utf8(bench.read("out/blocked.tsv")).expect("UTF-8");
    assert_eq!(blocked.matches("Disallow: /private/").count(), 2, "{blocked}");
}

/// Lines of fields that were taken for URLs: in either place of the URL, and in every dialect, told once.
#[test]
fn a_forgotten_delimiter_is_said_once() {
    let (bench, _) = bench();
    let hint = "--delimiter tab";
    let told = |list: &str, options: &str| {
        bench.file("list", list);
        let done = bench.filter(&format!("--robots sites --force --out out {options} list")).assert().success();
        String::from_utf8_lossy(&done.get_output().stderr).matches(hint).count()
    };
    for line in ["http://a.example/x\t200\n", "200\thttp://a.example/x\n"] {
        for dialect in ["rfc9309", "google", "draft-1996"] {
            assert_eq!(told(&line.repeat(100), &format!("--dialect {dialect}")), 1, "{line:?} {dialect}");
        }
        assert_eq!(told(&line.repeat(100), "--quiet"), 0);
    }
    assert_eq!(told(&"http://a.example/x\t200\n".repeat(100), "--delimiter tab"), 0);
    let plain = "http://a.example/x\n".repeat(99);
    assert_eq!(told(&format!("{plain}http://a.example/\tz\n"), ""), 1, "one line of a hundred");
    assert_eq!(told(&format!("{plain}http://a.example/#\tz\n"), ""), 1, "after the path");
    assert_eq!(told(&format!("{plain}http://a.example/\tz\n"), "--delimiter none"), 0);
    assert_eq!(told(&format!("{plain}http://a.example/x \t\r\n"), ""), 0, "not inside of a line");
}
