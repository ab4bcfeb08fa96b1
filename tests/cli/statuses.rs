//! The meaning of a robots.txt's status, and the options for lines without a verdict.

use robosieve::Dialect;

use crate::support::program::Bench;

/// The meaning of a status in each dialect: the whole column of the table.
fn expected(status: u16, dialect: &str) -> &'static str {
    match (status, dialect) {
        (200..=299, _) => "blocked rules",
        (401 | 403, "draft-1996") => "blocked forbidden",
        (429, "google") => "deferred unreachable",
        (400..=499, _) => "allowed unavailable",
        (304, _) => "deferred not-modified",
        (300..=399, _) => "deferred redirect-unresolved",
        _ => "deferred unreachable",
    }
}

#[test]
fn statuses_mean_what_the_dialect_says() {
    let bench = Bench::new();
    let statuses = [
        0, 100, 200, 204, 226, 300, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 410, 418, 421, 429, 451,
        499, 500, 501, 502, 503, 504, 599, 600, 999,
    ];
    let body = "User-agent: *\\nDisallow: /\\n";
    let answer =
        |status| format!("{{\"origin\":\"http://s{status}.example\",\"status\":{status},\"body\":\"{body}\"}}\n");
    bench.file("in.jsonl", statuses.map(answer).concat());
    bench.file("urls", statuses.map(|status| format!("http://s{status}.example/x\n")).concat());
    for dialect in Dialect::names() {
        let options = format!("--robots in.jsonl --force --dialect {dialect}");
        let split = bench.split(&options, &["urls"]);
        for partition in ["allowed", "blocked", "deferred"] {
            let expected = statuses.iter().filter(|&&status| expected(status, dialect).starts_with(partition));
            let lines: Vec<String> = expected.map(|status| format!("http://s{status}.example/x")).collect();
            assert_eq!(split.lines(partition), lines, "{partition} under {dialect}");
            for (reason, count) in split.reasons(partition) {
                let name = format!("{partition} {reason}");
                let same = statuses.iter().filter(|&&status| expected_is(status, dialect, &name)).count();
                assert_eq!(count, same as u64, "{name} under {dialect}");
            }
        }
        let needed: Vec<String> = split.needed_rows().iter().map(|row| row[3].to_owned()).collect();
        let deferred = statuses.iter().filter(|&&status| expected(status, dialect).starts_with("deferred"));
        assert_eq!(needed, deferred.map(u16::to_string).collect::<Vec<_>>(), "{dialect}");
    }
}

fn expected_is(status: u16, dialect: &str, outcome: &str) -> bool {
    expected(status, dialect) == outcome
}

#[test]
fn an_html_page_means_what_the_operator_says() {
    let bench = Bench::new();
    let page = serde_json::json!("<!DOCTYPE html>\n<title>Welcome</title>\nUser-agent: *\nDisallow: /no\n");
    let answer = |host: &str, status: u16, second: u32| {
        let time = format!("\"fetched_at\":{second}");
        format!("{{\"origin\":\"http://{host}.example\",\"status\":{status},\"body\":{page},{time}}}\n")
    };
    let lines = [answer("page", 200, 1), answer("failed", 200, 1), answer("failed", 503, 2), answer("gone", 404, 1)];
    bench.file("in.jsonl", lines.concat());
    bench.file("sites/file.example", "User-agent: *\nDisallow: /no\n");
    let sources = "--robots in.jsonl --robots sites";
    bench.program("compile --agent examplebot in.jsonl sites -o policy.rsv").assert().success();
    for (choice, outcome) in [("allow", "allowed"), ("block", "blocked"), ("defer", "deferred")] {
        for sources in [sources, "--policy policy.rsv"] {
            let with = |options: &str, host: &str| {
                let options = format!("{sources} --on-html {choice} {options}");
                bench.outcome(&options, format!("http://{host}.example/no"))
            };
            assert_eq!(with("", "page"), format!("{outcome} html-page"));
            assert_eq!(
                with("--max-age 1d --on-stale block", "page"),
                format!("{outcome} html-page"),
                "no rules to age"
            );
            assert_eq!(with("", "failed"), "deferred unreachable");
            assert_eq!(with("--on-unreachable use", "failed"), format!("{outcome} html-page"), "the last good one");
            assert_eq!(with("", "gone"), "allowed unavailable", "its body does not matter");
            assert_eq!(with("", "file"), "blocked rules");
        }
    }
    for default in ["", "--on-html use"] {
        let with = |more: &str, host: &str| {
            bench.outcome(&format!("{sources} {default} {more}"), format!("http://{host}.example/no"))
        };
        assert_eq!(with("", "page"), "blocked rules");
        assert_eq!(with("--on-unreachable use", "failed"), "blocked last-good");
    }
    bench.file("urls", "http://page.example/no\n");
    let split = bench.split(&format!("{sources} --on-html defer"), &["urls"]);
    assert_eq!(split.needed_rows(), [["http://page.example/robots.txt", "html-page", "1", "200"]]);
    assert_eq!(split.receipt["options"]["on_html"], "defer");
}

/// Answers of `http://a.example`, one second apart, by status; those with 200 have a body that blocks `/no`.
fn history(statuses: &[u16]) -> Vec<String> {
    let answer = |(second, &status): (usize, &u16)| {
        let body = if status == 200 { ",\"body\":\"User-agent: *\\nDisallow: /no\\n\"" } else { "" };
        let location = if status == 301 { ",\"location\":\"http://unknown.example/robots.txt\"" } else { "" };
        format!("{{\"origin\":\"http://a.example\",\"status\":{status},\"fetched_at\":{second}{body}{location}}}\n")
    };
    statuses.iter().enumerate().map(answer).collect()
}

#[test]
fn an_unreachable_origin_keeps_its_last_good_rules() {
    let bench = Bench::new();
    for statuses in
        [&[200, 503][..], &[404, 200, 503], &[200, 503, 500, 502], &[200, 301], &[200, 301, 503], &[200, 503, 301]]
    {
        let mut lines = history(statuses);
        let reason = if statuses.ends_with(&[301]) { "redirect-unresolved" } else { "unreachable" };
        for _ in 0..lines.len() {
            lines.rotate_left(1);
            bench.file("in.jsonl", lines.concat());
            let name = format!("{statuses:?}: {}", lines.concat());
            let with = |choice: &str, path: &str| {
                bench
                    .outcome(&format!("--robots in.jsonl --on-unreachable {choice}"), format!("http://a.example{path}"))
            };
            assert_eq!(with("use", "/no"), "blocked last-good", "{name}");
            assert_eq!(with("use", "/yes"), "allowed last-good", "{name}");
            assert_eq!(with("allow", "/no"), format!("allowed {reason}"), "{name}");
            assert_eq!(with("block", "/yes"), format!("blocked {reason}"), "{name}");
            assert_eq!(with("defer", "/yes"), format!("deferred {reason}"), "{name}");
            assert_eq!(
                bench.outcome("--robots in.jsonl", "http://a.example/no"),
                format!("deferred {reason}"),
                "{name}"
            );
        }
    }
}

#[test]
fn the_last_good_answer_may_be_that_there_is_no_robots_txt() {
    let bench = Bench::new();
    bench.file("in.jsonl", history(&[200, 404, 503]).concat());
    let options = "--robots in.jsonl --on-unreachable use";
    assert_eq!(bench.outcome(options, "http://a.example/no"), "allowed last-good");
    bench.file("in.jsonl", history(&[200, 403, 503]).concat());
    let options = "--robots in.jsonl --on-unreachable use --dialect draft-1996";
    assert_eq!(bench.outcome(options, "http://a.example/yes"), "blocked last-good");
    bench.file("in.jsonl", history(&[503, 500]).concat());
    let options = "--robots in.jsonl --on-unreachable use";
    assert_eq!(bench.outcome(options, "http://a.example/yes"), "deferred unreachable", "there never was one");
    bench.file("in.jsonl", history(&[503, 200]).concat());
    assert_eq!(bench.outcome(options, "http://a.example/no"), "blocked rules", "it is back");
}

#[test]
fn the_last_state_is_kept_with_the_last_good_rules() {
    let bench = Bench::new();
    bench.file("in.jsonl", history(&[200, 503]).concat());
    bench.file("urls", "http://a.example/x\n");
    let split = bench.split("--robots in.jsonl", &["urls"]);
    assert_eq!(split.needed_rows(), [["http://a.example/robots.txt", "unreachable", "1", "503"]]);
    assert_eq!(split.receipt["policy"]["last_good"], 1);
}

#[test]
fn an_origin_that_was_never_fetched_waits_unless_the_operator_says_otherwise() {
    let bench = Bench::with_site();
    for (choice, outcome) in [("allow", "allowed"), ("block", "blocked"), ("defer", "deferred")] {
        let options = format!("--robots sites --on-unfetched {choice}");
        assert_eq!(bench.outcome(&options, "http://b.example/x"), format!("{outcome} unfetched"));
        assert_eq!(bench.outcome(&options, "http://a.example/no"), "blocked rules", "only where it is unfetched");
    }
    bench.file("urls", "http://b.example/x\nhttp://A.b.example:8080/x\n");
    let split = bench.split("--robots sites --on-unfetched allow", &["urls"]);
    assert_eq!(split.needed_rows().len(), 0, "nothing waits");
    let split = bench.split("--robots sites --force", &["urls"]);
    let rows = split.needed_rows();
    assert_eq!(rows[0], ["http://b.example/robots.txt", "unfetched", "1", ""]);
    assert_eq!(rows[1], ["http://a.b.example:8080/robots.txt", "unfetched", "1", ""]);
}
