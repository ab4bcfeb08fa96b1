//! The kinds of source, and which of several answers counts.

use crate::support::program::{Bench, ROBOTS, said};

/// An answer with status 200 that blocks `path`, fetched at this time.
fn blocks(origin: &str, path: &str, fetched_at: u32) -> String {
    let body = format!("User-agent: *\\nDisallow: {path}\\n");
    format!("{{\"origin\":\"{origin}\",\"status\":200,\"body\":\"{body}\",\"fetched_at\":{fetched_at}}}\n")
}

#[test]
fn a_host_stands_for_both_schemes_on_their_default_ports() {
    let bench = Bench::with_site();
    for (url, outcome) in [
        ("http://a.example/no", "blocked rules"),
        ("https://a.example/no", "blocked rules"),
        ("http://a.example:80/no", "blocked rules"),
        ("https://A.Example:443/no", "blocked rules"),
        ("http://user:pw@a.example/no", "blocked rules"),
        ("http://a.example:443/no", "deferred unfetched"),
        ("https://a.example:8080/no", "deferred unfetched"),
        ("http://www.a.example/no", "deferred unfetched"),
        ("http://a.example./no", "deferred unfetched"),
        ("http://example/no", "deferred unfetched"),
    ] {
        assert_eq!(bench.outcome("--robots sites", url), outcome, "{url}");
    }
}

#[test]
fn an_encoded_origin_wins_over_the_host() {
    let bench = Bench::with_site();
    bench.file("sites/https%3A%2F%2Fa.example", "User-agent: *\nDisallow: /secret\n");
    bench.file("sites/http%3a%2f%2fa.example%3a8080", "User-agent: *\nDisallow: /port\n");
    bench.file("more/a.example", "User-agent: *\nDisallow: /more\n");
    for (url, outcome) in [
        ("http://a.example/no", "blocked rules"),
        ("https://a.example/no", "allowed rules"),
        ("https://a.example/secret", "blocked rules"),
        ("http://a.example/secret", "allowed rules"),
        ("http://a.example:8080/port", "blocked rules"),
        ("https://a.example:8080/port", "deferred unfetched"),
    ] {
        assert_eq!(bench.outcome("--robots sites", url), outcome, "{url}");
    }
    for sources in ["--robots sites --robots more", "--robots more --robots sites"] {
        assert_eq!(bench.outcome(sources, "https://a.example/secret"), "blocked rules", "{sources}");
        assert_eq!(bench.outcome(sources, "https://a.example/more"), "allowed rules", "{sources}");
    }
}

#[test]
fn a_single_robots_txt_has_the_given_origin() {
    let bench = Bench::new();
    bench.file("robots.txt", ROBOTS);
    let options = "--robots robots.txt --origin HTTPS://A.example:443/";
    assert_eq!(bench.outcome(options, "https://a.example/no"), "blocked rules");
    assert_eq!(bench.outcome(options, "https://a.example/yes"), "allowed rules");
    assert_eq!(bench.outcome(options, "http://a.example/no"), "deferred unfetched");
    bench.file("urls", "https://a.example/\n");
    for origin in ["a.example", "https://a.example/x", "ftp://a.example", "https://"] {
        bench.refused(&format!("--robots robots.txt --origin {origin} --out out urls"), &[origin, "origin"]);
    }
}

#[test]
fn json_lines_have_origins_urls_and_bodies_of_both_kinds() {
    let bench = Bench::new();
    // "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL25v" is "User-agent: *\nDisallow: /no".
    bench.file(
        "in.jsonl",
        "{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\"}\r\n\
         \n\
         {\"url\":\"HTTP://B.example:80/robots.txt#x\",\"status\":200,\"body_base64\":\"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL25v\",\"more\":{}}\n\
         {\"origin\":\"http://[2001:DB8::1]:8080/\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\"}\n\
         {\"origin\":\"http://bücher.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\"}",
    );
    for url in [
        "http://a.example/no",
        "http://b.example/no",
        "http://[2001:db8::1]:8080/no",
        "http://bücher.example/no",
        "http://xn--bcher-kva.example/no",
    ] {
        assert_eq!(bench.outcome("--robots in.jsonl", url), "blocked rules", "{url}");
    }
}

#[test]
fn only_robots_txt_at_the_root_in_lower_case_is_one() {
    let bench = Bench::new();
    bench.file("urls", "http://a.example/no\n");
    for path in ["/Robots.txt", "/ROBOTS.TXT", "/x/robots.txt", "/robots.txt?x", "/robots.txt/", "/robots.tx", "/", ""]
    {
        let line = blocks("http://a.example", "/no", 1)
            .replace("\"origin\":\"http://a.example\"", &format!("\"url\":\"http://a.example{path}\""));
        bench.file("in.jsonl", line);
        let split = bench.split("--robots in.jsonl --force", &["urls"]);
        assert_eq!(split.lines("deferred"), ["http://a.example/no"], "{path}");
        assert_eq!(split.receipt["policy"]["captures"]["not_robots_txt"], 1, "{path}");
        assert_eq!(split.receipt["policy"]["origins"], 0, "{path}");
    }
}

/// A file at another path must not pass for the robots.txt at the root, however its path would resolve.
#[test]
fn dot_segments_do_not_make_another_url_the_robots_txt() {
    let bench = Bench::new();
    let other = blocks("http://a.example", "/", 2)
        .replace("\"origin\":\"http://a.example\"", "\"url\":\"http://a.example/x/../robots.txt\"");
    bench.file("in.jsonl", blocks("http://a.example", "/no", 1) + &other);
    assert_eq!(bench.outcome("--robots in.jsonl", "http://a.example/yes"), "allowed rules");
}

#[test]
fn the_newest_answer_wins_whatever_the_order_of_the_sources() {
    let bench = Bench::new();
    bench.file("old.jsonl", blocks("http://a.example", "/old", 1));
    bench.file("new.jsonl", blocks("http://a.example", "/new", 2));
    bench.file("timeless/a.example", "User-agent: *\nDisallow: /timeless\n");
    bench.file("urls", "http://a.example/old\nhttp://a.example/new\nhttp://a.example/timeless\n");
    let mut sources = ["old.jsonl", "new.jsonl", "timeless"];
    for _ in 0..3 {
        sources.rotate_left(1);
        for sources in [sources, [sources[0], sources[2], sources[1]]] {
            let options = sources.map(|source| format!("--robots {source}")).join(" ");
            let split = bench.split(&format!("{options} --force"), &["urls"]);
            assert_eq!(split.lines("blocked"), ["http://a.example/new"], "{options}");
            assert_eq!(split.receipt["policy"]["captures"]["older"], 2, "{options}");
            assert_eq!(split.receipt["policy"]["captures"]["same_time"], 0, "{options}");
        }
    }
}

/// Times are compared as times; as text, the older one would be greater.
#[test]
fn times_are_compared_across_their_forms() {
    let bench = Bench::new();
    let at = |path: &str, time: &str| blocks("http://a.example", path, 77).replace("77", time);
    let newer = at("/new", "\"2026-01-12T09:30:00-02:00\"");
    for older in [at("/old", "\"2026-01-12T12:29:59+01:00\""), at("/old", "1768217399")] {
        for text in [format!("{newer}{older}"), format!("{older}{newer}")] {
            bench.file("in.jsonl", &text);
            assert_eq!(bench.outcome("--robots in.jsonl", "http://a.example/new"), "blocked rules", "{text}");
        }
    }
}

/// The outcome for a URL, with two answers of the same time in both orders, in one source and in two.
fn settled(one: &str, other: &str, url: &str) -> Vec<String> {
    let bench = Bench::new();
    bench.file("urls", format!("{url}\n"));
    bench.file("one.jsonl", one);
    bench.file("other.jsonl", other);
    bench.file("both.jsonl", format!("{one}{other}"));
    bench.file("reversed.jsonl", format!("{other}{one}"));
    let sources = ["one.jsonl --robots other.jsonl", "other.jsonl --robots one.jsonl", "both.jsonl", "reversed.jsonl"];
    let outcome = |sources: &str| {
        let split = bench.split(&format!("--robots {sources} --force"), &["urls"]);
        format!("{:?}, {:?}", split.partitions.each_ref().map(Vec::len), split.needed_rows())
    };
    sources.map(outcome).to_vec()
}

#[test]
fn answers_of_one_time_are_settled_whatever_their_order() {
    let url = "http://a.example/one";
    let answer = |fields: &str| format!("{{\"origin\":\"http://a.example\",{fields},\"fetched_at\":7}}\n");
    let redirect = |to: &str| answer(&format!("\"status\":301,\"location\":\"{to}\""));
    for (name, one, other) in [
        ("two bodies", blocks("http://a.example", "/one", 7), blocks("http://a.example", "/two", 7)),
        ("a body and none", blocks("http://a.example", "/one", 7), answer("\"status\":404")),
        ("a body and a failure", blocks("http://a.example", "/one", 7), answer("\"status\":503")),
        ("two statuses", answer("\"status\":404"), answer("\"status\":503")),
        ("one meaning, two statuses", answer("\"status\":500"), answer("\"status\":503")),
        ("two locations", redirect("http://b.example/robots.txt"), answer("\"status\":301,\"location\":\"/gone\"")),
        ("a redirect and a status", redirect("/lost"), answer("\"status\":404")),
        ("two bodies of failures", answer("\"status\":503,\"body\":\"a\""), answer("\"status\":404,\"body\":\"a\"")),
        ("two lifetimes", answer("\"status\":503,\"unreachable_since\":1"), answer("\"status\":404,\"expires\":9")),
    ] {
        let outcomes = settled(&one, &other, url);
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{name}: {outcomes:#?}");
    }
}

#[test]
fn answers_for_no_origin_are_reported_at_once() {
    let bench = Bench::with_site();
    for name in ["README", "example.com.txt", "www.a.net_robots.txt", "sub/b.example"] {
        bench.file(&format!("sites/{name}"), "User-agent: *\n");
    }
    bench.file(
        "in.jsonl",
        "{\"url\":\"http://b.example/robots.txt.bak\",\"status\":404}\n{\"origin\":\"http://c.example\",\"status\":404}\n",
    );
    bench.file("urls", "http://a.example/\n");
    let done = bench.filter("--robots sites --robots in.jsonl --count urls").assert().success();
    let words = [
        "sites: 4 names that are not hosts",
        "README, example.com.txt, sub, ...",
        "in.jsonl: 1 response is not for /robots.txt",
    ];
    said(&done.get_output().stderr, &words);
    let done = bench.filter("--robots sites --robots in.jsonl --count --quiet urls").assert().success();
    assert!(done.get_output().stderr.is_empty());
}

#[test]
fn answers_at_the_targets_of_redirects_are_not_reported() {
    let bench = Bench::new();
    let page = |url: &str| format!("{{\"url\":\"http://{url}\",\"status\":404}}\n");
    let pages = ["a.example/rules", "b.example/x/robots.txt", "c.example/page?x"].map(page).concat();
    bench.file("pages.jsonl", pages + &page("a.example/other"));
    bench.file(
        "in.jsonl",
        "{\"origin\":\"http://a.example\",\"status\":301,\"location\":\"/rules\"}\n\
         {\"origin\":\"http://b.example\",\"status\":302,\"location\":\"//c.example/page?x\"}\n",
    );
    let done = bench.program("compile --agent me pages.jsonl in.jsonl -o policy.rsv").assert().success();
    let text = "pages.jsonl: 1 response is not for /robots.txt: http://a.example/other; such responses are used";
    said(&done.get_output().stderr, &[text]);
    let done = bench.program("compile --agent me pages.jsonl -o policy.rsv").assert().success();
    said(
        &done.get_output().stderr,
        &["3 responses are not for /robots.txt: http://a.example/rules, http://c.example/page?x, "],
    );
}

#[test]
fn a_folder_has_the_time_that_is_given() {
    let bench = Bench::with_site();
    let answer = "{\"origin\":\"http://a.example\",\"status\":404,\"fetched_at\":\"2026-01-10T12:00:00Z\"}\n";
    bench.file("in.jsonl", answer);
    let modified = |time: &str| {
        let time: jiff::Timestamp = time.parse().expect("a time");
        let file = std::fs::File::options().write(true).open(bench.path("sites/a.example")).expect("a file");
        file.set_modified(std::time::SystemTime::from(time)).expect("a time");
    };
    let outcome = |sources: &str, options: &str| {
        bench.program(&format!("compile --agent examplebot {sources} {options} -o policy.rsv")).assert().success();
        bench.outcome("--policy policy.rsv", "http://a.example/no") == "blocked rules"
    };
    let folder = "in.jsonl sites";
    assert!(!outcome(folder, ""), "what has a time is newer");
    assert!(!outcome(folder, "--fetched-at 2026-01-10T11:59:59Z"));
    assert!(outcome(folder, "--fetched-at 2026-01-10T12:00:01Z"));
    modified("2026-01-10T11:59:59.9Z");
    assert!(!outcome(folder, "--fetched-at mtime"));
    modified("2026-01-10T12:00:01Z");
    assert!(outcome(folder, "--fetched-at mtime"));
    let at = |options: &str| {
        let words = format!("compile --agent me sites/a.example --origin http://a.example {options} -o one.rsv");
        bench.program(&words).assert().success();
        let shown = bench.program("inspect one.rsv http://a.example --json").assert().success();
        let entry: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).expect("JSON");
        entry["fetched_at"].as_str().map(str::to_owned)
    };
    assert_eq!(at(""), None);
    assert_eq!(at("--fetched-at mtime").as_deref(), Some("2026-01-10T12:00:01Z"));
    assert_eq!(at("--fetched-at 2026-01-01T01:00:00+01:00").as_deref(), Some("2026-01-01T00:00:00Z"));
}

#[test]
fn times_that_no_source_has_are_refused() {
    let bench = Bench::with_site();
    bench.file("in.jsonl", "{\"origin\":\"http://a.example\",\"status\":404}\n");
    bench.program("compile --agent me sites -o policy.rsv").assert().success();
    bench.file("urls", "http://a.example/\n");
    for (words, message) in [
        (
            "compile --agent me sites --fetched-at 2999-01-01T00:00:00Z -o x.rsv",
            ["a.example: fetched_at is 2999", "now"],
        ),
        ("compile --agent me sites --fetched-at yesterday -o x.rsv", ["RFC 3339", "mtime"]),
        ("filter --policy policy.rsv --fetched-at mtime --count urls", ["--fetched-at", "--policy"]),
        ("check --policy policy.rsv --fetched-at mtime http://a.example/", ["--fetched-at", "--policy"]),
        ("report out --policy policy.rsv --fetched-at mtime", ["--fetched-at", "--policy"]),
    ] {
        let done = bench.program(words).assert().code(2);
        said(&done.get_output().stderr, &message);
    }
    let stale = "--robots sites --fetched-at 2026-01-01T00:00:00Z --now 2026-01-03T00:00:00Z --on-stale defer";
    assert_eq!(bench.outcome(stale, "http://a.example/"), "deferred stale");
    assert_eq!(bench.outcome(&stale.replace("01-03", "01-01"), "http://a.example/"), "allowed rules");
}

#[test]
fn one_is_not_several() {
    let bench = Bench::with_site();
    let done = bench.program("compile --agent me --origin http://a.example sites/a.example -o policy.rsv").assert();
    let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(text.contains(": 1 origin, 1 distinct group, "), "{text}");
}

/// Too little memory is an error, never a policy without what had no room.
#[test]
fn little_memory_loses_no_answer() {
    let bench = Bench::new();
    bench.file("in.jsonl", blocks("http://a.example", "/no", 1));
    bench.program("compile --agent me in.jsonl -o expected.rsv").assert().success();
    for memory in [1, 4, 31, 32, 1 << 10, 1 << 14] {
        let done = bench.program(&format!("compile --agent me --memory {memory} in.jsonl -o policy.rsv")).output();
        let done = done.expect("the program");
        match done.status.code() {
            Some(0) => assert_eq!(bench.read("policy.rsv"), bench.read("expected.rsv"), "{memory}"),
            code => assert_eq!(code, Some(2), "{memory}"),
        }
    }
}
