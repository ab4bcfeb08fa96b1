//! `robosieve check`.

use assert_cmd::Command;

use crate::bench::{Bench, said};

const FILE: &str = "# A comment\nUser-agent: examplebot\nUser-agent: other\nDisallow: /no\nAllow: /no/but # this\n\n\
                    User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot/2\nDisallow: /*.pdf$\nSitemap: /s\n";

/// `check` on [`FILE`].
fn check(bench: &Bench, words: &str) -> Command {
    bench.file("robots.txt", FILE);
    bench.program(&format!("check --robots robots.txt {words}"))
}

/// What `check` prints, and its exit status.
fn printed(words: &str) -> (String, i32) {
    let done = check(&Bench::new(), words).assert();
    let output = done.get_output();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8(output.stdout.clone()).expect("UTF-8"), output.status.code().expect("a status"))
}

#[test]
fn the_deciding_rule_its_line_and_the_agent_are_named() {
    let own = "User-agent: examplebot (line 2)";
    let later = "User-agent: ExampleBot/2 (line 10)";
    for (url, verdict, why, group) in [
        ("http://a.example/no", "blocked", "line 4: Disallow: /no", own),
        ("http://a.example/no/but?x#y", "allowed", "line 5: Allow: /no/but", own),
        ("https://b.example:8080/x.pdf", "blocked", "line 11: Disallow: /*.pdf$", later),
        ("http://a.example/x.pdf?y", "allowed", "no rule matches", later),
        ("http://a.example", "allowed", "no rule matches", later),
    ] {
        let (text, status) = printed(&format!("--agent examplebot {url}"));
        assert_eq!(text, format!("{verdict}\t{url}\t{why}\t{group}\n"));
        assert_eq!(status, i32::from(verdict == "blocked"), "{url}");
    }
}

#[test]
fn what_needs_no_rule_is_said() {
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
    bench.file("folder/x", "");
    for name in ["missing", "folder"] {
        let done = bench.program(&format!("check --agent me --robots {name} http://a.example/")).assert().code(2);
        said(&done.get_output().stderr, &[name]);
        assert!(done.get_output().stdout.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error_and_does_not_change_the_answer() {
    for (path, status) in [("/yes", 0), ("/no", 1)] {
        let bench = Bench::new();
        bench.file("robots.txt", FILE);
        let words = format!("check --agent examplebot --robots robots.txt http://a.example{path}");
        let done = crate::output::with_closed_stdout(&bench, &words);
        assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(done.status.code(), Some(status), "{path}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_printed_is_an_error() {
    let bench = Bench::new();
    bench.file("robots.txt", FILE);
    let words = "check --agent examplebot --robots robots.txt http://a.example/yes";
    let done = crate::output::with_full_stdout(&bench, words);
    assert_eq!(done.status.code(), Some(2));
    said(&done.stderr, &["print"]);
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
