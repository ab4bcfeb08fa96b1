//! `robosieve check`.

use assert_cmd::Command;

use crate::support::program::{Bench, said};

const FILE: &str = "# A comment\nUser-agent: examplebot\nUser-agent: other\nDisallow: /no\nAllow: /no/but # this\n\n\
                    User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot/2\nDisallow: /*.pdf$\nSitemap: /s\n";

/// Runs `check` on [`FILE`].
fn check(bench: &Bench, words: &str) -> Command {
    bench.file("robots.txt", FILE);
    bench.program(&format!("check --robots robots.txt {words}"))
}

/// The output of `check` and its exit status.
fn printed(words: &str) -> (String, i32) {
    let done = check(&Bench::new(), words).assert();
    let output = done.get_output();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout.clone()).expect("UTF-8"), output.status.code().expect("a status"))
}

#[test]
fn the_deciding_rule_its_line_and_the_agent_are_named() {
    // The groups are merged, and both are named.
    let own = "User-agent: examplebot (line 2)";
    let later = "ExampleBot/2 (line 10)";
    for (url, verdict, why) in [
        ("http://a.example/no", "blocked", "line 4: Disallow: /no"),
        ("http://a.example/no/but?x#y", "allowed", "line 5: Allow: /no/but"),
        ("https://b.example:8080/x.pdf", "blocked", "line 11: Disallow: /*.pdf$"),
        ("http://a.example/x.pdf?y", "allowed", "no rule matches"),
        ("http://a.example", "allowed", "no rule matches"),
    ] {
        let (text, status) = printed(&format!("--agent examplebot {url}"));
        assert_eq!(text, format!("{verdict}\t{url}\t{why}\t{own}, {later}\n"));
        assert_eq!(status, i32::from(verdict == "blocked"), "{url}");
    }
}

#[test]
fn answers_without_a_rule_say_why() {
    let (text, status) = printed("--agent somebody http://a.example/robots.txt http://a.example/x");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "allowed\thttp://a.example/robots.txt\t/robots.txt is always allowed\tUser-agent: * (line 7)");
    assert_eq!(lines[1], "blocked\thttp://a.example/x\tline 8: Disallow: /\tUser-agent: * (line 7)");
    assert_eq!(status, 1);
    let bench = Bench::new();
    bench.file("own.txt", "User-agent: other\nDisallow: /\n");
    let done = bench.program("check --agent me --robots own.txt http://a.example/x").assert().code(0);
    done.stdout("allowed\thttp://a.example/x\tno group applies\t-\n");
}

#[test]
fn the_exit_status_is_the_worst_answer() {
    let yes = "http://a.example/yes";
    let no = "http://a.example/no";
    for (urls, status) in [
        (vec![yes], 0),
        (vec![yes, yes], 0),
        (vec![yes, no], 1),
        (vec![no, yes], 1),
        (vec!["nonsense"], 2),
        (vec![no, "ftp://a.example/", yes], 2),
        (vec!["http://[::1/", no], 2),
        (vec!["http://a.example:99999/"], 2),
        (vec!["http://"], 2),
        (vec!["/no"], 2),
    ] {
        let (text, found) = printed(&format!("--agent examplebot {}", urls.join(" ")));
        assert_eq!(found, status, "{urls:?}");
        assert_eq!(text.lines().count(), urls.len(), "{text}");
    }
    let (text, _) = printed("--agent examplebot nonsense");
    assert!(text.starts_with("invalid\tnonsense\t"), "{text}");
}

#[test]
fn check_judges_as_the_dialect_says() {
    let url = "http://a.example/no/but";
    for (dialect, status) in [("rfc9309", 0), ("draft-1996", 1), ("original-1994", 1), ("google", 0)] {
        assert_eq!(printed(&format!("--agent examplebot --dialect {dialect} {url}")).1, status, "{dialect}");
    }
    let done = check(&Bench::new(), "--agent x --dialect none http://a.example/").assert().code(2);
    said(&done.get_output().stderr, &["none", "mandelbot"]);
}

#[test]
fn the_robots_txt_may_come_from_standard_input() {
    let bench = Bench::new();
    let words = "check --agent me --robots - http://a.example/no";
    let done = bench.program(words).write_stdin("User-agent: *\r\nDisallow: /no").assert().code(1);
    done.stdout("blocked\thttp://a.example/no\tline 2: Disallow: /no\tUser-agent: * (line 1)\n");
    bench.program(words).write_stdin("").assert().code(0);
}

#[test]
fn an_unreadable_robots_txt_is_an_error() {
    let bench = Bench::new();
    bench.file("folder/.hidden", "");
    for name in ["missing", "folder"] {
        let done = bench.program(&format!("check --agent me --robots {name} http://a.example/")).assert().code(2);
        said(&done.get_output().stderr, &[name]);
        assert!(done.get_output().stdout.is_empty());
    }
}

/// A source in another format than robots.txt is read in that format, or refused.
#[test]
fn a_source_is_read_as_what_it_is() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/no\n");
    bench.file(
        "in.jsonl",
        "{\"origin\":\"http://a.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /no\"}\n",
    );
    let answer = "User-agent: *\nDisallow: /no\n";
    let http = format!("HTTP/1.1 200 OK\r\n\r\n{answer}");
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/robots.txt\r\nWARC-Date: \
         2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    );
    bench.file("in.warc", warc);
    bench.program("compile --agent me sites -o policy.rsv").assert().success();
    for source in ["sites", "in.jsonl", "in.warc"] {
        let words = format!("check --agent me --robots {source} http://a.example/no http://other.example/no");
        let done = bench.program(&words).assert().code(1);
        let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("blocked\thttp://a.example/no\tline 2: Disallow: /no\t"), "{source}: {text}");
        assert!(lines[1].starts_with("deferred\thttp://other.example/no\t"), "{source}: {text}");
        for command in ["check http://a.example/no", "filter --only allowed urls"] {
            let words = format!("{command} --agent me --origin http://a.example --robots {source}");
            let done = bench.program(&words).assert().code(2);
            said(&done.get_output().stderr, &[source, "do not give one"]);
        }
    }
    for words in ["", "--origin http://a.example"] {
        let words = format!("check --agent me {words} --robots policy.rsv http://a.example/no");
        let done = bench.program(&words).assert().code(2);
        said(&done.get_output().stderr, &["policy.rsv is a policy file"]);
        assert!(done.get_output().stdout.is_empty());
    }
    let mut piped = bench.program("check --agent me --robots - http://a.example/");
    let done = piped.write_stdin(bench.read("in.warc")).assert().code(0);
    done.stdout("allowed\thttp://a.example/\tno rule matches\tUser-agent: * (line 1)\n");
    let single =
        "check --agent me --origin http://a.example --robots sites/a.example http://a.example/no http://b.example/";
    let done = bench.program(single).assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.starts_with("blocked") && text.contains("deferred\thttp://b.example/"), "{text}");
}

/// No robots.txt is refused, but a file without records looks like permission.
#[test]
fn a_text_without_a_record_is_a_warning() {
    let bench = Bench::new();
    for (text, warns) in [
        ("http://a.example/\nhttp://b.example/\n", true),
        ("\x01\x02 random bytes", true),
        ("<!doctype html>\n<p>Not found", true),
        ("", false),
        ("# nothing\n", false),
        ("Sitemap: http://a.example/x\n", false),
        ("User-agent: other\n", false),
    ] {
        bench.file("robots.txt", text);
        let done = bench.program("check --agent me --robots robots.txt http://a.example/").assert().code(0);
        let stderr = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert_eq!(stderr.contains("robots.txt has no robots.txt lines"), warns, "{text}: {stderr}");
    }
}

#[test]
fn urls_may_be_many_and_answers_json() {
    let (text, status) = printed("--agent examplebot --agent nobody --json http://a.example/no");
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines.len(), status), (2, 1));
    assert_eq!(lines[0]["verdict"], "blocked");
    assert_eq!(lines[0]["rule"], serde_json::json!({"line": 4, "key": "Disallow", "value": "/no"}));
    assert_eq!(lines[0]["group"][1], serde_json::json!({"line": 10, "value": "ExampleBot/2"}));
    assert_eq!((&lines[1]["agent"], &lines[1]["rule"]["line"]), (&"nobody".into(), &8.into()));
    let bench = Bench::new();
    let mut urls = check(&bench, "--agent examplebot -");
    let done = urls.write_stdin("http://a.example/yes\n\n http://a.example/no \r\n").assert().code(1);
    assert_eq!(done.get_output().stdout.iter().filter(|&&byte| byte == b'\n').count(), 2);
    let done = Bench::new().program("check --agent me --robots - -").assert().code(2);
    said(&done.get_output().stderr, &["standard input can be read only once"]);
}

#[test]
fn redirects_that_end_nowhere_are_reported_as_such() {
    let redirect =
        |to: &str| format!("{{\"url\":\"http://a.example/robots.txt\",\"status\":301,\"location\":\"{to}\"}}\n");
    let missing = "{\"url\":\"http://a.example/r.txt\",\"status\":404}\n";
    for answers in [redirect("/robots.txt"), redirect("/r.txt") + missing] {
        let bench = Bench::new();
        bench.file("in.jsonl", &answers);
        let done = bench.program("check --agent me --robots in.jsonl http://a.example/").assert().code(0);
        let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(text.contains("redirects to a missing one, in a loop or too often") && text.contains("301"), "{text}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let bench = Bench::new();
    for words in ["--help", "filter --help", "check --help", "lint --help", "--version"] {
        let done = bench.program(words).assert().success();
        assert!(!done.get_output().stdout.is_empty(), "{words}");
    }
    let help = bench.program("filter --help").assert();
    let text = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
    for dialect in robosieve::Dialect::names() {
        assert!(text.contains(dialect), "{dialect}");
    }
}

/// They are of origins, and a robots.txt alone has none.
#[test]
fn statuses_of_a_robots_txt_without_an_origin_are_refused() {
    for option in ["--statuses nutch", "--www-fallback"] {
        let bench = Bench::new();
        let refused = check(&bench, &format!("--agent other {option} http://a.example/no")).assert().code(2);
        said(&refused.get_output().stderr, &["one robots.txt with its origin (--origin"]);
        let words = format!("--origin http://a.example --agent other {option} http://a.example/no");
        check(&bench, &words).assert().code(1);
    }
}
