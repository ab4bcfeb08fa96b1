//! The meaning of a robots.txt's status, and the options for lines without a verdict.

use robosieve::Dialect;

use crate::support::program::Bench;

/// The meaning of a status in each dialect: the whole column of the table.
fn expected(status: u16, dialect: &str) -> &'static str {
    match (status, dialect) {
        (200..=299, _) => "blocked rules",
        (401 | 403, "draft-1996") => "blocked forbidden",
        (408 | 425, "google") => "allowed unavailable",
        (408 | 425 | 429, _) => "deferred unreachable",
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
        0, 100, 200, 204, 226, 300, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 408, 410, 418, 421, 425,
        429, 451, 499, 500, 501, 502, 503, 504, 599, 600, 999,
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

/// Answers of `http://HOST.example`, in JSON Lines.
fn answer(host: &str, status: u16, second: u32, location: &str) -> String {
    let location = if location.is_empty() { String::new() } else { format!(",\"location\":\"{location}\"") };
    let body = if status == 200 { ",\"body\":\"User-agent: *\\nDisallow: /no\\n\"" } else { "" };
    format!("{{\"origin\":\"http://{host}.example\",\"status\":{status},\"fetched_at\":{second}{location}{body}}}\n")
}

#[test]
fn the_operator_says_which_answers_mean_what() {
    let bench = Bench::new();
    let statuses = [200, 301, 304, 400, 401, 403, 404, 408, 425, 429, 499, 500, 503, 599, 600];
    let lines = statuses.map(|status| answer(&format!("s{status}"), status, 1, ""));
    bench.file("in.jsonl", lines.concat());
    bench.program("compile --agent examplebot in.jsonl -o policy.rsv").assert().success();
    bench.file("ours.toml", "401 = \"block\"\n403 = \"defer\"\n499 = \"allow\"\n\"4xx\" = \"block\"\n503 = 'allow'\n");
    bench.file("urls", statuses.map(|status| format!("http://s{status}.example/x\n")).concat());
    for (name, expected) in [
        (
            "ours.toml",
            "allowed rules, deferred redirect-unresolved, deferred not-modified, blocked unavailable, blocked unavailable, \
             deferred unavailable, blocked unavailable, blocked unreachable, blocked unreachable, blocked unreachable, \
             allowed unavailable, deferred unreachable, allowed unreachable, deferred unreachable, deferred unreachable",
        ),
        (
            "common-crawl",
            "allowed rules, deferred redirect-unresolved, deferred not-modified, allowed unavailable, allowed unavailable, \
             deferred unavailable, allowed unavailable, deferred unreachable, deferred unreachable, deferred unreachable, \
             allowed unavailable, deferred unreachable, deferred unreachable, deferred unreachable, deferred unreachable",
        ),
        (
            "nutch",
            "allowed rules, deferred redirect-unresolved, deferred not-modified, allowed unavailable, allowed unavailable, \
             allowed unavailable, allowed unavailable, allowed unreachable, allowed unreachable, deferred unreachable, \
             allowed unavailable, deferred unreachable, deferred unreachable, deferred unreachable, deferred unreachable",
        ),
    ] {
        for source in ["--robots in.jsonl", "--policy policy.rsv"] {
            let options = format!("{source} --statuses {name} --on-unreachable defer");
            let found = statuses.map(|status| bench.outcome(&options, format!("http://s{status}.example/x")));
            assert_eq!(found.join(", "), expected, "{name} {source}");
        }
    }
    let split = bench.split("--policy policy.rsv --statuses common-crawl", &["urls"]);
    assert_eq!(split.receipt["options"]["statuses"].to_string(), r#"{"403":"defer","429":"defer","5xx":"defer"}"#);
    let needed: Vec<String> = split.needed_rows().iter().map(|row| row[3].to_owned()).collect();
    assert!(needed.contains(&"403".to_owned()) && needed.contains(&"429".to_owned()), "they are to be asked again");
    let options = "--policy policy.rsv --statuses ours.toml --on-unreachable block --unreachable-as-unavailable 1s";
    assert_eq!(bench.outcome(options, "http://s503.example/x"), "allowed unreachable", "before the other choices");
    assert_eq!(bench.outcome(options, "http://s500.example/x"), "allowed long-unreachable");
    let forbidding = "--robots in.jsonl --dialect draft-1996 --statuses";
    bench.file("open.toml", "401 = 'allow'\n");
    assert_eq!(bench.outcome(&format!("{forbidding} open.toml"), "http://s401.example/x"), "allowed forbidden");
    assert_eq!(bench.outcome(&format!("{forbidding} open.toml"), "http://s403.example/x"), "blocked forbidden");
}

#[test]
fn the_status_at_the_end_of_redirects_counts_in_all_layers() {
    let bench = Bench::new();
    let to = |host: &str| format!("http://{host}.example/robots.txt");
    let chain = |number: usize| answer(&format!("hop{number}"), 302, 1, &to(&format!("hop{}", number + 1)));
    let base = [
        answer("to-refused", 301, 1, &to("refused")),
        answer("to-missing", 301, 1, &to("missing")),
        answer("to-changed", 301, 1, &to("changed")),
        answer("refused", 403, 1, ""),
        answer("missing", 404, 1, ""),
        answer("changed", 404, 1, ""),
        answer("was-refused", 403, 1, ""),
        answer("was-refused", 503, 2, ""),
        answer("was-missing", 404, 1, ""),
        answer("was-missing", 503, 2, ""),
        answer("was-elsewhere", 301, 1, &to("refused")),
        answer("was-elsewhere", 503, 2, ""),
    ];
    bench.file("base.jsonl", base.concat() + &(0..9).map(chain).collect::<String>());
    bench.file("newer.jsonl", answer("changed", 403, 2, "") + &answer("new", 403, 2, ""));
    bench.program("compile --agent examplebot base.jsonl -o base.rsv").assert().success();
    bench.program("compile --agent examplebot newer.jsonl -o newer.rsv").assert().success();
    bench.program("merge base.rsv newer.rsv -o merged.rsv").assert().success();
    bench.file("ours.toml", "403 = 'block'\n404 = 'defer'\n");
    bench.file("open.toml", "403 = 'allow'\n");
    for policy in ["--policy base.rsv --policy newer.rsv", "--policy merged.rsv"] {
        let with = |options: &str, host: &str| {
            bench.outcome(&format!("{policy} {options}"), format!("http://{host}.example/x"))
        };
        let of = |host| with("--statuses ours.toml --on-unreachable use", host);
        assert_eq!(of("to-refused"), "blocked unavailable");
        assert_eq!(of("to-missing"), "deferred unavailable");
        assert_eq!(of("to-changed"), "blocked unavailable", "{policy}");
        assert_eq!(of("changed"), "blocked unavailable");
        assert_eq!(of("new"), "blocked unavailable");
        assert_eq!(of("was-refused"), "blocked last-good");
        assert_eq!(of("was-missing"), "deferred unreachable");
        assert_eq!(of("was-elsewhere"), "blocked last-good");
        assert_eq!(of("hop0"), "deferred unavailable", "too many redirects are as 404");
        assert_eq!(with("--statuses ours.toml", "was-refused"), "deferred unreachable");
        assert_eq!(with("--statuses open.toml", "hop0"), "allowed unavailable", "nothing is said of 404");
    }
    let found = bench.outcome("--policy base.rsv --statuses ours.toml", "http://to-changed.example/x");
    assert_eq!(found, "deferred unavailable", "by the status of its own layer");
}

#[test]
fn check_tells_the_status_and_the_line_that_decided() {
    let bench = Bench::new();
    let lines = [
        answer("refused", 403, 1, ""),
        answer("missing", 404, 1, ""),
        answer("moved", 301, 1, "http://missing.example/robots.txt"),
        answer("down", 503, 1, ""),
        answer("good", 200, 1, ""),
        answer("was-refused", 403, 1, ""),
        answer("was-refused", 503, 2, ""),
    ];
    bench.file("in.jsonl", lines.concat());
    bench.file("ours.toml", "403 = 'defer'\n\"4xx\" = 'block'\n");
    bench.file("overrides.toml", "['http://open.example']\nverdict = 'allow-all'\n");
    bench.file("open.jsonl", answer("open", 403, 1, ""));
    let check = |host: &str| {
        let options = "check --agent examplebot --robots in.jsonl --robots open.jsonl --overrides overrides.toml";
        let output =
            bench.program(&format!("{options} --statuses ours.toml http://{host}.example/x")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let says = |host: &str, text: &str| assert!(check(host).contains(text), "{host}: {}", check(host));
    says(
        "refused",
        "deferred\thttp://refused.example/x\tthere is no robots.txt (status 403); --statuses: 403 = \"defer\"\t",
    );
    says("missing", "blocked\t");
    says("missing", "--statuses: 4xx = \"block\", which is 404");
    says("moved", "--statuses: 4xx = \"block\", which is 404");
    says("open", "allowed\thttp://open.example/x\tthe operator allows everything\t");
    // The last good answer does not decide, because nobody asked for it.
    says("was-refused", "\trobots.txt is unreachable (status 503); the last good answer said deferred: ");
    for host in ["down", "good", "unknown"] {
        assert!(!check(host).contains("--statuses"), "{host}");
    }
}

#[test]
fn an_unknown_origin_is_judged_by_its_sibling_if_the_operator_says_so() {
    let bench = Bench::new();
    bench.file("sites/www.a.example", "User-agent: *\nDisallow: /no\n");
    bench.file("urls", "http://a.example/no\nhttps://a.example/yes\nhttp://www.a.example/no\nhttp://b.example/\n");
    let split = bench.split("--robots sites --www-fallback", &["urls"]);
    assert_eq!(split.lines("blocked"), ["http://a.example/no", "http://www.a.example/no"]);
    assert_eq!(split.lines("allowed"), ["https://a.example/yes"]);
    assert_eq!(split.lines("deferred"), ["http://b.example/"]);
    assert_eq!((&split.receipt["www_fallbacks"], &split.receipt["options"]["www_fallback"]), (&2.into(), &true.into()));
    let split = bench.split("--robots sites --force", &["urls"]);
    assert_eq!(split.lines("deferred").len(), 3);
    assert!(split.receipt.get("www_fallbacks").is_none() && split.receipt["options"].get("www_fallback").is_none());
    let check = |options: &str| {
        let command = format!("check --agent examplebot --robots sites --origin http://www.a.example {options}");
        let command = command.replace("sites", "sites/www.a.example");
        let output = bench.program(&format!("{command} http://a.example/no")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let expected =
        "blocked\thttp://a.example/no\tby http://www.a.example: line 2: Disallow: /no\tUser-agent: * (line 1)\n";
    assert_eq!(check("--www-fallback"), expected);
    assert_eq!(check(""), "deferred\thttp://a.example/no\tits robots.txt was never fetched\t-\n");
}

#[test]
fn statuses_that_are_not_understood_end_the_run() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/x\n");
    bench.file("wrong.toml", "403 = 'defer'\n200 = 'allow'\n");
    for (given, expected) in [
        ("wrong.toml", "--statuses: wrong.toml: line 2: \"200\" is no status that can have a meaning of its own"),
        ("nowhere", "--statuses: \"nowhere\" is no file, and none of the names common-crawl, nutch"),
    ] {
        for command in [
            "filter --agent examplebot --robots sites --count urls",
            "check --agent examplebot --robots sites http://a.example/x",
            "check --agent examplebot --robots sites/a.example http://a.example/x",
        ] {
            let output = bench.program(&format!("{command} --statuses {given}")).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains(expected), "{command}: {said}");
            assert_eq!(output.status.code(), Some(2), "{command}");
        }
    }
}
